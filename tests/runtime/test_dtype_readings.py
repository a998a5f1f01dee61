"""Another dtype in the manifest than in C: shapes, and what the analysis says of all elements, are judged in bytes."""

import json
import subprocess

import pytest

from build_project import MANIFEST, TOOL

PAIRS = """\
typedef double cpx[2];
void swap(int n, cpx *in, cpx *out);
void rows(int n, int m, double a[n][m][2]);
void fixed(double z[4][2]);
void one(cpx z);
void flat(double z[8]);
void counted(int n, double z[2 * n]);
void odd(double z[5]);
"""
PAIRS_SOURCE = """\
void swap(int n, cpx *in, cpx *out) { for (int i = 0; i < n; i++) { out[i][0] = in[i][1]; out[i][1] = in[i][0]; } }
void rows(int n, int m, double a[n][m][2]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j][1] += 10 * i + j; }
void fixed(double z[4][2]) { for (int i = 0; i < 4; i++) z[i][1] = i; }
void one(cpx z) { z[1] = 2; }
void flat(double z[8]) { for (int i = 0; i < 8; i++) z[i] = i; }
void counted(int n, double z[2 * n]) { for (int i = 0; i < 2 * n; i++) z[i] = i; }
void odd(double z[5]) { z[4] = 1; }
"""


@pytest.fixture
def write(project):
    def write(header, source, kernels):
        project.write("kernels.h", header)
        project.write("kernels.c", '#include "kernels.h"\n' + source)
        project.write("moved.json", json.dumps(json.loads(MANIFEST) | {"kernels": kernels}, indent=2))

    return write


def complex_array(**more):
    return {"dtype": "complex128", **more}


@pytest.mark.parametrize(
    "kernel, outputs, params, call, result",
    [
        ("swap", ["out"], {"in": complex_array(shape=["n"], name="source"), "out": complex_array(shape=["n"])},
         "out = np.zeros(3, complex); moved.swap(np.array([1+2j, 3+4j, 5j]), out); print(out.tolist())",
         "[(2+1j), (4+3j), (5+0j)]"),
        ("rows", ["a"], {"a": complex_array()}, "a = np.zeros((2, 3), complex); moved.rows(a); print(a.imag.tolist())",
         "[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]"),
        ("fixed", ["z"], {"z": complex_array()}, "z = np.ones(4, complex); moved.fixed(z); print(z.tolist())",
         "[(1+0j), (1+1j), (1+2j), (1+3j)]"),
        ("fixed", ["z"], {"z": complex_array(shape=["4"])}, "z = np.ones(4, complex); moved.fixed(z); print(z[3])", "(1+3j)"),
        ("one", ["z"], {"z": complex_array()}, "z = np.ones(1, complex); moved.one(z); print(z[0])", "(1+2j)"),
        ("one", ["z"], {"z": complex_array(shape=[])}, "print(moved.one(1.0))", "(1+2j)"),
        ("flat", ["z"], {"z": complex_array()}, "z = np.ones(4, complex); moved.flat(z); print(z[3])", "(6+7j)"),
        ("counted", ["z"], {"z": complex_array(shape=["n"])}, "z = np.ones(4, complex); moved.counted(z); print(z[3])", "(6+7j)"),
        ("counted", ["z"], {"z": complex_array()}, "z = np.ones(4, complex); moved.counted(4, z); print(z[3])", "(6+7j)"),
    ],
)  # fmt: skip
def test_pairs_of_numbers(project, write, kernel, outputs, params, call, result):
    write(PAIRS, PAIRS_SOURCE, {kernel: {"outputs": outputs, "params": params}})
    project.build()
    assert project.call(code="import numpy as np, moved\n" + call) == result


@pytest.mark.parametrize(
    "kernel, params, text",
    [
        ("swap", {"in": complex_array(shape=["n", "2"], name="source"), "out": complex_array(shape=["n"])},
         "has 2 dimensions, but it is declared with 1 (cpx *, of which complex128 takes the innermost)"),
        ("fixed", {"z": complex_array(shape=["8"])}, 'dimension 0 of "z" is "8" here'),
        ("flat", {"z": complex_array(shape=["8"])}, 'dimension 0 of "z" is "8" here'),
        ("odd", {"z": complex_array()}, "takes two elements of double[5], and the innermost extent is odd"),
    ],
)  # fmt: skip
def test_pairs_that_do_not_fit(project, write, kernel, params, text):
    write(PAIRS, PAIRS_SOURCE, {kernel: {"outputs": [*params][-1:], "params": params}})
    assert text in project.build(status=1).stderr


HALVES = """\
void halves(int n, double *x);
void both(int n, double *x);
void rows(int n, int m, double *x);
void cell(double *x);
void ints(int n, float *x);
"""
HALVES_SOURCE = """\
void halves(int n, double *x) { for (int i = 0; i < n; i++) x[i] = i; }
void both(int n, double *x) { for (int i = 0; i < 2 * n; i++) x[i] = i; }
void rows(int n, int m, double *x) { for (int i = 0; i < n * m; i++) x[i] = i; }
void cell(double *x) { *x = 3; }
void ints(int n, float *x) { for (int i = 0; i < n; i++) x[i] = i; }
"""


@pytest.mark.parametrize(
    "kernel, param, overwritten",
    [
        ("halves", {"dtype": "complex128", "shape": ["n"]}, False),
        ("halves", {"dtype": "complex128", "shape": ["n/2"]}, False),
        ("halves", {"shape": ["n"]}, True),
        ("halves", {"dtype": "int64", "shape": ["n"]}, True),
        ("halves", {"shape": ["2*n"]}, False),
        ("both", {"shape": ["n"]}, False),
        ("rows", {"dtype": "complex128", "shape": ["n", "m"]}, False),
        ("ints", {"dtype": "int32", "shape": ["n"]}, True),
        ("ints", {"dtype": "complex64", "shape": ["n"]}, False),
    ],
)
def test_fix_judges_bytes(project, write, kernel, param, overwritten):
    write(HALVES, HALVES_SOURCE, {kernel: {"outputs": ["x"], "params": {"x": param}}})
    done = subprocess.run([TOOL, "check", "--fix", "moved.json"], cwd=project.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fixed = json.loads((project.folder / "moved.json").read_text())
    assert fixed["kernels"][kernel]["params"]["x"].get("overwritten", False) is overwritten


def test_a_cell_of_which_half_is_written_keeps_the_other_half(project, write):
    write(HALVES, HALVES_SOURCE, {"cell": {"outputs": ["x"], "params": {"x": {"dtype": "complex128", "shape": []}}}})
    project.build()
    assert project.call(code="import moved; print(moved.cell(1+2j))") == "(3+2j)"
    write(HALVES, HALVES_SOURCE, {"cell": {"outputs": ["x"], "params": {"x": {"shape": []}}}})
    project.build()
    assert project.call(code="import moved; print(moved.cell())") == "3.0"
