"""Views with strides of one's own, by the names of `cupy.lib.stride_tricks`."""

import numpy as np

from pkwrap.emulator.cupy._functions import add_functions, as_strided
from pkwrap.emulator.cupy._names import STRIDE_TRICKS

add_functions(globals(), STRIDE_TRICKS, np.lib.stride_tricks)

__all__ = ["as_strided", "sliding_window_view"]
