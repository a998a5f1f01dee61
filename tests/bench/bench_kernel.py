"""bench_kernel.py - what PyccelKernel adds to a call, with and without conversion, beside cunumpy's PyccelKernel.

Measured around a Pyccel-compiled function and around one that does nothing. Conversions run on the emulator with its copies
switched off (ours) and on cunumpy's fake CuPy (theirs), in a process of their own.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from figures import Figure, best_of, calls

SOURCE = """
def three(x: 'float[:]', y: 'float[:]', z: 'float[:]'):
    z[0] = x[0] + y[0]

def ten(x: 'float[:]', y: 'float[:]', z: 'float[:]', m: 'float[:,:]', k: 'int[:]',
        a: float, b: float, n: int, i: int, flag: bool):
    z[0] = x[0] + y[0]
"""
RATIO = 60  # times that cunumpy's adds more, without conversion
CONVERTED = 10  # and with


def arguments():
    """Arguments of both functions: three arrays; five arrays and five scalars."""
    x, y, z = np.ones(3), np.ones(3), np.zeros(3)
    return {"three": (x, y, z), "ten": (x, y, z, np.ones((2, 2)), np.arange(3), 1.0, 2.5, 3, 4, True)}


def compiled_functions():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runtime"))
    from pyccel_build import compiled

    source = Path(tempfile.mkdtemp(dir=".")) / "bench_kernel_functions.py"
    source.write_text(SOURCE)
    sys.path.insert(0, str(compiled(source, "c")))
    import bench_kernel_functions

    return bench_kernel_functions


def added(kernels, name, rounds=150):
    """Nanoseconds that each of `kernels` ({name: class}) adds to the direct call of a compiled function, and those of that call."""
    function, args = getattr(compiled_functions(), name), arguments()[name]
    candidates = {"direct": calls(function, *args, number=500)}
    candidates |= {kind: calls(make(function), *args, number=500) for kind, make in kernels.items()}
    best = best_of(candidates, rounds)
    return {kind: (best[kind] - best["direct"]) * 1e9 for kind in kernels} | {"direct": best["direct"] * 1e9}


def not_converted():
    import pkwrap

    limits = {"three": (30, "3 arrays"), "ten": (50, "10 arguments")}
    alone = {name: added({"ours": pkwrap.PyccelKernel}, name) for name in limits}
    from cunumpy.kernels import PyccelKernel as Reference

    figures = []
    for name, (limit, what) in limits.items():
        beside = added({"ours": pkwrap.PyccelKernel, "theirs": Reference}, name, rounds=60)
        for ns, when in ((alone[name]["ours"], "without cunumpy"), (beside["ours"], "cunumpy imported")):
            figures.append(
                Figure(
                    f"kernel, {what}, {when}: added", ns, "ns", limit, note=f"direct {beside['direct']:.0f} ns"
                )
            )
        ratio = beside["theirs"] / max(beside["ours"], 1)
        figures.append(
            Figure(f"kernel, {what}: cunumpy's adds", ratio, "x", RATIO, at_most=False, note=f"{beside['theirs']:.0f} ns")
        )

    def empty(*args):
        pass

    nested = ({"a": [1, 2.0, (3, 4)], "b": "text"}, [1, 2, 3], (1, 2))
    best = best_of({"direct": calls(empty, *nested), "ours": calls(pkwrap.PyccelKernel(empty), *nested)})
    figures.append(
        Figure(
            "kernel, 5 containers of 12 scalars: added", (best["ours"] - best["direct"]) * 1e9, "ns", note="their traversal"
        )
    )
    return figures


def nothing(*args):
    """The kernel of the converted calls."""


def converted_calls():
    """Seconds of converted calls, ours and theirs: run in a process with CUNUMPY_FAKE_CUPY=1."""
    import cunumpy
    import pkwrap
    from cunumpy.kernels import PyccelKernel as Reference
    from pkwrap import emulator

    with cunumpy.use_backend("cupy"):
        import cupy as fake
    pkwrap.set_backend("numpy")
    candidates = {}
    for n in (3, 5):
        device = [emulator.cupy.zeros(4) for _ in range(n)]
        other = [fake.zeros(4) for _ in range(n)]
        for outputs in (None, [1]):
            kind = f"{n}{'' if outputs is None else ', outputs=[1]'}"
            candidates[f"ours {kind}"] = calls(pkwrap.PyccelKernel(nothing, outputs=outputs), *device, number=200)
            candidates[f"theirs {kind}"] = calls(Reference(nothing, outputs=outputs), *other, number=50)
        candidates[f"direct {n}"] = calls(nothing, *device)

    def interfaces(*arrays):
        for array in arrays:
            array.__cuda_array_interface__  # noqa: B018

    candidates["interface 5"] = calls(interfaces, *device)
    with emulator.bare():
        return best_of(candidates)


def allocations():
    """Calls of malloc and its like in 1,000 converted calls: run with count_allocations.so preloaded."""
    import pkwrap
    from pkwrap import emulator

    counter = ctypes.c_long.in_dll(ctypes.CDLL(None), "allocations_counted")
    arrays = [emulator.cupy.zeros(64) for _ in range(5)]
    kernel = pkwrap.PyccelKernel(nothing, outputs=(1,))
    for _ in range(100):
        kernel(*arrays, [arrays[0]])
    emulator.settle()
    with emulator.bare():
        kernel(*arrays)
        before = counter.value
        assert before > 0, "count_allocations.so is not preloaded"
        for _ in range(1000):
            kernel(*arrays)
        return counter.value - before


def growth(n):
    """Bytes of resident memory that n converted calls add."""
    import pkwrap
    from pkwrap import emulator

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    arrays = [emulator.cupy.zeros(64) for _ in range(3)]
    kernel = pkwrap.PyccelKernel(nothing)
    with emulator.bare():
        for _ in range(n // 10):
            kernel(*arrays)
        before = resident()
        for _ in range(n):
            kernel(*arrays)
        return resident() - before


def child(what, **environment):
    done = subprocess.run(
        [sys.executable, __file__, what], env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def converted():
    seconds = child("converted", CUNUMPY_FAKE_CUPY="1", PKWRAP_DEVICE="emulator")
    figures = []
    ns = {name: value * 1e9 for name, value in seconds.items()}
    note = f"5 interfaces alone {ns['interface 5']:.0f} ns"
    figures.append(Figure("kernel, 5 device arrays: bookkeeping", ns["ours 5"] - ns["direct 5"], "ns", 1500, note=note))
    for kind in ("3", "5", "3, outputs=[1]", "5, outputs=[1]"):
        ratio = ns[f"theirs {kind}"] / ns[f"ours {kind}"]
        note = f"{ns[f'ours {kind}']:.0f} and {ns[f'theirs {kind}']:.0f} ns"
        figures.append(Figure(f"kernel, device arrays {kind}: cunumpy's takes", ratio, "x", CONVERTED, at_most=False, note=note))
    library = Path("count_allocations.so").resolve()
    source = Path(__file__).with_name("count_allocations.c")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    n = child("allocations", LD_PRELOAD=str(library), PKWRAP_DEVICE="emulator")
    figures.append(Figure("kernel: allocations in 1,000 converted calls", n, "", 0, note="malloc, calloc, realloc"))
    grown = child("growth", PKWRAP_DEVICE="emulator")
    figures.append(
        Figure("kernel: memory after 1,000,000 converted calls", grown / 1024, "KiB", 256, note="more than before")
    )
    return figures


def measure():
    return not_converted() + converted()


if __name__ == "__main__":
    tasks = {"converted": converted_calls, "allocations": allocations, "growth": lambda: growth(1_000_000)}
    print(json.dumps(tasks[sys.argv[1]]()))
