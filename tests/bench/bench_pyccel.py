"""bench_pyccel.py - what a wrapper of a compiled Pyccel function adds to the direct call, with three ordinary NumPy arrays."""

import sys
import tempfile
from pathlib import Path

import numpy as np

from figures import Figure, best_of, calls

LIMIT = 60  # ns more than the direct call

SOURCE = """
def add(x: 'float[:]', y: 'float[:]', z: 'float[:]'):
    for i in range(len(z)):
        z[i] = x[i] + y[i]

def add_2d(x: 'float[:,:]', y: 'float[:,:]', z: 'float[:,:]'):
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            z[i, j] = x[i, j] + y[i, j]
"""


def measure():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runtime"))
    from pyccel_build import wrapped

    figures = []
    for language in ("c", "fortran"):
        folder = Path(tempfile.mkdtemp(dir="."))
        source = folder / "bench_kernels.py"
        source.write_text(SOURCE)
        module, compiled = wrapped(folder.resolve(), source, language)
        for name, shape in (("add", (8,)), ("add_2d", (2, 4))):
            x, y, z = np.ones(shape), np.ones(shape), np.zeros(shape)
            getattr(module, name)(x, y, z)
            assert (z == 2).all()
            best = best_of(
                {
                    "direct": calls(getattr(compiled, name), x, y, z, number=500),
                    "wrapped": calls(getattr(module, name), x, y, z, number=500),
                },
                rounds=200,
            )
            direct, added = best["direct"] * 1e9, (best["wrapped"] - best["direct"]) * 1e9
            figures.append(
                Figure(f"Pyccel {language}, {name}(x, y, z): added", added, "ns", LIMIT, note=f"direct call {direct:.0f} ns")
            )
    return figures
