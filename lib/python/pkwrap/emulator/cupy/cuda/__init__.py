"""Devices, streams, events and memory of the emulator, by the names of `cupy.cuda`."""

import threading

from pkwrap._pkwrap import emulator as _emulator

_LEGACY, _PER_THREAD = 1, 2
_current = threading.local()  # keeps this thread's current streams alive: {device: Stream}


class Device:
    """An emulated device; a context in which it is current."""

    def __init__(self, device=None):
        self.id = _emulator.get_device() if device is None else int(device)
        self._before = []

    def __enter__(self):
        self._before.append(_emulator.get_device())
        self.use()
        return self

    def __exit__(self, *_):
        _emulator.set_device(self._before.pop())

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def use(self):
        """Makes the device current in this thread."""
        _emulator.set_device(self.id)

    def synchronize(self):
        """Waits for everything that is queued on the device."""
        with self:
            _emulator.device_synchronize()


class Event:
    """A point in a stream's work."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.ptr = _emulator.event_create()

    def __del__(self):
        if getattr(self, "ptr", 0):
            _emulator.event_destroy(self.ptr)

    @property
    def done(self):
        """Whether the work before the event is finished."""
        return _emulator.event_query(self.ptr)

    def record(self, stream=None):
        """Marks what `stream` (None: the current one) has queued until now."""
        _emulator.event_record(self.ptr, (stream or get_current_stream()).ptr)

    def synchronize(self):
        """Waits for the work before the event."""
        _emulator.event_synchronize(self.ptr)


class _AnyStream:
    """What all streams can do; `ptr` is the handle."""

    ptr: int

    def __enter__(self):
        device = _emulator.get_device()
        if not hasattr(self, "_before"):
            self._before = []
        self._before.append((device, _streams().get(device)))
        return self.use()

    def __exit__(self, *_):
        device, before = self._before.pop()
        _use(device, before)

    def __eq__(self, other):
        return isinstance(other, _AnyStream) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)

    @property
    def done(self):
        """Whether the stream has nothing left to do."""
        return _emulator.stream_query(self.ptr)

    def use(self):
        """Makes the stream this thread's current one, on the current device."""
        _use(_emulator.get_device(), self)
        return self

    def synchronize(self):
        """Waits for everything that is queued on the stream."""
        _emulator.stream_synchronize(self.ptr)

    def record(self, event=None):
        """Records an event (None: a new one), and returns it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """What is queued from now on runs after the event."""
        _emulator.stream_wait_event(self.ptr, event.ptr)

    def launch_host_func(self, callback, argument):
        """Queues callback(argument) on the host."""
        _emulator.launch(self.ptr, lambda: callback(argument), [])


class ExternalStream(_AnyStream):
    """A stream that somebody else made and destroys."""

    def __init__(self, ptr, device_id=-1):
        self.ptr = int(ptr)
        self.device_id = device_id


class Stream(_AnyStream):
    """A new stream of the current device."""

    null: ExternalStream
    ptds: ExternalStream

    def __init__(self, null=False, non_blocking=False, ptds=False):
        self.device_id = _emulator.get_device()
        self._owned = not (null or ptds)
        self.ptr = _emulator.stream_create(non_blocking) if self._owned else _LEGACY if null else _PER_THREAD

    def __del__(self):
        if getattr(self, "_owned", False):
            _emulator.stream_destroy(self.ptr)


Stream.null = ExternalStream(_LEGACY)
Stream.ptds = ExternalStream(_PER_THREAD)


def _streams():
    if not hasattr(_current, "streams"):
        _current.streams = {}
    return _current.streams


def _use(device, stream):
    _emulator.set_stream(device, 0 if stream is None else stream.ptr)
    _streams()[device] = stream


def get_current_stream():
    """This thread's current stream of the current device."""
    return _streams().get(_emulator.get_device()) or Stream.null


class MemoryPointer:
    """A place in an allocation, `offset` bytes after its start."""

    def __init__(self, mem, offset=0):
        self.mem = mem
        self.offset = offset

    def __add__(self, distance):
        return MemoryPointer(self.mem, self.offset + distance)

    @property
    def ptr(self):
        return self.mem.ptr + self.offset

    @property
    def device_id(self):
        return self.mem.device_id


def alloc(size):
    """Device memory of `size` bytes on the current device."""
    return MemoryPointer(_emulator.Memory(size))


def malloc_managed(size):
    """Managed memory of `size` bytes."""
    return MemoryPointer(_emulator.Memory(size, 1))


def alloc_pinned_memory(size):
    """Pinned host memory of `size` bytes, with the buffer protocol and `ptr`."""
    return _emulator.Memory(size, 2)


class runtime:
    """The entry points of the CUDA Runtime that programs call by name."""

    getDevice = staticmethod(_emulator.get_device)
    setDevice = staticmethod(_emulator.set_device)
    getDeviceCount = staticmethod(_emulator.get_device_count)
    deviceSynchronize = staticmethod(_emulator.device_synchronize)
    streamSynchronize = staticmethod(_emulator.stream_synchronize)
    pointerGetAttributes = staticmethod(_emulator.pointer_attributes)

    @staticmethod
    def getDeviceProperties(device):
        """A dictionary with the device's name only: there is no hardware behind it."""
        return {"name": f"pkwrap emulator {device}".encode()}


def is_available():
    """Whether there is a device: always."""
    return True
