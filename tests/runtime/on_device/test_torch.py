"""PyTorch's tensors as arguments: one type for host and device, exchanged by DLPack's C table or method, results of their kind."""

import numpy as np
import pkwrap
import pytest
from pkwrap import PyccelKernel

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("this PyTorch has no CUDA device", allow_module_level=True)


def on_device(values):
    return torch.from_numpy(np.array(values)).cuda()


def test_a_tensor_is_read_and_written_in_place(kernels):
    x, y = on_device(np.arange(4.0)), on_device(np.ones(4))
    pointer = y.data_ptr()
    with pkwrap.count_transfers() as counter:
        assert kernels.axpy(2.0, x, y) is None
    assert y.cpu().tolist() == [1, 3, 5, 7] and y.data_ptr() == pointer and x.cpu().tolist() == [0, 1, 2, 3]
    assert (counter.bytes_to_host, counter.bytes_to_device) == (64, 32)


@pytest.mark.parametrize("view", [lambda t: t[:, ::2], lambda t: t[1::3], lambda t: t.T, lambda t: t[1], lambda t: t[:2, 1:3]])
def test_c15_c26_F6_views_and_no_byte_outside(view):
    host = np.arange(24.0).reshape(4, 6)
    tensor = on_device(host)

    def kernel(a):
        np.testing.assert_array_equal(a, view(host))
        a += 100

    PyccelKernel(kernel)(view(tensor))
    view(host)[...] += 100
    np.testing.assert_array_equal(tensor.cpu().numpy(), host)


DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 2), (1, 3, 1)])
def test_c11_c13_dtypes_and_shapes_and_results_of_the_same_kind(dtype, shape):
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    tensor = on_device(host)
    seen = []
    result = PyccelKernel(lambda a: (seen.append(a), a.copy())[1], outputs=())(tensor)
    assert type(seen[0]) is np.ndarray and seen[0].dtype == host.dtype and seen[0].shape == shape
    assert type(result) is torch.Tensor and result.device == tensor.device and result.dtype == tensor.dtype
    np.testing.assert_array_equal(result.cpu().numpy(), host)


def test_c10_host_tensors_are_no_device_arrays():
    host, device = torch.ones(2), on_device(np.ones(2))
    for _ in range(3):
        seen = []
        PyccelKernel(lambda *args, seen=seen: seen.extend(args))(host, device)
        assert seen[0] is host and type(seen[1]) is np.ndarray


def test_F26_bfloat16_where_the_manifest_says_so(kernels):
    bits = torch.from_numpy(np.array([0x3FC0, -0x4000], np.int16)).cuda()  # 1.5, -2
    y = torch.zeros(2, dtype=torch.int16).cuda()
    kernels.negate_bfloat16(bits.view(torch.bfloat16), y.view(torch.bfloat16))
    assert y.cpu().tolist() == [0xBFC0 - 0x10000, 0x4000]


def test_c42_c44_results_and_returned_arguments(kernels):
    x = on_device(np.arange(3.0))
    made = kernels.scaled(x)
    assert type(made) is torch.Tensor and made.device == x.device and made.cpu().tolist() == [0, 2, 4]
    assert PyccelKernel(lambda a: a)(x) is x


def test_a_tensor_that_requires_a_gradient_is_refused(kernels):
    x = on_device(np.arange(3.0)).requires_grad_()
    with pytest.raises((BufferError, RuntimeError), match=r"total\(\): argument 'x': .*detach\(\)"):
        kernels.total(x)
    assert kernels.total(x.detach()) == 3


def test_c24_c25_views_of_one_tensor_overlap_on_the_host(kernels):
    memory = on_device(np.zeros(5))
    kernels.shift(memory[:-1], memory[1:])
    assert memory.cpu().tolist() == [0, 1, 2, 3, 4]


def test_with_cupy_arrays_in_one_call(kernels, xp):
    x, y = xp.arange(3.0), on_device(np.ones(3))
    kernels.axpy(1.0, x, y)
    kernels.axpy(1.0, y, x)
    torch.cuda.synchronize()
    assert y.cpu().tolist() == [1, 2, 3] and xp.asnumpy(x).tolist() == [1, 3, 5]


@pytest.mark.parametrize("side", [False, True], ids=["default stream", "side stream"])
def test_c35_c36_F28_the_current_stream_of_torch_is_waited_for_and_written_on(kernels, side):
    stream = torch.cuda.Stream() if side else torch.cuda.default_stream()
    x, y = on_device(np.zeros(1000)), on_device(np.ones(1000))
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x += 2
        kernels.axpy(1.0, x, y)
        y *= 2
    stream.synchronize()
    assert set(y.cpu().tolist()) == {6}


def test_F40_F41_memory_is_given_back(kernels):
    x, y = on_device(np.arange(8.0)), on_device(np.ones(8))
    for _ in range(20):
        kernels.axpy(1.0, x, y)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for number in range(500):
        kernels.axpy(1.0, x, y)
        kernels.scaled(x)
        if number % 5 == 0:
            with pytest.raises(ValueError, match="argument 'y' has 7 elements"):
                kernels.axpy(1.0, x, y[1:])
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before
