"""What NumPy gets for device arrays: host memory with their layout, for the time of one call.

Arrays whose memory overlaps get views of one stretch of host memory, at the same distances, with the same strides and the same
alignment. So whatever NumPy does with them has the effect that it has on arrays of its own: what it changed goes back, and a
result that lies in that memory is a view of the device array.
"""

import numpy as np


def memory_range(array):
    """The addresses (low, high) that the elements of an array with elements lie between."""
    low, high = array.data.ptr, array.data.ptr + array.itemsize
    for extent, stride in zip(array.shape, array.strides, strict=True):
        reach = (extent - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high


def plain_view(array):
    """A view of every element of `array`, in the order of memory: what can be copied in the fewest pieces."""
    key = tuple(slice(0, 1) if stride == 0 else slice(None, None, -1 if stride < 0 else 1) for stride in array.strides)
    axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    return array._view_like(lambda outline: outline[(*key, ...)].transpose(axes).squeeze())


class _Block:
    """Host memory for the device's addresses from `low` to `high`; `array` is one that lies there."""

    def __init__(self, low, high, array):
        self.low, self.high, self.array = low, high, array
        room = np.empty(high - low + 256, np.uint8)
        start = (low - room.ctypes.data) % 256  # aligned as on the device
        self.bytes = room[start : start + high - low]
        self.start = self.bytes.ctypes.data

    def holds(self, array):
        return self.low <= array.data.ptr < self.high

    def view(self, array):
        return np.ndarray(array.shape, array.dtype, self.bytes, array.data.ptr - self.low, array.strides)

    def device_view(self, address, view):
        offset = self.low + address - self.start - self.array.memory.ptr
        return self.array._sibling(offset, view.shape, view.dtype, view.strides)


class HostMemory:
    """Host memory for the device arrays of one call.

    With load=False nothing is copied, and the elements have no values: for functions that only make views.
    """

    def __init__(self, arrays, load=True):
        self._arrays = {id(array): array for array in arrays}
        filled = [array for array in self._arrays.values() if array.size]
        extents = []
        for low, high, array in sorted(((*memory_range(array), array) for array in filled), key=lambda extent: extent[:2]):
            if extents and low < extents[-1][1]:
                extents[-1][1] = max(high, extents[-1][1])
            else:
                extents.append([low, high, array])
        self._blocks = [_Block(*extent) for extent in extents]
        self.views = {number: self._view(array) for number, array in self._arrays.items()}  # by id of the device array
        self._owners = {id(view): self._arrays[number] for number, view in self.views.items()}
        if load:
            self._plain = [plain_view(array) for array in filled]
            for array in self._plain:
                self._view(array)[...] = array._get()
            self._before = [block.bytes.copy() for block in self._blocks]

    def _view(self, array):
        if not array.size:
            return np.empty(array.shape, array.dtype)
        return next(block for block in self._blocks if block.holds(array)).view(array)

    def store(self):
        """Copies the arrays that have changed back to the device."""
        for array in self._plain:
            block, before = next(entry for entry in zip(self._blocks, self._before, strict=True) if entry[0].holds(array))
            if not np.array_equal(_bytes_of(array, block.bytes, block.low), _bytes_of(array, before, block.low)):
                array._set(np.array(block.view(array), order="C"))

    def store_all(self):
        """Copies every array to the device."""
        for array in [plain_view(array) for array in self._arrays.values() if array.size]:
            array._set(np.array(self._view(array), order="C"))

    def device_array(self, view):
        """The device array that shows what a host array shows of this memory: an argument itself, or a view; None: neither."""
        if id(view) in self._owners:
            return self._owners[id(view)]
        address = view.__array_interface__["data"][0]
        for block in self._blocks:
            if view.size and block.start <= address < block.start + block.bytes.size:
                return block.device_view(address, view)
        return None


def _bytes_of(array, memory, low):
    """The bytes of a plain view's elements in host memory that stands for the device's from the address `low`."""
    return np.ndarray((*array.shape, array.itemsize), np.uint8, memory, array.data.ptr - low, (*array.strides, 1))
