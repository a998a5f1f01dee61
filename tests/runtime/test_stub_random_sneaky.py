"""Random kernels of Python's harder parts: closures, special methods, containers, objects, generators, decorators, names that are
bound in every way. Whatever some run changes may not be claimed unwritten, and what is called overwritten may not show.

RANDOM_KERNELS=10000 (`make soak`) runs that many; RANDOM_SEED starts elsewhere.
"""

import os
import random
import signal
from itertools import count, islice

import numpy as np

from front import inspect

N_PROGRAMS = int(os.environ.get("RANDOM_KERNELS", "120"))
FIRST = int(os.environ.get("RANDOM_SEED", "0"))
N_RUNS = 12
ARRAYS = ("x", "y", "z")
SIGNATURE = "x: 'float[:]', y: 'float[:]', z: 'float[:]', c: int"

PRELUDE = """
from numpy import add, asarray, array, copyto, empty, reshape, zeros
class Vector:
    def __init__(self, d: 'float[:]'):
        self.d = d
    def put(self, v: float):
        self.d[1] = v
    @property
    def same(self):
        return self.d
{methods}
def same(a):
    return a
def put(a: 'float[:]', v: float):
    a[2] = v
def each(a):
    yield a
def keep(a):
    return lambda: a
def call(g, *more):
    return g(*more)
def plain(g):
    return g
def other(g):
    def w(a):
        a[3] = 0.125
    return w
def pack(*a, **k):
    return [*a, *k.values()]
@{decorator}
def look(a: 'float[:]'):
    return a[0]
"""

METHODS = (
    "def __add__(self, v):\n        self.d[0] = v\n        return 1.0",
    "def __radd__(self, v):\n        self.d[0] = v\n        return 1.0",
    "def __iadd__(self, v):\n        self.d[0] = v\n        return self",
    "def __neg__(self):\n        return self.d",
    "def __len__(self):\n        self.d[0] = 0.75\n        return 1",
    "def __getitem__(self, i):\n        if i > 2:\n            raise IndexError\n        return self.d",
    "def __setitem__(self, i, v):\n        self.d[i] = v",
    "def __call__(self):\n        return self.d",
    "def __enter__(self):\n        return self.d\n    def __exit__(self, a, b, e):\n        return True",
    "def __iter__(self):\n        return iter([self.d])",
    "def __lt__(self, v):\n        self.d[0] = 0.625\n        return True",
    "def __del__(self):\n        self.d[3] = 0.5",
    "def __getattr__(self, name):\n        return self.d",
    "def __contains__(self, v):\n        self.d[1] = 0.375\n        return True",
    "def __float__(self):\n        self.d[1] = 0.25\n        return 1.0",
    "def __format__(self, how):\n        self.d[2] = 0.875\n        return ''",
)


