"""Arrays on the emulator's device memory, by the names and the rules of `cupy.ndarray`.

Everything that computes copies its operands to the host on the current stream, lets NumPy do it, and copies the result back. As
with CuPy, nothing becomes a NumPy array by itself: `get()` and `asnumpy` do that.
"""

import operator

import numpy as np

from pkwrap._pkwrap import emulator as _emulator
from pkwrap.emulator.cuda import Device, MemoryPointer


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


class ndarray(_emulator.Array):
    """ndarray(shape, dtype=float, memptr=None, strides=None, order='C')

    `shape` is an int or a tuple; without `memptr` the memory is new and its contents are undefined.
    """

    __module__ = "pkwrap.emulator.cupy"
    __array_priority__ = 100

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        shape, dtype = _shape_of(shape), np.dtype(dtype)
        if strides is None:
            strides = _packed_strides(shape, dtype.itemsize, order)
        if memptr is None:
            memptr = MemoryPointer(_emulator.Memory(int(np.prod(shape, dtype=object)) * dtype.itemsize))
        return super().__new__(cls, memptr.mem, memptr.offset, shape, tuple(strides), dtype)

    # --- what it is ---

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
        return _outline(self).flags

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed: use get()")

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # --- between host and device ---

    def get(self, stream=None, order="C", out=None):
        """The elements as a numpy.ndarray."""
        if stream is not None:
            with stream:
                return self.get(None, order, out)
        flags = self.flags
        host = self.T._get().T if flags.f_contiguous and not flags.c_contiguous else self._get()
        if out is not None:
            out[...] = host
            return out
        return np.asarray(host, order=order)

    def set(self, values, stream=None):
        """Copies host values (broadcast and cast as NumPy's assignment does) into the array."""
        if stream is not None:
            with stream:
                return self.set(values)
        flags = self.flags
        values = np.broadcast_to(np.asarray(values), self.shape).astype(self.dtype)
        if flags.f_contiguous and not flags.c_contiguous:
            self.T._set(np.ascontiguousarray(values.T))
        else:
            self._set(np.ascontiguousarray(values).reshape(self.shape))
        return None

    def item(self, *index):
        return self.get().item(*index)

    def tolist(self):
        return self.get().tolist()

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __index__(self):
        return operator.index(self.get())

    # --- views ---

    def _view(self, outline_of):
        """The view whose place and strides outline_of finds on a NumPy array of this shape."""
        outline = _outline(self)
        view = outline_of(outline)
        offset = self.offset + view.__array_interface__["data"][0] - outline.__array_interface__["data"][0]
        return ndarray(view.shape, view.dtype, MemoryPointer(self.memory, offset if view.size else 0), view.strides)

    def __getitem__(self, key):
        key = to_host(key)
        if _is_basic(key):
            return self._view(lambda outline: outline[_with_ellipsis(key)])
        return asarray(self.get()[key])

    def __setitem__(self, key, value):
        key, value = to_host(key), to_host(value)
        if _is_basic(key):
            self[key].set(value)
        else:
            host = self.get()
            host[key] = value
            self.set(host)

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 else shape
        if order != "C":
            return asarray(self.get().reshape(shape, order=order))
        try:
            return self._view(lambda outline: _reshaped(outline, shape))
        except (AttributeError, ValueError):
            return asarray(self.get().reshape(shape))  # not possible as a view, or an error that NumPy tells

    def ravel(self, order="C"):
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        return asarray(self.get().flatten(order))

    def transpose(self, *axes):
        return self._view(lambda outline: outline.transpose(*axes))

    @property
    def T(self):
        return self.transpose()

    def squeeze(self, axis=None):
        return self._view(lambda outline: outline.squeeze(axis))

    def swapaxes(self, first, second):
        return self._view(lambda outline: outline.swapaxes(first, second))

    def view(self, dtype=None):
        if dtype is None:
            return self._view(lambda outline: outline)
        if np.dtype(dtype).itemsize != self.itemsize:
            raise ValueError("only a view with elements of the same size is supported")
        return ndarray(self.shape, dtype, self.data, self.strides)

    # --- new arrays ---

    def copy(self, order="C"):
        return array(self, order=order)

    def astype(self, dtype, order="K", copy=True):
        return self if not copy and self.dtype == dtype else asarray(self.get().astype(dtype), order=order)

    def fill(self, value):
        self[...] = value

    # --- NumPy's protocols: its functions work on device arrays, as on CuPy's ---

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return forward(getattr(ufunc, method), inputs, keywords)

    def __array_function__(self, function, types, args, keywords):
        return forward(function, args, keywords)


def _is_basic(key):
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is Ellipsis or isinstance(part, (slice, np.integer)) or type(part) is int for part in parts)


def _with_ellipsis(key):
    """The key such that NumPy gives a view even of a single element."""
    parts = key if isinstance(key, tuple) else (key,)
    return parts if Ellipsis in parts else (*parts, Ellipsis)


def _reshaped(outline, shape):
    """A reshaped view; AttributeError or ValueError where that would take a copy."""
    try:
        return outline.reshape(shape, copy=False)
    except TypeError:  # NumPy before 2.1
        view = outline.view()
        view.shape = shape
        return view


def to_host(value):
    """`value` with every device array in it, also in tuples, lists and slices, as a NumPy array."""
    if isinstance(value, ndarray):
        return value.get()
    if type(value) in (tuple, list):
        return type(value)(to_host(entry) for entry in value)
    if isinstance(value, slice):
        return slice(to_host(value.start), to_host(value.stop), to_host(value.step))
    return value


