"""Constructs of Pyccel's language through stub -> init -> build -> calls, and the ways in which modules are compiled."""

import inspect
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from pyccel_build import DATA, PLAIN, compiled, wrapped

TOOL = os.environ["PKWRAP_TOOL"]
PYTHON = ["--python", sys.executable]


@pytest.fixture(scope="module", params=["c", "fortran"])
def folder(request, tmp_path_factory):
    return tmp_path_factory.mktemp(request.param), request.param


@pytest.fixture(scope="module")
def both(folder):
    return wrapped(folder[0], DATA / "pyccel_constructs.py", folder[1])


@pytest.fixture
def k(both):
    return both[0]


@pytest.fixture(params=["numpy", "device"])
def place(request):
    """How a test makes its arrays, and how it looks at them."""
    if request.param == "numpy":
        return np.array, np.asarray
    xp = request.getfixturevalue("xp")
    return lambda *args, **more: xp.asarray(np.array(*args, **more)), xp.asnumpy


def test_init_found_what_is_written(both, folder):
    manifest = json.loads((folder[0] / "manifest.json").read_text())
    assert manifest["extension"] == "pyccel_constructs"
    assert {name: kernel["outputs"] for name, kernel in manifest["kernels"].items()} == {
        "refine": ["g.nodes"], "read": ["y"], "first": ["x"], "length": [], "integrate": [], "two": [], "power": []
    }  # fmt: skip


def test_strings_results_and_kinds_of_parameters(k):
    assert k.length("four") == 4 and k.length("") == 0
    assert k.two(3) == (4, 1.5)
    assert k.power(2.0, 3) == 8.0 and k.power(2.0, n=2, negate=True) == -4.0
    for words, args, keywords in (
        ("got some positional-only arguments passed as keyword arguments: 'x'", (), {"x": 2.0, "n": 3}),
        ("missing 1 required positional argument: 'n'", (2.0,), {"negate": True}),
        ("got multiple values for argument 'n'", (2.0, 3), {"n": 3}),
        ("got an unexpected keyword argument 'm'", (2.0, 3), {"m": 3}),
        ("takes 2 positional arguments but 3 were given", (2.0, 3, True), {}),
    ):
        with pytest.raises(TypeError, match=rf"power\(\) {words}"):
            k.power(*args, **keywords)
    assert str(inspect.signature(k.power)) == "(x, /, n, *, negate=False)"


def test_final_arrays_are_not_written_back(k, place):
    make, look = place
    x, y = make([3.0]), make([0.0])
    k.read(x, y)
    assert look(y).tolist() == [3.0]
    frozen = np.ones(1)
    frozen.flags.writeable = False
    k.read(frozen, y)
    assert look(y).tolist() == [1.0]


def test_type_variables(k, place):
    make, look = place
    for dtype in (np.float64, np.int64):
        x = make([1, 2], dtype=dtype)
        k.first(x)
        assert look(x).tolist() == [2, 2]
    with pytest.raises(TypeError, match="first"):
        k.first(make([1, 2], dtype=np.float32))


def test_addresses_of_functions_are_pyccels_to_judge(both):
    """The compiled module refuses a Python function; the wrapper gives the same answer, and does not die."""
    wrapper, direct = both
    answers = []
    for module in (wrapper, direct):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            module.integrate(lambda x: x, 0.0, 1.0)
        answers.append((caught.type, str(caught.value)))
    assert answers[0] == answers[1]


def test_classes_with_properties_and_methods(k, place):
    make, look = place
    nodes = make([1.0, 2.0])
    g = k.Grid(nodes, 0.5)
    k.refine(g, 2.0)
    assert look(nodes).tolist() == [2.0, 3.0]
    assert g.spacing == g.length == 0.5 and g.top() == 3.0
    assert type(g.nodes) is type(nodes)


def test_the_wrapper_is_the_module_to_look_at(both):
    wrapper, direct = both
    assert wrapper.nmax == direct.nmax == 7 and wrapper.scale == 0.5
    assert {name for name in dir(direct) if not name.startswith("_")} <= set(wrapper.__all__)


def test_lists_and_tuples_pass(tmp_path):
    wrapper, _ = wrapped(tmp_path, DATA / "pyccel_lists.py", "c")
    assert wrapper.total_list([1.0, 2.5]) == 3.5
    assert wrapper.total_tuple((1, 2, 3)) == 6


