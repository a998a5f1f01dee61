"""bench_analysis.py - which arguments C functions write: the Gibbs SeaWater toolbox, all of it, on one core."""

import os
import subprocess
import sys
import time
from pathlib import Path

from figures import Figure, best_of

TOOL = os.environ["PKWRAP_TOOL"]
LIMIT = 5  # s


def measure():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runtime"))
    from gsw_package import FILES, gsw_sources

    folder = gsw_sources()

    def run():
        start = time.perf_counter()
        subprocess.run(["taskset", "-c", "0", TOOL, "inspect", "--json", *FILES], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    best = best_of({"gsw": run}, rounds=3)
    return [Figure("analysis of the C sources of gsw", best["gsw"], "s", LIMIT, note="12,300 lines, 185 pointers, one core")]
