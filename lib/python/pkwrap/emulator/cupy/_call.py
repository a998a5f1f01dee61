"""Calls of NumPy on device arrays: operands to the host, results back, and what CuPy refuses."""

import numpy as np

from pkwrap.emulator.cupy import _arrays
from pkwrap.emulator.cupy._host import HostMemory
from pkwrap.emulator.cupy._keys import wrapped_key
from pkwrap.emulator.cupy._names import ANSWERS, DEFAULTS, NOT_GIVEN, VIEWS


def call(function, args=(), keywords=None, *, views=False, answers=False):
    """function(*args, **keywords) with host arrays of the same layout for device arrays, also in tuples, lists, dictionaries and
    slices.

    What it changes goes back to the device. A result that is an operand's host array is that operand, one that lies in an
    operand's memory is a view of it, and any other is a new device array; so are numbers, unless they are `answers`. With
    views=True the function is tried without the elements first: it is one that needs none where it makes a view.
    """
    keywords = keywords or {}
    arrays = []
    _gather((args, keywords), arrays)
    if views and arrays:
        host = HostMemory(arrays, load=False)
        try:
            result = function(*_to_host(args, host), **_to_host(keywords, host))
        except Exception:  # told again below, with the elements
            pass
        else:
            if _is_all_views(result, host):
                return _to_device(result, host, answers)
    host = HostMemory(arrays)
    try:
        result = function(*_to_host(args, host), **_to_host(keywords, host))
    finally:
        host.store()  # also what a function wrote before it failed
    return _to_device(result, host, answers)


def _gather(value, arrays):
    """Appends the device arrays in `value`."""
    if isinstance(value, _arrays.ndarray):
        arrays.append(value)
    elif isinstance(value, (tuple, list)):
        for entry in value:
            _gather(entry, arrays)
    elif isinstance(value, dict):
        _gather(list(value.values()), arrays)
    elif isinstance(value, slice):
        _gather((value.start, value.stop, value.step), arrays)


def _to_host(value, host):
    """`value` with the host's arrays for device arrays, and with functions that get device arrays when NumPy calls them."""
    if isinstance(value, _arrays.ndarray):
        return host.views[id(value)]
    if type(value) in (tuple, list):
        return type(value)(_to_host(entry, host) for entry in value)
    if type(value) is dict:
        return {key: entry if callable(entry) else _to_host(entry, host) for key, entry in value.items()}
    if isinstance(value, slice):
        return slice(_to_host(value.start, host), _to_host(value.stop, host), _to_host(value.step, host))
    if callable(value) and not isinstance(value, (type, np.ufunc)) and not hasattr(value, "read"):
        return _on_device(value)
    return value


