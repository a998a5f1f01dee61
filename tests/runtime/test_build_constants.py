"""Numbers that come out of the headers: what is baked into the generated C is what the compiler finds, or it does not compile."""

import json
import subprocess
import sys
import sysconfig

import pytest

from build_project import MANIFEST, TOOL

GRID = """\
#ifndef NX
#define NX 16
#endif
enum { NY = 2 * NX };
typedef double row[NX];
typedef double plane[NY][NX];
"""


@pytest.fixture
def project(project):
    def write(header, source, kernels, **more):
        project.write("kernels.h", header)
        project.write("kernels.c", '#include "kernels.h"\n' + source)
        project.write("moved.json", json.dumps(json.loads(MANIFEST) | {"kernels": kernels} | more))

    project.kernels = write
    return project


def generate(project, *options, **environment):
    done = subprocess.run([TOOL, "generate", "moved.json", *options], cwd=project.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (project.folder / "moved_wrap.c").read_text()


def compile_generated(project, *flags):
    """What the compiler of another build says, with flags that the tool has not seen."""
    package = subprocess.run([sys.executable, "-m", "pkwrap", "--include"], capture_output=True, text=True, check=True)
    includes = ["-isystem", package.stdout.strip(), "-isystem", sysconfig.get_path("include")]
    command = ["gcc", "-fsyntax-only", "-w", *includes, *flags, "moved_wrap.c"]
    return subprocess.run(command, cwd=project.folder, capture_output=True, text=True).stderr


def test_extents_follow_the_flags_of_the_environment(project):
    body = "{ for (int i = 0; i < NX; i++) u[i] = i; }\n"
    project.kernels(GRID + "void fill(double u[NX]);\n", "void fill(double u[NX])\n" + body, {"fill": {"outputs": ["u"]}})
    code = "import numpy as np, moved\nu = np.zeros({})\nmoved.fill(u)\nprint(u.sum())"
    project.build()
    assert project.call(code=code.format(16)) == "120.0"
    project.build(environment={"CFLAGS": "-DNX=64"})
    assert project.call(code=code.format(64)) == "2016.0"


@pytest.mark.parametrize(
    "parameter",
    ["double u[NX]", "double u[NY][NX]", "double u[2 * NX + 1]", "double u[][NX]", "double u[NX\n/ 2]", "row u", "row *u",
     "plane u", "const plane *u", "double (*u)[NX]", "double u[sizeof(row)]", "double u[static NX]"],
)  # fmt: skip
def test_every_extent_is_asserted(project, parameter):
    params = {"u": {}} if parameter in ("row *u", "double u[][NX]", "double (*u)[NX]") else {}
    if params:
        params["u"]["shape"] = ["n", "16"]
    if parameter == "const plane *u":
        params = {"u": {"shape": ["n", "32", "16"]}}
    project.kernels(GRID + f"void fill(int n, {parameter});\n", "", {"fill": {"outputs": [], "params": params}}, sources=[])
    generate(project)
    assert compile_generated(project) == ""
    assert "has changed: run pkwrap again" in compile_generated(project, "-DNX=64")


def test_extents_that_mean_nothing_any_more_are_not_asserted(project):
    header = GRID + "void fill(double u[NX], double v[NY]);\n#undef NX\n#define NX 3\n"
    project.kernels(header, "", {"fill": {"outputs": []}}, sources=[])
    text = generate(project)
    assert "_Static_assert((NX)" not in text and "_Static_assert((NY) == 32" in text
    assert compile_generated(project) == ""
    header = "#define N 3\n#define DECLARE(name) void name(double u[N]);\nDECLARE(fill)\n"
    project.kernels(header, "", {"fill": {"outputs": []}}, sources=[])
    generate(project)
    assert compile_generated(project) == ""


LIMITS = """\
#include <stdint.h>
#define MASK 0xFFFFFFFFu
#define TOP 0x80000000
#define LARGEST 0xFFFFFFFFFFFFFFFFu
#define LOWEST (-2147483647L - 1)
enum large { ALL = 0xFFFFFFFFu, BIT = 0x80000000u };
enum both { MINUS = -1, PLUS = 1 };
static const int N = 6;
#define TWICE (2 * N)
uint64_t wide(uint64_t mask);
uint32_t narrow(uint32_t mask);
int64_t with_sign(int64_t value);
double sum(const double *x);
"""
LIMITS_SOURCE = """\
uint64_t wide(uint64_t mask) { return mask; }
uint32_t narrow(uint32_t mask) { return mask; }
int64_t with_sign(int64_t value) { return value; }
double sum(const double *x) { double s = 0; for (int i = 0; i < TWICE; i++) s += x[i]; return s; }
"""


@pytest.mark.parametrize("key", ["default", "value"])
@pytest.mark.parametrize(
    "kernel, text, value",
    [
        ("wide", "MASK", 2**32 - 1),
        ("wide", "TOP", 2**31),
        ("wide", "ALL", 2**32 - 1),
        ("wide", "BIT", 2**31),
        ("wide", "MASK + 1", 2**32),
        ("wide", "LARGEST", 2**64 - 1),
        ("narrow", "MASK", 2**32 - 1),
        ("with_sign", "LOWEST", -(2**31)),
        ("with_sign", "-MASK", 1 - 2**32),
        ("with_sign", "MINUS", -1),
        ("with_sign", "N", 6),
        ("with_sign", "TWICE", 12),
    ],
)
def test_large_and_unsigned_constants(project, kernel, text, value, key):
    name = "value" if kernel == "with_sign" else "mask"
    project.kernels(LIMITS, LIMITS_SOURCE, {kernel: {"outputs": [], "params": {name: {key: text}}}})
    project.build()
    assert project.call(code=f"import moved; print(moved.{kernel}())") == str(value)


def test_a_constant_beyond_64_bits_with_sign_is_refused_in_expressions(project):
    project.kernels(LIMITS, LIMITS_SOURCE, {"with_sign": {"outputs": [], "params": {"value": {"default": "LARGEST"}}}})
    assert "'LARGEST' is 18446744073709551615, which does not fit 64 bits with sign" in project.build(status=1).stderr
    project.kernels(LIMITS, LIMITS_SOURCE, {"narrow": {"outputs": [], "params": {"mask": {"default": "MASK + 1"}}}})
    assert "an integer in its range" in project.build(status=1).stderr


@pytest.mark.parametrize("text, size", [("TWICE", 12), ("2*N", 12), ("TWICE + 0*MASK", 12)])
def test_constants_in_shapes(project, text, size):
    project.kernels(LIMITS, LIMITS_SOURCE, {"sum": {"outputs": [], "params": {"x": {"shape": [text]}}}})
    project.build()
    assert project.call(code=f"import numpy as np, moved; print(moved.sum(np.ones({size})))") == f"{size}.0"
    project.kernels(LIMITS, LIMITS_SOURCE, {"sum": {"outputs": [], "params": {"x": {"shape": ["-MASK"]}}}})
    assert "= -4294967295, less than 0" in project.build(status=1).stderr


def test_defaults_out_of_macros_are_asserted(project):
    header = "#ifndef MODE\n#define MODE 3\n#endif\nint mode(int m);\n"
    project.kernels(header, "int mode(int m) { return m; }\n", {"mode": {"outputs": [], "params": {"m": {"default": "MODE"}}}})
    generate(project)
    assert compile_generated(project) == ""
    assert "MODE has changed" in compile_generated(project, "-DMODE=4")
