"""A module of Python kernels: the compiled module's functions by their own names, arrays made right for it."""
import inspect

import numpy as np
import pytest
import stub

src, wgt = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
expected = 2 * src * wgt
dst = np.zeros((2, 3))
assert stub.blend(src, wgt, dst) is None
np.testing.assert_array_equal(dst, expected)
dst = np.zeros((2, 3), order="F")
stub.blend(src[::-1][::-1], wgt, dst, n=4)
np.testing.assert_array_equal(dst, 2 * expected)
with pytest.raises(TypeError, match="src"):
    stub.blend(src.astype(np.float32), wgt, dst)
with pytest.raises(TypeError):
    stub.blend(src, wgt)

a, piv, rhs = np.zeros((2, 2), order="F"), np.zeros(2, np.int32), np.zeros(2)
assert stub.solve(a, piv, 5, rhs) == (5, 0.5)
assert a[0, 0] == 5 and piv.tolist() == [1, 1] and rhs.tolist() == [2, 2]

grid = stub.Grid(np.zeros((2, 3)), 3)
stub.move(grid, wgt)
np.testing.assert_array_equal(grid.nodes, [wgt, wgt])
assert grid.count == 6

assert stub.norm(np.array([3.0, -4.0])) == 7.0
assert stub.norm(np.array([3j, -4.0])) == 7.0
with pytest.raises(TypeError, match="norm"):
    stub.norm(np.zeros(2, np.int64))

np.testing.assert_array_equal(stub.lookup("ab", (2,), [1]), [4.0, 4.0])
assert stub.nmax == 7
assert sorted(stub.__all__) == ["Grid", "blend", "lookup", "move", "nmax", "norm", "solve"]
assert str(inspect.signature(stub.blend)) == "(src, wgt, dst, n=2)"
assert str(inspect.signature(stub.solve)) == "(a, piv, k, /, rhs)"
assert stub.blend.__doc__.startswith("dst = src weighted, n times.")
