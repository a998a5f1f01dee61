"""PyccelKernel: what must not happen to arrays, whatever the kernel is: writes to read-only memory, and writes after the call."""

import asyncio
import contextlib
import copy
import functools
import importlib.util
import pickle
import types
import warnings

import numpy as np
import pkwrap
import pytest
from foreign import Interface
from pkwrap import PyccelKernel
from pyccel_build import DATA, compiled


@functools.cache
def guarded():
    """Compiled functions, which do not look at the flags of their arrays."""
    source = DATA / "kernel_guards.py"
    (library,) = compiled(source, "c").glob(f"{source.stem}*.so")
    spec = importlib.util.spec_from_file_location(source.stem, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_only(*values):
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def mapped(tmp_path, order="C"):
    """Memory that the processor itself guards."""
    np.arange(6.0).tofile(tmp_path / "values")
    return np.memmap(tmp_path / "values", dtype=float, mode="r", shape=(2, 3), order=order)


# --- read-only arrays


@pytest.mark.parametrize("use_cupy", [None, True, False])
@pytest.mark.parametrize("outputs", [(0,), (-2,), ("x",)])
def test_F10_a_read_only_host_array_that_is_declared_as_written_is_refused(outputs, use_cupy):
    x = read_only(1, 2)
    kernel = PyccelKernel(guarded().fill, use_cupy, outputs=outputs, parameters=("x", "value"))
    for _ in range(3):  # the first call takes another way than the others
        with pytest.raises(ValueError, match=r"fill\(\): argument 'x' is declared as written, but the given array is read-only"):
            kernel(x, 7.0)
    assert x.tolist() == [1, 2]
    fine = np.zeros(2)
    kernel(fine, 7.0)
    assert fine.tolist() == [7, 7]


def test_F10_by_keyword_and_beside_device_arrays(xp):
    by_name = PyccelKernel(guarded().add, outputs=("y",), parameters=("x", "y"))
    by_index = PyccelKernel(guarded().add, outputs=(1,))
    x, y = xp.ones(2), read_only(1, 2)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'y' .*read-only"):
            by_name(y, y=y)
        with pytest.raises(ValueError, match="argument 'y' .*read-only"):
            by_name(x, y)
        with pytest.raises(ValueError, match="argument '1' .*read-only"):
            by_index(x, y)
    y = np.zeros(2)
    by_name(read_only(1, 2), y)  # what is only read may be read-only
    by_index(x, y)
    assert y.tolist() == [2, 3]


def test_F10_what_may_be_written_is_never_written_where_it_is_read_only(tmp_path, xp):
    """Without a declaration any array may be written; compiled code gets a copy of those that must not be."""
    for order, name in (("C", "fill_rows"), ("F", "fill_columns")):
        x = mapped(tmp_path, order)
        for use_cupy in (None, True, False):
            kernel = PyccelKernel(getattr(guarded(), name), use_cupy)
            for _ in range(2):
                kernel(x, 7.0)
        with pkwrap.verify():
            kernel(x, 7.0)
            with pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed args\[0\]\[0, 0\] from 0.0 to 7.0"):
                PyccelKernel(getattr(guarded(), name), outputs=())(x, 7.0)
        assert sorted(x.ravel().tolist()) == [0, 1, 2, 3, 4, 5]
    seen = []
    PyccelKernel(seen.append)(x)  # whose first argument it is: only the function's own business
    python = PyccelKernel(lambda a: a)
    assert python(x) is x


@pytest.mark.parametrize("memory", ["device", "managed"])
@pytest.mark.parametrize("outputs", [None, ()])
def test_F10_read_only_device_arrays_are_never_written(xp, emulator, memory, outputs):
    x = (emulator.managed if memory == "managed" else xp.asarray)(np.arange(3.0))
    locked = Interface(x, data=(x.__cuda_array_interface__["data"][0], True))
    if outputs is None:
        PyccelKernel(guarded().fill)(locked, 7.0)
    with pkwrap.verify():
        expected = contextlib.nullcontext() if outputs is None else pytest.raises(pkwrap.UndeclaredWriteError)
        with expected:
            PyccelKernel(guarded().fill, outputs=outputs)(locked, 7.0)
    with pytest.raises(ValueError, match="read-only"):
        PyccelKernel(guarded().fill, outputs=(0,))(locked, 7.0)
    assert xp.asnumpy(x).tolist() == [0, 1, 2]


# --- verify and learn


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("on_device", [False, True])
def test_c51_what_was_changed_without_a_declaration_is_as_before(xp, order, on_device):
    name = {"C": "fill_rows", "F": "fill_columns"}[order]
    x = np.array([[1.0, 2, 3], [4, 5, 6]], order=order)
    x = xp.asarray(x, order=order) if on_device else x

    def python(x, value, y):
        x += value
        y.fill(value)

    y = np.zeros(2)
    for kernel, args in ((guarded().__dict__[name], (x, 7.0)), (python, (x, 7.0, y))):
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError):
            PyccelKernel(kernel, outputs=())(*args)
        assert (xp.asnumpy(x) if on_device else x).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert y.tolist() == [0, 0]  # all of them, not the first alone


def test_c50_arrays_inside_compiled_objects_are_seen():
    module = guarded()
    x, y = np.zeros(2), np.ones(2)
    pair, nest = module.Pair(x, y), None
    bump = PyccelKernel(module.bump, outputs=())
    with pkwrap.verify():
        with pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed args\[0\]\.x\[0\] from 0.0 to 1.0"):
            bump(pair)
        assert x.tolist() == [0, 0]
        PyccelKernel(module.bump, outputs=(0,))(pair)
        nest = module.Nest(pair)
        with pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed args\[0\]\.pair\.x\[0\] from 1.0 to 2.0"):
            PyccelKernel(module.bump_nest, outputs=())(nest)
    assert x.tolist() == [1, 0]
    with pkwrap.learn() as seen:
        bump(pair)
        PyccelKernel(module.look, outputs=(1,))(pair, np.zeros(1))
    assert seen.written(module.__name__, "bump") == ["0"] and seen.written(module.__name__, "look") == ["1"]


