"""Kernels written to fool the analysis: nothing that the interpreter is seen to write may be claimed unwritten."""

import contextlib
import io

import numpy as np
import pytest

from front import inspect
from stub_adversaries import KINDS
from stub_adversaries_overwritten import NOT_OVERWRITTEN

SIGNATURE = "x: 'float[:]', y: 'float[:]', m: 'float[:,:]', n: int"
CASES = [(kind, number) for kind, rows in KINDS.items() for number in range(len(rows))]


def source_of(before, body):
    return f"from numpy import *\n{before}\ndef f({SIGNATURE}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def run(source, **given):
    """The arrays before and after a call of f, and its result."""
    arrays = {"x": np.arange(1.0, 5.0), "y": np.arange(2.0, 6.0), "m": np.arange(1.0, 17.0).reshape(4, 4), **given}
    before = {name: array.copy() for name, array in arrays.items()}
    space = {}
    exec(compile(source, "adversary", "exec", dont_inherit=True), space)
    with contextlib.redirect_stdout(io.StringIO()):
        result = space["f"](*arrays.values(), 2)
    return before, arrays, result


def changed(source):
    before, after, _ = run(source)
    return {name for name in after if not np.array_equal(after[name], before[name])}


def shows(source):
    """Whether what x holds before a call can be seen after it."""
    (_, one, a), (_, other, b) = run(source), run(source, x=np.arange(21.0, 25.0))
    return any(not np.array_equal(one[name], other[name]) for name in one) or a != b


@pytest.fixture(scope="module")
def claimed(tmp_path_factory):
    """What is said of each case. Those with classes go by themselves: what one file defines makes unsure what is read with it."""
    folder = tmp_path_factory.mktemp("adversaries")
    names, alone, together = {}, [], []
    for kind, number in CASES:
        name = f"{kind.replace(' ', '_')}{number}.py"
        (folder / name).write_text(source_of(*KINDS[kind][number]))
        names[name] = kind, number
        (alone if "class " in "".join(KINDS[kind][number]) else together).append(name)
    found = {}
    for files in [together, *([name] for name in alone)]:
        for kernel in inspect(folder, None, *files)["kernels"]:
            if kernel["name"] == "f":
                found[names[kernel["file"]]] = {p["name"]: p["writes"] for p in kernel["params"]}
    return found


@pytest.mark.parametrize("kind, number", CASES)
def test_no_write_is_missed(claimed, kind, number):
    source = source_of(*KINDS[kind][number])
    seen = changed(source)
    assert seen, f"nothing is written, so this shows nothing:\n{source}"
    assert {name for name in seen if claimed[kind, number][name] == "no"} == set(), source


@pytest.mark.filterwarnings("ignore:coroutine")
def test_what_shows_is_not_overwritten(tmp_path):
    sources = [source_of(*row) for row in NOT_OVERWRITTEN]
    for number, source in enumerate(sources):
        (tmp_path / f"k{number}.py").write_text(source)
    kernels = inspect(tmp_path, None, *[f"k{number}.py" for number in range(len(sources))])["kernels"]
    claimed = {k["file"] for k in kernels if k["name"] == "f" and k["params"][0]["overwritten"]}
    for number, source in enumerate(sources):
        assert shows(source), f"it is overwritten, so this shows nothing:\n{source}"
        assert f"k{number}.py" not in claimed, source
