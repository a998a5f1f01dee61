"""Fixtures of the runtime tests: the module of test kernels, built by the tool under test."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from build_project import Project

DATA = Path(__file__).parent / "data"
# What `make check-gpu` sets (tests/gpu/check.py): real CuPy instead of the emulator, and that under compute-sanitizer.
ON_DEVICE = os.environ.get("PKWRAP_TEST_DEVICE") == "cupy"
SANITIZED = bool(os.environ.get("PKWRAP_TEST_SANITIZED"))
collect_ignore = [] if ON_DEVICE else ["on_device"]


def build_module(manifest, folder):
    """Builds a manifest with the tool into `folder` and imports the module."""
    subprocess.run(
        [os.environ["PKWRAP_TOOL"], "build", "-q", "--python", sys.executable, str(manifest), "-o", str(folder)], check=True
    )
    (library,) = Path(folder).glob("*" + sysconfig.get_config_var("EXT_SUFFIX"))
    name = library.name.split(".")[0]
    spec = importlib.util.spec_from_file_location(name, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def kernels_folder(tmp_path_factory):
    """Where the module `runtime_kernels` lies, for tests that import it in a process of their own."""
    return tmp_path_factory.mktemp("runtime_kernels")


@pytest.fixture(scope="session")
def kernels(kernels_folder):
    return build_module(DATA / "kernels.json", kernels_folder)


@pytest.fixture
def project(tmp_path):
    """A module's sources, to be built; nothing is built yet."""
    return Project(tmp_path / "project")


@pytest.fixture(params=[False, True], ids=["writable", "read_only"])
def given(request):
    """What a test puts around each array that is only read: the test runs again with all of them read-only (F10)."""

    def given_array(array):
        if request.param:
            array = array.view()
            array.flags.writeable = False
        return array

    return given_array


@pytest.fixture
def python():
    """Runs Python code in a fresh interpreter; returns what it printed. A failure shows its standard error."""

    def run(code, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def swapped(array):
    """The same values in the other byte order."""
    return array.astype(array.dtype.newbyteorder())


def misaligned(array):
    """The same values at an odd address."""
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert array.dtype.itemsize == 1 or not view.flags.aligned
    return view


@pytest.fixture(scope="session")
def xp():
    """The device module: CuPy where PKWRAP_TEST_DEVICE says so, else its stand-in on the emulator."""
    if ON_DEVICE:
        import cupy

        if SANITIZED:
            cupy.cuda.set_allocator(None)  # no pool: an allocation for each array, with bounds that CUDA knows
    else:
        from pkwrap.emulator import cupy

    return cupy


def pytest_collection_modifyitems(items):
    """Under compute-sanitizer, which is slow, only what uses the device runs."""
    if SANITIZED:
        items[:] = [item for item in items if "xp" in item.fixturenames]


@pytest.fixture
def counted():
    """Counts the transfers of a test: bytes each way, as pkwrap.count_transfers does."""
    import pkwrap

    with pkwrap.count_transfers() as counter:
        yield counter


@pytest.fixture
def emulator():
    """pkwrap.emulator, for tests that steer it: skipped on a real device."""
    if ON_DEVICE:
        pytest.skip("needs the emulator")
    import pkwrap.emulator

    return pkwrap.emulator


@pytest.fixture(autouse=True)
def no_violations():
    """Fails a test that broke one of the emulator's rules."""
    yield
    module = sys.modules.get("pkwrap.emulator")
    if module is not None:
        module.settle()
        module.check()
        broken, text = module.counters()["violations"], module.last_violation()
        module.reset_counters()
        assert broken == 0, text
