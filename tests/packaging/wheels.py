"""wheels.py - a wheel of pkwrap for every interpreter from 3.10 on that is found, each tried in a clean environment.

    python tests/packaging/wheels.py FOLDER [INTERPRETER...]

The wheels run on any Linux with glibc 2.28: they are compiled by zig's C compiler for that libc, and auditwheel checks that, and
says so in their names. Interpreters: those named, else python3.N on the PATH, Debian's, and pyenv's. The build environment is
FOLDER/environment, the wheels are FOLDER/*.whl; nothing else of the machine is changed.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
OLDEST_GLIBC = "2.28"
TELL = "import sys; print(*sys.version_info[:2], sys.implementation.name, sys.base_prefix)"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\nwheels: failed")
    return done.stdout


def interpreters():
    """One program for each installed CPython from 3.10 on, by its prefix."""
    named = [shutil.which(f"python3.{minor}") for minor in range(10, 30)]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for program in [*named, "/usr/bin/python3", *sorted(pyenv.glob("3.*/bin/python3")), sys.executable]:
        told = program and Path(program).exists() and subprocess.run([program, "-c", TELL], capture_output=True, text=True)
        if told and told.returncode == 0:
            major, minor, implementation, prefix = told.stdout.split()
            if implementation == "cpython" and (int(major), int(minor)) >= (3, 10):
                found.setdefault((int(minor), prefix), str(program))
    newest = {}
    for (minor, _), program in sorted(found.items()):
        newest.setdefault(minor, program)
    return list(newest.values())


def build_environment(folder):
    """The Python program of an environment that has REQUIREMENTS."""
    stamp = folder / "ready"
    if not stamp.exists() or stamp.read_text() != REQUIREMENTS.read_text():
        venv.create(folder, clear=True, with_pip=True)
        run(folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", REQUIREMENTS)
        stamp.write_text(REQUIREMENTS.read_text())
    return folder / "bin/python"


def old_compiler(folder, python):
    """A program that compiles for OLDEST_GLIBC."""
    program = folder / "cc"
    program.write_text(f'#!/bin/sh\nexec "{python}" -m ziglang cc -target {platform.machine()}-linux-gnu.{OLDEST_GLIBC} "$@"\n')
    program.chmod(0o755)
    return program


def build(folder, interpreter, python, compiler):
    """Builds, checks and names the wheel for an interpreter. Its path."""
    with tempfile.TemporaryDirectory() as scratch:
        run(interpreter, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "-w", scratch, ROOT,
            env=os.environ | {"CC": str(compiler)})
        (plain,) = Path(scratch).glob("*.whl")
        path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
        tag = f"manylinux_{OLDEST_GLIBC.replace('.', '_')}_{platform.machine()}"
        # auditwheel fails where a symbol is too new or a library is missing. What it writes is not used: there is nothing to bring
        # along, and it would put a Python script before the tool.
        run(python, "-m", "auditwheel", "repair", "--plat", tag, "-w", scratch + "/checked", plain, env=os.environ | {"PATH": path})
        run(python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, plain)
        (tagged,) = Path(scratch).glob("*.whl")
        return Path(shutil.move(tagged, folder / tagged.name))


TRIAL = """
import os
os.environ["PKWRAP_DEVICE"] = "emulator"
import heat, numpy, pkwrap, importlib.metadata
from pkwrap.emulator import cupy
assert importlib.metadata.version("pkwrap") == pkwrap.__version__
assert heat.heat_energy(numpy.ones((3, 4)), 2.0, 0.5) == 6.0
u = cupy.zeros((8, 8)); u[4, 4] = 4.0
out = cupy.empty_like(u)
heat.heat_step(u, out, 0.25)
assert float(out.get()[4, 3]) == 1.0
print("NumPy", numpy.__version__)
"""


def clean_environment(folder, interpreter, wheel, *others):
    run(interpreter, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, *others)
    return folder / "bin"


def try_wheel(interpreter, wheel):
    """Installs a wheel into an environment that has nothing else and builds and calls a module with it."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        programs = clean_environment(scratch / "environment", interpreter, wheel)
        variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "CC")}
        for name in ("heat.h", "heat.c"):
            shutil.copy(ROOT / "tests/examples/heat" / name, scratch)
        run(programs / "pkwrap", "init", "heat.h", "heat.c", "-o", "heat.json", cwd=scratch, env=variables)
        run(programs / "pkwrap", "build", "heat.json", cwd=scratch, env=variables)
        return run(programs / "python", "-c", TRIAL, cwd=scratch, env=variables).strip()


def main(folder, *named):
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.whl"):
        old.unlink()
    python = build_environment(folder / "environment")
    compiler = old_compiler(folder, python)
    for interpreter in named or interpreters():
        wheel = build(folder, interpreter, python, compiler)
        print(f"{wheel.name}: built; installed and called with {try_wheel(interpreter, wheel)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
