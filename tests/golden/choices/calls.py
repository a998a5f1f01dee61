"""What a manifest can choose, one kernel each."""
import inspect

import choices
import numpy as np
import pytest

x = np.array([1.0, 2.0, 4.0])
mask = np.array([True, False, True])
assert choices.masked(x, mask) == 5.0
assert choices.masked(x, None) == 7.0
with pytest.raises(ValueError):
    choices.masked(x, mask[:2])
with pytest.raises(TypeError):
    choices.masked(x, mask.astype(np.uint8))

full = 1.5 - 2 + 0.25 + 1 + 20 + 4 + ord("x") + float(2**64 - 1) + 1e300
assert choices.defaults() == full
assert choices.defaults(1.5, -2, 0.25, 1 + 2j, "text", "x", 0, 0.0) == 24.75 + ord("x")
assert choices.defaults(h=0.0, g=0) == 24.75 + ord("x")
assert choices.defaults(0, 0, 0, 0, "", "\0", 0, 1) == 1.0
assert choices.defaults(e="é", g=0, h=0) - choices.defaults(e="e", g=0, h=0) == 1.0

assert choices.median(np.array([5.0, 1.0, 3.0])) == 3.0
assert choices.median(np.array([5.0, 1.0, 3.0]), work=np.empty(3)) == 3.0

a, b = np.zeros(2), np.ones(2)
choices.swap(a, b)
np.testing.assert_array_equal(a, np.ones(2))
with pytest.raises(ValueError):
    choices.swap(a, a)
both = np.arange(4.0)
choices.swap(both[:2], both[2:])
np.testing.assert_array_equal(both, [2.0, 3.0, 0.0, 1.0])
with pytest.raises(ValueError):
    choices.swap(both[:3], both[1:])

for kernel in (choices.released, choices.held):
    for n in (3, 10000):
        y = np.zeros(n)
        kernel(y)
        np.testing.assert_array_equal(y, np.ones(n))

assert choices.filled(x) == 3 + 1 + 30 + 700 + 1000 + 1020000

np.testing.assert_array_equal(choices.fill(3, 2.0), np.full(3, 2.0))
out = np.zeros(4)
for call in (lambda: choices.fill(4, 3.0, out), lambda: choices.fill(value=3.0, out=out)):
    out[:] = 0.0
    assert call() is out
    np.testing.assert_array_equal(out, np.full(4, 3.0))
with pytest.raises(ValueError):
    choices.fill(5, 3.0, out)
with pytest.raises(TypeError, match="'n'"):
    choices.fill(value=3.0)

assert choices.keyword(3.0) == 2.0 and choices.keyword(3.0, b=0.5) == 2.5
with pytest.raises(TypeError):
    choices.keyword(3.0, 0.5)
assert "*, b=1.0" in str(inspect.signature(choices.keyword))
