"""bench_stubs.py - reading Pyccel's stubs and kernels: all of Struphy's, against a python3 that only parses them with ast."""

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from figures import Figure, best_of

TOOL = os.environ["PKWRAP_TOOL"]
CACHE = Path(os.environ["PKWRAP_BUILD"]).resolve() / "cache"
STUBS_LIMIT = 3  # times the bare parse
KERNELS_LIMIT = 5  # s of one core
PARSE = "import ast, sys\nfor name in sys.argv[1:]:\n    with open(name) as file: ast.parse(file.read())"


def stubs_of(package):
    """The stubs that Pyccel writes for the kernel modules, alone in a folder; made once, in about a minute."""
    folder = CACHE / f"{package.name}-stubs"
    if not folder.exists():
        work = CACHE / f"{package.name}-pyccel"
        shutil.rmtree(work, ignore_errors=True)
        for path in package.glob("struphy/**/*kernels*.py"):
            if not {"tests", "legacy", "eigenvalue_solvers"} & set(path.parts):
                copy = work / path.relative_to(package)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        pyccel = [Path(sys.executable).parent / "pyccel", "make", "-g", "struphy/**/*.py", "-t", "--language", "C"]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(pyccel, cwd=work, check=True, capture_output=True, env={**os.environ, "PATH": path})
        shutil.copytree(work / "__pyccel__", folder, ignore=lambda _, names: [n for n in names if n.endswith((".c", ".h", ".o"))])
    return folder


def timed(command, folder):
    def run():
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    return run


def measure():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runtime"))
    from struphy_package import struphy_package

    package = struphy_package()
    stubs = stubs_of(package)
    names = sorted(str(path.relative_to(stubs)) for path in stubs.glob("**/*.pyi"))
    best = best_of(
        {
            "inspect": timed([TOOL, "inspect", "--python", sys.executable, *names], stubs),
            "parse": timed([sys.executable, "-c", PARSE, *names], stubs),
        },
        rounds=15,
    )
    kernels = sorted(str(path.relative_to(package)) for path in package.glob("struphy/**/*kernels*.py"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [TOOL, "inspect", "--json", "--python", sys.executable, *kernels], cwd=package, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [
        Figure(
            f"inspect of {len(names)} stubs / parsing them with ast",
            best["inspect"] / best["parse"],
            "x",
            STUBS_LIMIT,
            note=f"{best['inspect'] * 1e3:.0f} ms / {best['parse'] * 1e3:.0f} ms",
        ),
        Figure(f"analysis of {len(kernels)} kernel modules, processor time", seconds, "s", KERNELS_LIMIT),
    ]
