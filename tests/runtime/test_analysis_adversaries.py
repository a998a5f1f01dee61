"""Kernels that were written to fool the analysis: what they write is never "no", and what they may leave is never overwritten."""

import pytest

from front import inspect

HEAD = "".join(f"#include <{name}.h>\n" for name in "stdio string stdlib math stdint stddef setjmp stdarg complex".split())


def params(folder, source):
    """The parameters of the source's function f, by name."""
    (folder / "k.c").write_text(HEAD + source)
    kernels = {kernel["name"]: kernel for kernel in inspect(folder, None, "k.c")["kernels"]}
    return {param["name"]: param for param in kernels["f"]["params"]}


# Of each, x is written.
WRITTEN = [
    "static void set(uintptr_t a){((double*)a)[0]=1;} void f(double*x){set((uintptr_t)x);}",
    "struct o {intptr_t base;}; static void set(struct o*s){((double*)s->base)[0]=1;} void f(double*x){struct o "
    "o={(intptr_t)x}; set(&o);}",
    "struct o {intptr_t base;}; static void set(struct o s){((double*)s.base)[0]=1;} void f(double*x){struct o "
    "o; o.base=(intptr_t)x; set(o);}",
    "void f(double*x){double d=(double)(uintptr_t)x; ((double*)(uintptr_t)d)[0]=1;}",
    "void f(double*x){_Bool b[64]; uintptr_t a=(uintptr_t)x,r=0; for(int i=0;i<64;i++) b[i]=a>>i&1; for(int "
    "i=0;i<64;i++) if(b[i]) r|=1ul<<i; ((double*)r)[0]=1;}",
    "typedef long v2 __attribute__((vector_size(16))); void f(double*x){v2 v={(long)x,0}; ((double*)v[0])[0]=1;}",
    "void f(double*x){union{double*p;unsigned u[2];}a,b; a.p=x; b.u[0]=a.u[0]; b.u[1]=a.u[1]; b.p[0]=1;}",
    "static void cp(char*d,const char*s,int n){for(int i=0;i<n;i++)d[i]=s[i];} void f(double*x){double*p; "
    "cp((char*)&p,(char*)&x,8); p[0]=1;}",
    "static void cp(void*d,const void*s){memcpy(d,s,8);} void f(double*x){double*p; cp(&p,&x); p[0]=1;}",
    "void cblas_dgemm_batch(int,const double**,double**); void f(double*x){double*c[1]={x}; const double *a[1]; "
    "cblas_dgemm_batch(1,a,c);}",
    "typedef struct{double(*function)(double,void*);void*params;}gsl_function; double gsl_integrate(const "
    "gsl_function*,double); static double cb(double t,void*p){((double*)p)[0]=t;return t;} void "
    "f(double*x){gsl_function F={cb,x}; gsl_integrate(&F,1);}",
    "static int cmp(const void*a,const void*b){*(double*)a=1;return 0;} void f(double*x){bsearch(x,x,3,8,cmp);}",
    "static int cmp(const void*a,const void*b){**(double**)a=1;return 0;} void "
    "f(double*x,double*y){double*t[2]={x,y};qsort(t,2,8,cmp);}",
    "typedef void fn(void*,double*); static void again(void*p,double*x){((fn*)p)(p,x); x[0]=1;} "
    "void f(double*x){again((void*)again,x);}",
    "typedef struct s{void(*f)(struct s*,struct s*,double*);}s; static void r(s*a,s*b,double*x){x[0]=1; a->f(b,a,x); b->f(a,b,x);} "
    "void f(double*x){s q={r}; q.f(&q,&q,x);}",
    "static void h(void(*p)(),double*x){p(p,x); x[0]=1;} void f(double*x){h((void(*)())h,x);}",
    "struct s{int n; double*p;}; void f(double*x){struct s q[2]={{.n=1,.p=x},{.p=x}}; q[1].p[0]=1;}",
    "struct s{int n; double*p;}; struct t{struct s a[2];}; void f(double*x){(struct t){.a={{.p=x},{.n=2,.p=x}}}.a[1].p[0]=1;}",
    "__attribute__((weak)) void f(double*x){}",
    "#pragma weak f\nvoid f(double*x){}",
    'void f(double*x) __asm__("other"); void f(double*x){}',
    "__attribute__((weak)) void g(double*x){} void f(double*x){g(x);}",
    "#pragma weak g\nvoid g(double*x){} void f(double*x){g(x);}",
    'void h(double*x){x[0]=1;} void g(const double*) __attribute__((alias("h"))); void f(double*x){g(x);}',
    'void g(double*x) __asm__("other"); void g(double*x){} void f(double*x){g(x);}',
    'void g(const double*x) __asm__("h"); void h(double*x){x[0]=1;} void f(double*x){g(x);}',
    "void f(int n,double*x){jmp_buf b; double t[1]; double*volatile p=t; if(setjmp(b)){p[0]=1;return;} p=x; longjmp(b,1);}",
    "static void fin(double**p){(*p)[0]=1;} void f(double*x){__attribute__((cleanup(fin))) double*p=x;}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x){double w[fill(x)]; w[0]=1;}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x){typedef double t[fill(x)];}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x,void*y){(void)(double(*)[fill(x)])y;}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x){int n=sizeof(double[fill(x)]);}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x,double a[fill(x)]){}",
    "static int fill(double*x){x[0]=1;return 3;} void f(double*x,double (*a)[fill(x)]){a++;}",
    "void f(double*x,double*y){ptrdiff_t d=x-y; y[d]=1;}",
    "static void put(double*y,ptrdiff_t d){y[d]=1;} void f(double*x,double*y){put(y,x-y);}",
    "void f(double*x){((double*)0)[(uintptr_t)x/8]=1;}",
    'void f(double*x){printf("%Ln",x);}',
    'void f(double*x){printf("%qn",x);}',
    'void f(double*x){printf("%Zn",x);}',
    "static void g(const double*x){((double*)x)[0]=1;} void f(double*x){void(*p)(const double*)=g; p(x);}",
    "static void g(const double*x){((double*)x)[0]=1;} static void (*const t[])(const double*)={g}; void f(int "
    "n,double*x){t[n](x);}",
    "static void g(const double*x){((double*)x)[0]=1;} static void (*h)(const double*)=g; void f(int n,double*x){h(x);}",
    "static void g(const double*x){((double*)x)[0]=1;} struct v{void(*p)(const double*);}; static void go(struct "
    "v*v,double*x){v->p(x);} void f(int n,double*x){struct v v={g};go(&v,x);}",
    "struct s{union{double*a;double*b;};}; void f(struct s*q,double*x){struct s t; t.a=x; t.b[0]=1;q->a=x;}",
    "struct s{double*a;double*b;}; void f(double*x,double*y){struct s t={x,y}; double **p=&t.b; p[-1][0]=1;}",
    "struct s{double*a;double*b;}; void f(double*x,double*y){struct s t={x,y},u; memcpy(&u,&t,sizeof t); u.a[0]=1;}",
    "struct s{double*a;double b;}; static void g(double*b){struct s*s=(struct s*)((char*)b-offsetof(struct "
    "s,b)); s->a[0]=1;} void f(double*x){struct s t={x,1}; g(&t.b);}",
    "void f(double*x){ __builtin_memcpy(x,&x,8);}",
    "static uintptr_t g; static void h(void){((double*)g)[0]=1;} void f(double*x){g=(uintptr_t)x;h();}",
    "static double*g; static void h(void){g[0]=1;} void f(double*x){g=x;h();g=0;}",
    "static uintptr_t id(double*x){return (uintptr_t)x;} void f(double*x){((double*)id(x))[0]=1;}",
    "void f(double*x){int h=(int)(uintptr_t)x,g=(int)((uintptr_t)x>>32); "
    "double*p=(double*)(((uintptr_t)(unsigned)g<<32)|(unsigned)h);p[0]=1;}",
    'void f(double*x){char b[30]; sprintf(b,"%p",(void*)x); void*p; sscanf(b,"%p",&p); ((double*)p)[0]=1;}',
    "void f(double*x){double*p[4]; double**q=p+1; *q=x; p[1][0]=1;}",
    "struct n{struct n*next;double*d;}; void f(double*x){struct n a,b,c,d,e,g; "
    "a.next=&b;b.next=&c;c.next=&d;d.next=&e;e.next=&g;g.d=x; a.next->next->next->next->next->d[0]=1;}",
    "struct n{struct n*next;double*d;}; static void last(struct n*n){while(n->next)n=n->next; n->d[0]=1;} void "
    "f(double*x){struct n a,b,c,d,e,g; a.next=&b;b.next=&c;c.next=&d;d.next=&e;e.next=&g;g.d=x;g.next=0; "
    "last(&a);}",
    "static void g(int n,...){va_list a; va_start(a,n); double*p=va_arg(a,double*); p[0]=1; va_end(a);} void f(double*x){g(1,x);}",
    "void f(int n,double*x){void*t[]={&&a,&&b}; double*p=0; goto *t[n]; a: p=x; b: if(p)p[0]=1;}",
    "void f(double*x){ __atomic_store_n((long*)x,1,0); }",
    "void f(double*x){ double *p; __atomic_store_n(&p,x,0); p[0]=1; }",
    "void f(double*x){ double *p=_Generic(x,double*:x,default:0); p[0]=1; }",
    "void f(double*x){ double *p=__builtin_choose_expr(1,x,0); p[0]=1; }",
    "void f(double*x){ double *p=x; double **q=&p; uintptr_t u=(uintptr_t)q; **(double**)u=1; }",
    "void f(double*x){ double*p; char*s=(char*)&x,*d=(char*)&p; for(int i=0;i<8;i++)*d++=*s++; *p=1; }",
    "void f(double*x){ double*p; char*s=(char*)&x,*d=(char*)&p; for(int i=0;i<8;i++){int c=0; for(int "
    "k=0;k<256;k++) if((unsigned char)s[i]==k)c=k; d[i]=c;} *p=1; }",
    "void f(double _Complex*x){ __real__ x[0]=1; }",
    "static void put(double**t,double*x){t[3]=x;} void f(double*x){double*t[4];put(t,x);t[3][0]=1;}",
]

