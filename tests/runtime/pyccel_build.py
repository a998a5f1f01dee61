"""Builds the Pyccel modules of the tests, once for each content of their source, and the wrapper modules over them."""

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
# Pyccel compiles with what is in the environment; its own objects are not instrumented. It names its folder after
# pytest's worker, where there is one.
HIDDEN = ("LD_PRELOAD", "CFLAGS", "LDFLAGS", "CC", "PYTEST_XDIST_WORKER")
PLAIN = {name: value for name, value in os.environ.items() if name not in HIDDEN}


def compile_in(folder, source, language):
    """Compiles the Python source `source`, a file name, in the folder where it lies."""
    tool = shutil.which("pyccel", path=str(Path(sys.executable).parent))
    if tool is None:
        pytest.skip("needs Pyccel beside the interpreter")
    if language == "fortran" and shutil.which("gfortran") is None:
        pytest.skip("needs gfortran")
    done = subprocess.run(
        [tool, "compile", "--language", language, source], cwd=folder, env=PLAIN, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def compiled(source, language):
    """The folder with the compiled module of a Python source and its stub, kept between runs."""
    key = hashlib.sha256(source.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = Path(os.environ["PKWRAP_BUILD"]).resolve() / "pyccel" / f"{source.stem}-{language}-{key}"
    if folder.exists():
        return folder
    work = folder.with_name(f"{folder.name}.{os.getpid()}")
    work.mkdir(parents=True)
    shutil.copy(source, work)
    compile_in(work, source.name, language)
    try:
        work.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(work)
    return folder


def wrapped(folder, source, language, name=None, outputs=None, constant=()):
    """Copies a compiled module into `folder`, and builds and imports its wrapper. The pair of both modules.

    The manifest is what `init` writes, but for the kernels in `outputs`, {kernel: declared outputs}, and what is declared constant.
    """
    name = name or f"{source.stem}_{language}"  # a name of its own, so that both languages can be imported in one process
    for entry in compiled(source, language).iterdir():
        if entry.is_dir():
            shutil.copytree(entry, folder / entry.name)
        else:
            shutil.copy(entry, folder)
    tool = os.environ["PKWRAP_TOOL"]
    manifest = subprocess.run(
        [tool, "init", f"__pyccel__/{source.stem}.pyi", source.name, "--extension", source.stem],
        cwd=folder, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    manifest = json.loads(manifest)
    manifest["module"] = name
    for kernel, declared in (outputs or {}).items():
        entry = manifest["kernels"][kernel]
        for output in set(entry["outputs"]) - set(declared):  # a write that is proven needs a reason
            entry.setdefault("params", {}).setdefault(output, {})["read_only"] = "the test wants it undeclared"
        entry["outputs"] = declared
    if constant:
        manifest["constant"] = list(constant)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    subprocess.run([tool, "build", "-q", "--python", sys.executable, "manifest.json"], cwd=folder, check=True)
    sys.path.insert(0, str(folder))
    sys.modules.pop(source.stem, None)
    try:
        return importlib.import_module(name), importlib.import_module(source.stem)
    finally:
        sys.path.remove(str(folder))
