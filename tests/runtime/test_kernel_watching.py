"""PyccelKernel in verify and learn mode (C50 to C53)."""

import json
from collections import namedtuple

import numpy as np
import pkwrap
import pytest
from pkwrap import PyccelKernel

Pair = namedtuple("Pair", "first second")


class State:
    def __init__(self, data, inner=None):
        self.data, self.inner = data, inner


class Slots:
    __slots__ = ("data",)

    def __init__(self, data):
        self.data = data


@pytest.mark.parametrize("on_device", [True, False])
def test_c50_c51_verify_finds_an_undeclared_write(xp, on_device):
    def kernel(a, b, state):
        a += 1
        state["x"][1, 0] = 5

    make = xp.asarray if on_device else np.asarray
    a, b, x = make(np.zeros(2)), make(np.zeros(2)), make(np.zeros((2, 2)))
    with pkwrap.verify():
        with pytest.raises(
            pkwrap.UndeclaredWriteError, match=r"kernel\(\): argument 'state' .*changed state\['x'\]\[1, 0\] from 0.0 to 5.0"
        ):
            PyccelKernel(kernel, outputs=("a",))(a, b, {"x": x})
        PyccelKernel(kernel, outputs=("a", "state"))(a, b, {"x": x})
        PyccelKernel(kernel)(a, b, {"x": x})
        PyccelKernel(lambda a, b: a.fill(3), outputs=("a",))(x, x[:1])
    PyccelKernel(kernel, outputs=("a",))(a, b, {"x": x})


def put(item):
    item[...] = 7


@pytest.mark.parametrize("on_device", [True, False])
@pytest.mark.parametrize(
    "make, write, path",
    [
        (lambda x: x, lambda a: put(a), "state[0]"),
        (lambda x: {"x": x}, lambda a: put(a["x"]), "state['x'][0]"),
        (lambda x: {("a", 1): x}, lambda a: put(a["a", 1]), "state[('a', 1)][0]"),
        (lambda x: [1, (x,)], lambda a: put(a[1][0]), "state[1][0][0]"),
        (lambda x: Pair(None, x), lambda a: put(a.second), "state[1][0]"),
        (lambda x: State(x), lambda a: put(a.data), "state.data[0]"),
        (lambda x: Slots(x), lambda a: put(a.data), "state.data[0]"),
        (lambda x: {"s": State(None, [State(x)])}, lambda a: put(a["s"].inner[0].data), "state['s'].inner[0].data[0]"),
        (lambda x: {"a": [2], "b": {"c": [x]}}, lambda a: put(a["b"]["c"][0]), "state['b']['c'][0][0]"),
    ],
)
def test_c51_the_path_to_the_array_is_given_as_python_writes_it(xp, on_device, make, write, path):
    def kernel(state, read):
        write(state)

    def state():
        return make(xp.zeros(2) if on_device else np.zeros(2))

    text = f"kernel(): argument 'state' is not declared as written, but the kernel changed {path} from 0.0 to 7.0"
    with pkwrap.verify():
        for call in (lambda k: k(state(), 1), lambda k: k(read=1, state=state())):
            with pytest.raises(pkwrap.UndeclaredWriteError) as caught:
                call(PyccelKernel(kernel, outputs=(), object_modules=(__name__,)))
            assert str(caught.value) == text


def test_c51_paths_of_arguments_without_a_name(xp):
    kernel = PyccelKernel(lambda *many: put(many[1]["x"]), outputs=())
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed args\[1\]\['x'\]\[0\] from"):
        kernel(1, {"x": xp.zeros(2)})


def test_c51_an_array_that_is_an_argument_too_is_named_as_that(xp):
    """Not by the way through another argument, which leads to it as well."""
    x = xp.zeros(2)
    kernel = PyccelKernel(lambda many, one: put(one), outputs=())
    for call in (lambda: kernel([x], x), lambda: kernel({"k": [[x]]}, x)):
        with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"argument 'one' .* changed one\[0\] from"):
            call()


def test_c51_the_way_through_a_cycle_ends(xp):
    loop = {"x": xp.zeros(2)}
    loop["self"] = [loop]
    with pkwrap.verify(), pytest.raises(pkwrap.UndeclaredWriteError, match=r"changed a\['x'\]\[0\] from"):
        PyccelKernel(lambda a: put(a["self"][0]["self"][0]["x"]), outputs=())(loop)


def test_c53_learn_records_what_changed(xp, tmp_path):
    def learnt(a, b, c):
        a += 1
        c[1][...] = 0

    with pkwrap.learn() as seen:
        PyccelKernel(learnt)(xp.zeros(2), np.zeros(2), [np.ones(1), xp.ones(1)])
        PyccelKernel(learnt, outputs=())(np.zeros(2), xp.zeros(2), c=[1, np.zeros(1)])
    assert seen.calls[__name__, "learnt"] == {"a": (2, 2), "b": (2, 0), "c": (2, 1)}
    seen.save(tmp_path / "observed.json")
    assert "learnt" in json.dumps(json.loads((tmp_path / "observed.json").read_text()))
