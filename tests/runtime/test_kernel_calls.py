"""PyccelKernel: the call itself, its results, and what is counted (C33 to C53)."""

import copy
import gc
import sys
import threading
import warnings

import numpy as np
import pkwrap
import pytest
from foreign import DLPack, Interface
from pkwrap import PyccelKernel


def failing(x, error=None):
    x[...] = 9
    raise error or ZeroDivisionError("mine")


def test_c33_an_exception_is_passed_on_and_nothing_is_copied_back(xp, counted):
    x = xp.ones(3)
    error = ZeroDivisionError("mine")
    before = counted.to_device
    with pytest.raises(ZeroDivisionError) as caught:
        PyccelKernel(failing)(x, error=error)
    assert caught.value is error and error.__context__ is None and counted.to_device == before
    assert xp.asnumpy(x).tolist() == [1, 1, 1]
    with pytest.raises(SystemExit):
        PyccelKernel(failing)(x, error=SystemExit(3))


def test_c33_staging_memory_and_references_are_released(xp):
    x = xp.ones(1000)
    gc.collect()
    xp.cuda.runtime.deviceSynchronize()
    pkwrap.trim()
    in_use, references = pkwrap.staging_bytes()[0], sys.getrefcount(x)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            PyccelKernel(lambda state: failing(state[0]))([x])
    gc.collect()
    xp.cuda.runtime.deviceSynchronize()
    pkwrap.trim()
    assert (pkwrap.staging_bytes()[0], sys.getrefcount(x)) == (in_use, references)


def test_c33_copy_back_is_the_other_policy(xp):
    x, y = xp.ones(3), xp.ones(3)
    error = KeyError("mine")
    with pytest.raises(KeyError) as caught:
        PyccelKernel(failing, on_error="copy_back")(x, error)
    assert caught.value is error and xp.asnumpy(x).tolist() == [9, 9, 9]
    with pytest.raises(ZeroDivisionError):
        PyccelKernel(failing, on_error="copy_back", outputs=())(y)
    assert xp.asnumpy(y).tolist() == [1, 1, 1]


def test_c34_write_back_goes_into_the_same_memory(xp):
    x = xp.zeros(6)
    view = x[::2]
    pointer, strides = view.data.ptr, view.strides
    PyccelKernel(lambda a: a.fill(1))(view)
    assert (view.data.ptr, view.strides) == (pointer, strides) and xp.asnumpy(x).tolist() == [1, 0] * 3


def test_c35_what_is_done_on_the_stream_afterwards_sees_it(xp):
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        x = xp.asarray(np.zeros(4))
        for _ in range(50):
            PyccelKernel(lambda a: a.__iadd__(1) is None)(x)
        assert xp.asnumpy(x).tolist() == [50] * 4
    stream.synchronize()


def test_c35_the_call_does_not_wait_for_the_write_back(emulator, xp):
    x = xp.zeros(4)
    kernel = PyccelKernel(lambda a: a.fill(1))
    kernel(x)
    emulator.reset_counters()
    kernel(x)
    assert emulator.counters()["waits"] == 1  # for the download


@pytest.mark.parametrize("export", [DLPack, lambda a: Interface(a, stream=None), lambda a: Interface(a, version=2)])
def test_c35_where_no_stream_can_be_named_the_call_waits(emulator, xp, export):
    x = xp.asarray(np.zeros(4))
    emulator.settle()
    PyccelKernel(lambda a: a.fill(1))(export(x))
    other = xp.cuda.Stream(non_blocking=True)
    with other:  # not ordered after anything: only the call's own wait can have made it visible
        assert xp.asnumpy(x).tolist() == [1] * 4


def test_c36_downloads_come_after_the_producers_work(emulator, xp):
    stream = xp.cuda.Stream(non_blocking=True)
    x = xp.zeros(3)
    xp.cuda.runtime.deviceSynchronize()
    for export in (lambda a: Interface(a, stream=stream.ptr), lambda a: a):
        with stream:
            emulator.launch(lambda view: view.__iadd__(1), x)
            seen = PyccelKernel(lambda a: a.tolist(), outputs=())(export(x))
            assert seen == xp.asnumpy(x).tolist() and seen[0] > 0


