"""Writes of Pyccel kernels through the functions they call, in their own module and in others."""

import pytest

from front import inspect, tool
from stub_facts import each, facts, modules, report, written

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


CALLS = (
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
)


@pytest.mark.parametrize("statement, expected", CALLS)
def test_calls(statement, expected):
    assert set(each(tuple(s for s, _ in CALLS), statement, before=CALLEES)) == expected


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
