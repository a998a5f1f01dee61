"""Device arrays in calls of generated modules."""

import re
import subprocess
import threading
from pathlib import Path

import numpy as np
import pkwrap
import pytest
from foreign import ABSENT, CUDA_HOST, ByAnyName, DLPack, Interface, OnInstance, exchange_class


def marks(shape):
    return 10.0 * np.arange(shape[0])[:, None] + np.arange(shape[1])


def layouts_of(xp, shape):
    """The same shape on the device with every kind of strides: (memory, view) pairs."""
    n, m = shape

    def memory(*full):
        return xp.asarray(np.arange(float(np.prod(full))).reshape(full))

    yield from (
        (base, view(base))
        for base, view in [
            (memory(n, m), lambda a: a),
            (memory(m, n), lambda a: a.T),
            (memory(n, 2 * m), lambda a: a[:, ::2]),
            (memory(3 * n, m), lambda a: a[1::3]),
            (memory(n, m), lambda a: a[::-1]),
            (memory(n, m), lambda a: a[:, ::-1]),
            (memory(2 * m, 2 * n), lambda a: a[::-2, 1::2].T),
            (memory(2, n, m), lambda a: a[1]),
        ]
    )


def same_view(xp, base, view):
    """`view` of a NumPy copy of `base`."""
    host = xp.asnumpy(base).copy()
    offset = view.__cuda_array_interface__["data"][0] - base.__cuda_array_interface__["data"][0]
    return host, np.ndarray(view.shape, view.dtype, host, offset, view.strides)


def test_c11_a_device_array_gives_what_a_host_array_gives(kernels, xp):
    x, y = xp.asarray(np.arange(4.0)), xp.asarray(np.ones(4))
    assert kernels.axpy(2.0, x, y) is None
    assert xp.asnumpy(y).tolist() == [1, 3, 5, 7] and xp.asnumpy(x).tolist() == [0, 1, 2, 3]
    assert kernels.total(y) == 16


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", ["mark", "mark_f"])
def test_c14_c15_c26_F6_F16_every_layout_and_no_byte_outside(kernels, xp, name, number):
    base, view = list(layouts_of(xp, (3, 4)))[number]
    expected, expected_view = same_view(xp, base, view)
    expected_view += marks((3, 4))
    getattr(kernels, name)(view)
    np.testing.assert_array_equal(xp.asnumpy(base), expected)


@pytest.mark.parametrize("number", range(8))
def test_c15_every_layout_of_an_input(kernels, xp, number):
    _, view = list(layouts_of(xp, (3, 4)))[number]
    out = np.zeros((3, 4))
    kernels.twice(view, out)
    np.testing.assert_array_equal(out, 2 * xp.asnumpy(view))


def test_mixed_host_and_device_arrays_in_one_call(kernels, xp):
    y = np.zeros(6)[::2]
    kernels.axpy(1.0, xp.asarray(np.arange(3.0)), y)
    assert y.tolist() == [0, 1, 2]
    z = xp.asarray(np.ones(3))
    kernels.axpy(1.0, y, z)
    assert xp.asnumpy(z).tolist() == [1, 2, 3]


def test_F5_elements_that_the_kernel_skips_keep_their_values(kernels, xp):
    out = xp.asarray(np.full(4, 7.0))
    kernels.even(out)
    assert xp.asnumpy(out).tolist() == [42, 7, 42, 7]


def test_overwritten_arrays_are_not_downloaded(kernels, xp, counted):
    b = xp.asarray(np.zeros((2, 3, 4)))
    before = counted.bytes_to_host
    kernels.mark_cube(b)
    assert counted.bytes_to_host - before == 0
    i, j, k = np.indices((2, 3, 4))
    np.testing.assert_array_equal(xp.asnumpy(b), 100 * i + 10 * j + k)


