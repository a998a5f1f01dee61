"""A small stand-in for the module `cupy`, over emulated device memory: `from pkwrap.emulator import cupy as cp`.

Creation, `random`, indexing, views, streams and devices are here; every other function or ufunc of NumPy is there too, and works
on copies on the host. What CuPy has beyond NumPy (raw kernels, `cupyx`) is not.
"""

import numpy as np

from pkwrap.emulator import cuda as cuda
from pkwrap.emulator import random as random
from pkwrap.emulator.arrays import (
    array,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    empty,
    empty_like,
    forward,
    full,
    full_like,
    ndarray,
    ones,
    ones_like,
    zeros,
    zeros_like,
)

__version__ = "0 (pkwrap emulator)"


def get_array_module(*args):
    """This module if a device array is among the arguments, else NumPy."""
    import sys

    return sys.modules[__name__] if any(isinstance(arg, ndarray) for arg in args) else np


def may_share_memory(a, b, max_work=None):
    """Whether two device arrays are views of one allocation."""
    return isinstance(a, ndarray) and isinstance(b, ndarray) and a.memory is b.memory


def _forwarded(function):
    def call(*args, **keywords):
        return forward(function, args, keywords)

    call.__name__ = call.__qualname__ = getattr(function, "__name__", "function")
    call.__doc__ = f"numpy.{call.__name__} on device arrays."
    return call


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = getattr(np, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    if callable(found) and not isinstance(found, type):
        found = _forwarded(found)
        globals()[name] = found
    return found


__all__ = [
    "array", "asarray", "ascontiguousarray", "asfortranarray", "asnumpy", "cuda", "empty", "empty_like", "full", "full_like",
    "get_array_module", "may_share_memory", "ndarray", "ones", "ones_like", "random", "zeros", "zeros_like",
]  # fmt: skip
