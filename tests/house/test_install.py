"""make install and make uninstall: what lands where, and that the installed tool works from anywhere."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = os.environ["PKWRAP_BUILD"]


def environment():
    """Without what points to the build folder, or to a make that runs this test."""
    hidden = {"PYTHONPATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PKWRAP_BUILD", "PKWRAP_TOOL"}
    return {name: value for name, value in os.environ.items() if name not in hidden}


def run(*command, cwd=ROOT, status=0):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, f"{command}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    """A virtual environment of its own that sees this one's NumPy."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())
    (site / "numpy_of_the_tests.pth").write_text(sysconfig.get_path("platlib") + "\n")
    return python


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_staged_install_writes_below_destdir_only(tmp_path):
    run("make", "install", f"BUILD={BUILD}", f"DESTDIR={tmp_path}", "PREFIX=/usr", f"PYTHON={sys.executable}")
    files = files_below(tmp_path)
    site = run(sys.executable, "lib/packaging/site_packages.py", "/usr").strip().lstrip("/")
    assert {"usr/bin/pkwrap", "usr/share/man/man1/pkwrap.1", "usr/share/man/man3/libpkwrap.3",
            "usr/share/man/man5/pkwrap-manifest.5", "usr/share/bash-completion/completions/pkwrap",
            "usr/share/zsh/site-functions/_pkwrap", "usr/share/fish/vendor_completions.d/pkwrap.fish",
            "usr/share/pkwrap/schemas/manifest.schema.json", f"{site}/pkwrap/__init__.py", f"{site}/pkwrap/libpkwrap.so.1",
            f"{site}/pkwrap/include/pkwrap.h"} <= files
    assert not [name for name in files if name.endswith((".pyc", ".o"))]
    run("make", "uninstall", f"DESTDIR={tmp_path}", "PREFIX=/usr", f"PYTHON={sys.executable}")
    assert files_below(tmp_path) == set()


def test_installed_tool_builds_a_module_that_runs_anywhere(interpreter, tmp_path):
    run("make", "install", f"BUILD={BUILD}", f"PREFIX={tmp_path}/prefix", f"PYTHON={interpreter}")
    project = tmp_path / "project"
    project.mkdir()
    (project / "twice.h").write_text("/* Doubles x. */\nvoid twice(int n, double x[n]);\n")
    (project / "twice.c").write_text('#include "twice.h"\nvoid twice(int n, double x[n])\n{\n'
                                     "    for (int i = 0; i < n; i++)\n        x[i] *= 2;\n}\n")
    tool = tmp_path / "prefix/bin/pkwrap"
    run(tool, "init", "twice.h", "twice.c", "-o", "twice.json", cwd=project)
    run(tool, "build", "--python", interpreter, "twice.json", cwd=project)
    run(tool, "check", "twice.json", cwd=project)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = f"import sys; sys.path.insert(0, {str(project)!r}); import numpy, twice; x = numpy.arange(3.0); twice.twice(x); print(x)"
    assert run(interpreter, "-c", code, cwd=elsewhere) == "[0. 2. 4.]\n"
    moved = tmp_path / "moved"
    (tmp_path / "prefix").rename(moved)
    run(moved / "bin/pkwrap", "build", "--python", interpreter, "twice.json", cwd=project)
    assert run(interpreter, "-c", code, cwd=elsewhere) == "[0. 2. 4.]\n"
    moved.rename(tmp_path / "prefix")
    run("make", "uninstall", f"PREFIX={tmp_path}/prefix", f"PYTHON={interpreter}")
    assert files_below(tmp_path / "prefix") == set()


def test_without_a_prefix_the_package_is_the_interpreters(interpreter, tmp_path):
    run("make", "install", f"BUILD={BUILD}", f"DESTDIR={tmp_path}", f"PYTHON={interpreter}")
    site = run(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
    assert (tmp_path / site.lstrip("/") / "pkwrap/__init__.py").exists() and (tmp_path / "usr/local/bin/pkwrap").exists()


@pytest.mark.skipif(not Path("/usr/lib/python3/dist-packages").exists(), reason="Debian's Python is not here")
@pytest.mark.parametrize("prefix, folder", [
    ("/usr", "/usr/lib/python3/dist-packages"), ("/usr/local", "/usr/local/lib/{}/dist-packages"),
    ("/opt/tools", "/opt/tools/lib/{}/site-packages")])
def test_site_packages_of_debian(prefix, folder):
    version = run("/usr/bin/python3", "-c", "import sys; print('python%d.%d' % sys.version_info[:2])").strip()
    assert run("/usr/bin/python3", "lib/packaging/site_packages.py", prefix).strip() == folder.format(version)


def test_site_packages_of_a_prefix():
    def told(*words):
        return run(sys.executable, "lib/packaging/site_packages.py", *words).strip()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert told("/opt/tools") == f"/opt/tools/lib/{version}/site-packages"
    assert told() == sysconfig.get_path("platlib")
    assert told(sys.prefix) == sysconfig.get_path("platlib")
    assert told("~/.local") == os.path.expanduser(f"~/.local/lib/{version}/site-packages")


def test_install_for_an_interpreter_that_was_not_built_for_is_refused(tmp_path):
    other = tmp_path / "python3"
    other.write_text(f"#!/bin/sh\ncase $2 in *EXT_SUFFIX*) echo .cpython-999.so;; *) exec {sys.executable} \"$@\";; esac\n")
    other.chmod(0o755)
    told = run("make", "install", f"BUILD={BUILD}", f"DESTDIR={tmp_path}/root", f"PYTHON={other}", status=2)
    assert "was built for" in told and not (tmp_path / "root").exists()


def test_version_is_one():
    """CITATION.cff and the recipe cannot ask the header."""
    version = re.search('PKWRAP_VERSION "(.*)"', (ROOT / "lib/include/pkwrap_version.h").read_text())[1]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'version = "{version}"' in (ROOT / "tests/examples/packaging/conda/meta.yaml").read_text()