def test_c36_F29_stream_0_is_an_error(xp):
    with pytest.raises(ValueError, match=r"<lambda>\(\): argument 'a'.*'stream' must not be 0"):
        PyccelKernel(lambda a: None)(Interface(xp.ones(2), stream=0))


def test_c37_F32_F33_arrays_of_several_devices(xp):
    if xp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device only")
    x = xp.zeros(3)
    with xp.cuda.Device(1):
        y = xp.ones(3)
    kernel = PyccelKernel(lambda a, b: (a.__iadd__(b), b.__imul__(5)) and None)
    kernel(x, y)
    assert xp.cuda.runtime.getDevice() == 0 and xp.asnumpy(x).tolist() == [1] * 3 and xp.asnumpy(y).tolist() == [5] * 3
    with pytest.raises(ZeroDivisionError):
        PyccelKernel(failing)(y)
    assert xp.cuda.runtime.getDevice() == 0


def test_c38_managed_arrays_are_used_in_place(emulator, counted):
    x = emulator.managed(np.arange(3.0))
    kept = []

    def kernel(a):
        a += 1
        kept.append(a)

    before = counted.bytes_to_host, counted.bytes_to_device, counted.kernel_conversions
    PyccelKernel(kernel)(x)
    after = counted.bytes_to_host, counted.bytes_to_device, counted.kernel_conversions
    assert after == (before[0], before[1], before[2] + 1)
    assert x.get().tolist() == [1, 2, 3] and kept[0].ctypes.data == x.data.ptr
    with pytest.raises(ZeroDivisionError):
        PyccelKernel(failing)(x)
    assert x.get().tolist() == [9, 9, 9]
    del x
    gc.collect()
    assert kept[0].tolist() == [9, 9, 9]  # the array that was kept keeps the memory


def test_c39_during_capture_a_call_is_one_error(emulator, xp):
    stream = xp.cuda.Stream(non_blocking=True)
    x = xp.zeros(2)
    xp.cuda.runtime.deviceSynchronize()
    ran = []
    with stream, emulator.capturing(stream):
        with pytest.raises(RuntimeError, match=r"<lambda>\(\): .*captur"):
            PyccelKernel(lambda a: ran.append(a))(x)
    assert ran == []
    PyccelKernel(lambda a: ran.append(a))(x)
    assert len(ran) == 1


def test_c40_an_older_error_is_not_blamed_on_the_call(emulator, xp):
    x = xp.zeros(2)
    ran = []
    kernel = PyccelKernel(lambda a: ran.append(a))
    emulator.leave_error(719)
    with pytest.raises(pkwrap.CudaError, match=r"<lambda>\(\): cudaErrorLaunchFailure.*before this call"):
        kernel(x)
    assert ran == []
    kernel(x)
    assert len(ran) == 1


def test_an_error_of_the_calls_own_copies(emulator, xp):
    x = xp.zeros(2)
    ran = []
    emulator.fail_call(1, 2, "cudaMemcpyAsync")
    with pytest.raises(pkwrap.CudaError, match=r"<lambda>\(\): .*cudaErrorMemoryAllocation"):
        PyccelKernel(lambda a: ran.append(a))(x)
    assert ran == []


def test_c40_a_failed_write_back_is_told_with_the_name_of_its_call(emulator, xp):
    x = xp.zeros(2)

    def written_badly(a):
        a += 1

    emulator.settle()
    emulator.fail_operation(2, 719)
    PyccelKernel(written_badly)(x)
    with pytest.raises(pkwrap.CudaError, match=r"written_badly\(\).*'?a'?"):
        for _ in range(5):
            PyccelKernel(lambda b: None, outputs=())(x)


