"""Kernels that test_kernel_compiled.py compiles with Pyccel, with Numba, or not at all."""


def smooth(field: "float[:]", out: "float[:]"):
    n = field.shape[0]
    for i in range(1, n - 1):
        out[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1]
    out[0] = field[0]
    out[n - 1] = field[n - 1]


def rows(a: "float[:,:]", scale: float, out: "float[:]"):
    for i in range(a.shape[0]):
        out[i] = 0.0
        for j in range(a.shape[1]):
            out[i] += scale * a[i, j]


def columns(a: "float[:,:](order=F)", out: "float[:]"):  # noqa: F821
    for j in range(a.shape[1]):
        out[j] = 0.0
        for i in range(a.shape[0]):
            out[j] += a[i, j]


def push(x: "float[:,:]", v: "float[:,:]", dt: float, steps: "int"):
    for _ in range(steps):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] += dt * v[i, j]


def total(a: "float[:]"):
    t = 0.0
    for i in range(a.shape[0]):
        t += a[i]
    return t


def count(a: "int[:]", limit: "int"):
    n = 0
    for i in range(a.shape[0]):
        if a[i] > limit:
            n += 1
    return n


def rotate(z: "complex[:]", w: "complex[:]"):
    for i in range(z.shape[0]):
        w[i] = z[i] * 1j
