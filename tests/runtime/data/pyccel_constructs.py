"""Constructs of the language that Pyccel compiles, one each; what test_pyccel_modules.py has is not repeated."""
from typing import Final, TypeVar
from numpy import zeros

T = TypeVar("T", "float64[:]", "int64[:]")

nmax = 7
scale = 0.5


class Grid:
    """Values at nodes, and what is done with them."""

    def __init__(self, nodes: "float64[:]", spacing: "float"):
        self.nodes = nodes
        self.spacing = spacing
        self.work = zeros(4)

    @property
    def length(self):
        return self.spacing

    def top(self) -> "float":
        best = 0.0
        for i in range(self.nodes.shape[0]):
            if self.nodes[i] > best:
                best = self.nodes[i]
        return best


def refine(g: "Grid", h: "float"):
    """Moves every node by h spacings."""
    for i in range(g.nodes.shape[0]):
        g.nodes[i] += h * g.spacing


def read(x: "Final[float64[:]]", y: "float64[:]"):
    y[0] = x[0]


def first(x: T):
    x[0] = x[1]


def length(name: "str") -> "int":
    return len(name)


def integrate(f: "(float)(float)", lo: "float", hi: "float") -> "float":
    return 0.5 * (f(lo) + f(hi)) * (hi - lo)


def two(k: "int") -> "tuple[int, float]":
    return k + 1, 0.5 * k


def power(x: "float", /, n: "int", *, negate: "bool" = False) -> "float":
    p = x**n
    if negate:
        p = -p
    return p
