"""The stand-in for CuPy: what functions write, which results are views, and where CuPy differs from NumPy. The same tests run on
CuPy."""

import copy
import gc
import io
import pickle

import numpy as np
import pytest

ON_FOUR = {
    "copyto": lambda xp, x: xp.copyto(x[1:], x[:-1]),
    "copyto with where": lambda xp, x: xp.copyto(x, 9, where=x > 5),
    "put": lambda xp, x: xp.put(x, xp.asarray([0, 11]), xp.asarray([9.0, 8.0])),
    "putmask": lambda xp, x: xp.putmask(x, x > 5, -x),
    "place": lambda xp, x: xp.place(x, x > 5, xp.asarray([44.0, 55.0])),
    "fill_diagonal": lambda xp, x: xp.fill_diagonal(x, 7),
    "put_along_axis": lambda xp, x: xp.put_along_axis(x, xp.argmax(x, axis=1)[:, None], xp.asarray(-1.0), 1),
    "add to a positional out": lambda xp, x: xp.add(x[0], x[1], x[2]),
    "add to an overlapping out": lambda xp, x: xp.add(x[:-1], 1, x[1:]),
    "sum to a positional out": lambda xp, x: xp.sum(x, 0, None, x[1]),
    "divmod to two outs": lambda xp, x: xp.divmod(x[0], 2, x[1], x[2]),
    "out of a method": lambda xp, x: x.cumsum(1, out=x[::-1]),
    "method sort": lambda xp, x: x[::-1, ::-1].sort(axis=0),
    "method partition": lambda xp, x: x[::-1, ::-1].partition(2),
    "method put": lambda xp, x: x.put(xp.asarray([1, 2]), xp.asarray([5.0, 6.0])),
    "method fill of a view": lambda xp, x: x.T[1].fill(3),
    "add.at": lambda xp, x: xp.add.at(x, xp.asarray([1, 1, 0]), 2),
    "maximum.at": lambda xp, x: xp.maximum.at(x, (xp.asarray([0, 0]), xp.asarray([1, 1])), xp.asarray([5.0, 3.0])),
    "flat": lambda xp, x: x.flat.__setitem__(slice(1, 3), 8),
    "real": lambda xp, x: setattr(x, "real", 5),
    "in place with itself": lambda xp, x: x[1:].__iadd__(x[:-1]),
    "assignment to an overlapping view": lambda xp, x: x.__setitem__(slice(None, 2), x[1:]),
}


@pytest.mark.parametrize("write", ON_FOUR.values(), ids=ON_FOUR)
@pytest.mark.parametrize("layout", ["C", "F", "view"])
def test_what_a_function_writes_is_written(xp, write, layout):
    base = np.arange(48.0).reshape(6, 8)
    host = {"C": base[:3, :4].copy(), "F": np.asfortranarray(base[:3, :4]), "view": base[4:1:-1, ::-2]}[layout]
    device = xp.asarray(base)[4:1:-1, ::-2] if layout == "view" else xp.array(host)
    if layout == "view":
        host[...] = device[...] = 0
        host += np.arange(12.0).reshape(3, 4)
        device += xp.arange(12.0).reshape(3, 4)
    before = host.copy()
    write(np, host)
    write(xp, device)
    np.testing.assert_array_equal(xp.asnumpy(device), host)
    assert (host != before).any()


def test_nan_to_num_in_place(xp):
    x = xp.asarray([np.nan, 1.0])
    assert xp.nan_to_num(x, copy=False) is x
    assert x.tolist() == [0, 1]


def test_shuffle_changes_its_argument(xp):
    x = xp.arange(100)
    xp.random.seed(3)
    xp.random.shuffle(x[::2])
    assert x[1::2].tolist() == list(range(1, 100, 2)) and sorted(x[::2].tolist()) == list(range(0, 100, 2)) != x[::2].tolist()


