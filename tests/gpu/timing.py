"""timing.py - how long something takes on the device, and copies issued by hand to measure it by."""

import os
import time

import numpy as np

import gpu


class Device:
    """The array module (CuPy, or with `emulated` the emulator's stand-in), and a clock for what runs on it."""

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

    def seconds(self, run, shortest=0.2, warm_up=0.05):
        """Seconds of one run(), the work that it enqueues included: the least of several batches. Before that it runs for a
        while, so that memory is pinned, kernels are compiled, and bus and clocks have left their idle state."""
        if self.emulated:
            shortest = warm_up = 0.001
        limit = time.perf_counter() + warm_up
        while True:
            run()
            self.wait()
            if time.perf_counter() > limit:
                break
        number, best = 1, float("inf")
        limit = time.perf_counter() + shortest
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
    """Copies between host memory, pinned or not, and the device, issued one by one: the measure. Real CuPy only."""

    def __init__(self, device, size, pinned=True):
        self.runtime = device.xp.cuda.runtime
        self.array = device.xp.empty(size, np.uint8)
        self.memory = device.xp.cuda.alloc_pinned_memory(size) if pinned else bytearray(size)
        self.host = np.frombuffer(self.memory, np.uint8, size)
        self.on_host, self.on_device = self.host.ctypes.data, self.array.data.ptr
        self.size = size
        self.stream = device.xp.cuda.get_current_stream()

    def enqueue_download(self):
        self.runtime.memcpyAsync(self.on_host, self.on_device, self.size, self.runtime.memcpyDeviceToHost, self.stream.ptr)

    def download(self):
        self.enqueue_download()
        self.stream.synchronize()

    def upload(self):
        self.runtime.memcpyAsync(self.on_device, self.on_host, self.size, self.runtime.memcpyHostToDevice, self.stream.ptr)

    def download_rows(self, width, height):
        """Every second run of `width` bytes, by one 2-D copy."""
        self.runtime.memcpy2DAsync(self.on_host, width, self.on_device, 2 * width, width, height, self.runtime.memcpyDeviceToHost,
                                   self.stream.ptr)
        self.stream.synchronize()


class InPieces:
    """The same through two small pinned blocks that take turns, while the host copies the other one."""

    PIECE = 8 << 20

    def __init__(self, device, size):
        self.whole = ByHand(device, size, pinned=False)
        self.blocks = [ByHand(device, self.PIECE) for _ in range(2)]
        self.events = [device.xp.cuda.Event(disable_timing=True) for _ in range(2)]
        self.number = size // self.PIECE

    def _enqueue(self, i, to_host):
        host, at = self.blocks[i % 2].on_host, self.whole.on_device + i * self.PIECE
        runtime = self.whole.runtime
        if to_host:
            runtime.memcpyAsync(host, at, self.PIECE, runtime.memcpyDeviceToHost, self.whole.stream.ptr)
        else:
            runtime.memcpyAsync(at, host, self.PIECE, runtime.memcpyHostToDevice, self.whole.stream.ptr)
        self.events[i % 2].record(self.whole.stream)

    def _piece(self, i):
        return self.whole.host[i * self.PIECE:(i + 1) * self.PIECE]

    def download(self):
        self._enqueue(0, to_host=True)
        for i in range(self.number):
            if i + 1 < self.number:
                self._enqueue(i + 1, to_host=True)
            self.events[i % 2].synchronize()
            np.copyto(self._piece(i), self.blocks[i % 2].host)

    def upload(self):
        for i in range(self.number):
            if i >= 2:
                self.events[i % 2].synchronize()
            np.copyto(self.blocks[i % 2].host, self._piece(i))
            self._enqueue(i, to_host=False)
