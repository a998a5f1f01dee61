"""pkwrap: compiled host kernels as Python functions that take NumPy and CUDA device arrays."""

from pkwrap._pkwrap import CudaError, UndeclaredWriteError, stats

__all__ = ["CudaError", "UndeclaredWriteError", "stats"]
