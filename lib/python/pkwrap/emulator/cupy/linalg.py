"""numpy.linalg on device arrays, by the names of `cupy.linalg`."""

import numpy as np
from numpy.linalg import LinAlgError

from pkwrap.emulator.cupy._functions import add_functions
from pkwrap.emulator.cupy._names import LINALG

add_functions(globals(), LINALG, np.linalg)

__all__ = ["LinAlgError", *(line.split()[0] for line in LINALG.split("\n") if line.split(" ")[0] in globals())]
