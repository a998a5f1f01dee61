"""Runs the test suites of `make check` and counts: one line a suite, and at the end one line over all of them.

    python tests/run.py [SUITE...]        (all suites: see SUITES)

A suite that fails, crashes, times out or runs no test at all fails the run. The whole output of a suite is in
$PKWRAP_BUILD/log/SUITE.log; of a failing one it is printed as well. Environment: PKWRAP_BUILD (the folder that make
built into), PKWRAP_SANITIZED and PKWRAP_THREADS (folders built with SANITIZE=address,undefined and SANITIZE=thread).
"""

import collections
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy_first

ROOT = Path(__file__).resolve().parent.parent
PLAIN = Path(os.environ["PKWRAP_BUILD"]).resolve()
SANITIZED = Path(os.environ.get("PKWRAP_SANITIZED", PLAIN / "sanitize")).resolve()
THREADS = Path(os.environ.get("PKWRAP_THREADS", PLAIN / "threads")).resolve()
LOGS = PLAIN / "log"

Counts = collections.namedtuple("Counts", "passed failed skipped reasons")
FAILED_TO_RUN = Counts(0, 1, 0, {})

SANITIZER_OPTIONS = {
    # Leaks are looked for where the whole process is ours: see run_unit, and tests/house/test_leaks.py for Python.
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
# Modules that tests build under sanitizers are instrumented as well.
SANITIZER_FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"


def environment(build, sanitized):
    """What a suite finds in its environment: where to find what was built, and the sanitizers' settings."""
    variables = dict(os.environ)
    variables |= {
        "PKWRAP_BUILD": str(build),
        "PKWRAP_TOOL": str(build / "pkwrap"),
        "PYTHONPATH": str(build / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PKWRAP_SANITIZE": "1" if sanitized else "",
        "PATH": numpy_first.path_with_compilers(PLAIN / "compilers"),
    }
    variables.pop("PKWRAP_DEVICE", None)
    if sanitized:
        variables |= SANITIZER_OPTIONS
    return variables


def run(command, log, variables, limit):
    """Runs a command with its output in the open file `log`. The exit status; None when it did not start or took too long."""
    print("$", shlex.join(map(str, command)), file=log, flush=True)
    try:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                   env=variables, start_new_session=True)
    except OSError as error:
        print(error, file=log, flush=True)
        return None
    try:
        return process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with what it has started
        process.wait()
        print(f"\nstopped after {limit} seconds", file=log, flush=True)
        return None


CHECK_LINE = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$", re.MULTILINE)


def run_unit(log, build, sanitized, names="test_*"):
    """The Check programs of tests/unit; a program that ends without its line of counts counts as one failure."""
    variables = environment(build, sanitized)
    if sanitized:
        variables["ASAN_OPTIONS"] = variables["ASAN_OPTIONS"].replace("detect_leaks=0", "detect_leaks=1")
    passed = failed = 0
    sources = sorted((ROOT / "tests/unit").glob(names + ".c"))
    for source in sources:
        start = log.tell()
        status = run([build / "tests" / source.stem], log, variables, 120)
        log.flush()
        counted = CHECK_LINE.findall(Path(log.name).read_text(errors="replace")[start:])
        bad = sum(int(failures) + int(errors) for _, failures, errors in counted)
        good = sum(int(checks) for checks, _, _ in counted) - bad
        if bad == 0 and (status != 0 or good == 0):
            print(f"{source.stem}: exit status {status}, {good} checks", file=log, flush=True)
            bad = 1
        passed, failed = passed + good, failed + bad
    return Counts(passed, failed, 0, {})


# What tests compile with other tools than ours is not instrumented, and serves both builds.
COMPILED = ("cache", "pyccel", "struphy")


def share_compiled(build):
    """One folder for each of COMPILED, below PLAIN, also where `build` is another one."""
    for name in COMPILED if build != PLAIN else ():
        (PLAIN / name).mkdir(exist_ok=True)
        if not (build / name).exists():
            (build / name).symlink_to(PLAIN / name)


def run_pytest(log, build, sanitized, paths, share="loadfile"):
    """One pytest run over two processes, which share the tests by file (whose fixtures are built once), or as `share` says.
    Counts come from its JUnit file, so a crash of pytest itself is a failure."""
    variables = environment(build, sanitized)
    share_compiled(build)
    if sanitized:
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        variables["LD_PRELOAD"] = library.stdout.strip()
        variables["CFLAGS"] = variables["LDFLAGS"] = SANITIZER_FLAGS
        variables["CC"] = "gcc"
    report = Path(log.name).with_suffix(".xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", share, "-p", "no:cacheprovider",
               f"--junitxml={report}", *paths]
    status = run(command, log, variables, 3600)
    if not report.exists():
        return FAILED_TO_RUN
    suite = ElementTree.parse(report).getroot().find("testsuite")
    total, failures, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
    reasons = collections.Counter(skip.get("message") for skip in suite.iter("skipped"))
    bad = failures + errors
    if bad == 0 and (status != 0 or total == 0):
        bad = 1
    return Counts(max(total - failures - errors - skipped, 0), bad, skipped, reasons)


def test_folders(*names):
    return [f"tests/{name}" for name in names if any((ROOT / "tests" / name).glob("**/test_*.py"))]


LEAKS = "tests/house/test_leaks.py"  # needs the sanitizers
RUNTIME = ("golden", "reject", "runtime", "examples")
SUITES = {
    "unit": lambda log: run_unit(log, PLAIN, False),
    "unit-sanitized": lambda log: run_unit(log, SANITIZED, True),
    "unit-threads": lambda log: run_unit(log, THREADS, False, "test_core_threads"),
    "house": lambda log: run_pytest(log, PLAIN, False, ["tests/house", f"--ignore={LEAKS}"], "load"),
    "python": lambda log: run_pytest(log, PLAIN, False, test_folders(*RUNTIME)),
    "python-sanitized": lambda log: run_pytest(log, SANITIZED, True, test_folders(*RUNTIME) + [LEAKS]),
}


def line(counts):
    return f"{counts.passed} passed, {counts.failed} failed" + (f", {counts.skipped} skipped" if counts.skipped else "")


def run_suite(name):
    start = time.monotonic()
    path = LOGS / f"{name}.log"
    with open(path, "w") as log:
        try:
            counts = SUITES[name](log)
        except Exception as error:  # a suite that cannot even start has failed; the others still run
            print(f"{type(error).__name__}: {error}", file=log)
            counts = FAILED_TO_RUN
    if counts.failed:
        print(path.read_text(errors="replace"))
    print(f"suite {name + ':':18}{line(counts)}  [{time.monotonic() - start:.0f} s]", flush=True)
    for reason, times in counts.reasons.items():
        print(f"    {times} skipped: {reason}", flush=True)
    return counts


def main(names):
    LOGS.mkdir(parents=True, exist_ok=True)
    results = [run_suite(name) for name in names or SUITES]
    total = Counts(*(sum(counts[i] for counts in results) for i in range(3)), {})
    print(line(total), flush=True)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
