"""Ten kernel modules of the package struphy (PyPI), compiled by Pyccel as Struphy does it; kept between test runs."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyccel_build import PLAIN
from struphy_package import NotThere, struphy_package

CACHE = Path(os.environ["PKWRAP_BUILD"]).resolve() / "struphy"
MODULES = """
    kernel_arguments/pusher_args_kernels bsplines/bsplines_kernels bsplines/evaluation_kernels_2d
    bsplines/evaluation_kernels_3d linear_algebra/linalg_kernels linear_algebra/stencil_dot_kernels
    linear_algebra/stencil_transpose_kernels geometry/mappings_kernels geometry/evaluation_kernels pic/sorting_kernels
""".split()


def compiled():
    """A folder with the sources (struphy/...), the compiled modules beside them and the stubs (__pyccel__/struphy/...)."""
    if shutil.which("gfortran") is None:
        pytest.skip("needs gfortran")
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / f"compiled-{sys.implementation.cache_tag}"
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Not compiled elsewhere and moved: the compiled modules find each other by the path of this folder.
        if (folder / "done").exists():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        try:
            package = struphy_package()
        except NotThere as reason:
            pytest.skip(str(reason))
        for module in MODULES:
            (folder / "struphy" / module).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(package / "struphy" / f"{module}.py", folder / "struphy" / f"{module}.py")
        binaries = Path(sys.executable).parent
        environment = {**PLAIN, "PATH": f"{binaries}{os.pathsep}{PLAIN['PATH']}"}
        done = subprocess.run(
            [binaries / "pyccel", "make", "--language", "fortran", "-g", "struphy/**/*.py"],
            cwd=folder, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "done").touch()
    return folder


def wrapped(output):
    """Builds a wrapper module for each into `output`. The folder of what was compiled."""
    folder = compiled()
    tool, python = os.environ["PKWRAP_TOOL"], ["--python", sys.executable]
    for module in MODULES:
        extension = f"struphy.{module.replace('/', '.')}"
        subprocess.run(
            [tool, "init", *python, "-q", "-I", ".", "--extension", extension,
             "-o", output / f"{module.split('/')[-1]}.json", f"__pyccel__/struphy/{module}.pyi", f"struphy/{module}.py"],
            cwd=folder, check=True,
        )  # fmt: skip
    manifests = [f"{module.split('/')[-1]}.json" for module in MODULES]
    subprocess.run([tool, "build", *python, "-q", *manifests], cwd=output, check=True)
    return folder