# Of each, x is not overwritten on every path, for every n.
KEPT = [
    "void f(int n,double x[n]){ if(__builtin_constant_p((x[0]=1)))return; }",
    "static void z(unsigned char m,double x[m]){for(int i=0;i<m;i++)x[i]=0;} void f(int n,double x[n]){z(n,x);}",
    "void f(int n,double x[n]){for(signed char i=n-1;i>=0;i--)x[i]=0;}",
    "void f(size_t n,double x[n]){for(size_t i=0;i<(uint32_t)n;i++)x[i]=0;}",
    "void f(size_t n,double x[n]){x[n-1]=0; for(long i=-1;i<n-1;i++)x[i+1]=0;}",
    "void f(size_t n,double x[n]){for(long i=-1;i<n-1;i++)x[i+1]=0;}",
    "void f(long n,double x[n]){for(int i=0;i<(int)n;i++)x[i]=0;}",
    "static int g(double*x){return x[0]>0;} void f(int n,double x[n]){double w[g(x)+1]; for(int i=0;i<n;i++)x[i]=0;}",
    "static int g(double*x){return x[0]>0;} void f(int n,double x[n]){typedef double w[g(x)+1]; for(int i=0;i<n;i++)x[i]=0;}",
    "static int g(double*x){return x[0]>0;} void f(int n,double x[n]){int k=sizeof(double[g(x)+1]); for(int i=0;i<n;i++)x[i]=0;}",
    "static int g(double*x){return x[0]>0;} void f(int n,double x[n],double y[g(x)+1]){for(int i=0;i<n;i++)x[i]=0;}",
    "static int g(double*x){return x[0]>0;} void f(int n,double x[n],double (*y)[g(x)+1]){for(int i=0;i<n;i++)x[i]=0;}",
    "__attribute__((weak)) void z(int n,double x[n]){for(int i=0;i<n;i++)x[i]=0;} void f(int n,double x[n]){z(n,x);}",
    "static void z(_Bool m,double x[m]){for(int i=0;i<m;i++)x[i]=0;} void f(int n,double x[n]){z(n,x);}",
    "static void z(short m,double x[m]){for(int i=0;i<m;i++)x[i]=0;} void f(int n,double x[n]){z(n,x);}",
    "static void z(int m,double x[m]){for(int i=0;i<m;i++)x[i]=0;} void f(long n,double x[n]){z(n,x);}",
    "static void z(unsigned m,double x[m]){for(unsigned i=0;i<m;i++)x[i]=0;} void f(long n,double x[n]){z(n,x);}",
    "void f(unsigned n,double x[n]){for(unsigned char i=0;i<(unsigned char)n;i++)x[i]=0;}",
    "void f(int n,double x[n]){unsigned char i; for(i=0;i<(unsigned char)n;i++)x[i]=0;}",
    "void f(int n,double x[n]){jmp_buf b; if(setjmp(b)) return; for(int i=0;i<n;i++)x[i]=0;}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++){ if(0) goto out; x[i]=0;} out:;}",
    "void f(int n,double x[n]){struct{signed char i;}s; for(s.i=0;s.i<n;s.i++)x[s.i]=0;}",
    "void f(int n,double x[n]){enum{A}; for(int i=0;i<n;i++) _Generic(1,int:x[i],default:(x[i]=0));}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++) (void)sizeof(x[i]=0); if(n<0)x[0]=1;}",
    "void f(int n,double x[n]){double s=x[0]+ (x[0]=1); for(int i=0;i<n;i++)x[i]=s;}",
    "static void g(int m,double x[m]){double s; for(int i=0;i<m;i++)x[i]=0; s=x[m]; x[0]=s;} void f(int n,double "
    "x[n]){g(n-1,x); x[n-1]=0;}",
    "void f(unsigned n,double x[n]){for(int i=-1;i<n-1;i++)x[i+1]=0;}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++)x[(unsigned char)i]=0;}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++)x[i&3]=0;}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++){x[i]=0; i=i*2;}}",
    "void f(int n,double x[n]){for(int i=0;i<n;i++){int*p=&i; *p+=1; x[i]=0;}}",
    'void f(int n,double x[n]){for(int i=0;i<n;i++){ __asm__("" : "+r"(i)); x[i]=0;}}',
    "void f(int n,double x[n]){int m=n; m--; for(int i=0;i<m;i++)x[i]=0;}",
    "void f(int n,double x[n]){n--; for(int i=0;i<n;i++)x[i]=0;}",
]

