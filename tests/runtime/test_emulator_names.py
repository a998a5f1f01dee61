"""The names of the emulator's CuPy are CuPy's: those recorded in tests/gpu/stand_in, and its own where it is installed."""

import importlib.util
import inspect
import json
from pathlib import Path

import pkwrap
import pytest

RECORDED = json.loads((Path(__file__).parent.parent / "gpu/stand_in/cupy/names.json").read_text())["names"]
OURS = {"lib", "fft", "linalg", "testing"}  # modules, which are not recorded


@pytest.fixture
def tables():
    """The tables alone: importing the package would choose the emulator, also where the tests run on a device."""
    path = Path(pkwrap.__file__).parent / "emulator/cupy/_names.py"
    spec = importlib.util.spec_from_file_location("tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def test_no_name_that_cupy_lacks(emulator):
    cupy = emulator.cupy
    assert set(cupy.__all__) - set(RECORDED[""]) <= OURS
    assert all(hasattr(cupy, name) for name in cupy.__all__) and len(cupy.__all__) > 390
    for module in (cupy.linalg, cupy.fft, cupy.lib.stride_tricks, cupy.testing):
        assert public(module) == set(module.__all__) and len(module.__all__) > 1
    assert set(cupy.random.__all__) - set(RECORDED["random"]) == {"Generator"}  # not listed there, but a class that it has
    assert set(cupy.cuda.__all__) <= set(RECORDED["cuda"])


def test_no_attribute_that_cupys_arrays_lack(emulator):
    own = {"memory", "offset"}  # what its arrays are made of
    assert public(emulator.ndarray) - own <= set(RECORDED["ndarray"])
    lacking = set(RECORDED["ndarray"]) - public(emulator.ndarray)
    assert lacking == {"byteswap", "cstruct", "mdspan"}  # of kernels, and newer than what NumPy's do


def test_tables_are_cupys(tables):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: its signatures cannot be compared")
    rows = {cupy: tables.FUNCTIONS, cupy.linalg: tables.LINALG, cupy.fft: tables.FFT}
    for module, table in rows.items():
        for line in table.strip().splitlines():
            name, *words = line.split()
            try:
                signature = inspect.signature(getattr(module, name))
            except ValueError:
                continue  # it tells none
            wanted = [
                {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "") + parameter.name
                for parameter in signature.parameters.values()
            ]
            given = [word.rstrip("!@?") for word in words if word != "*"]
            assert given == wanted, f"{module.__name__}.{name}"
    for name in tables.UFUNCS.split():
        assert isinstance(getattr(cupy, name), cupy.ufunc), name
    for name in tables.SHARED.split():
        assert hasattr(cupy, name), name
