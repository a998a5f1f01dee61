"""Verify and learn mode: which arrays do kernels really write (C50 to C53 of the manual's contract)?

    with pkwrap.verify():
        run_tests()                 # a write to an array that is not declared as written: UndeclaredWriteError

    with pkwrap.learn() as seen:
        run_tests()
    seen.save("observed.json")      # for `pkwrap check --observed` and `pkwrap init --observed`

The environment variables PKWRAP_VERIFY=1 and PKWRAP_LEARN=FILE do the same for a whole process.
"""

import atexit
import collections
import contextlib
import json
import os
import threading

from pkwrap import _pkwrap

__all__ = ["Observations", "learn", "verify"]

_lock = threading.Lock()
_verifying = 1 if _pkwrap.is_verifying() else 0
_learning = []


class Observations:
    """What arguments did, by kernel.

    Attributes
    ----------
    calls : dict
        {(module, kernel): {argument: (number of calls, number of those in which it changed)}}
    unchanged_bytes : dict
        {(module, kernel): {argument: sum of its bytes in the calls in which it did not change}}
    """

    def __init__(self):
        self.calls = collections.defaultdict(dict)
        self.unchanged_bytes = collections.defaultdict(collections.Counter)

    def record(self, module, kernel, argument, changed, nbytes):
        """Adds what an array argument did in one call."""
        arguments = self.calls[module, kernel]
        calls, changes = arguments.get(argument, (0, 0))
        arguments[argument] = (calls + 1, changes + changed)
        self.unchanged_bytes[module, kernel][argument] += 0 if changed else nbytes

    def written(self, module, kernel):
        """Names of the arguments that were seen to change, in the order in which they were first seen."""
        return [name for name, (_, changes) in self.calls.get((module, kernel), {}).items() if changes]

    def as_json(self):
        """The observations as `pkwrap check --observed` reads them."""
        kernels = [
            {
                "module": module,
                "kernel": kernel,
                "arguments": [
                    {
                        "name": name,
                        "calls": calls,
                        "changed": changes,
                        "unchanged_bytes": self.unchanged_bytes[module, kernel][name],
                    }
                    for name, (calls, changes) in arguments.items()
                ],
            }
            for (module, kernel), arguments in self.calls.items()
        ]
        return json.dumps({"version": 1, "kernels": kernels}, indent=2) + "\n"

    def save(self, path):
        """Writes them to a file, whole or not at all."""
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(self.as_json())
        os.replace(temporary, path)


def _tell_all(module, kernel, argument, changed, nbytes):
    for observations in tuple(_learning):
        observations.record(module, kernel, argument, changed, nbytes)


def _apply():
    _pkwrap.set_watching(_verifying > 0, _tell_all if _learning else None)


@contextlib.contextmanager
def verify():
    """Compares every array that is not declared as written before and after each call, in all threads.

    Host arrays are compared too, so that an ordinary test run on the CPU finds missing declarations. What has changed is put
    back as it was; read-only arrays are never written to. Where an array is declared overwritten, the kernel gets memory that is
    filled with a pattern, a NaN for floating-point numbers: what is left of it is reported, and so are numbers that were
    computed from it.

    Raises
    ------
    UndeclaredWriteError
        By the call: kernel, argument, first index that differs, and both values.
    """
    global _verifying
    with _lock:
        _verifying += 1
        _apply()
    try:
        yield
    finally:
        with _lock:
            _verifying -= 1
            _apply()


@contextlib.contextmanager
def learn():
    """Records which array arguments of which kernel change, in all threads.

    Yields
    ------
    Observations
    """
    observations = Observations()
    with _lock:
        _learning.append(observations)
        _apply()
    try:
        yield observations
    finally:
        with _lock:
            _learning.remove(observations)
            _apply()


def _learn_from_environment(path):
    observations = Observations()
    _learning.append(observations)
    _apply()
    atexit.register(observations.save, path)


if os.environ.get("PKWRAP_LEARN"):
    _learn_from_environment(os.environ["PKWRAP_LEARN"])
