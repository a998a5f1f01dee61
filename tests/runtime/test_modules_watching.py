"""Verify and learn mode with generated modules (C50 to C53)."""

import json
import threading

import numpy as np
import pkwrap
import pytest


def arrays(xp=None):
    """A 2 x 3 column-major x whose second element in memory is x[1, 0], and a y."""
    x, y = np.asfortranarray(np.zeros((2, 3))), np.asfortranarray(np.zeros((2, 3)))
    return (x, y) if xp is None else (xp.asarray(x), xp.asarray(y))


def test_c50_c51_an_undeclared_write_to_a_host_array(kernels):
    x, y = arrays()
    kernels.sneaky(x, y)
    assert x[1, 0] == 9
    x, y = arrays()
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError) as raised:
        kernels.sneaky(x, y)
    text = "sneaky(): argument 'x' is not declared as written, but the kernel changed x[1, 0] from 0.0 to 9.0"
    assert str(raised.value) == text
    kernels.sneaky(x, y)


def test_c50_packed_and_read_only_host_arrays(kernels):
    x, y = np.zeros((2, 3)), np.zeros((2, 3))
    x.flags.writeable = False
    kernels.sneaky(x, y)
    assert not x.any() and (y == 1).all()
    y[...] = 0
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed x\[1, 0\] from 0.0 to 9.0"):
        kernels.sneaky(x, y)
    assert not x.any() and not y.any()


def test_c27_c50_c51_an_undeclared_write_to_a_device_array(kernels, xp):
    x, y = arrays(xp)
    kernels.sneaky(x, y)
    assert not xp.asnumpy(x).any() and (xp.asnumpy(y) == 1).all()
    x, y = arrays(xp)
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"sneaky\(\): argument 'x'.* x\[1, 0\] from 0.0 to 9.0"):
        kernels.sneaky(x, y)
    assert not xp.asnumpy(x).any() and not xp.asnumpy(y).any()


def test_c50_declared_writes_and_equal_values_are_no_error(kernels, xp):
    with pkwrap.verify():
        for x, y in ((np.arange(3.0), np.ones(3)), (xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3)))):
            kernels.axpy(2.0, x, y)
            assert np.asarray(xp.asnumpy(y) if not isinstance(y, np.ndarray) else y).tolist() == [1, 3, 5]
        assert kernels.scaled(np.arange(3.0)).tolist() == [0, 2, 4]
        assert kernels.filled(2, 1.5).tolist() == [1.5, 1.5]
        assert kernels.squares(np.arange(3.0)).tolist() == [0, 1, 4]
        assert kernels.total(np.full(2, np.nan)) != 0
        kernels.axpy(1.0, np.zeros(0), np.zeros(0))
        x, y = np.full((2, 3), 9.0, order="F"), np.zeros((2, 3), order="F")
        kernels.sneaky(x, y)  # writes what is there already


def test_c50_a_change_through_a_written_argument_is_no_undeclared_write(kernels, xp):
    with pkwrap.verify():
        y = np.arange(3.0)
        kernels.axpy(1.0, y, y)
        memory = np.zeros(5)
        kernels.shift(memory[:-1], memory[1:])
        assert y.tolist() == [0, 2, 4] and memory.tolist() == [0, 1, 2, 3, 4]
        y = xp.asarray(np.arange(3.0))
        kernels.axpy(1.0, y, y)
        memory = xp.asarray(np.zeros(5))
        kernels.shift(memory[:-1], memory[1:])
        assert xp.asnumpy(y).tolist() == [0, 2, 4] and xp.asnumpy(memory).tolist() == [0, 1, 2, 3, 4]
        memory = np.zeros(9)
        x, y = memory[:6].reshape(2, 3, order="F"), memory[3:].reshape(2, 3, order="F")
        with pytest.raises(pkwrap.UndeclaredWriteError, match=r"x\[1, 0\] from 0.0 to 9.0"):
            kernels.sneaky(x, y)


def test_c52_what_an_overwriting_kernel_leaves_out(kernels, xp):
    out = np.zeros(4)
    kernels.lazy(out)
    text = r"lazy\(\): argument 'out' is declared overwritten, but the kernel did not write out\[3\]"
    for out in (np.zeros(4), np.zeros(8)[::2], xp.asarray(np.zeros(4))):
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=text):
            kernels.lazy(out)
        host = out if isinstance(out, np.ndarray) else xp.asnumpy(out)
        assert not host.any()
    with pkwrap.verify():
        b = np.zeros((2, 3, 4))
        kernels.mark_cube(b)
        assert b[1, 2, 3] == 123
        y = np.zeros(2, complex)
        kernels.conjugate(np.array([1j, 2]), y)
        assert y.tolist() == [-1j, 2]