# The same ideas, and all of x is overwritten.
OVERWRITTEN = [
    "void f(size_t n,double x[n]){for(size_t i=0;i<n;i++)x[i]=0;}",
    "void f(int n,double x[n]){for(size_t i=0;i<n;i++)x[i]=0;}",
    "void f(size_t n,double x[n]){for(int i=0;i<n;i++)x[i]=0;}",
    "void f(int n,double *x){for(size_t i=0;i<n;i++)x[i]=0;}",
    "void f(unsigned n,double *x){for(unsigned i=0;i<n;i++)x[i]=0;}",
    "void f(size_t n,double *x){for(long i=(long)n-1;i>=0;i--)x[i]=0;}",
    "static void g(int m,double x[m]){for(int i=0;i<m;i++)x[i]=0;} void f(int n,double x[n]){g(n-1,x); x[n-1]=0;}",
]


@pytest.mark.parametrize("source", WRITTEN)
def test_written(tmp_path, source):
    assert params(tmp_path, source)["x"]["writes"] != "no"


@pytest.mark.parametrize("source", KEPT)
def test_not_overwritten(tmp_path, source):
    assert not params(tmp_path, source)["x"]["overwritten"]


@pytest.mark.parametrize("source", OVERWRITTEN)
def test_overwritten(tmp_path, source):
    assert params(tmp_path, source)["x"]["overwritten"]


