"""Soundness is a default: a node of Python's syntax that the analysis does not know makes unsure whatever it can reach.

Each class of `ast` is made unknown in turn, by an interpreter that takes its row out of the table with which pytree.py runs; then
a kernel in which x is written through such a node may not be said to leave it alone.
"""

import ast
import sys

import pytest

from front import inspect
from stub_facts import facts

LATER = {"TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple", "TemplateStr", "Interpolation", "TryStar"}  # than Python 3.10

SAMPLES = {
    # statements
    "FunctionDef": "def g():\n    x[0] = 1.0\ng()",
    "AsyncFunctionDef": "async def g():\n    x[0] = 1.0\nrun(g())",
    "ClassDef": "class A:\n    x[0] = 1.0",
    "Return": "return x.fill(1.0)",
    "Delete": "del x[0]",
    "Assign": "x[0] = 1.0",
    "TypeAlias": "type A = x.fill(1.0)\nA.__value__",
    "AugAssign": "x[0] += 1.0",
    "AnnAssign": "a: 'float[:]' = x\na[0] = 1.0",
    "For": "for a in [x]:\n    a[0] = 1.0",
    "AsyncFor": "async def g():\n    async for a in h():\n        x[0] = 1.0\nrun(g())",
    "While": "while n:\n    x[0] = 1.0",
    "If": "if n:\n    x[0] = 1.0",
    "With": "with h(n):\n    x[0] = 1.0",
    "AsyncWith": "async def g():\n    async with h():\n        x[0] = 1.0\nrun(g())",
    "Match": "match n:\n    case 1:\n        x[0] = 1.0",
    "Raise": "raise h(x)",
    "Try": "try:\n    x[0] = 1.0\nfinally:\n    pass",
    "TryStar": "try:\n    x[0] = 1.0\nexcept* ValueError:\n    pass",
    "Assert": "assert x.fill(1.0) is None",
    "Import": "import numpy as np\nnp.copyto(x, 1.0)",
    "ImportFrom": "from numpy import copyto\ncopyto(x, 1.0)",
    "Global": "global a\na = x\na[0] = 1.0",
    "Nonlocal": "a = y\ndef g():\n    nonlocal a\n    a = x\ng()\na[0] = 1.0",
    "Expr": "x.fill(1.0)",
    "Pass": "if n:\n    pass\nx[0] = 1.0",
    "Break": "a = x\nfor i in range(n):\n    a = x\n    break\n    a = y\na[0] = 1.0",
    "Continue": "a = x\nfor i in range(n):\n    a = x\n    continue\n    a = y\na[0] = 1.0",
    # expressions
    "BoolOp": "(n and x)[0] = 1.0",
    "NamedExpr": "(a := x)\na[0] = 1.0",
    "BinOp": "([x] + [])[0][0] = 1.0",
    "UnaryOp": "(-x.fill(1.0))",
    "Lambda": "(lambda a: a)(x)[0] = 1.0",
    "IfExp": "(x if n else y)[0] = 1.0",
    "Dict": "a = {0: x}\na[0][0] = 1.0",
    "Set": "a = {x.fill(1.0)}",
    "ListComp": "[a for a in [x]][0][0] = 1.0",
    "SetComp": "a = {a.fill(1.0) for a in [x]}",
    "DictComp": "{0: a for a in [x]}[0][0] = 1.0",
    "GeneratorExp": "next(a for a in [x])[0] = 1.0",
    "Await": "async def g():\n    await h(x)\nrun(g())",
    "Yield": "a = yield x.fill(1.0)",
    "YieldFrom": "yield from [x.fill(1.0)]",
    "Compare": "(0 == x.fill(1.0))",
    "Call": "x.fill(1.0)",
    "FormattedValue": "f'{x.fill(1.0)}'",
    "Interpolation": "t'{x.fill(1.0)}'",
    "JoinedStr": "f'{x.fill(1.0)}'",
    "TemplateStr": "t'{x.fill(1.0)}'",
    "Constant": "x[0] = 1.0",
    "Attribute": "a = x.T\na[0] = 1.0",
    "Subscript": "a = x[:]\na[0] = 1.0",
    "Starred": "a, *b = [y, x]\nb[0][0] = 1.0",
    "Name": "a = x\na[0] = 1.0",
    "List": "a = [x]\na[0][0] = 1.0",
    "Tuple": "a = (x, n)\na[0][0] = 1.0",
    "Slice": "a = x[:]\na[0] = 1.0",
    # patterns
    "MatchValue": "match n:\n    case 1:\n        x[0] = 1.0",
    "MatchSingleton": "match n:\n    case None:\n        x[0] = 1.0",
    "MatchSequence": "match [x]:\n    case [a]:\n        a[0] = 1.0",
    "MatchMapping": "match {'a': x}:\n    case {'a': a}:\n        a[0] = 1.0",
    "MatchClass": "match x:\n    case object(T=a):\n        a[0] = 1.0",
    "MatchStar": "match [x]:\n    case [*a]:\n        a[0][0] = 1.0",
    "MatchAs": "match x:\n    case a:\n        a[0] = 1.0",
    "MatchOr": "match n:\n    case 1 | 2:\n        x[0] = 1.0",
    # parts
    "comprehension": "[a.fill(1.0) for a in [x]]",
    "ExceptHandler": "try:\n    h(n)\nexcept ValueError:\n    x[0] = 1.0",
    "keyword": "dict(a=x)['a'][0] = 1.0",
    "withitem": "with h(n) as x[0]:\n    pass",
    "match_case": "match n:\n    case 1:\n        x[0] = 1.0",
    "TypeVar": "def g[T: x.fill(1.0)]():\n    pass\nh(g, x)",
    "ParamSpec": "def g[**T]():\n    x[0] = 1.0\ng()",
    "TypeVarTuple": "def g[*T]():\n    x[0] = 1.0\ng()",
}

