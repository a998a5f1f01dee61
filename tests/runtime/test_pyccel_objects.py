"""Objects of argument classes: every array that reaches compiled code through them is judged, whatever memory it is in."""

import copy
import inspect
import json
import os
import pickle
import shutil
import subprocess
import sys
import weakref

import numpy as np
import pytest
from pyccel_build import DATA, compiled, wrapped


@pytest.fixture(scope="module", params=["c", "fortran"])
def both(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"objects_{request.param}")
    return (*wrapped(folder, DATA / "pyccel_objects.py", request.param), request.param)


@pytest.fixture(scope="module")
def module(both):
    return both[0]


def odd_arrays(values):
    """The same values in every layout that ends a compiled module or that it reads wrong."""
    n = len(values)
    spaced = np.zeros(2 * n)[::2]
    spaced[:] = values
    backwards = np.array(values)[::-1].copy()[::-1]
    unaligned = np.zeros(8 * n + 1, np.uint8)[1:].view(np.float64)
    unaligned[:] = values
    packed = np.zeros(n, np.dtype([("x", "f8"), ("y", "f4")]))
    packed["x"] = values
    return [spaced, backwards, unaligned, packed["x"], np.array(values, ">f8")]


# --- arrays of every layout ---


def test_F16_no_array_given_to_a_constructor_is_read_wrong(module):
    for nodes in odd_arrays([1.0, 2.0, 3.0]):
        grid, out = module.Grid(nodes, 3), np.zeros(3)
        assert grid.total() == 6 and grid.first == 1 and grid.nodes is nodes or np.shares_memory(grid.nodes, nodes)
        grid.scale(2.0, out)
        assert nodes.tolist() == [2, 4, 6] and out.tolist() == [2, 4, 6]


def test_F16_no_array_set_as_an_attribute_is_read_wrong(module):
    grid = module.Grid(np.zeros(3), 3)
    for nodes in odd_arrays([1.0, 2.0, 3.0]):
        grid.nodes = nodes
        grid.scale(2.0, np.zeros(3))
        assert grid.total() == 12 and nodes.tolist() == [2, 4, 6]


def test_F16_no_array_given_to_a_method_is_read_wrong(module):
    grid = module.Grid(np.array([1.0, 2.0, 3.0]), 3)
    for out in odd_arrays([0.0, 0.0, 0.0]):
        grid.nodes[:] = [1, 2, 3]
        grid.scale(3.0, out)
        assert out.tolist() == [3, 6, 9]
    grid.attach(np.arange(3.0)[::-1])
    assert grid.nodes.tolist() == [2, 1, 0] and grid.total() == 3


def test_an_array_that_a_method_keeps(module, xp):
    nodes = xp.asarray(np.array([1.0, 2.0]))
    grid = module.Grid(np.zeros(2), 2)
    grid.attach(nodes)
    assert grid.nodes is nodes
    nodes[0] = 5.0
    assert grid.total() == 7
    grid.scale(2.0, np.zeros(2))
    assert xp.asnumpy(nodes).tolist() == [10, 4]


def test_orders_of_a_constructors_arrays(module):
    plain = np.arange(4.0).reshape(2, 2)
    for m in (plain, np.asfortranarray(plain), plain[:, ::-1].copy()[:, ::-1]):
        assert module.Matrix(m, m).trace() == 10 + 1000
    column = np.arange(2.0).reshape(2, 1)
    assert module.Matrix(np.hstack([column, column]), np.hstack([column, column])).trace() == 0
    with pytest.raises(ValueError, match=r"Matrix\(\): argument 'm' must not be empty") if module.__name__.endswith("_c") else (
        pytest.raises(TypeError, match=r"Matrix\(\): argument 'm' must be a 2-dimensional float64 array, got a 1-d")
    ):
        module.Matrix(np.zeros((0, 2)) if module.__name__.endswith("_c") else np.zeros(2), plain)


def test_arrays_that_share_elements_are_refused_where_they_are_written(module):
    grid = module.Grid(np.broadcast_to(1.0, (3,)), 3)
    assert grid.total() == 3
    with pytest.raises(ValueError, match=r"Grid.scale\(\): argument 'self.nodes' is written by the kernel, but .* read-only"):
        grid.scale(2.0, np.zeros(3))
    with pytest.raises(ValueError, match=r"Grid.scale\(\): argument 'out' is written, but several of its elements share"):
        module.Grid(np.ones(3), 3).scale(2.0, np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,)))


