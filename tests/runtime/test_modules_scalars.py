"""Scalars: C's ranges, what counts as a number, text, and scalars behind pointers."""

import math

import numpy as np
import pytest

INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "size_t": (0, 2**64 - 1),
}


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Float:
    def __float__(self):
        return 2.5


class Complex:
    def __complex__(self):
        return 1 + 2j


class Failing:
    def __index__(self):
        raise ZeroDivisionError("mine")

    __float__ = __complex__ = __index__


@pytest.mark.parametrize("name", INTEGERS)
def test_F25_F54_integers_at_their_limits(kernels, name):
    echo = getattr(kernels, f"echo_{name}")
    low, high = INTEGERS[name]
    for value in (low, high, 0, 1, high // 2):
        assert echo(value) == value
        assert echo(value=value) == value
        assert type(echo(value)) is int
    for value in (low - 1, high + 1, 2**64 + 5, -(2**70), 10**400):
        with pytest.raises(OverflowError, match=rf"echo_{name}\(\): argument 'value' is out of range for C type"):
            echo(value)


@pytest.mark.parametrize("name", INTEGERS)
def test_F25_integers_from_index_only(kernels, name):
    echo = getattr(kernels, f"echo_{name}")
    for value in (np.int64(7), np.uint8(7), Index(7), np.array(7), np.array(7, ">i4"), True + 6):
        assert echo(value) == 7
    assert echo(True) == 1
    for value in (3.7, 3.0, np.float64(3), "3", None, 1j, np.array(3.0), np.array([3]), np.zeros((1, 1), int), [3], b"3"):
        with pytest.raises(TypeError, match=rf"echo_{name}\(\): argument 'value' must be an integer"):
            echo(value)
    with pytest.raises(ZeroDivisionError, match="mine"):
        echo(Failing())


@pytest.mark.parametrize("name", ["float", "double", "long_double", "float16"])
def test_floats_through_float(kernels, name):
    echo = getattr(kernels, f"echo_{name}")
    for value in (1.5, 2, -0.25, True, np.float32(0.5), np.int16(3), np.array(1.5), np.float16(0.5), np.longdouble(0.25)):
        assert echo(value) == float(value)
    assert echo(Float()) == 2.5 and echo(Index(4)) == 4
    assert math.isnan(echo(math.nan)) and echo(math.inf) == math.inf and echo(-math.inf) == -math.inf
    assert math.copysign(1, float(echo(-0.0))) == -1
    for value in ("1", None, 1j, np.complex128(1), np.array(1j), np.zeros(1), [1.0], b"1", Complex()):
        with pytest.raises(TypeError, match=rf"echo_{name}\(\): argument 'value' must be a real number"):
            echo(value)
    with pytest.raises(ZeroDivisionError, match="mine"):
        echo(Failing())


def test_F25_finite_floats_out_of_range(kernels):
    assert kernels.echo_float(3.4e38) == float(np.float32(3.4e38))
    assert kernels.echo_float16(65504) == 65504 and kernels.echo_float16(65519.99) == 65504
    for name, value in (("float", 3.5e38), ("float", -1e300), ("float16", 65520.0), ("float16", -1e6), ("double", 10**400)):
        with pytest.raises(OverflowError, match=f"echo_{name}.*'value' is out of range for C type"):
            getattr(kernels, f"echo_{name}")(value)


def test_F26_float16_rounds_as_numpy_does(kernels):
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**16, 3000).astype(np.uint16)
    halves = bits.view(np.float16).astype(float)
    halves = halves[np.isfinite(halves)]
    values = np.concatenate([halves, halves * (1 + 2**-11), halves * (1 - 2**-12), rng.normal(0, 1e-7, 500)])
    for value in values[np.abs(values) < 65519]:
        assert kernels.echo_float16(value) == float(np.float16(value))


def test_long_double_keeps_its_precision(kernels):
    value = np.longdouble(1) / 3
    assert kernels.echo_long_double(value) == value != np.longdouble(float(value))
    assert kernels.echo_long_double(np.array(value)) == value
    assert isinstance(kernels.echo_long_double(1.0), np.longdouble)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_through_complex(kernels, name):
    echo = getattr(kernels, f"echo_{name}")
    for value in (1 + 2j, 1.5, 3, True, np.complex64(1 - 1j), np.float32(2), np.array(1j)):
        assert echo(value) == complex(value)
    assert echo(Complex()) == 1 + 2j
    infinite = echo(complex(math.inf, math.nan))
    assert infinite.real == math.inf and math.isnan(infinite.imag)
    for value in ("1", None, np.zeros(1, complex), [1j], b"1"):
        with pytest.raises(TypeError, match=rf"echo_{name}\(\): argument 'value' must be a complex number"):
            echo(value)
    if name == "complex64":
        with pytest.raises(OverflowError, match="out of range for C type '(_Complex float|float _Complex)'"):
            echo(1e300j)


def test_bool(kernels):
    assert kernels.negate(True) is False and kernels.negate(np.False_) is True and kernels.negate(np.array(True)) is False
    assert kernels.negate(0) is True and kernels.negate(1) is False
    for value in (2, -1):
        with pytest.raises(OverflowError, match="argument 'b' is out of range"):
            kernels.negate(value)
    for value in (1.0, "True", None, np.zeros(1, bool)):
        with pytest.raises(TypeError, match="argument 'b' must be a bool|argument 'b' must be an integer"):
            kernels.negate(value)


