"""Random kernels that store into some of their arrays, in one form that is written as C, written as Python, interpreted here,
and known completely: which arrays a store can reach at all, and which really change in a run.

A kernel has the parameters ARRAYS (one-dimensional, float64, n elements, n >= 4) and n. It is a list of statements:

    ("store", target, index, operator, value)   target: an array or a local view
    ("loop", statements)                         for i in range(n); no loop inside a loop
    ("if", condition, statements, statements)
    ("view", name, array, offset)                a local name for array[offset:], at the start of a block
    ("choice", name, condition, array, array)    a local name for one of two arrays
    ("call", helper, arrays)                     a function of the same file
    ("swap", array, index, index)
    ("copy", array, array)                       all elements
    ("sum", array)                               s += all elements: only reads

An index is a number, "i" or "n-1-i"; a value is a number, "s", (array, index) or (operator, value, value); a condition is
(left value, comparison, right value) with "n" and "i" as further values.
"""

import operator
import random

ARRAYS = ("a", "b", "c", "d")
COUNT = 6
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARISONS = {"<": operator.lt, ">": operator.gt, "==": operator.eq}


class Kernel:
    def __init__(self, name, body, parameters=ARRAYS):
        self.name = name
        self.body = body
        self.parameters = parameters


# --- generation --------------------------------------------------------------------------------------------------------


