"""Which arguments Pyccel kernels write, found in their Python source: no write missed, and what is only read told apart."""

import pytest

from stub_facts import each, one, written


STORES = (
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
)


@pytest.mark.parametrize("statement", STORES)
def test_one_written_array(statement):
    assert each(STORES, statement) == {"x": "yes"}


VIEWS = (
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
)


@pytest.mark.parametrize("statement", VIEWS)
def test_views_of_rank_two(statement):
    assert each(VIEWS, statement) == {"m": "yes"}


NO_STORES = (
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
    "g = lambda: x\ng()",
    "g = lambda a: a + 1.0\na = g(x)\na[0] = 1.0",
    "def g(a, *, k=1):\n    return a[0] + k\na = g(x, k=2)",
    "a = [x, y]\nb = array(a)\nb[0, 0] = 1.0",
    "a = zeros(n, dtype=float)\na[:] = x",
    "a = x.astype('f4') + y\na[0] = 1.0",
    "a = array([[1.0, 2.0], [s, 4.0]])\na[0] = x[:2]",
    "a = x[n].conjugate()\na += 1.0",
)


@pytest.mark.parametrize("statement", NO_STORES)
def test_nothing_written(statement):
    assert each(NO_STORES, statement) == {}


UNKNOWN = (
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
)


@pytest.mark.parametrize("statement", UNKNOWN)
def test_what_cannot_be_told_is_maybe(statement):
    assert each(UNKNOWN, statement, signature="x : 'float[:]', n : int") == {"x": "maybe"}


def test_an_index_that_may_be_a_slice(tmp_path):
    for index in ("i = slice(0, 2)", "i = unknown(n)"):
        assert one(tmp_path, f"{index}\na = x[i]\na += 1.0", signature="x : 'float[:]', n : int") == {"x": "maybe"}
    assert one(tmp_path, "a = x[unknown(n):]\na[0] = 1.0", signature="x : 'float[:]', n : int") == {"x": "yes"}


def test_defaults_of_nested_functions(tmp_path):
    assert one(tmp_path, "def g(a=x):\n    a[0] = 1.0\ng()", signature="x : 'float[:]'") == {"x": "yes"}


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


def test_methods_of_elements_of_type_variables(tmp_path):
    source = """
from typing import TypeVar
T = TypeVar('T', 'float', 'complex')
A = TypeVar('A', 'float[:]', 'complex[:]')
B = TypeVar('B', 'float[:]', 'float[:,:]')
def f(x : 'T[:]', m : 'T[:,:]', a : 'A', b : 'B', y : 'T[:]'):
    s = x[0].conjugate() * m[0, 1].conjugate() + m[0][1].real
    t = a[0].conjugate()
    t += s
    u = b[0].conjugate() + b[0].sum() + b.T[0].copy()
    y[0] = s + t
"""
    assert written(tmp_path, source) == {"f": {"y": "yes"}}


def test_unions_of_ranks(tmp_path):
    assert one(tmp_path, "a = x[0]\na += 1.0", signature="x : 'float[:] | float[:,:]'") == {"x": "maybe"}


@pytest.mark.parametrize("terms", [" + ".join(["y[0]"] * 50000), "y" + ".T" * 50000 + "[0]", "y" + ".copy()" * 20000 + "[0]"])
def test_an_expression_of_many_terms(tmp_path, terms):
    assert written(tmp_path, f"def f(x : 'float[:]', y : 'float[:]'):\n    x[0] = {terms}\n") == {"f": {"x": "yes"}}
