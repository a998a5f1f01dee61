"""make check-gpu: the whole runtime suite on real device arrays, with the tests that only a device can run (CuPy's streams,
PyTorch's tensors: tests/runtime/on_device); then all that uses the device once more under compute-sanitizer, each array in an
allocation of its own.

    python tests/gpu/check.py [TEST...]        (pytest's paths; without any: the runtime suite and the examples)

Refuses with exit status 3 on a machine without a CUDA device; 1 when a test or the sanitizer failed. What was left out, and
why, is printed. Ends with one line "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import gpu

ROOT = gpu.HERE.parent.parent
TESTS = ["tests/runtime", "tests/examples"]
# A test that hangs shows where each thread is, and ends the run.
TIME_LIMIT = ["-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true"]
# Tests make CUDA calls fail on purpose, and look at each error themselves. Of the processes they start, only interpreters
# may use the device, and most do not. An overrun of one array reaches the padding before it reaches the next.
SANITIZER_OPTIONS = ["--error-exitcode", "99", "--report-api-errors", "no", "--check-exit-code", "no", "--require-cuda-init", "no",
                     "--padding", "64", "--target-processes", "all", "--target-processes-filter", "regex:python.*"]


def run(title, tests, prefix=(), **environment):
    """One run of the suite on CuPy's arrays; (passed, failed, skipped)."""
    report = Path(os.environ["PKWRAP_BUILD"]).resolve() / f"gpu-{title.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    print(f"=== {title}", flush=True)
    options = ["-q", "-rs", "-p", "no:cacheprovider", *TIME_LIMIT, f"--junitxml={report}"]
    command = [*prefix, sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PKWRAP_TEST_DEVICE": "cupy"} | environment)
    if not report.exists():
        print(f"{title}: pytest did not come to its end (exit status {done.returncode})", flush=True)
        return 0, 1, 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    total, failures, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
    bad = failures + errors
    if done.returncode and not bad:
        print(f"{title}: every test passed, but the exit status is {done.returncode}", flush=True)
        bad = 1
    return total - failures - errors - skipped, bad, skipped


def why_no_sanitizer(sanitizer):
    """Why compute-sanitizer cannot be used: it is not there, or it cannot run a small program on this device. None: it can."""
    if sanitizer is None:
        return "no compute-sanitizer on PATH, in the CUDA toolkit, or among the Python packages"
    done = subprocess.run([sanitizer, *SANITIZER_OPTIONS, sys.executable, "-c", "import cupy; print('sum', cupy.ones(3).sum())"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0 and "sum 3.0" in done.stdout.splitlines():  # the status is 0 also where the program was not started
        return None
    return f"{sanitizer} cannot run a small program (exit status {done.returncode}):\n" + done.stdout[-2000:]


def run_sanitized(tests):
    sanitizer = gpu.find_sanitizer()
    reason = why_no_sanitizer(sanitizer)
    if reason is not None:
        print(f"skipped: {reason}", flush=True)
        return 0, 0, 1
    return run("CuPy under compute-sanitizer", tests, [sanitizer, *SANITIZER_OPTIONS], PKWRAP_TEST_SANITIZED="1")


def main():
    parser = argparse.ArgumentParser(usage="python tests/gpu/check.py [TEST...]")
    parser.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    try:
        gpu.prepare()
    except gpu.Missing as missing:
        gpu.refuse("check-gpu", missing)
    results = [run("CuPy", options.tests), run_sanitized(options.tests)]
    passed, failed, skipped = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
