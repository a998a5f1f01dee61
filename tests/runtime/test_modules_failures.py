"""Streams, devices and CUDA errors in calls of generated modules, on the emulator."""

import os

import numpy as np
import pkwrap
import pytest
from foreign import DLPack, Interface

if os.environ.get("PKWRAP_TEST_DEVICE") == "cupy":
    pytest.skip("needs the emulator: makes CUDA calls fail", allow_module_level=True)

from pkwrap import emulator
from pkwrap.emulator import cupy


@pytest.fixture(autouse=True)
def clean_emulator():
    """Each test begins with nothing queued, and ends without a violation of the emulator's rules."""
    emulator.settle()
    emulator.reset_counters()
    yield
    emulator.settle()
    assert emulator.counters()["violations"] == 0, emulator.last_violation()
    assert emulator.check() == 0


def fill(value):
    def kernel(view):
        view[...] = value

    return kernel


def test_c36_F28_F30_a_download_waits_for_the_producers_stream(kernels):
    x = cupy.asarray(np.zeros(1000))
    emulator.settle()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        emulator.launch(fill(2.0), x, stream=stream)
        assert kernels.total(x) == 2000
        emulator.launch(fill(3.0), x, stream=stream)
        assert kernels.total(Interface(x, stream=stream.ptr, version=3)) == 3000


@pytest.mark.parametrize("stream", [1, 2])
def test_c36_F29_the_default_streams(kernels, stream):
    x = cupy.asarray(np.zeros(1000))
    emulator.launch(fill(2.0), x, stream=cupy.cuda.ExternalStream(stream))
    assert kernels.total(Interface(x, stream=stream, version=3)) == 2000


@pytest.mark.parametrize("producer", [1, 2])
def test_F28_without_a_stream_both_default_streams_are_waited_for(kernels, producer):
    x = cupy.asarray(np.zeros(1000))
    emulator.launch(fill(2.0), x, stream=cupy.cuda.ExternalStream(producer))
    assert kernels.total(Interface(x, version=2)) == 2000
    if producer == 1:  # DLPack: the producer makes the legacy stream wait for its work, which the test's one has on it
        emulator.launch(fill(3.0), x, stream=cupy.cuda.ExternalStream(producer))
        assert kernels.total(DLPack(x)) == 3000


def test_F29_stream_none_means_no_synchronisation(kernels):
    x = cupy.asarray(np.zeros(1000))
    emulator.settle()
    stream = cupy.cuda.Stream(non_blocking=True)
    ran = []
    stream.launch_host_func(ran.append, None)
    assert kernels.total(Interface(x, stream=None, version=3)) == 0
    assert ran == []
    stream.synchronize()
    assert ran == [None]


def test_c35_one_wait_a_call_and_none_for_the_way_back(kernels):
    x, y = cupy.asarray(np.arange(3.0)), cupy.asarray(np.ones(3))
    emulator.reset_counters()
    kernels.axpy(1.0, x, y)
    assert emulator.counters()["waits"] == 1
    assert cupy.asnumpy(y).tolist() == [1, 2, 3]


@pytest.mark.parametrize("kind", [lambda a: Interface(a, version=2), lambda a: Interface(a, stream=None, version=3), DLPack])
def test_c35_where_no_stream_can_be_named_the_call_waits(kernels, kind):
    y = cupy.asarray(np.zeros(3))
    emulator.settle()
    emulator.reset_counters()
    kernels.mark_cube(kind(y.reshape(1, 1, 3)))
    assert emulator.counters()["waits"] >= 1
    before = emulator.counters()["copies_to_device"]
    emulator.settle()
    assert emulator.counters()["copies_to_device"] == before  # nothing was left to do
    assert cupy.asnumpy(y).tolist() == [0, 1, 2]


def test_c35_what_is_done_on_the_stream_afterwards_sees_the_result(kernels):
    y, seen = cupy.asarray(np.ones(3)), []
    emulator.settle()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        kernels.axpy(1.0, y, y)
        emulator.launch(lambda view: seen.extend(view.tolist()), y, stream=stream, writes=False)
        stream.synchronize()
    assert seen == [2, 2, 2]


@pytest.mark.parametrize("current", [0, 1])
def test_c37_F32_F33_arrays_of_two_devices_and_the_current_one_kept(kernels, current):
    with cupy.cuda.Device(0):
        x = cupy.asarray(np.arange(3.0))
    with cupy.cuda.Device(1):
        y = cupy.asarray(np.ones(3))
    with cupy.cuda.Device(current):
        kernels.axpy(1.0, x, y)
        kernels.axpy(1.0, y, x)
        assert cupy.cuda.Device().id == current
        with pytest.raises(ValueError):
            kernels.axpy(1.0, y, x[1:])
        emulator.fail_call(3, 700)
        with pytest.raises(pkwrap.CudaError):
            kernels.axpy(1.0, y, x)
        assert cupy.cuda.Device().id == current
    assert cupy.asnumpy(y).tolist() == [1, 2, 3] and cupy.asnumpy(x).tolist() == [1, 3, 5]


