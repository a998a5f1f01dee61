"""Modules generated from the stubs of compiled Pyccel modules, in both languages."""

import gc
import inspect
import json
import pickle
import sys
import weakref
from pathlib import Path

import numpy as np
import pkwrap
import pytest
from conftest import misaligned, swapped
from foreign import DLPack, Interface
from pyccel_build import DATA, wrapped

SOURCE = DATA / "pyccel_kernels.py"


@pytest.fixture(scope="module", params=["c", "fortran"])
def both(request, tmp_path_factory):
    """(wrapper module, compiled module, language)"""
    return *wrapped(tmp_path_factory.mktemp(f"pyccel_{request.param}"), SOURCE, request.param), request.param


@pytest.fixture
def module(both):
    return both[0]


def marks(shape):
    return 10.0 * np.arange(shape[0])[:, None] + np.arange(shape[1])


# --- host arrays -------------------------------------------------------------------------------------------------------


def test_ordinary_calls_are_those_of_the_compiled_module(module):
    x, y = np.arange(4.0), np.ones(4)
    assert module.axpy(2.0, x, y) is None and y.tolist() == [1, 3, 5, 7]
    assert module.axpy(y=y, x=x, a=1.0) is None and y.tolist() == [1, 4, 7, 10]
    assert module.total(x) == 6 and module.made(3).tolist() == [0, 1, 2]
    array, first = module.made_pair(np.full(2, 7.0))
    assert (array == 7).all() and array.shape == (2, 3) and first == 7


@pytest.mark.parametrize(
    "change",
    [lambda a: a, lambda a: a[::-1], swapped, misaligned, lambda a: np.repeat(a, 3)[::3], lambda a: a[:1], lambda a: a[None, 0]],
    ids=["plain", "reversed", "swapped", "misaligned", "stepped", "one", "newaxis"],
)
def test_F16_F17_F22_layouts_of_vectors(module, given, change):
    x, y = change(np.arange(1.0, 5.0)), change(np.ones(4))
    expected = (y + 2 * x).tolist()
    module.axpy(2.0, given(x), y)
    assert y.tolist() == expected
    assert module.total(given(x)) == sum(x.tolist())


def test_F17_a_stride_that_is_no_multiple_of_the_item_size(module, given):
    s = np.zeros(4, dtype=[("tag", "i4"), ("x", "f8")])
    s["x"] = [1, 2, 3, 4]
    assert module.total(given(s["x"])) == 10
    module.axpy(1.0, np.ones(4), s["x"])
    assert s["x"].tolist() == [2, 3, 4, 5] and (s["tag"] == 0).all()


def test_a_zero_stride_is_packed(module):
    y = np.zeros(3)
    module.axpy(1.0, np.broadcast_to(2.0, 3), y)
    assert y.tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="argument 'y' is written, but several of its elements share memory"):
        module.axpy(1.0, np.ones(3), np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,)))


def matrix_layouts(shape):
    n, m = shape
    yield "C", np.zeros(shape)
    yield "F", np.zeros(shape, order="F")
    yield "columns", np.zeros((n, 3 * m))[:, ::3]
    yield "rows", np.zeros((3 * n, m))[::3]
    yield "both", np.zeros((2 * n, 3 * m))[::2, 1::3]
    yield "reversed", np.zeros(shape)[::-1]
    yield "reversed columns", np.zeros(shape)[:, ::-1]
    yield "transposed step", np.zeros((2 * m, n))[::2].T
    yield "swapped", np.zeros(shape, ">f8")
    yield "misaligned", misaligned(np.zeros(shape))
    yield "windows of rows", np.zeros((n, 2 * m + 1))[:, : 2 * m : 2]
    yield "newaxis C", np.zeros(n * m).reshape(shape)[None][0]
    yield "odd gap", np.ndarray(shape, np.float64, np.zeros(n * (8 * m + 4), np.uint8), 0, (8 * m + 4, 8))


@pytest.mark.parametrize("shape", [(3, 4), (5, 1), (1, 5), (1, 1)])
@pytest.mark.parametrize("name", ["mark", "mark_f"])
def test_F13_F14_layouts_of_matrices(module, name, shape):
    for layout, b in matrix_layouts(shape):
        getattr(module, name)(b)
        np.testing.assert_array_equal(b, marks(shape), err_msg=layout)
        assert layout


