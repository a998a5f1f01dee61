"""`pkwrap generate`: two files for other build systems, and how those compile them."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

TOOL = os.environ["PKWRAP_TOOL"]
AXPY = Path(__file__).resolve().parent.parent / "golden" / "axpy"


@pytest.fixture
def folder(tmp_path):
    for path in AXPY.glob("axpy.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def generate(folder, *options, status=0):
    done = subprocess.run([TOOL, "generate", *map(str, options)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done


def test_it_writes_two_files_and_says_so(folder):
    assert generate(folder, "axpy.json").stdout == "axpy: wrote axpy_wrap.c and axpy.pyi\n"
    assert generate(folder, "axpy.json").stdout == "axpy: up to date: axpy_wrap.c and axpy.pyi\n"
    assert not (folder / ".pkwrap").exists()
    out = folder / "new" / "out"
    assert generate(folder, "-q", "-o", out, "axpy.json").stdout == ""
    assert sorted(path.name for path in out.iterdir()) == ["axpy.pyi", "axpy_wrap.c"]


def test_files_are_not_touched_when_nothing_changes(folder):
    generate(folder, "axpy.json")
    before = [(folder / name).stat().st_mtime_ns for name in ("axpy_wrap.c", "axpy.pyi")]
    generate(folder, "axpy.json")
    assert before == [(folder / name).stat().st_mtime_ns for name in ("axpy_wrap.c", "axpy.pyi")]


@pytest.mark.parametrize("name", ["axpy_wrap.c", "axpy.pyi"])
def test_somebody_elses_file_is_not_replaced(folder, name):
    (folder / name).write_text("mine\n")
    done = generate(folder, "axpy.json", status=1)
    assert done.stderr.startswith(f"{name}:1:1: error: this file was not written by pkwrap")
    assert (folder / name).read_text() == "mine\n"


def test_depfile_and_stamp(folder):
    generate(folder, "--depfile", "axpy.d", "--stamp", "axpy.stamp", "axpy.json")
    rule = (folder / "axpy.d").read_text().split("\n\n")[0].replace("\\\n", " ").split()
    assert rule == ["axpy.stamp:", "axpy.json", "axpy.h"]
    assert (folder / "axpy.stamp").exists()
    done = generate(folder, "--depfile", "axpy.d", "axpy.json", "axpy.json", status=2)
    assert done.stderr == "pkwrap: error: --depfile goes with one manifest, not with several\n"


def test_another_build_system_can_compile_it(folder):
    """With what -h of generate says: the package's folders, asked from Python."""

    def ask(option):
        return subprocess.run([sys.executable, "-m", "pkwrap", option], check=True, capture_output=True, text=True).stdout.strip()

    generate(folder, "axpy.json")
    library = ask("--library")
    includes = ["-I", ask("--include"), "-I", sysconfig.get_path("include")]
    subprocess.run(
        ["gcc", *os.environ.get("CFLAGS", "").split(), "-shared", "-fPIC", *includes,
         "-o", "axpy.so", "axpy_wrap.c", "axpy.c", f"{library}/libpkwrap.so.1", f"-Wl,-rpath,{library}"],
        cwd=folder, check=True,
    )
    code = "import axpy, numpy; y = numpy.ones(2); axpy.axpy(2.0, numpy.ones(2), y); print(y.sum())"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout == "6.0\n"


def test_check_tells_a_stale_file_with_its_line(folder):
    generate(folder, "axpy.json")
    assert subprocess.run([TOOL, "check", "axpy.json"], cwd=folder).returncode == 0
    header = (folder / "axpy.h").read_text()
    (folder / "axpy.h").write_text(header.replace("y += a*x", "y += x*a"))
    done = subprocess.run([TOOL, "check", "axpy.json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert [line.split(": error: ")[0].rsplit(":", 2)[0] for line in done.stderr.splitlines()] == ["axpy_wrap.c", "axpy.pyi"]
    assert all("generated file is stale" in line for line in done.stderr.splitlines())
    generate(folder, "axpy.json")
    assert subprocess.run([TOOL, "check", "axpy.json"], cwd=folder).returncode == 0
