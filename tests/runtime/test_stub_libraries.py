"""What kernels do through libraries whose source is not read: Numba's decorators, Pyccel's standard library, NumPy's functions."""

import re
from pathlib import Path

import pytest

from stub_facts import report, written

NUMBA = """
import numpy as np
import numba as nb
from numba import njit, vectorize, guvectorize, prange, void, float64
"""

# What a function of (x, y, n) writes: its decorator, its body.
NUMBA_CASES = [
    ('@njit("void(float64[:], f8[::1], int64)")', "x[n] = y[0]", {"x": "yes"}),
    ('@nb.jit("float64(float64[:,:], f8[:,::1], i8)", nopython=True)', "a = y[0]\na += 1.0\nreturn n", {"y": "yes"}),
    ('@njit(["void(float64[:], float64[:], int64)"])', "x[n] += y[0]", {"x": "yes"}),
    ("@njit(void(float64[:], float64[:], nb.int64))", "n += 1\nx[:] = y", {"x": "yes"}),
    ("@njit", "for i in range(n):\n    x[i] = y[i]", {"x": "yes"}),
    ("@njit", "for i in range(n):\n    x[i] += 2.0 * y[i]", {"x": "yes"}),
    ("@njit()", "n += 1\nfor i in range(n):\n    x[i] = y[i].conjugate()", {"x": "yes"}),
    ("@njit(parallel=True)", "s = 0.0\nfor i in prange(x.shape[0]):\n    s += y[i]\nreturn s", {}),
    ("@njit", "x /= 2.0\nreturn x[0]", {"x": "yes"}),
    ("@njit", "x[:, 0] = y.sum()", {"x": "yes"}),
    ("@njit", "a = y * 2\na += 1.0\nreturn a", {}),
    ("@njit", "a = np.zeros(3)\na[0] = y[0]\nreturn a", {}),
    ("@njit", "a = x\na[0] = y.T[0, 0]", {"x": "yes"}),
    ("@njit", "for a in x:\n    a[0] = n", {"x": "yes"}),
    ("@njit", "a, b = x.shape\na += b\nreturn a", {}),
    ("@njit", "put(x, y)", {"x": "yes"}),
    ("@njit", "put(x[1:], y)", {"x": "yes"}),
    ("@njit", "x += 1.0", {"x": "maybe"}),  # a number or an array
    ("@njit", "other(x)", {"x": "maybe"}),
    ("@vectorize", "x += y\nreturn x * n", {}),
    ('@vectorize(["float64(float64, float64, int64)"])', "x += y\nreturn x * n", {}),
    ('@guvectorize(["void(f8[:], f8[:], i8)"], "(n),(n),()")', "for i in range(n):\n    y[i] = x[i]", {"y": "yes"}),
]


@pytest.mark.parametrize("decorator, body, expected", NUMBA_CASES)
def test_numba(tmp_path, decorator, body, expected):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    put = "@njit\ndef put(a, b):\n    a[0] = b[0]\n"
    assert written(tmp_path, f"{NUMBA}{put}{decorator}\ndef f(x, y, n):\n{lines}")["f"] == expected


def test_types_of_a_signature(tmp_path):
    source = (
        NUMBA + '@njit("void(f4[:], c16[:,::1], int32[::1,:], boolean, b1[:], u2, int)")\ndef f(a, b, c, d, e, g, h):\n    pass\n'
    )
    params = report(tmp_path, source)["kernels"][0]["params"]
    types = ["float32[:]", "complex128[:,:](order=C)", "int32[:,:](order=F)", "bool", "bool[:]", "uint16", ""]
    assert [p["type"] for p in params] == types


FORTRAN = [
    ("blas", "dcopy(n, x, 1, y, 1)", {"y"}),
    ("blas", "dswap(n, x, 1, y, 1)", {"x", "y"}),
    ("blas", "daxpy(n, 2.0, x, 1, y, 1)", {"y"}),
    ("blas", "dscal(n, 2.0, x, 1)", {"x"}),
    ("blas", "s = ddot(n, x, 1, y, 1)", set()),
    ("blas", "s = dnrm2(n, x, 1)", set()),
    ("blas", "k = idamax(n, x, 1)", set()),
    ("blas", "dgemv('N', n, n, 1.0, m, n, x, 1, 0.0, y, 1)", {"y"}),
    ("blas", "dsymv('U', n, 1.0, m, n, x, 1, 0.0, y, 1)", {"y"}),
    ("blas", "dtrsv('U', 'N', 'N', n, m, n, x, 1)", {"x"}),
    ("blas", "dger(n, n, 1.0, x, 1, y, 1, m, n)", {"m"}),
    ("blas", "dgemm('N', 'N', n, n, n, 1.0, m, n, k, n, 0.0, z, n)", {"z"}),
    ("blas", "dtrsm('L', 'U', 'N', 'N', n, n, 1.0, m, n, z, n)", {"z"}),
    ("lapack", "dgetrf(n, n, m, n, p, e)", {"m", "p"}),
    ("lapack", "dgetrs('N', n, 1, m, n, p, x, n, e)", {"x"}),
    ("lapack", "dgesv(n, 1, m, n, p, x, n, e)", {"m", "p", "x"}),
    ("lapack", "dpotrf('U', n, m, n, e)", {"m"}),
    ("lapack", "dgbtrs('N', n, 1, 1, 1, m, n, p, x, n, e)", {"x"}),
    ("lapack", "dsyev('V', 'U', n, m, n, x, y, n, e)", {"m", "x", "y"}),
]
SIGNATURE = "x : 'float[:]', y : 'float[:]', m : 'float[:,:]', k : 'float[:,:]', z : 'float[:,:]', p : 'int32[:]', n : int, e : int"


@pytest.mark.parametrize("module, call, expected", FORTRAN)
def test_pyccels_standard_library(tmp_path, module, call, expected):
    name = call.split(" = ")[-1].split("(")[0]
    source = f"from pyccel.stdlib.internal.{module} import {name}\ndef f({SIGNATURE}):\n    {call}\n"
    assert written(tmp_path, source) == {"f": dict.fromkeys(expected, "yes")}


def test_a_routine_that_is_in_no_table(tmp_path):
    source = f"from pyccel.stdlib.internal.lapack import dwhatever\ndef f({SIGNATURE}):\n    dwhatever(n, x)\n"
    assert written(tmp_path, source) == {"f": {"x": "maybe"}}


def test_all_of_blas_is_known(tmp_path):
    """Each routine of Pyccel's stub, called with arrays where it declares them: a subroutine writes one, a function none."""
    blas = Path(pytest.importorskip("pyccel").__file__).parent / "stdlib/internal/blas.pyi"
    source, returns = "from pyccel.stdlib.internal.blas import *\n", {}
    for name, parameters, result in re.findall(r"def (\w+)\((.*)\) -> (.*):", blas.read_text()):
        types = re.findall(r": '([^']*)'", parameters)
        names = [f"a{i}" for i in range(len(types))]
        signature = ", ".join(f"{a} : '{t}'" for a, t in zip(names, types))
        source += f"def f_{name}({signature}):\n    {name}({', '.join(names)})\n"
        returns[f"f_{name}"] = result != "None"
    found = written(tmp_path, source)
    assert len(found) == len(returns) > 50
    for name, returned in returns.items():
        scalars = name in ("f_srotg", "f_drotg")  # nothing that can be written
        assert set(found[name].values()) == (set() if returned or scalars else {"yes"}), name
