"""PyccelKernel: one array at several places, overlapping arrays, declarations (C24 to C32)."""

import itertools

import numpy as np
import pytest
from foreign import DLPack, Interface
from pkwrap import PyccelKernel
from test_kernel_arguments import HERE as ARGUMENTS
from test_kernel_arguments import State


def test_c24_the_same_array_at_several_places_is_one(xp, counted):
    x = xp.asarray(np.arange(4.0))
    seen = []

    def kernel(a, b, state, k):
        seen.extend([a, b[0], b[1]["x"], state.x, k])
        a += 1

    before = counted.bytes_to_host, counted.bytes_to_device
    PyccelKernel(kernel, object_modules=(ARGUMENTS,))(x, [x, {"x": x}], State(x), k=x)
    assert all(item is seen[0] for item in seen)
    assert (counted.bytes_to_host - before[0], counted.bytes_to_device - before[1]) == (32, 32)
    assert xp.asnumpy(x).tolist() == [1, 2, 3, 4]


VIEWS = [
    lambda x: x, lambda x: x[:], lambda x: x[1:], lambda x: x[:-1], lambda x: x[::2], lambda x: x[1::2], lambda x: x[::-1],
    lambda x: x.reshape(3, 4), lambda x: x.reshape(3, 4).T, lambda x: x[2:8], lambda x: x[8:2:-2], lambda x: x.reshape(4, 3)[:, 1],
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), list(itertools.product(range(len(VIEWS)), repeat=2)))
def test_c25_c26_overlapping_arrays_overlap_on_the_host(xp, first, second):
    def kernel(a, b):
        a += 1
        b *= 2
        a -= 3

    host = np.arange(12.0)
    device = xp.asarray(host)
    kernel(VIEWS[first](host), VIEWS[second](host))
    PyccelKernel(kernel)(VIEWS[first](device), VIEWS[second](device))
    np.testing.assert_array_equal(xp.asnumpy(device), host)


def test_c25_the_union_is_staged_once(xp, counted):
    x = xp.asarray(np.arange(8.0))
    before = counted.bytes_to_host
    PyccelKernel(lambda a, b: None, outputs=())(x[:6], x[2:])
    assert counted.bytes_to_host - before == 64


def test_c25_foreign_objects_over_the_same_memory(xp):
    x = xp.asarray(np.arange(4.0))

    def kernel(a, b):
        a[0] = 7
        assert b[0] == 7
        b[1] = 8

    PyccelKernel(kernel)(Interface(x), DLPack(x))
    assert xp.asnumpy(x).tolist() == [7, 8, 2, 3]


def test_c25_different_dtypes_over_the_same_memory(xp):
    x = xp.asarray(np.arange(4.0))
    PyccelKernel(lambda a, b: b.fill(0))(x, x.view(np.int64)[1:3])
    assert xp.asnumpy(x).tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize("outputs", [(0,), (1,), ("a",), ("b",), (-1,), (-2,)])
def test_c27_only_declared_arrays_are_copied_back(xp, outputs):
    def kernel(a, b):
        a += 1
        b += 1

    a, b = xp.zeros(3), xp.zeros(3)
    PyccelKernel(kernel, outputs=outputs)(a, b)
    first = outputs[0] in (0, "a", -2)
    assert (xp.asnumpy(a)[0], xp.asnumpy(b)[0]) == ((1, 0) if first else (0, 1))


def test_c27_c26_a_declared_view_and_an_undeclared_one_of_the_same_memory(xp):
    def kernel(a, b):
        a += 1
        b += 10

    x = xp.zeros(6)
    PyccelKernel(kernel, outputs=(0,))(x[:4], x[2:])
    assert xp.asnumpy(x).tolist() == [1, 1, 11, 11, 0, 0]


def test_c28_a_declared_container_contributes_all_its_arrays(xp):
    def kernel(state, other):
        state["x"][0] += 1
        state["l"][0].x += 1
        other[0] += 1
        other[1] += 1

    x, y, z = xp.zeros(2), xp.zeros(2), xp.zeros(2)
    PyccelKernel(kernel, outputs=("state",), object_modules=(ARGUMENTS,))({"x": x, "l": [State(y)]}, [z, x])
    assert [float(a.sum()) for a in (x, y, z)] == [3, 2, 0]


def test_c28_what_a_declared_and_an_undeclared_argument_share_is_written(xp):
    x = xp.zeros(2)
    shared = [x]
    for outputs in ((0,), (1,)):
        PyccelKernel(lambda a, b: b["s"][0].__iadd__(1) is None, outputs=outputs)([shared], {"s": shared})
    assert xp.asnumpy(x).tolist() == [2, 2]


def test_c29_negative_positions_count_from_the_end_of_those_passed(xp):
    def kernel(*args):
        for a in args:
            a += 1

    wrapped = PyccelKernel(kernel, outputs=(-1,))
    for n in (1, 2, 3):
        arrays = [xp.zeros(1) for _ in range(n)]
        wrapped(*arrays)
        assert [float(a.sum()) for a in arrays] == [0] * (n - 1) + [1]


def both(a, b=None, *, c=None):
    for x in (a, b, c):
        if x is not None:
            x += 1


