"""What bodies prove besides writes: overwritten arrays, extents, scalars behind pointers, optional and unused pointers."""

import json

import pytest

from front import inspect, tool


def params(folder, source, header=None):
    """The parameters of the source's (or header's) one function f, by name."""
    (folder / "k.c").write_text(source)
    arguments = ["k.c"]
    if header is not None:
        (folder / "k.h").write_text(header)
        arguments = ["k.h", "k.c"]
    kernels = {kernel["name"]: kernel for kernel in inspect(folder, None, *arguments)["kernels"]}
    return {param["name"]: param for param in kernels["f"]["params"]}


HELPERS = """
static void fill(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = 0; }
static void fill_rows(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i; }
static void add(int n, double x[n], const double y[n]) { for (int i = 0; i < n; i++) x[i] += y[i]; }
static void both(int n, double x[n], double y[n]) { for (int i = 0; i < n; i++) { x[i] = y[i]; } }
void unknown(double *); int test(void);
"""


# Of `void f(int n, int m, int k, double x[n], double a[n][m], double y[n])`: is x, or a, overwritten?
OVERWRITTEN = [
    ("x", "for (int i = 0; i < n; i++) x[i] = y[i];"),
    ("x", "for (int i = 0; i <= n - 1; ++i) x[i] = 0;"),
    ("x", "for (int i = n - 1; i >= 0; i--) x[i] = 0;"),
    ("x", "for (int i = n; i > 0; i--) x[i - 1] = 0;"),
    ("x", "int i; for (i = 0; i < n; i += 1) { x[i] = 0; x[i] += y[i]; }"),
    ("x", "for (int i = 0; n > i; i = i + 1) x[n - 1 - i] = 0;" if False else "for (int i = 0; n > i; i = i + 1) x[i] = 0;"),
    ("x", "for (int i = 1; i <= n; i++) x[i - 1] = 0; x[0] = x[1];"),
    ("x", "for (int i = 0; i < n; i++) { if (test()) x[i] = 1; else x[i] = 2; }"),
    ("x", "for (int i = 0; i < n; i++) { x[i] = 0; for (int j = 0; j < m; j++) x[i] += a[i][j]; }"),
    ("x", "for (int i = 0; i < n; i++) { x[i] = y[i]; for (int j = 0; j < i; j++) x[i] -= x[j]; }"),
    ("x", "for (int i = n - 1; i >= 0; i--) { double s = 0; for (int j = i + 1; j < n; j++) s += x[j]; x[i] = s; }"),
    ("x", "x[0] = 1; for (int i = 1; i < n; i++) x[i] = x[i - 1] + y[i];"),
    ("x", "for (int i = 0; i < n - 1; i++) x[i] = 1; x[n - 1] = 2; unknown(x);"),
    ("x", "fill(n, x); x[0] += 1;"),
    ("x", "both(n, x, y); add(n, x, y);"),
    ("a", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x[i];"),
    ("a", "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) a[i][j] = 0;"),
    ("a", "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { a[i][j] = 0; a[i][j] += a[i][j]; } }"),
    ("a", "for (int i = 0; i < n; i++) { a[i][0] = 1; for (int j = 1; j < m; j++) a[i][j] = a[i][j - 1]; }"),
    ("a", "fill_rows(n, m, a); for (int i = 0; i < n; i++) a[i][i] += 1;"),
    ("x", "if (k) { fill(n, x); } else for (int i = 0; i < n; i++) x[i] = 1;"),
    ("x", "for (int i = 0; i < n; i++) x[i] = 0; for (int t = 0; t < k; t++) for (int i = 1; i < n; i++) x[i] += x[i - 1];"),
    ("x", "for (long i = 0; i < (long)n; i++) x[i] = 0;"),
]


@pytest.mark.parametrize("name, body", OVERWRITTEN)
def test_overwritten(tmp_path, name, body):
    found = params(tmp_path, f"{HELPERS}void f(int n, int m, int k, double x[n], double a[n][m], double y[n]) {{ {body} }}\n")
    assert {p for p in found if found[p]["overwritten"]} == {name}


# Not all of x and a is stored before any of it is read; each for a reason of its own.
@pytest.mark.parametrize(
    "body",
    [
        "",
        "x[0] = 1;",
        "for (int i = 0; i < n; i++) x[i] += y[i];",
        "for (int i = 0; i < n; i++) x[i] = 2 * x[i];",
        "for (int i = 0; i < n - 1; i++) x[i] = 0;",
        "for (int i = 1; i < n; i++) x[i] = 0;",
        "for (int i = 0; i < n; i += 2) x[i] = 0;",
        "for (int i = 0; i < n; i++) if (y[i] > 0) x[i] = 0;",
        "if (k) for (int i = 0; i < n; i++) x[i] = 0;",
        "if (k) return; for (int i = 0; i < n; i++) x[i] = 0;",
        "for (int i = 0; i < n; i++) { if (y[i] > 0) break; x[i] = 0; }",
        "for (int i = 0; i < n; i++) { if (y[i] > 0) continue; x[i] = 0; }",
        "for (int i = 0; i < n; i++) { if (y[i] > 0) return; x[i] = 0; }",
        "for (int i = 0; i < m; i++) x[i] = 0;",
        "for (int i = 0; i < n; i++) x[0] = i;",
        "for (int i = 0; i < n; i++) x[i / 2] = i;",
        "for (int i = 0; i < n; i++) { x[i] = 0; i++; }",
        "int *p = &k; for (k = 0; k < n; k++) { *p += 1; x[k] = 0; }",
        "n--; for (int i = 0; i < n; i++) x[i] = 0;",
        "int i = 0; while (i < n) x[i++] = 0;",
        "double *p = x; for (int i = 0; i < n; i++) x[i] = p[n - 1 - i];",
        "unknown(x); for (int i = 0; i < n; i++) x[i] = 0;",
        "double s = x[0]; for (int i = 0; i < n; i++) x[i] = s;",
        "for (int i = 0; i < n; i++) x[i] = i + 1 < n ? x[i + 1] : 0;",
        "for (int i = n - 1; i >= 0; i--) x[i] = i ? x[i - 1] : 0;",
        "for (int t = 0; t < k; t++) for (int i = 0; i < n; i++) x[i] = 0;",
        "for (int t = 0; t < 1; t++) { for (int i = 0; i < n; i++) if (t) x[i] = 0; }",
        "k && (x[0] = 1); for (int i = 1; i < n; i++) x[i] = 0;",
        "switch (k) { case 0: for (int i = 0; i < n; i++) x[i] = 0; }",
        "again: for (int i = 0; i < n; i++) x[i] = 0; if (k--) goto again;",
        "x++; for (int i = 0; i < n; i++) x[i] = 0;",
        "fill(m, x);",
        "fill(n - 1, x);",
        "both(n, x, x);",
        "add(n, x, y);",
        "for (int i = 0; i < n; i++) fill(i, x);",
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i][j] = 0;",
        "for (int i = 0; i < n; i++) a[i][i] = 0;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 0;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (j) a[i][j - 1] = a[i][j]; a[i][j] = 0; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i ? a[i - 1][m - 1 - j] : a[0][m - 1];",
        "fill_rows(m, n, (double (*)[n])a);",
        "fill_rows(n, n, (double (*)[n])a);",
        "fill(n * m, a[0]);",
        "for (int i = 0; i < n; i++) fill(m, a[i]);",
        "for (char c = 0; c < n; c++) x[(signed char)(c + 1)] = 0;",
    ],
)
def test_not_overwritten(tmp_path, body):
    source = f"{HELPERS}void f(int n, int m, int k, double x[n], double a[n][m], double y[n]) {{ {body} }}\n"
    found = params(tmp_path, source)
    assert [p for p in found if found[p]["overwritten"]] == []


