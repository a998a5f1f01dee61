"""What the front end makes of C types: F48 to F50, F52, F54, F55 of man/failures.md, and every kind of declaration."""

import ctypes

import pytest

from front import inspect, kernels, params

INCLUDES = "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <sys/types.h>\n#include <time.h>\n"

SCALARS = {
    "_Bool": "bool",
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "long": f"int{8 * ctypes.sizeof(ctypes.c_long)}",
    "unsigned long": f"uint{8 * ctypes.sizeof(ctypes.c_long)}",
    "long long": "int64",
    "unsigned long long": "uint64",
    "int8_t": "int8",
    "uint16_t": "uint16",
    "int32_t": "int32",
    "uint64_t": "uint64",
    "float": "float32",
    "double": "float64",
    "long double": "longdouble",
    "float _Complex": "complex64",
    "double _Complex": "complex128",
    "long double _Complex": "clongdouble",
}


@pytest.mark.parametrize("ctype", SCALARS)
def test_F52_scalars_and_elements(tmp_path, ctype):
    found = params(tmp_path, f"void f({ctype} s, const {ctype} t, {ctype} a[4], const {ctype} b[4]);", before=INCLUDES)
    assert [found[name]["dtype"] for name in "stab"] == [SCALARS[ctype]] * 4
    assert [found[name]["kind"] for name in "stab"] == ["scalar", "scalar", "array", "array"]
    assert [found[name]["const"] for name in "stab"] == [False, False, False, True]


def test_F54_sizes_of_the_platform(tmp_path):
    found = params(
        tmp_path,
        "void f(size_t a, ssize_t b, ptrdiff_t c, time_t d, uintptr_t e, wchar_t g);",
        before=INCLUDES,
    )
    bits = 8 * ctypes.sizeof(ctypes.c_size_t)
    assert [found[name]["dtype"] for name in "abcde"] == [f"uint{bits}", f"int{bits}", f"int{bits}", f"int{bits}", f"uint{bits}"]


def test_F54_enums_have_the_sign_that_the_compiler_gives_them(tmp_path):
    before = "enum plain { A, B = 7 }; typedef enum { C = -1, D } signed_one; typedef enum { E = 0x80000000u } big;"
    found = params(tmp_path, "void f(enum plain p, signed_one s, big b, enum plain *q);", before=before)
    assert [found[name]["dtype"] for name in "psbq"] == ["uint32", "int32", "uint32", "uint32"]


@pytest.mark.parametrize(
    "declaration, word",
    [
        ("void bad(__int128 x);", "element type"),
        ("void bad(__int128 *x);", "element type"),
        ("void bad(_Complex int *x);", "element type"),
        ("void bad(_Float16 _Complex *x);", "element type"),
        ("void bad(_Float16 x);", "16-bit"),
        ("void bad(_Atomic int *x);", "element type"),
        ("typedef int v4 __attribute__((vector_size(16))); void bad(v4 *x);", "element type"),
        ("struct s { int a; }; void bad(struct s x);", "by value"),
        ("struct s { int a; }; void bad(struct s *x);", "structures"),
        ("void bad(struct opaque *x);", "structures"),
        ("union u { int a; }; void bad(union u *x);", "unions"),
        ("void bad(double **x);", "pointers to pointers"),
        ("void bad(const char *const *x);", "pointers to pointers"),
        ("void bad(void (*x)(int));", "function pointers"),
        ("void bad(double x(double));", "function pointers"),
        ("void bad(const char *x, ...);", "variable number"),
        ("void bad();", "prototype"),
        ("double *bad(void);", "returned pointers"),
        ("char *bad(void);", "returned pointers"),
        ("struct s { int a; }; struct s bad(void);", "by value"),
        ("double f(int n); void bad(double x[(int)sizeof(int) * (n_of(3))]);", None),
    ],
)
def test_F52_what_cannot_be_wrapped_is_listed_and_stops_nothing(tmp_path, declaration, word):
    if word is None:
        declaration, word = "int n_of(int); void bad(int n, double x[3][n_of(n)]);", "extents"
    found = kernels(tmp_path, declaration + "\nvoid good(int n, double x[n]);\n")
    assert word in found["bad"]["reason"]
    assert found["bad"]["wrappable"] is False and found["bad"]["python"] is None
    assert found["good"]["wrappable"] is True and found["good"]["reason"] is None


