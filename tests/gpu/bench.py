"""make bench-gpu: what a converted call costs on a real device, beside copies issued by hand and beside cunumpy.

Prints tables of time over size, of strided arrays, of what copies cost, and the verdicts; writes the same text to
bench-gpu.txt and the plot time.png into --output. Exit status 1 when a target is missed, 3 without a CUDA device. With
--emulator it runs on pkwrap's emulated device: a test that the script works, no measurement; what needs a real device is left out.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

import numpy as np

import costs
import gpu
from timing import ByHand, Device

MEBIBYTE = 1 << 20


def kernel(x, y):
    """Does nothing: what is measured is what happens around it."""


class Report:
    """Text for the terminal and for a file."""

    def __init__(self, path):
        self.file = open(path, "w")

    def say(self, text=""):
        print(text, flush=True)
        print(text, file=self.file, flush=True)


def time_over_size(device, sizes, compare):
    """Rows (size, {name: seconds}) of an empty kernel with one input and one output of that size."""
    import pkwrap
    kernels = {"pkwrap": pkwrap.PyccelKernel(kernel, outputs=(1,)),
               "pkwrap, not declared": pkwrap.PyccelKernel(kernel),
               "pkwrap, read only": pkwrap.PyccelKernel(kernel, outputs=())}
    if compare:
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
        runs = [lambda view=view: read(view), lambda view=view: write(view), lambda view=view: view.get(),
                lambda view=view, host=host: view.__setitem__(Ellipsis, device.xp.asarray(host))]
        rows.append((name, [device.seconds(run) for run in runs]))
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
    """(text, value, wanted, met) for each promise that a real device can judge. The bandwidth is that of a plain large copy."""
    largest, last = rows[-1]
    down, up = largest / last["download by hand"], largest / last["upload by hand"]
    for size, row in rows:
        for name, wanted in (("", 2), (", not declared", 4)):
            if "cunumpy" in row:
                ratio = row["cunumpy" + name] / row["pkwrap" + name]
                yield f"{size} B{name}: times faster than cunumpy", ratio, wanted, ratio >= wanted
        if size >= 16 * MEBIBYTE:
            share = 2 * size / row["pkwrap, read only"] / down
            yield f"{size} B: share of the pinned bandwidth to the host", share, 0.9, share >= 0.9
            # The write-back of y is what the declared call does more than the read-only one.
            share = size / max(row["pkwrap"] - row["pkwrap, read only"], 1e-9) / up
            yield f"{size} B: share of the pinned bandwidth to the device", share, 0.9, share >= 0.9
    ours, by_hand = small
    yield "three 4 KiB inputs, one output: times the copies by hand", ours / by_hand, 2, ours <= 2 * by_hand


def show_times(report, rows):
    names = list(rows[0][1])
    report.say("time of a call in us\n" + f"{'bytes':>10} " + " ".join(f"{name:>22}" for name in names))
    for size, row in rows:
        report.say(f"{size:>10} " + " ".join(f"{1e6 * row[name]:>22.1f}" for name in names))


def show_strided(report, rows):
    report.say(f"\n{'strided, us':24}{'read':>12}{'in and out':>12}{'get()':>12}{'set':>12}")
    for name, times in rows:
        report.say(f"{name:24}" + "".join(f"{1e6 * seconds:>12.1f}" for seconds in times))


def judge(report, rows, small):
    """Prints the verdicts; the exit status."""
    report.say()
    missed = 0
    for text, value, wanted, met in verdicts(rows, small):
        report.say(f"{'met' if met else 'MISSED':8}{text}: {value:.2f}, wanted {wanted}")
        missed += not met
    report.say("\nall targets met" if missed == 0 else f"\n{missed} targets missed")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emulator", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the plot and the text")
    parser.add_argument("--largest", type=int, help="bytes of the largest array (256 MiB; 64 KiB on the emulator)")
    options = parser.parse_args()
    try:
        device = Device(options.emulator)
    except gpu.Missing as missing:
        gpu.refuse("bench-gpu", missing)
    options.output.mkdir(parents=True, exist_ok=True)
    report = Report(options.output / "bench-gpu.txt")
    compare = not device.emulated and importlib.util.find_spec("cunumpy") is not None
    if not compare:
        report.say("nothing to compare with: " + ("cunumpy needs a real device" if device.emulated else "cunumpy is not installed"))
    largest = options.largest or (64 * 1024 if device.emulated else 256 * MEBIBYTE)
    sizes = {8 * 8 ** i for i in range(10)} | {16 * MEBIBYTE}
    rows = time_over_size(device, sorted(size for size in sizes if size < largest) + [largest], compare)
    show_times(report, rows)
    if importlib.util.find_spec("matplotlib"):
        draw(rows, options.output / "time.png")
    else:
        report.say("no plot: matplotlib is not installed")
    small = small_call(device)
    report.say(f"\nthree 4 KiB inputs and one output: {1e6 * small[0]:.1f} us"
               + ("" if small[1] is None else f", by hand {1e6 * small[1]:.1f} us"))
    show_strided(report, strided(device, 4096 if device.emulated else min(4 * MEBIBYTE, largest)))
    if device.emulated:
        report.say("\non the emulator: nothing is judged")
        return 0
    report.say()
    for line in costs.report(device, largest):
        report.say(line)
    return judge(report, rows, small)


if __name__ == "__main__":
    sys.exit(main())
