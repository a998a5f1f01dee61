"""bench_engine.py - what calls with device arrays move and wait for, on the emulator: bytes against the floor of what the
manifest declares, waits, allocations; beside cunumpy's PyccelKernel; and the engine's own bookkeeping.

The floor: each array that is read comes to the host once, each that is written goes back once. Counted by the emulator, not by
pkwrap.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from figures import Figure, best_of, calls

os.environ["PKWRAP_DEVICE"] = "emulator"
import pkwrap  # noqa: E402
from pkwrap import emulator  # noqa: E402
from pkwrap.emulator import cupy  # noqa: E402

TOOL = os.environ["PKWRAP_TOOL"]
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def build(manifest):
    """The module of an example, built here."""
    subprocess.run([TOOL, "build", "-q", "--python", sys.executable, "-o", ".", manifest], check=True)
    sys.path.insert(0, ".")
    return importlib.import_module(manifest.stem)


def example_calls():
    """Rows (name, function, arguments, keywords, floor to the host, floor to the device), in arrays that were made here."""
    heat, blas = build(EXAMPLES / "heat/heat.json"), build(EXAMPLES / "openblas/openblas.json")
    field = cupy.asarray(300 + np.arange(48 * 64.0).reshape(48, 64))
    out, qx, qy = (cupy.zeros((48, 64)) for _ in range(3))
    particles = [cupy.asarray(np.linspace(0.1, 1.0, 500)) for _ in range(4)]
    x, y = cupy.asarray(np.arange(1000.0)), cupy.asarray(np.ones(1000))
    a, b, c = (cupy.asarray(np.ones((20, 20))) for _ in range(3))
    z = cupy.asarray(np.ones((20, 20), complex))
    f, p, v, m = field.nbytes, 4 * particles[0].nbytes, x.nbytes, a.nbytes
    return [("heat.step", heat.step, (field, 0.2), {"out": out}, f, f),
            ("heat.flux", heat.flux, (field, 1.0, 0.1), {"qx": qx, "qy": qy}, f, 2 * f),
            ("heat.energy", heat.energy, (field, 1.0, 0.1), {}, f, 0),
            ("heat.push_tracers", heat.push_tracers, (*particles, qx, qy, 0.1, 1e-9, 0.5, 0.1), {}, p + 2 * f, p),
            ("daxpy", blas.daxpy, (2.0, x, y), {}, 2 * v, v),
            ("ddot", blas.ddot, (x, y), {}, 2 * v, 0),
            ("dscal", blas.dscal, (0.5, x), {}, v, v),
            ("dgemv", blas.dgemv, (a, cupy.asarray(np.ones(20)), cupy.asarray(np.ones(20))), {}, m + 320, 160),
            ("dgemm", blas.dgemm, (a, b, c), {}, 3 * m, m),
            ("zgemm", blas.zgemm, (z, z.copy(), z.copy()), {}, 6 * m, 2 * m)]


def polybench_calls():
    """The same rows for the kernels of PolyBench/C, with the arguments of their tests; the floor is what their manifest
    declares."""
    sys.path.insert(0, str(EXAMPLES / "polybench"))
    tests = importlib.import_module("test_polybench")
    manifest = EXAMPLES / "polybench/vla/polybench_vla.json"
    module = build(manifest)
    rows = []
    for name, declared in json.loads(manifest.read_text())["kernels"].items():
        arguments, down, up = tests.arguments_of(module, name), 0, 0
        for param, value in arguments.items():
            if not isinstance(value, np.ndarray):
                continue
            arguments[param] = cupy.asarray(value)
            down += 0 if declared.get("params", {}).get(param, {}).get("overwritten") else value.nbytes
            up += value.nbytes if param in declared["outputs"] else 0
        rows.append((name, getattr(module, tests.python_name(name)), (), arguments, down, up))
    return rows


def count(function, arguments, keywords):
    """What one call costs once everything is warm: the emulator's counters."""
    for _ in range(4):
        function(*arguments, **keywords)
    emulator.settle()
    emulator.reset_counters()
    function(*arguments, **keywords)
    counted = emulator.counters()
    emulator.settle()
    assert emulator.counters()["violations"] == 0, emulator.last_violation()
    return counted


def floor_figures(rows, what):
    above = waits = allocations = 0
    worst = []
    for name, function, arguments, keywords, down, up in rows:
        counted = count(function, arguments, keywords)
        excess = abs(counted["bytes_to_host"] - down) + abs(counted["bytes_to_device"] - up)
        if excess:
            worst.append(f"{name}: {counted['bytes_to_host']}/{down}, {counted['bytes_to_device']}/{up}")
        above += excess
        waits = max(waits, counted["waits"])
        allocations += counted["host_allocations"]
    return [Figure(f"bytes off the floor, {len(rows)} {what}", above, "bytes", 0, note="; ".join(worst)),
            Figure(f"waits of a call, at most, {what}", waits, "waits", 1),
            Figure(f"staging allocations of warm calls, {what}", allocations, "calls", 0)]