def test_F6_the_gaps_keep_their_values(module):
    base = np.full((6, 8), np.nan)
    module.mark_cube(base.reshape(6, 2, 4)[::2, :, ::2])
    assert np.isnan(base[1::2]).all() and np.isnan(base[:, 1::2]).all() and base[2, 2] == 102 - 1


def test_F10_a_read_only_array_for_a_written_argument(module):
    for y in (np.broadcast_to(1.0, 3), np.frombuffer(np.ones(3).tobytes())):
        with pytest.raises(ValueError, match=r"axpy\(\): argument 'y' is written by the kernel, but .* read-only"):
            module.axpy(1.0, np.ones(3), y)
        assert y.tolist() == [1, 1, 1]


def test_F18_empty_arrays(both):
    module, _, language = both
    if language == "c":
        with pytest.raises(ValueError, match="argument 'x' must not be empty"):
            module.total(np.zeros(0))
    else:
        assert module.total(np.zeros(0)) == 0
        module.axpy(1.0, np.zeros(4)[4:], np.zeros(0))
        module.mark(np.zeros((0, 3)))
        module.mark_f(np.zeros((3, 0)))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((1.0, np.ones(2), np.ones(2, int)), "argument 'y' must be a 1-dimensional float64 array, got a 1-dimensional int64"),
        ((1.0, np.ones((2, 1)), np.ones(2)), "argument 'x' must be a 1-dimensional float64 array, got a 2-dimensional float64"),
        ((1.0, [1.0], np.ones(1)), "argument 'x' must be a 1-dimensional float64 array, not list"),
        ((1.0, np.ones(2)), "missing 1 required positional argument: 'y'"),
        ((1.0, 2, 3, 4), "takes 3 positional arguments but 4 were given"),
    ],
)
def test_c16_F44_better_messages_than_the_modules_own(module, arguments, text):
    with pytest.raises(TypeError, match=r"axpy\(\)") as raised:
        module.axpy(*arguments)
    assert text in str(raised.value)


def test_scalars_are_the_compiled_modules_to_judge(module):
    x, y = np.arange(3, dtype=np.int32), np.ones(3, np.int32)
    module.add_counts(x, y, np.int32(2))
    module.add_counts(x, y, np.array(1, np.int32))
    assert y.tolist() == [1, 4, 7]
    with pytest.raises(TypeError):
        module.add_counts(x, y, 2.0)


@pytest.mark.parametrize("code", ["q", "l"])
def test_F23_integers_by_what_they_are_not_by_numpys_number_for_them(module, xp, code):
    for x in (np.arange(3, dtype=code), np.arange(3, dtype=code)[::-1], xp.asarray(np.arange(3, dtype=code))):
        expected = [2 * int(value) for value in x.tolist()]
        module.twice(x)
        assert x.tolist() == expected and x.dtype.char == code
    x = np.arange(3, dtype=code)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        module.twice(x)


def test_F23_scalars_of_numpy_for_pythons_own(module):
    for kind in (np.int64, np.longlong, np.array):
        assert module.made(kind(3)).tolist() == [0, 1, 2]
    for kind in (np.int32, np.uint64, np.float64):
        with pytest.raises(TypeError, match=r"made\(\): argument 'n' must be an int, not numpy"):
            module.made(kind(3))
    y = np.ones(2)
    module.axpy(np.float64(2), y.copy(), y)
    assert y.tolist() == [3, 3]
    with pytest.raises(TypeError, match=r"axpy\(\): argument 'a' must be a float, not numpy.float32"):
        module.axpy(np.float32(2), y.copy(), y)


def test_optional_and_keyword_only_arguments(module):
    x, w = np.arange(3.0), np.array([0.0, 2.0, 0.5])
    assert module.weighted(x) == module.weighted(x, None) == module.weighted(x, w=None) == 3
    assert module.weighted(x, w) == module.weighted(x, w[::-1][::-1]) == 3
    assert module.weighted(x[::-1], shift=1.0) == 4 and module.weighted(x[::-1], None, shift=1.0) == 4
    with pytest.raises(TypeError, match=r"weighted\(\) takes from 1 to 2 positional arguments but 3 were given"):
        module.weighted(x[::-1], w, 1.0)


def test_overloads(module, xp):
    for dtype in (float, int):
        for x in (np.arange(3).astype(dtype), np.arange(3).astype(dtype)[::-1]):
            expected = (2 * x).tolist()
            module.twice(x)
            assert x.tolist() == expected
        x = xp.asarray(np.arange(3).astype(dtype))
        module.twice(x)
        assert xp.asnumpy(x).tolist() == [0, 2, 4] and x.dtype == dtype
    with pytest.raises(TypeError, match=r"twice\(\): no variant takes these arguments; there are \(x: float64\[:\]; or x: int64"):
        module.twice(xp.asarray(np.zeros(2, np.float32)))


