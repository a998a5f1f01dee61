"""Kernels in the language that Pyccel compiles: one construct each."""
from numpy import zeros

nmax = 7
scale = 0.5


class Particles:
    """Markers of a plasma, and what moves them."""

    def __init__(self, markers: "float64[:,:]", weights: "float64[:]", vmax: "float"):
        self.markers = markers
        self.weights = weights
        self.vmax = vmax
        self.work = zeros(4)

    @property
    def speed(self):
        return self.vmax

    def heaviest(self) -> "float":
        top = 0.0
        for i in range(self.weights.shape[0]):
            if self.weights[i] > top:
                top = self.weights[i]
        return top


def axpy(a: "float", x: "float64[:]", y: "float64[:]"):
    """Adds a*x to y."""
    for i in range(x.shape[0]):
        y[i] += a * x[i]


def transpose_add(a: "float64[:,:](order=F)", b: "float64[:,:]", n: "int" = 2):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] += n * a[i, j]


def fill(out: "float64[:,:]", value: "float"):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = value


def total(x: "float64[:]") -> "float":
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def push(p: "Particles", dt: "float"):
    for i in range(p.markers.shape[0]):
        p.markers[i, 0] += dt * p.vmax * p.weights[i]


def masked(x: "float64[:]", mask: "bool[:]" = None) -> "float":
    s = 0.0
    if mask is None:
        for i in range(x.shape[0]):
            s += x[i]
    else:
        for i in range(x.shape[0]):
            if mask[i]:
                s += x[i]
    return s


def two(k: "int") -> "tuple[int, float]":
    return k + 1, 0.5 * k


def doubled(x: "float64[:]") -> "float64[:]":
    y = zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = 2.0 * x[i]
    return y


def count(x: "int32[:]", value: "int32") -> "int":
    n = 0
    for i in range(x.shape[0]):
        if x[i] == value:
            n += 1
    return n


def twice(x: "float64[:] | complex128[:]"):
    for i in range(x.shape[0]):
        x[i] = x[i] + x[i]


def power(x: "float", /, n: "int", *, negate: "bool" = False) -> "float":
    p = 1.0
    for i in range(n):
        p *= x
    if negate:
        p = -p
    return p
