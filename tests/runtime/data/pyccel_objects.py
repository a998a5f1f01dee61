"""Classes with methods of every kind, objects in objects, and functions that make and change objects."""


class Grid:
    """Nodes of a grid."""

    def __init__(self, nodes: "float[:]", n: int):
        self.nodes = nodes
        self.n = n

    def scale(self, factor: float, out: "float[:]"):
        """Multiplies the nodes, which are copied to out."""
        self.nodes[:] = self.nodes * factor
        out[:] = self.nodes

    def total(self) -> float:
        result = 0.0
        for i in range(self.nodes.shape[0]):
            result += self.nodes[i]
        return result

    def attach(self, nodes: "float[:]"):
        self.nodes = nodes

    def __add__(self, n: int) -> int:
        return self.n + n

    def __len__(self) -> int:
        return self.n

    @property
    def first(self) -> float:
        return self.nodes[0]


class Matrix:
    def __init__(self, m: "float[:,:]", f: "float[:,:](order=F)"):
        self.m = m
        self.f = f

    def trace(self) -> float:
        return self.m[0, 0] + 10.0 * self.m[0, 1] + 100.0 * self.f[0, 0] + 1000.0 * self.f[0, 1]


class Holder:
    def __init__(self, grid: "Grid", weights: "float[:]"):
        self.grid = grid
        self.weights = weights


def weigh(holder: "Holder") -> float:
    return holder.grid.nodes[0] * holder.weights[0]


def shift(holder: "Holder", by: float):
    holder.grid.nodes[:] = holder.grid.nodes + by


def make(nodes: "float[:]", n: int) -> "Grid":
    grid = Grid(nodes, n)
    return grid


def put(grid: "Grid", nodes: "float[:]"):
    grid.nodes = nodes


def add_all(x: "float[:]", count: int, factor: "float32", flag: bool, big: "int64") -> float:
    result = 0.0
    for i in range(count):
        result += x[i]
    if flag:
        result = result * factor + big
    return result