def test_overwritten_is_said_of_the_declared_shape(tmp_path):
    source = '#include "k.h"\nvoid f(int n, int m, double x[n]) { for (int i = 0; i < n; i++) x[i] = 0; }\n'
    assert params(tmp_path, source, "void f(int n, int m, double x[n]);\n")["x"]["overwritten"]
    assert params(tmp_path, source, "void f(int n, int m, double *x);\n")["x"]["overwritten"]
    assert not params(tmp_path, source, "void f(int n, int m, double x[m]);\n")["x"]["overwritten"]
    assert not params(tmp_path, source, "void f(int n, int m, double x[n + 1]);\n")["x"]["overwritten"]
    # Other names for the sizes: nobody can tell whether they are the same ones.
    assert not params(tmp_path, source, "void f(int m, int n, double x[n]);\n")["x"]["overwritten"]


@pytest.mark.parametrize(
    "body, shape",
    [
        ("for (int i = 0; i < n; i++) x[i] = 0;", ["n"]),
        ("for (int i = 0; i < n; i++) if (i > 2) x[i] = x[i - 1 + 1];", ["n"]),
        ("for (int i = n - 1; i >= 0; i--) s += x[i];", ["n"]),
        ("for (int i = 1; i < n - 1; i++) s += x[i - 1] + x[i + 1];", ["n"]),
        ("for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s += x[j];", ["n"]),
        ("for (int i = 0; i < n; i++) { if (s) break; x[i] = 0; }", ["n"]),
        ("if (n > 0) for (int i = 0; i < n; i++) x[n - 1 - i] = 0;", ["n"]),
        ("helper(n, x);", ["n"]),
        ("helper(m, x);", ["m"]),
        # Not proven, so not said.
        ("for (int i = 1; i < n - 1; i++) s += x[i];", None),
        ("for (int i = 0; i < n; i++) s += x[i - 1];", None),
        ("for (int i = 0; i <= n; i++) s += x[i];", None),
        ("for (int i = 0; i < n; i++) s += x[2 * i];", None),
        ("for (int i = 0; i < n; i++) s += x[i * m];", None),
        ("for (int i = 0; i < n; i++) s += x[i]; s += x[m];", None),
        ("for (int i = 0; i < n; i++) s += x[i]; s += x[0];", None),
        ("for (int i = 0; i < n; i++) s += x[i]; unknown(x);", None),
        ("for (int i = 0; i < n; i++) s += x[i]; unknown(&x[n - 1]);", None),
        ("double *p = x; for (int i = 0; i < n; i++) s += x[i];", None),
        ("n = 2 * n; for (int i = 0; i < n; i++) s += x[i];", None),
        ("for (int i = 0; i < n; i++) { s += x[i]; i += m; }", None),
        ("x += 3; for (int i = 0; i < n; i++) s += x[i];", None),
        ("int i = 0; while (s > 0) s += x[i++];", None),
        ("helper(n + 1, x);", None),
    ],
)
def test_proven_extents(tmp_path, body, shape):
    source = (
        "void unknown(double *); static void helper(int k, double *p) { for (int i = 0; i < k; i++) p[i] = 1; }\n"
        f"double f(int n, int m, double *x, double s) {{ {body} return s; }}\n"
    )
    assert params(tmp_path, source)["x"]["shape"] == shape


