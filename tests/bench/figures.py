"""figures.py - what the benchmarks share: figures with their targets, and timing that survives a busy machine.

A benchmark is a file bench_NAME.py with a function `measure()` that returns a list of Figure. `make bench` runs them all in one
process each and prints one table. Only ratios within one run are judged: nothing here depends on how fast a machine is.
"""

import dataclasses
import itertools
import resource
import subprocess
import time


@dataclasses.dataclass
class Figure:
    """One line of the table. `value` and `limit` have the unit `unit`; without a limit the figure is only reported."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def met(self):
        if self.limit is None:
            return None
        return self.value <= self.limit if self.at_most else self.value >= self.limit


def best_of(candidates, rounds=60):
    """The shortest time that each candidate took: {name: seconds}.

    `candidates` maps a name to a function without arguments that does its work once and returns the seconds it took. They
    take turns, so that a slow spell of the machine meets them all; the minimum is what each takes undisturbed.
    """
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            best[name] = min(best[name], run())
    return best


def calls(function, *arguments, number=1000):
    """A candidate for best_of: seconds of one call of function(*arguments), over `number` calls in a row.

    The arguments are passed as a call in source code passes them, by position.
    """
    variables = {f"a{i}": argument for i, argument in enumerate(arguments)}
    names = ", ".join(variables)
    source = f"def run(f, repeat, clock, {names or '_=None'}):\n" \
             f"    start = clock()\n    for _ in repeat: f({names})\n    return (clock() - start) / {number}\n"
    scope = {}
    exec(compile(source, "<calls>", "exec"), scope)
    run = scope["run"]
    values = list(variables.values())
    return lambda: run(function, itertools.repeat(None, number), time.perf_counter, *values)


def program(command, **options):
    """A candidate for best_of: processor seconds of one run of a program and of all that it starts; its output is thrown away.

    Processor time, since other programs of the machine stretch the other kind by what they like.
    """
    def run():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return run
