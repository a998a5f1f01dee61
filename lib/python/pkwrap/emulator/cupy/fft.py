"""numpy.fft on device arrays, by the names of `cupy.fft`."""

import numpy as _numpy

from pkwrap.emulator.cupy._functions import add_functions as _add_functions
from pkwrap.emulator.cupy._names import FFT as _FFT

__all__ = [*_add_functions(globals(), _FFT, _numpy.fft)]
