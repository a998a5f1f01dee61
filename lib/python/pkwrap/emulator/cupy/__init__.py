"""A stand-in for the module `cupy`, over emulated device memory: `from pkwrap.emulator import cupy as cp`.

It has CuPy's names and no others. Functions and ufuncs are NumPy's, on host arrays with the same memory layout, so that views are
views and what a function writes is written; what CuPy refuses or does in another way than NumPy is refused or done so here. What
CuPy has beyond NumPy (raw kernels, `cupyx`) is not there.
"""

# ruff: noqa: F401 - what is imported is what the module has; __all__ is made of it
import numpy as _numpy

from pkwrap.emulator.cupy import _functions, _names, _operators, cuda, fft, lib, linalg, random, testing
from pkwrap.emulator.cupy._arrays import (
    array,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    empty,
    empty_like,
    flatiter,
    from_dlpack,
    full,
    full_like,
    ndarray,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from pkwrap.emulator.cupy._call import ufunc
from pkwrap.emulator.cupy._functions import broadcast, vectorize
from pkwrap.emulator.cupy.cuda import is_available
from pkwrap.emulator.cupy.cuda.memory import get_default_memory_pool, get_default_pinned_memory_pool

__version__ = "0 (pkwrap emulator)"

asanyarray = asarray


def get_array_module(*args):
    """This module if a device array is among the arguments, else NumPy."""
    import sys

    return sys.modules[__name__] if any(isinstance(arg, ndarray) for arg in args) else _numpy


def fuse(*args, **keywords):
    """Where CuPy makes one kernel of a function, here it is called."""
    return args[0] if args and callable(args[0]) else _functions.as_is


_functions.add_functions(globals(), _names.FUNCTIONS, _numpy)
_functions.add_ufuncs(globals(), _names.UFUNCS)
globals().update({name: getattr(_numpy, name) for name in _names.SHARED.split() if name in vars(_numpy)})
c_, r_, mgrid, ogrid = map(_functions.Indexed, (_numpy.c_, _numpy.r_, _numpy.mgrid, _numpy.ogrid))

__all__ = sorted(name for name in globals() if not name.startswith("_"))


def __getattr__(name):
    if hasattr(_numpy, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it is NumPy's, and CuPy or its stand-in has none")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
