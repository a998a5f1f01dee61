"""Which arguments Pyccel kernels write, found in their Python source: no write missed, and what is only read told apart."""

import pytest

from front import inspect, tool


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


def one(folder, statement, before="", signature=PLAIN):
    """Facts of a function whose body is these statements. x and m are there to be written; y, z, n and s to be read."""
    body = "\n".join("    " + line for line in statement.split("\n"))
    return written(folder, f"from numpy import *\n{before}\ndef f({signature}):\n{body}\n")["f"]


@pytest.mark.parametrize(
    "statement",
    [
        "x[0] = y[0]",
        "x[:] = y",
        "x[...] = y[...]",
        "x[n], s = 1.0, 2.0",
        "s = x[n] = 1.0",
        "[x[0], x[1]] = y",
        "(s, (n, x[0])) = 1.0, (2, 3.0)",
        "x[0] += s",
        "x += y",
        "x /= s",
        "x *= n",
        "x[1:n] **= 2",
        "a = x\na[0] = 1.0",
        "a = b = x\nb[0] = 1.0",
        "a = x[1:]\na[0] = 1.0",
        "a = x[:]\na /= n",
        "a = x\nb = a\nb += 1.0",
        "a, b = x, y\na[0] = b[0]",
        "a = x if n > 0 else y * 2\na[0] = 1.0",
        "a = x.T\na[0] = 1.0",
        "a = x.real\na[0] = 1.0",
        "a = x.reshape((n, 2))\na[0, 0] = 1.0",
        "a = x.view()\na[0] = 1.0",
        "a = reshape(x, (n, 2))\na[0, 0] = 1.0",
        "a = transpose(x)\na[0] = 1.0",
        "a = asarray(x)\na[0] = 1.0",
        "a: 'float[:]' = x\na[0] = 1.0",
        "if n > 0:\n    a = x\nelse:\n    a = zeros(n)\na[0] = 1.0",
        "a = zeros(n)\nfor i in range(n):\n    a[0] = 1.0\n    a = x",
        "a = zeros(n)\nwhile n > 0:\n    a[0] = 1.0\n    if s > 0.0:\n        a = x\n        continue\n    break",
        "a = zeros(n)\nfor i in range(n):\n    if s > 0.0:\n        a = x\n        break\na[0] = 1.0",
        "a = zeros(n)\nb = zeros(n)\nfor i in range(n):\n    b[0] = 1.0\n    b = a\n    a = x",
        "for i in range(n):\n    for j in range(n):\n        x[i] = j",
        "for i, x[0] in enumerate(y):\n    pass",
        "x.fill(0.0)",
        "x.sort()",
        "copyto(x, y)",
        "add(y, y, x)",
        "sin(y, out=x)",
        "sum(z, 0, None, x)",
        "max(z, 0, x)",
        "log(y, x)",
        "y.sum(out=x)",
        "for a in [x]:\n    a[0] = 1.0",
        "for a, b in zip([x], [y]):\n    a[0] = 1.0",
        "for i, a in enumerate((x, x)):\n    a[i] = 1.0",
        "a = [x, x]\na[0][1] = 1.0",
        "a = (x, n)\na[0][1] = 1.0",
        "a = {'k': x}\na['k'][0] = 1.0",
        "a = [b for b in [x]]\na[0][0] = 1.0",
        "(a := x)[0] = 1.0",
        "try:\n    a = x\n    a = zeros(n)\nfinally:\n    a[0] = 1.0",
        "try:\n    s = 1.0\nexcept ValueError:\n    x[0] = 1.0",
        "with open('f') as g:\n    x[0] = 1.0",
        "a = x\nb = [a for a in y]\na[0] = 1.0",
        "g = lambda a=x: a\ng()[0] = 1.0",
        "del x[0]",
        "def g():\n    x[0] = 1.0\ng()",
        "def g(a):\n    a[0] = 1.0\ng(x)",
        "def g(a):\n    return a\ng(x)[0] = 1.0",
        "if n > 0:\n    return\nx[0] = 1.0",
        "while True:\n    x[0] = 1.0\n    if n > 0:\n        break",
        "n += 1\nx[n] = 1.0",
    ],
)
def test_one_written_array(tmp_path, statement):
    assert one(tmp_path, statement) == {"x": "yes"}