def test_c13_F18_empty_device_arrays(kernels, xp):
    for shape in ((0, 3), (3, 0), (0, 0)):
        a = xp.asarray(np.zeros(shape))
        kernels.twice(a, xp.asarray(np.zeros(shape)))
        kernels.mark(a)
    assert kernels.count_int64(xp.asarray(np.zeros(0, np.int8))) == 0
    with pytest.raises(ValueError, match="argument 'x' must not be empty"):
        kernels.total(xp.asarray(np.zeros(0)))
    empty = Interface(xp.asarray(np.zeros(0)), data=(0, False))
    kernels.axpy(1.0, empty, xp.asarray(np.zeros(0)))


def test_wrong_dtype_and_rank_are_told_before_anything_is_copied(kernels, xp, counted):
    y = xp.asarray(np.ones(3))
    before = counted.total
    with pytest.raises(TypeError, match=r"axpy\(\): argument 'x' must be a 1-dimensional float64 array, got a 1-.* float32"):
        kernels.axpy(1.0, xp.asarray(np.ones(3, np.float32)), y)
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array, got a 2-dim.* float64"):
        kernels.axpy(1.0, xp.asarray(np.ones((3, 1))), y)
    with pytest.raises(ValueError, match="argument 'y' has 3 elements in dimension 0, expected 4"):
        kernels.axpy(1.0, xp.asarray(np.ones(4)), y)
    with pytest.raises(TypeError, match="argument 'a' must be a number .*, got a device array of 1 dimension"):
        kernels.axpy(y, y, y)
    assert counted.total == before


def test_c24_the_same_array_twice_is_one_array(kernels, xp, counted):
    x = xp.asarray(np.arange(4.0))
    before = counted.bytes_to_host
    kernels.axpy(1.0, x, x)
    assert xp.asnumpy(x).tolist() == [0, 2, 4, 6]
    assert counted.bytes_to_host - before <= 2 * x.nbytes  # one download, and that of asnumpy where it is counted


def test_c25_overlapping_contiguous_views_overlap_on_the_host(kernels, xp):
    memory = xp.asarray(np.zeros(5))
    kernels.shift(memory[:-1], memory[1:])
    assert xp.asnumpy(memory).tolist() == [0, 1, 2, 3, 4]


def test_c25_an_overlap_that_the_kernel_could_not_see_is_refused(kernels, xp):
    memory = xp.asarray(np.zeros(8))
    with pytest.raises(ValueError, match=r"shift\(\): .*'x'.*'y'|shift\(\): .*'y'.*'x'"):
        kernels.shift(memory[:4], memory[::2])
    assert not xp.asnumpy(memory).any()
    kernels.shift(memory[::2], memory[1::2])
    assert xp.asnumpy(memory).tolist() == [0, 1] * 4


def test_c25_refusals_are_the_same_on_the_host(kernels, xp):
    memory = xp.asarray(np.arange(16.0))

    def packed_twice(x, y):
        kernels.shift(x[:4], y[:8:2])

    def written_packed(x, _):
        kernels.mark(np.lib.stride_tricks.as_strided(x, (3, 3), (8, 8)) if x is host else stretched)

    host = np.zeros(16)
    stretched = xp.ndarray((3, 3), float, memory.data, (8, 8))
    for call in (packed_twice, written_packed, lambda x, y: kernels.add_restrict(x[:4], y[2:6]),
                 lambda x, y: kernels.add_restrict(x[2:6], y[:4])):
        texts = []
        for array in (host, memory):
            with pytest.raises(ValueError) as refused:
                call(array, array)
            texts.append(str(refused.value))
        assert texts[0] == texts[1]


def test_overlap_with_restrict_is_refused(kernels, xp):
    memory = xp.asarray(np.arange(6.0))
    with pytest.raises(ValueError, match=r"add_restrict\(\): arguments 'x' and 'y' overlap, and 'y' is written; the kernel"):
        kernels.add_restrict(memory[:4], memory[2:])
    kernels.add_restrict(memory[:3], memory[3:])
    assert xp.asnumpy(memory).tolist() == [0, 1, 2, 3, 5, 7]