def test_check_contradicts_a_list_that_misses_a_write(both, folder, tmp_path):
    shutil.copytree(folder[0], tmp_path / "copy")
    manifest = tmp_path / "copy" / "manifest.json"
    command = [TOOL, "check", *PYTHON, str(manifest)]
    assert subprocess.run(command).returncode == 0
    manifest.write_text(manifest.read_text().replace('"g.nodes"', ""))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "g.nodes" in done.stderr


def import_wrapper(folder, name, code):
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    done = subprocess.run([sys.executable, "-c", f"import {name} as k\n{code}"], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CALL = "import numpy as np; y = np.zeros(1); k.read(np.ones(1), y); print(y[0])"


def test_a_module_in_a_package(tmp_path):
    package = tmp_path / "my_sim"
    shutil.copytree(compiled(DATA / "pyccel_constructs.py", "c"), package)
    (package / "__init__.py").touch()
    subprocess.run([TOOL, "init", *PYTHON, "-o", "k.json", "--extension", "my_sim.pyccel_constructs",
                    "__pyccel__/pyccel_constructs.pyi", "pyccel_constructs.py"], cwd=package, check=True)
    subprocess.run([TOOL, "build", "-q", *PYTHON, "k.json"], cwd=package, check=True)
    assert import_wrapper(tmp_path, "my_sim.pyccel_constructs_pkwrap", CALL) == "1.0"


def test_a_module_of_epyccel(tmp_path):
    shutil.copy(DATA / "pyccel_constructs.py", tmp_path / "constructs.py")
    code = "import constructs; from pyccel import epyccel; print(epyccel(constructs, language='c').__name__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=PLAIN, capture_output=True, text=True, check=True)
    name = done.stdout.split()[-1]
    subprocess.run([TOOL, "init", *PYTHON, "-o", "__epyccel__/k.json", f"__epyccel__/__pyccel__/{name}.pyi"],
                   cwd=tmp_path, check=True)
    subprocess.run([TOOL, "build", "-q", *PYTHON, "__epyccel__/k.json"], cwd=tmp_path, check=True)
    assert import_wrapper(tmp_path / "__epyccel__", f"{name}_pkwrap", CALL) == "1.0"


def test_a_module_of_pyccel_make(tmp_path):
    """Meson or CMake compile it; the stub is where `pyccel make` leaves it."""
    binaries = os.path.dirname(sys.executable)
    shutil.copy(DATA / "pyccel_constructs.py", tmp_path / "constructs.py")
    environment = {**PLAIN, "PATH": f"{binaries}{os.pathsep}{PLAIN['PATH']}"}
    done = subprocess.run(["pyccel", "make", "--language", "c", "-f", "constructs.py"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True)
    stubs, libraries = list(tmp_path.rglob("constructs.pyi")), list(tmp_path.glob("constructs.*.so"))
    if done.returncode != 0 or not stubs or not libraries:
        pytest.skip(f"pyccel make does not work here: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
    subprocess.run([TOOL, "init", *PYTHON, "-o", "k.json", str(stubs[0]), "constructs.py"], cwd=tmp_path, check=True)
    subprocess.run([TOOL, "build", "-q", *PYTHON, "k.json"], cwd=tmp_path, check=True)
    assert import_wrapper(tmp_path, "constructs_pkwrap", CALL) == "1.0"


def test_an_attribute_far_down_that_is_set_late(tmp_path_factory, xp):
    """Which attributes were set is known of all, however many a class has."""
    folder = tmp_path_factory.mktemp("many")
    source = tmp_path_factory.mktemp("source") / "pyccel_many.py"
    early = "".join(f"        self.a{i} = n\n" for i in range(70))
    source.write_text(
        f'class Many:\n    def __init__(self, n: int):\n{early}\n    def prepare(self, b: "float[:]"):\n        self.b = b\n\n'
        "    def run(self, v: float):\n        self.b[:] = v\n"
    )
    module = wrapped(folder, source, "c")[0]
    for b in (xp.asarray(np.zeros(2)), np.zeros(2)[::-1]):
        many = module.Many(3)
        many.prepare(b)
        many.run(4.0)
        assert b.tolist() == [4, 4] and many.b.tolist() == [4, 4] and many.a69 == 3