def test_F54_enums_are_integers(kernels):
    assert kernels.other(1) == 2 and kernels.other(2) == 1
    with pytest.raises(OverflowError, match="argument 'c' is out of range for C type '.*color'"):
        kernels.other(2**40)
    with pytest.raises(TypeError, match="argument 'c' must be an integer"):
        kernels.other("RED")


def test_char_is_one_character(kernels):
    assert kernels.next_char("a") == "b" and kernels.next_char(b"a") == "b" and kernels.next_char("\xe8") == "\xe9"
    for value in ("", "ab", b"", b"ab", 97, None):
        with pytest.raises(TypeError, match="argument 'c' must be a str of one character"):
            kernels.next_char(value)
    with pytest.raises(OverflowError, match="argument 'c' is out of range for C type 'char'"):
        kernels.next_char("€")


def test_strings(kernels):
    assert kernels.length("abc") == 3 and kernels.length("€") == 3 and kernels.length(b"ab") == 2 and kernels.length("") == 0
    assert kernels.length(None) == -1
    assert kernels.echo_text("häß") == "häß" and kernels.echo_text() == "none"
    for value in ("a\0b", b"a\0"):
        with pytest.raises(ValueError, match="argument 'text' contains a null character"):
            kernels.length(value)
    for value in (1, ["a"], bytearray(b"a")):
        with pytest.raises(TypeError, match="argument 'text' must be str or bytes"):
            kernels.length(value)
    with pytest.raises(TypeError, match="argument 'text' must be str or bytes, not NoneType"):
        kernels.echo_text(None)
    with pytest.raises(UnicodeEncodeError):
        kernels.length("\ud800")


def test_written_cells_are_returned_and_read_ones_taken(kernels, given):
    x = given(np.array([1.0, 2.0, 6.0]))
    assert kernels.moments(x, 10) == (0, 3.0, 13)
    assert kernels.moments(x, count=np.int32(1)) == (0, 3.0, 4)
    with pytest.raises(OverflowError, match=r"moments\(\): argument 'count'"):
        kernels.moments(x, 2**63)
    with pytest.raises(TypeError, match=r"moments\(\) missing 1 required positional argument: 'count'"):
        kernels.moments(x)


def test_a_writable_0d_array_is_changed(kernels, given):
    x = given(np.array([1.0, 2.0, 6.0]))
    count = np.array(5)
    result = kernels.moments(x, count)
    assert count == 8 and result[2] is count
    swapped = np.array(5, ">i8")
    kernels.moments(x, swapped)
    assert swapped == 8
    count.flags.writeable = False
    with pytest.raises(ValueError, match="argument 'count' is written by the kernel, but the given array is read-only"):
        kernels.moments(x, count)
    assert count == 8
    for wrong in (np.array(5.0), np.array(5, np.int32), np.array([5])):
        with pytest.raises(TypeError, match="argument 'count' must be a 0-dimensional int64 array"):
            kernels.moments(x, wrong)


class Digits:
    """An integer that is none of Python's."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_F52_integers_for_long_double_keep_their_digits(kernels):
    for value in (2**53 + 1, -(2**53) - 1, 2**63 + 1, 2**64 - 1, -(2**64) + 1):
        expected = np.longdouble(str(value))
        for given in (value, Digits(value)):
            assert kernels.echo_long_double(given) == expected and int(kernels.echo_long_double(given)) == value
    for given in (np.int64(2**53 + 1), np.uint64(2**64 - 1), np.array(2**53 + 1), np.longlong(-(2**53) - 1)):
        assert int(kernels.echo_long_double(given)) == int(given)
    assert kernels.echo_long_double(10**4000) == np.longdouble("1e4000")
    assert int(kernels.echo_long_double(2**64 + 1)) == int(np.longdouble("18446744073709551617")) == 2**64
    for beyond in (10**5000, -(10**5000)):
        with pytest.raises(OverflowError, match="argument 'value' is out of range for C type 'long double'"):
            kernels.echo_long_double(beyond)
    assert kernels.echo_long_double(True) == 1


def test_const_cells_are_plain_scalars(kernels):
    x = np.arange(3.0)
    kernels.scale_by(2, x)
    kernels.scale_by(np.array(2.0), x)
    assert x.tolist() == [0, 4, 8]
    with pytest.raises(TypeError, match="argument 'alpha' must be a real number"):
        kernels.scale_by(np.zeros(1), x)


def test_F21_dimensions_that_do_not_fit(kernels):
    large = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (2**31 + 1,), (0,))
    with pytest.raises(OverflowError, match="argument 'x' has 2147483649 elements in dimension 0.*'n' of C type 'int'"):
        kernels.count_int(large)
    try:
        large = np.zeros(2**31 + 1, np.int8)
    except MemoryError:
        pytest.skip("no memory for an array of 2 GiB")
    with pytest.raises(OverflowError, match="C type 'int'"):
        kernels.count_int(large)
    assert kernels.count_int64(large) == 2**31 + 1
