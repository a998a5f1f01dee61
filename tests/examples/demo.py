"""demo.py - two real libraries, inspected, wrapped and called: a heat code of our own, and OpenBLAS as it is installed.

Every function is called with NumPy arrays and with device arrays (CuPy's on a GPU, else those of pkwrap's emulated device).
The table shows what was called, how far the result is from NumPy's, and what the call moved between device and host.

    make demo
    PKWRAP_TOOL=build/pkwrap PYTHONPATH=build/python python tests/examples/demo.py [FOLDER]
"""

import inspect
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import pkwrap

HERE = Path(__file__).resolve().parent
TOOL = os.environ.get("PKWRAP_TOOL", str(HERE.parent.parent / "build/pkwrap"))


def run(*words):
    """Runs the tool, shows the command and what it prints."""
    command = [TOOL, *map(str, words)]
    print("\n$ pkwrap", *(os.path.relpath(word) if str(word).startswith("/") else word for word in words), flush=True)
    subprocess.run(command, check=True)


def device():
    """(module of device arrays, what to call it): real CuPy where it finds a device and nobody chose the emulator, else that."""
    try:
        if os.environ.get("PKWRAP_DEVICE") == "emulator":
            raise ImportError("pkwrap would not know CuPy's memory")
        import cupy
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        return cupy, f"CuPy {cupy.__version__} on {name}"
    except Exception:  # CuPy is not installed, or there is no driver or no device: all the same here
        os.environ["PKWRAP_DEVICE"] = "emulator"
        from pkwrap.emulator import cupy
        return cupy, "pkwrap's emulated device, since there is no GPU here"


def openblas_header():
    """Where OpenBLAS has its cblas.h."""
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "openblas"], check=True, capture_output=True, text=True).stdout
    folders = [*(flag.removeprefix("-I") for flag in flags.split()), "/usr/include"]
    return next(path for path in (Path(folder, "cblas.h") for folder in folders) if path.exists())


def inspect_summary(header):
    """The last line of what inspect says of a header; all of it would fill many screens."""
    done = subprocess.run([TOOL, "inspect", header], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[-1]


def heat_calls(heat):
    """Rows (what is shown, function, arguments): the heat code's kernels, each with a NumPy version to compare with."""
    u = 300.0 + 100.0 * np.random.default_rng(1).random((200, 300))
    qx, qy = -np.gradient(u, axis=1), -np.gradient(u, axis=0)
    rng = np.random.default_rng(2)
    x, y = 299.0 * rng.random(5000), 199.0 * rng.random(5000)

    def step(u, r):
        out = u.copy()
        out[1:-1, 1:-1] += r * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4.0 * u[1:-1, 1:-1])
        return out

    def flux(u, k, h):
        # One-sided at the edges and central inside, as numpy.gradient does it.
        return -k * np.gradient(u, h, axis=1), -k * np.gradient(u, h, axis=0)

    def push(x, y, vx, vy, qx, qy, h, mobility, relax, dt):
        i = np.minimum((x / h).astype(int), qx.shape[1] - 2)
        j = np.minimum((y / h).astype(int), qx.shape[0] - 2)
        fx, fy = x / h - i, y / h - j
        hits = np.zeros(x.shape, bool)
        for velocity, q in ((vx, qx), (vy, qy)):
            here = (1 - fy) * ((1 - fx) * q[j, i] + fx * q[j, i + 1]) + fy * ((1 - fx) * q[j + 1, i] + fx * q[j + 1, i + 1])
            velocity += relax * (mobility * here - velocity)
        for position, velocity, length in ((x, vx, (qx.shape[1] - 1) * h), (y, vy, (qx.shape[0] - 1) * h)):
            position += velocity * dt
            out = (position < 0.0) | (position > length)
            position[:] = np.where(position < 0.0, -position, np.where(position > length, 2.0 * length - position, position))
            velocity[out] = -velocity[out]
            hits |= out
        return int(hits.sum())

    return [
        ("out = heat.step(u, 0.2)", heat.step, step, (u, 0.2)),
        ("qx, qy = heat.flux(u, 1.5, 0.01)", heat.flux, flux, (u, 1.5, 0.01)),
        ("heat.energy(u, 2.0, 0.01)", heat.energy, lambda u, capacity, h: capacity * h * h * u.sum(), (u, 2.0, 0.01)),
        ("heat.push_tracers(x, y, vx, vy, qx, qy, ...)", heat.push_tracers, push,
         (x, y, np.zeros(5000), np.zeros(5000), qx, qy, 1.0, 0.5, 0.7, 0.1)),
        ("heat.step(u[::2, ::-1], 0.2)", lambda u, r: heat.step(u[::2, ::-1], r), lambda u, r: step(u[::2, ::-1], r), (u, 0.2)),
    ]