def test_overlapping_arguments(module):
    memory = np.zeros(6)
    with pytest.raises(ValueError, match=r"axpy\(\): arguments 'x' and 'y' overlap"):
        module.axpy(1.0, memory[::-1], memory)
    module.axpy(1.0, memory, memory)
    memory[::2] = 1
    module.axpy(1.0, memory[::2], memory[1::2])
    assert memory.tolist() == [1, 1] * 3


# --- device arrays -----------------------------------------------------------------------------------------------------


def test_c11_device_arrays(module, xp):
    x, y = xp.asarray(np.arange(4.0)), xp.asarray(np.ones(4))
    module.axpy(2.0, x, y)
    module.axpy(xp.asarray(np.array(1.0)), x=x[::-1], y=y)
    assert xp.asnumpy(y).tolist() == [4, 5, 6, 7]
    assert module.total(y) == 22
    assert module.total(DLPack(y)) == module.total(Interface(y)) == 22


@pytest.mark.parametrize("name", ["mark", "mark_f"])
def test_c14_c15_c26_layouts_on_the_device(module, xp, name):
    for layout, host in matrix_layouts((3, 4)):
        if layout in ("swapped", "misaligned", "odd gap"):
            continue
        base = host
        while base.base is not None:
            base = base.base
        device = xp.asarray(base)
        offset = host.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        view = Interface(
            device,
            shape=host.shape,
            strides=host.strides,
            data=(device.__cuda_array_interface__["data"][0] + offset, False),
        )
        getattr(module, name)(view)
        getattr(module, name)(host)
        np.testing.assert_array_equal(xp.asnumpy(device), base, err_msg=layout)


def test_c27_F5_only_what_is_written_goes_back(module, xp, counted):
    out = xp.asarray(np.full(4, 7.0))
    up = counted.bytes_to_device
    module.even(out)
    assert counted.bytes_to_device - up == 32
    assert xp.asnumpy(out).tolist() == [42, 7, 42, 7]
    up = counted.bytes_to_device
    module.total(out)
    assert counted.bytes_to_device == up


def test_c42_results_are_of_the_callers_kind(module, xp):
    x = xp.asarray(np.full(2, 7.0))
    array, first = module.made_pair(x)
    assert type(array) is type(x) and (xp.asnumpy(array) == 7).all() and first == 7
    assert type(module.made(3)) is np.ndarray


def test_c42_results_are_on_the_callers_device(module, xp):
    if xp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device only")
    with xp.cuda.Device(1):
        x = xp.asarray(np.full(2, 7.0))
    assert module.made_pair(x)[0].device.id == 1 and xp.cuda.runtime.getDevice() == 0


def test_mixed_host_and_device_arguments(module, xp):
    x, y = np.arange(4.0)[::-1], xp.asarray(np.ones(4))
    module.axpy(1.0, x, y)
    module.axpy(1.0, y, x)
    assert xp.asnumpy(y).tolist() == [4, 3, 2, 1] and x.tolist() == [7, 5, 3, 1]


def test_c33_an_exception_of_the_module_leaves_everything_as_it_was(module, xp):
    x, y = xp.asarray(np.arange(4.0)), xp.asarray(np.ones(4))
    with pytest.raises(TypeError):
        module.axpy("2", x, y)
    with pytest.raises(TypeError):
        module.axpy(1j, x, y)
    assert xp.asnumpy(y).tolist() == [1, 1, 1, 1]


# --- argument classes ----------------------------------------------------------------------------------------------------


def markers(module, xp=None):
    positions, weights = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0, 3.0])
    if xp is not None:
        positions, weights = xp.asarray(positions), xp.asarray(weights)
    return module.Markers(positions, weights, 3), positions, weights


def test_classes_over_host_arrays(both):
    module, compiled, _ = both
    made, positions, _ = markers(module)
    assert type(made) is module.Markers and type(made.__compiled__) is compiled.Markers
    module.push(made, np.ones(1))
    assert positions[:, 0].tolist() == [1, 4, 7] and module.weight_sum(made) == 6
    compiled.push(made.__compiled__, np.ones(1))  # what has no wrapper takes the compiled object
    assert positions[:, 0].tolist() == [2, 6, 10] and module.weight_sum(made.__compiled__) == 6