def test_c42_created_arrays_on_the_cupy_backend(kernels, xp):
    with pkwrap.use_backend("cupy"):
        out = kernels.scaled(np.arange(3.0))
        assert type(out) is type(xp.asarray(np.zeros(1))) and xp.asnumpy(out).tolist() == [0, 2, 4]
    assert type(kernels.scaled(np.arange(3.0))) is np.ndarray


def test_c42_created_arrays_are_of_the_callers_kind(kernels, xp):
    x = xp.asarray(np.arange(3.0))
    out = kernels.scaled(x)
    assert type(out) is type(x) and xp.asnumpy(out).tolist() == [0, 2, 4]
    out = kernels.squares(x)
    assert type(out) is type(x) and xp.asnumpy(out).tolist() == [0, 1, 4]
    given = xp.asarray(np.zeros(6))[::2]
    assert kernels.scaled(x, given) is given and xp.asnumpy(given).tolist() == [0, 2, 4]
    assert type(kernels.scaled(np.arange(3.0))) is np.ndarray


def test_c42_created_and_returned_arrays_are_on_the_callers_device(kernels, xp):
    if xp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device only")
    with xp.cuda.Device(1):
        x = xp.asarray(np.arange(3.0))
    calls = (kernels.scaled, kernels.squares, pkwrap.PyccelKernel(lambda a: a + 1))
    for call in calls:
        with pkwrap.use_backend("cupy"):
            assert call(x).device.id == 1 and call(Interface(x)).device.id == 1 and xp.cuda.runtime.getDevice() == 0
        assert call(x).device.id == 1 and xp.cuda.runtime.getDevice() == 0
        assert call(xp.asarray(np.arange(3.0))).device.id == 0
        with xp.cuda.Device(1):
            assert call(xp.asarray(np.arange(3.0))).device.id == 1 and xp.cuda.runtime.getDevice() == 1


def test_scratch_arrays_are_not_copied(kernels, xp, counted):
    x, work = xp.asarray(np.arange(3.0)), xp.asarray(np.full(6, 7.0))
    down, up = counted.bytes_to_host, counted.bytes_to_device
    kernels.squares(x, xp.asarray(np.zeros(3)), work=work)
    after = counted.bytes_to_host - down, counted.bytes_to_device - up
    assert after[0] == 24
    assert (xp.asnumpy(work) == 7).all()


def test_scalars_from_0d_device_arrays_are_counted(kernels, xp, counted):
    x, y = xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))
    down = counted.bytes_to_host
    kernels.axpy(xp.asarray(np.array(2.0)), x, y)
    assert counted.bytes_to_host - down == 8 + 24 + 24
    assert xp.asnumpy(y).tolist() == [1, 3, 5]
    y = np.ones(3)
    kernels.axpy(xp.asarray(np.array(2, np.int32)), np.arange(3.0), y)
    assert y.tolist() == [1, 3, 5]
    assert kernels.echo_int64(xp.asarray(np.array(7, np.int16))) == 7
    assert xp.asnumpy(kernels.filled(xp.asarray(np.array(2)), 1.5)).tolist() == [1.5, 1.5]
    kernels.scale_by(xp.asarray(np.array(2.0)), y)
    assert y.tolist() == [2, 6, 10]


def test_F25_scalars_from_device_arrays_have_cs_ranges(kernels, xp):
    with pytest.raises(OverflowError, match="argument 'value' is out of range for C type 'int8_t'"):
        kernels.echo_int8(xp.asarray(np.array(300)))
    with pytest.raises(TypeError, match="argument 'value' must be an integer"):
        kernels.echo_int8(xp.asarray(np.array(3.0)))
    with pytest.raises(TypeError, match="argument 'a' must be a real number"):
        kernels.axpy(xp.asarray(np.array(1j)), np.ones(1), np.ones(1))


