"""Which arguments C functions write, found from their bodies: every way to store through a pointer, and none missed."""

import pytest

from front import inspect


def writes(folder, source, header=None):
    """{function: {parameter: "no" | "yes" | "maybe"}} of a source's external functions; pointers only."""
    (folder / "k.c").write_text(source)
    if header is not None:
        (folder / "k.h").write_text(header)
    report = inspect(folder, None, *(["k.h"] if header is not None else []), "k.c")
    return {
        kernel["name"]: {p["name"]: p["writes"] for p in kernel["params"] if p["kind"] != "scalar"} for kernel in report["kernels"]
    }


STORES = """
double *x_of(double *x) { return x; }
typedef struct { double *data; int n; double in[3]; } box;
typedef struct { double a; } one;
#define SET(a, i, v) do { (a)[i] = (v); } while (0)
"""


# Each statement writes x and reads y, whatever the way.
@pytest.mark.parametrize(
    "statement",
    [
        "x[0] = y[0];",
        "*x = *y;",
        "0[x] = 1;",
        "*(x + n) = y[n];",
        "*(n + x) += 1;",
        "x[n]++;",
        "--x[n];",
        "(*x)--;",
        "*x++ = *y++;",
        "double *p = x; p[0] = 1;",
        "double *p; p = x + n; *p = 1;",
        "double *p = &x[n]; *p = 1;",
        "double *p = &*x; p++; p[-1] = 1;",
        "char *p = (char *)x; p[3] = 0;",
        "uintptr_t p = (uintptr_t)x; p += 8; *(double *)p = 1;",
        "long d = (char *)x - (char *)0; *(double *)((char *)0 + d) = 1;",
        "double (*p)[3] = (double (*)[3])x; p[1][2] = 0;",
        "double **p = &x; **p = 1;",
        "double **p = &x; (*p)[n] = y[n];",
        "double *p[2] = {x, x}; p[1][0] = 1;",
        "double *p[2]; p[n] = x; p[0][0] = 1;",
        "struct { double *a; } s = {x}; s.a[0] = 1;",
        "struct { double *a; } s = {x}, t = s; t.a[0] = 1;",
        "struct { double *a; } s, *p = &s; p->a = x; p->a[0] = 1;",
        "union { double *a; void *b; } s; s.b = x; s.a[0] = 1;",
        "x_of(x)[0] = 1;",
        "*x_of(x + 1) = 1;",
        "(n ? x : x + 1)[0] = 1;",
        "double *p = n ? x : 0; if (p) p[0] = 1;",
        "double a = 1; a = x[0] = y[0];",
        "x[0] = x[1] = 2;",
        "for (double *p = x, *e = x + n; p != e; p++) *p = 1;",
        "double *p = x; while (n--) *p++ = 0;",
        "double *p = x; do *p = 0; while (0);",
        "switch (n) { case 1: break; case 2: x[0] = 1; break; default: break; }",
        "switch (n) { case 1: { double *p = x; n = 2; p[0] = 1; } }",
        "SET(x, n, 3.0);",
        "memcpy(x, y, n);",
        "memset(x + 1, 0, 8);",
        "memmove((char *)x, y, n);",
        "qsort(x, n, sizeof *x, 0);",
        "frexp(y[0], (int *)x);",
        "n = (x[0] = 1, 2);",
        "n && (x[0] = 1);",
        "n || (x[0] = 1);",
        "double v = ({ x[0] = 1; 2.0; });",
        "__real__ *(double _Complex *)x = 1;",
        "*(one *)x = *(one *)y;",
        "((box *)x)->in[1] = 2;",
        "((box *)x)->n = 2;",
        "double *p = x; goto there; there: p[0] = 1;",
        "double *p = y; again: if (n) { p = x; n = 0; goto again; } if (p != y) p[0] = 1;",
        "void *p = x; double *q = p; q[0] = 1;",
        "x = x + 1; x[0] = 1;",
        "double *restrict p = x; p[0] = 1;",
        "double *p = (double[]){1, 2}; p = x; p[0] = 1;",
        "static const int k = 1; x[k] = 1;",
        "int i[1]; x[i[0]] = 1;",
        "if (n) return; x[0] = 1;",
        "for (;;) { if (n) break; else continue; x[1] = 1; } x[0] = 1;",
    ],
)
def test_every_store(tmp_path, statement):
    source = f"#include <string.h>\n#include <stdlib.h>\n#include <math.h>\n#include <stdint.h>\n{STORES}"
    source += f"void f(int n, double *x, double *y) {{ {statement} }}\n"
    found = writes(tmp_path, source)["f"]
    assert found["x"] in ("yes", "maybe")
    assert found["y"] == ("maybe" if "p = y" in statement else "no")
    plain = not any(word in statement for word in ("goto", "? x : x", "p = y"))
    if plain:
        assert found["x"] == "yes"


