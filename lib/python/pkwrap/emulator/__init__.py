"""The emulated CUDA devices of this process, and what tests steer and ask of them.

Importing this module makes the emulator the process's CUDA Runtime, unless another one is in use already. `cupy` is a
stand-in for CuPy on it. All byte counts are bytes, all others are counts since the last `reset_counters()`.
"""

import contextlib
import ctypes

import numpy as np

from pkwrap._pkwrap import emulator as _emulator

_emulator.select()

from pkwrap.emulator import cupy  # noqa: E402
from pkwrap.emulator.cupy import empty, ndarray  # noqa: E402
from pkwrap.emulator.cupy._host import memory_range  # noqa: E402
from pkwrap.emulator.cupy.cuda import get_current_stream, malloc_managed  # noqa: E402

allocated = _emulator.allocated
break_device = _emulator.break_device
calls = _emulator.calls
check = _emulator.check
counters = _emulator.counters
fail_call = _emulator.fail_call
fail_operation = _emulator.fail_operation
last_violation = _emulator.last_violation
leave_error = _emulator.leave_error
log = _emulator.log
log_text = _emulator.log_text
pointer_attributes = _emulator.pointer_attributes
reset_counters = _emulator.reset_counters
set_bare = _emulator.set_bare
set_device_count = _emulator.set_device_count
set_memory = _emulator.set_memory
settle = _emulator.settle


def name(array, text):
    """Names the allocation of a device array for the emulator's messages; the first 31 bytes of `text` are kept."""
    _emulator.set_name(array.memory.ptr, text)


def managed(values):
    """A device array in managed memory with the values of a host array."""
    values = np.asarray(values)
    made = ndarray(values.shape, values.dtype, malloc_managed(values.nbytes))
    made.set(values)
    get_current_stream().synchronize()  # the host may read it at once
    return made


@contextlib.contextmanager
def bare():
    """While it lasts, copies, waits and events do nothing: what is left is the cost of the caller's own bookkeeping."""
    set_bare(True)
    try:
        yield
    finally:
        set_bare(False)


@contextlib.contextmanager
def capturing(stream, *, strictest=False):
    """While it lasts, `stream` looks as if it were being captured into a graph: in CUDA's relaxed mode, or in the one that forbids
    other threads too to allocate, or to ask for events."""
    _emulator.capture(stream.ptr, True, strictest)
    try:
        yield
    finally:
        _emulator.capture(stream.ptr, False, False)


def _memory_range(array):
    low, high = memory_range(array) if array.size else (array.data.ptr, array.data.ptr)
    return low, high - low


def launch(function, *arrays, stream=None, writes=True):
    """Queues function(*views) on a stream (None: the current one), as a CUDA kernel would be: it runs when something waits for
    that stream, with a NumPy view of each device array's elements."""
    ranges = [(*_memory_range(array), bool(writes)) for array in arrays]
    described = [
        (array.shape, array.dtype, array.strides, array.data.ptr - low, size)
        for array, (low, size, _) in zip(arrays, ranges, strict=True)
    ]

    def run(*addresses):
        views = []
        for address, (shape, dtype, strides, offset, size) in zip(addresses, described, strict=True):
            memory = (ctypes.c_char * size).from_address(address) if size else b""
            views.append(np.ndarray(shape, dtype, memory, offset, strides))
        function(*views)

    _emulator.launch((stream or get_current_stream()).ptr, run, ranges)


__all__ = [
    "allocated",
    "bare",
    "break_device",
    "calls",
    "capturing",
    "check",
    "counters",
    "cupy",
    "empty",
    "fail_call",
    "fail_operation",
    "last_violation",
    "launch",
    "leave_error",
    "log",
    "log_text",
    "managed",
    "name",
    "ndarray",
    "pointer_attributes",
    "reset_counters",
    "set_bare",
    "set_device_count",
    "set_memory",
    "settle",
]
