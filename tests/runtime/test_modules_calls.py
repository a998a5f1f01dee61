"""Calls of a generated module: binding, read-only arrays, overlap, created arrays, threads, references, statistics."""

import gc
import inspect
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest


def reference_axpy(a, x, y): ...


def reference_scaled(x, out=None, factor=2.0): ...


def reference_squares(x, out=None, *, work=None): ...


@pytest.mark.parametrize(
    ("args", "keywords"),
    [
        ((), {}),
        ((1,), {}),
        ((1, 2), {}),
        ((1, 2, 3, 4), {}),
        ((1, 2, 3, 4, 5), {}),
        ((1,), {"x": 2}),
        ((1, 2), {"x": 3}),
        ((1, 2, 3), {"z": 3}),
        ((1, 2, 3, 4), {"z": 3}),
        ((), {"y": 1}),
        ((1, 2, 3), {"a": 1}),
        ((1, 2, 3), {"ä": 1}),
    ],
)
@pytest.mark.parametrize("reference", [reference_axpy, reference_scaled, reference_squares])
def test_F44_wrong_calls_in_the_words_of_cpython(kernels, reference, args, keywords):
    name = reference.__name__.removeprefix("reference_")
    try:
        reference(*args, **keywords)
    except TypeError as error:
        # Newer versions add a suggestion to an unexpected keyword.
        expected = str(error).replace("reference_", "").split(". Did you mean")[0]
    else:
        return
    with pytest.raises(TypeError) as raised:
        getattr(kernels, name)(*args, **keywords)
    assert str(raised.value) == expected


def test_F44_keyword_only_ones_are_counted_as_cpython_does(kernels):
    with pytest.raises(TypeError) as raised:
        kernels.squares(1, 2, 3, work=4)
    expected = (
        "squares() takes from 1 to 2 positional arguments but 3 positional arguments (and 1 keyword-only argument) were given"
    )
    assert str(raised.value) == expected


def test_F44_a_shape_error_names_both_arguments_of_the_rule(kernels):
    with pytest.raises(ValueError) as raised:
        kernels.axpy(1.0, np.ones(4), np.ones(3))
    assert "argument 'y' has 3 elements in dimension 0, expected 4, where n = 4" in str(raised.value)
    assert "'x'" in str(raised.value)
    with pytest.raises(ValueError, match=r"'b' has 4 elements in dimension 0, expected 2\*n\+1 = 5, where n = 2 .* 'a'"):
        kernels.planes(np.zeros((2, 3)), np.zeros(4))
    with pytest.raises(ValueError, match="argument 'a' has 4 elements in dimension 1, expected 3"):
        kernels.planes(np.zeros((2, 4)), np.zeros(5))


def test_values_are_filled_in_from_sizes(kernels):
    assert kernels.rows(np.zeros((4, 7))) == 4012
    assert kernels.planes(np.ones((2, 3)), np.arange(5.0)) == 3 * (1 + 3)


def test_F10_F11_a_read_only_array_for_a_written_argument(kernels):
    y = np.frombuffer(np.ones(3).tobytes())
    for array in (y, y[::-1], np.broadcast_to(1.0, 3)):
        before = array.copy()
        with pytest.raises(ValueError, match="argument 'y' is written by the kernel, but the given array is read-only"):
            kernels.axpy(1.0, np.ones(3), array)
        np.testing.assert_array_equal(array, before)


def test_created_arrays(kernels, given):
    x = given(np.arange(3.0))
    assert kernels.scaled(x).tolist() == [0, 2, 4]
    assert kernels.scaled(x, factor=3).tolist() == [0, 3, 6]
    out = np.full(6, 9.0)
    view = out[::2]
    assert kernels.scaled(x, view) is view and out.tolist() == [0, 9, 2, 9, 4, 9]
    assert kernels.scaled(x, None, 1.0).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="argument 'out' has 2 elements in dimension 0, expected 3"):
        kernels.scaled(x, np.zeros(2))


