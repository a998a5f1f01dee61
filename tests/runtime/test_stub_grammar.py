"""Every statement that Pyccel's stubs are made of, read by `pkwrap inspect`."""

import pytest

from front import inspect, tool

BLEND = """
from numpy import float64
from typing import Final
from pyccel.decorators import pure, low_level
@pure
@low_level('blend')
def blend(src : 'Final[float64[:,:](order=C)]', wgt : 'Final[float64[:]]', dst : 'float64[:,:](order=C)', n : 'int' = 2) -> None:
    ...
"""

TRI_SOLVE = """
#$ header metavar includes="inc"
#$ header metavar libraries="solver"
from numpy import float32, int32
from pyccel.decorators import low_level
@low_level('tri_solve')
def tri_solve(a : 'float32[:,:](order=F)', piv : 'int32[:]', k : 'int32', /, rhs : 'float32[:,:](order=F)') \\
        -> 'tuple[int32, float32]':
    ...
"""

GRID = """
from numpy import float64
from typing import Annotated
from pyccel.decorators import low_level
@low_level('Grid')
class Grid:
    nodes : 'Annotated[float64[:,:](order=C), "alias"]'
    work : 'float64[:]'
    n : 'int'
    is_freed : 'bool'
    @low_level('grid_init')
    def __init__(self : 'Grid', nodes : 'float64[:,:](order=C)', n : 'int') -> None:
        ...
    @low_level('grid_free')
    def __del__(self : 'Grid') -> None:
        ...
    @low_level('grid_count')
    @property
    def count(self : 'Grid') -> 'int': ...
@low_level('move')
def move(g : 'Grid', shift : 'float64[:]') -> None:
    ...
"""

NORM = """
from numpy import complex128, float64
from typing import overload
from pyccel.decorators import low_level
@low_level('norm_r')
@overload
def norm(x : 'float64[:]') -> 'float':
    ...
@low_level('norm_c')
@overload
def norm(x : 'complex128[:]') -> 'float':
    ...
"""

INTEGRATE = """
from numpy import float64
from typing import TypeVar
from pyccel.decorators import low_level, inline
T = TypeVar('T', 'float64[:]', 'int')
@low_level('integrate')
def integrate(f : '(float)(float, int)', lo : 'float', hi : 'float', tol : 'float' = None) -> 'float':
    ...
@inline
def half(x: float):
    return 0.5 * x
"""

LOOKUP = """
from numpy import float64
from typing import Final
from pyccel.decorators import low_level
nmax : 'int'
@low_level('lookup')
def lookup(name : 'str', shape : 'tuple[int, ...]', keys : 'Final[list[int]]', mask : 'bool[:]' = None, *, \\
        strict : 'bool' = True) -> 'float64[:]':
    ...
"""


def stub(folder, text, status=0):
    (folder / "k.pyi").write_text(text)
    return inspect(folder, None, "k.pyi", status=status)


def kernel(folder, text):
    (found,) = stub(folder, text)["kernels"]
    return found


def params(folder, text):
    return {param["name"]: param for param in kernel(folder, text)["params"]}


def one(folder, annotation, **options):
    """The parameter of a function of one parameter with this annotation."""
    return params(folder, f"def f(x : {annotation}) -> None: ...\n", **options)["x"]


def test_stub_1_pure_final_arrays_and_a_default(tmp_path):
    found = kernel(tmp_path, BLEND)
    assert found["name"] == "blend" and found["file"] == "k.pyi" and found["line"] == 7
    assert found["python"] == "blend(src, wgt, dst, n=2)"
    assert found["returns"] is None
    assert found["outputs"] == ["dst"]  # Final is the author's word; without a source it is taken
    src, wgt, dst, n = found["params"]
    assert (src["kind"], src["dtype"], src["rank"], src["order"], src["const"]) == ("array", "float64", 2, "C", True)
    assert (wgt["rank"], wgt["order"], wgt["writes"]) == (1, None, "no")
    assert (dst["writes"], dst["const"]) == ("maybe", False)
    assert (n["kind"], n["dtype"], n["default"], n["writes"]) == ("scalar", "int64", "2", "no")


def test_stub_2_positional_only_fortran_order_tuple_result(tmp_path):
    found = kernel(tmp_path, TRI_SOLVE)
    assert found["python"] == "tri_solve(a, piv, k, /, rhs)"
    assert [p["dtype"] for p in found["params"]] == ["float32", "int32", "int32", "float32"]
    assert [p["order"] for p in found["params"]] == ["F", None, None, "F"]
    assert found["returns"] == {"type": "tuple[int32, float32]", "kind": "object", "dtype": None}


