"""costs.py - what copies cost on this machine, and the constants that lib/core/session_layout.c would have for it: in bytes that a
plain copy moves in the same time."""

import time

import numpy as np

from timing import ByHand, InPieces

WIDTHS = [8, 16, 64, 256, 1024]
ROWS = 1 << 15


def rates(device, size):
    """{name: bytes a second} of large copies, each way."""
    makers = {"pinned": lambda: ByHand(device, size), "pageable": lambda: ByHand(device, size, pinned=False),
              "in pieces": lambda: InPieces(device, size)}
    found = {}
    for name, make in makers.items():
        copies = make()
        found[f"{name}, to the host"] = size / device.seconds(copies.download)
        found[f"{name}, to the device"] = size / device.seconds(copies.upload)
    return found


def call_seconds(device):
    """Seconds that the host spends on one more small copy of a batch."""
    copies = ByHand(device, 8)

    def batch(number):
        for _ in range(number):
            copies.enqueue_download()

    return (device.seconds(lambda: batch(65)) - device.seconds(lambda: batch(1))) / 64


def row_seconds(device):
    """{width: seconds of one row} of a 2-D copy that leaves out every second run of `width` bytes."""
    copies = ByHand(device, 2 * WIDTHS[-1] * ROWS)
    return {width: device.seconds(lambda width=width: copies.download_rows(width, ROWS)) / ROWS for width in WIDTHS}


def packing_seconds(n=1 << 20):
    """Seconds of the host for a byte that it gathers from every second double."""
    base, packed = np.ones((n, 2)), np.empty(n)
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        np.copyto(packed, base[:, 0])
        best = min(best, time.perf_counter() - start)
    return best / packed.nbytes


def pinning_seconds(device, size):
    runtime = device.xp.cuda.runtime
    start = time.perf_counter()
    pointer = runtime.hostAlloc(size, runtime.hostAllocPortable)
    taken = time.perf_counter() - start
    runtime.freeHost(pointer)
    return taken


def report(device, size):
    """Lines of text; `size` is that of the large copies, a multiple of a piece."""
    size = max(size - size % InPieces.PIECE, 2 * InPieces.PIECE)
    found = rates(device, size)
    yield f"large copies of {size >> 20} MiB, GB/s"
    for name, rate in found.items():
        yield f"    {name:28}{rate / 1e9:8.2f}"
    yield f"pinning {size >> 20} MiB: {1e3 * pinning_seconds(device, size):.1f} ms"
    rate = found["pinned, to the host"]
    call, packing, rows = call_seconds(device), packing_seconds(), row_seconds(device)
    yield f"one more small copy: {1e6 * call:.2f} us = {call * rate:.0f} B"
    yield f"the host packs a byte of every second double in {1e9 * packing:.3f} ns = {packing * rate:.1f} B"
    yield "a row of a 2-D copy"
    extra = {}
    for width, seconds in rows.items():
        extra[width] = max(seconds * rate - width, 0)
        yield f"    {width:6} bytes: {1e9 * seconds:8.2f} ns, {extra[width]:8.0f} B more than its own"
    yield (f"lib/core/session_layout.c for this machine: ROW_COST = {extra[64]:.0f}, CALL_COST = {call * rate:.0f}, "
           f"PACK_COST = {max(packing * rate, 1):.0f}")