@pytest.mark.parametrize(
    "statement",
    [
        "m[0] = y",
        "m[0, :] = y",
        "m[0][1] = s",
        "a = m[0]\na[1] = s",
        "a = m[0]\na /= n",
        "a = m[:, 0]\na += y",
        "a = m[n]\nb = a[1:]\nb[0] = s",
        "for a in m:\n    a[0] = s",
        "for i, a in enumerate(m):\n    a[i] = s",
        "a = m.T[0]\na[0] = s",
        "a = m[None, 0]\na[0, 0] = s",
        "a = m[..., 0]\na[0] = s",
        "m[0] += y",
        "i = (0, slice(0, 2))\na = m[i]\na[0] = s",
        "a = m[slice(0, 2)]\na[0] = s",
    ],
)
def test_views_of_rank_two(tmp_path, statement):
    assert one(tmp_path, statement) == {"m": "yes"}


@pytest.mark.parametrize(
    "statement",
    [
        "a = x[0]\na /= n",
        "a = x[0]\na += 1.0",
        "a = m[0, 0]\na *= 2.0",
        "a = m[0][1]\na *= 2.0",
        "a = x[n]\na = 2.0",
        "a = x + y\na[0] = 1.0",
        "a = -x\na[0] = 1.0",
        "a = x.copy()\na[0] = 1.0",
        "a = copy(x)\na[0] = 1.0",
        "a = array(x)\na[0] = 1.0",
        "a = zeros_like(x)\na[:] = x",
        "a = zeros(n)\na[:] = x",
        "a = zeros((n, n))\na[0] = x\na[1, :] = m[0]",
        "a = x\na = zeros(n)\na[0] = 1.0",
        "a = x[y > 0.0]\na[0] = 1.0",
        "a = [0, 1]\na[0] = 2\na.append(3)",
        "a = x.shape\nb = a[0]\nb += 1",
        "a, b = m.shape\na += b",
        "a = len(x)\na += 1",
        "a = shape(m)[0]\na //= 2",
        "a = sum(x)\na /= n",
        "a = max(x)\na += 1.0",
        "a = x[0] if n > 0 else s\na += 1.0",
        "n += 1\ns /= 2.0",
        "a = sin(x)\na[0] = 1.0",
        "a = sqrt(x[0])\na += 1.0",
        "for a in x:\n    a += 1.0",
        "for i, a in enumerate(x):\n    a += 1.0",
        "for a, b in zip(x, y):\n    a += b",
        "print(x, m)",
        "a = f'{x}'",
        "return x[0]",
        "return x",
        "x = zeros(n)\nx[0] = 1.0",
        "a = dot(x, y)\na /= n",
        "a = x @ y",
        "pass",
        "assert x[0] > 0.0",
        "return\nx[0] = 1.0",
        "raise ValueError\nx[0] = 1.0",
        "a = x.sum()\na += 1.0",
    ],
)
def test_nothing_written(tmp_path, statement):
    assert one(tmp_path, statement) == {}


@pytest.mark.parametrize(
    "statement",
    [
        "unknown(x)",
        "unknown(n, a=x)",
        "unknown(*[x])",
        "unknown([x])",
        "a = unknown(x)",
        "x.unknown()",
        "n.unknown(x)",
        "unknown(x[1:])",
        "global g\ng = x",
        "a = []\na.append(x)",
        "map(unknown, x)",
        "max(x, x, key=unknown)",
        "exec('x[0] = 1')",
        "a = x[unknown(n):]\nunknown(a)",
        "match n:\n    case 1:\n        x[0] = 1.0",
        "class A:\n    pass",
        "g = lambda: x\ng()",
    ],
)
def test_what_cannot_be_told_is_maybe(tmp_path, statement):
    assert one(tmp_path, statement, signature="x : 'float[:]', n : int") == {"x": "maybe"}


def test_an_index_that_may_be_a_slice(tmp_path):
    for index in ("i = slice(0, 2)", "i = unknown(n)"):
        assert one(tmp_path, f"{index}\na = x[i]\na += 1.0", signature="x : 'float[:]', n : int") == {"x": "maybe"}
    assert one(tmp_path, "a = x[unknown(n):]\na[0] = 1.0", signature="x : 'float[:]', n : int") == {"x": "yes"}