def test_extents_that_only_the_definition_has(tmp_path):
    source = '#include "k.h"\nvoid f(int n, int m, double a[n][m]) { a[0][0] = 1; }\n'
    assert params(
        tmp_path, source, "void f(int n, int m, double a[*][*]);\n" if False else "void f(int n, int m, double (*a)[m]);\n"
    )["a"]["shape"] == ["n", "m"]


@pytest.mark.parametrize(
    "body, rank, overwritten",
    [
        ("*x = n;", 0, True),
        ("x[0] = n;", 0, True),
        ("*x += n;", 0, False),
        ("n = *x;", 0, False),
        ("if (n) *x = 1;", 0, False),
        ("if (n) { *x = 1; return; } *x = 2;", 0, True),
        ("if (x) *x = 1;", 0, False),
        ("x[1] = n;", None, False),
        ("*x++ = n;", None, False),
        ("x[n] = n;", None, False),
        ("unknown(x);", None, False),
        ("int *p = x; *p = 1;", None, False),
    ],
)
def test_one_scalar_behind_a_pointer(tmp_path, body, rank, overwritten):
    found = params(tmp_path, f"void unknown(int *); void f(int n, int *x) {{ {body} }}\n")["x"]
    assert (found["rank"], found["overwritten"]) == (rank, overwritten)
    assert found["shape"] == ([] if rank == 0 else None)


def test_init_writes_what_bodies_prove(tmp_path):
    (tmp_path / "k.h").write_text(
        "double f(int n, const double *x, double *y, int *info, const double *alpha, double *maybe, double *open);\n"
    )
    (tmp_path / "k.c").write_text(
        '#include "k.h"\ndouble f(int n, const double *x, double *y, int *info, const double *alpha, double *maybe, double *open)\n'
        "{\n    *info = 0;\n    for (int i = 0; i < n; i++)\n        y[i] = *alpha * x[i];\n    if (maybe != 0)\n"
        "        for (int i = 0; i < n; i++)\n            maybe[i] += x[i];\n    return open[2];\n}\n"
    )
    done = tool("init", "k.h", "k.c", cwd=tmp_path)
    kernel = json.loads(done.stdout)["kernels"]["f"]
    assert kernel["outputs"] == ["y", "info", "maybe"]
    params = kernel["params"]
    assert params["x"] == {"shape": ["n"]}
    assert params["y"] == {"shape": ["n"], "overwritten": True}
    assert params["info"] == {"shape": [], "overwritten": True}
    assert params["alpha"] == {"shape": []}
    assert params["maybe"]["nullable"] is True
    assert params["open"]["shape"].startswith("TODO")
