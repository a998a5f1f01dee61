"""Every scalar there and back, at the ends of its range and beyond them."""
import numpy as np
import pytest
import scalars

INTEGERS = {
    "schar": np.int8, "i8": np.int8, "short": np.int16, "int": np.int32, "long": np.int64, "llong": np.int64,
    "uchar": np.uint8, "ushort": np.uint16, "unsigned": np.uint32, "ulong": np.uint64, "ullong": np.uint64,
    "size": np.uint64, "ssize": np.int64, "ptrdiff": np.int64, "time": np.int64,
}
for name, dtype in INTEGERS.items():
    same = getattr(scalars, "same_" + name)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for value in {low, high, 0, 1, 100, low + 1, high - 1, high // 2}:
        assert same(value) == value and type(same(value)) is int
        assert same(dtype(value)) == value
        assert same(v=value) == value
    for value in (low - 1, high + 1, 2**70, -(2**70)):
        with pytest.raises(OverflowError, match="v"):
            same(value)
    for value in (1.5, "1", None, np.float64(3)):
        with pytest.raises(TypeError, match="v"):
            same(value)
for value in (True, False):
    assert scalars.same_bool(value) is value
for name in ("float", "double", "real", "ldouble"):
    same = getattr(scalars, "same_" + name)
    for value in (0.0, -1.5, 3, 2**60, float("inf"), np.float32(0.5), np.float64(0.25)):
        assert same(value) == value
    assert np.isnan(same(float("nan")))
    with pytest.raises(TypeError, match="v"):
        same("1")
assert scalars.same_float(0.1) == np.float32(0.1)
assert scalars.same_double(0.1) == 0.1
for name in ("cfloat", "cdouble", "cldouble"):
    same = getattr(scalars, "same_" + name)
    for value in (1 + 2j, 3, 0.5, np.complex128(-1j), np.complex64(2j)):
        assert same(value) == value
assert scalars.same_color(5) == 5
assert scalars.same_level(-1) == -1
assert scalars.same_char("x") == "x"
assert scalars.same_string("text") == "text"
with pytest.raises(TypeError):
    scalars.same_char("xy")
