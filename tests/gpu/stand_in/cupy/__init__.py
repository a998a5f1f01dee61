"""A stand-in for CuPy that has CuPy's names and no other (names.json), over the emulator's arrays: what the tests use of the
emulator and CuPy does not have fails here. Its arrays are of a class that pkwrap takes for CuPy's own and reads by its fields.
"""

import json
import sys
import types
from pathlib import Path

from pkwrap import backend as _backend
from pkwrap.emulator import cupy as _emulated

_CUPY = json.loads((Path(__file__).parent / "names.json").read_text())
__version__ = _CUPY["version"] + " (a stand-in for tests)"


def _bare(value, given):
    """`value` with the emulator's arrays for those of the stand-in, also in tuples, lists and slices; they are noted in `given`."""
    if isinstance(value, _ndarray_base):
        given[id(value._array)] = value
        return value._array
    if type(value) in (tuple, list):
        return type(value)(_bare(entry, given) for entry in value)
    if isinstance(value, slice):
        return slice(*(_bare(entry, given) for entry in (value.start, value.stop, value.step)))
    return value


def _wrapped(value, given):
    """The opposite; an array that was given is the caller's own object."""
    if isinstance(value, _emulated.ndarray):
        return given[id(value)] if id(value) in given else ndarray._of(value)
    if type(value) in (tuple, list):
        return type(value)(_wrapped(entry, given) for entry in value)
    return value


def _forwarding(function):
    def call(*args, **keywords):
        given = {}
        args = [_bare(arg, given) for arg in args]
        return _wrapped(function(*args, **{name: _bare(value, given) for name, value in keywords.items()}), given)

    return call


class _ndarray_base:
    """Fields and methods of an array: CuPy's extension type."""

    __slots__ = ("_array",)
    __array_priority__ = 100
    __hash__ = None

    def __getattr__(self, name):
        if name not in _CUPY["names"]["ndarray"]:
            raise AttributeError(f"'ndarray' object has no attribute {name!r}")
        found = getattr(self._array, name)
        return _forwarding(found) if callable(found) else _wrapped(found, {})

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return _forwarding(self._array.__array_ufunc__)(ufunc, method, *inputs, **keywords)

    def __array_function__(self, function, _types, args, keywords):
        return _forwarding(function)(*args, **keywords)


_SPECIAL = (
    "abs add and array bool complex dlpack dlpack_device eq float floordiv ge getitem gt iadd iand ifloordiv imod"
    " imul int invert ior ipow irshift isub itruediv ixor le len lshift lt matmul mod mul ne neg or pos pow radd rand"
    " rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor setitem str sub truediv xor repr"
).split()


def _special(name):
    def method(self, *args, **keywords):
        return _forwarding(getattr(_emulated.ndarray, name))(self, *args, **keywords)

    return method


for _name in _SPECIAL:
    if hasattr(_emulated.ndarray, f"__{_name}__"):
        setattr(_ndarray_base, f"__{_name}__", _special(f"__{_name}__"))
_ndarray_base.__iter__ = lambda self: (self[i] for i in range(len(self)))
_ndarray_base.__module__ = "cupy._core.core"
_ndarray_base.__name__ = "cupy._core.core._ndarray_base"  # an extension type's name holds its module


class ndarray(_ndarray_base):
    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        self._array = _emulated.ndarray(shape, dtype, memptr, strides, order)

    @classmethod
    def _of(cls, array):
        made = cls.__new__(cls)
        made._array = array
        return made


def _module(name):
    """The emulator's module or class `name` with CuPy's names only."""
    found = _emulated
    for part in name.split("."):
        found = getattr(found, part)
    module = types.ModuleType(f"cupy.{name}")

    def __getattr__(attribute):
        if attribute not in _CUPY["names"][name]:
            raise AttributeError(f"CuPy has no {name}.{attribute}")
        value = getattr(found, attribute)
        return value if isinstance(value, type) else _forwarding(value) if callable(value) else value

    module.__getattr__ = __getattr__
    sys.modules[module.__name__] = module
    return module


cuda, random = _module("cuda"), _module("random")
cuda.runtime = _module("cuda.runtime")
_emulated.cuda.Stream.null.ptr = 0  # CuPy's handle of the legacy default stream
_backend._cupy = sys.modules[__name__]  # not the emulator's own, which the emulated device brings with it


def __getattr__(name):
    if name.startswith("_") or name not in _CUPY["names"][""]:
        raise AttributeError(f"module 'cupy' has no attribute {name!r}")
    found = getattr(_emulated, name)
    if isinstance(found, (type, types.ModuleType)) or not callable(found):
        return found
    return _forwarding(found)
