"""Host arrays of every layout: packed, scattered back, and not a byte outside the view touched."""

import numpy as np
import pytest
from conftest import misaligned, swapped
from foreign import CPU, DLPack, OnHost
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st


def marks(shape):
    return 10.0 * np.arange(shape[0])[:, None] + np.arange(shape[1])


@st.composite
def layouts(draw, ranks=(2,)):
    """(memory, view): a float64 view with any order of axes, steps of any sign, gaps, byte order and alignment."""
    rank = draw(st.sampled_from(ranks))
    shape = [draw(st.integers(0, 4)) for _ in range(rank)]
    steps = [draw(st.sampled_from([1, 2, 3, -1, -2])) for _ in range(rank)]
    axes = draw(st.permutations(range(rank)))
    dtype = draw(st.sampled_from(["<f8", ">f8"]))
    offset = draw(st.sampled_from([0, 8, 1, 3]))
    full = [max(1, n * abs(step)) for n, step in zip(shape, steps)]
    count = int(np.prod(full))
    memory = np.arange(offset + 8 * count + 8, dtype=np.uint8) * 37
    base = memory[offset : offset + 8 * count].view(dtype).reshape([full[axis] for axis in axes])
    base[...] = np.arange(count).reshape(base.shape) * 0.5
    view = base.transpose(np.argsort(axes))
    view = view[tuple(slice(None, None, step) for step in steps)]
    view = view[tuple(slice(0, n) for n in shape)]
    assert view.shape == tuple(shape)
    return memory, view


def check_in_place(kernel, memory, view, change):
    """kernel(view) changes the view as `change` says, and nothing else of the memory."""
    expected_memory = memory.copy()
    expected = np.ndarray(
        view.shape,
        view.dtype,
        expected_memory,
        view.__array_interface__["data"][0] - memory.__array_interface__["data"][0],
        view.strides,
    )
    change(expected)
    kernel(view)
    np.testing.assert_array_equal(memory, expected_memory)


@settings(max_examples=200, deadline=None)
@for_all(layouts())
def test_F2_F6_F13_F16_F17_F22_any_layout_of_a_written_matrix(kernels, layout):
    def change(view):
        view += marks(view.shape)

    check_in_place(kernels.mark, *layout, change)


@settings(max_examples=200, deadline=None)
@for_all(layouts())
def test_F4_F14_any_layout_for_a_fortran_argument(kernels, layout):
    def change(view):
        view += marks(view.shape)

    check_in_place(kernels.mark_f, *layout, change)


@settings(max_examples=100, deadline=None)
@for_all(layouts(ranks=(3,)))
def test_F13_any_layout_of_an_overwritten_cube(kernels, layout):
    def change(view):
        i, j, k = np.indices(view.shape)
        view[...] = 100.0 * i + 10 * j + k

    check_in_place(kernels.mark_cube, *layout, change)


@settings(max_examples=100, deadline=None)
@for_all(layouts(), layouts())
def test_F8_F16_any_layout_of_an_input_equals_its_copy(kernels, first, second):
    x = first[1].reshape(-1, order="F")[:3] if first[1].size >= 3 else np.zeros(3)
    view = first[1]
    if view.shape == ():
        return
    out = np.zeros(view.shape)
    kernels.twice(view, out)
    np.testing.assert_array_equal(out, 2 * view.astype(float))
    assert kernels.total(x) == x.astype(float).sum()


def test_F1_int64_for_a_written_double_is_a_type_error(kernels):
    y = np.ones(3, dtype=np.int64)
    with pytest.raises(TypeError, match=r"axpy\(\): argument 'y' must be a 1-dimensional float64 array, got a 1-dim.*int64"):
        kernels.axpy(1.0, np.ones(3), y)
    assert y.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["f4", "i8", "c16", "O", "U3", "M8[s]", "V8", [("a", "f8")]])
def test_F1_every_other_dtype_is_a_type_error(kernels, dtype):
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array"):
        kernels.total(np.zeros(3, dtype=dtype))


@pytest.mark.parametrize("what", [[1.0, 2.0], (1.0,), 3.0, None, "abc", b"abc", {"a": 1}, memoryview(b"12345678"), object()])
def test_c16_only_arrays_are_arrays(kernels, what):
    with pytest.raises(TypeError, match=r"total\(\): argument 'x' must be a 1-dimensional float64 array, not \w+"):
        kernels.total(what)


def test_c16_wrong_rank_names_function_argument_expected_and_given(kernels):
    with pytest.raises(TypeError, match=r"total\(\): argument 'x' .* 1-dimensional float64 array, got a 2-dimensional float64"):
        kernels.total(np.zeros((2, 2)))
    with pytest.raises(TypeError, match=r"mark\(\): argument 'b' .* 2-dimensional float64 array, got a 0-dimensional"):
        kernels.mark(np.zeros(()))


def test_F4_an_earlier_view_shows_the_right_elements(kernels):
    out = np.zeros((3, 4), order="F")
    view = out[1:, ::2]
    dtype, strides = out.dtype, out.strides
    kernels.mark(out)
    np.testing.assert_array_equal(out, marks((3, 4)))
    np.testing.assert_array_equal(view, marks((3, 4))[1:, ::2])
    assert (out.dtype, out.strides) == (dtype, strides)