def test_F10_read_only_arrays_in_objects_are_never_written(module, tmp_path):
    np.arange(3.0).tofile(tmp_path / "nodes")
    for nodes in (np.memmap(tmp_path / "nodes", mode="r"), np.frombuffer(np.arange(3.0).tobytes(), np.float64)):
        nodes = nodes.view(np.float64)
        grid = module.Grid(nodes, 3)
        assert grid.total() == 3 and grid.nodes is nodes
        with pytest.raises(ValueError, match=r"Grid.scale\(\): argument 'self.nodes' is written .* read-only"):
            grid.scale(2.0, np.zeros(3))
        other = module.Grid(np.zeros(3), 3)
        other.attach(nodes)
        with pytest.raises(ValueError, match="read-only"):
            other.scale(2.0, np.zeros(3))
        holder = module.Holder(grid, np.ones(1))
        assert module.weigh(holder) == 0
        assert nodes.tolist() == [0, 1, 2]


def test_empty_arrays(both):
    module, _, language = both
    if language == "fortran":
        assert module.Grid(np.zeros(0), 0).total() == 0
        return
    with pytest.raises(ValueError, match=r"Grid\(\): argument 'nodes' must not be empty"):
        module.Grid(np.zeros(0), 0)
    grid = module.Grid(np.zeros(1), 0)
    with pytest.raises(ValueError, match=r"Grid.nodes\(\): argument 'nodes' must not be empty"):
        grid.nodes = np.zeros(0)
    with pytest.raises(ValueError, match=r"Grid.attach\(\): argument 'nodes' must not be empty"):
        grid.attach(np.zeros(0))