def test_defaults_of_nested_functions_are_not_followed(tmp_path):
    assert one(tmp_path, "def g(a=x):\n    a[0] = 1.0\ng()", signature="x : 'float[:]'") == {"x": "maybe"}


def test_an_array_of_unknown_rank_may_be_a_number(tmp_path):
    source = "def f(a, n : int):\n    b = a[n]\n    b /= n\n"
    assert written(tmp_path, source) == {"f": {"a": "maybe"}}


def test_in_place_on_an_unannotated_name_is_maybe(tmp_path):
    assert written(tmp_path, "def f(a, n : int):\n    a /= n\n") == {"f": {"a": "maybe"}}


def test_final_is_a_claim(tmp_path):
    assert one(tmp_path, "x[0] = 1.0", signature="x : 'Final[float[:]]'") == {"x": "yes"}


def test_pure_proves_nothing(tmp_path):
    source = "from pyccel.decorators import pure\n@pure\ndef f(x : 'float[:]'):\n    x[0] = 1.0\n"
    assert written(tmp_path, source) == {"f": {"x": "yes"}}


def test_type_variables(tmp_path):
    source = """
from typing import TypeVar
T = TypeVar('T', 'float[:]', 'int[:]')
U = TypeVar('U', 'float', 'int')
def f(x : 'T', y : 'T', u : 'U'):
    x[0] = y[0]
    u += 1
    a = y[0]
    a += 1
"""
    assert written(tmp_path, source) == {"f": {"x": "yes"}}


def test_unions_of_ranks(tmp_path):
    assert one(tmp_path, "a = x[0]\na += 1.0", signature="x : 'float[:] | float[:,:]'") == {"x": "maybe"}


# --- calls ---

CALLEES = """
from numpy import zeros
def put(a : 'float[:]', b : 'float[:]'):
    a[0] = b[0]
def pass_on(a : 'float[:]', b : 'float[:]'):
    put(b, a)
def deep(a : 'float[:]', b : 'float[:]'):
    pass_on(a, b)
def scale(s : float, a : 'float[:]' = None):
    a[:] *= s
def same(a : 'float[:]') -> 'float[:]':
    return a
def number(a : float):
    a += 1.0
def kept(a : 'float[:]', n : int):
    b = zeros(n)
    put(b, a)
def even(a : 'float[:]', b : 'float[:]', n : int):
    if n > 0:
        odd(b, a, n - 1)
def odd(a : 'float[:]', b : 'float[:]', n : int):
    if n > 0:
        even(a, b, n - 1)
    a[0] = 1.0
def count(n : int) -> int:
    if n == 0:
        return 0
    return count(n - 1)
"""


@pytest.mark.parametrize(
    "statement, expected",
    [
        ("put(x, y)", {"x"}),
        ("put(b=y, a=x)", {"x"}),
        ("put(x, b=y)", {"x"}),
        ("pass_on(x, y)", {"y"}),
        ("deep(x, y)", {"y"}),
        ("put(x, x)", {"x"}),
        ("put(m[0], y)", {"m"}),
        ("put(m[:, n], m[0])", {"m"}),
        ("scale(s, x)", {"x"}),
        ("scale(s, a=x)", {"x"}),
        ("scale(s)", set()),
        ("same(x)[0] = 1.0", {"x"}),
        ("a = same(m[0])\na[0] = 1.0", {"m"}),
        ("number(x[0])", set()),
        ("kept(x, n)", set()),
        ("even(x, y, n)", {"x", "y"}),
        ("s = count(n)\ns += 1", set()),
        ("a = x if n > 0 else y\nput(a, z[0])", {"x", "y"}),
        ("for i in range(n):\n    put(x[i:], y)", {"x"}),
        ("g = put\ng(x, y)", {"x"}),
        ("put(*[x, y])", {"x", "y"}),
    ],
)
def test_calls(tmp_path, statement, expected):
    assert set(one(tmp_path, statement, before=CALLEES)) == expected


def test_recursion_of_two_functions(tmp_path):
    found = written(tmp_path, CALLEES)
    assert found["even"] == {"a": "yes", "b": "yes"}
    assert found["odd"] == {"a": "yes", "b": "yes"}


