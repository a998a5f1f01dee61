"""PyccelKernel: what a call returns (C42 to C44)."""

import sys
import types

import numpy as np
import pkwrap
import pytest
from foreign import Interface
from pkwrap import PyccelKernel


def test_c42_results_become_arrays_of_the_callers_kind(xp):
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    wide = PyccelKernel(lambda a: a * 2)(x)
    assert isinstance(wide, xp.ndarray) and xp.asnumpy(wide).tolist() == [[0, 2, 4], [6, 8, 10]]
    tall = PyccelKernel(lambda a: np.asfortranarray(a + 1))(x)
    assert tall.flags.f_contiguous and not tall.flags.c_contiguous
    assert PyccelKernel(lambda a: a.sum(keepdims=True)[0])(x).shape == (1,)
    zero = PyccelKernel(lambda a: np.array(3.0))(x)
    assert isinstance(zero, xp.ndarray) and zero.shape == ()
    empty = PyccelKernel(lambda a: a[:0] * 2)(x)
    assert isinstance(empty, xp.ndarray) and empty.shape == (0, 3)
    strided = PyccelKernel(lambda a: (a * 2)[:, ::-1])(x)
    assert xp.asnumpy(strided).tolist() == [[4, 2, 0], [10, 8, 6]]


def test_c42_containers_of_results_keep_their_types(xp):
    from test_kernel_arguments import MyDict, MyList, Point

    x = xp.ones(2)

    def kernel(a):
        shared = a * 3
        cyclic = [shared]
        cyclic.append(cyclic)
        return {"p": Point(a * 2, 1), "l": MyList([shared, shared]), "d": MyDict(k=(shared, None)), "c": cyclic, "s": {1}}

    result = PyccelKernel(kernel)(x)
    assert type(result["p"]) is Point and isinstance(result["p"].x, xp.ndarray) and result["p"].y == 1
    assert type(result["l"]) is MyList and result["l"][0] is result["l"][1] is result["d"]["k"][0] is result["c"][0]
    assert type(result["d"]) is MyDict and result["c"][1] is result["c"] and result["s"] == {1}


NOT_FOR_DEVICES = [
    np.array(["a", "bc"]),
    np.array([b"a"]),
    np.array([{}, None], dtype=object),
    np.array(["2026-01-01"], dtype="M8[D]"),
    np.array([1, 2], dtype="m8[s]"),
    np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
    np.zeros(2, dtype="V8"),
    np.ones(2, dtype=np.longdouble),
    np.ones(2, dtype=np.clongdouble),
    np.array("zero-dimensional"),
]


@pytest.mark.parametrize("value", NOT_FOR_DEVICES, ids=lambda value: str(value.dtype))
def test_c42_arrays_that_no_device_can_hold_are_returned_as_they_are(xp, value):
    """The kernel has run and its arguments are written back: nothing of what it returns may be lost."""
    x = xp.zeros(3)
    for given in (x, Interface(x)):
        assert PyccelKernel(lambda a: a.__iadd__(1) is a and value)(given) is value
    assert xp.asnumpy(x).tolist() == [2, 2, 2]
    alone, mixed = PyccelKernel(lambda a: ([value], {"n": (value, a * 2)}))(x)
    assert alone[0] is value and mixed["n"][0] is value and isinstance(mixed["n"][1], xp.ndarray)
    assert PyccelKernel(lambda: value, use_cupy=True)() is value


def test_c42_other_byte_orders_become_native(xp):
    value = np.array([[1.5, 2.0], [3.0, 4.0]]).astype(">f8", order="F")
    result = PyccelKernel(lambda a: value)(xp.zeros(1))
    assert isinstance(result, xp.ndarray) and result.dtype == np.dtype("=f8") and result.flags.f_contiguous
    assert xp.asnumpy(result).tolist() == value.tolist()


@pytest.mark.parametrize("error", [TypeError, ValueError, RuntimeError])
def test_c42_the_error_of_a_library_that_makes_no_array_names_the_kernel(xp, monkeypatch, error):
    def refuse(*args, **kwargs):
        raise error("not like this")

    def makes_new(a):
        return a * 2

    x = xp.zeros(3)
    monkeypatch.setattr(xp, "empty", refuse)
    with pytest.raises(error, match=r"^makes_new\(\): result: not like this$"):
        PyccelKernel(makes_new)(x)


@pytest.mark.parametrize("value", [None, 1, 2.5, "x", np.float64(3), np.int32(1), True, object(), (1, 2), [], {"a": None}])
def test_c43_all_else_is_returned_as_it_is(xp, value):
    assert PyccelKernel(lambda a: value)(xp.ones(1)) is value


