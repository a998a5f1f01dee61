"""Arrays that a Pyccel kernel overwrites completely before it reads any of them."""

import pytest

from stub_facts import each_kernel


def overwritten(bodies, body, before=""):
    kernel = each_kernel(bodies, before, "x : 'float[:]', m : 'float[:,:]', y : 'float[:]', n : int")[body]
    return [p["name"] for p in kernel["params"] if p["overwritten"]]


ALL = (
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
    "k: int = len(x)\nfor i in range(k):\n    x[i] = 0.0",
    "for i in range(x.size):\n    x[i] = 0.0",
    "a = [i for i in y]\nfor k in range(len(x)):\n    x[k] = 0.0",
    "assert n > 0\nx[:] = 0.0",
    "g = lambda a: a + 1.0\nx[:] = g(1.0)",
)


@pytest.mark.parametrize("body", ALL)
def test_overwritten(body):
    before = "def clear(a : 'float[:]'):\n    a[:] = 0.0\ndef put(b : 'float[:]', a : 'float[:]'):\n    a[:] = b\n"
    assert overwritten(ALL, body, before) == ["x"]


ALL_OF_RANK_TWO = (
    "m[:, :] = 0.0",
    "m[:] = 0.0",
    "k = m.shape[0]\nl = m.shape[1]\nfor i in range(k):\n    for j in range(l):\n        m[i, j] = y[j]",
    "for j in range(m.shape[1]):\n    m[:, j] = 0.0",
    "for i in range(m.shape[0]):\n    m[i] = y",
    "k, l = m.shape\nfor i in range(k):\n    for j in range(l):\n        m[i, j] = 0.0",
    "k, l = shape(m)\nfor i in range(k):\n    m[i, :] = 0.0",
    "for j in range(shape(m)[1]):\n    for i in range(shape(m)[0]):\n        m[i, j] = 0.0",
)


@pytest.mark.parametrize("body", ALL_OF_RANK_TWO)
def test_overwritten_of_rank_two(body):
    assert overwritten(ALL_OF_RANK_TWO, body) == ["m"]


NOT_ALL = (
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
)


@pytest.mark.parametrize("body", NOT_ALL)
def test_not_overwritten(body):
    assert overwritten(NOT_ALL, body, "def clear(a : 'float[:]'):\n    a[:] = 0.0\n") == []
