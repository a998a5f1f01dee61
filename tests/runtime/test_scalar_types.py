"""Every type of scalar there and back, at the ends of its range and beyond them (a golden has one of each kind)."""

import numpy as np
import pytest
from conftest import DATA, build_module

INTEGERS = {
    "schar": np.int8, "i8": np.int8, "short": np.int16, "int": np.int32, "long": np.int64, "llong": np.int64,
    "uchar": np.uint8, "ushort": np.uint16, "unsigned": np.uint32, "ulong": np.uint64, "ullong": np.uint64,
    "size": np.uint64, "ssize": np.int64, "ptrdiff": np.int64, "time": np.int64, "color": np.uint32, "level": np.int32,
}  # fmt: skip
FLOATS = {"float": np.float32, "double": np.float64, "real": np.float64, "ldouble": np.float64}


@pytest.fixture(scope="module")
def scalars(tmp_path_factory):
    return build_module(DATA / "scalar_types.json", tmp_path_factory.mktemp("scalar_types"))


def test_every_function_is_called_here(scalars):
    tested = {*INTEGERS, *FLOATS, "bool", "cfloat", "cdouble", "cldouble", "char", "string"}
    assert {name.removeprefix("same_") for name in dir(scalars) if not name.startswith("_")} == tested


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(scalars, name):
    same, dtype = getattr(scalars, f"same_{name}"), INTEGERS[name]
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


@pytest.mark.parametrize("name", FLOATS)
def test_floats(scalars, name):
    same = getattr(scalars, f"same_{name}")
    for value in (0.0, -1.5, 3, 2**60, float("inf"), np.float32(0.5), np.float64(0.25)):
        assert same(value) == value
    assert np.isnan(same(float("nan")))
    assert same(0.1) == FLOATS[name](0.1)
    with pytest.raises(TypeError, match="v"):
        same("1")


@pytest.mark.parametrize("name", ["cfloat", "cdouble", "cldouble"])
def test_complex_numbers(scalars, name):
    same = getattr(scalars, f"same_{name}")
    for value in (1 + 2j, 3, 0.5, np.complex128(-1j), np.complex64(2j)):
        assert same(value) == value


def test_text_and_truth(scalars):
    for value in (True, False):
        assert scalars.same_bool(value) is value
    assert scalars.same_char("x") == "x"
    assert scalars.same_string("text") == "text"
    with pytest.raises(TypeError):
        scalars.same_char("xy")
