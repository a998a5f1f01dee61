"""Builds axpy's wrappers, one a tool, into the current folder; those that are newer than their sources are kept.

Each is compiled with the same optimisation, by the tool's own way where it has one that needs no build system.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
# NumPy's first: Debian has an older one's among Python's.
INCLUDES = [f"-I{numpy.get_include()}", f"-I{sysconfig.get_path('include')}", f"-I{HERE}"]
C = ["gcc", "-O2", "-shared", "-fPIC", *INCLUDES]
CXX = ["g++", "-O2", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", *INCLUDES]
KERNEL = HERE / "axpy.c"


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}")


def by_hand(target):
    run(*C, "-o", target, HERE / "axpy_by_hand.c", KERNEL)


def f2py(target):
    run(sys.executable, "-m", "numpy.f2py", HERE / "axpy_f2py.pyf", "--lower", "--build-dir", ".")
    support = Path(numpy.f2py.__file__).parent / "src"
    run(*C, f"-I{support}", "-o", target, "axpy_f2pymodule.c", support / "fortranobject.c", KERNEL)


def kernel_object():
    run("gcc", "-O2", "-fPIC", "-c", "-o", "axpy.o", KERNEL)
    return "axpy.o"


def nanobind(target):
    import nanobind
    root = Path(nanobind.__file__).parent
    run(*CXX, "-fno-strict-aliasing", f"-I{root}/include", f"-I{root}/ext/robin_map/include", "-DNDEBUG", "-o", target,
        HERE / "axpy_nanobind.cpp", root / "src/nb_combined.cpp", kernel_object())


def pybind11(target):
    import pybind11
    run(*CXX, f"-I{pybind11.get_include()}", "-o", target, HERE / "axpy_pybind11.cpp", kernel_object())


def cython(target):
    run(sys.executable, "-m", "cython", HERE / "axpy_cython.pyx", "-o", "axpy_cython.c")
    run(*C, "-o", target, "axpy_cython.c", KERNEL)


def cffi(target):
    from cffi import FFI
    builder = FFI()
    builder.cdef("void axpy(int n, double a, const double *x, double *y);")
    builder.set_source("axpy_cffi", '#include "axpy.h"')
    builder.emit_c_code("axpy_cffi.c")
    run(*C, "-o", target, "axpy_cffi.c", KERNEL)


def pyccel(language):
    def build(target):
        source = f"axpy_pyccel_{language}.py"
        shutil.copy(HERE / "axpy_pyccel.py", source)
        run(Path(sys.executable).parent / "pyccel", "compile", source, "--language", language)
        Path(source).unlink()  # else the import would find it instead of what was compiled from it
    return build


def pkwrap(target):
    run(os.environ["PKWRAP_TOOL"], "build", "--python", sys.executable, "-o", ".", HERE / "axpy.json")


def ctypes_library(target):
    run("gcc", "-O2", "-shared", "-fPIC", "-o", target, KERNEL)


BUILDERS = {
    "axpy_by_hand": by_hand,
    "axpy_f2py": f2py,
    "axpy_nanobind": nanobind,
    "axpy_pybind11": pybind11,
    "axpy_cython": cython,
    "axpy_cffi": cffi,
    "axpy_pyccel_c": pyccel("c"),
    "axpy_pyccel_fortran": pyccel("fortran"),
    "axpy_ctypes": ctypes_library,
}


def build_all():
    """Builds what is missing; pkwrap's own module is always asked for."""
    newest = max(path.stat().st_mtime for path in HERE.iterdir() if path.is_file())
    for name, builder in BUILDERS.items():
        target = Path(name + SUFFIX)
        if not target.exists() or target.stat().st_mtime < newest:
            builder(target)
            os.utime(target)
    pkwrap(None)
