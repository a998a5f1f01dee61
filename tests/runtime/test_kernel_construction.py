"""PyccelKernel: what it is made from, what it shows, and when it converts (C1 to C9)."""

import ast
import collections
import copy
import functools
import gc
import inspect
import pickle
import sys
import weakref
from pathlib import Path

import numpy as np
import pkwrap
import pytest
from pkwrap import PyccelKernel


def scale(x, factor=2.0):
    """Multiplies x in place."""
    x *= factor


class Callable:
    def __call__(self, x):
        return x


def test_c1_any_callable_and_pyccel_is_never_imported(python):
    for callable_ in (scale, Callable(), np.add, len, functools.partial(scale, factor=3.0), int, scale.__get__(np.ones(1))):
        assert PyccelKernel(callable_).kernel is callable_
    for other in (3, None, "scale", [scale]):
        with pytest.raises(TypeError, match="kernel must be callable"):
            PyccelKernel(other)
    code = "import sys, pkwrap; pkwrap.PyccelKernel(len)([1]); print(any(m.split('.')[0] == 'pyccel' for m in sys.modules))"
    assert python(code).strip() == "False"


def test_c1_arguments_by_position_and_by_keyword():
    kernel = PyccelKernel(scale, True, ("a", "b"), callable, (0,), ("x", "factor"), "copy_back")
    same = PyccelKernel(
        kernel=scale, use_cupy=True, object_modules=("a", "b"), is_array=callable, outputs=(0,), parameters=("x", "factor"),
        on_error="copy_back",
    )  # fmt: skip
    for k in (kernel, same):
        assert (k.use_cupy, k.object_modules, k.is_array, k.outputs) == (True, ("a", "b"), callable, (0,))
        assert (k.parameters, k.on_error) == (("x", "factor"), "copy_back")
    with pytest.raises(ValueError, match="on_error must be 'discard' or 'copy_back', not 'ignore'"):
        PyccelKernel(scale, on_error="ignore")
    with pytest.raises(TypeError, match=r"did you mean object_modules=\('mine',\)"):
        PyccelKernel(scale, object_modules="mine")
    with pytest.raises(TypeError, match="is_array must be callable"):
        PyccelKernel(scale, is_array=True)


@pytest.mark.parametrize("outputs", [1, "x", np.int64(1), True, b"x"])
def test_c2_a_bare_output_is_refused_with_the_tuple_that_was_meant(outputs):
    with pytest.raises(TypeError, match="outputs must be a sequence .* did you mean outputs="):
        PyccelKernel(scale, outputs=outputs)


@pytest.mark.parametrize("entry", [None, 1.5, True, np.bool_(True), (0,), b"x"])
def test_c2_entries_are_positions_and_names(entry):
    with pytest.raises(TypeError, match="outputs must hold argument positions"):
        PyccelKernel(scale, outputs=(0, entry))


def test_c2_numpy_integers_are_positions():
    kernel = PyccelKernel(scale, outputs=[np.int64(0), np.uint8(1)])
    assert kernel.outputs == (0, 1) and [type(entry) for entry in kernel.outputs] == [int, int]


def test_c3_outputs_gives_a_tuple_or_none():
    assert PyccelKernel(scale).outputs is None
    assert PyccelKernel(scale, outputs=()).outputs == ()
    assert PyccelKernel(scale, outputs=["x", -1]).outputs == ("x", -1)


def test_c3_without_a_declaration_all_may_be_written_and_with_an_empty_one_none(xp):
    def both(a, b):
        a += 1
        b += 1

    for outputs, expected in ((None, 1), ((), 0)):
        a, b = xp.zeros(2), xp.zeros(2)
        PyccelKernel(both, outputs=outputs)(a, b)
        assert xp.asnumpy(a).tolist() == xp.asnumpy(b).tolist() == [expected] * 2


