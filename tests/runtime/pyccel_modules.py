"""Modules compiled by the real Pyccel, kept between test runs, and the wrappers that pkwrap builds for them."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

TOOL = os.environ["PKWRAP_TOOL"]
CACHE = Path(os.environ["PKWRAP_BUILD"]).resolve() / "pyccel"
# Compilers and Pyccel are not run under a sanitizer's preloaded library, nor given its flags.
PLAIN = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "CFLAGS", "LDFLAGS", "CC")}


def run(command, folder, environment=None):
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def compiled(source, language):
    """The folder with `source`, its compiled module and its stub (in __pyccel__). Two runs at once compile it once."""
    key = hashlib.sha256(f"{version('pyccel')} {sys.version} {language}".encode() + source.read_bytes()).hexdigest()[:16]
    folder = CACHE / f"{source.stem}-{language}-{key}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            work = CACHE / f"{folder.name}.work"
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            shutil.copy(source, work)
            pyccel = Path(sys.executable).parent / "pyccel"
            run([pyccel, "compile", "--language", language, source.name], work, PLAIN)
            work.rename(folder)
    return folder


def wrapped(source, language, output, change=None):
    """Compiles, writes a manifest with `pkwrap init`, lets `change` edit it, builds it into `output`, and returns that."""
    folder = compiled(source, language)
    for name in ("__pyccel__", source.name):
        copy = shutil.copytree if (folder / name).is_dir() else shutil.copy
        copy(folder / name, output / name)
    for extension in folder.glob(f"{source.stem}.*.so"):
        shutil.copy(extension, output)
    manifest = output / f"{source.stem}_pkwrap.json"
    stub = output / "__pyccel__" / f"{source.stem}.pyi"
    python = ["--python", sys.executable]
    run([TOOL, "init", *python, "-o", manifest, stub, output / source.name], output)
    if change is not None:
        manifest.write_text(change(manifest.read_text()))
    run([TOOL, "build", "-q", *python, manifest], output)
    return output