@pytest.mark.parametrize("number", range(1, 14))
def test_any_cuda_call_may_fail_and_the_next_call_works(emulator, xp, number):
    x, y = xp.asarray(np.arange(3.0)), xp.zeros(6)[::2]
    kernel = PyccelKernel(lambda a, b: np.copyto(b, a))
    kernel(x, y)
    emulator.settle()
    emulator.fail_call(number, 2)
    try:
        kernel(x, y)
    except (pkwrap.CudaError, MemoryError, RuntimeError) as error:
        assert str(error).startswith("<lambda>(): ") or isinstance(error, MemoryError)
    finally:
        emulator.fail_call(0, 0)
    kernel(x, y)
    assert xp.asnumpy(y).tolist() == [0, 1, 2]


def test_c41_F39_other_threads_run_while_a_call_waits(emulator, xp):
    x = xp.zeros(2)
    ran = threading.Event()
    stream = xp.cuda.get_current_stream()
    stream.launch_host_func(lambda _: ran.set(), None)
    PyccelKernel(lambda a: None)(x)
    assert ran.is_set()


def test_arrays_that_a_kernel_keeps_keep_their_memory(xp):
    kept = []
    gc.collect()
    pkwrap.trim()
    before = pkwrap.staging_bytes()[0]

    def kernel(a, state):
        kept.append((a[1:], state, memoryview(a)))

    PyccelKernel(kernel)(xp.asarray(np.arange(4.0)), [xp.asarray(np.arange(3.0))])
    for _ in range(20):
        PyccelKernel(lambda a, b: (a.fill(-1), b.fill(-1)) and None)(xp.zeros(4), xp.zeros(3))
    view, state, memory = kept[0]
    assert view.tolist() == [1, 2, 3] and state[0].tolist() == [0, 1, 2] and memory.tolist() == [0, 1, 2, 3]
    assert pkwrap.staging_bytes()[0] > before
    del view, state, memory
    kept.clear()
    xp.cuda.runtime.deviceSynchronize()
    pkwrap.trim()
    assert pkwrap.staging_bytes()[0] == before


@pytest.mark.parametrize("keep", [lambda a: a, lambda a: a[1:], memoryview], ids=["array", "view", "buffer"])
def test_c35_what_a_kernel_keeps_may_be_changed_right_after_the_call(xp, keep):
    x, y, kept = xp.zeros(4), xp.zeros(3), []

    def kernel(a, state):
        a[:] = state[0][:] = 1
        kept.append(keep(state[0]))

    PyccelKernel(kernel)(y, [x])
    np.asarray(kept[0])[...] = 5
    assert xp.asnumpy(x).tolist() == [1] * 4 and xp.asnumpy(y).tolist() == [1] * 3


def test_c35_a_returned_argument_is_not_kept_and_costs_no_wait(emulator, xp):
    x = xp.zeros(4)
    kernel = PyccelKernel(lambda a: [a, {"a": a}])
    for _ in range(2):
        emulator.reset_counters()
        assert kernel(x)[1]["a"] is x
        assert emulator.counters()["waits"] == 1


def test_c45_c46_one_conversion_a_call_and_an_event_a_copy(xp):
    x, y = xp.asarray(np.arange(4.0)), xp.zeros(2)
    kernel = PyccelKernel(lambda a, b: a * 2, outputs=("b",))
    with pkwrap.count_transfers() as counter:
        kernel(x, [y])
        kernel(np.ones(3), [np.ones(3)])
    kinds = sorted((event.kind, event.nbytes) for event in counter.events if event.kind != "kernel_conversion")
    assert kinds == [("to_device", 16), ("to_device", 32), ("to_host", 16), ("to_host", 32)]
    (conversion,) = counter.kernel_conversion_calls
    assert "<lambda>" in conversion.description and "2 arrays" in conversion.description
    assert all(event.where.startswith(__file__) for event in counter.events)
    assert (counter.bytes_to_host, counter.bytes_to_device, counter.kernel_conversions) == (48, 48, 1)


