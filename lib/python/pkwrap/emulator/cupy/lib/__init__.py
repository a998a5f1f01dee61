"""By the names of `cupy.lib`."""

from pkwrap.emulator.cupy.lib import stride_tricks

__all__ = ["stride_tricks"]
