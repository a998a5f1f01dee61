"""What CuPy has beyond plain functions: objects that are indexed, and classes that wrap functions."""

import numpy as np

from pkwrap.emulator.cupy import _arrays
from pkwrap.emulator.cupy._call import call, forwarded, refuse_host_arrays, rows, ufunc


def add_functions(namespace, table, module):
    """Adds the functions of a table of _names.py that this NumPy has to a module's names. Returns the list of them."""
    made = {name: forwarded(getattr(module, name), name, words) for name, words in rows(table) if hasattr(module, name)}
    namespace.update(made)
    return list(made)


def add_ufuncs(namespace, names):
    for name in names.split():
        if hasattr(np, name):
            namespace[name] = ufunc(getattr(np, name), name)


class Indexed:
    """An object of NumPy that makes arrays of what stands between brackets: r_, mgrid and their like."""

    def __init__(self, maker):
        self._maker = maker

    def __getitem__(self, key):
        refuse_host_arrays(key)
        return call(self._maker.__getitem__, (key,))


class broadcast:
    """Device arrays as views of one shape: `values`."""

    __module__ = "pkwrap.emulator.cupy"

    def __init__(self, *arrays):
        refuse_host_arrays(arrays)
        on_device = [array for array in arrays if isinstance(array, _arrays.ndarray)]
        self.shape = np.broadcast_shapes(*(array.shape for array in on_device))
        self.values = tuple(
            call(np.broadcast_to, (array, self.shape), views=True) if isinstance(array, _arrays.ndarray) else array
            for array in arrays
        )

    @property
    def nd(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))


class vectorize:
    """A function of numbers as one of device arrays. Unlike CuPy's it is called, not translated."""

    __module__ = "pkwrap.emulator.cupy"

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if doc is not None or excluded is not None or cache or signature is not None:
            raise NotImplementedError("of vectorize's parameters only pyfunc and otypes are supported")
        self.pyfunc = pyfunc
        self.__doc__ = pyfunc.__doc__
        self._function = np.vectorize(pyfunc, otypes=otypes)

    def __call__(self, *args):
        refuse_host_arrays(args)
        return call(self._function, args)


def as_strided(x, shape=None, strides=None):
    """A view with any shape and strides that stays inside the memory of `x`."""
    shape = x.shape if shape is None else tuple(shape)
    strides = x.strides if strides is None else tuple(strides)
    return x._sibling(x.offset, shape, x.dtype, strides)


def as_is(kernel):
    """Where CuPy translates a function, here it is called."""
    return kernel
