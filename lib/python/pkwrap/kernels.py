"""Host kernels that are called with device arrays: PyccelKernel, and arguments that stand for others."""

from pkwrap._pkwrap import PyccelKernel, fallback

__all__ = ["KernelArguments", "PyccelKernel", "fallback", "resolve_host_args"]


class KernelArguments:
    """A base class for argument objects that a kernel does not take as they are.

    An argument whose class defines `__host_args__` is replaced by what that method returns, before a PyccelKernel looks at its
    arguments; what launches CUDA kernels asks for `__cuda_args__`. A class need not derive from this one.
    """

    def __host_args__(self):
        """The object that a host kernel is called with in place of this one."""
        raise NotImplementedError(f"{type(self).__name__}.__host_args__")

    def __cuda_args__(self):
        """The arguments that a CUDA kernel is launched with in place of this one, a tuple."""
        raise NotImplementedError(f"{type(self).__name__}.__cuda_args__")


def _resolve(argument):
    return argument.__host_args__() if callable(getattr(type(argument), "__host_args__", None)) else argument


def resolve_host_args(args, kwargs=None):
    """The arguments as a host kernel gets them: a tuple and a dict, each argument replaced by what its `__host_args__` returns."""
    return tuple(map(_resolve, args)), {name: _resolve(value) for name, value in (kwargs or {}).items()}
