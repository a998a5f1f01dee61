"""A device in a process: contexts, forks, and what is left after a kernel that broke it."""

PRIMARY_CONTEXT = """
import ctypes
def is_active(device=0):
    driver = ctypes.CDLL("libcuda.so.1")
    flags, active = ctypes.c_uint(), ctypes.c_int()
    assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active)) == 0
    return bool(active.value)
"""


def test_F37_import_and_host_calls_make_no_context_and_leave_fork_possible(python):
    out = python(PRIMARY_CONTEXT + """
import os, numpy as np, pkwrap
kernel = pkwrap.PyccelKernel(lambda a: float(a.sum()))
kernel(np.ones(3))
child = os.fork()
if child == 0:
    import cupy
    os._exit(0 if kernel(cupy.ones(5)) == 5 else 1)
print(os.waitpid(child, 0)[1], is_active())
""")
    assert out.split() == ["0", "False"]


def test_F37_device_use_in_a_forked_child_is_an_error(python):
    out = python("""
import os, sys, cupy, pkwrap
kernel = pkwrap.PyccelKernel(lambda a: float(a.sum()))
x = cupy.ones(3)
kernel(x)
child = os.fork()
if child == 0:
    try:
        kernel(x)
    except RuntimeError as error:
        print("fork" in str(error))
        sys.stdout.flush()
    os._exit(0)
print(os.waitpid(child, 0)[1], kernel(x))
""")
    assert out.split() == ["True", "0", "3.0"]


def test_c40_an_error_of_earlier_work_is_not_blamed_on_the_call(python):
    out = python("""
import cupy, numpy as np, pkwrap
wild = cupy.RawKernel('extern "C" __global__ void wild(long long at) { *(volatile int *)at = 1; }', "wild")
ran = []
kernel = pkwrap.PyccelKernel(lambda a: ran.append(a), outputs=())  # no write-back, which could be what failed
x = cupy.ones(3)
kernel(x)
wild((1,), (1,), (16,))
for _ in range(2):
    try:
        kernel(x)
    except pkwrap.CudaError as error:
        print(str(error).startswith("<lambda>(): cudaError") and "before this call" in str(error), len(ran))
    except RuntimeError as error:  # CuPy's own, when it was asked for its stream
        print("cudaError" in str(error), len(ran))
kernel(np.ones(3))
print(len(ran), flush=True)
import os; os._exit(0)  # the context is broken: nothing could be freed in order
""")
    assert out.split() == ["True", "1", "True", "1", "2"]