VIEWS = {
    "transpose": lambda xp, x: xp.transpose(x),
    "reshape": lambda xp, x: xp.reshape(x, (4, 3)),
    "ravel": lambda xp, x: xp.ravel(x),
    "flip": lambda xp, x: xp.flip(x),
    "fliplr": lambda xp, x: xp.fliplr(x),
    "flipud": lambda xp, x: xp.flipud(x),
    "rot90": lambda xp, x: xp.rot90(x),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, 1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "rollaxis": lambda xp, x: xp.rollaxis(x, 1),
    "squeeze": lambda xp, x: xp.squeeze(x[:1]),
    "split": lambda xp, x: xp.split(x, 3)[1],
    "hsplit": lambda xp, x: xp.hsplit(x, 2)[1],
    "array_split": lambda xp, x: xp.array_split(x, 2)[1],
    "real": lambda xp, x: xp.real(x),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 4)),
    "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x, xp.ones(4))[0],
    "diagonal": lambda xp, x: xp.diagonal(x),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 1),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
    "sliding_window_view": lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x[0], 2),
    "method diagonal": lambda xp, x: x.diagonal(1),
    "as_strided": lambda xp, x: xp.lib.stride_tricks.as_strided(x, (3,), (40,)),
    "T": lambda xp, x: x.T,
    "mT": lambda xp, x: x.mT,
    "view of another size": lambda xp, x: x.view(np.int32)[:, 1::2],
    "method ravel": lambda xp, x: x.ravel(),
}


@pytest.mark.parametrize("of", VIEWS.values(), ids=VIEWS)
def test_views(xp, of):
    x = xp.arange(1.0, 13.0).reshape(3, 4)
    before = xp.asnumpy(x)
    view = of(xp, x)
    assert xp.shares_memory(view, x) and view.base is not None
    view[...] = 0
    changed = xp.asnumpy(x) != before
    assert changed.any() and changed.sum() <= view.size


def test_views_are_made_without_a_copy(emulator, xp):
    """They neither wait nor copy: a program's transfers are those of its own."""
    x = xp.arange(12.0).reshape(3, 4)
    emulator.settle()
    emulator.reset_counters()
    for of in VIEWS.values():
        of(xp, x)
    counts = emulator.counters()
    assert counts["copies_to_host"] == counts["waits"] == 0 and counts["copies_to_device"] <= 1  # xp.ones(4)


def test_only_the_elements_of_an_array_travel(emulator, xp):
    x = xp.zeros((100, 100))
    emulator.reset_counters()
    xp.sum(xp.broadcast_to(x[0, :1], (1000, 1000)))
    x[::2, 3] += 1
    counts = emulator.counters()
    assert counts["bytes_to_host"] == 8 + 50 * 8 and counts["bytes_to_device"] == 8 + 50 * 8  # the sum, the column


def test_copies_are_copies(xp):
    x = xp.arange(12.0).reshape(3, 4)
    for made in (
        x.flatten(),
        x.copy(),
        xp.copy(x),
        xp.sort(x),
        x.reshape(4, 3).T.ravel(),
        xp.roll(x, 1),
        +x,
        x[[0, 1]],
        x.T.reshape(-1),
    ):
        assert not xp.shares_memory(made, x)


def test_shape_can_be_assigned(xp):
    x = xp.arange(12.0)
    x.shape = 3, 4
    assert x.shape == (3, 4) and x.strides == (32, 8) and x[1, 0] == 4
    x.shape = -1
    assert x.shape == (12,)
    turned = x.reshape(3, 4).T
    with pytest.raises(AttributeError):
        turned.shape = 12
    with pytest.raises(ValueError):
        x.shape = 5
    assert x.shape == (12,) and turned.shape == (4, 3)


def test_assigning_a_shape_leaves_exported_tensors_alone(emulator, xp):
    x = xp.arange(12.0)
    capsule = x.__dlpack__()
    x.shape = 2, 2, 3
    again = x.__dlpack__()
    del capsule, again
    gc.collect()
    assert x.tolist()[1][1] == [9, 10, 11]


