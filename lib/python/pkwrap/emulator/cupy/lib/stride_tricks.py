"""Views with strides of one's own, by the names of `cupy.lib.stride_tricks`."""

import numpy as _numpy

from pkwrap.emulator.cupy._functions import add_functions as _add_functions
from pkwrap.emulator.cupy._functions import as_strided
from pkwrap.emulator.cupy._names import STRIDE_TRICKS as _STRIDE_TRICKS

__all__ = ["as_strided", *_add_functions(globals(), _STRIDE_TRICKS, _numpy.lib.stride_tricks)]
