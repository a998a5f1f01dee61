"""No call leaks memory, references or descriptors, whether it works or fails: LeakSanitizer counts over a whole process.

Python and NumPy leave things behind at exit that are not ours, so what is compared is two runs of the same program with
different numbers of rounds: one leaked allocation a round shows as a difference, everything else cancels.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FEW, MANY = 10, 110

pytestmark = pytest.mark.skipif(not os.environ.get("PKWRAP_SANITIZE"),
                                reason="needs the build with sanitizers (suite python-sanitized)")


def leaked_allocations(program, rounds, folder):
    """Runs the Python text `program` with the number of rounds as its argument; how many allocations nobody holds at exit."""
    script = folder / "program.py"
    script.write_text(program)
    variables = os.environ | {
        "ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": "exitcode=0", "PYTHONMALLOC": "malloc", "PKWRAP_DEVICE": "emulator",
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])}
    done = subprocess.run([sys.executable, script, str(rounds)], env=variables, capture_output=True, text=True)
    assert done.returncode == 0 and "done" in done.stdout, done.stdout + done.stderr
    found = re.search(r"SUMMARY: AddressSanitizer: \d+ byte\(s\) leaked in (\d+) allocation", done.stderr)
    return int(found.group(1)) if found else 0


def leaks_a_round(program, folder):
    return (leaked_allocations(program, MANY, folder) - leaked_allocations(program, FEW, folder)) / (MANY - FEW)


# Argument classes, over a module of Python in the place of a compiled one, whose own leaks are not ours.
OBJECTS_STUB = """
class Grid:
    nodes : 'Annotated[float64[:], "alias"]'
    n : 'int'
    def __init__(self : 'Grid', nodes : 'float64[:]', n : 'int') -> None: ...
    def scale(self : 'Grid', factor : 'float', out : 'float64[:]') -> None: ...
    def attach(self : 'Grid', nodes : 'float64[:]') -> None: ...
    @property
    def first(self : 'Grid') -> 'float': ...
class Holder:
    grid : 'Annotated[Grid, "alias"]'
    weights : 'Annotated[float64[:], "alias"]'
    def __init__(self : 'Holder', grid : 'Grid', weights : 'float64[:]') -> None: ...
def weigh(holder : 'Holder') -> 'float': ...
def make(nodes : 'float64[:]', n : 'int') -> 'Grid': ...
def put(grid : 'Grid', nodes : 'float64[:]') -> None: ...
"""


def build_objects(place):
    (place / "grid.pyi").write_text(OBJECTS_STUB)
    (place / "real_objects.py").write_text((ROOT / "tests/runtime/data/pyccel_objects.py").read_text())
    (place / "objects.json").write_text('{"module": "objects", "stubs": ["grid.pyi"], "extension": "real_objects"}')
    subprocess.run([os.environ["PKWRAP_TOOL"], "build", "-q", "--python", sys.executable, place / "objects.json"], check=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("leaks")
    build_objects(place)
    for name in ("heat", "openblas"):
        subprocess.run([os.environ["PKWRAP_TOOL"], "build", "-q", "--python", sys.executable, "-o", place,
                        ROOT / f"tests/examples/{name}/{name}.json"], check=True)
    return place


START = """
import contextlib, os, sys
import numpy as np
import pkwrap, heat, openblas, objects
from pkwrap.emulator import cupy
u = np.arange(12.0).reshape(3, 4)
device_u = cupy.asarray(u)
descriptors = len(os.listdir("/proc/self/fd"))
def fails(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except Exception:
        return
    raise AssertionError("no exception")
"""
END = """
assert len(os.listdir("/proc/self/fd")) <= descriptors + 1, "descriptors leak"
print("done")
"""
READ_ONLY = "read_only = np.arange(3.0); read_only.flags.writeable = False\n"
ROUNDS = {
    "host": "heat.step(u, 0.1); heat.step(u[:, ::-1], 0.1); heat.energy(u, 1.0, 1.0); openblas.dgemm(u, u.T.copy(), alpha=2.0)",
    "host_failing": "fails(heat.step, u); fails(heat.step, u, 0.1, nothing=1); fails(heat.step, u.astype('f4'), 0.1); "
                    "fails(openblas.daxpy, 1.0, u[0], read_only); fails(openblas.daxpy, 'a', u[0], u[1]); "
                    "fails(openblas.ddot, u[0], u[0, :2])",
    "device": "heat.step(device_u, 0.1); heat.step(device_u[:, ::-1], 0.1); heat.energy(device_u, 1.0, 1.0); "
              "openblas.daxpy(1.0, device_u[0], device_u[1])",
    "device_failing": "fails(heat.step, device_u, 'a'); fails(openblas.ddot, device_u[0], device_u[0, :2]); "
                      "fails(heat.energy, cupy.asarray(u.astype('f4')), 1.0, 1.0)",
    "kernel": "pkwrap.PyccelKernel(lambda a, b: a + b['x'][0])(device_u, {'x': [device_u]})",
    "kernel_failing": "fails(pkwrap.PyccelKernel(lambda a: 1 / 0), device_u); "
                      "fails(pkwrap.PyccelKernel(lambda a: a, outputs=(7,)), device_u)",
    "objects": "grid = objects.Grid(device_u[0], 4); grid.scale(1.0, device_u[1]); grid.nodes = device_u[2]; grid.nodes; "
               "grid.first; grid.attach(u[0, ::-1]); holder = objects.Holder(grid, u[1, ::-1]); "
               "objects.weigh(holder); holder.grid; objects.make(device_u[0], 4).first; holder.grid = objects.Grid(u[0], 4)",
    "objects_failing": "fails(objects.Grid, u, 4); fails(objects.Grid, device_u[0]); fails(objects.Grid, read_only, 3); "
                       "grid = objects.Grid(device_u[0], 4); fails(grid.scale, 'a', u[0]); fails(grid.scale, 1.0, read_only); "
                       "fails(setattr, grid, 'nodes', 1); fails(objects.put, grid, device_u[1]); fails(delattr, grid, 'n'); "
                       "fails(objects.weigh, objects.Holder.__new__(objects.Holder)); fails(grid.__init__, 1, 2)",
    "counting": "with pkwrap.count_transfers() as counter: heat.step(device_u, 0.1); counter.report()",
}


@pytest.mark.parametrize("name", ROUNDS)
def test_no_round_leaks(name, folder):
    body = ROUNDS[name]
    lines = [f"    {part.strip()}" for part in ([body] if body.startswith("with") else body.split("; "))]
    program = START + READ_ONLY + "for _ in range(int(sys.argv[1])):\n" + "\n".join(lines) + END
    assert leaks_a_round(program, folder) < 0.5


def test_a_leak_is_found(tmp_path):
    source = tmp_path / "leaky.c"
    source.write_text("#include <stdlib.h>\nvoid *volatile kept;\nvoid leak(void)\n{\n    kept = malloc(100);\n    kept = 0;\n}\n")
    subprocess.run(["gcc", "-g", "-fsanitize=address", "-shared", "-fPIC", "-o", tmp_path / "leaky.so", source], check=True)
    program = f"import ctypes, sys\nleak = ctypes.CDLL({str(tmp_path / 'leaky.so')!r}).leak\n" \
              "for _ in range(int(sys.argv[1])):\n    leak()\nprint('done')\n"
    assert leaks_a_round(program, tmp_path) == pytest.approx(1, abs=0.3)
