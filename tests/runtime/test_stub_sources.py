"""Stubs with their Python sources, and sources alone: which are found, matched and analysed; none is executed."""

import pytest

from front import inspect
from stub_facts import CLASSES, facts, report

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