def test_classes_over_device_arrays(both, xp, counted):
    module, compiled, _ = both
    made, positions, weights = markers(module, xp)
    assert isinstance(made, module.Markers) and made.positions is positions and made.weights is weights and made.n == 3
    down, up = counted.bytes_to_host, counted.bytes_to_device
    module.push(made, xp.asarray(np.ones(1)))
    assert counted.bytes_to_host - down == 48 + 24 + 8 and counted.bytes_to_device - up == 48
    assert xp.asnumpy(positions)[:, 0].tolist() == [1, 4, 7] and xp.asnumpy(weights).tolist() == [1, 2, 3]
    weights[0] = 11.0
    assert module.weight_sum(made) == 16
    module.push(made, np.ones(1))
    assert xp.asnumpy(positions)[:, 0].tolist() == [12, 6, 10]
    with pytest.raises(TypeError):
        module.push(made, xp.asarray(np.ones((1, 1))))
    assert type(made.work) is np.ndarray and made.work.tolist()[0] == 3


def test_c25_an_argument_that_overlaps_an_array_of_the_object_is_refused(module, xp):
    made, positions, weights = markers(module, xp)
    words = r"push\(\): arguments 'markers.positions' and 'shift' overlap, and 'markers.positions' is written"
    with pytest.raises(ValueError, match=words):
        module.push(made, positions[0])
    module.push(made, weights)
    memory = xp.asarray(np.arange(9.0))
    both = module.Markers(memory[:6].reshape(3, 2), memory[4:7], 3)
    with pytest.raises(ValueError, match="overlap, and 'markers.positions' is written"):
        module.push(both, np.ones(1))
    assert module.weight_sum(both) == 15 and xp.asnumpy(memory).tolist() == list(range(9))


def test_F10_a_read_only_array_in_an_object(module, xp):
    positions = xp.asarray(np.zeros((3, 2)))
    read_only = Interface(positions, data=(positions.__cuda_array_interface__["data"][0], True))
    made = module.Markers(read_only, xp.asarray(np.ones(3)), 3)
    assert module.weight_sum(made) == 3
    with pytest.raises(ValueError, match=r"push\(\): argument 'markers.positions' is written by the kernel, but .* read-only"):
        module.push(made, np.ones(1))


def test_c23_objects_that_know_their_host_arguments(module, xp):
    class Population:
        def __init__(self):
            self.made, self.positions, self.weights = markers(module, xp)
            self.asked = 0

        def __host_args__(self):
            self.asked += 1
            return self.made

    population = Population()
    module.push(population, np.ones(1))
    assert xp.asnumpy(population.positions)[:, 0].tolist() == [1, 4, 7] and population.asked == 1
    assert module.weight_sum(markers=population) == 6 and population.asked == 2


def test_methods_over_device_arrays(module, xp):
    made, positions, weights = markers(module, xp)
    made.rescale(2.0)
    assert xp.asnumpy(weights).tolist() == [2, 4, 6] and xp.asnumpy(positions)[:, 0].tolist() == [0, 2, 4]


def test_a_new_array_for_an_attribute(module, xp):
    made, positions, weights = markers(module, xp)
    made.weights = replacement = xp.asarray(np.array([10.0, 20.0, 30.0]))
    assert made.weights is replacement and module.weight_sum(made) == 60
    made.weights = host = np.array([1.0, 1.0, 1.0])
    host[0] = 5
    assert module.weight_sum(made) == 7
    made.n = 2
    assert made.n == 2
    assert xp.asnumpy(weights).tolist() == [1, 2, 3]


def test_classes_over_host_arrays_that_the_module_would_misread(module):
    base = np.arange(12.0).reshape(3, 4)
    weights = np.array([3.0, 2.0, 1.0])[::-1]
    made = module.Markers(base[:, ::-2], weights, 3)
    assert isinstance(made, module.Markers)
    module.push(made, np.ones(1))
    assert base[:, 3].tolist() == [4, 9, 14] and base[:, 1].tolist() == [1, 5, 9] and base[:, 0].tolist() == [0, 4, 8]
    made.rescale(10.0)
    assert weights.tolist() == [10, 20, 30]


def test_instances_are_freed_with_their_arrays(module, xp):
    made, positions, weights = markers(module, xp)
    module.push(made, np.ones(1))
    before = sys.getrefcount(positions)
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None and sys.getrefcount(positions) < before


