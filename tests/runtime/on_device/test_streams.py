"""What only a device shows: work that is really asynchronous, streams, captures, and the kinds of memory that CUDA has."""

import threading

import numpy as np
import pkwrap
import pytest
from conftest import SANITIZED
from foreign import DLPack, Interface
from pkwrap import PyccelKernel

SPIN = r"""
extern "C" __global__ void spin(double *x, long long n, double value, long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    for (long long i = 0; i < n; i++)
        x[i] = value;
}
"""


@pytest.fixture(scope="session")
def slow_fill(xp):
    """slow_fill(array, value): queues a kernel on the current stream that fills the array after about a fifth of a second."""
    kernel = xp.RawKernel(SPIN, "spin")

    def fill(array, value):
        kernel((1,), (1,), (array, array.size, float(value), 300_000_000))

    return fill


@pytest.fixture
def stream(xp):
    return xp.cuda.Stream(non_blocking=True)


def test_c36_F28_F30_a_download_waits_for_a_slow_kernel(kernels, xp, stream, slow_fill):
    x = xp.zeros(1000)
    xp.cuda.runtime.deviceSynchronize()
    for value, export in enumerate((lambda a: a, lambda a: Interface(a, stream=stream.ptr, version=3)), 1):
        with stream:
            slow_fill(x, value)
            assert kernels.total(export(x)) == 1000 * value
            assert PyccelKernel(lambda a: a.sum(), outputs=())(export(x)) == 1000 * value


@pytest.mark.parametrize("export", [lambda a: Interface(a, version=2), DLPack])
def test_c36_F28_a_slow_kernel_on_the_default_stream(kernels, xp, slow_fill, export):
    x = xp.zeros(1000)
    slow_fill(x, 2)
    assert kernels.total(export(x)) == 2000


def test_c35_F31_calls_do_not_wait_for_their_write_backs_and_keep_their_memory(xp, slow_fill):
    """The kernel queues slow work, so each write-back is still to come when the call returns: no two may share memory."""
    streams = [xp.cuda.Stream(non_blocking=True) for _ in range(4)]
    arrays = [xp.zeros(1000) for _ in streams]
    others = [xp.zeros(1) for _ in streams]
    xp.cuda.runtime.deviceSynchronize()
    under_way = 0
    for number, (stream, array, other) in enumerate(zip(streams, arrays, others, strict=True), 1):

        def kernel(a, number=number, other=other):
            slow_fill(other, 1)
            a += number

        with stream:
            PyccelKernel(kernel)(array)
            under_way += not stream.done
    assert under_way == len(streams) or SANITIZED  # where launches may be waited for
    for stream in streams:
        stream.synchronize()
    assert [set(xp.asnumpy(array).tolist()) for array in arrays] == [{1}, {2}, {3}, {4}]


def test_c35_a_device_kernel_queued_after_the_call_sees_the_write_back(kernels, xp, stream):
    with stream:
        y = xp.ones(1 << 20)
        for _ in range(20):
            kernels.axpy(1.0, y, y)
            y *= 0.5
        assert set(xp.asnumpy(y).tolist()) == {1}


def test_F46_threads_with_streams_of_their_own(kernels, xp):
    failures = []

    def work(number):
        with xp.cuda.Stream(non_blocking=True):
            for n in (3, 1000, 300_000):
                x, y = xp.full(n, float(number)), xp.zeros(n)
                for _ in range(10):
                    kernels.axpy(1.0, x, y)
                if not (xp.asnumpy(y) == 10 * number).all():
                    failures.append((number, n))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("mode", ["Global", "Relaxed", "ThreadLocal"])
def test_c39_a_call_during_capture_is_one_error_and_the_capture_goes_on(kernels, xp, stream, mode):
    x, y = xp.ones(100), xp.ones(100)
    x += 1  # the kernel is compiled and loaded before the capture
    kernels.axpy(1.0, x, y)
    xp.cuda.runtime.deviceSynchronize()
    with stream:
        stream.begin_capture(getattr(xp.cuda.runtime, "streamCaptureMode" + mode))
        with pytest.raises(RuntimeError, match=r"axpy\(\): .*captur"):
            kernels.axpy(1.0, x, y)
        x += 1
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    kernels.axpy(1.0, x, y)
    assert set(xp.asnumpy(x).tolist()) == {3} and set(xp.asnumpy(y).tolist()) == {6}


