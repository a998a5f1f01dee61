"""numpy.linalg on device arrays, by the names of `cupy.linalg`."""

import numpy as _numpy
from numpy.linalg import LinAlgError

from pkwrap.emulator.cupy._functions import add_functions as _add_functions
from pkwrap.emulator.cupy._names import LINALG as _LINALG

__all__ = ["LinAlgError", *_add_functions(globals(), _LINALG, _numpy.linalg)]
