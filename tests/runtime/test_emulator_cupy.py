"""The stand-in for CuPy on emulated memory: what programs and tests written for CuPy do with it. The same tests run on CuPy."""

import gc
import threading

import numpy as np
import pytest


def same(xp, device, host):
    assert isinstance(device, xp.ndarray)
    back = xp.asnumpy(device)
    assert type(back) is np.ndarray and back.dtype == np.asarray(host).dtype and back.shape == np.shape(host)
    np.testing.assert_array_equal(back, host)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0, 2)])
def test_creation(xp, name, shape):
    array = getattr(xp, name)(shape, dtype=np.float32, order="F")
    assert array.shape == np.empty(shape).shape and array.dtype == np.float32
    assert array.flags.f_contiguous and (array.size == 0 or array.strides == np.empty(shape, "f", "F").strides)
    if name != "empty":
        same(xp, array, getattr(np, name)(shape, np.float32))


def test_creation_from_values(xp):
    for values in (3, 2.5, [1, 2], [[1.0], [2.0]], np.arange(6).reshape(2, 3).T, np.ones((2, 2), "F"), True, 1j):
        same(xp, xp.array(values), np.array(values))
        assert xp.asarray(values).strides == np.asarray(values).strides
    x = xp.arange(3.0)
    assert xp.asarray(x) is x and xp.array(x) is not x
    same(xp, xp.asarray(x, dtype=int), np.arange(3))
    same(xp, xp.full((2,), 7), np.full((2,), 7))
    same(xp, xp.linspace(0, 1, 5), np.linspace(0, 1, 5))
    for like in (xp.zeros_like, xp.ones_like, xp.empty_like):
        made = like(xp.ones((2, 3), order="F"))
        assert made.shape == (2, 3) and made.flags.f_contiguous and made.dtype == np.float64
    with pytest.raises((TypeError, ValueError)):
        xp.array(["text"])


def test_attributes(xp):
    x = xp.zeros((2, 3), dtype=np.int16)
    assert (x.shape, x.strides, x.dtype, x.ndim, x.size, x.itemsize, x.nbytes, len(x)) == ((2, 3), (6, 2), np.int16, 2, 6, 2, 12, 2)
    assert x.T.shape == (3, 2) and x.T.data.ptr == x.data.ptr and x[1:].data.ptr == x.data.ptr + 6
    with pytest.raises(TypeError):
        len(xp.zeros(()))
    assert int(x.device) == 0


