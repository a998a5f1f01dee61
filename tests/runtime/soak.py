"""soak.py - random calls for a long time: right results, constant memory, no lost descriptor.

    make soak SOAK_MINUTES=60
    python tests/runtime/soak.py [--minutes N] [--seed N]

Each round makes arrays of random shape, layout and place (host or emulated device), calls a kernel of the examples or a
PyccelKernel on them, and compares every array and result with what NumPy computes on plain copies; or it calls a function of
the emulator's CuPy (emulator_random.py). Some rounds are wrong on purpose, and then nothing may have changed. The seed is
printed: a failure can be run again.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["PKWRAP_DEVICE"] = "emulator"

import emulator_random  # noqa: E402
import numpy as np  # noqa: E402
import pkwrap  # noqa: E402
from pkwrap.emulator import cupy  # noqa: E402

HERE = Path(__file__).resolve().parent
MEGABYTE = 1 << 20


def load_examples():
    folder = tempfile.mkdtemp(prefix="pkwrap-soak-")
    for name in ("heat", "openblas"):
        subprocess.run(
            [
                os.environ["PKWRAP_TOOL"],
                "build",
                "-q",
                "--python",
                sys.executable,
                "-o",
                folder,
                HERE.parent / f"examples/{name}/{name}.json",
            ],
            check=True,
        )
    sys.path.insert(0, folder)
    import heat
    import openblas

    return heat, openblas


class Arrays:
    """Random arrays; what a test gives to a kernel, beside a plain copy for the reference."""

    def __init__(self, random):
        self.random = random

    def make(self, *shape):
        """(array for the kernel, contiguous host copy): on the host or the device, as it comes or as a strided view."""
        steps = [self.random.choice((1, 1, 1, 2, -1, -2)) for _ in shape]
        values = np.array([self.random.random() for _ in range(int(np.prod([n * abs(s) for n, s in zip(shape, steps)])))])
        base = values.reshape([n * abs(s) for n, s in zip(shape, steps)])
        view = tuple(slice(None, None, step) for step in steps)
        if self.random.random() < 0.5:
            return cupy.asarray(base)[view], base[view].copy()
        return base[view], base[view].copy()


def on_host(value):
    return value.get() if isinstance(value, cupy.ndarray) else value


def compare(given, wanted, what):
    if not np.allclose(on_host(given), wanted, rtol=1e-12, atol=1e-12):
        raise AssertionError(f"{what}:\n{on_host(given)}\ninstead of\n{wanted}")


def daxpy(arrays, heat, blas):
    n = arrays.random.randrange(200)
    (x, x_plain), (y, y_plain) = arrays.make(n), arrays.make(n)
    blas.daxpy(1.5, x, y)
    compare(x, x_plain, "daxpy x")
    compare(y, y_plain + 1.5 * x_plain, "daxpy y")


def dgemm(arrays, heat, blas):
    m, k, n = (arrays.random.randrange(1, 12) for _ in range(3))
    (a, a_plain), (b, b_plain), (c, c_plain) = arrays.make(m, k), arrays.make(k, n), arrays.make(m, n)
    given = arrays.random.random() < 0.5
    result = blas.dgemm(a, b, c, alpha=2.0, beta=1.0) if given else blas.dgemm(a, b)
    assert (result is c) == given
    compare(result, 2.0 * a_plain @ b_plain + c_plain if given else a_plain @ b_plain, "dgemm")


def step(arrays, heat, blas):
    u, plain = arrays.make(arrays.random.randrange(1, 20), arrays.random.randrange(1, 20))
    out, _ = arrays.make(*plain.shape)
    wanted = plain.copy()
    wanted[1:-1, 1:-1] += 0.1 * (plain[1:-1, :-2] + plain[1:-1, 2:] + plain[:-2, 1:-1] + plain[2:, 1:-1] - 4 * plain[1:-1, 1:-1])
    assert heat.step(u, 0.1, out=out) is out
    compare(out, wanted, "heat.step")


def wrong(arrays, heat, blas):
    (x, _), (y, y_plain) = arrays.make(5), arrays.make(6)
    try:
        blas.daxpy(1.0, x, y)
    except ValueError:
        compare(y, y_plain, "y after a wrong call")
        return
    raise AssertionError("daxpy took x and y of different lengths")


def overlapping(arrays, heat, blas):
    base = np.array([arrays.random.random() for _ in range(10)])
    device = cupy.asarray(base)

    def shift(a, b):
        a += 1.0
        b *= 2.0

    pkwrap.PyccelKernel(shift)(device[:6], {"b": device[3:]}["b"])
    shift(base[:6], base[3:])
    compare(device, base, "overlapping views")


def containers(arrays, heat, blas):
    (x, x_plain), (y, y_plain) = arrays.make(7), arrays.make(7)

    def kernel(state, factor):
        state["x"][...] += factor * state["more"][0]
        return state["x"] * 1.0

    kernel(plain := {"x": x_plain, "more": [y_plain]}, 3.0)
    result = pkwrap.PyccelKernel(kernel)({"x": x, "more": [y]}, 3.0)
    compare(x, plain["x"], "array in a dict")
    compare(result, plain["x"], "result")


def failing_kernel(arrays, heat, blas):
    x, plain = cupy.asarray(np.arange(4.0)), np.arange(4.0)

    def kernel(x):
        x[...] = -1.0
        raise RuntimeError("stop")

    try:
        pkwrap.PyccelKernel(kernel)(x)
    except RuntimeError:
        compare(x, plain, "x after a failing kernel")
        return
    raise AssertionError("the kernel's exception was lost")


def function(arrays, heat, blas):
    """One function of the emulator's CuPy, compared with NumPy's."""
    calls = emulator_random.Calls(cupy, arrays.random.random())
    calls.run(*arrays.random.choice(list(calls.names())))


ROUNDS = (daxpy, dgemm, step, wrong, overlapping, containers, failing_kernel, function)


def resident():
    """Resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    heat, blas = load_examples()
    print(f"seed {options.seed}", flush=True)
    arrays = Arrays(random.Random(options.seed))
    end = time.monotonic() + 60 * options.minutes
    warm = time.monotonic() + 60 * min(options.minutes / 4, 1)
    told, calls, start = time.monotonic() + 30, 0, None
    while time.monotonic() < end:
        arrays.random.choice(ROUNDS)(arrays, heat, blas)
        calls += 1
        if calls % 10_000 == 0:
            pkwrap.trim()
        if start is None and time.monotonic() > warm:
            start = (resident(), len(os.listdir("/proc/self/fd")))
        if time.monotonic() > told:
            print(f"{calls} calls, {resident() / MEGABYTE:.0f} MiB", flush=True)
            told += 30
    memory, descriptors = resident(), len(os.listdir("/proc/self/fd"))
    print(
        f"{calls} calls; memory {start[0] / MEGABYTE:.1f} to {memory / MEGABYTE:.1f} MiB; descriptors {start[1]} to {descriptors}"
    )
    # AddressSanitizer keeps what was freed, up to 256 MiB.
    allowance = (300 if os.environ.get("PKWRAP_SANITIZE") else 4) * MEGABYTE
    if memory > 1.05 * start[0] + allowance or descriptors > start[1]:
        print("memory or descriptors grow")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