# None of these writes anything; what is left may not be "yes".
@pytest.mark.parametrize(
    "statement, expected",
    [
        ("double s = x[0]; s += 1;", "no"),
        ("double s[3]; s[0] = x[0]; s[n] *= 2;", "no"),
        ("double *p = x; p = y; ", "no"),
        ("double *p = x; p = malloc(8); p[0] = x[0]; free(p);", "no"),
        ("double v = fabs(x[0]) + sqrt(x[1]); (void)v;", "no"),
        ('printf("%g %d\\n", x[0], n);', "no"),
        ('printf("%p\\n", x);', "no"),
        ("if (x == NULL) return; n = x != y;", "no"),
        ("double *p = malloc(8 * n); memcpy(p, x, 8 * n); p[0] = 2;", "no"),
        ("double s; memcpy(&s, x, sizeof s); s = 2;", "no"),
        ("(void)sizeof(x[0] = 1);", "no"),
        ("return; x[0] = 1;", "no"),
        ("double *p = x; p = 0;", "no"),
        ("x = 0;", "no"),
        ("n = cblas_like(x);", "no"),
        ("double *end = x + n; n = (int)(end - x); double t[9]; t[n] = 1;", "no"),
        # Not understood, so it may be written.
        ("elsewhere(x);", "maybe"),
        ("hook(x);", "maybe"),
        ("kept = x;", "maybe"),
        ("static double *mine; mine = x;", "maybe"),
        ("double **p = malloc(8); *p = x;", "no"),
        ('asm volatile("" : : "r"(x) : "memory");', "maybe"),
        ("__atomic_store_n((long *)x, 1, 0);", "maybe"),
        ('scanf("%lf", x);', "yes"),
        ('printf(n ? "%p" : "%n", x);', "maybe"),
        ('printf("%d%n", 1, (int *)x);', "maybe"),
        ("elsewhere_too((uintptr_t)x);", "maybe"),
        ("struct { double *a; } s = {x}; elsewhere((double *)&s);", "maybe"),
        ("variadic(1, x);", "maybe"),
    ],
)
def test_what_is_no_store(tmp_path, statement, expected):
    source = (
        "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n#include <math.h>\n#include <stdint.h>\n"
        "void elsewhere(double *); void elsewhere_too(uintptr_t); extern void (*hook)(double *); double *kept;\n"
        "int cblas_like(const double *); void variadic(int, ...);\n"
        f"void f(int n, double *x, double *y) {{ {statement} }}\n"
    )
    found = writes(tmp_path, source)["f"]
    assert found == {"x": expected, "y": "maybe" if "asm" in statement else "no"}


# A parameter that is declared as an array is a pointer in all that is computed from it.
@pytest.mark.parametrize(
    "statement",
    [
        "*(w + n) *= 0.5;",
        "*(n + w) = 1;",
        "(n ? w : w + 1)[0] = 0.5;",
        "(w, w + 1)[0] = 0.5;",
        "(&w[2])[0] = 3;",
        "double *p; (p = w)[0] = 3;",
        "double **p = &w; **p = 3;",
        "double (*p)[6] = (void *)w; (*p)[n] = 0.5;",
        "w++; w[0] = 1;",
        "w += 2; *w = 1;",
        "__auto_type p = w; p[n] = 0.5;",
        "__typeof__(w) p; p = w + 1; p[n] = 0.5;",
        "__typeof__(w) p = w + 1; p++; p[n] = 0.5;",
        "struct { __typeof__(w) p; } s; s.p = w; s.p[0] = 3;",
        "__typeof__(w) p[2]; p[0] = w; p[0][0] = 3;",
        "__typeof__(&w) p = &w; (*p)[0] = 3;",
    ],
)
def test_array_parameters_are_pointers(tmp_path, statement):
    assert writes(tmp_path, f"void f(int n, double w[6]) {{ {statement} }}")["f"]["w"] in ("yes", "maybe")