def blas_calls(blas):
    """The same for OpenBLAS."""
    rng = np.random.default_rng(3)
    a, b, c = rng.random((120, 80)), rng.random((80, 60)), rng.random((120, 60))
    x, y = rng.random(1000), rng.random(1000)
    za, zb = a + 1j * rng.random(a.shape), b - 1j * rng.random(b.shape)

    def axpy(alpha, x, y):
        y += alpha * x

    def scal(alpha, x):
        x *= alpha

    def gemm(a, b, c):
        c[:] = 2.0 * a @ b + c
        return c

    return [
        ("daxpy(2.0, x, y)", blas.daxpy, axpy, (2.0, x, y)),
        ("daxpy(2.0, x[::2], y[::-2])", lambda alpha, x, y: blas.daxpy(alpha, x[::2], y[::-2]),
         lambda alpha, x, y: axpy(alpha, x[::2], y[::-2]), (2.0, x, y)),
        ("ddot(x, y)", blas.ddot, np.dot, (x, y)),
        ("dscal(0.5, x)", blas.dscal, scal, (0.5, x)),
        ("y = dgemv(a, x)", blas.dgemv, np.matmul, (a, x[:80])),
        ("c = dgemm(a, b)", blas.dgemm, np.matmul, (a, b)),
        ("dgemm(a, b, c, alpha=2.0, beta=1.0)", lambda a, b, c: blas.dgemm(a, b, c, alpha=2.0, beta=1.0), gemm, (a, b, c)),
        ("c = zgemm(a, b)", blas.zgemm, np.matmul, (za, zb)),
        ("ddot(x, x) of y = dgemv(a, x)", lambda a, x: blas.ddot(blas.dgemv(a, x), blas.dgemv(a, x)),
         lambda a, x: np.dot(a @ x, a @ x), (a, x[:80])),
    ]


def outcome(result, arguments, to_host):
    """Everything that a call may have changed, on the host: its results and all its array arguments, as one flat array."""
    values = [*(result if isinstance(result, tuple) else [result]), *arguments]
    return np.concatenate([np.ravel(to_host(value)) for value in values if value is not None])


def difference(found, expected):
    """The largest difference, relative to the largest number."""
    return np.abs(found - expected).max() / np.abs(expected).max()


def waits():
    return sum(kernel["waits"] for kernel in pkwrap.stats().values())


def moved(times, n_bytes):
    """Cell of the table: how many copies of how many bytes altogether."""
    if times == 0:
        return "-"
    return f"{times}: {size(n_bytes)}"


def size(n_bytes):
    return f"{n_bytes} B" if n_bytes < 1024 else f"{n_bytes / 1024:.1f} KiB"


def call_everywhere(function, reference, arguments, xp):
    """Calls a function with NumPy and with device arrays; the cells of its row, and whether the results are NumPy's."""
    def fresh(convert):
        return [convert(value) if isinstance(value, np.ndarray) else value for value in arguments]

    def to_host(value):
        return value.get() if isinstance(value, xp.ndarray) else value

    values = fresh(np.copy)
    expected = outcome(reference(*values), values, to_host)
    values = fresh(np.copy)
    on_host = difference(outcome(function(*values), values, to_host), expected)
    values = fresh(xp.asarray)
    before = waits()
    with pkwrap.count_transfers() as counter:
        result = function(*values)
    cells = [moved(counter.to_host, counter.bytes_to_host), moved(counter.to_device, counter.bytes_to_device), waits() - before]
    on_device = difference(outcome(result, values, to_host), expected)
    return [*(f"{error:.0e}" if error else "0" for error in (on_host, on_device)), *cells], max(on_host, on_device) < 1e-12


def table(title, calls, xp):
    """Prints one line a call; true if every result is NumPy's, up to rounding."""
    layout = "{:45} {:>8} {:>8}   {:>14} {:>14} {:>6}"
    print(f"\n{'':45} {'difference to NumPy':>17}   {'device to':>12} {'host to':>14}")
    print(layout.format(title, "host", "device", "host", "device", "waits"))
    print("-" * 100)
    good = True
    for text, function, reference, arguments in calls:
        cells, right = call_everywhere(function, reference, arguments, xp)
        print(layout.format(text, *cells), "" if right else "  WRONG")
        good = good and right
    return good


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="pkwrap-demo-"))
    run("inspect", HERE / "heat/heat.h")
    summary = inspect_summary(openblas_header())
    print(f"\n$ pkwrap inspect cblas.h\n... {summary}")
    for name in ("heat", "openblas"):
        run("build", "--python", sys.executable, "-o", folder, HERE / name / f"{name}.json")
    sys.path.insert(0, str(folder))
    import heat
    import openblas
    for function in (heat.step, heat.push_tracers, openblas.daxpy, openblas.dgemm):
        print("   ", function.__name__ + str(inspect.signature(function)))
    xp, name = device()
    print(f"\nEvery call twice: with NumPy arrays, and with arrays on {name}.\n"
          "\"2: 16.0 KiB\" are two copies, of that many bytes altogether; waits: how often the host waited for the device.")
    good = table("heat: kernels of our own", heat_calls(heat), xp)
    good = table("openblas: cblas.h as it is installed", blas_calls(openblas), xp) and good
    print("\nEvery result is NumPy's, up to rounding." if good else "\nSome results are wrong.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
