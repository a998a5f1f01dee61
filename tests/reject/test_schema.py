"""The schema of the manifest and the tool judge the same documents alike (pkwrap-manifest(5)).

Each document is a small change to a manifest that works; the good ones are generated from, too, so that "good" means
more than "not refused". What only the tool can know (names, positions, combinations over several objects) has its
refusals in cases/.
"""

import copy
import json
import re
from pathlib import Path

import corpus
import jsonschema
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCHEMA = json.loads((ROOT / "schemas/manifest.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

BASE = {
    "module": "shapes",
    "headers": ["shapes.h"],
    "kernels": {
        "scale": {"outputs": ["x"], "params": {"x": {"shape": ["n"]}}},
        "copy": {"outputs": ["out"], "params": {"x": {"shape": ["n"]}, "out": {"shape": ["n"]}}},
        "pick": {"params": {"x": {"shape": ["n"]}}},
    },
}
REMOVE = object()


def changed(path, value):
    """BASE with the value at `path` ("kernels/scale/outputs") replaced, added or, for REMOVE, removed."""
    document = copy.deepcopy(BASE)
    *folders, last = path.split("/")
    inner = document
    for name in folders:
        inner = inner.setdefault(name, {})
    if value is REMOVE:
        del inner[last]
    else:
        inner[last] = value
    return document


X = "kernels/scale/params/x"
OUT = "kernels/copy/params/out"
SHAPE = {"shape": ["n"]}

GOOD = [
    ("module", "shapes"),
    ("$schema", "manifest.schema.json"),
    ("$comment", "why"),
    ("version", 1),
    ("sources", []),
    ("compile", {}),
    ("compile/$comment", "why"),
    ("compile/include_dirs", ["."]),
    ("compile/defines", {"DIM": "3", "EMPTY": "", "$comment": "why"}),
    ("compile/flags", ["-DX=1"]),
    ("compile/pkg_config", []),
    ("link/libraries", ["m"]),
    ("link/library_dirs", ["."]),
    ("link/flags", ["-Wl,-O1"]),
    ("kernels/$comment", "why"),
    ("kernels/scale/$comment", "why"),
    ("kernels/scale/params/$comment", "why"),
    (X, SHAPE | {"$comment": "why"}),
    ("kernels/scale/outputs", "auto"),
    ("kernels/scale/outputs", [2]),
    ("kernels/scale/outputs", [-1]),
    ("kernels/scale/outputs", REMOVE),
    ("kernels/pick/outputs", []),
    ("kernels/scale/name", "scale_by"),
    ("kernels/scale/doc", "Scales."),
    ("kernels/scale/gil", "auto"),
    ("kernels/scale/gil", "hold"),
    ("kernels/scale/gil", "release"),
    ("kernels/scale/thread_safe", True),
    ("kernels/scale/thread_safe", False),
    (X, {"shape": ["2*n+1"]}),
    (X, {"shape": ["LIMIT"]}),
    (X, {"shape": [None]}),
    (X, {"shape": ["n", None]}),
    (X, {"shape": []}),
    (X, SHAPE | {"order": "C"}),
    (X, {"shape": ["n", "3"], "order": "F"}),
    (X, SHAPE | {"dtype": "float64"}),
    (X, SHAPE | {"name": "values"}),
    (X, SHAPE | {"keyword_only": True}),
    (X, SHAPE | {"overwritten": True}),
    (X, SHAPE | {"nullable": True}),
    (X, SHAPE | {"empty": "refuse"}),
    (X, SHAPE | {"written": "seen in the assembly"}),
    (OUT, SHAPE | {"create": True}),
    (OUT, SHAPE | {"create": True, "overwritten": True}),
    ("kernels/fill_void", {"params": {"data": {"shape": ["n"], "dtype": "complex128"}}}),
    ("kernels/scale/params/alpha", {"default": 1.5}),
    ("kernels/scale/params/alpha", {"default": 1}),
    ("kernels/scale/params/alpha", {"value": "2"}),
    ("kernels/pick/params/side", {"value": "RIGHT"}),
    ("kernels/pick/params/side", {"default": 1}),
    ("kernels/two", {"params": {"z": {"default": [1.0, -2]}, "a": SHAPE, "b": SHAPE}}),
    ("kernels/maybe", {"outputs": ["x"], "params": {"x": SHAPE, "weights": SHAPE | {"nullable": True}}}),
    ("kernels/with_work", {"outputs": ["x"], "params": {"x": SHAPE, "work": SHAPE | {"scratch": True}}}),
    ("kernels/with_work", {"outputs": [-2], "params": {"x": SHAPE, "work": SHAPE | {"scratch": True, "create": False}}}),
    ("kernels/scale/outputs", [2.0]),
    ("kernels/scale/doc", "Two\nlines."),
]

BAD = [
    ("module", REMOVE),
    ("module", "9lives"),
    ("module", "class"),
    ("module", ""),
    ("module", 3),
    ("headers", REMOVE),
    ("headers", []),
    ("headers", "shapes.h"),
    ("headers", [""]),
    ("headers", [1]),
    ("kernels", REMOVE),
    ("kernels", []),
    ("$comment", 1),
    ("version", 2),
    ("version", "1"),
    ("source", ["a.c"]),
    ("sources", "a.c"),
    ("compile", []),
    ("compile/include_dir", ["."]),
    ("compile/include_dirs", "."),
    ("compile/defines", ["DIM=3"]),
    ("compile/defines", {"DIM": 3}),
    ("compile/defines", {"A B": "3"}),
    ("compile/flags", "-O2"),
    ("compile/pkg_config", "openblas"),
    ("link/library", ["m"]),
    ("link/libraries", [None]),
    ("kernels/not a name", {}),
    ("kernels/scale", []),
    ("kernels/scale/output", ["x"]),
    ("kernels/scale/outputs", "x"),
    ("kernels/scale/outputs", "Auto"),
    ("kernels/scale/outputs", [1.5]),
    ("kernels/scale/outputs", [True]),
    ("kernels/scale/outputs", [None]),
    ("kernels/scale/outputs", None),
    ("kernels/scale/name", "lambda"),
    ("kernels/scale/name", "a-b"),
    ("kernels/scale/doc", ["Scales."]),
    ("kernels/scale/gil", "released"),
    ("kernels/scale/gil", True),
    ("kernels/scale/thread_safe", "yes"),
    ("kernels/scale/thread_safe", 1),
    ("kernels/scale/params", []),
    (X, []),
    (X, SHAPE | {"shapes": ["n"]}),
    (X, {"shape": "n"}),
    (X, {"shape": [3]}),
    (X, {"shape": [""]}),
    (X, {"shape": ["1"] * 65}),
    (X, SHAPE | {"order": "c"}),
    (X, SHAPE | {"order": None}),
    (X, SHAPE | {"dtype": "double"}),
    (X, SHAPE | {"dtype": "float"}),
    (X, SHAPE | {"name": "None"}),
    (X, SHAPE | {"keyword_only": 1}),
    (X, SHAPE | {"create": "true"}),
    (X, SHAPE | {"overwritten": None}),
    (X, SHAPE | {"empty": "allow"}),
    (X, SHAPE | {"empty": True}),
    (X, SHAPE | {"read_only": ""}),
    (X, SHAPE | {"read_only": True}),
    (X, SHAPE | {"written": 1}),
    (X, SHAPE | {"read_only": "a", "written": "b"}),
    (X, SHAPE | {"create": True, "scratch": True}),
    (X, SHAPE | {"scratch": True, "overwritten": True}),
    (X, SHAPE | {"create": True, "default": None}),
    (X, {"create": True, "value": "1"}),
    (X, {"value": "1", "shape": ["n"]}),
    (X, {"value": ""}),
    (X, {"value": 1}),
    ("kernels/scale/params/alpha", {"value": "1", "default": 1}),
    ("kernels/scale/params/alpha", {"value": "1", "name": "a"}),
    ("kernels/scale/params/alpha", {"default": [1]}),
    ("kernels/scale/params/alpha", {"default": ["1", "2"]}),
    ("kernels/scale/params/alpha", {"default": {"re": 1}}),
    ("headers", ['a".h']),
    ("headers", ["<a.h>"]),
    ("headers", ["a\n.h"]),
    ("sources", ["a\tb.c"]),
    ("compile/flags", ["\x1b"]),
    ("compile/pkg_config", ["--help"]),
    ("compile/defines", {"DIM": "3\n#define X"}),
    ("compile/defines", {"$comment": 1}),
    ("kernels", {}),
    ("kernels", {"$comment": "none"}),
    ("kernels/a..b", {}),
    ("module", "shapes\n"),
    ("kernels/scale/name", "scale\n"),
    ("kernels/scale/outputs", ["x", "x"]),
    ("kernels/scale/outputs", [2, 2.0]),
    ("kernels/scale/outputs", [40000]),
    ("kernels/scale/outputs", [""]),
    (X, {"shape": ["n\n"]}),
    (X, SHAPE | {"create": True, "nullable": True}),
    (X, SHAPE | {"create": True, "read_only": "a"}),
    (X, SHAPE | {"overwritten": True, "read_only": "a"}),
    (X, {"shape": [], "overwritten": True, "default": 1}),
    (X, SHAPE | {"scratch": True, "read_only": "a"}),
    (X, SHAPE | {"scratch": True, "written": "a"}),
    (X, SHAPE | {"scratch": True, "default": None}),
    ("kernels/scale/params/alpha", {"value": "1", "keyword_only": True}),
    ("extension", "kernels"),
    ("kernel_sources", ["kernels.py"]),
    ("object_modules", ["a"]),
    ("constant", ["Grid.nodes"]),
    ("stubs", ["kernels.pyi"]),
    ("stubs", []),
    ("stubs", "kernels.pyi"),
    ("extension", "a..b"),
    ("object_modules", [1]),
    ("constant", "Grid"),
    ("constant", ["Grid nodes"]),
]


def identify(case):
    path, value = case
    return f"{path}={'(removed)' if value is REMOVE else json.dumps(value)}"[:70]


def run_all(folder, documents):
    """The tool, once, on all documents: each as a case of corpus.py, and {its name: (stderr, exit status)}."""
    shapes = {"shapes.h": (HERE / "schema/shapes.h").read_bytes()}
    cases = [corpus.Case(HERE, f"{number}\n--- manifest.json\n{document}\n", shapes) for number, document in enumerate(documents)]
    for case in cases:
        case.write(folder / case.name)
    return cases, corpus.outcomes_together(folder, cases)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    return folder, *run_all(folder, [json.dumps(changed(*case)) for case in GOOD])


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    return folder, *run_all(folder, [json.dumps(changed(*case), indent=2) for case in BAD])


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_dtypes_are_those_of_the_header():
    rows = re.findall(r'^    X\(\w+, "(\w+)"', (ROOT / "lib/include/pkwrap_dtype.h").read_text(), re.MULTILINE)
    assert SCHEMA["$defs"]["param"]["properties"]["dtype"]["enum"] == rows


@pytest.mark.parametrize("number", range(len(GOOD)), ids=map(identify, GOOD))
def test_both_accept(number, good):
    VALIDATOR.validate(changed(*GOOD[number]))
    folder, cases, outcomes = good
    assert outcomes[str(number)] == ("", 0)
    assert corpus.generated(folder / str(number), cases[number]) == ["shapes.pyi", "shapes_wrap.c"]


@pytest.mark.parametrize("number", range(len(BAD)), ids=map(identify, BAD))
def test_both_refuse(number, bad):
    assert not VALIDATOR.is_valid(changed(*BAD[number]))
    folder, cases, outcomes = bad
    stderr, status = outcomes[str(number)]
    assert status == 1
    assert re.search(r"^manifest\.json:\d+:\d+: error: .", stderr, re.MULTILINE), stderr
    assert corpus.generated(folder / str(number), cases[number]) == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests/examples").glob("*/*.json")), ids=lambda path: path.name)
def test_examples_fit_the_schema(path):
    VALIDATOR.validate(json.loads(path.read_text()))
