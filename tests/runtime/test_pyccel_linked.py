"""Objects that refer to objects, and arrays that are reached on more than one way: nothing is lost, nothing dangles."""

import gc
import json
import os
import subprocess
import sys
import weakref

import numpy as np
import pkwrap
import pytest
from foreign import Interface
from pyccel_build import DATA, compile_in, wrapped


@pytest.fixture(scope="module", params=["c", "fortran"])
def both(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"linked_{request.param}")
    return wrapped(folder, DATA / "pyccel_linked.py", request.param)


@pytest.fixture(scope="module")
def module(both):
    return both[0]


def places(xp, values):
    """The same values where compiled code can use them, where it cannot, and on a device."""
    return [np.array(values), np.array(values)[::-1].copy()[::-1], xp.asarray(np.array(values))]


def host(xp, array):
    return array.tolist() if isinstance(array, np.ndarray) else xp.asnumpy(array).tolist()


def test_F9_an_object_that_is_made_of_another_ones_array(module, xp):
    for x in places(xp, [1.0, 2.0]):
        made = module.make2(module.Vec(x, 1))
        gc.collect()
        assert module.read(made) == 1 and made.tag == 2
        module.write(made, 7.0)
        assert host(xp, x) == [7, 7]
        fresh = module.Pair(module.Vec(np.zeros(2), 0), x).fresh()
        fresh.fill(8.0)
        assert host(xp, x) == [8, 8]


def test_an_object_of_an_argument_that_nobody_else_holds(module):
    made = [module.make2(module.Vec(np.full(100_000, 3.0), 1)) for _ in range(20)]
    gc.collect()
    assert [module.read(each) for each in made] == [3.0] * 20


def test_F9_arrays_set_through_an_object_in_an_object(module, xp):
    for x in places(xp, [1.0, 2.0]):
        a = module.Vec(np.zeros(2), 1)
        pair = module.Pair(a, np.zeros(2))
        assert pair.a is a
        pair.a.x = x
        gc.collect()
        pair.go(7.0)
        assert host(xp, x) == [7, 7] and a.x is x or isinstance(x, np.ndarray)
        a.x = y = xp.asarray(np.zeros(2))
        module.write2(pair, 8.0)
        assert host(xp, y) == [8, 8] and host(xp, x) == [7, 7]


@pytest.fixture(params=["buffer", "memmap"])
def read_only(request, tmp_path):
    if request.param == "buffer":
        return np.frombuffer(np.arange(2.0).tobytes())
    np.arange(2.0).tofile(tmp_path / "x")
    return np.memmap(tmp_path / "x", np.float64, mode="r").view(np.ndarray)


def test_F10_read_only_arrays_in_objects_in_objects(module, read_only):
    pair = module.Pair(module.Vec(read_only, 1), np.ones(2))
    assert pair.dot(np.ones(2)) == 1
    other = module.Pair(module.Vec(np.zeros(2), 1), np.zeros(2))
    other.a.x = read_only
    for use in (
        lambda: module.write2(pair, 7.0),
        lambda: pair.go(7.0),
        lambda: module.Pair(module.Vec(np.zeros(2), 1), read_only).fresh().fill(7.0),
        lambda: module.write(module.make2(module.Vec(read_only, 1)), 7.0),
        lambda: other.go(7.0),
    ):
        with pytest.raises(ValueError, match="read-only"):
            use()
    assert read_only.tolist() == [0, 1]


def test_attributes_give_the_objects_that_they_are(module, xp):
    shared = np.zeros(2)
    for x in (xp.asarray(np.zeros(2)), shared):
        u, v = module.Vec(x, 1), module.Vec(shared, 2)
        four = module.Four(module.Opt(1), module.Opt(2), u, v)
        assert (four.a.n, four.b.n, four.u.tag, four.v.tag) == (1, 2, 1, 2)
        four.b.n = 7
        assert module.tags(four) == 1 + 70 + 100 + 2000
        assert four.u is u and four.v is v
        four.u, four.v = v, u
        assert module.tags(four) == 1 + 70 + 200 + 1000 and four.u.tag == 2 and four.v.tag == 1


def test_objects_three_deep(module, xp, counted):
    for x in places(xp, [1.0, 2.0]):
        outer = module.Outer(module.Pair(module.Vec(x, 1), xp.asarray(np.array([4.0]))), np.ones(1))
        before = counted.bytes_to_device
        assert module.look(outer) == 5 and outer.inner.a.x[0] == 1 and counted.bytes_to_device == before
        module.deep(outer, 2.0)
        assert host(xp, x) == [3, 3]
        module.deeper(outer, 7.0)
        assert host(xp, x) == [7, 7] and host(xp, outer.inner.y) == [7]
        outer.inner.a = module.Vec(xp.asarray(np.array([9.0])), 1)
        assert module.look(outer) == 16


