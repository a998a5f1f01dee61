"""Stands in for the module that Pyccel compiles from kernels.pyi's source."""
import numpy as np

nmax = 7


class Grid:
    def __init__(self, nodes, n):
        self.nodes = nodes
        self.work = np.zeros(n)
        self.n = n
        self.is_freed = False

    @property
    def count(self):
        return self.nodes.size


def blend(src, wgt, dst, n=2):
    assert type(src) is np.ndarray and src.flags.c_contiguous and dst.flags.c_contiguous
    dst[...] = n * src * wgt


def solve(a, piv, k, /, rhs):
    assert a.flags.f_contiguous
    a[0, 0] = k
    piv[:] = 1
    rhs[:] = 2.0
    return k, 0.5


def move(g, shift):
    g.nodes[...] += shift


def norm(x):
    return float(np.abs(x).sum())


def lookup(name, shape, keys, mask=None, *, strict=True):
    return np.full(shape, float(len(name) + len(keys) + strict))
