"""What comes back: the function's own result, scalars behind pointers, created arrays; one alone is no tuple."""
import inspect

import numpy as np
import pytest
import results

x = np.array([3.0, 1.0, 2.0])
assert results.total(x) == 6.0 and type(results.total(x)) is float
assert results.extrema(x) == (0, 1.0, 3.0)
assert results.extrema(np.ones(0)) == (1, 0.0, 0.0)
x32 = x.astype(np.float32)
assert results.accumulate(x32, 41, 0.5) == (42, 6.5)
assert results.accumulate(x32, 2**62, 1) == (2**62 + 1, 7.0)

made = results.twice(x)
np.testing.assert_array_equal(made, 2 * x)
out = np.empty(3)
assert results.twice(x, out) is out
np.testing.assert_array_equal(out, 2 * x)
assert results.twice(x, out=out) is out
with pytest.raises(ValueError, match="out"):
    results.twice(x, x)                     # restrict
with pytest.raises(ValueError):
    results.twice(x, np.empty(4))

value, sums, status = results.running(x)
assert (value, status) == (6.0, 3)
np.testing.assert_array_equal(sums, [3.0, 4.0, 6.0])
given = np.zeros(3)
value, sums, status = results.running(x, given)
assert sums is given and (value, status) == (6.0, 3)

y = np.ones(3)
results.scale(y)
np.testing.assert_array_equal(y, 2 * np.ones(3))
results.scale(y, 0.25)
np.testing.assert_array_equal(y, np.full(3, 0.5))
assert str(inspect.signature(results.scale)) == "(x, factor=2.0)"

assert results.name_of(0) == "done" and results.name_of(1) == "empty"
assert results.name_of(7) is None
assert results.letter(25) == "z"
assert results.positive(1.0) is True and results.positive(-1) is False
