"""gpu.py - is there a CUDA device here, and what drives it: asked of the driver itself, before anything is built or installed.

    python tests/gpu/gpu.py PROGRAM        exit status 3 and one line in the name of PROGRAM where there is none
"""

import ctypes
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Missing(Exception):
    """No CUDA device can be used here; says why."""


def driver_version():
    """CUDA's version that the driver serves, (13, 0); Missing when there is no driver or no device."""
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
    return version.value // 1000, version.value % 1000 // 10


def install(version):
    """Installs CuPy for a driver, and compute-sanitizer, into this interpreter; Missing with pip's words where it cannot."""
    requirements = HERE / f"requirements-cuda{version}.txt"
    if not requirements.exists():
        raise Missing(f"the driver serves CUDA {version}; CuPy is pinned for 12 and 13 only")
    print(f"installing CuPy from {requirements.name}", flush=True)
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Missing("CuPy is not installed, and pip cannot install it: " + (done.stdout.strip().splitlines() or ["no word"])[-1])
    importlib.invalidate_caches()


def prepare():
    """CuPy, installed if this interpreter has none, with a device that works; prints what was found."""
    major, minor = driver_version()
    if importlib.util.find_spec("cupy") is None:
        install(major)
    try:
        import cupy
        devices = [cupy.cuda.runtime.getDeviceProperties(i)["name"].decode() for i in range(cupy.cuda.runtime.getDeviceCount())]
        right = int((cupy.arange(4) + 1).sum()) == 10
    except Exception as error:  # CuPy has errors of its own for every part of CUDA that may be missing
        raise Missing(f"CuPy does not work here: {type(error).__name__}: {error}") from error
    if not right:
        raise Missing("CuPy computes wrong sums here")
    print(f"CuPy {cupy.__version__} (CUDA {cupy.cuda.runtime.runtimeGetVersion()}), driver of CUDA {major}.{minor}: "
          + ", ".join(devices), flush=True)
    return cupy


def find_sanitizer():
    """Path of compute-sanitizer: on PATH, in the toolkit, or from the Python package; None."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [f"{home}/bin/compute-sanitizer" for home in homes if home]
    places += [f"{sysconfig.get_path('platlib')}/nvidia/*/{folder}/compute-sanitizer" for folder in ("bin", "compute-sanitizer")]
    found = [path for place in places for path in glob.glob(place) if os.path.isfile(path)]
    return shutil.which("compute-sanitizer") or (found[0] if found else None)


def refuse(program, reason):
    """Ends the program: exit status 3, the environment is at fault."""
    print(f"{program}: needs a CUDA device: {reason}; nothing was run", file=sys.stderr)
    sys.exit(3)


def main():
    try:
        driver_version()
    except Missing as missing:
        refuse(sys.argv[1], missing)


if __name__ == "__main__":
    main()