def test_c38_F34_managed_memory_is_used_in_place(kernels):
    x, y = emulator.managed(np.arange(4.0)), emulator.managed(np.ones(4))
    b = emulator.managed(np.zeros((2, 3)))
    stream = cupy.cuda.Stream(non_blocking=True)
    emulator.launch(fill(5.0), x, stream=stream)
    with pkwrap.count_transfers() as counter:
        kernels.axpy(1.0, Interface(x, stream=stream.ptr, version=3), y)
        kernels.axpy(1.0, x[::-1], y[::-1])
        kernels.mark_f(b)
    assert counter.bytes_to_host == counter.bytes_to_device == 0
    assert cupy.asnumpy(y).tolist() == [11, 11, 11, 11]
    assert cupy.asnumpy(b).tolist() == [[0, 1, 2], [10, 11, 12]]


def test_c39_a_call_during_capture_is_one_error_and_nothing_is_enqueued(kernels):
    x, y = cupy.asarray(np.arange(3.0)), cupy.asarray(np.ones(3))
    stream = cupy.cuda.Stream(non_blocking=True)
    emulator.settle()
    emulator.reset_counters()
    with stream, emulator.capturing(stream), pytest.raises(RuntimeError, match=r"axpy\(\): .*captur"):
        kernels.axpy(1.0, x, y)
    counters = emulator.counters()
    assert counters["copies_to_host"] == counters["copies_to_device"] == 0
    kernels.axpy(1.0, x, y)
    assert cupy.asnumpy(y).tolist() == [1, 2, 3]


def test_c40_an_error_of_an_unwaited_write_back_names_its_call_and_argument(kernels):
    x, y, z = cupy.asarray(np.arange(3.0)), cupy.asarray(np.ones(3)), cupy.asarray(np.ones(3))
    emulator.fail_operation(3, 700)  # two downloads, then the way back
    kernels.axpy(1.0, x, y)
    with pytest.raises(pkwrap.CudaError, match=r"total\(\): .*axpy.*'y'"):
        for _ in range(3):
            kernels.total(z)
    assert kernels.total(z) == 3


def host_values(*arrays):
    return [cupy.asnumpy(array).tolist() for array in arrays]


@pytest.mark.parametrize(
    "call",
    [
        lambda k, x, y: k.axpy(1.0, x, y),
        lambda k, x, y: k.axpy(1.0, x[::-1], y[::-1]),
        lambda k, x, y: k.scaled(x, y),
        lambda k, x, y: k.axpy(x[1], x, y),
        lambda k, x, y: k.axpy(1.0, Interface(x, version=2), Interface(y, version=2)),
    ],
)
def test_every_cuda_call_may_fail(kernels, call):
    """Whichever call fails: one CudaError that names the kernel; with the first ones y has its old values; the next call works."""
    failures = 0
    for number in range(1, 60):
        x, y = cupy.asarray(np.arange(3.0)), cupy.asarray(np.ones(3))
        emulator.settle()
        pkwrap.trim()
        emulator.fail_call(number, 700)
        try:
            call(kernels, x, y)
        except (pkwrap.CudaError, MemoryError) as error:
            assert str(error).startswith(("axpy(): ", "scaled(): "))
            failures += 1
        finally:
            emulator.fail_call(0, 0)
        emulator.settle()
        kernels.axpy(0.0, x, y)
        assert host_values(x) == [[0, 1, 2]]
    assert failures > 3


def test_device_memory_is_constant_over_failing_calls(kernels):
    x, y = cupy.asarray(np.arange(3.0)), cupy.asarray(np.ones(3))

    def rounds():
        for number in range(1, 30):
            for call in (lambda: kernels.scaled(x), lambda: kernels.axpy(1.0, x, y)):
                emulator.fail_call(number, 2)
                try:
                    call()
                except (pkwrap.CudaError, MemoryError):
                    pass
                finally:
                    emulator.fail_call(0, 0)
        emulator.settle()
        pkwrap.trim()
        return emulator.allocated(0), emulator.allocated(-1)

    rounds()
    assert rounds() == rounds()


def test_F35_staging_memory_is_given_back(kernels):
    rng = np.random.default_rng(5)
    for n in rng.integers(1, 20000, 300):
        kernels.axpy(1.0, cupy.asarray(np.ones(n)), cupy.asarray(np.ones(n)))
    emulator.settle()
    pkwrap.trim()
    assert emulator.allocated(-1) == 0


def test_F31_the_caller_may_overwrite_host_inputs_at_once(kernels):
    x, y = np.ones(1000), cupy.asarray(np.zeros(1000))
    kernels.axpy(1.0, x, y)
    x[...] = 7
    kernels.axpy(1.0, x, y)
    x[...] = 9
    assert set(cupy.asnumpy(y).tolist()) == {8}


def test_a_broken_device_is_one_error_each_time(kernels):
    x = cupy.asarray(np.ones(3))
    emulator.break_device(719)
    try:
        for _ in range(3):
            with pytest.raises(pkwrap.CudaError, match=r"total\(\): "):
                kernels.total(x)
        assert kernels.total(np.ones(3)) == 3
    finally:
        emulator.break_device(0)
    assert kernels.total(x) == 3


def test_a_pointer_that_is_no_device_memory_is_an_error(kernels):
    class Nowhere:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (64, False), "version": 3, "stream": None}

    with pytest.raises(ValueError, match=r"total\(\): .*'x'"):
        kernels.total(Nowhere())
