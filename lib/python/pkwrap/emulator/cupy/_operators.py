"""The operators and computing methods of ndarray: NumPy's, on the host. Importing this adds them to the class."""

import numpy as np

from pkwrap.emulator.cupy import _arrays
from pkwrap.emulator.cupy._call import forwarded, rows, ufunc
from pkwrap.emulator.cupy._names import METHODS

_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
_NOT_IN_PLACE = {"matmul": np.matmul, "divmod": np.divmod}
_COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}

_KNOWN = (_arrays.ndarray, np.ndarray, np.generic, bool, int, float, complex)


def _is_known(other):
    return isinstance(other, _KNOWN)


def _binary(function):
    return lambda self, other: function(self, other) if _is_known(other) else NotImplemented


def _reflected(function):
    return lambda self, other: function(other, self) if _is_known(other) else NotImplemented


def _in_place(function):
    return lambda self, other: function(self, other, self) if _is_known(other) else NotImplemented


def _unary(function):
    return lambda self: function(self)


def _add_operators(array):
    for name, function in {**_BINARY, **_NOT_IN_PLACE, **_COMPARISONS}.items():
        setattr(array, f"__{name}__", _binary(ufunc(function, function.__name__)))
    for name, function in {**_BINARY, **_NOT_IN_PLACE}.items():
        setattr(array, f"__r{name}__", _reflected(ufunc(function, function.__name__)))
    for name, function in _BINARY.items():
        setattr(array, f"__i{name}__", _in_place(ufunc(function, function.__name__)))
    for name, function in _UNARY.items():
        setattr(array, f"__{name}__", _unary(ufunc(function, function.__name__)))
    array.__hash__ = None


def _scatter(function):
    scatter = ufunc(function, function.__name__)
    return lambda self, slices, value: scatter.at(self, slices, value)


def _add_methods(array):
    for name, words in rows(METHODS):
        function = getattr(np.ndarray, name, None) or getattr(np, name)  # ptp is no method since NumPy 2
        setattr(array, name, forwarded(function, name, words, method=True))
    array.scatter_add, array.scatter_max, array.scatter_min = map(_scatter, (np.add, np.maximum, np.minimum))
    array.toDlpack = lambda self: self.__dlpack__()


_add_operators(_arrays.ndarray)
_add_methods(_arrays.ndarray)
