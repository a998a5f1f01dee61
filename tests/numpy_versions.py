"""numpy_versions.py - each NumPy that is supported: the library is built with its headers, and modules run on it.

    make check-numpy        (python tests/numpy_versions.py FOLDER, in make's environment; fetches NumPy, pytest and hypothesis)

For each version two builds run the tests of modules, PyccelKernel and the emulator: the one under test, whose headers are
those of NumPy 2, and one whose headers are that version's own. A version without a wheel for this Python is named and passed
over; that none is left is a failure.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The oldest, those whose headers differ, the oldest of NumPy 2; the newest is the one that `make check` uses.
VERSIONS = ["1.23.5", "1.24.4", "1.26.4", "2.0.2"]
# What needs NumPy, pytest and hypothesis only.
TESTS = ["test_modules_*.py", "test_kernel_[acr]*.py", "test_emulator_cupy.py"]
NEEDS_PYCCEL = "test_kernel_compiled.py"


def environment_with(version, folder):
    """A Python with this NumPy; None where there is no wheel of it."""
    python, ready = folder / version / "bin/python", folder / version / "ready"
    pins = re.findall(r"^(?:pytest|hypothesis)==\S+$", (ROOT / "tests/requirements/check.txt").read_text(), re.MULTILINE)
    if not ready.exists() or ready.read_text().split() != pins:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder / version], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:",
                               f"numpy=={version}", *pins], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            if "No matching distribution found" in done.stdout:
                return None
            sys.exit(done.stdout)
        ready.write_text("\n".join(pins))
    return python


def build_with(python, folder):
    """The package, built with the headers of this Python's NumPy; its build folder."""
    build = folder / f"build-{python.parent.parent.name}"
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "-s", "OFFLINE=1", f"VENV={python.parent.parent}", f"BUILD={build}", "package"], cwd=ROOT, env=alone,
                   stdout=subprocess.DEVNULL, check=True)
    return build


def run_tests(python, build):
    """True if all pass."""
    files = [str(path) for pattern in TESTS for path in sorted((ROOT / "tests/runtime").glob(pattern)) if path.name != NEEDS_PYCCEL]
    variables = os.environ | {"PYTHONPATH": str(build / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], cwd=ROOT, env=variables,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    print(f"    {done.stdout.strip().splitlines()[-1]}", flush=True)
    return done.returncode == 0


def main():
    folder = Path(sys.argv[1]).resolve()
    plain = Path(os.environ["PKWRAP_BUILD"]).resolve()
    good = []
    for version in VERSIONS:
        python = environment_with(version, folder)
        if python is None:
            print(f"NumPy {version}: no wheel for this Python")
            continue
        for build, headers in ((plain, "of the build"), (build_with(python, folder), "its own")):
            print(f"NumPy {version}, headers: {headers}", flush=True)
            good.append(run_tests(python, build))
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