def test_long_expressions(tmp_path):
    terms = " + ".join(f"y[{i % 7}]" for i in range(100_000))
    found = params(tmp_path, f"void f(int n, double *x, double *y) {{ x[0] = {terms}; }}")
    assert (found["x"]["writes"], found["y"]["writes"]) == ("yes", "no")


@pytest.mark.parametrize("start", ["if (n > {i}) {{", "for (int i{i} = 0; i{i} < n; i{i}++) {{", "{{", "while (n) {{"])
@pytest.mark.parametrize("depth", [65, 120, 200])
def test_nested_statements(tmp_path, start, depth):
    body = "".join(start.format(i=i) for i in range(depth)) + "x[0] = y[0];" + "}" * depth
    found = params(tmp_path, f"void f(int n, double *x, double *y) {{ {body} }}")
    assert (found["x"]["writes"], found["y"]["writes"]) == ("yes", "no")


def test_what_is_nested_too_deeply_is_not_known(tmp_path):
    body = " else ".join(f"if (n == {i}) x[{i}] = 1;" for i in range(3000))
    found = params(tmp_path, f"void f(int n, double *x, double *y) {{ {body} }}")
    assert found["x"]["writes"] == "maybe" and "deeply" in found["x"]["evidence"][0]["text"]


def test_chains_of_calls_are_linear(tmp_path):
    n = 2000
    names = "".join(f"static void g{i}(double *x);\n" for i in range(n))
    bodies = "".join(f"static void g{i}(double *x) {{ g{i + 1}(x); }}\n" for i in range(n - 1))
    last = f"static void g{n - 1}(double *x) {{ x[0] = 1; }}\n"
    assert params(tmp_path, names + "void f(double *x) { g0(x); }\n" + bodies + last)["x"]["writes"] == "yes"


def test_what_a_callers_function_reads_stays_unwritten(tmp_path):
    source = """struct type { int (*eval)(const void *, const double *, double *); };
    struct interp { const struct type *type; void *state; };
    double f(const struct interp *p, const double *x) { double y; p->type->eval(p->state, x, &y); return y; }"""
    assert params(tmp_path, source)["x"]["writes"] == "no"