@pytest.mark.parametrize(
    ("outputs", "written"),
    [(("a",), "a"), ((0,), "a"), (("b",), "b"), ((1,), "b"), (("c",), "c"), (("c", 0), "ca"), ((1, "a"), "ab")],
)
@pytest.mark.parametrize("positional", [0, 1, 2])
def test_c30_with_known_names_a_position_is_a_name_and_a_name_a_position(xp, outputs, written, positional):
    arrays = {name: xp.zeros(1) for name in "abc"}
    args, keywords = list(arrays.values())[:positional], dict(list(arrays.items())[positional:])
    PyccelKernel(both, outputs=outputs)(*args, **keywords)
    assert {name for name, array in arrays.items() if float(array.sum())} == set(written)


def test_c30_parameters_name_them_where_no_signature_does(xp):
    for parameters in (("a", "b"), ["a", "b"], lambda: ("a", "b")):
        kernel = PyccelKernel(
            lambda *args, **k: [x.__iadd__(1) for x in (*args, *k.values())], outputs=("b",), parameters=parameters
        )
        a, b = xp.zeros(1), xp.zeros(1)
        kernel(a, b)
        kernel(a, b=b)
        assert (float(a.sum()), float(b.sum())) == (0, 2) and kernel.parameters == ("a", "b")
        with pytest.raises(KeyError, match="outputs declares 'c'"):
            PyccelKernel(lambda *args: None, outputs=("c",), parameters=parameters)(a, b)


class Unknown:
    """A callable whose signature nobody can tell."""

    __signature__ = "none"

    def __call__(self, *args, **keywords):
        for x in (*args, *keywords.values()):
            x += 1


def test_c30_without_names_a_position_is_no_name(xp):
    x = xp.zeros(1)
    assert PyccelKernel(Unknown()).parameters is None
    with pytest.raises(KeyError, match="no such keyword argument.*parameters="):
        PyccelKernel(Unknown(), outputs=("a",))(x)
    with pytest.raises(IndexError, match="positional argument 0, but the call has 0 positional arguments; .*declared by name"):
        PyccelKernel(Unknown(), outputs=(0,))(a=x)
    PyccelKernel(Unknown(), outputs=("a",))(a=x)
    PyccelKernel(Unknown(), outputs=(0,))(x)
    assert float(x.sum()) == 2


class Compiled:
    """A compiled function that tells what it was made from."""

    def __init__(self, python):
        self.python = python

    def __call__(self, *args, **keywords):
        return self.python(*args, **keywords)


def test_c30_names_of_the_function_that_a_compiled_one_was_made_from(xp):
    a, b = xp.zeros(1), xp.zeros(1)
    kernel = PyccelKernel(Compiled(both), outputs=("b",))
    kernel(a, b)
    assert kernel.parameters == PyccelKernel(both).parameters and (float(a.sum()), float(b.sum())) == (0, 1)
    assert PyccelKernel(Compiled("not callable")).parameters == ("args", "keywords")[:0]

    class Broken(Compiled):
        python = property(lambda self: 1 / 0, lambda self, value: None)

    with pytest.raises(ZeroDivisionError):
        PyccelKernel(Broken(both), outputs=("b",))(a, b)


@pytest.mark.parametrize("kernel", [lambda *args, **keywords: None, lambda a, *args, **keywords: None])
def test_c30_positions_without_names_get_the_hint(xp, kernel):
    x = xp.zeros(1)
    with pytest.raises(KeyError, match="declared by index, not by name"):
        PyccelKernel(kernel, outputs=("out",))(x, x)
    with pytest.raises(IndexError, match="declared by name, not by index"):
        PyccelKernel(kernel, outputs=(2,))(x, x, out=x)


def test_c30_parameters_that_a_call_leaves_out(xp):
    a = xp.zeros(1)
    PyccelKernel(both, outputs=("a", "b", "c", 1))(a)
    assert float(a.sum()) == 1
    seen = []
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        PyccelKernel(lambda a, b: seen.append(1), outputs=("b",))(a)


@pytest.mark.parametrize("use_cupy", [None, False, True])
@pytest.mark.parametrize(
    ("outputs", "error"), [((3,), IndexError), ((-3,), IndexError), (("z",), KeyError), ((2**80,), IndexError)]
)
def test_c31_a_wrong_declaration_is_told_on_the_first_call_of_any_path(xp, counted, use_cupy, outputs, error):
    ran = []
    before = counted.total
    for argument in (np.zeros(1), xp.zeros(1), 1):
        with pytest.raises(error, match=r"<lambda>\(\): outputs declares"):
            PyccelKernel(lambda a, b=1: ran.append(a), use_cupy=use_cupy, outputs=outputs)(argument, 2)
    assert ran == [] and counted.total == before


def test_c31_and_on_each_converting_call(xp):
    kernel = PyccelKernel(lambda *args: None, outputs=(1,))
    kernel(1, 2)
    with pytest.raises(IndexError):
        kernel(xp.zeros(1))
    kernel(xp.zeros(1), 2)


def test_c32_is_array_decides_about_results_only(xp):
    x = xp.zeros(2)

    def kernel(a):
        a += 1
        return a * 2, [1, 2], {"k": a * 3}

    result = PyccelKernel(kernel, is_array=lambda value: False)(x)
    assert type(result[0]) is np.ndarray and xp.asnumpy(x).tolist() == [1, 1]
    result = PyccelKernel(kernel, is_array=lambda value: isinstance(value, list))(x)
    assert type(result[0]) is np.ndarray and isinstance(result[1], xp.ndarray) and xp.asnumpy(result[1]).tolist() == [1, 2]
    with pytest.raises(ZeroDivisionError):
        PyccelKernel(kernel, is_array=lambda value: 1 / 0)(x)
