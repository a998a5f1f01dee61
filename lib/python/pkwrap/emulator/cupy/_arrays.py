"""Arrays on the emulator's device memory, by the names and the rules of `cupy.ndarray`, and the functions that make them.

Views are made without a copy. Everything that computes is NumPy's, on the host (see _call.py). As with CuPy, nothing becomes a
NumPy array by itself: `get()` and `asnumpy` do that.
"""

import operator

import numpy as np

from pkwrap._pkwrap import emulator as _emulator
from pkwrap.emulator.cupy import _keys
from pkwrap.emulator.cupy._host import HostMemory
from pkwrap.emulator.cupy.cuda.device import Device
from pkwrap.emulator.cupy.cuda.memory import MemoryPointer, alloc


def _shape_of(shape):
    try:
        return tuple(operator.index(extent) for extent in shape)
    except TypeError:
        return (operator.index(shape),)


def _packed_strides(shape, itemsize, order):
    strides, step = [], itemsize
    for extent in shape if order == "F" else reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(strides if order == "F" else reversed(strides))


def _outline(array):
    """A NumPy array with the same shape and strides and no memory of its own: only for the arithmetic of views."""
    return np.lib.stride_tricks.as_strided(np.empty(1, array.dtype), array.shape, array.strides)


class Flags:
    """How an array lies in memory."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self.c_contiguous, self.f_contiguous, self.owndata = c_contiguous, f_contiguous, owndata

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        names = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata"}
        return getattr(self, names.get(name, name.lower()))

    def __repr__(self):
        return "\n".join(f"  {name.upper()} : {self[name]}" for name in ("c_contiguous", "f_contiguous", "owndata"))


class ndarray(_emulator.Array):
    """ndarray(shape, dtype=float, memptr=None, strides=None, order='C')

    `shape` is an int or a tuple; without `memptr` the memory is new and its contents are undefined.
    """

    __module__ = "pkwrap.emulator.cupy"
    __array_priority__ = 100
    base = None  # the array whose memory a view shows

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        shape, dtype = _shape_of(shape), np.dtype(dtype)
        if strides is None:
            strides = _packed_strides(shape, dtype.itemsize, order)
        if memptr is None:
            memptr = alloc(int(np.prod(shape, dtype=object)) * dtype.itemsize)
        return super().__new__(cls, memptr.mem, memptr.offset, shape, tuple(strides), dtype)

    # --- what it is ---

    def _set_shape(self, shape):
        self._set_extents(*self._extents_as(shape))

    def _extents_as(self, shape):
        """Shape and strides of the array in another shape; AttributeError where that takes a copy."""
        outline = _outline(self)
        try:
            outline = _reshaped(outline, shape)
        except ValueError as error:
            if np.prod(shape, dtype=object) == self.size:
                raise AttributeError("incompatible shape: an array of this shape needs a copy") from error
            raise
        return outline.shape, outline.strides

    shape = property(_emulator.Array.shape.__get__, _set_shape, doc=_emulator.Array.shape.__doc__)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def data(self):
        return MemoryPointer(self.memory, self.offset)

    @property
    def device(self):
        return Device(self.memory.device_id)

    @property
    def flags(self):
        flags = _outline(self).flags
        return Flags(flags.c_contiguous, flags.f_contiguous, self.base is None)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, specification):
        return format(self.get(), specification)

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed: use get()")

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # --- between host and device ---

    def get(self, stream=None, order="C", out=None, blocking=True):
        """The elements as a numpy.ndarray."""
        if stream is not None:
            with stream:
                return self.get(None, order, out)
        if out is not None:
            self._check_counterpart(out)
            out[...] = self.get()
            return out
        flags = self.flags
        if flags.c_contiguous and (order == "C" or not flags.f_contiguous):
            return np.asarray(self._get(), order=order)
        return np.array(HostMemory([self]).views[id(self)], order=order)

    def _check_counterpart(self, host):
        if not isinstance(host, np.ndarray):
            raise TypeError(f"only a numpy.ndarray can be copied from and to a device array, not {type(host)}")
        if host.dtype != self.dtype:
            raise TypeError(f"an array of {host.dtype} cannot be copied from or to one of {self.dtype}")
        if host.shape != self.shape:
            raise ValueError(f"shapes differ: {host.shape} on the host, {self.shape} on the device")

    def set(self, arr, stream=None):
        """Copies a host array of the same shape and dtype into the array, which must be contiguous."""
        if stream is not None:
            with stream:
                return self.set(arr)
        self._check_counterpart(arr)
        if not self.flags.forc:
            raise RuntimeError("a host array cannot be set to a device array that is not contiguous")
        return self._store(arr)

    def _store(self, values):
        """Copies host values, broadcast and cast, into the array."""
        host = HostMemory([self], load=False)
        host.views[id(self)][...] = values
        host.store_all()

    def item(self):
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def tobytes(self, order="C"):
        return self.get().tobytes(order)

    def tofile(self, fid, sep="", format="%s"):
        self.get().tofile(fid, sep, format)

    def dump(self, file):
        self.get().dump(file)

    def dumps(self):
        return self.get().dumps()

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __bytes__(self):
        return bytes(self.get())

    # --- views ---

    def _sibling(self, offset, shape, dtype, strides):
        """A view of the same memory, `offset` bytes after its start."""
        view = ndarray(shape, dtype, MemoryPointer(self.memory, offset), strides)
        view.base = self if self.base is None else self.base
        return view

    def _view_like(self, outline_of):
        """The view whose place and strides outline_of finds on a NumPy array of this shape."""
        outline = _outline(self)
        view = outline_of(outline)
        offset = self.offset + view.__array_interface__["data"][0] - outline.__array_interface__["data"][0]
        return self._sibling(offset if view.size else 0, view.shape, view.dtype, view.strides)

    def __getitem__(self, key):
        if _keys.is_basic(key):
            return self._view_like(lambda outline: outline[_keys.with_ellipsis(key)])
        return _call(_keys.get_elements, (self, key))

    def __setitem__(self, key, value):
        if _keys.is_basic(key):
            self[key]._fill(value)
        else:
            _call(_keys.set_elements, (self, key, value))

    def _fill(self, value):
        if not isinstance(value, ndarray):
            self.fill(value)
        elif not self._is_same(value):  # as after `x[key] += 1`
            _call(_assign, (self, value))

    def _is_same(self, other):
        return (self.data.ptr, self.shape, self.strides, self.dtype) == (other.data.ptr, other.shape, other.strides, other.dtype)

    def fill(self, value):
        """Sets every element to a number or to the one element of an array without dimensions."""
        if isinstance(value, ndarray):
            if value.shape != ():
                raise ValueError("an array with dimensions cannot be used for fill")
            _call(_assign, (self, value))
            return
        value = np.asarray(value, dtype=self.dtype)
        if value.shape != ():
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill: no host values become a device array by themselves")
        self._store(value)

    def reshape(self, *shape, order="C", copy=None):
        shape = shape[0] if len(shape) == 1 else shape
        made = _call(lambda array: array.reshape(shape, order=order), (self,), views=True)
        if copy and made.memory is self.memory:
            return made.copy()
        if copy is False and made.memory is not self.memory:
            raise ValueError("an array of this shape needs a copy")
        return made

    def transpose(self, *axes):
        return self._view_like(lambda outline: outline.transpose(*axes))

    @property
    def T(self):
        return self.transpose()

    @property
    def mT(self):
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    @property
    def real(self):
        return self._view_like(lambda outline: outline.real) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        return self._view_like(lambda outline: outline.imag) if self.dtype.kind == "c" else zeros_like(self)

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("a real array has no imaginary part to set")
        self.imag[...] = value

    @property
    def flat(self):
        return flatiter(self)

    def view(self, dtype=None, type=None):
        if dtype is None:
            return self._view_like(lambda outline: outline)
        return self._view_like(lambda outline: outline.view(dtype))

    def reduced_view(self):
        return self.reshape(-1) if self.flags.c_contiguous and self.ndim > 1 else self

    # --- new arrays ---

    def copy(self, order="C"):
        return array(self, order=order)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        with self.device:
            return self.copy()

    def __reduce__(self):
        return array, (self.get(order="A"),)

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        if not copy and self.dtype == dtype:
            return self
        return _call(np.ndarray.astype, (self, dtype), {"order": order, "casting": casting or "unsafe"})

    # --- NumPy's protocols: its functions work on device arrays, as on CuPy's ---

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        function = _counterpart(ufunc)
        if function is not None and method != "__call__":
            function = getattr(function, method, None)
        if function is None:
            return NotImplemented
        out = keywords.get("out")
        if isinstance(out, tuple) and len(out) == 1:
            keywords["out"] = out[0]
        return function(*inputs, **keywords)

    def __array_function__(self, function, types, args, keywords):
        counterpart = _counterpart(function)
        return NotImplemented if counterpart is None else counterpart(*args, **keywords)


ndarray.__hash__ = None


def _counterpart(function):
    """This package's function of the name that one of NumPy's has, or None."""
    found = _package()
    for name in (*getattr(function, "__module__", "numpy").split(".")[1:], function.__name__):
        if not name.startswith("_"):
            found = getattr(found, name, None)
    return found


def _package():
    from pkwrap.emulator import cupy

    return cupy


def _call(function, args, keywords=None, **how):
    from pkwrap.emulator.cupy._call import call

    return call(function, args, keywords, **how)


def _assign(target, values):
    while values.ndim > target.ndim and values.shape[0] == 1:
        values = values[0]
    np.copyto(target, values, casting="unsafe")


def _reshaped(outline, shape):
    """A reshaped view; ValueError where that would take a copy."""
    try:
        return outline.reshape(shape, copy=False)
    except TypeError:  # NumPy before 2.1
        view = outline.view()
        try:
            view.shape = shape
        except AttributeError as error:
            raise ValueError(str(error)) from error
        return view


class flatiter:
    """The elements of an array in C order: `x.flat`."""

    __module__ = "pkwrap.emulator.cupy"

    def __init__(self, base):
        self.base = base

    def __len__(self):
        return self.base.size

    def __getitem__(self, key):
        return _call(lambda array, key: _keys.get_elements(array.ravel(), key), (self.base, key)).copy()

    def __setitem__(self, key, value):
        def assign(array, key, value):
            array.flat[_keys.wrapped_key((array.size,), key)[0]] = value

        _call(assign, (self.base, key, value))

    def __iter__(self):
        return iter(self.copy())

    def copy(self):
        return self.base.flatten()


# --- making arrays ----------------------------------------------------------------------------------------------------


def empty(shape, dtype=float, order="C"):
    """A new array on the current device; its contents are undefined."""
    return ndarray(shape, np.float64 if dtype is None else dtype, order=order)


def full(shape, fill_value, dtype=None, order="C"):
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, ndarray) else np.asarray(fill_value).dtype
    made = empty(shape, dtype, order)
    made._fill(fill_value)
    return made


def zeros(shape, dtype=float, order="C"):
    return full(shape, 0, np.float64 if dtype is None else dtype, order)


def ones(shape, dtype=float, order="C"):
    return full(shape, 1, np.float64 if dtype is None else dtype, order)


def _order_like(array, order):
    flags = array.flags
    return "F" if order in ("K", "A", None) and flags.f_contiguous and not flags.c_contiguous else "C" if order != "F" else "F"


def _refuse_host_model(model):
    if not isinstance(model, ndarray):
        raise TypeError(f"Unsupported type {type(model)}: a device array is needed")


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    _refuse_host_model(prototype)
    if subok is not None:
        raise TypeError("'subok' is not supported")
    shape = prototype.shape if shape is None else shape
    return empty(shape, prototype.dtype if dtype is None else dtype, _order_like(prototype, order))


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    made = empty_like(a, dtype, order, subok, shape)
    made._fill(fill_value)
    return made


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    return full_like(a, 0, dtype, order, subok, shape)


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    return full_like(a, 1, dtype, order, subok, shape)


def _leaves(values):
    if isinstance(values, (tuple, list)):
        for entry in values:
            yield from _leaves(entry)
    else:
        yield values


def _host_values(values):
    """A host array for what a device array is made of. Device arrays in a sequence may stand beside device arrays only."""
    if isinstance(values, ndarray):
        return HostMemory([values]).views[id(values)]
    if isinstance(values, (tuple, list)):
        on_device = [isinstance(leaf, ndarray) for leaf in _leaves(values)]
        if any(on_device):
            if not all(on_device):
                raise TypeError("Implicit conversion to a NumPy array is not allowed: host values among device arrays")
            return _nested(values)
    elif not isinstance(values, (np.ndarray, np.generic)) and hasattr(values, "__cuda_array_interface__"):
        raise TypeError(f"{type(values)} is not in the emulator's memory")
    return values


def _nested(values):
    return [_nested(entry) for entry in values] if isinstance(values, (tuple, list)) else values.get()


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A device array with the values of a host or device array, of a sequence or of a scalar."""
    if subok:
        raise NotImplementedError("'subok' is not supported")
    if isinstance(obj, ndarray) and not copy and dtype in (None, obj.dtype) and obj.ndim >= ndmin:
        if order in ("K", "A", None) or obj.flags[f"{order}_CONTIGUOUS"]:
            return obj
    host = np.array(_host_values(obj), dtype=dtype, order=order or "K", ndmin=ndmin)
    made = empty(host.shape, host.dtype, _order_like(host, order))
    made._store(host)
    return made


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """`a` itself if it is a device array of that dtype and order, else a new one."""
    return array(a, dtype, bool(copy), order or "K")


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A numpy.ndarray with the values of a device array, or of anything NumPy takes."""
    if isinstance(a, ndarray):
        return a.get(stream, order, out)
    made = np.asarray(a, order=order)
    if out is None:
        return made
    out[...] = made
    return out


def ascontiguousarray(a, dtype=None):
    return array(a, dtype, copy=False, order="C", ndmin=1)


def asfortranarray(a, dtype=None):
    return array(a, dtype, copy=False, order="F", ndmin=1)


def from_dlpack(x, device=None, copy=None):
    """A view of an array in the emulator's memory."""
    if not isinstance(x, ndarray):
        raise BufferError(f"{type(x)} is not in the emulator's memory")
    return x.copy() if copy else x.view()
