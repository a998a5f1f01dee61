"""Counting transfers (C45 to C48) with calls of generated modules."""

import inspect
import threading

import numpy as np
import pkwrap
import pkwrap.profiling
import pytest


def here():
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@pytest.fixture
def pair(xp):
    return xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))


def test_c45_events_tell_kind_place_description_and_bytes(kernels, pair):
    with pkwrap.count_transfers() as counter:
        _, place = kernels.axpy(1.0, *pair), here()
    assert [(e.kind, e.where, e.description, e.nbytes) for e in counter.events] == [
        ("to_host", place, "axpy: argument 'x'", 24),
        ("to_host", place, "axpy: argument 'y'", 24),
        ("to_device", place, "axpy: argument 'y'", 24),
        ("kernel_conversion", place, "axpy: 2 arrays converted", None),
    ]
    assert (counter.to_host, counter.to_device, counter.kernel_conversions, counter.fallbacks, counter.total) == (2, 1, 1, 0, 4)
    assert (counter.bytes_to_host, counter.bytes_to_device) == (48, 24)
    assert counter.kernel_conversion_calls == [counter.events[3]]
    assert str(counter.events[0]) == f"{place}: to_host: axpy: argument 'x' (24 bytes)"


def test_c45_the_report_groups_by_place(kernels, pair):
    with pkwrap.count_transfers() as counter:
        for _ in range(3):
            kernels.total(pair[0])
    lines = counter.report().splitlines()
    assert lines[0] == ("6 transfers (3 to_host, 0 to_device, 3 kernel_conversion, 0 fallback; 72 bytes to host, 0 to device)")
    assert lines[1].endswith(": to_host: total: argument 'x' (x3, 72 bytes)")
    assert lines[2].endswith(": kernel_conversion: total: 1 array converted (x3)") and len(lines) == 3


def test_c46_a_call_that_converts_nothing_records_nothing(kernels, pair):
    with pkwrap.count_transfers() as counter:
        kernels.axpy(1.0, np.ones(3), np.ones(3))
        kernels.axpy(1.0, np.ones(6)[::2], np.ones(3))
        with pytest.raises(TypeError):
            kernels.total(pair)
    assert counter.events == []


def test_c46_a_refused_call_records_nothing(kernels, pair):
    with pkwrap.count_transfers() as counter, pytest.raises(ValueError):
        kernels.axpy(1.0, pair[0], pair[1][1:])
    assert counter.events == []


def test_c47_counters_nest_and_can_be_reused(kernels, pair):
    with pkwrap.count_transfers() as outer:
        kernels.total(pair[0])
        with pkwrap.count_transfers() as inner:
            kernels.total(pair[0])
        with pkwrap.count_transfers(outer) as same:
            kernels.total(pair[0])
        assert same is outer
        kernels.total(pair[0])
    kernels.total(pair[0])
    assert (outer.to_host, inner.to_host) == (4, 1)
    with pkwrap.count_transfers(outer):
        kernels.total(pair[0])
    assert outer.to_host == 5


def test_c47_counters_are_removed_on_exceptions(kernels, pair):
    with pytest.raises(ZeroDivisionError), pkwrap.count_transfers() as counter:
        raise ZeroDivisionError
    kernels.total(pair[0])
    assert counter.total == 0


def test_c47_decorators(kernels, pair):
    counter = pkwrap.TransferCounter()

    @pkwrap.count_transfers(counter)
    def step():
        kernels.total(pair[0])

    step()
    step()
    kernels.total(pair[0])
    assert counter.to_host == 2

    @pkwrap.assert_no_transfers()
    def clean(array):
        kernels.total(array)

    clean(np.ones(3))
    with pytest.raises(AssertionError, match=r"2 transfers .*\n.*total: argument 'x'"):
        clean(pair[0])
    clean(np.ones(3))


def test_c47_assert_no_transfers(kernels, pair):
    with pkwrap.assert_no_transfers() as counter:
        kernels.total(np.ones(3))
    assert counter.total == 0
    with pytest.raises(AssertionError, match="test_modules_counting.py"), pkwrap.assert_no_transfers():
        kernels.total(pair[0])
    with pytest.raises(ZeroDivisionError), pkwrap.assert_no_transfers():
        kernels.total(pair[0])
        raise ZeroDivisionError


def test_c47_names_of_cunumpy(kernels):
    assert pkwrap.profiling.count_transfers is pkwrap.count_transfers
    assert pkwrap.profiling.assert_no_transfers is pkwrap.assert_no_transfers


@pytest.mark.parametrize("this_thread", [False, True])
def test_c48_threads(kernels, xp, this_thread):
    def work():
        x = xp.asarray(np.ones(3))
        for _ in range(50):
            kernels.total(x)

    with pkwrap.count_transfers(this_thread=this_thread) as counter:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        work()
        for thread in threads:
            thread.join()
    assert counter.kernel_conversions == (50 if this_thread else 450)


def test_c48_counters_come_and_go_while_others_count(kernels, xp):
    failures = []

    def work(number):
        x = xp.asarray(np.ones(3))
        for _ in range(30):
            with pkwrap.count_transfers(this_thread=True) as counter:
                for _ in range(number):
                    kernels.total(x)
            if counter.kernel_conversions != number:
                failures.append((number, counter.events))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_c47_an_exception_of_a_counter_is_passed_on(kernels, pair):
    class Failing(pkwrap.TransferCounter):
        def record(self, *event):
            raise ZeroDivisionError("mine")

    with pkwrap.count_transfers(Failing()), pytest.raises(ZeroDivisionError, match="mine"):
        kernels.total(pair[0])
    assert kernels.total(pair[0]) == 3