def smooth(a, b, out):
    out[:] = a + b


def load_cunumpy():
    """cunumpy's PyccelKernel, over the same stand-in for CuPy (it finds its arrays through array_api_compat)."""
    compat = importlib.import_module("array_api_compat")
    sys.modules["cupy"] = sys.modules["array_api_compat.cupy"] = compat.cupy = cupy
    cupy.is_available = lambda: True
    cupy.__version__ = "14.0.0"
    return importlib.import_module("cunumpy.kernels").PyccelKernel


def assignment_counts(array):
    """What the stand-in counts for an assignment between device arrays, which it does by way of the host. With CuPy it is one
    copy on the device."""
    spare = cupy.empty_like(array)

    def assign():
        spare[...] = array

    return count(assign, (), {})


def both_counts(function, arguments, keywords, outputs):
    """{library: its PyccelKernel's counters} of one call. cunumpy assigns each array that it copies back: what that counts beside
    the copy is taken off."""
    device = dict(enumerate(arguments)) | keywords
    written = [value for name, value in device.items()
               if isinstance(value, cupy.ndarray) and (outputs is None or name in outputs)]
    found = {}
    for name, kernel in (("pkwrap", pkwrap.kernels.PyccelKernel), ("cunumpy", load_cunumpy())):
        counted = count(kernel(function, use_cupy=True, outputs=outputs), arguments, keywords)
        for array in written if name == "cunumpy" else ():
            extra = assignment_counts(array)
            counted = {key: counted[key] - extra[key] for key in counted}
        found[name] = {"bytes": counted["bytes_to_host"] + counted["bytes_to_device"],
                       "copies": counted["copies_to_host"] + counted["copies_to_device"], "waits": counted["waits"]}
    return found


def side_by_side(rows, what):
    """The same calls through both PyccelKernels, rows (function, arguments, keywords, outputs): totals of all calls."""
    figures = []
    for how in ("nothing declared", "outputs declared"):
        totals = {name: dict.fromkeys(("bytes", "copies", "waits"), 0) for name in ("pkwrap", "cunumpy")}
        for function, arguments, keywords, outputs in rows:
            found = both_counts(function, arguments, keywords, outputs if how == "outputs declared" else None)
            for name, counted in found.items():
                for key, value in counted.items():
                    totals[name][key] += value
        figures += [Figure(f"PyccelKernel, {what}, {how}: {key}", totals["pkwrap"][key], key, totals["cunumpy"][key],
                           note=f"cunumpy's: {totals['cunumpy'][key]}") for key in ("bytes", "copies", "waits")]
    return figures


def polybench_pairs(rows):
    """The calls of polybench_calls() with the outputs that the manifest declares."""
    declared = json.loads((EXAMPLES / "polybench/vla/polybench_vla.json").read_text())["kernels"]
    return [(function, (), keywords, tuple(declared[name]["outputs"])) for name, function, _, keywords, _, _ in rows]


def bookkeeping_figures(heat):
    """Calls with all copies and waits switched off: the Python side and the engine alone."""
    field = cupy.asarray(np.ones((4, 4)))
    particles = [cupy.asarray(np.full(4, 0.1)) for _ in range(4)]
    for _ in range(3):
        heat.push_tracers(*particles, field, field.copy(), 0.1, 1e-9, 0.5, 0.1)
    with emulator.bare():
        best = best_of({"5 arrays": calls(heat.push_tracers, *particles, field, field.copy(), 0.1, 1e-9, 0.5, 0.1, number=200),
                        "1 array": calls(heat.energy, field, 1.0, 0.1, number=200)}, rounds=40)
    emulator.settle()
    return [Figure("bookkeeping of a call with 6 device arrays, 4 written", 1e6 * best["5 arrays"], "us"),
            Figure("bookkeeping of a call with 1 device array", 1e6 * best["1 array"], "us")]


def measure():
    polybench = polybench_calls()
    figures = floor_figures(example_calls(), "kernels of the examples")
    figures += floor_figures(polybench, "kernels of PolyBench/C")
    figures += side_by_side([(smooth, [cupy.asarray(np.ones(1000)) for _ in range(3)], {}, (2,))], "3 arrays of 8 kB")
    figures += side_by_side(polybench_pairs(polybench), f"{len(polybench)} of PolyBench/C")
    return figures + bookkeeping_figures(importlib.import_module("heat"))
