"""The example projects of tests/examples/packaging: built by their own build systems against an installed pkwrap, and called;
and what rebuilds what. Runs in `make check-packaging`, since it makes environments and installs into them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wheels

EXAMPLES = wheels.ROOT / "tests/examples/packaging"
PROJECTS = ["meson-python", "scikit-build-core", "setuptools"]

TRIAL = """
import numpy as np, wave
now, before, after = np.array([0.0, 1.0, 0.0]), np.zeros(3), np.full(3, 9.0)
wave.step(now, before, after, 0.5)
assert after.tolist() == [0.0, 1.0, 0.0], after
"""


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """bin of an environment with pkwrap, from a wheel of this tree, and with the three build systems."""
    folder = tmp_path_factory.mktemp("packaging")
    wheels.run(sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "-w", folder, wheels.ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheels.clean_environment(folder / "environment", sys.executable, wheel, "-r", wheels.REQUIREMENTS)


@pytest.fixture
def variables(programs):
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "CC", "CFLAGS")}
    return kept | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def project(name, folder):
    shutil.copytree(EXAMPLES / name, folder)
    for file in (EXAMPLES / "kernels").iterdir():
        shutil.copy(file, folder)
    return folder


@pytest.mark.parametrize("name", PROJECTS)
def test_project_builds_a_wheel_that_works(name, programs, variables, tmp_path):
    source = project(name, tmp_path / "wave")
    wheels.run(programs / "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, source, env=variables)
    (wheel,) = tmp_path.glob("wave-*.whl")
    target = tmp_path / "installed"
    wheels.run(programs / "pip", "install", "-q", "--no-deps", "--target", target, wheel, env=variables)
    wheels.run(programs / "python", "-c", TRIAL, env=variables | {"PYTHONPATH": str(target)}, cwd=target)
    shared = subprocess.run(["ldd", *target.glob("wave*.so")], capture_output=True, text=True, check=True).stdout
    assert "libpkwrap" not in shared


@pytest.mark.parametrize("name", PROJECTS)
def test_project_adds_at_most_15_lines(name):
    """Beyond what a plain C extension has there: counted are the lines that name pkwrap or the wrapper, and their continuations."""
    lines = [line for file in (EXAMPLES / name).iterdir() for line in file.read_text().splitlines() if line.strip()]
    plain = {"meson-python": 7 + 3, "scikit-build-core": 7 + 5, "setuptools": 7 + 3}[name]
    assert len(lines) - plain <= 15


def ninja(folder, variables):
    return wheels.run("ninja", "-C", folder, env=variables, cwd=folder)


@pytest.mark.parametrize("name", ["meson-python", "scikit-build-core"])
def test_header_touched_rebuilds_and_nothing_touched_does_nothing(name, variables, tmp_path):
    source, build = project(name, tmp_path / "wave"), tmp_path / "build"
    if name == "meson-python":
        wheels.run("meson", "setup", build, source, env=variables)
    else:
        prefix = wheels.run("pkwrap-config", "--cmakedir", env=variables).strip()
        wheels.run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-Dpkwrap_DIR={prefix}", env=variables)
    ninja(build, variables)
    assert "no work to do" in ninja(build, variables)
    os.utime(source / "wave.h")
    header = (source / "wave.h").read_text()
    (source / "wave.h").write_text(header.replace("double c2", "double courant2"))
    ninja(build, variables)
    (stub,) = build.rglob("wave.pyi")
    assert "courant2" in stub.read_text()
    assert "no work to do" in ninja(build, variables)


def test_pkg_config_compiles_and_links(programs, variables, tmp_path):
    source = project("setuptools", tmp_path / "wave")
    wheels.run(programs / "pkwrap", "generate", "wave.json", "-o", ".", env=variables, cwd=source)
    variables = variables | {"PKG_CONFIG_PATH": wheels.run("pkwrap-config", "--pkgconfigdir", env=variables).strip()}
    flags = wheels.run("pkg-config", "--cflags", "--libs", "pkwrap", env=variables).split()
    assert Path(flags[0][2:], "pkwrap.h").exists()
    include = wheels.run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('include'))", env=variables).strip()
    wheels.run("cc", "-shared", "-fPIC", "-I.", f"-I{include}", "wave_wrap.c", "wave.c", *flags, "-o", "wave.so",
               env=variables, cwd=source)
    wheels.run(programs / "python", "-c", TRIAL, env=variables, cwd=source)


def test_editable_install(variables, tmp_path):
    """The Python files are those of the tree; what is compiled, and pkwrap.h, is found all the same."""
    wheels.run(sys.executable, "-m", "venv", tmp_path / "environment")
    programs = tmp_path / "environment/bin"
    wheels.run(programs / "pip", "install", "-q", "-e", wheels.ROOT, env=variables)
    code = "import pkwrap; print(pkwrap.__file__, pkwrap.get_include(), sep='\\n')"
    python, include = wheels.run(programs / "python", "-c", code, env=variables).split()
    assert Path(python) == wheels.ROOT / "lib/python/pkwrap/__init__.py" and Path(include, "pkwrap.h").exists()
    source = project("setuptools", tmp_path / "wave")
    (source / "wave.json").write_text((source / "wave.json").read_text().replace('"kernels"', '"sources": ["wave.c"], "kernels"'))
    wheels.run(programs / "pkwrap", "build", "wave.json", env=variables, cwd=source)
    wheels.run(programs / "python", "-c", TRIAL, env=variables, cwd=source)