def test_a_0d_device_array_for_a_written_cell_is_changed(kernels, xp):
    count = xp.asarray(np.array(5))
    result = kernels.moments(xp.asarray(np.array([1.0, 3.0])), count)
    assert result[:2] == (0, 2.0) and result[2] is count and xp.asnumpy(count) == 7


@pytest.mark.parametrize("kind", [Interface, OnInstance, ByAnyName])
def test_c10_device_arrays_are_known_by_their_interface(kernels, xp, kind):
    y = xp.asarray(np.ones(3))
    kernels.axpy(1.0, kind(xp.asarray(np.arange(3.0))), kind(y))
    assert xp.asnumpy(y).tolist() == [1, 2, 3]


def test_c10_a_class_that_gets_the_interface_later_is_looked_at_again(kernels, xp):
    class Late:
        pass

    late = Late()
    with pytest.raises(TypeError, match="not .*Late"):
        kernels.total(late)
    array = xp.asarray(np.arange(3.0))
    Late.__cuda_array_interface__ = property(lambda self: array.__cuda_array_interface__)
    assert kernels.total(late) == 3
    del Late.__cuda_array_interface__
    with pytest.raises(TypeError, match="not .*Late"):
        kernels.total(late)


@pytest.mark.parametrize("entries", [{"version": 0}, {"version": 1}, {"version": 2}, {"version": ABSENT, "stream": ABSENT}])
def test_c10_F28_interface_versions_without_a_stream(kernels, xp, entries):
    y = xp.asarray(np.ones(3))
    kernels.axpy(1.0, Interface(xp.asarray(np.arange(3.0)), **entries), Interface(y, **entries))
    assert xp.asnumpy(y).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("entries", "asked"), [({"version": 2}, True), ({"version": 3, "stream": 1}, False), ({"version": 3, "stream": None}, False)]
)
def test_c36_F28_an_interface_without_a_stream_gives_way_to_dlpack(kernels, xp, entries, asked):
    """PyTorch's tensors have both; DLPack makes the producer's stream known, the older interface does not."""

    class Both(DLPack):
        @property
        def __cuda_array_interface__(self):
            return {**self.array.__cuda_array_interface__, **entries}

    x = Both(xp.asarray(np.arange(3.0)))
    xp.cuda.runtime.deviceSynchronize()
    assert kernels.total(x) == 3
    assert [call["stream"] for call in x.calls] == [1] * asked and x.deleted == asked


def test_an_interface_that_dlpack_cannot_export_is_read_as_it_is(kernels, xp):
    class Both(DLPack):
        @property
        def __cuda_array_interface__(self):
            return {**self.array.__cuda_array_interface__, "version": 2}

    x = Both(xp.asarray(np.arange(3.0)), lanes=2)
    assert kernels.total(x) == 3 and len(x.calls) == 1 and x.deleted == 0


