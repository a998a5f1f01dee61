"""make bench-gpu: what a converted call costs on a real device, beside copies issued by hand and beside cunumpy.

Prints a table of time over size and the verdicts, and draws the plot time.png into --output. With --emulator it runs on
pkwrap's emulated device: a test that the script works, no measurement; what needs a real device is left out there.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

import gpu

MEBIBYTE = 1 << 20


def kernel(x, y):
    """Does nothing: what is measured is what happens around it."""


class Device:
    """The array module, and how to wait for it."""

    def __init__(self, emulated):
        self.emulated = emulated
        if emulated:
            os.environ["PKWRAP_DEVICE"] = "emulator"
            from pkwrap.emulator import cupy
        else:
            cupy = gpu.prepare()
        self.xp = cupy

    def wait(self):
        self.xp.cuda.get_current_stream().synchronize()

    def seconds(self, run, shortest=0.2):
        """Seconds of one run(), the work that it enqueues included: the least of several batches."""
        run()
        self.wait()
        number, best = 1, float("inf")
        limit = time.perf_counter() + (0.002 if self.emulated else shortest)
        while time.perf_counter() < limit or best == float("inf"):
            start = time.perf_counter()
            for _ in range(number):
                run()
            self.wait()
            taken = time.perf_counter() - start
            best = min(best, taken / number)
            if taken < 0.001:
                number *= 2
        return best


class ByHand:
    """Copies between pinned memory and the device, issued one by one: the measure. Real CuPy only."""

    def __init__(self, device, size):
        self.runtime = device.xp.cuda.runtime
        self.array = device.xp.empty(size, np.uint8)
        self.pinned = device.xp.cuda.alloc_pinned_memory(size)
        self.size = size
        self.stream = device.xp.cuda.get_current_stream()

    def enqueue_download(self):
        self.runtime.memcpyAsync(self.pinned.ptr, self.array.data.ptr, self.size, self.runtime.memcpyDeviceToHost, self.stream.ptr)

    def download(self):
        self.enqueue_download()
        self.stream.synchronize()

    def upload(self):
        self.runtime.memcpyAsync(self.array.data.ptr, self.pinned.ptr, self.size, self.runtime.memcpyHostToDevice, self.stream.ptr)


def time_over_size(device, sizes):
    """Rows (size, {name: seconds}) of an empty kernel with one input and one output of that size."""
    import pkwrap
    kernels = {"pkwrap": pkwrap.PyccelKernel(kernel, outputs=(1,)),
               "pkwrap, not declared": pkwrap.PyccelKernel(kernel),
               "pkwrap, read only": pkwrap.PyccelKernel(kernel, outputs=())}
    if not device.emulated:
        from cunumpy.kernels import PyccelKernel
        kernels |= {"cunumpy": PyccelKernel(kernel, outputs=(1,), use_cupy=True),
                    "cunumpy, not declared": PyccelKernel(kernel, use_cupy=True)}
    rows = []
    for size in sizes:
        x, y = device.xp.zeros(size // 8), device.xp.zeros(size // 8)
        row = {name: device.seconds(lambda call=call, x=x, y=y: call(x, y)) for name, call in kernels.items()}
        if not device.emulated:
            hand = ByHand(device, size)
            row |= {"download by hand": device.seconds(hand.download), "upload by hand": device.seconds(hand.upload)}
        rows.append((size, row))
    return rows


def small_call(device):
    """Seconds of a call with three 4 KiB inputs and one output, and of the same copies by hand (None on the emulator)."""
    import pkwrap
    call = pkwrap.PyccelKernel(lambda a, b, c: None, outputs=(2,))
    arrays = [device.xp.zeros(512) for _ in range(3)]
    ours = device.seconds(lambda: call(*arrays))
    if device.emulated:
        return ours, None
    hands = [ByHand(device, 4096) for _ in range(3)]

    def by_hand():
        for hand in hands:
            hand.enqueue_download()
        hands[0].stream.synchronize()
        hands[2].upload()

    return ours, device.seconds(by_hand)


def strided(device, n):
    """Rows (layout, seconds of a read-only call, of an in-and-out call, of get(), of set()) for n doubles."""
    import pkwrap
    read, write = pkwrap.PyccelKernel(lambda a: None, outputs=()), pkwrap.PyccelKernel(lambda a: None, outputs=(0,))
    side = int(n ** 0.5)
    base = device.xp.zeros((2 * side, 2 * side))
    views = {"every second column": base[:, ::2], "every second row": base[::2], "transposed block": base[:side, :side].T,
             "reversed rows": base[::-1, :side]}
    rows = []
    for name, view in views.items():
        host = np.zeros(view.shape)
        times = [device.seconds(lambda view=view: read(view)), device.seconds(lambda view=view: write(view)),
                 device.seconds(lambda view=view: view.get())]
        times.append(device.seconds(lambda view=view, host=host: view.__setitem__(Ellipsis, device.xp.asarray(host))))
        rows.append((name, times))
    return rows


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(9, 6))
    for name in rows[0][1]:
        axes.loglog([size for size, _ in rows], [1e6 * row[name] for _, row in rows], marker="o", markersize=3, label=name)
    axes.set_xlabel("bytes of each array")
    axes.set_ylabel("time of a call, us")
    axes.set_title("An empty kernel with one input and one output on the device")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def verdicts(rows, small):
    """(text, met) for each promise that a real device can judge."""
    for size, row in rows:
        yield f"{size} B: 2 times faster than cunumpy", row["cunumpy"] >= 2 * row["pkwrap"]
        yield f"{size} B: 4 times faster, not declared", row["cunumpy, not declared"] >= 4 * row["pkwrap, not declared"]
        if size >= 16 * MEBIBYTE:
            both_down = 2 * row["download by hand"]
            yield f"{size} B: 90 % of the pinned bandwidth down", both_down >= 0.9 * row["pkwrap, read only"]
            # The write-back of y is what the declared call does more than the read-only one.
            up = row["pkwrap"] - row["pkwrap, read only"]
            yield f"{size} B: 90 % of the pinned bandwidth up", row["upload by hand"] >= 0.9 * up
    ours, by_hand = small
    yield "three 4 KiB inputs, one output: twice the copies by hand", ours <= 2 * by_hand


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emulator", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the plot")
    options = parser.parse_args()
    try:
        device = Device(options.emulator)
    except gpu.Missing as missing:
        gpu.refuse("bench-gpu", missing)
    options.output.mkdir(parents=True, exist_ok=True)
    largest = 64 * 1024 if device.emulated else 256 * MEBIBYTE
    rows = time_over_size(device, [8 * 8 ** i for i in range(10) if 8 * 8 ** i < largest] + [largest])
    names = list(rows[0][1])
    print("time of a call in us\n" + f"{'bytes':>10} " + " ".join(f"{name:>22}" for name in names))
    for size, row in rows:
        print(f"{size:>10} " + " ".join(f"{1e6 * row[name]:>22.1f}" for name in names))
    draw(rows, options.output / "time.png")
    small = small_call(device)
    print(f"\nthree 4 KiB inputs and one output: {1e6 * small[0]:.1f} us"
          + ("" if small[1] is None else f", by hand {1e6 * small[1]:.1f} us"))
    print(f"\n{'strided, us':24}{'read':>12}{'in and out':>12}{'get()':>12}{'set':>12}")
    for name, times in strided(device, 4096 if device.emulated else 4 * MEBIBYTE):
        print(f"{name:24}" + "".join(f"{1e6 * seconds:>12.1f}" for seconds in times))
    if device.emulated:
        print("\non the emulator: nothing is judged")
        return 0
    missed = [text for text, met in verdicts(rows, small) if not met]
    print("\n" + ("\n".join("MISSED: " + text for text in missed) or "all targets met"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