def test_which_of_two_equal_objects_it_is(module, xp):
    memory, x = np.zeros(2), xp.asarray(np.zeros(2))
    u, v = module.Vec(memory, 1), module.Vec(memory, 1)
    pair = module.Pair(u, np.zeros(2))
    pair.a = v
    pair.a.x = x
    assert pair.a is v and v.x is x and u.x is not x
    module.write2(module.Pair(v, np.zeros(2)), 3.0)
    assert host(xp, x) == [3, 3] and memory.tolist() == [0, 0]
    four = module.Four(module.Opt(0), module.Opt(0), u, module.Vec(memory, 1))
    assert four.u is u and four.v is not u


def test_F9_functions_that_make_an_attribute_refer_to_another_ones_array(module, xp):
    for x in places(xp, [0.0, 0.0]):
        for y in places(xp, [1.0, 2.0]):
            p, q = module.Vec(x, 1), module.Vec(y, 2)
            module.alias(p, q)
            module.write(p, 7.0)
            assert host(xp, y) == [7, 7] and host(xp, x) == [0, 0]
            del q
            gc.collect()
            p.fill(8.0)
            assert host(xp, y) == [8, 8]


def test_F9_methods_that_set_what_is_in_other_objects(module, xp):
    for x in places(xp, [1.0, 2.0]):
        a = module.Vec(np.zeros(2), 1)
        pair = module.Pair(a, np.zeros(2))
        setter = module.Setter(a, pair)
        setter.setx(x)
        pair.go(7.0)
        assert host(xp, x) == [7, 7]
        y = xp.asarray(np.zeros(2))
        other = module.Vec(y, 5)
        setter.seta(other)
        pair.go(8.0)
        assert host(xp, y) == [8, 8] and host(xp, x) == [7, 7] and pair.a.tag == 5
        outer = module.Outer(module.Pair(module.Vec(np.zeros(2), 1), np.zeros(2)), np.zeros(1))
        module.setna(outer, other)
        module.deep(outer, 9.0)
        assert host(xp, y) == [9, 9] and outer.inner.a.tag == 5
    with pytest.raises(ValueError, match=r"setnx\(\): the function makes 'p.*' refer to argument 'x', whose host copy ends"):
        module.setnx(pair, x)


def test_F10_read_only_arrays_that_functions_hand_on(module, read_only):
    p = module.Vec(np.zeros(2), 1)
    module.alias(p, module.Vec(read_only, 2))
    setter = module.Setter(module.Vec(np.zeros(2), 3), module.Pair(module.Vec(np.zeros(2), 4), np.zeros(2)))
    setter.setx(read_only)
    setter.seta(module.Vec(read_only, 5))
    pair = module.Pair(module.Vec(np.zeros(2), 6), np.zeros(2))
    module.setnx(pair, read_only)
    outer = module.Outer(module.Pair(module.Vec(np.zeros(2), 7), np.zeros(2)), np.zeros(1))
    module.setna(outer, module.Vec(read_only, 8))
    for use in (
        lambda: module.write(p, 7.0),
        lambda: setter.a.fill(7.0),
        lambda: setter.p.go(7.0),
        lambda: pair.go(7.0),
        lambda: module.deep(outer, 7.0),
    ):
        with pytest.raises(ValueError, match="read-only"):
            use()
    assert read_only.tolist() == [0, 1]


def test_objects_that_refer_to_themselves(module, xp):
    for x in places(xp, [1.0, 2.0]):
        node = module.Node(x, float("nan"))
        node.put(5.0)
        assert host(xp, x) == [5, 2] and node.n is node
        other = module.Node(np.zeros(1), float("nan"))
        node.link(other)
        other.link(node)
        node.put(6.0)
        assert node.n is other and other.n is node and other.x[0] == 6
        reference = weakref.ref(node)
        del node, other
        gc.collect()
        assert reference() is None


def test_F55_objects_and_results_do_not_pile_up(module, xp):
    u = module.Vec(xp.asarray(np.zeros(2)), 1)
    four = module.Four(module.Opt(1), module.Opt(2), u, u)
    before = sum(isinstance(each, module.Vec) for each in gc.get_objects())
    for k in range(50):
        four.a = module.Opt(k)
        assert four.u is u and four.v is u and module.tags(four) == k + 20 + 1100
    assert sum(isinstance(each, module.Vec) for each in gc.get_objects()) == before
    made, arrays = u, []
    for _ in range(20):
        arrays.append(y := np.ones(3))
        made = module.step(made, y)
        arrays[-1] = weakref.ref(y)
    del y
    assert made.tag == 21 and module.read(made) == 1 and sum(each() is not None for each in arrays) == 1