def test_F41_references_are_constant(module, xp):
    x, y, strided = np.arange(4.0), np.ones(4), np.ones(8)[::-2]
    device = xp.asarray(np.arange(4.0))
    made, positions, _ = markers(module, xp)
    objects = [x, y, strided, device, made, positions]  # not the dtype: Pyccel itself leaks one with each array it returns

    def rounds(n):
        for _ in range(n):
            module.axpy(1.0, x, y)
            module.axpy(1.0, device, strided)
            module.made_pair(device)
            module.push(made, x[:1])
            markers(module, xp)
            for wrong in (lambda: module.axpy("1", device, strided), lambda: module.push(made, 1), lambda: module.Markers(x)):
                with pytest.raises(TypeError):
                    wrong()

    rounds(5)
    gc.collect()
    before = [sys.getrefcount(o) for o in objects]
    rounds(200)
    gc.collect()
    assert [sys.getrefcount(o) for o in objects] == before


# --- the module ------------------------------------------------------------------------------------------------------------


def test_names_documentation_and_signatures(both):
    module, compiled, language = both
    assert module.axpy.__name__ == "axpy" and module.axpy.__module__ == module.__name__ == f"pyccel_kernels_{language}"
    assert str(inspect.signature(module.axpy)) == "(a, x, y)"
    assert str(inspect.signature(module.weighted)) == "(x, w=None, *, shift=0.0)"
    assert "float64[:]" in module.axpy.__doc__
    assert {"axpy", "Markers", "weight_sum"} <= set(module.__all__)
    assert repr(module.axpy) == f"<function axpy of {module.__name__}>"
    assert pickle.loads(pickle.dumps(module.axpy)) is module.axpy
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_c49_statistics(both, xp):
    module, _, language = both

    def stats():
        return pkwrap.stats()[f"pyccel_kernels_{language}.total"]

    before = stats()
    module.total(np.ones(3))
    module.total(np.ones(6)[::-2])
    module.total(xp.asarray(np.ones(3)))
    after = stats()
    assert (after["calls"] - before["calls"], after["conversions"] - before["conversions"]) == (3, 1)
    assert after["bytes_to_host"] - before["bytes_to_host"] == 24


def test_c50_c53_verify_and_learn_mode(both, xp):
    module, _, language = both
    with pkwrap.verify(), pkwrap.learn() as seen:
        for x, y in ((np.ones(3), np.ones(6)[::2]), (xp.asarray(np.ones(3)), xp.asarray(np.ones(3)))):
            module.axpy(1.0, x, y)
    assert seen.written(f"pyccel_kernels_{language}", "axpy") == ["y"]


@pytest.mark.parametrize("on_device", [False, True], ids=["host", "device"])
def test_c50_c53_attributes_in_verify_and_learn_mode(both, xp, on_device):
    module, _, language = both
    made, positions, weights = markers(module, xp if on_device else None)
    with pkwrap.verify(), pkwrap.learn() as seen:
        module.push(made, np.ones(1))
        module.weight_sum(made)
    assert seen.calls[f"pyccel_kernels_{language}", "push"] == {
        "shift": (1, 0),
        "markers.positions": (1, 1),
        "markers.weights": (1, 0),
    }
    assert seen.written(f"pyccel_kernels_{language}", "weight_sum") == []


def test_c51_an_undeclared_write_through_an_attribute(both, tmp_path_factory, xp):
    module, _, language = both
    folder = tmp_path_factory.mktemp("undeclared")
    manifest = json.loads((Path(module.__file__).parent / "manifest.json").read_text())
    wrong, _ = wrapped(folder, SOURCE, language, f"undeclared_{language}", {"push": []})
    for device in (None, xp):
        made, positions, _ = markers(wrong, device)
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"push\(\): argument 'markers.positions'.*\[0, 0\]"):
            wrong.push(made, np.ones(1))
    assert xp.asnumpy(positions)[:, 0].tolist() == [0, 2, 4]
    assert manifest["kernels"]["push"]["outputs"] == ["markers.positions"]


def test_a_missing_extension_is_an_import_error_that_names_extension_and_stub(both, python, tmp_path):
    module = both[0]
    out = python(f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location({module.__name__!r}, {module.__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for _ in range(2):
    try:
        module.total(1)
    except ImportError as error:
        print(error)
""")
    for line in out.splitlines():
        assert "needs the compiled Pyccel module 'pyccel_kernels'" in line and "__pyccel__/pyccel_kernels.pyi" in line