def test_a_capture_of_another_thread_is_left_alone(kernels, xp, stream):
    """While a thread captures in the global mode, others may not even ask for an event; the engine does, and pins memory."""
    x, y, big = xp.ones(100), xp.ones(100), xp.ones(1 << 22)
    other = xp.cuda.Stream(non_blocking=True)
    x += 1  # the kernel is compiled and loaded before the capture
    kernels.axpy(1.0, x, y)
    xp.cuda.runtime.deviceSynchronize()
    begun, finish, failures = threading.Event(), threading.Event(), []

    def capture():
        try:
            with stream:
                stream.begin_capture(xp.cuda.runtime.streamCaptureModeGlobal)
                begun.set()
                finish.wait(30)
                x.__iadd__(1)
                stream.end_capture().launch()
                stream.synchronize()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=capture)
    thread.start()
    try:
        assert begun.wait(30)
        assert kernels.total(Interface(y, stream=other.ptr, version=3)) == 300
        assert kernels.total(Interface(big, stream=other.ptr, version=3)) == 1 << 22
    finally:
        finish.set()
        thread.join()
    assert failures == [] and set(xp.asnumpy(x).tolist()) == {3}


def allocators(xp):
    yield "cudaMalloc", None
    yield "a pool of managed memory", xp.cuda.MemoryPool(xp.cuda.malloc_managed).malloc
    if xp.cuda.runtime.deviceGetAttribute(xp.cuda.runtime.cudaDevAttrMemoryPoolsSupported, 0):
        yield "cudaMallocAsync", xp.cuda.MemoryAsyncPool().malloc


def test_c34_c38_F34_memory_of_every_allocator(kernels, xp):
    for name, allocator in allocators(xp):
        with xp.cuda.using_allocator(allocator), pkwrap.count_transfers() as counter:
            x, y = xp.arange(1000.0), xp.ones(2000)[::2]
            kernels.axpy(1.0, x, y)
            xp.cuda.runtime.deviceSynchronize()
            np.testing.assert_array_equal(xp.asnumpy(y), 1 + np.arange(1000.0), name)
            assert (counter.bytes_to_host == 0) == ("managed" in name), name
            del x, y


def random_view(base, rng):
    """A view of `base` with steps and reversals of some axes, in another order of axes."""
    key = []
    for extent in base.shape:
        step = int(rng.choice([1, 1, 1, 2, 3, -1, -2]))
        low, high = sorted(rng.choice(extent + 1, 2, replace=False).tolist())
        key.append(slice(low, high, step) if step > 0 else slice(high - 1, low - 1 if low else None, step))
    return base[tuple(key)].transpose(rng.permutation(base.ndim).tolist())


@pytest.mark.parametrize("seed", range(40))
def test_c15_c26_F6_F13_F16_random_layouts_by_2d_and_3d_copies(xp, seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 60, int(rng.integers(1, 5))).tolist())
    dtype = rng.choice(["u1", "f4", "f8", "c16"])
    host = (rng.random(shape) * 100).astype(dtype)
    device = xp.asarray(host)
    view, seen = random_view(device, np.random.default_rng(seed + 1)), random_view(host, np.random.default_rng(seed + 1))
    assert view.shape == seen.shape

    def kernel(a):
        np.testing.assert_array_equal(a, seen)
        a += 1

    PyccelKernel(kernel)(view)
    seen += 1
    np.testing.assert_array_equal(xp.asnumpy(device), host)


def test_F35_arrays_above_the_limit_of_pinned_memory(python):
    out = python(
        """
import cupy, numpy as np, pkwrap
x, y = cupy.arange(3_000_000.0), cupy.zeros((1000, 2000))[:, ::2]
pkwrap.PyccelKernel(lambda a, b: (a.__iadd__(1), b.__iadd__(2)) and None)(x, y)
print(bool((x == cupy.arange(3_000_000.0) + 1).all()), bool((y == 2).all()), pkwrap.staging_bytes()[1] <= 1 << 20)
""",
        PKWRAP_PINNED_LIMIT="1M",
    )
    assert out.split() == ["True"] * 3


def test_the_per_thread_default_stream(python):
    out = python(
        """
import cupy, pkwrap
kernel = pkwrap.PyccelKernel(lambda a: a.__iadd__(1) is None)
x = cupy.zeros(1 << 20)
for _ in range(20):
    kernel(x)
    x *= 2
print(cupy.cuda.get_current_stream().ptr, int(x[0]) == 2 ** 21 - 2, bool((x == x[0]).all()))
""",
        CUPY_CUDA_PER_THREAD_DEFAULT_STREAM="1",
    )
    assert out.split() == ["2", "True", "True"]