def test_evidence_is_the_chain_to_the_store(tmp_path):
    source = "def g(a : 'float[:]'):\n    a[0] = 1.0\n\ndef f(x : 'float[:]'):\n    g(x)\n"
    f = report(tmp_path, source)["kernels"][1]
    assert f["params"][0]["evidence"] == [
        {"file": "k.py", "line": 5, "text": "'x' is passed to g() as 'a'"},
        {"file": "k.py", "line": 2, "text": "'a' is stored to"},
    ]
    done = tool("inspect", "k.py", cwd=tmp_path)
    assert "k.py:5: 'x' is passed to g() as 'a'" in done.stdout


# --- modules ---


def modules(folder, files):
    for name, text in files.items():
        path = folder / (name + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


PUT = "def put(a : 'float[:]', b : 'float[:]'):\n    a[0] = b[0]\n"
BACKWARDS = "def put(b : 'float[:]', a : 'float[:]'):\n    a[0] = b[0]\n"


@pytest.mark.parametrize(
    "lines",
    [
        "from other import put\ndef f({}):\n    put(x, y)",
        "from other import put as p\ndef f({}):\n    p(x, y)",
        "import other\ndef f({}):\n    other.put(x, y)",
        "import other as o\ndef f({}):\n    o.put(x, y)",
        "from other import *\ndef f({}):\n    put(x, y)",
        "def f({}):\n    from other import put\n    put(x, y)",
        "def f({}):\n    import other as o\n    o.put(x, y)",
        "import package.inner\ndef f({}):\n    package.inner.put(x, y)",
        "import package.inner as i\ndef f({}):\n    i.put(x, y)",
        "from package import inner\ndef f({}):\n    inner.put(x, y)",
        "from package.inner import put\ndef f({}):\n    put(x, y)",
        "from package import again\ndef f({}):\n    again(x, y)",
        "from through import put\ndef f({}):\n    put(x, y)",
        "import through\ndef f({}):\n    through.o.put(x, y)",
        "def f({}):\n    import package.inner\n    package.inner.put(x, y)",
    ],
)
def test_imports(tmp_path, lines):
    files = {
        "other": PUT,
        "package/__init__": "from .inner import put as again\n",
        "package/inner": PUT,
        "through": "from other import put\nimport other as o\n",
    }
    modules(tmp_path, files)
    assert written(tmp_path, lines.format("x : 'float[:]', y : 'float[:]'"))["f"] == {"x": "yes"}


def test_equal_names_in_two_modules(tmp_path):
    modules(tmp_path, {"one": PUT, "two": BACKWARDS})
    source = """
import one
import two
def put(a : 'float[:]', b : 'float[:]'):
    pass
def f(x : 'float[:]', y : 'float[:]'):
    one.put(x, y)
def g(x : 'float[:]', y : 'float[:]'):
    two.put(x, y)
def h(x : 'float[:]', y : 'float[:]'):
    put(x, y)
"""
    assert written(tmp_path, source) == {"put": {}, "f": {"x": "yes"}, "g": {"y": "yes"}, "h": {}}


def test_a_local_name_hides_a_module(tmp_path):
    modules(tmp_path, {"np": PUT})
    source = """
import np
def f(x : 'float[:]', n : int):
    np = 32 * n
    x[0] = np
def g(x : 'float[:]', y : 'float[:]', n : int):
    np = y
    np[0] = x[0]
"""
    assert written(tmp_path, source) == {"f": {"x": "yes"}, "g": {"y": "yes"}}


def test_a_local_name_hides_a_function(tmp_path):
    source = PUT + "def f(x : 'float[:]', y : 'float[:]', put : '(float)(float[:], float[:])'):\n    put(x, y)\n"
    assert written(tmp_path, source)["f"] == {"x": "maybe", "y": "maybe"}


def test_imports_of_a_package_from_its_root(tmp_path):
    modules(tmp_path, {"sim/__init__": "", "sim/a/__init__": "", "sim/a/low": PUT})
    (tmp_path / "sim/high.py").write_text("import sim.a.low as low\ndef f(x : 'float[:]', y : 'float[:]'):\n    low.put(x, y)\n")
    (kernel,) = inspect(tmp_path, None, "sim/high.py")["kernels"]
    assert facts(kernel) == {"x": "yes"}
    assert [e["file"] for e in kernel["params"][0]["evidence"]] == ["sim/high.py", "sim/a/low.py"]


def test_relative_imports(tmp_path):
    modules(tmp_path, {"sim/__init__": "", "sim/low": PUT, "sim/a/__init__": ""})
    (tmp_path / "sim/a/high.py").write_text("from ..low import put\ndef f(x : 'float[:]', y : 'float[:]'):\n    put(x, y)\n")
    (kernel,) = inspect(tmp_path, None, "sim/a/high.py")["kernels"]
    assert facts(kernel) == {"x": "yes"}


def test_a_folder_for_imports(tmp_path):
    high = "from low import put\ndef f(x : 'float[:]', y : 'float[:]'):\n    put(x, y)\n"
    modules(tmp_path, {"lib/low": PUT, "here/high": high})
    (kernel,) = inspect(tmp_path, None, "here/high.py")["kernels"]
    assert facts(kernel) == {"x": "maybe", "y": "maybe"}
    (kernel,) = inspect(tmp_path, None, "-I", "lib", "here/high.py")["kernels"]
    assert facts(kernel) == {"x": "yes"}


def test_a_module_that_cannot_be_parsed_is_not_known(tmp_path):
    modules(tmp_path, {"other": "def put(:\n"})
    source = "from other import put\ndef f(x : 'float[:]'):\n    put(x)\n"
    assert written(tmp_path, source) == {"f": {"x": "maybe"}}


def test_modules_that_import_each_other(tmp_path):
    modules(tmp_path, {"other": "import k\ndef put(a : 'float[:]'):\n    k.g(a)\n"})
    source = "import other\ndef f(x : 'float[:]'):\n    other.put(x)\ndef g(x : 'float[:]'):\n    x[0] = 1.0\n"
    assert written(tmp_path, source) == {"f": {"x": "yes"}, "g": {"x": "yes"}}


# --- argument classes ---

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


@pytest.mark.parametrize(
    "statement, expected",
    [
        ("args.other[0] = 1.0", {"args.other": "yes"}),
        ("a = args.other\na[0] = 1.0", {"args.other": "yes"}),
        ("a = args.data[0]\na += 1.0", {"args.data": "yes", "args.row": "yes"}),
        ("args.row[0] = 1.0", {"args.data": "yes", "args.row": "yes"}),
        ("args.other += 1.0", {"args.other": "yes"}),
        ("args.work[0] = 1.0", {"args.work": "owned", "args.half": "owned"}),
        ("args.half[:] = 0.0", {"args.work": "owned", "args.half": "owned"}),
        ("x[0] = args.other[0] + args.n", {"x": "yes"}),
        ("a = args.n\na += 1", {}),
        ("args.n = 3", {"args.n": "yes"}),
        ("args.n += 1", {"args.n": "yes"}),
        ("args.move(1.0)", {"args.data": "yes", "args.row": "yes"}),
        ("args.other_of()[0] = 1.0", {"args.other": "yes"}),
        ("g(args)", {"args.other": "yes"}),
        ("g(args=args)", {"args.other": "yes"}),
        ("put(args.other)", {"args.other": "yes"}),
        ("put(args.work)", {"args.work": "owned", "args.half": "owned"}),
        ("a = Markers(z, x, n)\ng(a)", {"x": "yes"}),
        ("a = Markers(z, x, n)\na.work[0] = 1.0", {}),
        ("a = Markers(z, x, n)\na.row[0] = 1.0", {"z": "yes"}),
        ("a = Pair(args, args)\na.again.other[0] = 1.0", {"args.other": "yes"}),
        ("a = Pair(args, args)\ng(a.first)", {"args.other": "yes"}),
        ("a = Markers(z, x, n)\nb = Pair(a, args)\nb.first.other[0] = 1.0", {"x": "yes"}),
    ],
)
def test_argument_classes(tmp_path, statement, expected):
    before = CLASSES + "def g(args : 'Markers'):\n    args.other[0] = 1.0\ndef put(a : 'float[:]'):\n    a[0] = 1.0\n"
    signature = "args : 'Markers', x : 'float[:]', z : 'float[:,:]', n : int"
    assert one(tmp_path, statement, before=before, signature=signature) == expected


def test_an_object_given_away_may_change_in_all_its_arrays(tmp_path):
    found = one(tmp_path, "unknown(args)", before=CLASSES, signature="args : 'Markers'")
    assert {name for name, writes in found.items() if writes == "maybe"} >= {"args.data", "args.row", "args.other"}
    assert found["args.work"] == "owned"


def test_attributes_set_from_outside_are_not_owned(tmp_path):
    source = """
def f(args : 'Markers', x : 'float[:]'):
    args.work = x
def g(args : 'Markers'):
    args.work[0] = 1.0
"""
    found = written(tmp_path, CLASSES + source)
    assert found["f"]["args.work"] == "yes"
    assert found["g"]["args.work"] == "yes"


def test_what_is_put_into_an_object_is_written_through_it(tmp_path):
    source = CLASSES + "def f(args : 'Markers', x : 'float[:]'):\n    args.other = x\n    args.other[0] = 1.0\n"
    assert written(tmp_path, source)["f"] == {"args.other": "yes", "x": "yes"}
    source = """
def g(args : 'Markers', a : 'float[:]'):
    args.other = a
def f(args : 'Markers', x : 'float[:]'):
    g(args, x)
    args.other[0] = 1.0
"""
    assert written(tmp_path, CLASSES + source)["f"] == {"args.other": "yes", "x": "yes"}


def test_classes_of_other_modules(tmp_path):
    modules(tmp_path, {"arguments": CLASSES})
    for annotation in ("'Markers'", "Markers"):
        source = f"from arguments import Markers\ndef f(args : {annotation}):\n    args.work[0] = 1.0\n"
        assert written(tmp_path, source)["f"] == {"args.work": "owned", "args.half": "owned"}


DERIVED = """
class Base:
    def __init__(self, data : 'float[:]'):
        self.data = data
        self.view = data[1:]
        self.work = zeros(3)
    @property
    def again(self):
        return self.data
    def put(self):
        self.data[0] = 1.0
    def hidden(self):
        self.work[0] = 1.0
class Derived(Base):
    def hidden(self):
        self.view[0] = 1.0
class Strange(Nowhere):
    def __init__(self, a : 'float[:]'):
        self.a = a
"""


@pytest.mark.parametrize(
    "statement, expected",
    [
        ("b.data[0] = 1.0", {"b.data": "yes", "b.view": "yes"}),
        ("d.data[0] = 1.0", {"d.data": "yes", "d.view": "yes"}),
        ("d.work[0] = 1.0", {"d.work": "owned"}),
        ("b.hidden()", {"b.work": "owned"}),
        ("d.hidden()", {"d.data": "yes", "d.view": "yes"}),
        ("d.put()", {"d.data": "yes", "d.view": "yes"}),
        ("b.again[0] = 1.0", {"b.data": "yes", "b.view": "yes"}),
        ("s.a[0] = s.b[0]", {"s.a": "yes", "s.b": "maybe"}),
        ("s.c()", {"s.a": "maybe"}),
    ],
)
def test_inheritance_and_properties(tmp_path, statement, expected):
    signature = "b : 'Base', d : 'Derived', s : 'Strange'"
    assert one(tmp_path, statement, before=DERIVED, signature=signature) == expected


def test_a_class_that_is_not_known(tmp_path):
    source = "def f(args : 'Nowhere', x : 'float[:]'):\n    args.a[0] = args.b[0] + x[0]\n"
    assert written(tmp_path, source) == {"f": {"args.a": "yes", "args.b": "maybe"}}  # they may share memory


def test_attributes_have_the_types_of_their_arguments(tmp_path):
    source = CLASSES + "def f(args : 'Markers'):\n    pass\n"
    (args,) = report(tmp_path, source)["kernels"][0]["params"]
    rows = {a["name"]: (a["type"], a["kind"], a["rank"]) for a in args["attributes"]}
    assert rows["args.data"] == ("float[:,:]", "array", 2)
    assert rows["args.n"] == ("int", "scalar", 0)
    assert rows["args.size"] == ("", "scalar", 0)
    assert rows["args.work"] == ("", "array", 1)


# --- overwritten ---


def overwritten(folder, body, before=""):
    lines = "\n".join("    " + line for line in body.split("\n"))
    source = f"from numpy import *\n{before}\ndef f(x : 'float[:]', m : 'float[:,:]', y : 'float[:]', n : int):\n{lines}\n"
    (kernel,) = [k for k in report(folder, source)["kernels"] if k["name"] == "f"]
    return [p["name"] for p in kernel["params"] if p["overwritten"]]


@pytest.mark.parametrize(
    "body",
    [
        "x[:] = 0.0",
        "x[...] = y",
        "x[:] = y * n\nx[0] += x[1]",
        "x.fill(0.0)",
        "x[0] = 1.0\nx[:] = 0.0",
        "for i in range(x.shape[0]):\n    x[i] = y[i]",
        "for i in range(len(x)):\n    x[i] = 0.0",
        "for i in range(0, shape(x)[0]):\n    x[i] = 0.0",
        "k = x.shape[0]\nfor i in range(k):\n    x[i] = y[i]\nx[0] += 1.0",
        "if n > 0:\n    x[:] = 0.0\nelse:\n    x[:] = 1.0",
        "for i in range(x.shape[0]):\n    if y[i] > 0.0:\n        x[i] = 0.0\n    else:\n        x[i] = 1.0",
        "clear(x)",
        "put(y, x)",
    ],
)
def test_overwritten(tmp_path, body):
    before = "def clear(a : 'float[:]'):\n    a[:] = 0.0\ndef put(b : 'float[:]', a : 'float[:]'):\n    a[:] = b\n"
    assert overwritten(tmp_path, body, before) == ["x"]


@pytest.mark.parametrize(
    "body",
    [
        "m[:, :] = 0.0",
        "m[:] = 0.0",
        "k = m.shape[0]\nl = m.shape[1]\nfor i in range(k):\n    for j in range(l):\n        m[i, j] = y[j]",
        "for j in range(m.shape[1]):\n    m[:, j] = 0.0",
        "for i in range(m.shape[0]):\n    m[i] = y",
        "for j in range(shape(m)[1]):\n    for i in range(shape(m)[0]):\n        m[i, j] = 0.0",
    ],
)
def test_overwritten_of_rank_two(tmp_path, body):
    assert overwritten(tmp_path, body) == ["m"]


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1.0",
        "x[1:] = 0.0",
        "x[:] += 1.0",
        "x[:] = x",
        "x[:] = x[0]",
        "y[0] = x[0]\nx[:] = 0.0",
        "a = x\nx[:] = 0.0",
        "if n > 0:\n    x[:] = 0.0",
        "if n > 0:\n    return\nx[:] = 0.0",
        "for i in range(n):\n    x[:] = 0.0",
        "for i in range(n):\n    x[i] = 0.0",
        "for i in range(1, x.shape[0]):\n    x[i] = 0.0",
        "for i in range(y.shape[0]):\n    x[i] = 0.0",
        "for i in range(x.shape[0]):\n    x[i] = 0.0\n    y[i] = x[0]",
        "for i in range(x.shape[0]):\n    x[i] = x[i - 1]",
        "for i in range(x.shape[0]):\n    if y[i] > 0.0:\n        continue\n    x[i] = 0.0",
        "for i in range(x.shape[0]):\n    if y[i] > 0.0:\n        x[i] = 0.0",
        "for i in range(x.shape[0]):\n    x[i] = 0.0\n    if y[i] > 0.0:\n        break",
        "for i in range(x.shape[0]):\n    i = 0\n    x[i] = 0.0",
        "k = x.shape[0]\nk -= 1\nfor i in range(k):\n    x[i] = 0.0",
        "for i in range(x.shape[0]):\n    x[n] = 0.0",
        "for i in range(x.shape[0], 2):\n    x[i] = 0.0",
        "while n > 0:\n    x[:] = 0.0",
        "unknown(x)\nx[:] = 0.0",
        "clear(x[1:])",
        "for i in range(m.shape[0]):\n    for j in range(m.shape[0]):\n        m[i, j] = 0.0",
        "for i in range(m.shape[0]):\n    m[i, 0] = 0.0",
        "for i in range(m.shape[0]):\n    m[i, i] = 0.0",
        "try:\n    x[:] = 0.0\nexcept ValueError:\n    pass",
        "add(x, y, x)",
        "def range(n):\n    return [0]\nfor i in range(x.shape[0]):\n    x[i] = 0.0",
    ],
)
def test_not_overwritten(tmp_path, body):
    assert overwritten(tmp_path, body, "def clear(a : 'float[:]'):\n    a[:] = 0.0\n") == []