@pytest.mark.parametrize(
    "parameters, call, expected",
    [
        ("void (*cb)(const double *)", "cb(x)", "no"),
        ("void (*cb)(const double *)", "(*cb)(x)", "no"),
        ("struct { void (*cb)(int, const double *); } *s", "s->cb(1, x)", "no"),
        ("callback *table", "table[2](x)", "no"),
        ("void (*cb)(const double *)", "cb((const double *)(x + 1))", "no"),
        ("void (*cb)(double *)", "cb(x)", "maybe"),
        ("void (*cb)()", "cb(x)", "maybe"),
        ("void (*cb)(const char *, ...)", 'cb("", x)', "maybe"),
        ("double *(*cb)(const double *)", "cb(x)[0] = 1", "maybe"),
    ],
)
def test_what_a_function_pointers_type_says(tmp_path, parameters, call, expected):
    source = f"typedef void (*callback)(const double *);\nvoid f(double *x, {parameters}) {{ {call}; }}"
    assert writes(tmp_path, source)["f"]["x"] == expected


def test_conditional_pointers_may_be_either(tmp_path):
    found = writes(tmp_path, "void f(int n, double *x, double *y) { double *p = n ? x : y; p[0] = 1; }")
    assert found["f"] == {"x": "maybe", "y": "maybe"}
    found = writes(tmp_path, "void f(int n, double *x, double *y) { double *p = x; if (n) p = y; p[0] = 1; p = x; p[1] = 2; }")
    assert found["f"] == {"x": "yes", "y": "maybe"}


def test_pointers_that_swap_in_a_loop(tmp_path):
    source = """void f(int n, double *a, double *b, double *c) {
        for (int t = 0; t < n; t++) { double *s = a; b[0] = a[0] + c[0]; a = b; b = s; }
    }"""
    assert writes(tmp_path, source)["f"] == {"a": "maybe", "b": "yes", "c": "no"} or writes(tmp_path, source)["f"] == {
        "a": "maybe",
        "b": "maybe",
        "c": "no",
    }


def test_multi_dimensional_parameters(tmp_path):
    source = """
    typedef double mat[3][3];
    void f(int n, int m, double a[n][m], double b[][4], double (*c)[m], mat d, double e[n][m], double g[static 2]) {
        a[1][2] = e[0][1] + g[0]; b[1][1]++; c[0][0] = 1; for (int i = 0; i < 3; i++) d[i][i] = 0;
        double *row = a[0]; row[1] = 2; double (*view)[m] = e; double s = view[1][1];
    }"""
    assert writes(tmp_path, source)["f"] == {"a": "yes", "b": "yes", "c": "yes", "d": "yes", "e": "no", "g": "no"}


def test_through_callees_to_a_fixpoint(tmp_path):
    source = """
    static void inner(double *p, const double *q) { p[0] = q[0]; }
    static void odd(int n, double *a, double *b);
    static void even(int n, double *a, double *b) { if (n) odd(n - 1, b, a); }
    static void odd(int n, double *a, double *b) { if (n) even(n - 1, b, a); else inner(a, b); }
    void outer(double *x, double *y) { inner(x + 1, y); }
    void twice(double *x, double *y) { outer(y, x); }
    void recursive(int n, double *x, double *y) { odd(n, x, y); }
    void loop(int n, double *x, double *y) { if (n) loop(n - 1, y, x); else x[0] = 1; }
    double *pick(int n, double *x, double *y) { return n ? x : y; }
    void picked(int n, double *x, double *y, double *z) { pick(n, x, y)[0] = z[0]; }
    static double **cell(double **p) { return p; }
    void by_address(double *x, double *y) { *cell(&x)[0] = y[0]; }
    static void set(double **out, double *in) { *out = in; }
    void through_local(double *x, double *y) { double *p = y; set(&p, x); p[0] = 1; }
    static void fill(double **p) { (*p)[0] = 1; }
    void deep(double *x, double *y) { double *p = x; fill(&p); }
    """
    found = writes(tmp_path, source)
    assert found["outer"] == {"x": "yes", "y": "no"}
    assert found["twice"] == {"x": "no", "y": "yes"}
    assert found["recursive"] == {"x": "yes", "y": "no"}  # they change places twice
    assert found["loop"] == {"x": "yes", "y": "yes"}
    assert found["pick"] == {"x": "no", "y": "no"}
    assert found["picked"] == {"x": "maybe", "y": "maybe", "z": "no"}
    assert found["by_address"] == {"x": "yes", "y": "no"}
    assert found["through_local"]["x"] == "maybe"  # kept by set
    assert found["deep"] == {"x": "yes", "y": "no"}