def to_device(value):
    """`value` with NumPy's arrays and scalars, also in tuples and lists, as device arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        return asarray(value)
    if type(value) in (tuple, list):
        return type(value)(to_device(entry) for entry in value)
    return value


def _refuse_host_arrays(args):
    for arg in args:
        if isinstance(arg, np.ndarray):
            raise TypeError(f"Unsupported type {type(arg)}: a NumPy array among device arrays")


def forward(function, args, keywords):
    """Calls a NumPy function or ufunc on host copies; what it returns, and `out`, are device arrays."""
    _refuse_host_arrays(args)
    out = keywords.pop("out", None)
    result = function(*map(to_host, args), **{name: to_host(value) for name, value in keywords.items()})
    if out is None:
        return to_device(result)
    outs = out if isinstance(out, tuple) else (out,)
    for target, values in zip(outs, result if isinstance(result, tuple) else (result,), strict=False):
        if not np.can_cast(np.asarray(values).dtype, target.dtype, "same_kind"):
            raise TypeError(f"cannot cast {np.asarray(values).dtype} to {target.dtype}")
        target.set(values)
    return out if not isinstance(out, tuple) or len(out) > 1 else out[0]


def _method(function):
    return lambda self, *args, **keywords: forward(function, (self, *args), keywords)


def _add_operators():
    """The arithmetic of ndarray: NumPy's own operators on host copies; in place, the result goes into the array."""

    def binary(function):
        return lambda self, other: _unless_unknown(self, other, lambda: forward(function, (self, other), {}))

    def reflected(function):
        return lambda self, other: _unless_unknown(self, other, lambda: forward(function, (other, self), {}))

    def in_place(function):
        def method(self, other):
            return forward(function, (self, other), {"out": self})

        return method

    ufuncs = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
        "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
        "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    }  # fmt: skip
    for name, ufunc in ufuncs.items():
        setattr(ndarray, f"__{name}__", binary(ufunc))
        setattr(ndarray, f"__r{name}__", reflected(ufunc))
        setattr(ndarray, f"__i{name}__", in_place(ufunc))
    for name in ("lt", "le", "eq", "ne", "gt", "ge"):
        setattr(ndarray, f"__{name}__", binary(getattr(operator, name)))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(ndarray, f"__{name}__", _method(getattr(operator, name)))
    ndarray.__hash__ = None


def _unless_unknown(self, other, compute):
    known = (ndarray, np.ndarray, np.generic, bool, int, float, complex)
    return compute() if isinstance(other, known) else NotImplemented


def _add_methods():
    """Methods that are NumPy's functions of the same name."""
    names = (
        "all any argmax argmin argsort clip conj cumprod cumsum diagonal dot max mean min nonzero prod ptp repeat round std "
        "sum take trace var"
    )
    for name in names.split():
        setattr(ndarray, name, _method(getattr(np, name)))
    ndarray.real = property(lambda self: self._view(lambda outline: outline.real))
    ndarray.imag = property(lambda self: self._view(lambda outline: outline.imag) if self.dtype.kind == "c" else zeros_like(self))


# --- making arrays ----------------------------------------------------------------------------------------------------


def empty(shape, dtype=float, order="C"):
    """A new array on the current device; its contents are undefined."""
    return ndarray(shape, np.float64 if dtype is None else dtype, order=order)


def full(shape, value, dtype=None, order="C"):
    made = empty(shape, np.asarray(to_host(value)).dtype if dtype is None else dtype, order)
    made.fill(value)
    return made


def zeros(shape, dtype=float, order="C"):
    return full(shape, 0, np.float64 if dtype is None else dtype, order)


def ones(shape, dtype=float, order="C"):
    return full(shape, 1, np.float64 if dtype is None else dtype, order)


def _order_like(array, order):
    flags = array.flags
    return "F" if order in ("K", "A", None) and flags.f_contiguous and not flags.c_contiguous else "C" if order != "F" else "F"


def empty_like(a, dtype=None, order="K", shape=None):
    return empty(a.shape if shape is None else shape, a.dtype if dtype is None else dtype, _order_like(a, order))


def full_like(a, value, dtype=None, order="K"):
    made = empty_like(a, dtype, order)
    made.fill(value)
    return made


def zeros_like(a, dtype=None, order="K"):
    return full_like(a, 0, dtype, order)


def ones_like(a, dtype=None, order="K"):
    return full_like(a, 1, dtype, order)


def array(values, dtype=None, copy=True, order="K", ndmin=0):
    """A device array with the values of a host or device array, of a sequence or of a scalar."""
    if isinstance(values, ndarray) and not copy and dtype in (None, values.dtype) and values.ndim >= ndmin:
        if order in ("K", "A", None) or values.flags[f"{order}_CONTIGUOUS"]:
            return values
    host = np.array(to_host(values), dtype=dtype, order=order or "K", ndmin=ndmin)
    made = empty(host.shape, host.dtype, _order_like(host, order))
    made.set(host)
    return made


def asarray(values, dtype=None, order=None):
    """`values` itself if it is a device array of that dtype and order, else a new one."""
    return array(values, dtype, copy=False, order=order or "K")


def asnumpy(values, stream=None, order="C", out=None):
    """A numpy.ndarray with the values of a device array, or of anything NumPy takes."""
    return values.get(stream, order, out) if isinstance(values, ndarray) else np.asarray(to_host(values), order=order)


def ascontiguousarray(values, dtype=None):
    return array(values, dtype, copy=False, order="C", ndmin=1)


def asfortranarray(values, dtype=None):
    return array(values, dtype, copy=False, order="F", ndmin=1)


_add_operators()
_add_methods()
