"""Streams and events, by the names of `cupy.cuda.stream`."""

import threading

from pkwrap._pkwrap import emulator as _emulator

_LEGACY, _PER_THREAD = 1, 2
_current = threading.local()  # keeps this thread's current streams alive: {device: Stream}


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