@pytest.mark.parametrize("order", ["C", "F"])
def test_pickle_and_deepcopy(xp, order):
    x = xp.asarray(np.asarray(np.arange(6.0).reshape(2, 3), order=order))
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy([x])[0], copy.copy(x)):
        assert isinstance(made, xp.ndarray) and made.tolist() == x.tolist() and not xp.shares_memory(made, x)
    assert pickle.loads(pickle.dumps(x)).flags.f_contiguous == (order == "F")


def test_c_and_r(xp):
    x = xp.arange(3.0)
    assert xp.c_[x, x].tolist() == np.c_[np.arange(3.0), np.arange(3.0)].tolist()
    assert xp.r_[x, 7, x[1:]].tolist() == [0, 1, 2, 7, 1, 2]
    assert xp.mgrid[0:2, 0:2].tolist() == np.mgrid[0:2, 0:2].tolist()


def test_files(xp):
    x, file = xp.arange(6.0).reshape(2, 3), io.BytesIO()
    xp.save(file, x)
    file.seek(0)
    assert xp.load(file).tolist() == x.tolist()
    text = io.StringIO()
    xp.savetxt(text, x)
    text.seek(0)
    assert xp.loadtxt(text).tolist() == x.tolist()


def test_modules_below(xp):
    assert xp.linalg.solve(2 * xp.eye(2), xp.ones(2)).tolist() == [0.5, 0.5]
    assert xp.allclose(xp.fft.ifft(xp.fft.fft(xp.arange(4.0))), xp.arange(4.0))
    assert issubclass(xp.linalg.LinAlgError, Exception)
    assert xp.cuda.device.Device is xp.cuda.Device and xp.cuda.memory.MemoryPool is xp.cuda.MemoryPool
    assert xp.is_available() is xp.cuda.is_available() is True
    assert xp.cuda.Device(0).compute_capability.isdigit() and xp.cuda.Device(0).mem_info[1] >= xp.cuda.Device(0).mem_info[0] > 0
    assert xp.cuda.get_device_id() == 0


def test_assertions(xp):
    import importlib

    testing = importlib.import_module(xp.__name__ + ".testing")
    x = xp.arange(3.0)
    testing.assert_array_equal(x, np.arange(3.0))
    testing.assert_allclose(np.arange(3.0), x, rtol=1e-7)
    testing.assert_array_less(x, x + 1)
    for wrong in (testing.assert_array_equal, testing.assert_allclose, testing.assert_array_less):
        with pytest.raises(AssertionError):
            wrong(x, xp.asarray([0.0, 1.0, 1.5]))


def test_fuse_and_vectorize(xp):
    @xp.fuse()
    def scaled(x, y):
        return x * y + 1

    assert scaled(xp.arange(3.0), 2.0).tolist() == [1, 3, 5]
    assert xp.apply_along_axis(lambda row: row.sum(), 1, xp.ones((2, 3))).tolist() == [3, 3]


# --- where CuPy differs from NumPy ------------------------------------------------------------------------------------


def test_results_without_dimensions_are_arrays(xp):
    x = xp.arange(4.0)
    results = [
        xp.sum(x), x.mean(), xp.max(x), x.argmax(), xp.allclose(x, x), xp.array_equal(x, x), xp.count_nonzero(x), x[2],
        xp.dot(x, x), xp.linalg.norm(x), x.all(), xp.median(x), np.sum(x), np.linalg.norm(x), xp.add.reduce(x),
    ]  # fmt: skip
    assert all(isinstance(result, xp.ndarray) and result.shape == () for result in results)
    assert type(xp.ndim(x)) is int and type(xp.size(x)) is int and xp.iscomplexobj(x) is False


