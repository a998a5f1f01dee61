"""bench_call.py - what a wrapper adds to one call of axpy(a, x, y) on 8 elements, beside the other tools.

"Added" is the time over a call of an empty METH_FASTCALL function with the same arguments: both pay for the loop and for
the interpreter's call. All are timed in turns, in one process.
"""

import ctypes
import importlib
import sys
from pathlib import Path

import numpy as np

from axpy import build
from figures import Figure, best_of, calls

# Those that the promise "a sixth of the best" is about.
PEERS = ("f2py", "nanobind", "pybind11", "cython", "cffi", "pyccel_c", "pyccel_fortran")


def load():
    """The function of each wrapper, called as its users call it: {name: (function, arguments)}."""
    build.build_all()
    sys.path.insert(0, ".")
    x, y, a = np.arange(8.0), np.ones(8), 0.0
    plain = {name: importlib.import_module(f"axpy_{name}").axpy for name in PEERS if name != "cffi"}
    functions = {name: (function, (a, x, y)) for name, function in plain.items()}
    by_hand = importlib.import_module("axpy_by_hand")
    functions["empty"] = (by_hand.empty, (a, x, y))
    functions["by hand"] = (by_hand.axpy, (a, x, y))
    functions["pkwrap"] = (importlib.import_module("axpy_pkwrap").axpy, (a, x, y))

    cffi = importlib.import_module("axpy_cffi")
    def with_cffi(a, x, y, axpy=cffi.lib.axpy, view=cffi.ffi.from_buffer):
        axpy(x.size, a, view("double[]", x), view("double[]", y, require_writable=True))
    functions["cffi"] = (with_cffi, (a, x, y))

    library = ctypes.CDLL(str(Path("axpy_ctypes" + build.SUFFIX).resolve()))
    vector = np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C_CONTIGUOUS")
    library.axpy.argtypes = [ctypes.c_int, ctypes.c_double, vector, vector]
    library.axpy.restype = None
    functions["ctypes"] = (library.axpy, (8, a, x, y))
    return functions


def check(functions):
    """Every wrapper does the work: a benchmark of something else would be worthless."""
    for name, (function, arguments) in functions.items():
        if name == "empty":
            continue
        x, y = np.arange(8.0), np.ones(8)
        numbers = [value for value in arguments if not isinstance(value, np.ndarray)]
        function(*numbers[:-1], 2.0, x, y)
        assert np.array_equal(y, 1 + 2 * np.arange(8.0)), name


def measure():
    functions = load()
    check(functions)
    best = best_of({name: calls(function, *arguments, number=500) for name, (function, arguments) in functions.items()},
                   rounds=400)
    added = {name: 1e9 * (seconds - best["empty"]) for name, seconds in best.items() if name != "empty"}
    hand = added["by hand"]
    peer = min(PEERS, key=added.get)
    rows = [Figure("axpy, 8 elements, added by pkwrap", added["pkwrap"], "ns", max(1.3 * hand, hand + 4),
                   note="1.3 times the wrapper written by hand, or 4 ns more"),
            Figure("axpy, 8 elements, added by pkwrap", added["pkwrap"], "ns", added[peer] / 6, note=f"a sixth of {peer}'s")]
    rows += [Figure(f"  {name}", added[name], "ns") for name in ("by hand", *PEERS, "ctypes")]
    return rows
