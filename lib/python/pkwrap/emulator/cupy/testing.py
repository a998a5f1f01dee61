"""numpy.testing's assertions on host and device arrays, by the names of `cupy.testing`."""

import numpy as _numpy

from pkwrap.emulator.cupy._arrays import asnumpy as _asnumpy
from pkwrap.emulator.cupy._arrays import ndarray as _ndarray


def _to_host(value):
    return _asnumpy(value) if isinstance(value, _ndarray) else value


def _forwarded(function):
    def check(*args, **keywords):
        function(*map(_to_host, args), **keywords)

    check.__name__ = check.__qualname__ = function.__name__
    check.__doc__ = f"numpy.testing.{function.__name__}, for arrays on the host and on the device."
    return check


_NAMES = """
assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp assert_array_equal assert_array_less assert_array_max_ulp
""".split()

globals().update({name: _forwarded(getattr(_numpy.testing, name)) for name in _NAMES})

__all__ = list(_NAMES)