# --- stubs with their sources ---

STUB = "def f(x : 'float64[:]', y : 'Final[float64[:]]', args : 'Markers') -> None: ...\n"
SOURCE = CLASSES + "def f(x : 'float[:]', y : 'Final[float[:]]', args : 'Markers'):\n    y[0] = x[0]\n    args.work[0] = 1.0\n"


@pytest.mark.parametrize("stub, source", [("k.pyi", "k.py"), ("__pyccel__/k.pyi", "k.py"), ("__pyccel__/a/k.pyi", "a/k.py")])
def test_the_source_beside_a_stub_is_found(tmp_path, stub, source):
    for path, text in ((stub, STUB), (source, SOURCE)):
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    (kernel,) = inspect(tmp_path, None, stub)["kernels"]
    assert kernel["file"] == stub and kernel["params"][0]["dtype"] == "float64"
    assert facts(kernel) == {"y": "yes", "args.work": "owned", "args.half": "owned"}


def test_a_source_given_with_the_stub(tmp_path):
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs/k.pyi").write_text(STUB)
    (tmp_path / "k.py").write_text(SOURCE)
    for files in (["stubs/k.pyi", "k.py"], ["k.py", "stubs/k.pyi"]):
        (kernel,) = inspect(tmp_path, None, *files)["kernels"]
        assert kernel["file"] == "stubs/k.pyi"
        assert facts(kernel) == {"y": "yes", "args.work": "owned", "args.half": "owned"}