def _on_device(function):
    """A function for NumPy to call with host arrays: `function` gets device arrays, and what it changes is changed on the host."""

    def called(*args, **keywords):
        devices = [_arrays.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        result = function(*devices, **keywords)
        for arg, device in zip(args, devices):
            if isinstance(arg, np.ndarray) and arg.flags.writeable:
                arg[...] = device.get()
        return result.get() if isinstance(result, _arrays.ndarray) else result

    return called


def _is_all_views(value, host):
    if isinstance(value, np.ndarray):
        return host.device_array(value) is not None
    if isinstance(value, (tuple, list)):
        return all(_is_all_views(entry, host) for entry in value)
    return not isinstance(value, np.generic)


_PLAIN = (str, bytes, type, np.dtype, type(None))


def _to_device(value, host, answers):
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray:
            raise TypeError(f"there is no {type(value).__name__} on a device")
        made = host.device_array(value)
        return _arrays.array(value) if made is None else made
    if isinstance(value, (tuple, list)):
        entries = [_to_device(entry, host, answers) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    if isinstance(value, dict):
        return {key: _to_device(entry, host, answers) for key, entry in value.items()}
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return value if answers else _arrays.array(value)
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(f"a result of type {type(value).__name__} cannot be on a device")


# --- what CuPy refuses ------------------------------------------------------------------------------------------------


def refuse(value):
    raise TypeError(f"Unsupported type {type(value)}: device arrays and numbers only")


def refuse_host_arrays(value):
    """TypeError for a host array, also in tuples, lists, dictionaries and slices."""
    if isinstance(value, np.ndarray):
        refuse(value)
    elif isinstance(value, (tuple, list)):
        for entry in value:
            refuse_host_arrays(entry)
    elif isinstance(value, dict):
        refuse_host_arrays(list(value.values()))


def refuse_all_but_arrays(value):
    """TypeError for what is neither a device array nor a number."""
    if value is not None and not isinstance(value, (_arrays.ndarray, np.generic, bool, int, float, complex)):
        refuse(value)


def _refuse_all_but_sequences_of_arrays(value):
    for entry in value:
        if not isinstance(entry, _arrays.ndarray):
            raise TypeError(f"Unsupported type {type(entry)}: device arrays only")


def _allow(value):
    pass


_CHECKS = {"!": refuse_all_but_arrays, "@": _refuse_all_but_sequences_of_arrays, "?": _allow}


class Parameters:
    """CuPy's parameters of one function, from a row of _names.py."""

    def __init__(self, name, words):
        self.name = name
        self.names, self.checks = [], {}  # those that may be positional; what is checked of each
        self.rest = self.others = None  # the checks of *args and **keywords, where there are such
        keyword_only = False
        for word in words:
            check = _CHECKS.get(word[-1])
            bare = word.rstrip("!@?").lstrip("*")
            check = check or refuse_host_arrays
            if word.startswith("**"):
                self.others = check
            elif word.startswith("*"):
                keyword_only = True
                if bare:
                    self.rest = check
            else:
                self.checks[bare] = check
                if not keyword_only:
                    self.names.append(bare)

    def bind(self, args, keywords):
        """What NumPy is given: arguments by position as far as they go in CuPy's order, which is NumPy's, then keywords."""
        given = dict(zip(self.names, args))
        rest = args[len(self.names) :]
        if rest and self.rest is None:
            raise TypeError(f"{self.name}() takes {len(self.names)} positional arguments but {len(args)} were given")
        for name, value in keywords.items():
            if name in given:
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            if name not in self.checks and self.others is None:
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{name}'")
            given[name] = value
        for name, value in given.items():
            self.checks.get(name, self.others)(value)
        for value in rest:
            self.rest(value)
        for name in NOT_GIVEN.get(self.name, ()):
            if name in given and given[name] is None:
                del given[name]
        given = {**DEFAULTS.get(self.name, {}), **given}
        positional = []
        for name in self.names:
            if name not in given or (name == "dtype" and self.name in _ADAPTED):
                break
            positional.append(given.pop(name))
        return (*positional, *rest), given


def forwarded(function, name, words, *, method=False):
    """`function` of NumPy on device arrays, with CuPy's parameters: a function, or a method of arrays."""
    parameters = Parameters(name, ["self", *words] if method else words)
    views, answers = name in VIEWS, name in ANSWERS
    adapt = _ADAPTED.get(name)

    def forward(*args, **keywords):
        args, keywords = parameters.bind(args, keywords)
        if adapt is not None:
            return adapt(function, args, keywords)
        return call(function, args, keywords, views=views, answers=answers)

    forward.__name__ = name
    forward.__qualname__ = f"ndarray.{name}" if method else name
    forward.__module__ = _arrays.ndarray.__module__
    forward.__doc__ = f"{name}({', '.join(word.rstrip('!@?') for word in words)})\n\nNumPy's {name} on device arrays."
    return forward


def _of_another_type(function, args, keywords):
    """argmax and its like: NumPy's have no dtype."""
    dtype, out = keywords.pop("dtype", None), keywords.get("out")
    result = call(function, args, keywords)
    return result if dtype is None or out is not None else result.astype(dtype)


def _along_axis(function, args, keywords):
    """Indices along an axis wrap around, as all indices that are arrays."""

    def wrapped(array, indices, *rest, axis):
        extent = array.size if axis is None else array.shape[axis]
        return function(array, indices % extent if extent else indices, *rest, axis=axis)

    *args, axis = args if "axis" not in keywords else (*args, keywords.pop("axis"))
    return call(wrapped, args, {"axis": axis, **keywords})


_ADAPTED = {
    **dict.fromkeys(("argmax", "argmin", "nanargmax", "nanargmin"), _of_another_type),
    **dict.fromkeys(("take_along_axis", "put_along_axis"), _along_axis),
}


def rows(table):
    """The rows of a table of _names.py: (name, words)."""
    for line in table.strip().splitlines():
        name, *words = line.split()
        yield name, words


# --- ufuncs -----------------------------------------------------------------------------------------------------------


class ufunc:
    """A function of NumPy, element by element, on device arrays and numbers."""

    __module__ = "pkwrap.emulator.cupy"

    _AT = ("add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")
    _KEYWORDS = ("out", "dtype", "casting", "where")

    def __init__(self, function, name):
        self._function = function
        self.__name__ = name
        self.__doc__ = f"NumPy's {name} on device arrays and numbers."

    @property
    def name(self):
        return f"cupy_{self.__name__}"

    def __getattr__(self, name):
        if name in ("nin", "nout", "nargs", "types"):
            return getattr(self._function, name)
        raise AttributeError(f"'ufunc' object has no attribute {name!r}")

    def __repr__(self):
        return f"<ufunc 'cupy_{self.__name__}'>"

    def __call__(self, *args, **keywords):
        for name in keywords:
            if name not in self._KEYWORDS:
                raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{name}'")
        for value in (*args, keywords.get("where")):
            refuse_all_but_arrays(value)
        _check_out(keywords.get("out"))
        if isinstance(self._function, np.ufunc):
            _check_out(args[self._function.nin :])
            return call(self._function, args, keywords)
        out = keywords.pop("out", args[1] if len(args) == 2 else None)
        if keywords:
            raise TypeError(f"{self.__name__}() takes no {next(iter(keywords))} here")
        result = call(self._function, args[:1])
        if out is None:
            return result
        call(np.copyto, (out, result))
        return out

    def outer(self, first, second, **keywords):
        return self(first.reshape(*first.shape, *[1] * np.ndim(second)), second, **keywords)

    def at(self, a, indices, b=None):
        if self.__name__ not in self._AT:
            raise NotImplementedError(f"`{self.name}.at` is not supported yet")
        refuse_all_but_arrays(b)
        call(lambda a, key, b: self._function.at(a, wrapped_key(a.shape, key), b), (a, indices, b))

    def _reduced(self, method, names, array, keywords):
        if self.__name__ not in names:
            raise NotImplementedError(f"`{self.name}.{method}` is not supported yet")
        refuse_all_but_arrays(array)
        _check_out(keywords["out"])
        return call(getattr(self._function, method), (array,), keywords)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        return self._reduced("reduce", ("add", "multiply"), array, {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims})

    def accumulate(self, array, axis=0, dtype=None, out=None):
        return self._reduced("accumulate", ("add", "multiply"), array, {"axis": axis, "dtype": dtype, "out": out})

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        return self._reduced("reduceat", ("add",), array, {"indices": indices, "axis": axis, "dtype": dtype, "out": out})


def _check_out(out):
    for target in out if isinstance(out, tuple) else (out,):
        if target is not None and not isinstance(target, _arrays.ndarray):
            raise TypeError(f"return arrays must be device arrays, not {type(target)}")
