"""A scalar of each kind there and back. All types, at the ends of their ranges: tests/runtime/test_scalar_types.py."""
import pytest
import scalars

for value in (True, False):
    assert scalars.same_bool(value) is value
for value in (0, -(2**31), 2**31 - 1):
    assert scalars.same_int(value) == value and scalars.same_int(v=value) == value
for value in (0, 2**32 - 1):
    assert scalars.same_unsigned(value) == value
for name, value in (("int", 2**31), ("unsigned", -1)):
    with pytest.raises(OverflowError, match="v"):
        getattr(scalars, "same_" + name)(value)
for name in ("double", "ldouble"):
    assert getattr(scalars, "same_" + name)(-1.5) == -1.5
assert scalars.same_cdouble(1 + 2j) == 1 + 2j
assert scalars.same_level(-1) == -1
assert scalars.same_char("x") == "x"
assert scalars.same_string("text") == "text"
for wrong in ("xy", 1):
    with pytest.raises(TypeError, match="v"):
        scalars.same_char(wrong)