def test_across_files_with_evidence_all_the_way(tmp_path):
    (tmp_path / "k.h").write_text("void outer(int n, double *x, double *y);\n")
    (tmp_path / "a.c").write_text(
        '#include "k.h"\nvoid middle(double *);\nvoid outer(int n, double *x, double *y)\n{\n    middle(x);\n}\n'
    )
    (tmp_path / "b.c").write_text(
        "static void helper(double *p)\n{\n    p[3] += 1;\n}\nvoid middle(double *q)\n{\n    helper(q);\n}\n"
    )
    (kernel,) = inspect(tmp_path, None, "k.h", "a.c", "b.c")["kernels"]
    x, y = kernel["params"][1:]
    assert (x["writes"], y["writes"]) == ("yes", "no")
    assert [(e["file"], e["line"], e["text"]) for e in x["evidence"]] == [
        ("a.c", 5, "middle(x)"),
        ("b.c", 7, "helper(q)"),
        ("b.c", 3, "p[3] += 1"),
    ]
    assert y["evidence"][0]["file"] == "a.c" and "stores nothing" in y["evidence"][0]["text"]
    # Without the second file nobody knows.
    (kernel,) = inspect(tmp_path, None, "k.h", "a.c")["kernels"]
    assert kernel["params"][1]["writes"] == "maybe" and "middle" in kernel["params"][1]["evidence"][0]["text"]
    assert kernel["outputs"] == ["x"]


def test_evidence_is_a_whole_expression(tmp_path):
    source = "#define VAL(v) v\n#define PUT(a, v) (a)[0] = (v)\nvoid f(double *x, double *y, double *z) {\n"
    (tmp_path / "k.c").write_text(source + "x[0] = VAL(0.5);\nPUT(y, 3);\nz[ 1 ]\n  =  2;\n}\n")
    (kernel,) = inspect(tmp_path, None, "k.c")["kernels"]
    assert [p["evidence"][0]["text"] for p in kernel["params"]] == ["x[0] = VAL(0.5)", "PUT(y, 3)", "z[ 1 ] = 2"]
    assert [p["evidence"][0]["line"] for p in kernel["params"]] == [4, 5, 6]


def test_static_functions_of_the_same_name(tmp_path):
    (tmp_path / "k.h").write_text("void f(double *x);\nvoid g(double *x);\n")
    (tmp_path / "a.c").write_text('#include "k.h"\nstatic void h(double *x) { x[0] = 1; }\nvoid f(double *x) { h(x); }\n')
    (tmp_path / "b.c").write_text('#include "k.h"\nstatic void h(double *x) { }\nvoid g(double *x) { h(x); }\n')
    found = {k["name"]: k["params"][0]["writes"] for k in inspect(tmp_path, None, "k.h", "a.c", "b.c")["kernels"]}
    assert found == {"f": "yes", "g": "no"}


def test_bodies_in_headers(tmp_path):
    report = inspect(tmp_path, "static inline void f(int n, double *x, double *y) { x[0] = y[0]; }\n")
    assert [p["writes"] for p in report["kernels"][0]["params"]] == ["no", "yes", "no"]


def test_const_that_is_cast_away(tmp_path):
    """const is a promise, a store is a fact."""
    found = writes(tmp_path, "void f(const double *x, const double *y) { ((double *)x)[0] = y[0]; }")
    assert found["f"] == {"x": "yes", "y": "no"}


def test_const_hidden_in_a_macro(tmp_path):
    source = "#define CONST\nvoid f(CONST double *x, CONST double *y) { x[0] = y[0]; }"
    assert writes(tmp_path, source)["f"] == {"x": "yes", "y": "no"}


def test_structures_field_by_field(tmp_path):
    source = """
    typedef struct { double *data, *other; int n; double in[3]; struct { int q; double *r; } inner; } box;
    static void put(box *b) { b->data[0] = 1; }
    void f(box *p, box *q, box *r, box s) {
        put(p); p->inner.r[1] = 2; q->n = 3; q->in[1] = p->other[0]; s.n = 4; memory(r->other);
    }
    """
    (tmp_path / "k.c").write_text("void memory(const double *);\n" + source)
    kernels = {k["name"]: k for k in inspect(tmp_path, None, "k.c")["kernels"]}
    params = {p["name"]: p for p in kernels["f"]["params"]}
    written = {a["name"]: a["writes"] for p in params.values() for a in p["attributes"] if a["writes"] != "no"}
    assert written == {"p.data": "yes", "p.inner": "yes", "q.n": "yes", "q.in": "yes"}
    assert {name: p["writes"] for name, p in params.items()} == {"p": "yes", "q": "yes", "r": "no", "s": "no"}


