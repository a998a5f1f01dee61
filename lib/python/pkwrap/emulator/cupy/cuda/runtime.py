"""The entry points of the CUDA Runtime that programs call by name, by those of `cupy.cuda.runtime`."""

from pkwrap._pkwrap import emulator as _emulator

getDevice = _emulator.get_device
setDevice = _emulator.set_device
getDeviceCount = _emulator.get_device_count
deviceSynchronize = _emulator.device_synchronize
streamSynchronize = _emulator.stream_synchronize
pointerGetAttributes = _emulator.pointer_attributes


def getDeviceProperties(device):
    """A dictionary with the device's name, memory and version: there is no hardware behind it."""
    return {"name": f"pkwrap emulator {device}".encode(), "totalGlobalMem": _emulator.memory_size(), "major": 9, "minor": 0}


def memGetInfo():
    """Bytes of the current device that are free, and bytes in all."""
    total = _emulator.memory_size()
    return total - _emulator.allocated(_emulator.get_device()), total