def test_F6_the_gaps_of_a_strided_output_keep_their_bytes(kernels):
    base = np.full((3, 8), np.nan)
    kernels.mark_cube(base.reshape(3, 2, 4)[:, :, ::2])
    assert np.isnan(base[:, 1::2]).all() and not np.isnan(base[:, ::2]).any()


def test_F8_a_column_equals_its_copy(kernels, given):
    a = np.arange(12.0).reshape(4, 3)
    assert kernels.total(given(a[:, 0])) == kernels.total(given(a[:, 0].copy())) == 18


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (5, 1), (1, 1), (2, 7)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_F13_both_orders_and_axes_of_length_one(kernels, given, shape, order):
    a = np.asarray(np.random.default_rng(1).random(shape), order=order)
    out = np.zeros(shape, order=order)
    kernels.twice(given(a), out)
    np.testing.assert_array_equal(out, 2 * a)


def test_F14_a_c_array_for_a_fortran_argument_is_not_permuted(kernels):
    b = np.zeros((2, 5))
    kernels.mark_f(b)
    np.testing.assert_array_equal(b, marks((2, 5)))


def test_F16_negative_strides(kernels, given):
    x = np.arange(5.0)
    y = np.zeros(5)
    kernels.axpy(1.0, given(x[::-1]), y)
    assert y.tolist() == [4, 3, 2, 1, 0]
    kernels.axpy(1.0, given(x), y[::-1])
    assert y.tolist() == [8, 6, 4, 2, 0]
    b = np.zeros((2, 3))
    kernels.mark(b[:, ::-1])
    np.testing.assert_array_equal(b, marks((2, 3))[:, ::-1])


def test_F17_a_field_whose_stride_is_no_multiple_of_its_size(kernels, given):
    s = np.zeros(4, dtype=[("tag", "i4"), ("x", "f8")])
    s["x"] = [1, 2, 3, 4]
    assert s["x"].strides == (12,)
    assert kernels.total(given(s["x"])) == 10
    kernels.axpy(1.0, np.ones(4), s["x"])
    assert s["x"].tolist() == [2, 3, 4, 5] and (s["tag"] == 0).all()


def test_F17_unaligned_memory(kernels, given):
    x = misaligned(np.arange(4.0))
    assert kernels.total(given(x)) == 6
    kernels.axpy(1.0, np.ones(4), x)
    assert x.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_F18_empty_matrices(kernels, given, shape, order):
    a = np.zeros(shape, order=order)
    kernels.twice(given(a), np.zeros(shape))
    kernels.mark(np.zeros(shape, order=order)[:, ::-1])
    kernels.mark_f(np.zeros(shape, order=order))


def test_F18_empty_vectors_and_refusal(kernels, given):
    kernels.axpy(1.0, given(np.zeros(0)), np.zeros(8)[8:])
    kernels.axpy(1.0, given(np.lib.stride_tricks.as_strided(np.zeros(1), (0,), (0,))), np.zeros(0))
    with pytest.raises(ValueError, match=r"total\(\): argument 'x' must not be empty"):
        kernels.total(given(np.zeros(0)))


def test_F22_big_endian_arrays_are_converted_and_converted_back(kernels, given):
    x, y = swapped(np.arange(3.0)), swapped(np.ones(3))
    kernels.axpy(2.0, given(x), y)
    assert y.tolist() == [1, 3, 5] and y.dtype.byteorder == ">"


@pytest.mark.parametrize("dtype", [np.longlong, np.int_, np.int64, np.dtype("=i8"), np.dtype("int64").newbyteorder("=")])
def test_F23_types_of_one_kind_and_size_are_one_type(kernels, given, dtype):
    x, y = np.arange(3).astype(dtype), np.ones(3, dtype)
    kernels.add_int64(given(x), y)
    assert y.tolist() == [1, 2, 3]


def test_F23_int32_under_its_other_name_is_still_no_int64(kernels):
    with pytest.raises(TypeError, match="int32"):
        kernels.add_int64(np.zeros(2, np.intc), np.zeros(2, np.int64))


@pytest.mark.parametrize(("name", "dtype"), [("add_half", np.float16), ("add_long_double", np.longdouble), ("add_int64", np.int64)])
@pytest.mark.parametrize("change", [lambda a: a, lambda a: a[::-1], swapped, misaligned])
def test_F26_F52_other_element_types_in_any_layout(kernels, given, name, dtype, change):
    x, y = change(np.arange(1, 5).astype(dtype)), change(np.ones(4, dtype))
    expected = (x + y).tolist()
    getattr(kernels, name)(given(x), y)
    assert y.tolist() == expected


def test_F26_bool_is_not_uint8(kernels, given):
    y = np.zeros(3, bool)
    kernels.invert_bools(given(np.array([True, False, True])), y)
    assert y.tolist() == [False, True, False]
    with pytest.raises(TypeError, match="1-dimensional bool array, got a 1-dimensional uint8"):
        kernels.invert_bools(np.zeros(3, np.uint8), y)


