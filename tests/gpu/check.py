"""make check-gpu: the whole runtime suite on real device arrays (CuPy, and PyTorch where it is installed), then under
compute-sanitizer. Refuses on a machine without a CUDA device. Ends with one line "N passed, N failed".
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import gpu

ROOT = gpu.HERE.parent.parent
TESTS = ["tests/runtime", "tests/examples"]


def run(title, device, prefix=()):
    """One run of the suite with PKWRAP_TEST_DEVICE=device; (passed, failed, skipped)."""
    report = Path(os.environ["PKWRAP_BUILD"]).resolve() / f"gpu-{title.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    print(f"=== {title}", flush=True)
    done = subprocess.run([*prefix, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *TESTS],
                          cwd=ROOT, env=os.environ | {"PKWRAP_TEST_DEVICE": device})
    if not report.exists():
        return 0, 1, 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    total, failures, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
    bad = failures + errors
    if done.returncode and not bad:  # compute-sanitizer found something, or pytest did not get far
        bad = 1
    return total - failures - errors - skipped, bad, skipped


def main():
    try:
        gpu.prepare()
    except gpu.Missing as missing:
        gpu.refuse("check-gpu", missing)
    results = [run("CuPy", "cupy")]
    if importlib.util.find_spec("torch"):
        results.append(run("PyTorch", "torch"))
    else:
        print("skipped: PyTorch is not installed")
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer:
        results.append(run("CuPy under compute-sanitizer", "cupy",
                           [sanitizer, "--error-exitcode", "1", "--target-processes", "all"]))
    else:
        print("skipped: no compute-sanitizer on PATH")
    passed, failed, skipped = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