# --- kernels that would do their work later


async def coroutine(x):
    x += 1


def generator(x):
    x += 1
    yield


async def asynchronous(x):
    x += 1
    yield


class Later:
    async def __call__(self, x):
        x += 1

    def method(self, x):
        x += 1
        yield

    @staticmethod
    async def static(x):
        x += 1

    @classmethod
    async def of_class(cls, x):
        x += 1


class Sooner(Later):
    def __call__(self, x):
        x += 1


class Partial:
    __call__ = functools.partialmethod(generator)


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


LATER = {
    "coroutine": coroutine,
    "generator": generator,
    "asynchronous generator": asynchronous,
    "old coroutine": types.coroutine(generator),
    "partial": functools.partial(functools.partial(coroutine), np.ones(1)),
    "method": Later().method,
    "static": Later.static,
    "class method": Later.of_class,
    "object": Later(),
    "partial of an object": functools.partial(Later()),
    "partial method": Partial(),
    "decorated": traced(traced(coroutine)),
    "cached": functools.lru_cache(generator),
    "context manager": contextlib.contextmanager(generator),
    "kernel": None,
}


@pytest.mark.parametrize("name", LATER)
def test_kernels_that_would_write_after_the_call_are_refused(name):
    kernel = LATER[name]
    if name == "kernel":
        kernel = functools.partial(PyccelKernel(len))
        kernel.func.__wrapped__ = coroutine
    with pytest.raises(TypeError, match="must do its work when it is called, but .* makes an? (coroutine|asynchronous|generator)"):
        PyccelKernel(kernel)


def test_what_only_looks_like_such_a_kernel_is_taken(xp):
    def ring(x):
        x += 1

    ring.__wrapped__ = ring

    class Answers:
        def __getattr__(self, name):
            return self if name != "__name__" else "any"

        def __call__(self, x):
            x += 1

    for kernel in (Sooner(), ring, Answers(), lambda x: asyncio.run(coroutine(x)), lambda x: list(generator(x)), dict):
        PyccelKernel(kernel)
    x = xp.zeros(2)
    PyccelKernel(Sooner())(x)
    PyccelKernel(lambda x: asyncio.run(coroutine(x)))(x)
    assert xp.asnumpy(x).tolist() == [2, 2]


@pytest.mark.parametrize("later", [coroutine, generator, asynchronous])
def test_what_turns_out_to_be_unfinished_is_an_error(xp, later):
    kernel = PyccelKernel(lambda x: later(x))
    x = xp.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody has to await it
        with pytest.raises(TypeError, match=r"<lambda>\(\): returned an unfinished \w*(coroutine|generator)"):
            kernel(x)
    assert xp.asnumpy(x).tolist() == [0, 0]


# --- subclasses


class Named(PyccelKernel):
    __slots__ = ("label",)

    def __init__(self, label, function, *, written):
        super().__init__(function, outputs=written)
        self.label = label

    def __call__(self, *args):
        return self.label, super().__call__(*args)


class Wide(PyccelKernel):
    def __init__(self, function):
        self.note = "before"
        super().__init__(function, None, (), None, (0,))


def scale(x, factor=2.0):
    x *= factor


@pytest.mark.parametrize("again", [lambda k: k, copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_c5_subclasses_with_an_init_of_their_own(xp, again):
    named, wide = again(Named("mine", scale, written=("x",))), again(Wide(scale))
    x = xp.ones(2)
    assert named(x) == ("mine", None) and named.outputs == ("x",) and type(named) is Named
    wide(x)
    assert xp.asnumpy(x).tolist() == [4, 4] and wide.note == "before" and wide.kernel is scale and wide.outputs == (0,)


def test_c5_a_subclass_that_makes_no_kernel_says_so():
    class Forgetful(PyccelKernel):
        def __init__(self):
            pass

    kernel = Forgetful()
    for use in (kernel, lambda: repr(kernel), lambda: kernel.parameters, lambda: copy.copy(kernel)):
        with pytest.raises(RuntimeError, match="PyccelKernel.__init__ of this .*Forgetful has not been called"):
            use()
    with pytest.raises(AttributeError):
        kernel.kernel  # noqa: B018
    kernel.other = 1


def test_c5_init_may_run_again_also_in_the_middle_of_a_call(xp):
    def first(x):
        kernel.__init__(scale, outputs=(0,))
        x += 1

    kernel = PyccelKernel(first)
    with pytest.raises(TypeError):
        kernel.__init__(first, outputs=1)
    x = xp.ones(2)
    kernel(x)
    assert xp.asnumpy(x).tolist() == [2, 2] and kernel.kernel is scale
    kernel(x)
    assert xp.asnumpy(x).tolist() == [4, 4]


# --- fallback


def test_a_fallback_is_silent_where_nothing_runs_on_a_device(xp):
    kernel = pkwrap.fallback(lambda a: a.fill(2), outputs=(0,))
    with warnings.catch_warnings(), pkwrap.assert_no_transfers():
        warnings.simplefilter("error")
        kernel(np.zeros(2))
        kernel(np.zeros(2))
    with pkwrap.use_backend("cupy"), pkwrap.count_transfers() as counter:
        with pytest.warns(RuntimeWarning, match="has no version for the device"):
            kernel(np.zeros(2))
        kernel(xp.zeros(2))
    assert counter.fallbacks == 2