@pytest.mark.parametrize("strides", [None, ABSENT])
def test_c10_strides_may_be_missing(kernels, xp, strides):
    assert kernels.total(Interface(xp.asarray(np.arange(4.0)), strides=strides)) == 6
    out = np.zeros((2, 3))
    kernels.twice(Interface(xp.asarray(np.arange(6.0).reshape(2, 3)), strides=strides), out)
    np.testing.assert_array_equal(out, 2 * np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    ("entries", "error", "text"),
    [
        ({"stream": 0}, ValueError, "'stream' must not be 0"),
        ({"stream": -1}, ValueError, "'stream' must be None or a positive integer"),
        ({"stream": "1"}, ValueError, "'stream' must be None or a positive integer"),
        ({"mask": object()}, TypeError, "masked arrays are not supported"),
        ({"typestr": "f8"}, ValueError, "'typestr' 'f8' is not an element type"),
        ({"typestr": "<f08"}, ValueError, "is not an element type"),
        ({"typestr": "<f8x"}, ValueError, "is not an element type"),
        ({"typestr": "<q8"}, ValueError, "is not an element type"),
        ({"typestr": 8}, TypeError, "'typestr' must be a string"),
        ({"typestr": ABSENT}, TypeError, "'typestr' must be a string"),
        ({"shape": [3]}, TypeError, "'shape' must be a tuple"),
        ({"shape": (3.0,)}, ValueError, "'shape' must hold 64-bit integers"),
        ({"shape": (-3,)}, ValueError, "negative extent"),
        ({"shape": (2**70,)}, ValueError, "'shape' must hold 64-bit integers"),
        ({"shape": (2**62,), "strides": None}, ValueError, "overflow"),
        ({"strides": (8, 8)}, ValueError, "'strides' must be None or a tuple as long as 'shape'"),
        ({"strides": (2**64,)}, ValueError, "'strides' must hold 64-bit integers"),
        ({"data": (0, False)}, ValueError, "null pointer"),
        ({"data": 7}, TypeError, "'data' must be a tuple"),
        ({"data": ("7", False)}, ValueError, "'data' must hold an address"),
        ({"version": "3"}, ValueError, "'version' must be a number"),
    ],
)
def test_c10_F29_malformed_interfaces(kernels, xp, entries, error, text):
    with pytest.raises(error, match=rf"total\(\): argument 'x'.*{text}"):
        kernels.total(Interface(xp.asarray(np.arange(3.0)), **entries))


def test_F29_integers_of_every_kind_in_an_interface(kernels, xp):
    x = xp.asarray(np.arange(3.0))
    shown = x.__cuda_array_interface__
    for kind in (np.int64, np.uint64, np.longlong):
        entries = {
            "stream": kind(1), "version": kind(3), "data": (kind(shown["data"][0]), np.False_),
            "shape": (kind(3),), "strides": (kind(8),),
        }  # fmt: skip
        assert kernels.total(Interface(x, **entries)) == 3
    with pytest.raises(ValueError, match="'stream' must not be 0"):
        kernels.total(Interface(x, stream=np.int64(0)))


@pytest.mark.parametrize("stream", [None, 1, 2])
def test_c36_F29_streams_of_the_interface(kernels, xp, stream):
    x, y = xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))
    xp.cuda.runtime.deviceSynchronize()
    kernels.axpy(1.0, Interface(x, stream=stream, version=3), Interface(y, stream=stream, version=3))
    xp.cuda.runtime.deviceSynchronize()
    assert xp.asnumpy(y).tolist() == [1, 2, 3]


def test_F22_big_endian_device_arrays_are_never_reinterpreted(kernels, xp):
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array, got a 1-dimensional >f8"):
        kernels.total(Interface(xp.asarray(np.arange(3.0)), typestr=">f8"))


def test_c17_structured_device_arrays_are_refused(kernels, xp):
    structured = Interface(xp.asarray(np.arange(3.0)), typestr="|V8", descr=[("a", "<f4"), ("b", "<f4")])
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array, got"):
        kernels.total(structured)


@pytest.mark.parametrize(
    "export", [lambda a: Interface(a, data=(a.__cuda_array_interface__["data"][0], True)), lambda a: DLPack(a, read_only=True)]
)
def test_F10_F12_read_only_device_arrays(kernels, xp, export):
    x = export(xp.asarray(np.arange(3.0)))
    assert kernels.total(x) == 3
    with pytest.raises(ValueError, match="argument 'y' is written by the kernel, but the given array is read-only"):
        kernels.axpy(1.0, np.ones(3), x)
    assert kernels.total(x) == 3


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("strides", [True, False])
@pytest.mark.parametrize("byte_offset", [0, 16])
def test_c10_F12_F29_dlpack(kernels, xp, versioned, strides, byte_offset):
    y = xp.asarray(np.ones(3))
    x = DLPack(xp.asarray(np.arange(3.0)), versioned=versioned, strides=strides, byte_offset=byte_offset)
    packed = DLPack(y, versioned=versioned)
    kernels.axpy(1.0, x, packed)
    assert xp.asnumpy(y).tolist() == [1, 2, 3]
    assert x.calls == [{"stream": 1, "max_version": (1, 3) if versioned else None}]
    assert (x.deleted, len(x.capsules)) == (1, 1) == (packed.deleted, len(packed.capsules))