BASES = (ast.stmt, ast.expr, ast.pattern, ast.excepthandler)
PARTS = {"comprehension", "keyword", "withitem", "match_case"}
HERE = {name for name in SAMPLES if hasattr(ast, name)} - {"Name"}  # as which the names in an unknown node come

INTERPRETER = """#!{python}
import re, sys
unknown = "{unknown}"
program, kinds, helpers = sys.argv[4:7]
kinds = "".join(row for row in kinds.splitlines(True) if row.split()[1] != unknown)
program = re.sub(rf"^ *ast\\.{{unknown}}: .*\\n", "", program, flags=re.M)
sys.argv = ["-c", kinds, helpers]
exec(compile(program, "pytree", "exec"), {{"__name__": "__main__"}})
"""


def test_every_class_has_a_sample():
    deprecated = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis"}
    mine = {kind.__name__ for base in BASES for kind in base.__subclasses__() if kind.__module__ == "ast"} | PARTS
    mine -= deprecated | {name for name in mine if getattr(ast, name).__subclasses__() and name not in SAMPLES}
    assert mine <= set(SAMPLES)
    assert set(SAMPLES) - mine <= LATER


@pytest.mark.parametrize("name", sorted(HERE))
def test_a_node_that_is_not_known(tmp_path, name):
    source = "def f(x : 'float[:]', y : 'float[:]', n : int):\n" + "".join(f"    {line}\n" for line in SAMPLES[name].split("\n"))
    assert any(type(node).__name__ == name for node in ast.walk(ast.parse(source)))
    (tmp_path / "k.py").write_text(source)
    (kernel,) = inspect(tmp_path, None, "k.py")["kernels"]
    assert kernel["params"][0]["writes"] != "no"
    python = tmp_path / "python"
    python.write_text(INTERPRETER.format(python=sys.executable, unknown=name))
    python.chmod(0o755)
    kernels = inspect(tmp_path, None, "k.py", "--python", python)["kernels"]
    assert len(kernels) == (name != "FunctionDef")  # f itself is one
    for kernel in kernels:
        assert facts(kernel).get("x") in ("maybe", "yes"), "it is said that x is not written"
        assert not any(p["overwritten"] for p in kernel["params"])
