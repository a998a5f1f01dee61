"""What `init` writes builds, but for its placeholders: over headers of every kind of name and declaration."""

import json
import os
import subprocess
import sys
import sysconfig

import pytest

from front import tool

CORPUS = {
    "reserved words": """
void lambda(int n, double x[n]);
void f(int in, int is, double *class, double *class_, double None, double False_);
int pass(int def, const double del[def], double *out);
void lambda_(double x);
void lambda__(double x);
""",
    "special names": """
void __name__(double x);
double __getattr__(double x);
void __dict__(int n, double x[n]);
void dict_(double x);
void ____(double x);
void __(double x);
""",
    "parameters without names": """
void f(double *, int arg0);
void g(int, int arg0, int arg1, int arg0_, double *);
void h(const double *, double [4], int);
void i(int arg2, int, double);
""",
    "strings": """
void f(const char *name, int n, double x[n]);
const char *g(const char *name, const char *, char letter, char *buffer);
void h(const char *const restrict lambda);
""",
    "scalars behind pointers": """
static inline void f(int n, double *result) { if (result) *result = n; }
static inline void g(double *x) { *x += 1; }
static inline void h(const double *x, double *y) { *y = *x; }
static inline void fill(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }
static inline void maybe(int n, double *x) { if (x != 0) for (int i = 0; i < n; i++) x[i] += n; }
""",
    "void and structures": """
struct point { double x, y; };
void f(void *p, const void *q, long n);
void g(struct point p, struct point *q);
void h(double (*callback)(double), double x);
int printf_like(const char *format, ...);
enum colour { RED, GREEN };
enum colour i(enum colour c, enum colour *all);
""",
    "extents": """
#define N 4
enum { M = 3 };
void f(double a[N][M], int n, double b[n][2 * n + 1], double (*c)[N], const float d[static 3]);
typedef double vector[3];
void g(vector v, const vector *w, int n, double x[n + N]);
""",
    "types": """
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
void f(bool a, int8_t b, uint64_t c, size_t d, long double e, double complex f, float complex *g, unsigned char *h, long long i);
bool g(const bool *x, size_t n, uint16_t lambda[n]);
""",
    "names of the wrapper": """
#define name 3
#define kind call
typedef enum { false, true } bool;
bool f(int bool, int int32_t, double *args, double *nargs, int module, int result);
double pkw_f(double pkw_x, double self);
void g(double x[name]);
""",
}


def filled(manifest):
    """Placeholders replaced as a user would."""
    for kernel in manifest["kernels"].values():
        for name, param in kernel.get("params", {}).items():
            if str(param.get("shape", "")).startswith("TODO"):
                param["shape"] = [None, None] if name in ("c", "w") else [None]  # those two are declared with two extents
            if str(param.get("dtype", "")).startswith("TODO"):
                param["dtype"] = "float64"
    return manifest


@pytest.mark.parametrize("kind, header", [(kind, "kernels.h") for kind in CORPUS]
                         + [("types", header) for header in ["numpy.h", "class.h", "2-d.h"]])
def test_what_init_writes_builds(tmp_path, kind, header):
    (tmp_path / header).write_text(CORPUS[kind])
    done = tool("init", "-q", header, "-D", "UNUSED", "-D", "TWICE(x)=2*(x)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "m.json").write_text(json.dumps(filled(json.loads(done.stdout))))
    done = tool("generate", "--python", sys.executable, "m.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (source,) = tmp_path.glob("*_wrap.c")
    include = os.path.abspath(os.path.join(os.environ["PKWRAP_BUILD"], "python/pkwrap/include"))
    command = ["gcc", "-fsyntax-only", f"-I{include}", "-isystem", sysconfig.get_path("include")]
    done = subprocess.run([*command, source.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