@pytest.mark.parametrize("versioned", [True, False])
def test_F40_consumed_capsules_are_renamed_and_deleted_once(kernels, xp, versioned):
    from foreign import api

    x = DLPack(xp.asarray(np.arange(3.0)), versioned=versioned)
    for i in range(1000):
        if i % 2 == 0:
            kernels.total(x)
        else:
            with pytest.raises(ValueError, match="argument 'y' has 2 elements"):
                kernels.axpy(1.0, x, np.ones(2))
        x.kept.clear()
    assert x.deleted == len(x.capsules) == 1000
    name = b"used_dltensor_versioned" if versioned else b"used_dltensor"
    assert all(api.PyCapsule_GetName(capsule) == name for capsule in x.capsules)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"lanes": 2}, TypeError, "2 lanes is not supported"),
        ({"bits": 4}, TypeError, "4 bits and 1 lanes is not supported"),
        ({"code": 9}, TypeError, "code 9"),
        ({"code": 4, "bits": 16}, TypeError, "got a 1-dimensional bfloat16 array"),
        ({"major": 2}, BufferError, "DLPack version 2.0 is not supported"),
        ({"device_type": 10}, BufferError, "on a device of DLPack type 10; only CUDA devices"),
    ],
)
def test_F34_F40_dlpack_that_cannot_be_used(kernels, xp, arguments, error, text):
    with pytest.raises(error, match=rf"total\(\): argument 'x'.*{text}"):
        kernels.total(DLPack(xp.asarray(np.arange(3.0)), **arguments))


def test_F26_bfloat16_by_dlpack_where_the_manifest_says_so(kernels, xp):
    bits = np.array([0x3FC0, 0xC000], np.uint16)  # 1.5, -2
    x, y = xp.asarray(bits), xp.asarray(np.zeros(2, np.uint16))
    kernels.negate_bfloat16(DLPack(x, code=4), DLPack(y, code=4))
    assert xp.asnumpy(y).tolist() == [0xBFC0, 0x4000]
    with pytest.raises(TypeError, match="must be a 1-dimensional bfloat16 array, got a 1-dimensional uint16 array"):
        kernels.negate_bfloat16(x, y)


def test_F26_bool_by_both_interfaces(kernels, xp):
    x, y = xp.asarray(np.array([True, False])), xp.asarray(np.zeros(2, bool))
    kernels.invert_bools(DLPack(x), Interface(y))
    assert xp.asnumpy(y).tolist() == [False, True]
    with pytest.raises(TypeError, match="must be a 1-dimensional bool array, got a 1-dimensional uint8 array"):
        kernels.invert_bools(xp.asarray(np.zeros(2, np.uint8)), y)


def test_c10_the_exchange_table_of_a_type_comes_first(kernels, xp):
    kind = exchange_class(stream=None)
    x, y = kind(xp.asarray(np.arange(3.0))), xp.asarray(np.ones(3))
    packed = kind(y)
    kernels.axpy(1.0, x, packed)
    xp.cuda.runtime.deviceSynchronize()
    assert xp.asnumpy(y).tolist() == [1, 2, 3]
    assert x.calls == [] and (x.deleted, len(x.capsules)) == (1, 1) == (packed.deleted, len(packed.capsules))
    with pytest.raises(ValueError, match="read-only"):
        kernels.axpy(1.0, x, kind(y, read_only=True))
    assert packed.deleted == 1 and x.deleted == 2


