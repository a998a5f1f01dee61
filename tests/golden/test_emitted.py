"""Single promises of the generated C, each with the input that would break it."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import golden

PACKAGE = Path(os.environ["PKWRAP_BUILD"]).resolve() / "python/pkwrap"


def compile_wrap(source, *include):
    command = ["gcc", "-fsyntax-only", *(f"-I{folder}" for folder in include), f"-I{PACKAGE}/include"]
    return subprocess.run(
        [*command, "-isystem", sysconfig.get_path("include"), str(source)], capture_output=True, text=True
    )


def generate(tmp_path, header, kernels, **more):
    (tmp_path / "k.h").write_text(header)
    (tmp_path / "k.json").write_text(json.dumps({"module": "k", "headers": ["k.h"], "kernels": kernels, **more}))
    done = golden.generate("k.json", tmp_path, tmp_path)
    assert done.returncode == 0, done.stderr
    return (tmp_path / "k_wrap.c").read_text()


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("typedef double real;", "typedef float real;", "real is not float64"),
        ("typedef enum { LOW = -1, HIGH = 1 } level;", "typedef enum { LOW = 1, HIGH = 2 } level;", "level is not int32"),
        ("#include <time.h>", "typedef int time_t_;\n#define time_t time_t_", "time_t is not int64"),
        ("#include <stddef.h>", "#include <stddef.h>\n#define size_t int", "size_t is not uint64"),
    ],
)
def test_F54_sizes_and_signs_are_checked_again_by_the_compiler(tmp_path, old, new, complaint):
    """The header that is compiled is another one than was read: nothing may be passed as what it is not."""
    data = golden.ROOT.parent / "runtime/data"
    header = (data / "scalar_types.h").read_text()
    assert golden.generate(data / "scalar_types.json", tmp_path).returncode == 0
    source = tmp_path / "scalar_types_wrap.c"
    (tmp_path / "scalar_types.h").write_text(header)
    assert compile_wrap(tmp_path / source.name, tmp_path).returncode == 0
    assert old in header
    (tmp_path / "scalar_types.h").write_text(header.replace(old, new))
    done = compile_wrap(tmp_path / source.name, tmp_path)
    assert done.returncode != 0
    assert complaint in done.stderr


def test_F46_a_module_of_thread_safe_kernels_says_so_in_its_definition(tmp_path):
    header = "void f(double x);\nvoid g(double x);\n"
    slot = "{Py_mod_gil, Py_MOD_GIL_NOT_USED},"
    one = generate(tmp_path, header, {"f": {"thread_safe": True}, "g": {}})
    assert slot not in one
    both = generate(tmp_path, header, {"f": {"thread_safe": True}, "g": {"thread_safe": True}})
    definition = both.split("module__slots[] = {")[1].split("};")[0]
    assert f"#ifdef Py_mod_gil\n    {slot}\n#endif" in definition
    assert compile_wrap(tmp_path / "k_wrap.c", tmp_path).returncode == 0


def test_F46_only_kernels_that_are_not_thread_safe_look_for_others(tmp_path):
    text = generate(tmp_path, "void f(double x);\nvoid g(double x);\n", {"f": {"thread_safe": True}, "g": {}})
    assert "pkw_fast_idle(pkwrap, NULL)" in text.split("f__wrapper")[1].split("g__wrapper")[0]
    assert "pkw_fast_idle(pkwrap, &module__state)" in text.split("g__wrapper")[1]


def test_F51_a_static_inline_kernel_needs_no_symbol(tmp_path):
    header = "static inline double f(double x) { return 2 * x; }\n"
    generate(tmp_path, header, {"f": {}})
    subprocess.run(
        [golden.TOOL, "build", "-q", "--python", sys.executable, "k.json"], cwd=tmp_path, check=True
    )
    assert "(*)(void))f" not in (tmp_path / ".pkwrap/k/probe.c").read_text()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_F50_declarators_of_every_kind_compile(tmp_path, compiler):
    header = """
#define N 3
typedef double vec3[3];
void f(int n, int m, double a[n][m], double b[N][4], double (*c)[4], double d[static 3], vec3 e, const vec3 g,
       int w, int x[][3][w][5], double (*h)[n][m], volatile double *i, double *const restrict j);
