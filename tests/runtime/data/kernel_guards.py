"""Kernels that test_kernel_guards.py compiles with Pyccel."""


def fill(x: "float[:]", value: float):
    x[:] = value


def fill_rows(x: "float[:,:]", value: float):
    x[:, :] = value


def fill_columns(x: "float[:,:](order=F)", value: float):  # noqa: F821
    x[:, :] = value


def add(x: "float[:]", y: "float[:]"):
    y[:] = x + y


class Pair:
    def __init__(self, x: "float[:]", y: "float[:]"):
        self.x = x
        self.y = y


class Nest:
    def __init__(self, pair: Pair):
        self.pair = pair


def bump(pair: Pair):
    pair.x[0] = pair.x[0] + 1.0


def bump_nest(nest: Nest):
    nest.pair.x[0] = nest.pair.x[0] + 1.0


def look(pair: Pair, z: "float[:]"):
    z[0] = pair.x[0] + pair.y[0]