# --- messages ---


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda m: m.Grid([1.0], 1), r"Grid\(\): argument 'nodes' must be a 1-dimensional float64 array, not list"),
        (lambda m: m.Grid(np.zeros(1, "f4"), 1), r"Grid\(\): argument 'nodes' must be .* got a 1-dimensional float32 array"),
        (lambda m: m.Grid(np.zeros(1), 1.0), r"Grid\(\): argument 'n' must be an int, not float"),
        (lambda m: m.Grid(np.zeros(1)), r"Grid\(\) missing 1 required positional argument: 'n'"),
        (lambda m: m.Grid(np.zeros(1), 1, k=2), r"Grid\(\) got an unexpected keyword argument 'k'"),
        (lambda m: m.Grid(np.zeros(1), 1).scale(1, np.zeros(1)), r"Grid.scale\(\): argument 'factor' must be a float, not int"),
        (lambda m: m.Grid(np.zeros(1), 1).scale(1.0, 2.0), r"Grid.scale\(\): argument 'out' must be a 1-dim.*, not float"),
        (lambda m: m.Grid(np.zeros(1), 1).scale(1.0), r"Grid.scale\(\) missing 1 required positional argument: 'out'"),
        (lambda m: m.Holder(1, np.zeros(1)), r"Holder\(\): argument 'grid' must be a Grid object, not int"),
        (lambda m: m.weigh(m.Grid(np.zeros(1), 1)), r"weigh\(\): argument 'holder' must be a Holder object, not .*Grid"),
        (lambda m: m.add_all(np.zeros(1), 1, 1.0, True, np.int64(1)), r"add_all\(\): argument 'factor' must be a numpy.float32"),
        (lambda m: m.add_all(np.zeros(1), 1, np.float32(1), 1, np.int64(1)), r"argument 'flag' must be a bool, not int"),
        (lambda m: m.add_all(np.zeros(1), 1, np.float32(1), big=1, flag=True), r"argument 'big' must be a numpy.int64, not int"),
        (lambda m: setattr(m.Grid(np.zeros(1), 1), "n", 1.5), r"Grid.n\(\): argument 'n' must be an int, not float"),
        (lambda m: setattr(m.Grid(np.zeros(1), 1), "nodes", 1), r"Grid.nodes\(\): argument 'nodes' must be a 1-dim.*, not int"),
    ],
)  # fmt: skip
def test_F44_messages_name_function_and_argument(module, wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong(module)


def test_F23_integers_by_what_they_are(module):
    """NumPy has two numbers for 64-bit integers."""
    assert module.Grid(np.array([1.0, 2.0]), np.longlong(2)).n == 2
    assert module.add_all(np.ones(2), np.longlong(2), np.float32(3), True, np.longlong(1)) == 7
    grid = module.Grid(np.array([1.0, 2.0]), np.int64(2))
    grid.n = np.int64(5)
    assert type(grid.n) is int and grid.n == 5 and grid + np.int64(1) == 6


def test_an_integer_of_more_than_64_bits(module):
    for call in (
        lambda: module.Grid(np.zeros(1), 1 << 63),
        lambda: module.Grid(np.zeros(1), 1) + (1 << 64),
        lambda: module.add_all(np.zeros(1), -(1 << 64), np.float32(1), True, np.int64(1)),
    ):
        with pytest.raises(OverflowError, match=r"argument '\w+' has more than 64 bits"):
            call()
    assert module.Grid(np.zeros(1), -(1 << 63)).n == -(1 << 63)


def test_0_d_arrays_for_scalars(module, xp):
    for make in (np.array, lambda value: xp.asarray(np.array(value))):
        grid = module.Grid(np.array([1.0, 2.0]), make(2))
        assert grid.n == 2 and grid + make(3) == 5
        grid.scale(make(2.0), np.zeros(2))
        assert grid.total() == 6
        grid.n = make(4)
        assert type(grid.n) is int and grid.n == 4
        flag, big = make(np.bool_(True)), make(np.int64(1))
        assert module.add_all(np.ones(2), make(2), make(np.float32(3)), flag, big) == 7
        with pytest.raises(TypeError, match=r"Grid\(\): argument 'n' must be an int, not numpy.(float64|int32)"):
            module.Grid(np.ones(1), make(2.0))
        with pytest.raises(TypeError, match=r"argument 'n' must be an int, not numpy.int32"):
            module.Grid(np.ones(1), make(np.int32(2)))


def test_numpys_bool_is_not_taken_for_false(module):
    for flag, result in ((np.True_, 7), (np.False_, 2), (True, 7), (False, 2)):
        assert module.add_all(np.ones(2), 2, np.float32(3), flag, np.int64(1)) == result


# --- what a class is to Python ---


def test_documentation_and_signatures(module):
    assert module.Grid.__doc__ == "Nodes of a grid." and str(inspect.signature(module.Grid)) == "(nodes, n, *, constant=())"
    assert str(inspect.signature(module.Grid.scale)) == "(self, factor, out)"
    assert str(inspect.signature(module.Grid(np.zeros(1), 1).scale)) == "(factor, out)"
    assert module.Grid.scale.__doc__.startswith("Multiplies the nodes") and module.Grid.scale.__qualname__ == "Grid.scale"
    assert module.Grid.__module__ == module.__name__ and f"{module.__name__}.Grid object" in repr(module.Grid(np.zeros(1), 1))
    assert {"nodes", "n", "scale", "first", "__len__"} <= set(dir(module.Grid)) and "is_freed" not in dir(module.Grid)
    assert pickle.loads(pickle.dumps(module.Grid)) is module.Grid


def test_special_methods_and_properties(module):
    grid = module.Grid(np.array([4.0, 5.0]), 2)
    assert len(grid) == 2 and grid + 3 == 5 and grid.first == 4
    with pytest.raises(AttributeError):
        grid.first = 1.0
    with pytest.raises(AttributeError):
        grid.unknown = 1.0
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del grid.nodes
    with pytest.raises(TypeError):
        copy.copy(grid)
    assert weakref.ref(grid)() is grid


def test_derived_classes(module, xp):
    class Named(module.Grid):
        def __init__(self, name, nodes):
            super().__init__(nodes, len(nodes))
            self.name = name

        def total(self):
            return self.name, super().total()

    nodes = xp.asarray(np.array([1.0, 2.0]))
    grid = Named("fine", nodes)
    assert grid.total() == ("fine", 3) and isinstance(grid, module.Grid) and grid.nodes is nodes
    assert module.weigh(module.Holder(grid, np.full(1, 2.0))) == 2


def test_a_second_init_and_none_at_all(module):
    grid = module.Grid(np.full(1, 7.0), 1)
    with pytest.raises(TypeError, match="this Grid object is constructed already: make a new one"):
        grid.__init__(np.zeros(1), 2)
    assert grid.first == 7 and grid.n == 1
    empty = module.Grid.__new__(module.Grid)
    for use in (lambda: empty.nodes, lambda: empty.total(), lambda: empty.__compiled__, lambda: setattr(empty, "n", 1)):
        with pytest.raises(TypeError, match="never constructed"):
            use()


# --- objects in objects ---


def test_c24_objects_that_refer_to_objects(module, xp):
    nodes, weights = xp.asarray(np.array([1.0, 2.0])), xp.asarray(np.array([3.0]))
    for given in (nodes, np.array([1.0, 2.0]), np.array([2.0, 1.0])[::-1]):
        grid = module.Grid(given, 2)
        holder = module.Holder(grid, weights)
        assert module.weigh(holder) == 3 and holder.grid is grid
        module.shift(holder, 10.0)
        assert (given.tolist() if isinstance(given, np.ndarray) else xp.asnumpy(given).tolist()) == [11, 12]
        given[0] = 2.0
        assert module.weigh(holder) == 6 and holder.grid.first == 2
        other = module.Grid(xp.asarray(np.array([5.0])), 1)
        holder.grid = other
        assert module.weigh(holder) == 15 and holder.grid is other


def test_functions_that_make_objects(module, xp):
    for nodes in (xp.asarray(np.array([1.0, 2.0])), np.array([1.0, 2.0]), np.array([2.0, 1.0])[::-1]):
        grid = module.make(nodes, 2)
        assert type(grid) is module.Grid and grid.total() == 3 and grid.n == 2
        grid.scale(2.0, np.zeros(2))
        assert (nodes.tolist() if isinstance(nodes, np.ndarray) else xp.asnumpy(nodes).tolist()) == [2, 4]
        nodes[0] = 7.0
        assert grid.first == 7


def test_a_function_that_makes_an_object_refer_to_an_argument(module, xp):
    grid = module.Grid(np.zeros(2), 2)
    mine = np.array([1.0, 2.0])
    module.put(grid, mine)
    assert grid.total() == 3
    for nodes in (xp.asarray(np.array([3.0, 4.0])), np.array([4.0, 3.0])[::-1]):
        words = r"put\(\): the function makes 'grid.nodes' refer to argument 'nodes', whose host copy"
        with pytest.raises(ValueError, match=words):
            module.put(grid, nodes)
        assert grid.total() == 7 and nodes[0] == 3
        grid.scale(2.0, np.zeros(2))
        assert nodes[0] == 3


def test_objects_of_the_compiled_module_itself(both):
    module, compiled, _ = both
    grid = compiled.Grid(np.array([1.0]), 1)
    assert module.weigh(module.Holder(grid, np.ones(1))) == 1


# --- what the manifest says ---


def generate(folder, **kernels):
    stub = compiled(DATA / "pyccel_objects.py", "c") / "__pyccel__" / "pyccel_objects.pyi"
    shutil.copy(stub, folder)
    manifest = {"module": "m", "stubs": [stub.name], "extension": "pyccel_objects"} | ({"kernels": kernels} if kernels else {})
    (folder / "m.json").write_text(json.dumps(manifest))
    command = [os.environ["PKWRAP_TOOL"], "generate", "-q", "--python", sys.executable, "m.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_outputs_of_constructors_and_methods(tmp_path):
    assert generate(tmp_path).returncode == 0
    unproven = (tmp_path / "m_wrap.c").read_text()
    said = {"Grid": {"outputs": []}, "Grid.total": {"outputs": []}, "Grid.scale": {"outputs": ["self.nodes", "out"]}}
    assert generate(tmp_path, **said).returncode == 0
    proven = (tmp_path / "m_wrap.c").read_text()
    # Of the constructor "nodes", of total() "self.nodes": no longer written.
    assert unproven.count("PKW_WRITTEN") - proven.count("PKW_WRITTEN") == 2


def test_an_entry_for_a_method_that_is_not_there(tmp_path):
    done = generate(tmp_path, **{"Grid.scales": {"outputs": []}})
    assert done.returncode == 1 and 'has a function "Grid.scales"; did you mean "Grid.scale"?' in done.stderr
    done = generate(tmp_path, **{"Grid.scale": {"outputs": ["self.node"]}})
    assert done.returncode == 1 and 'Grid.scale() has no parameter "self.node"' in done.stderr
    assert 'did you mean "self.nodes"?' in done.stderr


# --- nothing leaks ---


def test_c54_objects_are_freed(module, xp):
    references = []
    for _ in range(3):
        nodes = xp.asarray(np.zeros(4))
        grid = module.Grid(nodes, 4)
        holder = module.Holder(grid, np.zeros(1)[::-1])
        grid.nodes = nodes
        references += [weakref.ref(each) for each in (grid, holder)]
        del grid, holder, nodes
    assert all(each() is None for each in references)
