"""Extents of every kind; what does not fit is refused before the kernel runs."""
import numpy as np
import pytest
import shapes

a34 = np.arange(12.0).reshape(3, 4)
assert shapes.fixed(a34, np.arange(3.0)) == 13.0
for bad in (np.ones((4, 4)), np.ones((3, 3)), np.ones((0, 4))):
    with pytest.raises(ValueError, match="a"):
        shapes.fixed(bad, np.ones(3))
with pytest.raises(TypeError):
    shapes.fixed(np.ones(12), np.ones(3))

b = np.arange(28.0).reshape(7, 4)
assert shapes.variable(a34, b) == 11.0 + 27.0
assert shapes.variable(a34.T.copy().T, b) == 38.0
with pytest.raises(ValueError):
    shapes.variable(a34, b[:6])
with pytest.raises(ValueError):
    shapes.variable(a34, np.ones((7, 3)))
assert shapes.variable(np.ones((0, 0)), np.ones((1, 0))) == 0.0

assert shapes.rows(a34) == 11.0
with pytest.raises(ValueError):
    shapes.rows(np.ones((2, 5)))

f = np.asfortranarray(a34)
for matrix in (a34, f, a34[::-1], f[:, ::2]):
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            assert shapes.element(matrix, i, j) == matrix[i, j]

assert shapes.first(np.full((2, 3), 7, np.float32)) == 7.0
for bad in (np.ones((0, 3), np.float32), np.ones((2, 0), np.float32)):
    with pytest.raises(ValueError, match="a"):
        shapes.first(bad)

x, y, z = np.array([1, 2], np.int8), np.array([3], np.uint16), np.array([4, 5, 6])
assert shapes.sizes(x, y, z) == 2 + 1 + 3 + 1 + 3 + 4
with pytest.raises(OverflowError, match="a"):
    shapes.sizes(np.ones(128, np.int8), y, z)
with pytest.raises(OverflowError, match="b"):
    shapes.sizes(x, np.ones(65536, np.uint16), z)

assert shapes.strided(2, 3, np.arange(6.0)) == 3.0
for n, step in ((2, 2), (3, 3), (-2, -3 + 1)):
    with pytest.raises(ValueError):
        shapes.strided(n, step, np.arange(6.0))

ones = [np.ones(k) for k in range(8)]
assert shapes.mixed(7, 4, ones[3], ones[3], ones[3]) == 7 + 4 + 3
with pytest.raises(ValueError):
    shapes.mixed(7, 0, ones[3], ones[3], ones[7])
with pytest.raises(ValueError):
    shapes.mixed(7, 4, ones[4], ones[3], ones[3])