def test_a_tensor_that_requires_a_gradient_is_refused_by_the_exchange_table_too(kernels, xp):
    x = exchange_class(stream=None)(xp.asarray(np.arange(3.0)))
    x.requires_grad = True
    with pytest.raises(BufferError, match=r"total\(\): argument 'x': Exchanged requires a gradient.*: pass its detach\(\)"):
        kernels.total(x)
    x.requires_grad = False
    assert kernels.total(x) == 3 and x.deleted == 1


def test_c10_an_exchange_table_of_another_major_version_is_not_used(kernels, xp):
    x = exchange_class(stream=None, major=2)(xp.asarray(np.arange(3.0)))
    assert kernels.total(x) == 3 and len(x.calls) == 1


def test_errors_of_the_interface_itself_are_passed_on(kernels):
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise ZeroDivisionError("mine")

    class NotNow:
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("on the host")

    with pytest.raises(ZeroDivisionError, match="mine"):
        kernels.total(Broken())
    with pytest.raises(TypeError, match="must be a 1-dimensional float64 array, not .*NotNow"):
        kernels.total(NotNow())


def test_c45_c46_a_converting_call_is_counted(kernels, xp, counted):
    x, y = xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))
    conversions, down, up = counted.kernel_conversions, counted.bytes_to_host, counted.bytes_to_device
    kernels.axpy(1.0, x, y)
    assert counted.kernel_conversions == conversions + 1
    assert (counted.bytes_to_host - down, counted.bytes_to_device - up) == (48, 24)
    event = counted.kernel_conversion_calls[-1]
    assert "axpy" in event.description and "2" in event.description and "test_modules_device.py" in event.where
    kernels.axpy(1.0, np.ones(3), np.ones(3))
    assert counted.kernel_conversions == conversions + 1


def test_c49_statistics_of_a_converting_call(kernels, xp):
    def stats():
        return pkwrap.stats()["runtime_kernels.axpy"]

    x, y = xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))
    before = stats()
    kernels.axpy(1.0, x, y)
    after = stats()
    change = {key: after[key] - before[key] for key in after}
    waits = change.pop("waits")
    assert change == {"calls": 1, "conversions": 1, "bytes_to_host": 48, "bytes_to_device": 24} and waits >= 1


def test_F38_without_a_cuda_runtime_the_host_works_and_a_device_argument_is_one_error(kernels, kernels_folder, python):
    out = python(
        f"""
import sys; sys.path.insert(0, {str(kernels_folder)!r})
import numpy as np, runtime_kernels as k
class Device:
    __cuda_array_interface__ = dict(shape=(3,), typestr="<f8", data=(4096, False), version=3, stream=None)
y = np.ones(3)
k.axpy(1.0, np.arange(3.0), y)
print(y.tolist())
try:
    k.total(Device())
except RuntimeError as error:
    print(error)
k.axpy(1.0, np.arange(3.0), y)
print(y.tolist())
""",
        PKWRAP_CUDA_RUNTIME="/nonexistent/libcudart.so",
        PKWRAP_DEVICE="",
    )
    first, error, last = out.splitlines()
    assert first == "[1.0, 2.0, 3.0]" and last == "[1.0, 3.0, 5.0]"
    assert error.startswith("total(): ") and "/nonexistent/libcudart.so" in error


def test_F38_the_cuda_runtime_of_a_python_package_is_found(kernels, kernels_folder, python, tmp_path):
    """As installed by pip with CuPy: nvidia/cu13/lib in a folder of sys.path. This one has no device, and is named for that."""
    header = (Path(__file__).parent.parent.parent / "lib/core/cuda.h").read_text()
    names = set(re.findall(r"X\(\w+, (cuda\w+)", header))
    source = "".join(f"int {name}(void) {{ return 100; }}\n" for name in names - {"cudaGetErrorName", "cudaGetErrorString"})
    source += "".join(f'const char *{name}(int e) {{ return "error"; }}\n' for name in ("cudaGetErrorName", "cudaGetErrorString"))
    library = tmp_path / "site/nvidia/cu13/lib/libcudart.so.13"
    library.parent.mkdir(parents=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True)
    out = python(
        f"""
import sys; sys.path[:0] = [{str(kernels_folder)!r}, {str(tmp_path / "site")!r}]
import runtime_kernels as k
class Device:
    __cuda_array_interface__ = dict(shape=(3,), typestr="<f8", data=(4096, False), version=3, stream=None)
try:
    k.total(Device())
except RuntimeError as error:
    print(error)
""",
        PKWRAP_DEVICE="",
    )
    assert out.startswith(f"total(): the CUDA Runtime {library} finds no usable device")


