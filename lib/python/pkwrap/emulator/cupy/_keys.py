"""Indexing by CuPy's rules: what stands between brackets, on host arrays."""

import numpy as np


def is_basic(key):
    """Whether a key names a view: integers, slices, None and an ellipsis."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is Ellipsis or isinstance(part, (slice, np.integer)) or type(part) is int for part in parts)


def with_ellipsis(key):
    """A basic key such that NumPy gives a view even of a single element."""
    parts = key if isinstance(key, tuple) else (key,)
    return parts if Ellipsis in parts else (*parts, Ellipsis)


def _as_index(part):
    if not isinstance(part, (list, tuple)):
        return part
    index = np.asarray(part)
    return index if index.size else index.astype(np.intp)


def _n_axes(part):
    """How many axes a part of a key takes."""
    if part is None or part is Ellipsis or isinstance(part, (bool, np.bool_)):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def _is_integers(part):
    return isinstance(part, np.ndarray) and part.dtype.kind in "iu"


def wrapped_key(shape, key):
    """The key for NumPy with arrays of integers inside the bounds: as in CuPy they wrap around, single integers do not."""
    parts = [_as_index(part) for part in (key if isinstance(key, tuple) else (key,))]
    n_taken, axis, wrapped = sum(map(_n_axes, parts)), 0, []
    for part in parts:
        if part is Ellipsis:
            axis += len(shape) - n_taken
        elif _is_integers(part) and axis < len(shape) and shape[axis]:
            part = part % shape[axis]
        wrapped.append(part)
        axis += _n_axes(part)
    return tuple(wrapped)


def get_elements(array, key):
    return array[wrapped_key(array.shape, key)]


def set_elements(array, key, value):
    """Assigns to the elements of a key with arrays in it. Of several values for one element the first is kept: on a device any may
    be, so no program should see NumPy's last."""
    key = wrapped_key(array.shape, key)
    if not any(_is_integers(part) and part.size > 1 for part in key):
        array[key] = value
        return
    places = np.arange(array.size).reshape(array.shape)[key]
    value = np.asarray(value).astype(array.dtype)
    while value.ndim > places.ndim and value.shape[0] == 1:
        value = value[0]
    values = np.broadcast_to(value, places.shape)
    array.flat[places.ravel()[::-1]] = values.ravel()[::-1]
