"""Which library `pkwrap.zeros(3)` comes from, and whether kernels convert: "numpy" or "cupy" (C9 of the contract).

The backend is one for the process. Until `set_backend` is called it is cunumpy's, if cunumpy is imported, else NumPy.
"cupy" is CuPy where it can be used; with the emulated device (PKWRAP_DEVICE=emulator) it is `pkwrap.emulator.cupy`.
"""

import contextlib
import importlib
import importlib.abc
import importlib.util
import os
import sys
import warnings

import numpy

from pkwrap import _pkwrap

NAMES = ("numpy", "cupy")

_own = None  # what set_backend or use_backend said last; None: nobody did, cunumpy is followed
_followed = ("numpy", numpy)  # cunumpy's backend and the module behind it
_cupy = None  # the module for "cupy", once found
_warned = False


def _active():
    """The backend now: its name and its module."""
    if _own is None:
        return _followed
    return (_own, _cupy) if _own == "cupy" else ("numpy", numpy)


def _publish():
    """Tells the library, which looks at a flag on every call, and needs the module to make arrays with."""
    name, module = _active()
    _pkwrap.backend_select(name == "cupy", module if name == "cupy" else _cupy)


def _find_cupy():
    """The module for "cupy". Raises RuntimeError that says why there is none."""
    global _cupy
    if _cupy is None:
        if os.environ.get("PKWRAP_DEVICE") == "emulator" or _pkwrap.device_kind() == "emulator":
            _cupy = importlib.import_module("pkwrap.emulator").cupy
        else:
            _cupy = _usable_cupy()
        _publish()
    return _cupy


def _usable_cupy():
    try:
        cupy = importlib.import_module("cupy")
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # cupy has errors of its own for every way in which CUDA may be unusable
        raise RuntimeError(f"CuPy cannot be used: {type(error).__name__}: {error}") from error
    if count == 0:
        raise RuntimeError("CuPy cannot be used: there is no CUDA device")
    return cupy


def _check(name):
    if name not in NAMES:
        raise ValueError(f"the backend must be 'numpy' or 'cupy', not {name!r}")


def _available(name, strict):
    """`name`, or "numpy" where CuPy was asked for and cannot be used: with one warning, or RuntimeError if strict."""
    global _warned
    _check(name)
    if name == "numpy":
        return name
    try:
        _find_cupy()
    except RuntimeError as error:
        if strict:
            raise
        if not _warned:
            _warned = True
            warnings.warn(f"{error}; the backend is NumPy", RuntimeWarning, stacklevel=3)
        return "numpy"
    return name


def set_backend(name, *, strict=False):
    """Chooses the backend of the process: "numpy" or "cupy". From then on cunumpy's is not followed.

    Where CuPy cannot be used, NumPy is chosen instead, with one RuntimeWarning; with `strict`, RuntimeError tells why and
    the backend stays as it was. ValueError for any other name. Existing arrays stay where they are.
    """
    global _own
    _own = _available(name, strict)
    _publish()


def get_backend():
    """The name of the backend now: "numpy" or "cupy"."""
    return _active()[0]


class use_backend(contextlib.ContextDecorator):
    """Chooses the backend inside a `with` block; the one before comes back at its end, also after an exception.

    Blocks nest. Arguments and errors are those of `set_backend`.
    """

    def __init__(self, name, *, strict=False):
        _check(name)
        self._name, self._strict = name, strict
        self._before = []

    def __enter__(self):
        global _own
        chosen = _available(self._name, self._strict)
        self._before.append(_own)
        _own = chosen
        _publish()

    def __exit__(self, *exception):
        global _own
        _own = self._before.pop()
        _publish()
        return False


def array_module():
    """The module of the backend now, for attribute access: numpy, cupy or what stands for it."""
    return _active()[1]


def to_numpy(array):
    """A NumPy array with the contents of `array`.

    A device array is copied to the host (counted as a `to_host` transfer), in F order if it is F-contiguous and not
    C-contiguous, else in C order. Anything else goes through `numpy.asarray`: a NumPy array is returned as it is.
    """
    if isinstance(array, numpy.ndarray) or not is_gpu(array):
        return numpy.asarray(array)
    return _pkwrap.to_numpy(array)


def cupy_module():
    """The module for "cupy", whichever backend is active. ImportError where CuPy cannot be used."""
    try:
        return array_module() if get_backend() == "cupy" else _find_cupy()
    except RuntimeError as error:
        raise ImportError(str(error)) from error


def to_cupy(array):
    """A CuPy array (or one of what stands for CuPy) with the contents of `array`; a CuPy array is returned as it is.

    Host data are copied to the device (counted as a `to_device` transfer). ImportError where CuPy cannot be used; TypeError for an
    array that has more than a device array can hold: objects, a mask, a unit.
    """
    cupy = cupy_module()
    if isinstance(array, cupy.ndarray):
        return array
    if is_gpu(array):
        return cupy.asarray(array)
    return _pkwrap.to_cupy(numpy.asanyarray(array))


def is_gpu(array):
    """Whether `array` is an array in device memory, of whichever library."""
    return _pkwrap.is_device_array(array)


# --- following cunumpy ----------------------------------------------------------------------------------------------


def _follow(backend):
    """Takes over cunumpy's backend and hears of every change; `backend` is cunumpy.xp.array_backend."""

    def changed(module):
        global _followed
        _followed = (backend.backend, module)
        _publish()

    backend.add_listener(changed)
    changed(backend.xp)


class _CunumpyFinder(importlib.abc.MetaPathFinder):
    """Notices that cunumpy.xp is imported, so that nothing has to be looked up on a call."""

    name = "cunumpy.xp"

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _FollowingLoader(spec.loader)
        return spec


class _FollowingLoader(importlib.abc.Loader):
    """A module's own loader; afterwards its backend is followed."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _attach(module)


def _attach(module):
    backend = getattr(module, "array_backend", None)
    if hasattr(backend, "add_listener"):  # cunumpy 0.7 and newer; an older one has no way to tell
        _follow(backend)


def _start():
    module = sys.modules.get(_CunumpyFinder.name)
    if module is None:
        sys.meta_path.insert(0, _CunumpyFinder())
    else:
        _attach(module)


_start()
