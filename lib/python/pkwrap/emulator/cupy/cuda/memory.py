"""Memory and what allocates it, by the names of `cupy.cuda.memory`.

Pools keep nothing: memory is freed when its last array is gone, so that the emulator finds whoever still uses it. They count what
was allocated by them and keep their limits.
"""

import contextlib
import threading
import weakref

from pkwrap._pkwrap import emulator as _emulator

Memory = _emulator.Memory


class MemoryPointer:
    """A place in an allocation, `offset` bytes after its start."""

    def __init__(self, mem, offset=0):
        self.mem = mem
        self.offset = offset

    def __add__(self, distance):
        return MemoryPointer(self.mem, self.offset + distance)

    def __sub__(self, distance):
        return MemoryPointer(self.mem, self.offset - distance)

    def __int__(self):
        return self.ptr

    @property
    def ptr(self):
        return self.mem.ptr + self.offset

    @property
    def device_id(self):
        return self.mem.device_id

    @property
    def device(self):
        from pkwrap.emulator.cupy.cuda.device import Device

        return Device(self.device_id)


class _Pool:
    """Counts what is allocated by it, a device each, and refuses what goes beyond its limit."""

    def __init__(self, allocator=None):
        self._allocator = allocator or self._allocate
        self._lock = threading.RLock()  # freeing may come in between
        self._used, self._limits = {}, {}

    def malloc(self, size):
        device = _emulator.get_device()
        with self._lock:
            limit = self._limits.get(device, 0)
            if limit and self._used.get(device, 0) + size > limit:
                raise MemoryError(f"{size} bytes are beyond the pool's limit of {limit} bytes")
            self._used[device] = self._used.get(device, 0) + size
        try:
            pointer = self._allocator(size)
        except BaseException:
            self._freed(device, size)
            raise
        weakref.finalize(pointer.mem, self._freed, device, size).atexit = False
        return pointer

    def _freed(self, device, size):
        with self._lock:
            self._used[device] -= size

    def free_all_blocks(self, stream=None):
        """Gives back what is not in use: nothing is kept."""

    def n_free_blocks(self):
        return 0


class MemoryPool(_Pool):
    """A pool of device memory."""

    @staticmethod
    def _allocate(size):
        return MemoryPointer(Memory(size))

    def used_bytes(self):
        return self._used.get(_emulator.get_device(), 0)

    total_bytes = used_bytes

    def free_bytes(self):
        return 0

    def set_limit(self, size=None, fraction=None):
        """Limits what the pool allocates on the current device: bytes, or a fraction of the device's. 0: no limit."""
        if (size is None) == (fraction is None):
            raise ValueError("either size or fraction is needed")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * _emulator.memory_size())
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        self._limits[_emulator.get_device()] = size

    def get_limit(self):
        return self._limits.get(_emulator.get_device(), 0)


class PinnedMemoryPool(_Pool):
    """A pool of pinned host memory."""

    @staticmethod
    def _allocate(size):
        return PinnedMemoryPointer(Memory(size, 2))

    def malloc(self, size):
        return super().malloc(size)


class PinnedMemoryPointer(MemoryPointer):
    """A place in pinned host memory, which offers its bytes by the buffer protocol of `mem`."""


_default_pool, _default_pinned_pool = MemoryPool(), PinnedMemoryPool()
_allocator = _default_pool.malloc
_of_thread = threading.local()


def get_allocator():
    """The function that allocates device memory in this thread."""
    return getattr(_of_thread, "allocator", None) or _allocator


def set_allocator(allocator=None):
    """Chooses the function that allocates device memory: MemoryPool.malloc, say. None: without a pool."""
    global _allocator
    if getattr(_of_thread, "allocator", None) is not None:
        raise ValueError("the allocator cannot be changed inside `using_allocator`")
    _allocator = allocator or MemoryPool._allocate


@contextlib.contextmanager
def using_allocator(allocator=None):
    """While it lasts, this thread allocates by `allocator`."""
    before = getattr(_of_thread, "allocator", None)
    _of_thread.allocator = allocator or MemoryPool._allocate
    try:
        yield
    finally:
        _of_thread.allocator = before


def alloc(size):
    """Device memory of `size` bytes on the current device."""
    return get_allocator()(size)


def malloc_managed(size):
    """Managed memory of `size` bytes."""
    return MemoryPointer(Memory(size, 1))


def alloc_pinned_memory(size):
    """Pinned host memory of `size` bytes, with the buffer protocol and `ptr`."""
    return Memory(size, 2)


def get_default_memory_pool():
    return _default_pool


def get_default_pinned_memory_pool():
    return _default_pinned_pool