def test_F37_host_calls_work_in_a_forked_child_and_device_calls_say_so(kernels, kernels_folder, python):
    out = python(
        f"""
import os, sys; sys.path.insert(0, {str(kernels_folder)!r})
import numpy as np, runtime_kernels as k
from pkwrap.emulator import cupy
x = cupy.asarray(np.arange(3.0))
assert k.total(x) == 3
child = os.fork()
if child == 0:
    print(k.total(np.arange(3.0)))
    try:
        k.total(x)
    except RuntimeError as error:
        print("fork" in str(error))
    sys.stdout.flush()
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    )
    assert out.splitlines() == ["3.0", "True", "0"]


def test_c41_other_python_threads_run_while_a_call_waits(kernels, xp):
    """A stream callback that needs the GIL while a call waits for that stream: both finish (F39)."""
    stream = xp.cuda.Stream(non_blocking=True)
    x = xp.asarray(np.arange(3.0))
    xp.cuda.runtime.deviceSynchronize()
    ran = threading.Event()
    stream.launch_host_func(lambda _: ran.set(), None)
    assert kernels.total(Interface(x, stream=stream.ptr, version=3)) == 3
    assert ran.is_set()


@pytest.mark.parametrize("n", [5, 5000])
def test_F46_device_calls_of_many_threads(kernels, xp, n):
    failures = []

    def work(number):
        x, y = xp.asarray(np.full(n, float(number))), xp.asarray(np.zeros(n))
        for _ in range(20):
            kernels.axpy(1.0, x, y)
        if not (xp.asnumpy(y) == 20 * number).all() or kernels.total(x) != number * n:
            failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_F41_references_are_constant_over_device_calls(kernels, xp):
    import gc
    import sys

    x, y, alpha = xp.asarray(np.arange(8.0)), xp.asarray(np.ones(8)), xp.asarray(np.array(2.0))
    packed = DLPack(x)
    objects = [x, y, alpha, packed, np.dtype("f8")]

    def rounds(n):
        for _ in range(n):
            kernels.axpy(alpha, x, y[::-1])
            kernels.scaled(x)
            kernels.total(packed)
            packed.kept.clear()
            packed.capsules.clear()
            packed.calls.clear()
            for wrong in (
                lambda: kernels.axpy(alpha, x, y[1:]),
                lambda: kernels.axpy(x, x, y),
                lambda: kernels.shift(x[:4], x[::2]),
            ):
                with pytest.raises((TypeError, ValueError)):
                    wrong()

    rounds(20)
    gc.collect()
    before = [sys.getrefcount(o) for o in objects]
    rounds(300)
    gc.collect()
    assert [sys.getrefcount(o) for o in objects] == before


def test_F34_pinned_memory_by_dlpack_is_used_in_place(kernels, xp, counted):
    memory = xp.cuda.alloc_pinned_memory(24)
    host = np.frombuffer(memory, np.float64, 3)
    host[...] = [1, 2, 3]

    class Pinned:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (host.ctypes.data, False)}

    before = counted.total
    x = DLPack(Pinned(), device_type=CUDA_HOST)
    assert kernels.total(x) == 6 and x.calls[0]["stream"] is None
    kernels.axpy(1.0, np.ones(3), DLPack(Pinned(), device_type=CUDA_HOST))
    assert host.tolist() == [2, 3, 4]
    assert counted.bytes_to_host == counted.bytes_to_device == 0 and counted.total == before + 2
