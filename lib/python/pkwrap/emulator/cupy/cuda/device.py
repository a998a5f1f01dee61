"""Devices, by the names of `cupy.cuda.device`."""

from pkwrap._pkwrap import emulator as _emulator

_COMPUTE_CAPABILITY = "90"  # what programs that ask for it find enough; there is no hardware behind it


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

    @property
    def compute_capability(self):
        """Major and minor number, a string of digits."""
        return _COMPUTE_CAPABILITY

    @property
    def mem_info(self):
        """Bytes that are free, and bytes in all."""
        total = _emulator.memory_size()
        return total - _emulator.allocated(self.id), total

    @property
    def pci_bus_id(self):
        return f"0000:{self.id:02X}:00.0"


def get_device_id():
    """Number of the current device."""
    return _emulator.get_device()


def get_compute_capability():
    return _COMPUTE_CAPABILITY
