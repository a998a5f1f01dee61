"""bench_tool.py - how long the command line tool takes, beside the least that the job needs."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy
import pybind11

from figures import Figure, best_of, program
from tool import hundred

HERE = Path(__file__).resolve().parent
TOOL = os.environ["PKWRAP_TOOL"]
LAPACKE = "/usr/include/lapacke.h"


def inspect_figures():
    """inspect of a header of 2,500 functions beside a bare parse of it."""
    llvm = Path(os.environ["LLVM_DIR"])
    subprocess.run(["gcc", "-O2", "-isystem", llvm / "include", "-o", "bare_parse", HERE / "tool/bare_parse.c",
                    f"-L{llvm}/lib", f"-Wl,-rpath,{llvm}/lib", "-lclang"], check=True)
    best = best_of({"bare": program(["./bare_parse", LAPACKE]), "inspect": program([TOOL, "inspect", LAPACKE]),
                    "json": program([TOOL, "inspect", "--json", LAPACKE])}, rounds=12)
    limit = 2e3 * best["bare"]
    note = "twice a bare libclang parse"
    return [Figure("inspect of lapacke.h", 1e3 * best["inspect"], "ms", limit, note=note),
            Figure("inspect --json of lapacke.h", 1e3 * best["json"], "ms", limit, note=note),
            Figure("  bare parse", 1e3 * best["bare"], "ms")]


def idle_figures():
    """A build with nothing to do beside make -q on the same files."""
    module = "hundred" + sysconfig.get_config_var("EXT_SUFFIX")
    build = [TOOL, "build", "--python", sys.executable, "--depfile", "hundred.d", "hundred.json"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    Path("Makefile").write_text(f"{module}: hundred.json hundred.h hundred.c\n\tfalse\n-include hundred.d\n")
    make = ["make", "-q", module]
    subprocess.run(["touch", module], check=True)  # newer than its sources for make, too
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(make, check=True)
    best = best_of({"make": program(make), "build": program(build)}, rounds=60)
    return [Figure("build of 100 kernels, nothing to do", 1e3 * best["build"], "ms", 5e3 * best["make"], note="5 times make -q"),
            Figure("  make -q", 1e3 * best["make"], "ms")]


def compile_figures():
    """A module of 100 kernels from nothing, all that each tool does for it."""
    includes = [f"-I{numpy.get_include()}", f"-I{sysconfig.get_path('include')}", f"-I{pybind11.get_include()}"]
    with_pybind11 = ["sh", "-c", 'gcc -O2 -fPIC -c -o hundred.o hundred.c && "$@"', "sh", "g++", "-O2", "-std=c++17", "-shared",
                     "-fPIC", "-fvisibility=hidden", *includes, "-o", "hundred_pybind11.so", "hundred_pybind11.cpp", "hundred.o"]
    # All of a build from nothing: reading the header, generating, compiling the kernels too.
    with_pkwrap = ["sh", "-c", 'rm -rf fresh && "$@"', "sh",
                   TOOL, "build", "--python", sys.executable, "-o", "fresh", "hundred.json"]
    best = best_of({"pkwrap": program(with_pkwrap), "pybind11": program(with_pybind11)}, rounds=2)
    return [Figure("build of 100 kernels from nothing", best["pkwrap"], "s", best["pybind11"] / 5, note="a fifth of pybind11's"),
            Figure("  pybind11", best["pybind11"], "s")]


def measure():
    hundred.write(".")
    return inspect_figures() + idle_figures() + compile_figures()