def test_attributes_that_the_constructor_does_not_set(module, xp):
    for x in places(xp, [1.0, 2.0]):
        late = module.Late(x)
        late.scale(2.0)
        with pkwrap.verify():
            late.scale(3.0)
        assert host(xp, x) == [3, 3]
        b = xp.asarray(np.zeros(2))
        late.prepare(b)
        late.run(4.0)
        assert host(xp, b) == [4, 4] and late.b is b
        other = module.Late(x)
        other.b = b
        other.run(5.0)
        assert host(xp, b) == [5, 5]


def test_objects_that_were_replaced_are_given_up(module, xp, counted):
    pair = module.Pair(module.Vec(np.zeros(1), 0), np.zeros(1))
    gone = []
    for k in range(20):
        a = module.Vec(xp.asarray(np.array([float(k)])), k)
        pair.a = a
        gone.append(weakref.ref(a))
        del a
    assert [reference() is None for reference in gone] == [True] * 19 + [False]
    before = counted.bytes_to_host
    assert pair.dot(np.ones(1)) == 19 and counted.bytes_to_host - before == 8


def test_arguments_of_a_method_are_not_kept(module, xp):
    y = xp.asarray(np.ones(4))
    pair = module.Pair(module.Vec(y[:1], 0), np.ones(1))
    for z in (y, y, y[2:], y[1:], np.ones(2)[::-1], np.broadcast_to(1.0, (2,))):
        reference = weakref.ref(z)
        assert pair.dot(z) == 2
    del z
    assert reference() is None


def test_F35_an_array_that_the_object_has_already_is_given_again(module, xp):
    for a in places(xp, [1.0, 2.0]):
        multi = module.Multi(a, np.zeros((2, 2)))
        multi.swap(a)
        multi.fill(3.0)
        assert host(xp, a) == [3, 3]
        vec = module.Vec(a, 1)
        module.both(a, vec)  # as on the host: one memory
        assert host(xp, a) == [1, 2]


def test_F10_one_read_only_device_array_for_two_arguments(module, xp):
    y = xp.asarray(np.array([2.0]))
    read_only = Interface(y, data=(y.__cuda_array_interface__["data"][0], True))
    x = xp.asarray(np.zeros(2))
    module.mix(module.Vec(x, 1), read_only, read_only)
    assert host(xp, x) == [4, 0]


def test_F9_what_is_used_in_place_and_what_is_a_copy(module):
    memory = np.zeros(3)
    multi = module.Multi(memory[::-1], memory.reshape(1, 3))
    with pytest.raises(ValueError, match=r"Multi.fill\(\): arguments 'self\.\w' and 'self\.\w' overlap"):
        multi.fill(5.0)
    with pytest.raises(ValueError, match=r"clash\(\): arguments 'a.x' and 'out' overlap"):
        module.clash(memory[::-1], module.Vec(memory, 1))
    assert not memory.any()
    module.clash(memory, module.Vec(memory, 1))
    assert memory.tolist() == [5, 0, 0]


def test_operators(module, xp):
    for x in places(xp, [1.0, 2.0]):
        vec = module.Vec(x, 3)
        vec += 1.0
        assert type(vec) is module.Vec and host(xp, x) == [2, 3]
        assert vec != 3 and [vec, 3].index(3) == 1 and hash(vec)  # the compiled class has no slot for __eq__


ARGS = """
class Args:
    def __init__(self, x: "float[:]"):
        self.x = x

    def put(self, v: float):
        self.x[:] = v
"""
PUSH = """
from args import Args

def mk(x: "float[:]") -> "Args":
    made = Args(x)
    return made
"""


def test_a_result_of_a_class_without_a_wrapper(tmp_path, xp, python):
    (tmp_path / "args.py").write_text(ARGS)
    (tmp_path / "push.py").write_text(PUSH)
    for name in ("args", "push"):
        compile_in(tmp_path, f"{name}.py", "c")
        manifest = {"module": f"{name}_w", "stubs": [f"__pyccel__/{name}.pyi"], "extension": name}
        (tmp_path / f"{name}.json").write_text(json.dumps(manifest))
        command = [os.environ["PKWRAP_TOOL"], "build", "-q", "--python", sys.executable, f"{name}.json"]
        subprocess.run(command, cwd=tmp_path, check=True)
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import numpy as np, push_w\n"
    end = """
try:
    made = push_w.mk(x)
    made.put(2.0)
    print(type(made).__module__, x.tolist())
except TypeError as error:
    print(error)
"""
    array = "x = np.ones(2)[::-1]\n"
    assert "mk(): the result is a args.Args object, and no wrapper of its class is imported" in python(start + array + end)
    assert python(start + "import args_w\n" + array + end).split() == ["args_w", "[2.0,", "2.0]"]
