"""Counting the transfers that calls make between host and device (C45 to C48 of the manual's contract).

    with pkwrap.count_transfers() as counter:
        step(state, dt)
    print(counter.report())
"""

import collections
import contextlib
import dataclasses
import threading

from pkwrap import _pkwrap

__all__ = ["TransferCounter", "TransferEvent", "assert_no_transfers", "count_transfers"]

KINDS = ("to_host", "to_device", "kernel_conversion", "fallback")


@dataclasses.dataclass(frozen=True)
class TransferEvent:
    """One thing that happened.

    Attributes
    ----------
    kind : str
        "to_host" or "to_device": a copy. "kernel_conversion": a call that converted arrays. "fallback": a call of a kernel
        that has no device version yet.
    where : str
        "file:line" of the caller, outside pkwrap.
    description : str
        Kernel and argument.
    nbytes : int or None
        Bytes of a copy; None for the other kinds.
    """

    kind: str
    where: str
    description: str
    nbytes: int | None = None

    def __str__(self):
        size = "" if self.nbytes is None else f" ({self.nbytes} bytes)"
        return f"{self.where}: {self.kind}: {self.description}{size}"


class TransferCounter:
    """The events of one or more `count_transfers` blocks.

    Attributes
    ----------
    events : list of TransferEvent
        In the order in which they happened.
    """

    def __init__(self):
        self.events = []

    def __repr__(self):
        return f"TransferCounter({', '.join(f'{kind}={self.count(kind)}' for kind in KINDS)})"

    def record(self, kind, description, where, nbytes):
        """Adds an event; what the library calls."""
        self.events.append(TransferEvent(kind, where, description, nbytes))

    def count(self, kind):
        """Number of events of a kind."""
        return sum(event.kind == kind for event in self.events)

    def bytes(self, kind):
        """Bytes of the events of a kind."""
        return sum(event.nbytes or 0 for event in self.events if event.kind == kind)

    @property
    def to_host(self):
        """Number of copies from device to host."""
        return self.count("to_host")

    @property
    def to_device(self):
        """Number of copies from host to device."""
        return self.count("to_device")

    @property
    def kernel_conversions(self):
        """Number of calls that converted arrays."""
        return self.count("kernel_conversion")

    @property
    def kernel_conversion_calls(self):
        """The events of those calls: kernel, number of arrays, place of the call."""
        return [event for event in self.events if event.kind == "kernel_conversion"]

    @property
    def fallbacks(self):
        """Number of calls of kernels without a device version."""
        return self.count("fallback")

    @property
    def total(self):
        """Number of events of all kinds."""
        return len(self.events)

    @property
    def bytes_to_host(self):
        """Bytes copied from device to host."""
        return self.bytes("to_host")

    @property
    def bytes_to_device(self):
        """Bytes copied from host to device."""
        return self.bytes("to_device")

    def report(self):
        """A readable summary: a line of totals, then one for each place and description with its number of events and bytes."""
        counts = ", ".join(f"{self.count(kind)} {kind}" for kind in KINDS)
        lines = [f"{self.total} transfers ({counts}; {self.bytes_to_host} bytes to host, {self.bytes_to_device} to device)"]
        for kind in KINDS:
            places = collections.Counter()
            sizes = collections.Counter()
            for event in self.events:
                if event.kind == kind:
                    places[event.where, event.description] += 1
                    sizes[event.where, event.description] += event.nbytes or 0
            for (where, description), number in places.items():
                size = f", {sizes[where, description]} bytes" if kind.startswith("to_") else ""
                lines.append(f"  {where}: {kind}: {description} (x{number}{size})")
        return "\n".join(lines)


# Which bound method stands for a counter: the library knows them by identity. Each counter's lasts as long as the counter.
_lock = threading.Lock()


def _recorder(counter):
    with _lock:
        if "_record" not in vars(counter):
            vars(counter)["_record"] = counter.record
        return vars(counter)["_record"]


@contextlib.contextmanager
def count_transfers(counter=None, *, this_thread=False):
    """Counts the transfers made meanwhile; a context manager, and a decorator.

    Parameters
    ----------
    counter : TransferCounter, optional
        Adds to this one instead of a new one. One that is active already gets each event once.
    this_thread : bool
        Only what this thread does; else of all threads.

    Yields
    ------
    TransferCounter
    """
    if counter is None:
        counter = TransferCounter()
    record = _recorder(counter)
    _pkwrap.add_counter(record, this_thread)
    try:
        yield counter
    finally:
        _pkwrap.remove_counter(record)


@contextlib.contextmanager
def assert_no_transfers(*, this_thread=False):
    """Fails where something was transferred meanwhile; a context manager, and a decorator.

    An exception from inside is passed on as it is.

    Raises
    ------
    AssertionError
        With the counter's report.
    """
    with count_transfers(this_thread=this_thread) as counter:
        yield counter
    if counter.total:
        raise AssertionError(counter.report())