def test_c46_a_call_that_converts_nothing_records_nothing(counted):
    PyccelKernel(lambda *a: 3)(np.ones(3), [1])
    assert counted.total == 0


def test_c47_assert_no_transfers(xp):
    x = xp.ones(2)
    with pkwrap.assert_no_transfers():
        PyccelKernel(lambda a: None)(np.ones(2))
    with pytest.raises(AssertionError, match="to_host"), pkwrap.assert_no_transfers():
        PyccelKernel(lambda a: None)(x)


def test_c49_totals_of_all_kernels_of_a_name(xp):
    def counted_kernel(a):
        pass

    key = f"{__name__}.counted_kernel"
    x = xp.zeros(4)
    for _ in range(2):
        PyccelKernel(counted_kernel)(x)
        PyccelKernel(counted_kernel)(np.zeros(4))
    totals = pkwrap.stats()[key]
    assert {name: totals[name] for name in ("calls", "conversions", "bytes_to_host", "bytes_to_device", "waits")} == {
        "calls": 4, "conversions": 2, "bytes_to_host": 64, "bytes_to_device": 64, "waits": 2,
    }  # fmt: skip


def test_a_fallback_warns_once_and_is_counted_each_call(xp):
    kernel = pkwrap.fallback(lambda a: a.fill(2), outputs=(0,))
    x = xp.zeros(2)
    with pkwrap.count_transfers() as counter:
        with pytest.warns(RuntimeWarning, match="kernel '<lambda>' has no version for the device"):
            kernel(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kernel(x)
            kernel(np.zeros(2))
        with pytest.warns(RuntimeWarning):
            copy.copy(pkwrap.fallback(len))([x])
    assert counter.fallbacks == 3 and xp.asnumpy(x).tolist() == [2, 2] and kernel.outputs == (0,)
    assert all(event.where.startswith(__file__) for event in counter.events if event.kind == "fallback")


def test_F41_references_and_memory_are_constant(xp):
    x, y, shared = xp.ones(4), xp.ones(4), {"k": [1, 2]}
    objects = [x, y, shared, np.dtype(float), PyccelKernel(failing)]
    kernel = PyccelKernel(lambda a, s, *, k: (a, a[1:], {"n": a * 2}, s["x"]), outputs=("a", "k"))
    wrong = PyccelKernel(lambda *a: None, outputs=(7,))

    def rounds(n):
        for _ in range(n):
            kernel(x, {"x": [y, (x, shared)]}, k=y[::2])
            PyccelKernel(lambda a: a)([1, shared])
            for call in (lambda: objects[4](x), lambda: wrong([x]), lambda: kernel(Interface(x, typestr="?"), [x], k=1)):
                with pytest.raises((ZeroDivisionError, IndexError, ValueError)):
                    call()

    rounds(20)
    gc.collect()
    before = [sys.getrefcount(o) for o in objects]
    rounds(300)
    gc.collect()
    assert [sys.getrefcount(o) for o in objects] == before


def test_c48_F46_threads(xp):
    kernel = PyccelKernel(lambda a, s: a.__iadd__(s["x"][0]) is None)
    failures = []

    def work(number):
        x, y = xp.zeros(50), xp.asarray(np.full(50, float(number)))
        with pkwrap.count_transfers(this_thread=True) as counter:
            for _ in range(20):
                kernel(x, {"x": [y]})
        if not (xp.asnumpy(x) == 20 * number).all() or counter.kernel_conversions != 20:
            failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_kernel_that_calls_itself(xp):
    def deeper(a, n):
        a += 1
        if n > 0:
            kernel(outer, n - 1)

    outer = xp.zeros(2)
    kernel = PyccelKernel(deeper)
    kernel(xp.zeros(2), 5)
    assert xp.asnumpy(outer).tolist() == [5, 5] or float(outer.sum()) > 0
