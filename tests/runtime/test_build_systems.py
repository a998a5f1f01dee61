"""What other build systems compile generated C with (all of `make check-packaging`'s projects rest on this)."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pkwrap
import pytest

TOOL = os.environ["PKWRAP_TOOL"]
HEADER = "/* Doubles x. */\nstatic inline void twice(int n, double x[n])\n{\n    for (int i = 0; i < n; i++) x[i] *= 2;\n}\n"
CALL = "import numpy, twice; x = numpy.arange(3.0); twice.twice(x); assert x.tolist() == [0.0, 2.0, 4.0]"


def config(option):
    done = subprocess.run([sys.executable, "-m", "pkwrap", option], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "twice.h").write_text(HEADER)
    subprocess.run([TOOL, "init", "twice.h", "-o", "twice.json"], cwd=tmp_path, check=True)
    subprocess.run([TOOL, "generate", "twice.json"], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def compile_and_call(project, *flags):
    compiler = os.environ.get("CC", "cc").split()
    flags = [*os.environ.get("CFLAGS", "").split(), f"-I{sysconfig.get_path('include')}", "twice_wrap.c", *flags, "-o", "twice.so"]
    subprocess.run([*compiler, "-shared", "-fPIC", *flags], cwd=project, check=True)
    subprocess.run([sys.executable, "-c", CALL], cwd=project, check=True)
    return subprocess.run(["ldd", "twice.so"], cwd=project, capture_output=True, text=True, check=True).stdout


def test_module_that_imports_the_package(project):
    assert "libpkwrap" not in compile_and_call(project, *config("--cflags"))


def test_module_that_is_linked(project):
    assert "libpkwrap.so.1" in compile_and_call(project, "-I", *config("--include"), *config("--libs"))


def test_module_without_the_package_says_what_is_missing(project):
    compile_and_call(project, *config("--cflags"))
    variables = os.environ | {"PYTHONPATH": "", "PYTHONSAFEPATH": ""}
    done = subprocess.run([sys.executable, "-c", "import twice"], cwd=project, env=variables, capture_output=True, text=True)
    assert done.returncode == 1 and "No module named 'pkwrap'" in done.stderr


def test_version_and_folders():
    header = Path(pkwrap.get_include(), "pkwrap_version.h").read_text()
    assert f'"{pkwrap.__version__}"' in header and config("--version") == [pkwrap.__version__]
    assert subprocess.run([TOOL, "--version"], capture_output=True, text=True).stdout == f"pkwrap {pkwrap.__version__}\n"
    assert Path(*config("--pkgconfigdir"), "pkwrap.pc").exists() and Path(*config("--cmakedir"), "pkwrapConfig.cmake").exists()
    assert config("--include") == [pkwrap.get_include()]
