"""The smallest module: its fast path, and what the fast path leaves to the library."""
import inspect

import axpy
import numpy as np
import pytest


def check_result(a, x, y):
    expected = y + float(a) * x
    assert axpy.axpy(a, x, y) is None
    np.testing.assert_array_equal(y, expected)


for a in (2.0, 3, True, np.float64(0.5), np.float32(0.25), 2**70):
    check_result(a, np.arange(4.0), np.ones(4))
check_result(2.0, np.arange(8.0)[::2], np.ones(4))          # packed
check_result(2.0, np.arange(4.0), np.ones(8)[::-2])         # packed and scattered back
check_result(2.0, np.ones(5000), np.ones(5000))             # beyond PKW_GIL_BYTES
check_result(2.0, np.ones(0), np.ones(0))
y = np.ones(3)
axpy.axpy(a=1.0, x=y, y=y)                                   # keywords; both in place
np.testing.assert_array_equal(y, 2 * np.ones(3))
with pytest.raises(ValueError):
    axpy.axpy(1.0, np.ones(3), np.ones(4))
with pytest.raises(TypeError):
    axpy.axpy(1.0, np.ones(3, np.float32), np.ones(3))
read_only = np.ones(3)
read_only.flags.writeable = False
with pytest.raises(ValueError):
    axpy.axpy(1.0, np.ones(3), read_only)
assert str(inspect.signature(axpy.axpy)) == "(a, x, y)"
assert axpy.axpy.__doc__.startswith("y += a*x")
assert not hasattr(axpy, "unlisted")