def test_F26_half_precision_elements(tmp_path):
    found = params(tmp_path, "void f(_Float16 *h, const __bf16 *b);")
    assert (found["h"]["dtype"], found["b"]["dtype"]) == ("float16", "bfloat16")


# The const of an array parameter sits on the array in some versions of clang, on the element in others.
@pytest.mark.parametrize(
    "declarator",
    [
        "const double x[]",
        "const double x[3]",
        "double const x[static 3]",
        "const double *x",
        "const double *restrict x",
        "const vec3 x",
        "vec3 const x",
        "const_vec3 x",
        "const vec3 x[]",
        "const_double *x",
        "const_double x[2][3]",
        "const mat x",
        "const double (*x)[3]",
        "const double x[n][2 * n]",
        "const row *x",
        "pointer_to_const x",
    ],
)
def test_F49_const_is_never_lost(tmp_path, declarator):
    before = (
        "typedef double vec3[3]; typedef const vec3 const_vec3; typedef const double const_double; typedef double mat[3][3];"
        "typedef vec3 row; typedef const double *pointer_to_const;"
    )
    found = params(tmp_path, f"void f(int n, {declarator});", before=before)["x"]
    assert (found["kind"], found["dtype"], found["const"], found["writes"]) == ("array", "float64", True, "no")
    assert [e["text"] for e in found["evidence"]] == ["const"]


@pytest.mark.parametrize(
    "declarator", ["vec3 x", "double x[const 3]", "double *const x", "pointer x", "const pointer x", "vec3 *x"]
)
def test_F49_const_of_the_parameter_itself_protects_nothing(tmp_path, declarator):
    before = "typedef double vec3[3]; typedef double *pointer;"
    found = params(tmp_path, f"void f(int n, {declarator});", before=before)["x"]
    assert (found["kind"], found["const"], found["writes"]) == ("array", False, "maybe")


@pytest.mark.parametrize(
    "declarator, shape",
    [
        ("double x[n][m]", ["n", "m"]),
        ("double x[restrict n]", ["n"]),
        ("double x[static n][2 * m + 1]", ["n", "2*m+1"]),
        ("double x[][3][m][5]", [None, "3", "m", "5"]),
        ("double (*x)[4]", [None, "4"]),
        ("double (*x)[n]", [None, "n"]),
        ("double x[static 3]", ["3"]),
        ("double x[N][4]", ["N", "4"]),
        ("double x[N + 1][ENUMERATOR]", ["8", "ENUMERATOR"]),
        ("double x[n][N]", ["n", "N"]),
        ("double x[TWICE(n)][m]", ["((n)*2)", "m"]),
        ("double x[n - 1][-(m - 8)]", ["n-1", "-(m-8)"]),
        ("double x[(size_t)n * m / 2 % 5]", ["n*m/2%5"]),
        ("double x[n * sizeof(int)]", ["n*4"]),
        ("double x[n + 0][m * 1 - 0]", ["n", "m"]),
        ("vec3 x[n]", ["n", "3"]),
        ("vec3 *x", [None, "3"]),
        ("double x[*]", [None]),
        ("double x[]", [None]),
        ("double *x", None),
        ("double x[2L * n + ENUMERATOR]", ["2*n+ENUMERATOR"]),
        ("double x[n * 010][0x10]", ["n*8", "16"]),
    ],
)
def test_F50_extents(tmp_path, declarator, shape):
    before = "#include <stddef.h>\n#define N 7\n#define TWICE(n) ((n) * 2)\nenum { ENUMERATOR = 3 }; typedef double vec3[3];"
    found = params(tmp_path, f"void f(int n, int m, {declarator});", before=before)["x"]
    assert (found["kind"], found["dtype"], found["shape"]) == ("array", "float64", shape)
    assert found["rank"] == (None if shape is None else len(shape))


