"""Devices, streams, events and memory of the emulator, by the names of `cupy.cuda`."""

from pkwrap.emulator.cupy.cuda import device, memory, runtime, stream
from pkwrap.emulator.cupy.cuda.device import Device, get_device_id
from pkwrap.emulator.cupy.cuda.memory import (
    Memory,
    MemoryPointer,
    MemoryPool,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc,
    alloc_pinned_memory,
    get_allocator,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from pkwrap.emulator.cupy.cuda.stream import Event, ExternalStream, Stream, get_current_stream


def is_available():
    """Whether there is a device: always."""
    return True


__all__ = [
    "Device", "Event", "ExternalStream", "Memory", "MemoryPointer", "MemoryPool", "PinnedMemoryPointer", "PinnedMemoryPool",
    "Stream", "alloc", "alloc_pinned_memory", "device", "get_allocator", "get_current_stream", "get_device_id", "is_available",
    "malloc_managed", "memory", "runtime", "set_allocator", "stream", "using_allocator",
]  # fmt: skip