class Program:
    """A source with one function f. Names: a* arrays, l* lists of arrays, o* objects, g* functions that give an array back."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = count(2)
        self.conditions = count(1)
        self.names = count()
        methods = self.random.sample(METHODS, self.random.choice([0, 0, 2, 5]))
        self.is_special = bool(methods)
        prelude = PRELUDE.format(methods="\n".join("    " + m for m in methods), decorator=self.pick(["plain", "plain", "other"]))
        scope = {"a": list(ARRAYS), "l": ["l"], "o": ["o"], "g": ["g"]}
        lines = ["l = [zeros(4)]", "o = Vector(zeros(4))", "g = lambda: zeros(4)"]
        for _ in range(self.random.randint(3, 7)):
            lines += self.statement(scope, 0)
        self.source = f"{prelude}def f({SIGNATURE}):\n" + "".join(f"    {line}\n" for line in lines)

    def pick(self, choices):
        return self.random.choice(choices)

    def condition(self):
        return f"(c + 31 * {next(self.conditions)}) * 2654435761 // 65536 % 2 == 1"

    def number(self, scope):
        return self.pick(
            [f"{next(self.values)}.0"] * 4 + [f"{self.pick(scope['a'])}[1]", f"len({self.pick(scope['l'])})", "c * 1.0"]
        )

    def array(self, scope, depth=0):
        """An expression for an array of rank 1."""
        a, b = self.pick(scope["a"]), self.pick(scope["a"])
        lst, obj, fun = self.pick(scope["l"]), self.pick(scope["o"]), self.pick(scope["g"])
        if depth < 2 and self.random.random() < 0.4:
            a = self.array(scope, depth + 1)
        simple = [a, a, b, f"{a}[:]", f"{a}[::-1]", f"{lst}[0]", f"{lst}[-1]", f"{obj}.d", f"{obj}.same", f"{fun}()"]
        views = [
            f"same({a})",
            f"asarray({a})",
            f"({a}).view()",
            f"reshape({a}, 4)",
            f"({a}).T",
            f"(({a}) if {self.condition()} else {b})",
        ]
        new = [f"({a}).copy()", f"(({a}) + 1.0)", "zeros(4)", f"array({a})"]
        held = [
            f"[{a}][0]",
            f"({a}, 1)[0]",
            f"{{0: {a}}}[0]",
            f"next(each({a}))",
            f"keep({a})()",
            f"(lambda q: q)({a})",
            f"(lambda q={a}: q)()",
            f"Vector({a}).d",
            f"[q for q in {lst}][0]",
            f"next(q for q in {lst})",
            f"call(same, {a})",
            f"pack(1, {a})[1]",
            f"pack(k={a})[0]",
            f"[*{lst}, {a}][-1]",
            f"({obj} and {a})",
            f"max([{a}], default=1)" if self.random.random() < 0.1 else a,
        ]
        return self.pick(simple + views + new + held)

    def new(self, scope, kind):
        if self.random.random() < 0.5:
            return self.pick(scope[kind])
        name = f"{kind}{next(self.names)}"
        scope[kind].append(name)
        return name

    def bind(self, scope):
        e, d = self.array(scope), self.array(scope)
        a = self.new(scope, "a")
        b = self.pick(scope["a"])
        forms = [
            [f"{a} = {e}"],
            [f"{a}, {b} = {e}, {d}"],
            [f"{b}, *{a} = 1, *{e}", f"{b} = {a} = {d}"],
            [f"{a} = {b} = {e}"],
            [f"({a} := {e})"],
            [f"[{a}] = [{e}]"],
            [f"{a}: 'float[:]' = {e}"],
            [f"for {a} in [{e}, {d}]:", "    pass"],
            [f"for i, {a} in enumerate([{e}]):", "    pass"],
            [f"for {a} in each({e}):", "    pass"],
            [f"{a} = {e}", f"del {a}", f"{a} = {d}"],
            [f"match {e}:", f"    case {a}:", "        pass"],
        ]
        return self.pick(forms)

    def store(self, scope):
        e, v, a = self.array(scope), self.number(scope), self.pick(scope["a"])
        forms = [f"({e})[1] = {v}", f"({e})[:] = {v}", f"{a} += {v}", f"{a} *= {v}", f"({e}).fill({v})", f"copyto({e}, {v})"]
        forms += [
            f"add({e}, {v}, {e})",
            f"put({e}, {v})",
            f"({e})[1], c = {v}, c",
            f"for ({e})[0] in [{v}]: pass",
            f"{a}[0] += {v}",
        ]
        forms += [f"look({e})", f"call(put, {e}, {v})", f"[put(q, {v}) for q in [{e}]]", f"(lambda: put({e}, {v}))()"]
        return [self.pick(forms)]

    def container(self, scope):
        e, d, old = self.array(scope), self.array(scope), self.pick(scope["l"])
        lst = self.new(scope, "l")
        forms = [
            f"{lst} = [{e}, {d}]",
            f"{lst} = {old}",
            f"{lst} = {old} + [{e}]",
            f"{lst} = list({old})",
            f"{lst} = [q for q in {old}]",
        ]
        more = [
            f"{old} += [{e}]",
            f"{old}.append({e})",
            f"{old}[0] = {e}",
            f"{old}.extend([{e}])",
            f"{old}[0:0] = [{e}]",
            f"{old} *= 2",
        ]
        more += [f"{old}.insert(0, {e})", f"{old}[-1] += {self.number(scope)}"]
        objects = [f"{lst} = empty(2, dtype=object)", f"{lst}[0] = {e}", f"{lst}[1] = {d}"]
        if lst not in scope["l"][:-1] or self.random.random() < 0.6:
            return objects if self.random.random() < 0.15 else [self.pick(forms)]
        return [self.pick(more)]

    def object(self, scope):
        e, v, old = self.array(scope), self.number(scope), self.pick(scope["o"])
        obj = self.new(scope, "o")
        if self.random.random() < 0.4:
            return [self.pick([f"{obj} = Vector({e})", f"{obj} = {old}", f"{obj} = same({old})"])]
        if obj != old:
            return [f"{obj} = Vector({e})"]
        uses = [f"{old}.d = {e}", f"{old}.put({v})", f"{old} + {v}", f"{v} + {old}", f"{old} += {v}", f"(-{old})[0] = {v}"]
        uses += [f"{old}[1] = {v}", f"{old}[1][0] = {v}", f"len({old})", f"{old}()[0] = {v}", f"{old} < {v}", f"{v} in {old}"]
        uses += [f"if {old}: pass", f"for q in {old}: q[0] = {v}", f"{old}.nothing[0] = {v}", f"f'{{{old}}}'", f"{e}[0] = {old}"]
        uses += [f"with {old} as q: q[0] = {v}", f"[{old}][0].put({v})", f"[r + {v} for r in [{old}]]"]
        return ["try:", f"    {self.pick(uses)}", "except Exception:", "    pass"]

    def function(self, scope, depth):
        e, v = self.array(scope), self.number(scope)
        outer = {kind: list(names) for kind, names in scope.items()}
        g = self.new(scope, "g")
        if self.random.random() < 0.4:
            return [f"{g} = {self.pick([f'lambda: {e}', f'keep({e})', f'lambda q={e}: q', self.pick(outer['g'])])}"]
        inner = self.statement(outer, depth + 1)
        local = {line.split(" ")[0].rstrip(",:") for line in inner}
        shared = [n for n in self.random.sample(scope["a"], 1) if n not in ARRAYS and self.random.random() < 0.5]
        lines = [f"    nonlocal {n}" for n in shared] + [f"    {n} = {e}" for n in shared]
        if not shared and local & set(sum(outer.values(), [])):
            inner = ["pass"]  # it would be a local variable that has no value yet
        lines += ["    " + line for line in inner] + [f"    put({e}, {v})" if self.random.random() < 0.3 else "    pass"]
        return [f"def {g}():", *lines, f"    return {e}"]

    def block(self, scope, depth):
        scope = {kind: list(names) for kind, names in scope.items()}
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(scope, depth + 1)
        return ["    " + line for line in lines]

    def cover(self, scope):
        """Loops that nearly store all of an array."""
        x, v = self.pick(ARRAYS), next(self.values)
        extent = self.pick([f"len({x})", f"{x}.shape[0]", f"{x}.size", f"len({self.pick(ARRAYS)}) - 1", "3"])
        spoil = self.pick(["pass"] * 4 + ["i, k = 0, 1", "(i := 0)", "i = k = 0", "for i in range(2): pass", "i -= i", "k = i"])
        value = self.pick([f"{v}.0", f"{v}.0", f"{self.pick(ARRAYS)}[i]"])
        whole = self.pick([f"{x}[:] = {v}.0", f"{x}.fill({v}.0)", f"{x}[...] = {self.pick(ARRAYS)}"])
        loop = [f"for i in range({extent}):", f"    {spoil}", f"    {x}[i] = {value}"]
        return self.pick(
            [
                [whole],
                loop,
                [
                    "n = " + extent,
                    *([f"n = {self.pick(['n', '1'])}"] if self.random.random() < 0.3 else []),
                    "for i in range(n):",
                    f"    {x}[i] = {value}",
                ],
            ]
        )

    def statement(self, scope, depth):
        kind = self.pick(
            ["bind"] * 4 + ["store"] * 4 + ["container", "container", "object", "object", "function", "block", "cover"]
        )
        if kind == "block" and depth < 2:
            head = self.pick([f"if {self.condition()}:", "for r in range(2):", "try:", f"while {self.condition()}:"])
            body = self.block(scope, depth)
            if head == "try:":
                body.insert(self.random.randint(0, len(body)), "    c // (c % 2)") if not any(
                    b.startswith("     ") for b in body
                ) else None
                return [head, *body, "except Exception:", *self.block(scope, depth)]
            return [head, *body, *(["    break"] if head.startswith("while") else [])]
        if kind == "function" and depth < 2:
            return self.function(scope, depth)
        return {"bind": self.bind, "container": self.container, "object": self.object, "cover": self.cover}.get(kind, self.store)(
            scope
        )


def run(function, c, **given):
    generator = np.random.default_rng(c)
    arrays = {name: given.get(name, generator.uniform(0.1, 0.9, 4)) for name in ARRAYS}
    before = {name: array.copy() for name, array in arrays.items()}
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        function(*arrays.values(), c)
    except Exception:
        return before, arrays, False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return before, arrays, True


def too_long(number, frame):
    raise TimeoutError


def load(source):
    space = {}
    exec(compile(source, "random", "exec", dont_inherit=True), space)
    return space["f"]


def changed(function):
    found = set()
    for c in range(N_RUNS):
        before, after, _ = run(function, c)
        found |= {name for name in ARRAYS if not np.array_equal(before[name], after[name])}
    return found


def shows(function, param):
    """Whether what an array holds before a call can be seen in any array after it."""
    for c in range(N_RUNS):
        (_, one, a), (_, other, b) = (run(function, c, **{param: np.full(4, filling)}) for filling in (0.25, 0.75))
        if a and b and any(not np.array_equal(one[name], other[name]) for name in ARRAYS):
            return True
    return False


def programs():
    for seed in count(FIRST):
        program = Program(seed)
        try:
            compile(program.source, "random", "exec")
        except SyntaxError:  # a name that is both a parameter and nonlocal, and the like
            continue
        yield program


def claims_of(folder, chunk):
    """[{parameter: what is said of it}] of the programs. Those without special methods go by themselves: a class in one file that
    has some makes all unsure that are read with it."""
    found = {}
    for is_special in (False, True):
        names = {f"k{i}.py": i for i, program in enumerate(chunk) if program.is_special == is_special}
        for name, i in names.items():
            (folder / name).write_text(chunk[i].source)
        for kernel in inspect(folder, None, *names)["kernels"] if names else []:
            if kernel["name"] == "f":
                found[names[kernel["file"]]] = {p["name"]: p for p in kernel["params"]}
    return [found[i] for i in range(len(chunk))]


def test_random_programs(tmp_path):
    n_seen = n_unsure = n_overwritten = 0
    signal.signal(signal.SIGALRM, too_long)
    rest = islice(programs(), N_PROGRAMS)
    while chunk := list(islice(rest, 100)):
        for program, claims in zip(chunk, claims_of(tmp_path, chunk)):
            function = load(program.source)
            seen = changed(function)
            missed = {name for name in seen if claims[name]["writes"] == "no"}
            assert not missed, f"missed {missed} of\n{program.source}"
            for name in ARRAYS:
                if claims[name]["overwritten"]:
                    n_overwritten += 1
                    assert not shows(function, name), f"{name} is not overwritten in\n{program.source}"
            n_seen += len(seen)
            n_unsure += sum(claims[name]["writes"] != "no" and name not in seen for name in ARRAYS)
    print(f"{n_seen} arrays are written, {n_unsure} others are said to be, or may be; {n_overwritten} are overwritten")
    assert n_seen > 0.5 * N_PROGRAMS and n_overwritten > 0