def test_c4_attributes_and_repr():
    kernel = PyccelKernel(scale, outputs=(0,))
    assert (kernel.name, kernel.kernel, kernel.outputs, kernel.object_modules) == ("scale", scale, (0,), ())
    assert kernel.is_array(np.ones(1)) is True and kernel.is_array([1]) is False
    assert repr(kernel) == "PyccelKernel(kernel='scale', use_cupy=False, outputs=(0,))"
    assert repr(PyccelKernel(Callable())) == "PyccelKernel(kernel='Callable', use_cupy=False, outputs=None)"
    assert PyccelKernel(functools.partial(scale)).name == "partial"
    with pytest.raises(AttributeError):
        kernel.kernel = len


def test_c4_use_cupy_is_the_forced_value_or_the_backend(xp):
    kernels = {value: PyccelKernel(scale, use_cupy=value) for value in (None, True, False)}
    assert [kernel.use_cupy for kernel in kernels.values()] == [False, True, False]
    with pkwrap.use_backend("cupy"):
        assert [kernel.use_cupy for kernel in kernels.values()] == [True, True, False]
        assert "use_cupy=True" in repr(kernels[None])


def test_c5_follows_the_callable():
    kernel = PyccelKernel(scale)
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        assert getattr(kernel, name) == getattr(scale, name)
    assert kernel.__wrapped__ is scale
    assert inspect.signature(kernel) == inspect.signature(scale)
    assert not hasattr(PyccelKernel(functools.partial(scale)), "__name__")
    assert PyccelKernel.__doc__.startswith("A callable that understands NumPy arrays")
    assert list(inspect.signature(PyccelKernel).parameters)[:2] == ["kernel", "use_cupy"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda kernel: pickle.loads(pickle.dumps(kernel))])
def test_c5_pickled_and_copied_by_reference(copied):
    kernel = PyccelKernel(scale, False, ("mine",), None, ("x",), ("x", "factor"), "copy_back")
    kernel.note = "mine"
    other = copied(kernel)
    assert type(other) is PyccelKernel and other is not kernel and other.kernel is scale
    assert (other.use_cupy, other.object_modules, other.outputs, other.parameters, other.on_error, other.note) == (
        False, ("mine",), ("x",), ("x", "factor"), "copy_back", "mine",
    )  # fmt: skip


def test_c5_weak_references_and_garbage():
    kernel = PyccelKernel(scale)
    reference = weakref.ref(kernel)
    kernel.myself = kernel
    assert reference() is kernel
    del kernel
    gc.collect()
    assert reference() is None


def test_c5_does_not_bind():
    class Holder:
        kernel = PyccelKernel(lambda *args: args)

    assert Holder().kernel(1) == (1,)


def test_c5_subclasses_call_as_well(xp):
    class Mine(PyccelKernel):
        pass

    x = xp.ones(2)
    Mine(scale)(x, factor=3.0)
    assert xp.asnumpy(x).tolist() == [3, 3] and type(copy.copy(Mine(scale))) is Mine


def test_c6_use_cupy_false_never_converts(xp):
    seen = []
    x = xp.ones(2)
    with pkwrap.use_backend("cupy"):
        PyccelKernel(lambda *args: seen.extend(args), use_cupy=False)(x, [x])
    assert seen[0] is x and seen[1][0] is x


def test_c6_conversion_where_a_device_array_is_reachable(xp):
    types = PyccelKernel(lambda *args, **keywords: [type(a) for a in (*args, *keywords.values())])
    x = xp.ones(2)
    assert types(x) == types(k=x) == [np.ndarray]
    assert types(1, x)[1] is types([x], x)[1] is np.ndarray


class Str(str):
    pass


@pytest.mark.parametrize("use_cupy", [None, False])
def test_c7_without_conversion_the_objects_are_the_callers(use_cupy, counted):
    Point = collections.namedtuple("Point", "x y")
    objects = [
        1, 2.5, "text", None, True, 1j, b"b", Str("s"), object(), np.ones(3), np.float64(2), np.ones(()), [1, [2]], (1, (2,)),
        {"a": {"b": 1}}, {1, 2}, frozenset(), iter([1]), Point(1, 2), collections.OrderedDict(a=1), Callable(), scale, sys, int,
    ]  # fmt: skip
    seen = []
    result = object()

    def kernel(*args, **keywords):
        seen.append((args, keywords))
        return result

    wrapped = PyccelKernel(kernel, use_cupy=use_cupy)
    assert wrapped(*objects) is result
    assert all(a is b for a, b in zip(seen[-1][0], objects, strict=True))
    names = [f"k{i}" for i in range(len(objects))]
    assert wrapped(objects[0], **dict(zip(names, objects, strict=True))) is result
    assert list(seen[-1][1]) == names and all(seen[-1][1][n] is o for n, o in zip(names, objects, strict=True))
    assert counted.total == 0