def test_F50_elements_keep_their_typedef_out_of_the_dtype(tmp_path):
    found = params(tmp_path, "void f(int n, real x[n], const real (*y)[3], real z);", before="typedef float real;")
    assert [found[name]["dtype"] for name in "xyz"] == ["float32"] * 3


def test_void_pointers_have_no_dtype(tmp_path):
    found = params(tmp_path, "void f(const void *alpha, void *c);")
    assert [(p["kind"], p["dtype"], p["const"], p["writes"]) for p in found.values()] == [
        ("array", None, True, "no"),
        ("array", None, False, "maybe"),
    ]


def test_strings(tmp_path):
    found = params(tmp_path, "void f(const char *s, const char t[], char *u, const char v[8], const signed char *w);")
    assert [found[name]["kind"] for name in "stuvw"] == ["string", "string", "array", "array", "array"]
    assert [found[name]["dtype"] for name in "uvw"] == ["int8"] * 3


def test_results(tmp_path):
    header = "void v(void); double d(void); const char *s(void); enum e { A } en(void); unsigned long long u(void);"
    found = {name: kernel["returns"] for name, kernel in kernels(tmp_path, header).items()}
    assert found["v"] is None
    assert [found[n]["dtype"] for n in ("d", "en", "u")] == ["float64", "uint32", "uint64"]
    assert found["s"]["kind"] == "string"


def test_unnamed_parameters(tmp_path):
    found = params(tmp_path, "void f(int, double[], const float *, int named);")
    assert list(found) == ["arg0", "arg1", "arg2", "named"]
    assert [p["position"] for p in found.values()] == [0, 1, 2, 3]


def test_F48_a_name_that_is_no_type(tmp_path):
    report = inspect(tmp_path, "\nvoid f(const size_t);\n", status=1)
    (finding,) = report["diagnostics"]
    assert (finding["severity"], finding["file"], finding["line"]) == ("error", "kernels.h", 2)
    assert report["kernels"] == []


def test_F48_implicit_int_is_an_error_in_old_standards_too(tmp_path):
    (tmp_path / "compile_commands.json").write_text(
        f'[{{"directory": "{tmp_path}", "file": "k.c", "arguments": ["cc", "-std=c89", "-c", "k.c"]}}]'
    )
    report = inspect(tmp_path, "void f(const size_t);\n", "-p", ".", status=1)
    assert "implicit" in report["diagnostics"][0]["text"] or "type specifier" in report["diagnostics"][0]["text"]


F55 = """
struct record {
    union { int i; float f; };
    union { struct { double x, y; }; double xy[2]; };
    int flags : 3;
    int : 5;
    unsigned : 0;
    unsigned mask : 7;
    struct { int q; } in;
    double *data;
};
typedef struct record record;
typedef struct record record;
typedef record twice;
#define WINAPI __stdcall
void WINAPI windows(int n);
__attribute__((deprecated("old"), unknown_to_clang)) void old(int n) __asm__("new_name");
void takes(const twice *r, record *w);
void closer(double *p);
int opener(double *p) __attribute__((__malloc__(closer), __nonnull__(1)));
void good(int n, double x[n]);
"""


def test_F55_odd_declarations_do_not_disturb_the_others(tmp_path):
    found = kernels(tmp_path, F55)
    assert list(found) == ["windows", "old", "takes", "closer", "opener", "good"]
    assert [name for name, kernel in found.items() if not kernel["wrappable"]] == ["takes"]
    (const, written) = found["takes"]["params"]
    names = ["i", "f", "x", "y", "xy", "flags", "mask", "in", "data"]
    assert [a["name"] for a in const["attributes"]] == ["r." + name for name in names]
    # Through a const record only what it points to may be written.
    assert [a["name"] for a in const["attributes"] if a["writes"] != "no"] == ["r.data"]
    assert {a["writes"] for a in written["attributes"]} == {"maybe"}
    assert (const["writes"], written["writes"]) == ("maybe", "maybe")
    assert [a["name"] for a in const["attributes"][7]["attributes"]] == ["r.in.q"]
