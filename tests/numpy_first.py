"""Debian keeps the headers of its own NumPy in Python's include folder, where they come before those of the NumPy that is
imported: what other tools (Pyccel) compile there does not load with NumPy 2. Compilers that are put first on PATH help.
"""

import os
import shutil
import sysconfig
from pathlib import Path

import numpy


def path_with_compilers(folder):
    """PATH, with `folder` first if this Python is such a one: there a gcc that looks into the right folder before all others."""
    path = os.environ["PATH"]
    compiler = shutil.which("gcc")
    if compiler is None or not (Path(sysconfig.get_path("include")) / "numpy").exists():
        return path
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "gcc"
    if not Path(compiler).parent.samefile(folder):
        wrapper.write_text(f'#!/bin/sh\nexec {compiler} "-I{numpy.get_include()}" "$@"\n')
        wrapper.chmod(0o755)
    return os.pathsep.join([str(folder), path])