REFUSED = {
    "ufunc of a list": lambda xp, x: xp.power([1, 2], 2),
    "ufunc of a list beside an array": lambda xp, x: xp.add(x, [1, 2, 3]),
    "ufunc of a host array": lambda xp, x: xp.sin(np.ones(3)),
    "operator with a host array": lambda xp, x: x + np.ones(3),
    "operator of a host array": lambda xp, x: np.ones(3) * x,
    "host array in place": lambda xp, x: x.__iadd__(np.ones(3)),
    "NumPy's ufunc with both": lambda xp, x: np.add(x, np.ones(3)),
    "host array in a sequence": lambda xp, x: xp.concatenate([x, np.ones(3)]),
    "numbers in a sequence": lambda xp, x: xp.concatenate([[1, 2], [3]]),
    "host array as out": lambda xp, x: xp.add(x, x, np.ones(3)),
    "host array as out by keyword": lambda xp, x: xp.add(x, x, out=np.ones(3)),
    "copyto from the host": lambda xp, x: xp.copyto(x, np.ones(3)),
    "dot with the host": lambda xp, x: xp.dot(x, np.ones(3)),
    "assignment of a host array": lambda xp, x: x.__setitem__(slice(None), np.ones(3)),
    "assignment of a list": lambda xp, x: x.__setitem__(Ellipsis, [1.0, 2.0, 3.0]),
    "fill with a host array": lambda xp, x: x.fill(np.ones(3)),
    "array of both": lambda xp, x: xp.array([x, np.ones(3)]),
    "a list for the array": lambda xp, x: xp.median([1.0, 2.0]),
    "set with a list": lambda xp, x: x.set([1.0, 2.0, 3.0]),
    "set with another type": lambda xp, x: x.set(np.ones(3, np.float32)),
    "set of another shape": lambda xp, x: x.set(np.ones(4)),
    "set of a view with gaps": lambda xp, x: xp.zeros(6)[::2].set(np.ones(3)),
    "get into another type": lambda xp, x: x.get(out=np.ones(3, np.float32)),
    "a host array by itself": lambda xp, x: np.asarray(x),
    "a number of several": lambda xp, x: float(x),
    "an index of lists": lambda xp, x: [1, 2, 3][xp.asarray(1)],
    "strings": lambda xp, x: xp.array(["text"]),
    "objects": lambda xp, x: xp.array([None]),
    "where of reductions": lambda xp, x: xp.sum(x, where=x > 1),
    "mode of take": lambda xp, x: xp.take(x, xp.asarray([1]), mode="clip"),
    "item of a place": lambda xp, x: x.item(1),
    "reduce of most ufuncs": lambda xp, x: xp.maximum.reduce(x),
    "at of most ufuncs": lambda xp, x: xp.multiply.at(x, xp.asarray([0]), 2),
    "an unknown keyword": lambda xp, x: xp.add(x, x, order="C"),
    "too many arguments": lambda xp, x: xp.diagonal(x, 0, 0, 1, 2),
    "subclasses": lambda xp, x: xp.array(x, subok=True),
    "boolean value of several": lambda xp, x: bool(x),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(xp, call):
    x = xp.arange(3.0)
    with pytest.raises((TypeError, ValueError, NotImplementedError, RuntimeError, AttributeError)) as refused:
        call(xp, x)
    assert "module" not in str(refused.value)  # what was called is there
    assert x.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["matrix", "nditer", "asmatrix", "frompyfunc", "object_", "longdouble", "errstate", "char"])
def test_names_that_cupy_lacks(xp, name):
    assert not hasattr(xp, name)


@pytest.mark.parametrize("name", ["resize", "setflags", "itemset", "__index__", "__imatmul__", "__array_interface__"])
def test_attributes_that_cupy_lacks(xp, name):
    assert not hasattr(xp.ones(1), name)