def test_stub_3_classes(tmp_path):
    found = kernel(tmp_path, GRID)
    assert found["name"] == "move"  # methods are no kernels
    g, shift = found["params"]
    assert (g["kind"], g["type"], g["writes"], g["owned"]) == ("class", "Grid", "maybe", True)
    by_name = {a["name"]: a for a in g["attributes"]}
    assert list(by_name) == ["g.nodes", "g.work", "g.n", "g.is_freed"]
    assert (by_name["g.nodes"]["owned"], by_name["g.nodes"]["order"]) == (False, "C")
    assert by_name["g.work"]["owned"] and by_name["g.work"]["writes"] == "maybe"
    assert by_name["g.n"]["kind"] == "scalar"
    assert found["outputs"] == ["g.nodes", "shift"]


@pytest.mark.parametrize(
    "stub_file, class_file, module",
    [
        ("__pyccel__/k.pyi", "__pyccel__/other.pyi", "other"),
        ("__pyccel__/sim/a/k.pyi", "__pyccel__/sim/b/other.pyi", "sim.b.other"),  # pyccel make
        ("sim/a/__pyccel__/k.pyi", "sim/b/__pyccel__/other.pyi", "sim.b.other"),  # pyccel
    ],
)
def test_classes_of_other_stubs(tmp_path, stub_file, class_file, module):
    for path, text in (
        (class_file, GRID),
        (stub_file, f"from {module} import Grid\ndef f(g : 'Grid') -> None: ...\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (found,) = inspect(tmp_path, None, stub_file)["kernels"]
    assert [a["name"] for a in found["params"][0]["attributes"]] == ["g.nodes", "g.work", "g.n", "g.is_freed"]
    assert found["outputs"] == ["g.nodes"]


def test_stub_4_overloads_are_kernels_each(tmp_path):
    found = stub(tmp_path, NORM)["kernels"]
    assert [(k["name"], k["params"][0]["dtype"], k["returns"]["dtype"]) for k in found] == [
        ("norm", "float64", "float64"),
        ("norm", "complex128", "float64"),
    ]


def test_stub_5_function_addresses_type_variables_inline(tmp_path):
    integrate, half = stub(tmp_path, INTEGRATE)["kernels"]
    f, lo, hi, tol = integrate["params"]
    assert (f["kind"], f["type"], f["writes"]) == ("object", "(float)(float, int)", "no")
    assert integrate["python"] == "integrate(f, lo, hi, tol=None)"
    assert tol["default"] == "None"
    assert half["params"][0]["dtype"] == "float64" and half["returns"] is not None


def test_stub_6_strings_tuples_lists_keyword_only(tmp_path):
    found = kernel(tmp_path, LOOKUP)
    assert found["python"] == "lookup(name, shape, keys, mask=None, *, strict=True)"
    assert [p["kind"] for p in found["params"]] == ["string", "object", "object", "array", "scalar"]
    assert [p["writes"] for p in found["params"]] == ["no", "maybe", "no", "maybe", "no"]
    assert found["returns"] == {"type": "float64[:]", "kind": "array", "dtype": "float64"}


@pytest.mark.parametrize(
    "name, dtype",
    [
        ("int", "int64"),
        ("float", "float64"),
        ("complex", "complex128"),
        ("bool", "bool"),
        ("int8", "int8"),
        ("int16", "int16"),
        ("int32", "int32"),
        ("int64", "int64"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("complex64", "complex64"),
        ("complex128", "complex128"),
    ],
)
def test_element_types(tmp_path, name, dtype):
    scalar = one(tmp_path, f"'{name}'")
    assert (scalar["kind"], scalar["dtype"], scalar["rank"]) == ("scalar", dtype, 0)
    for rank in (1, 2, 7):
        array = one(tmp_path, f"'{name}[{','.join(':' * rank)}]'")
        assert (array["kind"], array["dtype"], array["rank"]) == ("array", dtype, rank)


@pytest.mark.parametrize(
    "annotation, kind, dtype, writes",
    [
        ("'float64[:, :](order=F)'", "array", "float64", "maybe"),
        ("'Final[float64[:]]'", "array", "float64", "no"),
        ("""'Annotated[float64[:], "stack"]'""", "array", "float64", "maybe"),
        ("""'Annotated[Final[int64[:]], "alias"]'""", "array", "int64", "no"),
        ("'tuple[()]'", "object", None, "maybe"),
        ("'tuple[float64[:], int]'", "object", None, "maybe"),
        ("'list[float64[:]]'", "object", None, "maybe"),
        ("'set[int]'", "object", None, "maybe"),
        ("'dict[str, float]'", "object", None, "maybe"),
        ("'Final[dict[str, list[int]]]'", "object", None, "no"),
        ("'int | float'", "scalar", None, "no"),
        ("'float64[:] | float64[:,:]'", "array", "float64", "maybe"),
        ("'float64[:] | int'", "array", None, "maybe"),
        ("'float64[:] | None'", "array", "float64", "maybe"),
        ("'()(int)'", "object", None, "no"),
        ("'(float)()'", "object", None, "no"),
        ("'numpy.int32[:]'", "array", "int32", "maybe"),
        ("float", "scalar", "float64", "no"),
        ("'Something'", "class", None, "maybe"),
    ],
)
def test_types(tmp_path, annotation, kind, dtype, writes):
    found = one(tmp_path, annotation)
    assert (found["kind"], found["dtype"], found["writes"]) == (kind, dtype, writes)


def test_union_of_ranks_has_none(tmp_path):
    assert one(tmp_path, "'float64[:] | float64[:,:]'")["rank"] is None


def test_a_type_variable_is_the_union_of_its_types(tmp_path):
    text = "T = TypeVar('T', 'float64[:]', 'float32[:]')\ndef f(x : 'T', n : 'int') -> None: ...\n"
    x = params(tmp_path, text)["x"]
    assert (x["kind"], x["dtype"], x["rank"], x["writes"]) == ("array", None, 1, "maybe")


@pytest.mark.parametrize(
    "signature, python",
    [
        ("a : 'int', b : 'int' = -1", "f(a, b=-1)"),
        ("a : 'int', /", "f(a, /)"),
        ("*, a : 'int'", "f(*, a)"),
        ("a : 'int', *, b : 'int', c : 'bool' = False", "f(a, *, b, c=False)"),
        ("a : 'str' = 'x'", "f(a='x')"),
        # With both of them, the star stands one place early: b is positional in the module that was built.
        ("a : 'int', /, *, b : 'int', c : 'int'", "f(a, /, b, *, c)"),
        ("a : 'int', /, *, b : 'int'", "f(a, /, b)"),
        ("a : 'int', /, b : 'int', *, c : 'int', d : 'int' = 0", "f(a, /, b, c, *, d=0)"),
    ],
)
def test_signatures(tmp_path, signature, python):
    assert kernel(tmp_path, f"def f({signature}) -> None: ...\n")["python"] == python


def test_empty_stub(tmp_path):
    assert stub(tmp_path, "") == {"kernels": [], "diagnostics": []}


def test_docstrings(tmp_path):
    text = 'def f(n : "int") -> None:\n    """Does it.\n\n    n: how often\n      more\n    """\n    ...\n'
    assert kernel(tmp_path, text)["doc"] == "Does it.\n\nn: how often\n  more"


def test_unknown_type_is_one_message_with_its_place(tmp_path):
    text = "def f(x : 'float64[:', n : 'int') -> None: ...\ndef g(x : 'float64[:]') -> None: ...\n"
    report = stub(tmp_path, text, status=1)
    (finding,) = report["diagnostics"]
    assert (finding["severity"], finding["file"], finding["line"], finding["column"]) == ("error", "k.pyi", 1, 21)
    assert finding["text"] == "cannot read the type 'float64[:': expected ']'"
    f, g = report["kernels"]
    assert not f["wrappable"] and f["reason"].startswith("parameter 'x': its type 'float64[:' cannot be read")
    assert g["wrappable"]


@pytest.mark.parametrize(
    "annotation, message",
    [
        ("", "expected a type, but the annotation ends"),
        ("float64[:](order=D)", "expected 'order=C' or 'order=F'"),
        ("float64[:](colour=C)", "expected 'order=C' or 'order=F'"),
        ("float64[1]", "'float64[...]' is no type that Pyccel prints"),
        ("str[:]", "there are no arrays of 'str'"),
        ("int int", "expected the end of the annotation"),
        ("int |", "expected a type, but the annotation ends"),
        ("(int", "expected ')'"),
        ("Annotated[int, alias]", 'expected a string such as "alias"'),
        ("tuple[" * 60 + "int" + "]" * 60, "types are nested too deeply"),
    ],
)
def test_unreadable_types(tmp_path, annotation, message):
    (finding,) = stub(tmp_path, f"def f(x : '{annotation}') -> None: ...\n", status=1)["diagnostics"]
    assert finding["text"] == f"cannot read the type '{annotation}': {message}"


@pytest.mark.parametrize(
    "definition, reason",
    [
        ("async def f(x : 'int') -> None: ...", "it is a coroutine ('async def')"),
        ("@memoize\ndef f(x : 'int') -> None: ...", "its decorator '@memoize' is not one of Pyccel's"),
    ],
)
def test_what_pyccel_never_writes_is_not_wrapped(tmp_path, definition, reason):
    report = stub(tmp_path, f"{definition}\ndef g(x : 'int') -> None: ...\n")
    refused, other = report["kernels"]
    assert refused["reason"] == reason and other["name"] == "g" and not other["reason"]
    method = "\n".join(f"    {line}" for line in definition.replace("x :", "self : 'C', x :").splitlines())
    (tmp_path / "c.pyi").write_text(f"class C:\n{method}\n    def g(self : 'C') -> None: ...\n")
    done = tool("init", "c.pyi", "--extension", "c", cwd=tmp_path)
    assert done.returncode == 0 and f"warning: 'C.f' is left out: {reason}" in done.stderr and "C.g" not in done.stderr


def test_unknown_syntax_leaves_the_other_functions(tmp_path):
    text = "def f(x : 'int') -> None: ...\n@low_level('g')\ndef g(x : 'int' -> None:\n    ...\n\ndef h(x : 'int') -> None: ...\n"
    report = stub(tmp_path, text, status=1)
    assert [k["name"] for k in report["kernels"]] == ["f", "h"]
    assert [k["line"] for k in report["kernels"]] == [1, 6]
    (finding,) = report["diagnostics"]
    assert finding["line"] == 3 and finding["text"].startswith("cannot be parsed: ")


def test_the_message_on_stderr(tmp_path):
    (tmp_path / "k.pyi").write_text("def f(x : 'int[') -> None: ...\ndef g(n : 'int') -> None: ...\n")
    done = tool("inspect", "k.pyi", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["k.pyi:1:16: error: cannot read the type 'int[': 'int[...]' is no type that Pyccel prints"]
    assert "g(n)" in done.stdout


def test_a_file_that_is_not_there(tmp_path):
    report = inspect(tmp_path, None, "none.pyi", status=1)
    assert "No such file" in report["diagnostics"][0]["text"]


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "k.pyi").write_bytes(b"# ok\n# \xff\ndef f(n : 'int') -> None: ...\n")
    (finding,) = inspect(tmp_path, None, "k.pyi", status=1)["diagnostics"]
    assert (finding["line"], finding["text"]) == (2, "cannot be parsed: not UTF-8")


def test_nothing_of_the_stub_is_executed(tmp_path):
    (tmp_path / "k.pyi").write_text("import k_side_effect\nopen('ran', 'w')\ndef f(n : 'int' = print('ran')) -> None: ...\n")
    (tmp_path / "k_side_effect.py").write_text("open('imported', 'w')\n")
    done = tool("inspect", "k.pyi", cwd=tmp_path)
    assert done.returncode == 0 and "ran\n" not in done.stdout.replace("print('ran')", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.pyi", "k_side_effect.py"]


def test_an_interpreter_that_is_not_there(tmp_path):
    (tmp_path / "k.pyi").write_text("")
    done = tool("inspect", "--python", "no-such-python", "k.pyi", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr == (
        "pkwrap: error: no-such-python does not parse Python files as a Python does (name one with --python): "
        "it cannot be started: No such file or directory\n"
    )


@pytest.mark.parametrize(
    "body, account",
    [
        ("exit 0", "it ended with exit status 0 and printed nothing"),
        ("echo no tree", "it ended with exit status 0 and printed no syntax tree"),
        ("echo sorry >&2; exit 3", "it ended with exit status 3 and printed:\n    sorry"),
        ("kill -9 $$", "it was ended by signal 9"),
    ],
)
def test_an_interpreter_that_is_none(tmp_path, body, account):
    (tmp_path / "k.pyi").write_text("")
    (tmp_path / "python").write_text(f"#!/bin/sh\n{body}\n")
    (tmp_path / "python").chmod(0o755)
    done = tool("inspect", "--python", "./python", "k.pyi", cwd=tmp_path)
    assert done.returncode == 3 and f"(name one with --python): {account}" in done.stderr
