"""gpu.py - is there a CUDA device here, and what drives it: asked of the driver itself, before anything is installed."""

import ctypes
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Missing(Exception):
    """No CUDA device can be used here; says why."""


def driver_version():
    """Major version of CUDA that the driver serves (12, 13); Missing when there is no driver or no device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Missing("no CUDA driver (libcuda.so.1 cannot be loaded)") from error
    status = driver.cuInit(0)
    if status:
        raise Missing(f"the CUDA driver does not start (cuInit returned {status})")
    count, version = ctypes.c_int(), ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    if count.value == 0:
        raise Missing("the CUDA driver knows no device")
    driver.cuDriverGetVersion(ctypes.byref(version))
    return version.value // 1000


def prepare():
    """Installs CuPy for this driver, and what the scripts plot with, into this interpreter; says so. Then CuPy imports."""
    version = driver_version()
    if version not in (12, 13):
        raise Missing(f"the driver serves CUDA {version}; CuPy is pinned for 12 and 13 only")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                    "-r", HERE / f"requirements-cuda{version}.txt"], check=True)
    import cupy
    return cupy


def refuse(program, reason):
    """Ends the program: exit status 3, the environment is at fault."""
    print(f"{program}: needs a CUDA device: {reason}; nothing was run", file=sys.stderr)
    sys.exit(3)