def test_an_error_in_a_body_makes_that_function_maybe(tmp_path):
    (tmp_path / "k.h").write_text("void f(double *x);\nvoid g(double *x);\nvoid h(double *x);\n")
    (tmp_path / "k.c").write_text(
        '#include "k.h"\nvoid f(double *x)\n{\n    unknown_t t = x[0];\n}\nvoid g(double *x) { }\nvoid h(double *x) { f(x); }\n'
    )
    report = inspect(tmp_path, None, "k.h", "k.c")
    assert {k["name"]: k["params"][0]["writes"] for k in report["kernels"]} == {"f": "maybe", "g": "no", "h": "maybe"}
    (warning,) = report["diagnostics"]
    assert (warning["severity"], warning["file"], warning["line"]) == ("warning", "k.c", 4)


def test_an_error_outside_of_bodies_makes_all_maybe(tmp_path):
    (tmp_path / "k.h").write_text("void f(double *x);\n")
    (tmp_path / "k.c").write_text('#include "nowhere.h"\n#include "k.h"\nvoid f(double *x) { }\n')
    report = inspect(tmp_path, None, "k.h", "k.c")
    assert report["kernels"][0]["params"][0]["writes"] == "maybe"
    assert report["diagnostics"][0]["severity"] == "warning"


def test_old_c_that_compilers_accept(tmp_path):
    (tmp_path / "k.h").write_text("void f(double *x, double *y);\n")
    (tmp_path / "k.c").write_text(
        '#include "k.h"\nstatic count;\nvoid f(double *x, double *y) { undeclared(count); x[0] = y[0]; }\n'
    )
    report = inspect(tmp_path, None, "k.h", "k.c")
    assert report["diagnostics"] == []
    assert [p["writes"] for p in report["kernels"][0]["params"]] == ["yes", "no"]


def test_unused_and_scalar_parameters_cost_nothing(tmp_path):
    found = writes(tmp_path, "void f(int n, double *unused, double *out) { out[0] = n; n = 3; }")
    assert found["f"] == {"unused": "no", "out": "yes"}


def test_a_wide_function(tmp_path):
    """No number of parameters, of arguments or of variables makes anything "no"."""
    n = 300
    params = ", ".join(f"double *p{i}" for i in range(n))
    calls = "".join(f"put{i}({', '.join(f'p{k}' for k in range(n))}); " for i in (0, 127, 128, 129, 255, 256, n - 1))
    helpers = "".join(f"static void put{i}({params}) {{ p{i}[0] = 1; }}\n" for i in (0, 127, 128, 129, 255, 256, n - 1))
    found = writes(tmp_path, f"{helpers}void f({params}) {{ p3[0] = 1; {calls} }}")["f"]
    assert {name for name, state in found.items() if state == "yes"} == {f"p{i}" for i in (0, 3, 127, 128, 129, 255, 256, n - 1)}


def test_many_locals(tmp_path):
    arrays = "".join(f"double a{i}[3]; a{i}[0] = 1; " for i in range(300))
    pointers = "".join(f"double *q{i} = &a{i}[1]; q{i}[0] = 2; " for i in range(300))
    found = writes(tmp_path, f"void f(double *x, double *y) {{ {arrays} {pointers} x[0] = y[0]; }}")["f"]
    assert found["x"] == "yes" and found["y"] == "no"


def test_omp_pragmas_do_not_hide_bodies(tmp_path):
    (tmp_path / "k.c").write_text(
        "void f(int n, double *x, double *y) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) x[i] = y[i];\n}\n"
    )
    (tmp_path / "compile_commands.json").write_text(
        f'[{{"directory": "{tmp_path}", "file": "k.c", "arguments": ["cc", "-fopenmp", "-c", "k.c"]}}]'
    )
    for arguments in ([], ["-p", "."]):
        (kernel,) = inspect(tmp_path, None, "k.c", *arguments)["kernels"]
        assert [p["writes"] for p in kernel["params"]] == ["no", "yes", "no"]