def test_F26_bfloat16_where_the_manifest_says_so(kernels, given):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.array([1.5, -2.0, 0.25]).astype(bfloat16)
    y = np.zeros(3, bfloat16)
    kernels.negate_bfloat16(given(x), y)
    assert y.astype(float).tolist() == [-1.5, 2, -0.25]
    y = np.zeros(6, bfloat16)
    kernels.negate_bfloat16(given(swapped(x[::-1])[::-1]), y[::2])
    assert y.astype(float).tolist() == [-1.5, 0, 2, 0, -0.25, 0]
    for wrong in (np.uint16, np.float16, np.int16, "V2"):
        with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional bfloat16 array, got a 1-dimensional"):
            kernels.negate_bfloat16(np.zeros(3, wrong), y[:3])
    with pytest.raises(TypeError, match="1-dimensional float64 array, got a 1-dimensional bfloat16"):
        kernels.total(x)


def test_F52_complex_arrays(kernels, given):
    x = np.array([1 + 2j, 3 - 4j])
    y = np.full(4, 9 + 9j)
    kernels.conjugate(given(x), y[::2])
    assert y.tolist() == [1 - 2j, 9 + 9j, 3 + 4j, 9 + 9j]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_of_ndarray_are_arrays(kernels):
    class Tagged(np.ndarray):
        pass

    y = np.ones(3).view(Tagged)
    kernels.axpy(1.0, np.arange(3.0).view(Tagged), y)
    assert y.tolist() == [1, 2, 3] and type(y) is Tagged
    m = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    kernels.mark(m)
    assert m.tolist() == [[1, 3], [13, 15]]


def test_masked_elements_are_refused(kernels):
    x = np.ma.array([1.0, 2.0, 3.0])
    assert kernels.total(x) == 6
    x[1] = np.ma.masked
    with pytest.raises(TypeError, match="argument 'x' has masked elements"):
        kernels.total(x)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((4,), (0,)), ((3, 3), (8, 8)), ((3, 4), (16, 8)), ((2, 3, 2), (8, 0, 16)), ((4,), (4,)), ((3, 2), (-8, 8))],
)
def test_c26_a_written_array_whose_elements_share_memory_is_refused(kernels, shape, strides):
    kernel = {1: lambda b: kernels.axpy(1.0, np.ones(b.shape), b), 2: kernels.mark, 3: kernels.mark_cube}[len(shape)]
    b = np.ndarray(shape, np.float64, np.zeros(256, np.uint8), 64, strides)
    with pytest.raises(ValueError, match="is written, but several of its elements share memory"):
        kernel(b)
    assert not b.any()


@pytest.mark.parametrize(
    ("shape", "strides"), [((3, 2), (8, 24)), ((2, 3), (8, 16)), ((3, 3), (24, 40)), ((2, 2), (-40, 8)), ((1, 3), (0, 8))]
)
def test_c26_unusual_strides_without_shared_elements_are_no_matter(kernels, shape, strides):
    b = np.ndarray(shape, np.float64, np.zeros(256, np.uint8), 64, strides)
    kernels.mark(b)
    np.testing.assert_array_equal(b, marks(shape))


def test_repeated_elements_of_an_input_are_no_matter(kernels):
    assert kernels.total(np.broadcast_to(2.0, 5)) == 10
    kernels.twice(np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 2), out := np.zeros((3, 2)))
    assert out.tolist() == [[0, 2], [2, 4], [4, 6]]


@pytest.mark.parametrize("versioned", [True, False])
def test_host_arrays_of_other_libraries_by_dlpack(kernels, versioned):
    y, strided = np.ones(3), np.ones(6)
    x = DLPack(OnHost(np.arange(3.0)), versioned=versioned, device_type=CPU)
    kernels.axpy(1.0, x, DLPack(OnHost(y), versioned=versioned, device_type=CPU))
    kernels.axpy(1.0, x, DLPack(OnHost(strided[::2]), versioned=versioned, device_type=CPU))
    assert y.tolist() == [1, 2, 3] and strided.tolist() == [1, 1, 2, 1, 3, 1]
    assert x.deleted == len(x.capsules) == 2 and {call["stream"] for call in x.calls} == {None}
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array, got a 1-dimensional int64"):
        kernels.total(DLPack(OnHost(np.arange(3)), device_type=CPU))
    memory = np.zeros(4)
    with pytest.raises(ValueError, match="arguments 'x' and 'y' overlap"):
        kernels.shift(DLPack(OnHost(memory[:2]), device_type=CPU), memory[::2])


def test_F10_F12_read_only_host_arrays_of_other_libraries(kernels):
    read_only = DLPack(OnHost(np.ones(3)), device_type=CPU, read_only=True)
    assert kernels.total(read_only) == 3
    with pytest.raises(ValueError, match="argument 'y' is written by the kernel, but the given array is read-only"):
        kernels.axpy(1.0, np.ones(3), read_only)
    assert read_only.deleted == len(read_only.capsules) == 2
