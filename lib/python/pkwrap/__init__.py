"""pkwrap: compiled host kernels as Python functions that take NumPy and CUDA device arrays.

    import pkwrap as xp

    with xp.use_backend("cupy"):
        field = xp.random.random(1000)      # any function of the backend: NumPy, or CuPy and what stands for it

What is not listed in __all__ is looked up in the module of the backend that is active at that moment.
"""

from pkwrap._pkwrap import CudaError, UndeclaredWriteError, __version__, staging_bytes, stats, trim
from pkwrap.backend import array_module, get_backend, is_gpu, set_backend, to_cupy, to_numpy, use_backend
from pkwrap.kernels import KernelArguments, PyccelKernel, fallback, resolve_host_args
from pkwrap.profiling import TransferCounter, TransferEvent, assert_no_transfers, count_transfers
from pkwrap.paths import get_include
from pkwrap.watching import Observations, learn, verify

__all__ = [
    "CudaError",
    "KernelArguments",
    "Observations",
    "PyccelKernel",
    "TransferCounter",
    "TransferEvent",
    "UndeclaredWriteError",
    "__version__",
    "assert_no_transfers",
    "count_transfers",
    "fallback",
    "get_backend",
    "get_include",
    "is_gpu",
    "learn",
    "resolve_host_args",
    "set_backend",
    "staging_bytes",
    "stats",
    "to_cupy",
    "to_numpy",
    "trim",
    "use_backend",
    "verify",
]


def __getattr__(name):
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(f"module 'pkwrap' has no attribute {name!r}")
    module = array_module()
    try:
        return getattr(module, name)
    except AttributeError:
        raise AttributeError(f"neither 'pkwrap' nor its backend {module.__name__!r} has an attribute {name!r}") from None


def __dir__():
    return sorted({*globals(), *dir(array_module())})
