"""bench_analysis.py - which arguments C functions write: the Gibbs SeaWater toolbox on one core, and C libraries that PyPI has the
sources of, with LLVM as the judge."""

import os
import subprocess
import sys
import time
from pathlib import Path

import libraries
from figures import Figure, best_of

TOOL = os.environ["PKWRAP_TOOL"]
LIMIT = 5  # s


def toolbox():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runtime"))
    from gsw_package import FILES, gsw_sources

    folder = gsw_sources()

    def run():
        start = time.perf_counter()
        subprocess.run(["taskset", "-c", "0", TOOL, "inspect", "--json", *FILES], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    best = best_of({"gsw": run}, rounds=3)
    return Figure("analysis of the C sources of gsw", best["gsw"], "s", LIMIT, note="12,300 lines, 185 pointers, one core")


def measure():
    figures, wrong, arrays, unsure = [toolbox()], 0, 0, 0
    for name in libraries.LIBRARIES:
        got = libraries.measure_library(name)
        states = {state: got[state] for state in ("yes", "no", "maybe")}
        wrong, arrays, unsure = wrong + len(got["wrong"]), arrays + sum(states.values()), unsure + got["maybe"]
        note = f"{got['functions']} functions; " + ", ".join(f"{n} {state}" for state, n in states.items()) + \
               f"; {got['seconds']:.1f} s, {got['MB']:.0f} MB; {got['compared']} pointers beside LLVM's"
        share = 100 * got["maybe"] / max(1, sum(states.values()))
        figures.append(Figure(f"{name}: array arguments that are undecided", share, "%", note=note))
    figures.append(Figure("all of these libraries: undecided", 100 * unsure / max(1, arrays), "%", 4))
    figures.append(Figure("judged unwritten, found written by LLVM", wrong, "arguments", 0))
    return figures