def test_created_arrays_are_zeroed_and_their_sizes_optional(kernels):
    assert kernels.filled(3, 1.5).tolist() == [1.5, 1.5, 1.5]
    out = np.ones(2)
    assert kernels.filled(v=1.0, out=out) is out and out.tolist() == [2, 2]
    assert kernels.filled(2, 1.0, out) is out and out.tolist() == [3, 3]
    with pytest.raises(ValueError, match="argument 'out' has 2 elements in dimension 0, expected 3"):
        kernels.filled(3, 1.0, out)
    with pytest.raises(TypeError, match=r"filled\(\) missing 1 required positional argument: 'n'"):
        kernels.filled(v=1.0)
    with pytest.raises(ValueError, match="argument 'out' cannot be made: its size n = -1 in dimension 0 is negative"):
        kernels.filled(-1, 1.0)
    assert kernels.filled(0, 1.0).shape == (0,)


def test_scratch_arrays(kernels, given):
    x = given(np.arange(3.0))
    assert kernels.squares(x).tolist() == [0, 1, 4]
    work = np.full(6, np.nan)
    assert kernels.squares(x, work=work).tolist() == [0, 1, 4] and not np.isnan(work).any()
    assert kernels.squares(x, work=np.zeros(12)[::2]).tolist() == [0, 1, 4]
    with pytest.raises(ValueError, match=r"argument 'work' has 5 elements in dimension 0, expected 2\*n = 6"):
        kernels.squares(x, work=np.zeros(5))


def test_c23_objects_that_know_their_host_arguments(kernels, given):
    class Field:
        def __init__(self, array):
            self.array = array

        def __host_args__(self):
            return self.array

    class Broken:
        def __host_args__(self):
            raise ZeroDivisionError("mine")

    y = np.ones(3)
    kernels.axpy(1.0, Field(given(np.arange(3.0))), Field(y))
    assert y.tolist() == [1, 2, 3]
    with pytest.raises(ZeroDivisionError, match="mine"):
        kernels.total(Broken())
    with pytest.raises(TypeError, match="argument 'x' must be a 1-dimensional float64 array, not int"):
        kernels.total(Field(7))


def test_nullable_arrays(kernels, given):
    x = given(np.arange(3.0))
    assert kernels.weighted(x, None) == 3 and kernels.weighted(x, given(np.array([0.0, 2.0, 0.5]))) == 3
    with pytest.raises(ValueError, match="argument 'weights' has 2 elements"):
        kernels.weighted(x, np.zeros(2))


def test_overlap_in_place_is_seen_by_the_kernel(kernels):
    memory = np.zeros(5)
    kernels.shift(memory[:-1], memory[1:])
    assert memory.tolist() == [0, 1, 2, 3, 4]
    x = np.arange(3.0)
    kernels.axpy(1.0, x, x)
    assert x.tolist() == [0, 2, 4]


def test_overlap_that_a_packed_copy_would_hide_is_refused(kernels):
    memory = np.zeros(8)
    for x, y in ((memory[:4], memory[::2]), (memory[::2], memory[::2]), (memory[3::-1], memory[:4])):
        with pytest.raises(ValueError, match=r"shift\(\): arguments 'x' and 'y' overlap, and 'y' is written"):
            kernels.shift(x, y)
    assert (memory == 0).all()


def test_overlap_that_only_seems_one_is_allowed(kernels):
    z = np.arange(4) + 1j
    kernels.axpy(1.0, z.real, z.imag)
    assert z.imag.tolist() == [1, 2, 3, 4]
    memory = np.zeros(8)
    kernels.shift(memory[::2], memory[1::2])
    assert memory.tolist() == [0, 1] * 4
    kernels.shift(memory[:4], memory[4:])
    assert memory[4:].tolist() == [1, 2, 1, 2]


def test_overlap_of_arrays_that_are_only_read_is_no_matter(kernels, given):
    memory = given(np.arange(10.0))
    same = kernels.planes(memory[:6].reshape(2, 3), memory[:5])
    assert same == kernels.planes(memory[:6].reshape(2, 3).copy(), memory[:5].copy())
    assert kernels.planes(memory[1::-1, None] * np.ones((2, 3)), memory[::2]) == 3 * (1 * 2 + 0 * 6)


def test_overlap_with_restrict_is_refused(kernels):
    memory = np.arange(6.0)
    for x, y in ((memory, memory), (memory[:4], memory[2:]), (memory[::2], memory[:3])):
        with pytest.raises(ValueError, match="arguments 'x' and 'y' overlap, and 'y' is written"):
            kernels.add_restrict(x, y)
    kernels.add_restrict(memory[:3], memory[3:])
    assert memory.tolist() == [0, 1, 2, 3, 5, 7]