class Generator:
    """Kernels from a seed, always the same ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.helpers = []
        self.names = 0

    def index(self, in_loop):
        return self.random.choice(["i", "n-1-i", 0, 1, 2] if in_loop else [0, 1, 2, 3])

    def value(self, arrays, in_loop, depth=0):
        kind = self.random.random()
        if kind < 0.35:
            return self.random.randint(-3, 3)
        if kind < 0.75 or depth == 2:
            return (self.random.choice(arrays), self.index(in_loop))
        if kind < 0.8:
            return "s"
        parts = [self.value(arrays, in_loop, depth + 1) for _ in range(2)]
        return (self.random.choice("+-*"), *parts)

    def condition(self, arrays, in_loop):
        left = self.random.choice(["n", "i"] if in_loop else ["n"])
        if self.random.random() < 0.5:
            left = (self.random.choice(arrays), self.index(in_loop))
        return (left, self.random.choice("<>"), self.random.randint(-1, 7))

    def statement(self, arrays, targets, views, in_loop, depth):
        kinds = ["store"] * 5 + ["swap", "copy", "sum", "if"] * (depth < 3) + ["loop"] * (3 * (not in_loop and depth < 3))
        if self.helpers and not in_loop:
            kinds += ["call"] * 2
        kind = self.random.choice(kinds)
        if kind == "store":
            places = list(targets) + list(views)
            if not places:
                return ("sum", self.random.choice(arrays))
            target = self.random.choice(places)
            index = self.random.choice([0, 1]) if target in views else self.index(in_loop)
            value = self.value(arrays, in_loop)
            if self.random.random() < 0.1 and target not in views:
                value = (target, index)  # nothing changes
            return ("store", target, index, self.random.choice(["=", "=", "+=", "-=", "*="]), value)
        if kind == "swap" and targets:
            return ("swap", self.random.choice(targets), self.index(in_loop), self.index(in_loop))
        if kind == "copy" and targets and not in_loop:
            target = self.random.choice(targets)
            return ("copy", target, self.random.choice([array for array in arrays if array != target]))
        if kind == "loop":
            return ("loop", self.block(arrays, targets, True, depth + 1))
        if kind == "if":
            other = self.block(arrays, targets, in_loop, depth + 1) if self.random.random() < 0.4 else []
            return ("if", self.condition(arrays, in_loop), self.block(arrays, targets, in_loop, depth + 1), other)
        if kind == "call":
            helper = self.random.choice(self.helpers)
            written = writes_of(helper)
            # What the helper writes goes to targets only; the rest anywhere else, and nothing twice.
            chosen = {}
            free = list(arrays)
            self.random.shuffle(free)
            for name in sorted(helper.parameters, key=lambda name: name not in written):
                fitting = [array for array in free if name not in written or array in targets]
                if not fitting:
                    return ("sum", self.random.choice(arrays))
                chosen[name] = fitting[0]
                free.remove(fitting[0])
            return ("call", helper, [chosen[name] for name in helper.parameters])
        return ("sum", self.random.choice(arrays))

    def block(self, arrays, targets, in_loop, depth):
        body, views = [], []
        if targets and self.random.random() < 0.35 and depth < 2:
            self.names += 1
            name = f"p{self.names}"
            if self.random.random() < 0.4 and len(targets) > 1:
                body.append(("choice", name, self.condition(arrays, in_loop), *self.random.sample(list(targets), 2)))
            else:
                body.append(("view", name, self.random.choice(list(targets)), self.random.choice([0, 0, 1, 2])))
            views.append(name)
        for _ in range(self.random.randint(1, 4)):
            body.append(self.statement(arrays, targets, views, in_loop, depth))
        return body

    def helper(self, number):
        parameters = ARRAYS[: self.random.randint(2, 3)]
        targets = parameters[: self.random.randint(0, 2)]
        kernel = Kernel(f"helper_{number}", self.block(parameters, targets, False, 1), parameters)
        self.helpers.append(kernel)
        return kernel

    def kernel(self, number):
        targets = self.random.sample(ARRAYS, self.random.randint(0, 3))
        return Kernel(f"kernel_{number}", self.block(ARRAYS, targets, False, 0))


# --- the truth -----------------------------------------------------------------------------------------------------------


def writes_of(kernel):
    """Parameters that some store can reach, whether it is ever executed or not."""
    found = set()

    def visit(body, names):
        names = dict(names)
        for statement in body:
            kind = statement[0]
            if kind == "store":
                found.update(names.get(statement[1], {statement[1]}))
            elif kind in ("swap", "copy"):
                found.add(statement[1])
            elif kind == "view":
                names[statement[1]] = {statement[2]}
            elif kind == "choice":
                names[statement[1]] = set(statement[3:])
            elif kind == "loop":
                visit(statement[1], names)
            elif kind == "if":
                visit(statement[2], names)
                visit(statement[3], names)
            elif kind == "call":
                written = writes_of(statement[1])
                found.update(array for name, array in zip(statement[1].parameters, statement[2], strict=True) if name in written)

    visit(kernel.body, {})
    return {name for name in kernel.parameters if name in found}


def interpret(kernel, arrays):
    """Runs the kernel on lists of numbers, {name: list}; changes them."""
    n = len(next(iter(arrays.values())))
    state = {"s": 0.0}

    def place(index, i):
        return {"i": i, "n-1-i": None if i is None else n - 1 - i}.get(index, index)

    def value_of(value, i):
        if value in ("s", "n", "i"):
            return {"s": state["s"], "n": n, "i": i}[value]
        if not isinstance(value, tuple):
            return float(value)
        if len(value) == 3:
            return OPERATORS[value[0]](value_of(value[1], i), value_of(value[2], i))
        return arrays[value[0]][place(value[1], i)]

    def holds(condition, i):
        return COMPARISONS[condition[1]](value_of(condition[0], i), condition[2])

    def run(body, names, i):
        names = dict(names)
        for statement in body:
            kind = statement[0]
            if kind == "store":
                array, offset = names.get(statement[1], (statement[1], 0))
                at, right = offset + place(statement[2], i), value_of(statement[4], i)
                before = arrays[array][at]
                arrays[array][at] = right if statement[3] == "=" else OPERATORS[statement[3][0]](before, right)
            elif kind == "swap":
                target, one, other = arrays[statement[1]], place(statement[2], i), place(statement[3], i)
                target[one], target[other] = target[other], target[one]
            elif kind == "copy":
                arrays[statement[1]][:] = arrays[statement[2]]
            elif kind == "sum":
                for number in arrays[statement[1]]:
                    state["s"] += number
            elif kind == "view":
                names[statement[1]] = (statement[2], statement[3])
            elif kind == "choice":
                names[statement[1]] = (statement[3] if holds(statement[2], i) else statement[4], 0)
            elif kind == "loop":
                for k in range(n):
                    run(statement[1], names, k)
            elif kind == "if":
                run(statement[2] if holds(statement[1], i) else statement[3], names, i)
            elif kind == "call":
                interpret(statement[1], dict(zip(statement[1].parameters, (arrays[name] for name in statement[2]), strict=True)))

    run(kernel.body, {}, None)


# --- as C, and as Python -----------------------------------------------------------------------------------------------------


def text_of(value, language):
    if isinstance(value, tuple) and len(value) == 3:
        return f"({text_of(value[1], language)} {value[0]} {text_of(value[2], language)})"
    if isinstance(value, tuple):
        return f"{value[0]}[{value[1]}]"
    return f"({float(value)})" if not isinstance(value, str) else value


def condition_text(condition, language):
    return f"{text_of(condition[0], language)} {condition[1]} {condition[2]}"


def c_lines(body, indent):
    pad = "    " * indent
    for statement in body:
        kind = statement[0]
        if kind == "store":
            yield f"{pad}{statement[1]}[{statement[2]}] {statement[3]} {text_of(statement[4], 'c')};"
        elif kind == "swap":
            one, other = f"{statement[1]}[{statement[2]}]", f"{statement[1]}[{statement[3]}]"
            yield f"{pad}{{ double t = {one}; {one} = {other}; {other} = t; }}"
        elif kind == "copy":
            yield f"{pad}memcpy({statement[1]}, {statement[2]}, (size_t)n * sizeof(double));"
        elif kind == "sum":
            yield f"{pad}for (int k = 0; k < n; k++) s += {statement[1]}[k];"
        elif kind == "view":
            yield f"{pad}double *{statement[1]} = {statement[2]} + {statement[3]}; (void){statement[1]};"
        elif kind == "choice":
            condition = condition_text(statement[2], "c")
            yield f"{pad}double *{statement[1]} = {condition} ? {statement[3]} : {statement[4]}; (void){statement[1]};"
        elif kind == "loop":
            yield f"{pad}for (int i = 0; i < n; i++) {{"
            yield from c_lines(statement[1], indent + 1)
            yield f"{pad}}}"
        elif kind == "if":
            yield f"{pad}if ({condition_text(statement[1], 'c')}) {{"
            yield from c_lines(statement[2], indent + 1)
            if statement[3]:
                yield f"{pad}}} else {{"
                yield from c_lines(statement[3], indent + 1)
            yield f"{pad}}}"
        elif kind == "call":
            yield f"{pad}{statement[1].name}(n, {', '.join(statement[2])});"


def c_head(kernel):
    return f"void {kernel.name}(int n, {', '.join(f'double *{name}' for name in kernel.parameters)})"


def as_c(kernel, static=False):
    uses = "".join(f"    (void){name};\n" for name in kernel.parameters)
    body = "\n".join(c_lines(kernel.body, 1))
    return f"{'static ' * static}{c_head(kernel)}\n{{\n    double s = 0;\n    (void)s;\n{uses}{body}\n}}\n"


def python_lines(body, indent):
    pad = "    " * indent
    if not body:
        yield f"{pad}pass"
    for statement in body:
        kind = statement[0]
        if kind == "store":
            yield f"{pad}{statement[1]}[{statement[2]}] {statement[3]} {text_of(statement[4], 'python')}"
        elif kind == "swap":
            one, other = f"{statement[1]}[{statement[2]}]", f"{statement[1]}[{statement[3]}]"
            yield f"{pad}t = {one}"
            yield f"{pad}{one} = {other}"
            yield f"{pad}{other} = t"
        elif kind == "copy":
            yield f"{pad}{statement[1]}[:] = {statement[2]}[:]"
        elif kind == "sum":
            yield f"{pad}for k in range(n):"
            yield f"{pad}    s += {statement[1]}[k]"
        elif kind == "view":
            yield f"{pad}{statement[1]} = {statement[2]}[{statement[3]}:]"
        elif kind == "choice":
            yield f"{pad}if {condition_text(statement[2], 'python')}:"
            yield f"{pad}    {statement[1]} = {statement[3]}"
            yield f"{pad}else:"
            yield f"{pad}    {statement[1]} = {statement[4]}"
        elif kind == "loop":
            yield f"{pad}for i in range(n):"
            yield from python_lines(statement[1], indent + 1)
        elif kind == "if":
            yield f"{pad}if {condition_text(statement[1], 'python')}:"
            yield from python_lines(statement[2], indent + 1)
            if statement[3]:
                yield f"{pad}else:"
                yield from python_lines(statement[3], indent + 1)
        elif kind == "call":
            yield f"{pad}{statement[1].name}(n, {', '.join(statement[2])})"


def as_python(kernel):
    parameters = ", ".join(["n: int", *(f"{name}: 'float[:]'" for name in kernel.parameters)])
    return "\n".join([f"def {kernel.name}({parameters}):", "    s = 0.0", *python_lines(kernel.body, 1)]) + "\n"


def make(seed, n_kernels, n_helpers=6):
    """(helpers, kernels) of a seed."""
    generator = Generator(seed)
    helpers = [generator.helper(number) for number in range(n_helpers)]
    return helpers, [generator.kernel(number) for number in range(n_kernels)]


def start():
    """Values of the arrays before a call."""
    return {name: [float((3 * k + 5 * place) % 7 - 2) for k in range(COUNT)] for place, name in enumerate(ARRAYS)}