def test_a_function_that_the_source_does_not_have(tmp_path):
    (tmp_path / "k.pyi").write_text("def f(x : 'float64[:]', y : 'Final[float64[:]]') -> None: ...\n")
    (tmp_path / "k.py").write_text("def g(x : 'float[:]'):\n    pass\n")
    (kernel,) = inspect(tmp_path, None, "k.pyi")["kernels"]
    assert facts(kernel) == {"x": "maybe"}
    assert kernel["params"][0]["evidence"] == [{"file": "k.pyi", "line": 1, "text": "the source does not define it"}]


def test_other_parameters_in_the_source(tmp_path):
    (tmp_path / "k.pyi").write_text("def f(x : 'float64[:]') -> None: ...\n")
    (tmp_path / "k.py").write_text("def f(x : 'float[:]', n : int):\n    pass\n")
    (kernel,) = inspect(tmp_path, None, "k.pyi")["kernels"]
    assert facts(kernel) == {"x": "maybe"}


# --- kernels alone ---


def test_functions_without_annotations_cannot_be_wrapped(tmp_path):
    (kernel,) = report(tmp_path, "def f(x, n : int):\n    x[0] = n\n")["kernels"]
    assert not kernel["wrappable"] and kernel["reason"] == "parameter 'x': it has no annotation"
    assert facts(kernel) == {"x": "yes"}


