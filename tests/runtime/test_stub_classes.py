"""Writes of Pyccel kernels to the attributes of argument classes: given arrays, views of them, the object's own."""

import pytest

from stub_facts import CLASSES, each, modules, one, report, written


ACCESSES = (
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
)


@pytest.mark.parametrize("statement, expected", ACCESSES)
def test_argument_classes(statement, expected):
    before = CLASSES + "def g(args : 'Markers'):\n    args.other[0] = 1.0\ndef put(a : 'float[:]'):\n    a[0] = 1.0\n"
    signature = "args : 'Markers', x : 'float[:]', z : 'float[:,:]', n : int"
    assert each(tuple(s for s, _ in ACCESSES), statement, before=before, signature=signature) == expected


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