"""
    free = {name: {"shape": shape} for name, shape in {
        "c": ["n", "4"], "x": ["n", "3", "w", "5"], "h": ["2", "n", "m"], "i": ["n"], "j": ["n"]}.items()}
    generate(tmp_path, header, {"f": {"params": free}})
    done = subprocess.run(
        [compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{PACKAGE}/include", "-isystem",
         sysconfig.get_path("include"), "k_wrap.c"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_absolute_path_of_a_header_gets_into_the_source(tmp_path):
    (tmp_path / "inc").mkdir()
    header = tmp_path / "inc" / "far.h"
    header.write_text("void f(double x);\n")
    (tmp_path / "k.json").write_text(json.dumps({"module": "k", "headers": [str(header)], "kernels": {"f": {}}}))
    done = golden.generate("k.json", tmp_path / "out", tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "k_wrap.c").read_text()
    assert str(tmp_path) not in text
    assert '#include "far.h"' in text and "/* far.h:1: " in text


def build_and_call(tmp_path, header, source, kernels, call, **more):
    (tmp_path / "k.h").write_text(header)
    (tmp_path / "k.c").write_text(source)
    manifest = {"module": "k", "headers": ["k.h"], "sources": ["k.c"], "kernels": kernels, **more}
    (tmp_path / "k.json").write_text(json.dumps(manifest))
    done = subprocess.run([golden.TOOL, "build", "-q", "--python", sys.executable, "k.json"], cwd=tmp_path, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([sys.executable, "-c", "import numpy as np, k; " + call], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


LEVELS = "typedef enum { false, true } bool;\nbool above(int n, const double *x, double level, bool strict);\n"


def test_a_header_that_compiles_alone_compiles_in_the_wrapper(tmp_path):
    """It comes first: what Python's headers and ours define is not there yet."""
    source = """
#include "k.h"
bool above(int n, const double *x, double level, bool strict)
{
    for (int i = 0; i < n; i++)
        if (x[i] > level || (!strict && x[i] == level))
            return true;
    return false;
}
"""
    kernels = {"above": {"outputs": [], "params": {"x": {"shape": ["n"]}}}}
    assert build_and_call(tmp_path, LEVELS, source, kernels, "print(k.above(np.ones(3), 1.0, 0), k.above(np.ones(3), 1.0, 1))") \
        == "1 0\n"


def test_parameters_may_have_the_names_of_types(tmp_path):
    header = "void f(int bool, int int32_t, long size_t, double *PyObject);\n"
    source = header + "void f(int bool, int int32_t, long size_t, double *PyObject) " \
                      "{ PyObject[0] = bool + 10 * int32_t + 100 * size_t; }\n"
    kernels = {"f": {"outputs": ["PyObject"], "params": {"PyObject": {"shape": ["int32_t"]}}}}
    assert build_and_call(tmp_path, header, source, kernels, "x = np.zeros(2); k.f(1, 3, x); print(x[0])") == "321.0\n"


WORDS = """name kind call run state params flags shape value ptr f64 i32 data args nargs kwnames module result bad self
abi size descr dimensions s n text ops code restrict_ api object array type real imag cval in_flight watching calls next
ob_type tp_name m_name digits wide overflow item items tuple x a b""".split()


@pytest.mark.parametrize("worth", ["17", "(no such thing)", "double", ""])
def test_macros_of_a_header_do_not_reach_what_is_generated(tmp_path, worth):
    header = "int sum(int n, const int *values, long *where);\n" + "".join(f"#define {word} {worth}\n" for word in WORDS)
    header += "".join(f"#  define {letter} {worth}\n" for letter in "NTXI")
    header += "#define last(p) ((p)[0]\n#define inline\n#define static\n"
    source = """
int sum(int n, const int *values, long *where)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += values[i];
    *where = n;
    return all;
}
"""
    kernels = {"sum": {"outputs": ["where"], "params": {"values": {"shape": ["n"]}, "where": {"shape": [], "overwritten": True}}}}
    call = "print(k.sum(np.arange(4, dtype=np.int32)), k.sum(values=np.arange(4, dtype=np.int32)))"
    assert build_and_call(tmp_path, header, source, kernels, call) == "(6, 4) (6, 4)\n"