def test_functions_without_any_annotation_are_not_analysed(tmp_path):
    (kernel,) = report(tmp_path, "def f(x, n):\n    return x[n]\n")["kernels"]
    assert facts(kernel) == {"x": "maybe", "n": "maybe"}
    assert kernel["params"][0]["evidence"][0]["text"] == "none of its parameters is annotated"


def test_the_work_is_bounded(tmp_path):
    """Objects without types that refer to each other could make memory without end."""
    names = [f"a{i}" for i in range(40)]
    lines = [
        f"        {a}.{b} = {b}.{c}" for i, a in enumerate(names) for b, c in ((names[i - 1], names[i - 7]), (a, names[i - 3]))
    ]
    body = "\n".join([f"    {a} = o.{a}" for a in names] + ["    for i in range(n):"] + lines * 3)
    source = f"def f(o, x : 'float[:]', n : int):\n{body}\n    x[0] = 1.0\n"
    (kernel,) = report(tmp_path, source)["kernels"]
    assert [p["writes"] for p in kernel["params"]] == ["yes", "yes", "no"] or kernel["params"][1]["writes"] == "maybe"


def test_sources_are_not_executed(tmp_path):
    report(tmp_path, "open('ran', 'w')\nimport side\ndef f(x : 'float[:]'):\n    side.g(x)\n", name="k.py")
    (tmp_path / "side.py").write_text("open('imported', 'w')\ndef g(x : 'float[:]'):\n    x[0] = 1.0\n")
    assert facts(inspect(tmp_path, None, "k.py")["kernels"][0]) == {"x": "yes"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.py", "side.py"]
