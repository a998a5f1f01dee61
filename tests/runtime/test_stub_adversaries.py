"""Kernels written to fool the analysis: nothing that the interpreter is seen to write may be claimed unwritten."""

import contextlib
import io

import numpy as np
import pytest

from front import inspect
from stub_adversaries import KINDS

SIGNATURE = "x: 'float[:]', y: 'float[:]', m: 'float[:,:]', n: int"
CASES = [(kind, number) for kind, rows in KINDS.items() for number in range(len(rows))]


def source_of(before, body):
    return f"from numpy import *\n{before}\ndef f({SIGNATURE}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def changed(source):
    """The arrays that a run of f changes; what the run ends in does not matter."""
    arrays = {"x": np.arange(1.0, 5.0), "y": np.arange(2.0, 6.0), "m": np.arange(1.0, 17.0).reshape(4, 4)}
    before = {name: array.copy() for name, array in arrays.items()}
    space = {}
    exec(compile(source, "adversary", "exec", dont_inherit=True), space)
    with contextlib.redirect_stdout(io.StringIO()):
        space["f"](*arrays.values(), 2)
    return {name for name in arrays if not np.array_equal(arrays[name], before[name])}


@pytest.fixture(scope="module")
def claimed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adversaries")
    names = {}
    for kind, number in CASES:
        name = f"{kind.replace(' ', '_')}{number}.py"
        (folder / name).write_text(source_of(*KINDS[kind][number]))
        names[name] = kind, number
    found = {}
    for name, case in names.items():  # a run each: what one file defines must not make another unsure
        (f,) = [k for k in inspect(folder, None, name)["kernels"] if k["name"] == "f"]
        found[case] = {p["name"]: p["writes"] for p in f["params"]}
    return found


@pytest.mark.parametrize("kind, number", CASES)
def test_no_write_is_missed(claimed, kind, number):
    source = source_of(*KINDS[kind][number])
    seen = changed(source)
    assert seen, f"nothing is written, so this shows nothing:\n{source}"
    assert {name for name in seen if claimed[kind, number][name] == "no"} == set(), source
