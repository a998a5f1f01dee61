"""void pointers whose element type the manifest gives, a static inline function, a function of nothing."""
import numpy as np
import pytest
import voids

z = np.array([1.0, 2.0j])
voids.zscale(z)
np.testing.assert_array_equal(z, [1j, -2.0])
voids.zscale(z, 2)
np.testing.assert_array_equal(z, [2j, -4.0])
voids.zscale(z, 0.5 + 0j)
np.testing.assert_array_equal(z, [1j, -2.0])
with pytest.raises(TypeError):
    voids.zscale(np.ones(2))
assert voids.squares(np.array([3.0, 4.0])) == 25.0
assert voids.nothing() is None
with pytest.raises(TypeError):
    voids.nothing(1)
