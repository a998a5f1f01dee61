"""Runs `pkwrap inspect` on Pyccel kernels that a test writes, and says which arguments it finds written."""

import functools
import tempfile
from pathlib import Path

from front import inspect


def report(folder, source, *more, name="k.py"):
    (folder / name).write_text(source)
    return inspect(folder, None, name, *more)


def facts(kernel):
    """{path: writes} of everything that is not "no", attributes by their dotted names; owned ones as "owned"."""
    found = {}
    for param in kernel["params"]:
        rows = param["attributes"] or [param]
        for row in rows:
            if row["writes"] != "no":
                found[row["name"]] = "owned" if row["owned"] else row["writes"]
        if param["attributes"] and param["writes"] == "maybe" and not any(a["writes"] != "no" for a in rows):
            found[param["name"]] = "maybe"
    return found


def written(folder, source, *more, name="k.py"):
    """{function: facts} of the kernels in k.py."""
    return {k["name"]: facts(k) for k in report(folder, source, *more, name=name)["kernels"]}


PLAIN = "x : 'float[:]', m : 'float[:,:]', y : 'float[:]', z : 'float[:,:]', n : int, s : float"


def source_of(statement, before, signature):
    body = "\n".join("    " + line for line in statement.split("\n"))
    return f"from numpy import *\n{before}\ndef f({signature}):\n{body}\n"


def one(folder, statement, before="", signature=PLAIN):
    """Facts of a function whose body is these statements. x and m are there to be written; y, z, n and s to be read."""
    return written(folder, source_of(statement, before, signature))["f"]


@functools.cache
def each_kernel(statements, before="", signature=PLAIN):
    """{statement: kernel} of many such functions, each in a file of its own, read by one run of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        for i, statement in enumerate(statements):
            (Path(folder) / f"k{i}.py").write_text(source_of(statement, before, signature))
        found = inspect(Path(folder), None, *(f"k{i}.py" for i in range(len(statements))))["kernels"]
    kernels = {kernel["file"]: kernel for kernel in found if kernel["name"] == "f"}
    return {statement: kernels[f"k{i}.py"] for i, statement in enumerate(statements)}


def each(statements, statement, before="", signature=PLAIN):
    """As `one`, for a statement of a tuple of them."""
    return facts(each_kernel(statements, before, signature)[statement])


def modules(folder, files):
    for name, text in files.items():
        path = folder / (name + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# An argument class whose arrays are given, views of what is given, and its own.
CLASSES = """
from numpy import empty, zeros
class Markers:
    def __init__(self, data : 'float[:,:]', other : 'float[:]', n : int):
        self.data = data
        self.row = data[0]
        self.other = other
        self.n = n
        self.size = data.shape[0]
        self.work = empty(n)
        self.half = self.work[1:]
    def move(self, s : float):
        self.data[0, 0] = s
    def other_of(self):
        return self.other
    def swap(self, other : 'float[:]'):
        self.spare = other
class Pair:
    def __init__(self, first : 'Markers', again : 'Markers'):
        self.first = first
        self.again = again
"""
