"""Random programs over argument objects: with arrays of any layout and place they do what the Python source does with NumPy."""

import importlib.util
import random

import numpy as np
import pytest
from pyccel_build import DATA, wrapped

SOURCE = DATA / "pyccel_objects.py"
N = 4


@pytest.fixture(scope="module", params=["c", "fortran"])
def module(request, tmp_path_factory):
    return wrapped(tmp_path_factory.mktemp(f"random_{request.param}"), SOURCE, request.param, f"random_{request.param}")[0]


@pytest.fixture(scope="module")
def python():
    spec = importlib.util.spec_from_file_location("pyccel_objects_in_python", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def new_array(draw, xp):
    values = np.array([float(draw.randrange(10)) for _ in range(N)])
    kind = draw.randrange(6)
    if kind == 0:
        return values.copy()[::-1].copy()[::-1]
    if kind == 1:
        return values.astype(">f8")
    if kind == 2:
        return np.repeat(values, 3)[::3]
    if kind == 3:
        return values
    return xp.asarray(values) if kind == 4 else xp.asarray(np.repeat(values, 2))[::2]


class Program:
    """One program on the wrapped module and on the Python source, with the same arrays."""

    def __init__(self, module, python, xp, seed):
        self.draw, self.xp, self.modules = random.Random(seed), xp, (module, python)
        self.arrays = []
        for _ in range(6):
            array = new_array(self.draw, xp)
            self.arrays.append((array, self.values(array)))
        self.objects, self.holders = [], []
        self.log = []

    def values(self, array):
        return (array.copy() if isinstance(array, np.ndarray) else self.xp.asnumpy(array)).astype(float)

    def both(self, what, act):
        """The same on both sides, unless the wrapped one refuses it for an overlap: then on neither."""
        self.log.append(what)
        try:
            mine = act(self.modules[0], 0)
        except ValueError as error:
            assert "overlap" in str(error) or "host copy" in str(error), (self.log, error)
            return None
        reference = act(self.modules[1], 1)
        assert mine == reference or hasattr(mine, "nodes") or hasattr(mine, "grid"), self.log
        return mine, reference

    def step(self):
        draw = self.draw
        array, other = draw.choice(self.arrays), draw.choice(self.arrays)
        actions = ["make", "grid"] + ["scale", "set", "attach", "hold", "read", "link"] * (len(self.objects) > 0)
        actions += ["shift", "weigh", "replace", "inner", "set inner"] * (len(self.holders) > 0)
        action = draw.choice(actions)
        grid = draw.choice(self.objects) if self.objects else None
        holder = draw.choice(self.holders) if self.holders else None
        factor = float(draw.randrange(1, 3))
        if action == "grid":
            self.add(self.both("Grid", lambda m, k: m.Grid(array[k], N)))
        elif action == "make":
            self.add(self.both("make", lambda m, k: m.make(array[k], N)))
        elif action == "scale":
            self.both("scale", lambda m, k: grid[k].scale(factor, other[k]))
        elif action == "set":
            self.both("set", lambda m, k: setattr(grid[k], "nodes", array[k]))
        elif action == "attach":
            self.both("attach", lambda m, k: grid[k].attach(array[k]))
        elif action == "hold":
            self.both("shift", lambda m, k: m.shift(m.Holder(grid[k], array[k]), factor))
            self.both("weigh", lambda m, k: m.weigh(m.Holder(grid[k], array[k])))
        elif action == "link":
            pair = self.both("Holder", lambda m, k: m.Holder(grid[k], array[k]))
            self.holders = (self.holders + [pair] * (pair is not None))[-3:]
        elif action == "shift":
            self.both("shift holder", lambda m, k: m.shift(holder[k], factor))
        elif action == "weigh":
            self.both("weigh holder", lambda m, k: m.weigh(holder[k]))
        elif action == "replace":
            self.both("holder.grid =", lambda m, k: setattr(holder[k], "grid", grid[k]))
        elif action == "inner":
            self.both("holder.grid.scale", lambda m, k: holder[k].grid.scale(factor, other[k]))
        elif action == "set inner":
            self.both("holder.grid.nodes =", lambda m, k: setattr(holder[k].grid, "nodes", array[k]))
        else:
            self.both("total", lambda m, k: grid[k].total())
            self.both("first", lambda m, k: grid[k].first)
        for mine, reference in self.arrays:
            assert (self.values(mine) == reference).all(), self.log

    def add(self, pair):
        if pair is not None:
            self.objects = (self.objects + [pair])[-4:]


@pytest.mark.parametrize("seed", range(12))
def test_C24_random_programs(module, python, xp, seed):
    for part in range(10):
        program = Program(module, python, xp, 100 * seed + part)
        for _ in range(25):
            program.step()
