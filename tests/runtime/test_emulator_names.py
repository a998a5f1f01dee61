"""The names of the emulator's CuPy are CuPy's: those recorded in tests/gpu/stand_in, and its own where it is installed."""

import inspect
import json
from pathlib import Path

import pytest
from pkwrap.emulator.cupy import _names

from pkwrap import emulator  # isort: skip

RECORDED = json.loads((Path(__file__).parent.parent / "gpu/stand_in/cupy/names.json").read_text())["names"]
# Not of CuPy's modules themselves: submodules here, and what Python gives every object.
OURS = {"lib"}


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def test_no_name_that_cupy_lacks():
    cupy = emulator.cupy
    assert set(cupy.__all__) - set(RECORDED[""]) <= {"fft", "linalg", *OURS}
    assert all(hasattr(cupy, name) for name in cupy.__all__) and len(cupy.__all__) > 400
    for module in (cupy.linalg, cupy.fft, cupy.lib.stride_tricks):
        assert public(module) == set(module.__all__) and len(module.__all__) > 1
    assert set(cupy.random.__all__) - set(RECORDED["random"]) == {"Generator"}  # not listed there, but a class that it has
    assert set(cupy.cuda.__all__) <= set(RECORDED["cuda"])


def test_no_attribute_that_cupys_arrays_lack():
    own = {"memory", "offset"}  # what its arrays are made of
    assert public(emulator.ndarray) - own <= set(RECORDED["ndarray"])
    lacking = set(RECORDED["ndarray"]) - public(emulator.ndarray)
    assert lacking == {"byteswap", "cstruct", "mdspan"}  # of kernels, and newer than what NumPy's do


def test_tables_are_cupys():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: its signatures cannot be compared")
    tables = {cupy: _names.FUNCTIONS, cupy.linalg: _names.LINALG, cupy.fft: _names.FFT}
    for module, table in tables.items():
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
    for name in _names.UFUNCS.split():
        assert isinstance(getattr(cupy, name), cupy.ufunc), name
    for name in _names.SHARED.split():
        assert hasattr(cupy, name), name