def test_a_macro_that_sizes_are_declared_with_may_have_any_name(tmp_path):
    header = "#define name 3\n#define real double\ntypedef real number;\nvoid f(number *x, number *last);\n"
    source = '#include "k.h"\nvoid f(number *x, number *last) { x[name - 1] = 5; *last = x[2]; }\n'
    kernels = {"f": {"outputs": ["x", "last"], "params": {"x": {"shape": ["name"]}, "last": {"shape": [], "overwritten": True}}}}
    assert build_and_call(tmp_path, header, source, kernels, "print(k.f(np.zeros(3)))") == "5.0\n"
    text = generate(tmp_path, header, kernels)
    (tmp_path / "k.h").write_text(header.replace("name 3", "name 4"))
    done = compile_wrap(tmp_path / "k_wrap.c", tmp_path)
    assert done.returncode != 0 and "name has changed: run pkwrap again" in done.stderr
    assert "#undef real" in text


def test_macros_of_the_flags_do_not_reach_it_either(tmp_path):
    header = "void f(int n, real *x);\n"
    source = '#include "k.h"\nvoid f(int n, real *x) { x[n - 1] = 5; }\n'
    kernels = {"f": {"outputs": ["x"], "params": {"x": {"shape": ["n"]}}}}
    more = {"compile": {"defines": {"real": "double"}, "flags": ["-D", "imag=float"]}}
    assert build_and_call(tmp_path, header, source, kernels, "x = np.zeros(2); k.f(x); print(x[1])", **more) == "5.0\n"


@pytest.mark.parametrize("standard", ["c99", "c11", "gnu99", "c17", "c2x"])
@pytest.mark.parametrize("include", ["stdio.h", "stdbool.h", "complex.h", "math.h", "pthread.h"])
def test_the_standard_and_what_headers_include_are_theirs(tmp_path, standard, include):
    header = f"#include <{include}>\n#ifndef bool\n#define bool int\n#define true 1\n#define false 0\n#endif\n"
    header += "void f(int n, double *x);\n"
    generate(tmp_path, header, {"f": {"outputs": ["x"], "params": {"x": {"shape": ["n"]}}}})
    command = ["gcc", f"-std={standard}", "-fsyntax-only", f"-I{PACKAGE}/include", "-isystem", sysconfig.get_path("include"),
               "k_wrap.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_results_come_in_the_order_of_c_whether_arrays_or_scalars(tmp_path):
    """And a scalar that only comes out is not in the signature, one that goes in and out is."""
    header = "int f(int n, double *made, int *count, double *more, double *level);\n"
    source = header + "int f(int n, double *made, int *count, double *more, double *level)\n" \
        "{ for (int i = 0; i < n; i++) made[i] = more[i] = i; *count = n; *level += 1; return 7; }\n"
    made = {"shape": ["n"], "create": True, "overwritten": True}
    params = {"made": made, "count": {"shape": [], "overwritten": True}, "more": made, "level": {"shape": []}}
    kernels = {"f": {"outputs": ["made", "count", "more", "level"], "params": params}}
    call = "r = k.f(2, 0.5); print(r[0], r[1].shape, r[2], r[3].shape, r[4])"
    assert build_and_call(tmp_path, header, source, kernels, call) == "7 (2,) 2 (2,) 1.5\n"


def test_values_that_need_one_another_cost_no_more_than_they_are(tmp_path):
    """Each is asked about once, however many ways lead to it."""
    names = [f"v{i}" for i in range(40)]
    params = {"x": {"shape": ["n"]}, **{a: {"value": f"{b} + {b}"} for a, b in zip(names, [*names[1:], "n"])}}
    (tmp_path / "k.h").write_text(f"void f(int n, double *x, {', '.join('int ' + name for name in names)});\n")
    (tmp_path / "k.json").write_text(json.dumps({"module": "k", "headers": ["k.h"], "kernels": {"f": {"params": params}}}))
    subprocess.run([golden.TOOL, "generate", "-q", "k.json"], cwd=tmp_path, check=True, timeout=60)