def test_c52_what_an_overwriting_kernel_reads(kernels, xp):
    for make in (np.array, lambda values, dtype=float: xp.asarray(np.array(values, dtype))):
        out, copy, single = make([1.0, 2, 3]), make([0.0, 0, 0]), make([1, 2], dtype=np.float32)
        text = r"reads_first\(\): argument 'out' or 'copy' is declared overwritten, but .* copy\[0\] has come of it"
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=text):
            kernels.reads_first(out, copy)
        text = r"reads_for_result\(\): argument 'out' is declared overwritten, but .*: the result has come of it"
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=text):
            kernels.reads_for_result(single)
        values = [array if isinstance(array, np.ndarray) else xp.asnumpy(array) for array in (out, copy, single)]
        assert [array.tolist() for array in values] == [[1, 2, 3], [0, 0, 0], [1, 2]]
    with pkwrap.verify():  # other NaNs are nobody's pattern
        y = np.full(3, np.nan)
        kernels.axpy(1.0, np.array([np.nan, 1, -np.nan]), y)
        kernels.conjugate(np.array([complex(np.nan, np.nan)]), np.zeros(1, complex))


@pytest.mark.parametrize("order", ["C", "F"])
def test_c51_what_was_changed_without_a_declaration_is_as_before(kernels, xp, emulator, order):
    makers = (np.array, xp.asarray, lambda a, order: emulator.managed(np.array(a, order=order)))
    for make in makers:
        x, y = make(np.arange(6.0).reshape(2, 3), order=order), make(np.zeros((2, 3)), order=order)
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"x\[1, 0\] from 3.0 to 9.0"):
            kernels.sneaky(x, y)
        assert (x if isinstance(x, np.ndarray) else xp.asnumpy(x)).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("order", ["C", "F"])
def test_c50_read_only_memory_is_never_written(kernels, tmp_path, order):
    np.zeros(6).tofile(tmp_path / "values")
    x = np.memmap(tmp_path / "values", dtype=float, mode="r", shape=(2, 3), order=order)  # guarded by the processor
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"x\[1, 0\] from 0.0 to 9.0"):
        kernels.sneaky(x, np.zeros((2, 3), order=order))
    assert not x.any()


def test_c50_modes_nest_and_end_with_exceptions(kernels):
    x, y = arrays()
    with pkwrap.verify():
        with pytest.raises(ZeroDivisionError), pkwrap.verify():
            raise ZeroDivisionError
        with pytest.raises(pkwrap.UndeclaredWriteError):
            kernels.sneaky(x, y)
    kernels.sneaky(x, y)


def test_c50_the_environment_switches_verify_mode_on(kernels, kernels_folder, python):
    code = f"""
import sys; sys.path.insert(0, {str(kernels_folder)!r})
import numpy as np, runtime_kernels as k
try:
    k.sneaky(np.zeros((2, 3), order="F"), np.zeros((2, 3), order="F"))
    print("nothing seen")
except RuntimeError as error:
    print(type(error).__name__)
"""
    assert python(code, PKWRAP_VERIFY="1") == "UndeclaredWriteError\n"
    assert python(code, PKWRAP_VERIFY="0") == python(code, PKWRAP_VERIFY="") == "nothing seen\n"


def test_c53_learn_mode_tells_what_changed(kernels, xp):
    with pkwrap.learn() as seen:
        x, y = arrays()
        kernels.sneaky(x, y)
        kernels.sneaky(x, y)  # nothing changes any more
        kernels.sneaky(*arrays(xp))
        kernels.axpy(1.0, np.zeros(2), np.zeros(2))
    kernels.total(np.zeros(2))
    assert dict(seen.calls) == {
        ("runtime_kernels", "sneaky"): {"x": (3, 2), "y": (3, 2)},
        ("runtime_kernels", "axpy"): {"x": (1, 0), "y": (1, 0)},
    }
    assert seen.written("runtime_kernels", "sneaky") == ["x", "y"] and seen.written("runtime_kernels", "axpy") == []


@pytest.mark.parametrize("imports", ["", "import pkwrap"])
def test_c53_the_environment_names_the_file(kernels, kernels_folder, python, tmp_path, imports):
    path = tmp_path / "observed.json"
    python(
        f"""
import sys; sys.path.insert(0, {str(kernels_folder)!r})
{imports}
import numpy as np, runtime_kernels as k
x, y = np.zeros((2, 3), order="F"), np.zeros((2, 3), order="F")
k.sneaky(x, y)
k.sneaky(x, y)
""",
        PKWRAP_LEARN=str(path),
    )
    (kernel,) = json.loads(path.read_text())["kernels"]
    assert kernel["kernel"] == "sneaky" and kernel["arguments"] == [
        {"name": "x", "calls": 2, "changed": 1, "unchanged_bytes": 48},
        {"name": "y", "calls": 2, "changed": 1, "unchanged_bytes": 48},
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == ["observed.json"]


def test_c50_watching_with_threads(kernels):
    def work():
        for _ in range(50):
            kernels.axpy(1.0, np.ones(4000), np.ones(4000))

    with pkwrap.verify(), pkwrap.learn() as seen:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen.calls["runtime_kernels", "axpy"] == {"x": (400, 0), "y": (400, 400)}
