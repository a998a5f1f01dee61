"""Debian keeps the headers of its own NumPy in Python's include folder, where they come before those of the NumPy that is
imported: what other tools (Pyccel) compile there does not load with NumPy 2. Compilers that are put first on PATH help.
"""

import os
import shutil
import sysconfig
from pathlib import Path

import numpy


def is_needed():
    """If this Python is such a one, and there is a compiler to help."""
    own = Path(sysconfig.get_path("include")) / "numpy"
    return own.exists() and not own.samefile(Path(numpy.get_include()) / "numpy") and shutil.which("gcc") is not None


def make_compilers(folder):
    """A folder for PATH, with a gcc that looks into the right folder before all others."""
    compiler = Path(shutil.which("gcc"))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "gcc"
    if not compiler.parent.samefile(folder):
        wrapper.write_text(f'#!/bin/sh\nexec {compiler} "-I{numpy.get_include()}" "$@"\n')
        wrapper.chmod(0o755)
    return folder


def path_with_compilers(folder):
    """PATH, with `folder` and such a gcc first where that is needed."""
    path = os.environ["PATH"]
    return os.pathsep.join([str(make_compilers(folder)), path]) if is_needed() else path