def test_integer_arrays_out_of_bounds_wrap_around(xp):
    x = xp.arange(3)
    x[[1, 3]] = 10
    assert x.tolist() == [10, 10, 2]
    assert x[xp.asarray([4, -4])].tolist() == [10, 2] and x.take(xp.asarray([5])).tolist() == [2]
    xp.put(x, xp.asarray([5]), xp.asarray([7]))
    assert x.tolist() == [10, 10, 7]
    y = xp.arange(6).reshape(2, 3)
    assert y[:, [3]].tolist() == [[0], [3]] and y[xp.asarray([2]), xp.asarray([-4])].tolist() == [2]
    assert xp.take_along_axis(y, xp.asarray([[4], [3]]), 1).tolist() == [[1], [3]]
    for key in (3, -4):
        with pytest.raises(IndexError):
            x[key]
    with pytest.raises(IndexError):
        xp.put(x, xp.asarray([5]), xp.asarray([7]), mode="raise")


def test_of_several_values_for_an_element_any_is_kept(emulator, xp):
    """CuPy says undefined; here it is never NumPy's last one."""
    x = xp.zeros((2, 2))
    x[xp.asarray([0, 1, 0])] = xp.asarray([[1.0, 2], [3, 4], [5, 6]])
    assert x.tolist() == [[1, 2], [3, 4]]


def test_random_functions_take_a_dtype(xp):
    for name, args in [("rand", (3,)), ("randn", (3,)), ("normal", (0, 1, 3)), ("uniform", (0, 1, 3)), ("random_sample", (3,))]:
        assert getattr(xp.random, name)(*args, dtype=np.float32).dtype == np.float32
    state = xp.random.RandomState(np.array([1, 2, 3]))
    assert isinstance(state.normal(size=3, dtype=np.float32), xp.ndarray)
    assert isinstance(xp.random.default_rng(1).integers(0, 3, 4), xp.ndarray)


def test_numpys_functions_find_cupys(xp):
    x = xp.ones((2, 2))
    for result in (np.matmul(x, x), np.concatenate([x, x]), np.linalg.inv(x + xp.eye(2)), np.fft.fft(x), np.transpose(x)):
        assert isinstance(result, xp.ndarray)
    np.copyto(x, 3)
    np.add.at(x, xp.asarray([0]), 1)
    assert x.tolist() == [[4, 4], [3, 3]]
    with pytest.raises(TypeError):
        np.busday_count(x, x)


# --- memory -----------------------------------------------------------------------------------------------------------


def test_pools(xp):
    pool = xp.cuda.MemoryPool()
    with xp.cuda.using_allocator(pool.malloc):
        x = xp.zeros(1000)
        assert pool.used_bytes() >= 8000 and pool.total_bytes() >= pool.used_bytes()
        pool.set_limit(size=16384)
        assert pool.get_limit() == 16384
        with pytest.raises(MemoryError):
            xp.zeros(100_000)
    xp.cuda.Device().synchronize()
    del x
    gc.collect()
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and pool.free_bytes() == 0
    xp.get_default_pinned_memory_pool().free_all_blocks()


def test_arrays_are_from_the_default_pool(emulator, xp):
    default = xp.get_default_memory_pool()
    before = default.used_bytes()
    y = xp.zeros(1000)
    assert default.used_bytes() == before + 8000
    del y
    assert default.used_bytes() == before


def test_pools_count_a_device_each(emulator, xp):
    pool = xp.cuda.MemoryPool()
    with xp.cuda.using_allocator(pool.malloc), xp.cuda.Device(1):
        x = xp.zeros(10)
        assert pool.used_bytes() == 80
    assert pool.used_bytes() == 0
    del x
    xp.cuda.set_allocator(pool.malloc)
    try:
        y = xp.zeros(4)
        assert pool.used_bytes() == 32
    finally:
        xp.cuda.set_allocator(xp.get_default_memory_pool().malloc)
    del y


def test_use_cupy_finds_the_emulator_before_a_backend_was_chosen(python):
    code = "import numpy, pkwrap\nprint(type(pkwrap.PyccelKernel(lambda x: 2 * x, use_cupy=True)(numpy.ones(2))).__module__)"
    assert python(code, PKWRAP_DEVICE="emulator").strip() == "pkwrap.emulator.cupy"
