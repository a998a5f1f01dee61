"""pkwrap: compiled host kernels as Python functions that take NumPy and CUDA device arrays."""

from pkwrap._pkwrap import CudaError, UndeclaredWriteError, stats
from pkwrap.profiling import TransferCounter, TransferEvent, assert_no_transfers, count_transfers
from pkwrap.watching import Observations, learn, verify

__all__ = [
    "CudaError",
    "Observations",
    "TransferCounter",
    "TransferEvent",
    "UndeclaredWriteError",
    "assert_no_transfers",
    "count_transfers",
    "learn",
    "stats",
    "verify",
]