def test_c44_a_returned_argument_is_the_callers_own(xp):
    x, y = xp.ones(3), xp.ones(3)
    result = PyccelKernel(lambda a, b: (a.__iadd__(1), [b], {"a": a}))(x, [y][0])
    assert result[0] is x and result[1][0] is y and result[2]["a"] is x and xp.asnumpy(x).tolist() == [2, 2, 2]
    other = PyccelKernel(lambda a: a.__iadd__(1), outputs=())(x)
    assert other is not x and xp.asnumpy(other).tolist() == [3] * 3 and xp.asnumpy(x).tolist() == [2] * 3


def test_c44_a_returned_view_is_a_view(xp):
    x = xp.asarray(np.arange(12.0).reshape(3, 4))
    for part in (lambda a: a[1:, ::2], lambda a: a.T, lambda a: a[::-1], lambda a: a.reshape(-1)[3:], lambda a: a[2, 3:]):
        result = PyccelKernel(part)(x)
        np.testing.assert_array_equal(xp.asnumpy(result), part(xp.asnumpy(x)))
        before = float(x.sum())
        result += 1
        assert float(x.sum()) == before + result.size


@pytest.mark.parametrize("part", [lambda a: a[1:], lambda a: a[:, 1], lambda a: a.T[::-1], lambda a: a[1, 1:2], lambda a: a[:]])
def test_c44_a_view_of_a_packed_argument_is_one_of_the_callers_array(xp, part):
    base = xp.asarray(np.arange(24.0).reshape(4, 6))
    for x in (base[:, ::2], base[::-1, 1:4], base[1:3].T, base[::2, ::-3]):
        expected = xp.asnumpy(x)
        result = PyccelKernel(part)(x)
        np.testing.assert_array_equal(xp.asnumpy(result), part(expected))
        result += 100
        part(expected)[...] += 100
        np.testing.assert_array_equal(xp.asnumpy(x), expected)


def test_c44_parts_that_are_no_elements_of_the_argument(xp):
    z = xp.asarray(np.array([1 + 2j, 3 + 4j]))
    real = PyccelKernel(lambda a: a.real)(z)
    real += 10
    assert xp.asnumpy(z).tolist() == [11 + 2j, 13 + 4j]
    wide = xp.asarray(np.arange(8) * 1j)
    with pytest.raises(ValueError, match=r"result is a part of a given array of which .*; .*return a copy"):
        PyccelKernel(lambda a: a.imag)(wide[::2])
    assert xp.asnumpy(PyccelKernel(lambda a: a.imag.copy())(wide[::2])).tolist() == [0, 2, 4, 6]


class WithUnit(np.ndarray):
    """An array that has more than its elements."""

    def __array_finalize__(self, source):
        self.unit = getattr(source, "unit", "m")


class Same(np.ndarray):
    """A subclass that has not."""


@pytest.mark.parametrize(
    "value",
    [
        np.ma.array([1.0, 2], mask=[True, False]),
        np.ma.array([1.0, 2]),
        np.ma.masked,
        np.ma.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")], mask=[(True, False)]),
        np.arange(3.0).view(WithUnit),
    ],
    ids=["masked", "no mask", "constant", "record", "unit"],
)
def test_c42_nothing_that_an_array_has_beside_its_elements_is_lost(xp, value):
    x = xp.zeros(3)
    assert PyccelKernel(lambda a: [value])(x)[0] is value
    with pytest.raises(TypeError, match=r"to_cupy\(\): no device array can have all that this .* has"):
        pkwrap.to_cupy(value)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_c42_subclasses_that_have_nothing_more_become_arrays_of_the_callers_kind(xp, tmp_path):
    np.arange(3.0).tofile(tmp_path / "values")
    mapped = np.memmap(tmp_path / "values", dtype=float, mode="r")
    for value in (mapped, np.arange(3.0).view(Same), np.asmatrix([0.0, 1, 2])):
        made = PyccelKernel(lambda a: value)(xp.zeros(3))  # noqa: B023
        assert isinstance(made, xp.ndarray) and xp.asnumpy(made).ravel().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "made",
    [(3,), (2, 3, 1), (3, 2), (0,), (), (2, 4), "f4", "read-only"],
    ids=str,
)
def test_c42_a_library_that_makes_another_array_than_was_asked_for(xp, monkeypatch, made):
    """Its memory must not be taken for that of the array that was asked for."""

    class Foreign(Interface):
        pass

    def empty(shape, dtype, order):
        if made == "read-only":
            array = xp.empty(shape, dtype)
            return Foreign(array, data=(array.__cuda_array_interface__["data"][0], True))
        return Foreign(xp.empty(shape, made) if made == "f4" else xp.empty(made, dtype))

    library = types.ModuleType("foreign_library")
    library.empty = empty
    monkeypatch.setitem(sys.modules, "foreign_library", library)
    monkeypatch.setattr(Foreign, "__module__", "foreign_library")
    with pytest.raises(TypeError, match=r"the library of .*Foreign made another array than was asked for"):
        PyccelKernel(lambda a: a * 2)(Foreign(xp.zeros((2, 3))))