KEYS = [
    (slice(1), ...), 0, -1, slice(1, 3), slice(None, None, 2), slice(None, None, -1), (1, 2), (slice(None), 1), (..., 0), None,
    (None, 0),    (slice(3, 0, -2), slice(None, None, -1)), (), slice(2, 2), np.int64(2),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_basic_indexing_gives_views(xp, key):
    host = np.arange(12.0).reshape(4, 3)
    device = xp.asarray(host)
    same(xp, device[key], host[key])
    host[key] += 100
    device[key] += 100
    same(xp, device, host)
    device[key] = -1
    host[key] = -1
    same(xp, device, host)


def test_other_indexing_gives_copies(xp):
    host = np.arange(12.0).reshape(4, 3)
    device = xp.asarray(host)
    same(xp, device[[2, 0]], host[[2, 0]])
    same(xp, device[device > 5], host[host > 5])
    same(xp, device[xp.asarray([1, 3]), 0], host[[1, 3], 0])
    device[device > 5] = 0
    device[[0, 1]] = xp.ones(3)
    host[host > 5] = 0
    host[[0, 1]] = 1
    same(xp, device, host)


def test_views_share_memory(xp):
    x = xp.arange(12.0)
    for view in (
        x[::2],
        x.reshape(3, 4),
        x.reshape(3, 4).T,
        x.ravel(),
        x.reshape(3, 4).swapaxes(0, 1),
        x.reshape(1, 12).squeeze(),
        x[None],
    ):
        before = xp.asnumpy(x)
        view += 1
        assert (xp.asnumpy(x) != before).sum() == view.size
    copy = x.reshape(3, 4)[:, :3].reshape(-1)
    copy += 1
    assert xp.asnumpy(x).tolist() == (before + 1).tolist()
    assert x.view(np.int64).dtype == np.int64


def test_arithmetic_on_copies(xp):
    a, b = np.arange(1.0, 4), np.array([2.0, 3.0, 5.0])
    x, y = xp.asarray(a), xp.asarray(b)
    for device, host in [
        (x + y, a + b), (2 - x, 2 - a), (x / y, a / b), (x**2, a**2), (-x, -a), (x < y, a < b), (x == y, a == b), (x @ y, a @ b),
        (abs(-x), a), (x // 2, a // 2), (divmod(7, 2)[0] * x, 3 * a), (x.astype(int) | 1, a.astype(int) | 1),
    ]:  # fmt: skip
        same(xp, device, host)
    x *= y
    x -= 1
    same(xp, x, a * b - 1)
    with pytest.raises(TypeError):
        x + b
    assert float(x.sum()) == (a * b - 1).sum() and int(x[0]) == 1 and bool(x[0]) and x.tolist() == (a * b - 1).tolist()


def test_functions_and_methods(xp):
    a = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(a)
    for name, args in [("sum", ()), ("mean", (0,)), ("max", ()), ("cumsum", ()), ("dot", (x.T,)), ("clip", (1, 3)), ("argmax", ())]:
        host = [xp.asnumpy(arg) if isinstance(arg, xp.ndarray) else arg for arg in args]
        np.testing.assert_array_equal(xp.asnumpy(getattr(x, name)(*args)), getattr(a, name)(*host))
        np.testing.assert_array_equal(xp.asnumpy(getattr(xp, name)(x, *args)), getattr(np, name)(a, *host))
    same(xp, xp.concatenate([x, x]), np.concatenate([a, a]))
    same(xp, xp.where(x > 2, x, 0), np.where(a > 2, a, 0))
    same(xp, np.sin(x), np.sin(a))
    same(xp, np.add(x, x), a + a)
    out = xp.zeros((2, 3))
    assert xp.multiply(x, 2, out=out) is out
    same(xp, out, a * 2)
    assert xp.float64 is np.float64 and xp.pi == np.pi and xp.allclose(x, x)
    with pytest.raises(AttributeError):
        getattr(xp, "no_such_function")  # noqa: B009


def test_nothing_becomes_a_numpy_array_by_itself(xp):
    with pytest.raises(TypeError, match="mplicit conversion"):
        np.asarray(xp.ones(2))
    assert type(xp.ones(2).get()) is np.ndarray
    out = np.zeros(2)
    assert xp.ones(2).get(out=out) is out and out.tolist() == [1, 1]


def test_set(xp):
    x = xp.zeros((2, 3), order="F")
    x.set(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    same(xp, x, np.arange(6.0).reshape(2, 3))
    x.fill(4)
    same(xp, x, np.full((2, 3), 4.0))


def test_random(xp):
    assert xp.random.random(5).shape == (5,) and isinstance(xp.random.random(5), xp.ndarray)
    xp.random.seed(3)
    first = xp.asnumpy(xp.random.uniform(1, 2, (2, 2)))
    xp.random.seed(3)
    np.testing.assert_array_equal(first, xp.asnumpy(xp.random.uniform(1, 2, (2, 2))))
    assert (first >= 1).all() and xp.random.default_rng(1).standard_normal(3).shape == (3,)


def test_streams(xp):
    null = xp.cuda.get_current_stream()
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        assert xp.cuda.get_current_stream() == stream
        with xp.cuda.Stream() as inner:
            assert xp.ones(2).__cuda_array_interface__["stream"] == inner.ptr
        x = xp.ones(2)
        assert x.__cuda_array_interface__["stream"] == stream.ptr
        event = stream.record()
    assert xp.cuda.get_current_stream() == null != stream and x.__cuda_array_interface__["stream"] == 1
    null.wait_event(event)
    event.synchronize()
    stream.synchronize()
    assert event.done and stream.done
    ran = []
    stream.launch_host_func(ran.append, 5)
    stream.synchronize()
    assert ran == [5]
    seen = []
    with stream:
        thread = threading.Thread(target=lambda: seen.append(xp.cuda.get_current_stream()))
        thread.start()
        thread.join()
    assert seen == [null]


def test_several_devices(xp):
    if xp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device only")
    with xp.cuda.Device(1) as device:
        y = xp.arange(3.0)
        assert xp.cuda.runtime.getDevice() == 1 == int(device)
    assert xp.cuda.runtime.getDevice() == 0 and int(y.device) == 1 and y.__dlpack_device__() == (2, 1)
    assert xp.asnumpy(y).tolist() == [0, 1, 2]
    device.synchronize()


def test_numpy_takes_the_dlpack_of_pinned_and_refuses_that_of_device_memory(emulator, xp):
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(xp.ones(2))
    with pytest.raises(BufferError, match="device memory cannot be touched"):
        memoryview(xp.ones(2).memory)
    memory = xp.cuda.alloc_pinned_memory(16)
    np.frombuffer(memory)[...] = [1, 2]
    assert np.frombuffer(memory).tolist() == [1, 2] and memory.ptr


def test_memory_is_freed(emulator, xp):
    gc.collect()
    emulator.settle()
    before = emulator.allocated(0)
    arrays = [xp.zeros(1000) for _ in range(10)]
    views = [array[5:] for array in arrays]
    del arrays
    assert emulator.allocated(0) >= before + 80000
    capsules = [view.__dlpack__(max_version=(1, 0)) for view in views]
    del views
    assert emulator.allocated(0) >= before + 80000
    del capsules
    gc.collect()
    assert emulator.allocated(0) == before
    with pytest.raises(MemoryError):
        xp.zeros(1 << 45, np.int8)


def test_an_array_cannot_leave_its_memory(emulator, xp):
    x = xp.zeros(4)
    with pytest.raises(ValueError, match="leaves its memory"):
        emulator.ndarray((5,), float, x.data)
    with pytest.raises(ValueError, match="leaves its memory"):
        emulator.ndarray((2,), float, x.data, (-8,))
    with pytest.raises(TypeError, match="cannot hold elements of type"):
        emulator.ndarray((2,), object)


def test_touching_device_memory_is_a_fault_that_says_where(python):
    code = (
        "import ctypes, subprocess, sys\n"
        "child = 'import ctypes\\nfrom pkwrap import emulator\\nx = emulator.cupy.zeros(4)\\nemulator.name(x, \"field\")\\n'"
        " 'ctypes.c_double.from_address(x.data.ptr).value'\n"
        "done = subprocess.run([sys.executable, '-c', child], capture_output=True, text=True)\n"
        "print(done.returncode < 0 or done.returncode > 1, 'field' in done.stderr)\n"
    )
    assert python(code).strip() == "True True"
