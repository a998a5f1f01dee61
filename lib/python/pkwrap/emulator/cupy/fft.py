"""numpy.fft on device arrays, by the names of `cupy.fft`."""

import numpy as np

from pkwrap.emulator.cupy._functions import add_functions
from pkwrap.emulator.cupy._names import FFT

add_functions(globals(), FFT, np.fft)

__all__ = [line.split()[0] for line in FFT.split("\n") if line]