def test_c7_exceptions_and_mutation_are_those_of_a_plain_call():
    error = KeyError("mine")

    def kernel(x):
        x[0] = 5
        raise error

    x = np.zeros(2)
    with pytest.raises(KeyError) as caught:
        PyccelKernel(kernel)(x)
    assert caught.value is error and x.tolist() == [5, 0]
    with pytest.raises(TypeError, match=r"scale\(\) missing 1 required positional argument: 'x'"):
        PyccelKernel(scale)()
    with pytest.raises(TypeError, match=r"scale\(\) got an unexpected keyword argument 'y'"):
        PyccelKernel(scale)(x, y=1)


def test_c7_many_and_no_arguments():
    assert PyccelKernel(lambda *args: args)() == ()
    many = tuple(range(300))
    assert PyccelKernel(lambda *args: args)(*many) == many


def test_c8_on_the_cupy_backend_results_are_converted_and_arguments_are_not(xp, counted):
    host = np.arange(3.0)
    seen = []
    kernel = PyccelKernel(lambda x: (seen.append(x), x * 2)[1])
    with pkwrap.use_backend("cupy"):
        before = counted.kernel_conversions
        result = kernel(host)
        assert seen[0] is host and isinstance(result, xp.ndarray)
        assert counted.kernel_conversions == before
    assert xp.asnumpy(result).tolist() == [0, 2, 4]
    assert isinstance(PyccelKernel(lambda x: x * 2, use_cupy=True)(host), xp.ndarray)
    assert isinstance(kernel(host), np.ndarray)


def test_c9_the_documentations_example_runs_unchanged(python):
    out = python(
        """
import pkwrap as xp

def smooth(field, out):
    out[1:-1] = 0.25 * field[:-2] + 0.5 * field[1:-1] + 0.25 * field[2:]
    out[0], out[-1] = field[0], field[-1]

smooth_kernel = xp.PyccelKernel(smooth, outputs=(1,))
with xp.use_backend("cupy"):
    field = xp.random.random(1000)
    out = xp.empty_like(field)
    smooth_kernel(field, out)            # out is updated on the device

def step(state, dt):
    smooth_kernel(state["field"], state["out"])

state, dt = {"field": field, "out": out}, 0.1
with xp.count_transfers() as counter:
    step(state, dt)
for event in counter.kernel_conversion_calls:
    print(event.where, event.description)

expected = xp.empty_like(field.get())
smooth(field.get(), expected)
print((out.get() == expected).all(), type(field).__module__, counter.kernel_conversions)
from pkwrap import kernels, profiling
print(kernels.PyccelKernel is xp.PyccelKernel, profiling.count_transfers is xp.count_transfers,
      profiling.assert_no_transfers is xp.assert_no_transfers)
""",
        PKWRAP_DEVICE="emulator",
    ).splitlines()
    assert out[0].startswith("<string>:15 smooth: 2 arrays") and out[1:] == ["True pkwrap.emulator.cupy 1", "True True True"]


def test_the_stub_of_the_extension_names_what_is_there():
    from pkwrap import _pkwrap

    folder = Path(pkwrap.__file__).parent
    assert (folder / "py.typed").exists()
    nodes = ast.parse((folder / "_pkwrap.pyi").read_text()).body
    named = {
        node.target.id if isinstance(node, ast.AnnAssign) else node.name for node in nodes if not isinstance(node, ast.ImportFrom)
    }
    assert named == {name for name in dir(_pkwrap) if not name.startswith("__") or name == "__version__"}
    (kernel,) = (node for node in nodes if getattr(node, "name", "") == "PyccelKernel")
    (made,) = (node for node in kernel.body if node.name == "__init__")
    assert [argument.arg for argument in made.args.args[1:]] == list(inspect.signature(PyccelKernel).parameters)
