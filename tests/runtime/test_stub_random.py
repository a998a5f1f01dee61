"""200 random kernels: what `inspect` says they write, and what they write when Python runs them.

Every condition of a program is a pseudo-random function of its number, of the argument c and of the loop's round, and each
function runs with many c; so what can be written on any path is, nearly always, seen to be written. Then the analysis may miss
nothing, and should claim nothing else.
"""

import random
from itertools import count

import numpy as np

from front import inspect

N_PROGRAMS, N_FUNCTIONS, N_RUNS = 40, 5, 150
PARAMS = ("x", "y", "m", "k")  # two of rank 1, two of rank 2
SIGNATURE = "x : 'float[:]', y : 'float[:]', m : 'float[:,:]', k : 'float[:,:]', c : int"


class Program:
    """Source of N_FUNCTIONS functions; each may call those before it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.conditions = count(1)
        self.values = count(2)
        self.names = count()
        lines = ["from numpy import zeros", ""]
        for index in range(N_FUNCTIONS):
            self.index = index
            lines.append(f"def f{index}({SIGNATURE}):")
            lines += self.block({1: ["x", "y"], 2: ["m", "k"]}, "    ", None, 0)
            lines.append("")
        self.source = "\n".join(lines)

    def pick(self, scope, rank):
        return self.random.choice(scope[rank])

    def block(self, scope, indent, loop, depth):
        scope = {rank: list(names) for rank, names in scope.items()}
        lines = []
        for _ in range(self.random.randint(2, 4)):
            lines += [indent + line for line in self.statement(scope, loop, depth)]
        return lines

    def new(self, scope, rank):
        """A name to assign to: a new one, or (also a parameter) one that is there."""
        if self.random.random() < 0.4:
            return self.pick(scope, rank)
        return f"a{next(self.names)}"

    def source_of(self, scope, rank):
        one, other = self.pick(scope, rank), self.pick(scope, rank)
        choices = [one, f"{one}[:]", f"{one}[::-1]", f"{one} if {self.condition(None)} else {other}"]
        if rank == 1:
            two = self.pick(scope, 2)
            choices += [f"{two}[1]", f"{two}[:, 0]", f"{two}.T[2]", f"{one} + 1.0", f"{one}.copy()", "zeros(4)"]
        else:
            choices += [f"{one}.T", f"{one} * {other}", "zeros((4, 4))"]
        return self.random.choice(choices)

    def condition(self, loop):
        return f"(c + 97 * {loop or 0} + 31 * {next(self.conditions)}) * 2654435761 // 65536 % 2 == 1"

    def statement(self, scope, loop, depth):
        kind = self.random.choice(["store", "store", "alias", "alias", "number", "in place", "if", "for", "call"])
        value = next(self.values)
        if kind == "store":
            row, matrix = self.pick(scope, 1), self.pick(scope, 2)
            choices = [f"{row}[1] = {value}.0", f"{row}[:] = {value}.0", f"{matrix}[1, 2] = {value}.0", f"{matrix}[0] = {row}"]
            return [self.random.choice(choices)]
        if kind == "alias":
            rank = self.random.choice([1, 1, 2])
            source = self.source_of(scope, rank)
            name = self.new(scope, rank)
            if name not in scope[rank]:
                scope[rank].append(name)
            return [f"{name} = {source}"]
        if kind == "number":
            name = f"s{next(self.names)}"
            row, matrix = self.pick(scope, 1), self.pick(scope, 2)
            place = self.random.choice([f"{row}[2]", f"{matrix}[1, 1]", f"{matrix}[0][3]"])
            return [f"{name} = {place}", f"{name} += {value}.0"]
        if kind == "in place":
            return [f"{self.pick(scope, self.random.choice([1, 2]))} += {value}.0"]
        if kind == "if" and depth < 3:
            lines = [f"if {self.condition(loop)}:", *self.block(scope, "    ", loop, depth + 1)]
            if self.random.random() < 0.5:
                lines += ["else:", *self.block(scope, "    ", loop, depth + 1)]
            return lines
        if kind == "for" and depth < 2:
            i = f"i{next(self.names)}"
            return [f"for {i} in range(4 if {self.condition(loop)} else 0):", *self.block(scope, "    ", i, depth + 1)]
        if self.index > 0:
            arguments = [self.pick(scope, 1), self.pick(scope, 1), self.pick(scope, 2), self.pick(scope, 2)]
            return [f"f{self.random.randrange(self.index)}({', '.join(arguments)}, 3 * c + {loop or 0})"]
        return ["pass"]


def observed(source):
    """{function: parameters that change in some run}."""
    space = {}
    exec(compile(source, "random", "exec"), space)
    generator = np.random.default_rng(1)
    found = {}
    for index in range(N_FUNCTIONS):
        found[f"f{index}"] = changed = set()
        for c in range(N_RUNS):
            arrays = {name: generator.uniform(0.1, 0.9, (4,) if name in "xy" else (4, 4)) for name in PARAMS}
            before = {name: array.copy() for name, array in arrays.items()}
            space[f"f{index}"](*arrays.values(), c)
            changed |= {name for name in PARAMS if not np.array_equal(arrays[name], before[name])}
    return found


def depends_on(source, name, param):
    """True if the contents that an array has before a call of the function show afterwards."""
    space = {}
    exec(compile(source, "random", "exec"), space)
    for c in range(N_RUNS):
        results = []
        for filling in (0.25, 0.75):
            generator = np.random.default_rng(c)
            arrays = {p: generator.uniform(0.1, 0.9, (4,) if p in "xy" else (4, 4)) for p in PARAMS}
            arrays[param][...] = filling
            space[name](*arrays.values(), c)
            results.append(arrays)
        if any(not np.array_equal(results[0][p], results[1][p]) for p in PARAMS):
            return True
    return False


def test_random_kernels(tmp_path):
    programs = [Program(seed).source for seed in range(N_PROGRAMS)]
    for number, source in enumerate(programs):
        (tmp_path / f"p{number}.py").write_text(source)
    kernels = inspect(tmp_path, None, *[f"p{number}.py" for number in range(N_PROGRAMS)])["kernels"]
    assert len(kernels) == N_PROGRAMS * N_FUNCTIONS
    claimed = {(k["file"], k["name"]): {p["name"] for p in k["params"] if p["writes"] != "no"} for k in kernels}
    n_claimed = n_false = 0
    for number, source in enumerate(programs):
        for name, changed in observed(source).items():
            found = claimed[f"p{number}.py", name]
            assert changed <= found, f"missed {changed - found} of {name}:\n{source}"
            n_claimed += len(found)
            n_false += len(found - changed)
    overwritten = [(k["file"], k["name"], p["name"]) for k in kernels for p in k["params"] if p["overwritten"]]
    for file, name, param in overwritten:
        assert not depends_on(programs[int(file[1:-3])], name, param), f"{param} of {name} is read:\n{programs[int(file[1:-3])]}"
    assert n_claimed > 400 and len(overwritten) > 10  # the kernels do write
    assert n_false <= 0.02 * n_claimed