def test_nothing_changes_when_a_later_argument_is_wrong(kernels):
    y = np.ones(6)[::2]
    with pytest.raises(TypeError):
        kernels.scaled(np.ones(3), y, "2")
    assert y.tolist() == [1, 1, 1]


def test_the_signature_is_the_one_of_the_manifest(kernels):
    def names(kernel):
        return str(inspect.signature(kernel)).replace("$", "")

    if kernels.axpy.__text_signature__ is None:
        pytest.fail("the wrapper has no __text_signature__")
    assert names(kernels.axpy) == "(a, x, y)"
    assert names(kernels.scaled) == "(x, out=None, factor=2.0)"
    assert names(kernels.squares) == "(x, out=None, *, work=None)"


def references_of(objects):
    return [sys.getrefcount(o) for o in objects]


def resident_kilobytes():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def good_and_failing_calls(kernels):
    x, y, work, count = np.arange(64.0), np.ones(64), np.zeros(128), np.array(0)
    strided = np.ones(128)[::2]
    swapped = x.astype(">f8")
    read_only = np.broadcast_to(1.0, 64)
    text = "".join(["te", "xt"])
    objects = [x, y, work, count, strided, swapped, read_only, text, x.dtype, swapped.dtype]
    good = [
        lambda: kernels.axpy(2.0, x, y),
        lambda: kernels.axpy(a=0.5, x=swapped, y=strided),
        lambda: kernels.scaled(x),
        lambda: kernels.scaled(x, y),
        lambda: kernels.squares(strided, work=work),
        lambda: kernels.moments(x, count),
        lambda: kernels.moments(x, 3),
        lambda: kernels.echo_text(text),
        lambda: kernels.echo_long_double(1.0),
        lambda: kernels.echo_complex128(1j),
    ]
    failing = [
        lambda: kernels.axpy(2.0, x),
        lambda: kernels.axpy(2.0, x, y, z=1),
        lambda: kernels.axpy("2", swapped, strided),
        lambda: kernels.axpy(2.0, x, read_only),
        lambda: kernels.axpy(2.0, strided, y[1:]),
        lambda: kernels.axpy(2.0, x, count),
        lambda: kernels.scaled(swapped, strided, text),
        lambda: kernels.squares(x, work=y),
        lambda: kernels.moments(x, text),
        lambda: kernels.shift(strided, strided),
        lambda: kernels.echo_int8(1000),
        lambda: kernels.length(1),
    ]
    return objects, good, failing


def test_F41_references_and_memory_are_constant(kernels):
    objects, good, failing = good_and_failing_calls(kernels)

    def rounds(n):
        for _ in range(n):
            for call in good:
                call()
            for call in failing:
                try:
                    call()
                except (TypeError, ValueError, OverflowError):
                    continue
                pytest.fail("a wrong call was accepted")

    rounds(100)
    gc.collect()
    before, memory = references_of(objects), resident_kilobytes()
    rounds(5000)
    gc.collect()
    assert references_of(objects) == before
    if "asan" not in Path("/proc/self/maps").read_text():  # which keeps freed memory back
        assert resident_kilobytes() - memory < 2000


@pytest.mark.parametrize("n", [1, 4000])
def test_F46_calls_of_a_module_exclude_each_other(kernels, n):
    """24 threads; the counting kernel yields between reading and writing, so any overlap loses counts."""
    kernels.racy_reset()
    x = np.zeros(n)

    def work():
        for _ in range(20):
            kernels.racy_count(3)
            kernels.racy_add(x)

    threads = [threading.Thread(target=work) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kernels.racy_reset() == 24 * 20 * 4


def test_c49_statistics_count_every_call(kernels):
    pkwrap = pytest.importorskip("pkwrap")

    def calls():
        return pkwrap.stats()["runtime_kernels.axpy"]["calls"]

    x, y = np.ones(3), np.ones(3)
    before = calls()
    kernels.axpy(1.0, x, y)
    kernels.axpy(a=1.0, x=x[::-1], y=y)
    with pytest.raises(TypeError):
        kernels.axpy(1.0, x)
    assert calls() == before + 2
