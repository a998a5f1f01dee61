"""axpy for Pyccel."""


def axpy(a: float, x: "float[:]", y: "float[:]"):
    """Adds a times x to y."""
    for i in range(len(x)):
        y[i] += a * x[i]
