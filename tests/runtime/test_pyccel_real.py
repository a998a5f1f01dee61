"""Modules compiled by real Pyccel, in C and in Fortran: stub -> init -> build -> calls, with NumPy and device arrays."""

import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pkwrap
import pytest
from pyccel_modules import TOOL, wrapped

SOURCE = Path(__file__).parent / "pyccel" / "kernels.py"

pytestmark = pytest.mark.skipif(shutil.which("gfortran") is None, reason="Pyccel needs gfortran, which is not installed")


def load(name, folder):
    """Imports a module from a folder, whatever was imported under its name before."""
    for old in ("kernels", "kernels_pkwrap"):
        sys.modules.pop(old, None)
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(name)
        direct = importlib.import_module(name.removesuffix("_pkwrap"))
    finally:
        sys.path.remove(str(folder))
    return module, direct


@pytest.fixture(scope="module", params=["c", "fortran"])
def folder(request, tmp_path_factory):
    return wrapped(SOURCE, request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def modules(folder):
    return load("kernels_pkwrap", folder)


@pytest.fixture
def k(modules):
    return modules[0]


@pytest.fixture(params=["numpy", "device"])
def place(request):
    """How a test makes its arrays, and looks at them."""
    if request.param == "numpy":
        return np.array, np.asarray
    xp = request.getfixturevalue("xp")
    return lambda *args, **more: xp.asarray(np.array(*args, **more)), xp.asnumpy


def test_init_found_what_is_written(folder):
    manifest = json.loads((folder / "kernels_pkwrap.json").read_text())
    assert manifest["extension"] == "kernels"
    outputs = {name: kernel["outputs"] for name, kernel in manifest["kernels"].items()}
    assert outputs == {
        "axpy": ["y"], "transpose_add": ["b"], "fill": ["out"], "total": [], "push": ["p.markers"], "masked": [], "two": [],
        "doubled": [], "count": [], "power": [], "twice": ["x"],
    }


def test_arrays_in_place(k, place):
    make, look = place
    x, y = make([1.0, 2.0, 3.0]), make([10.0, 10.0, 10.0])
    assert k.axpy(2.0, x, y) is None
    assert look(y).tolist() == [12.0, 14.0, 16.0]
    assert look(x).tolist() == [1.0, 2.0, 3.0]
    assert k.total(y) == 42.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_are_made_what_the_stub_says(k, place, order):
    make, look = place
    a = make(np.arange(6.0).reshape(2, 3), order=order)
    b = make(np.zeros((2, 3)), order=order)
    k.transpose_add(a, b)
    assert look(b).tolist() == (2 * np.arange(6.0).reshape(2, 3)).tolist()
    k.transpose_add(a, b, n=1)
    assert look(b)[1, 2] == 15.0


@pytest.mark.parametrize("shape", [(5, 1), (1, 5), (3, 4)])
def test_both_contiguous_arrays_with_any_strides(k, place, shape):
    make, look = place
    for array in (np.zeros(shape), np.zeros(shape[::-1]).T):
        out = make(array, order="K")
        k.fill(out, 3.0)
        assert (look(out) == 3.0).all()


@pytest.mark.parametrize("view", [
    lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, 5)[:, 1], lambda a: a.astype(">f8"),
    lambda a: np.frombuffer(b"x" + a.tobytes(), np.float64, offset=1),
    lambda a: np.array(list(zip(a, a)), [("i", "f8"), ("j", "f4")])["i"],
    lambda a: np.broadcast_to(a[3], (4,)),
])
def test_what_pyccel_would_take_wrongly_or_die_of(k, view):
    x = view(np.arange(10.0))
    assert k.total(x) == float(np.asarray(x, "=f8").sum())


def test_written_arrays_are_never_lost_and_never_read_only(k):
    base = np.zeros(8)
    for y in (base[::2], base[::-1][:4]):
        base[:] = 0.0
        k.axpy(1.0, np.ones(4), y)
        assert y.tolist() == [1.0] * 4 and base.sum() == 4.0
    y = np.ones(2)
    y.flags.writeable = False
    with pytest.raises(ValueError, match=r"axpy\(\): argument 'y' .*read-only"):
        k.axpy(1.0, np.ones(2), y)
    with pytest.raises(ValueError, match="axpy"):
        k.axpy(1.0, np.ones(4), np.broadcast_to(np.zeros(1), (4,)))
    swapped = np.zeros(2, ">f8")
    k.axpy(1.0, np.ones(2), swapped)
    assert swapped.tolist() == [1.0, 1.0]


def test_empty_arrays_never_end_the_process(k, place):
    make, _ = place
    try:
        assert k.total(make(np.zeros(0))) == 0.0
    except ValueError as error:
        assert "total" in str(error) and "'x'" in str(error)


def test_scalars_results_and_options(k, place):
    make, look = place
    x = make([1.0, 2.0, 4.0])
    assert k.masked(x) == k.masked(x, None) == 7.0
    assert k.masked(x, make([True, False, True])) == 5.0
    assert k.two(3) == (4, 1.5)
    assert k.count(make([1, 2, 1], dtype=np.int32), np.int32(1)) == 2
    made = k.doubled(x)
    assert type(made) is type(x) and look(made).tolist() == [2.0, 4.0, 8.0]
    assert k.power(2.0, 3) == 8.0 and k.power(2.0, n=2, negate=True) == -4.0
    with pytest.raises(TypeError):
        k.power(x=2.0, n=3)


def test_overloads_are_told_apart_by_pyccel(k, place):
    make, look = place
    for values in ([1.0, 2.0], [1j, 2.0]):
        x = make(values)
        k.twice(x)
        assert look(x).tolist() == [2 * value for value in values]
    with pytest.raises(TypeError, match="twice"):
        k.twice(make([1, 2]))


def test_argument_classes_keep_the_callers_arrays(k, place):
    make, look = place
    markers, weights = make(np.zeros((3, 2))), make([1.0, 2.0, 3.0])
    p = k.Particles(markers, weights, 0.5)
    k.push(p, 2.0)
    assert look(markers)[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert look(markers)[:, 1].tolist() == [0.0] * 3
    k.push(p, 2.0)
    assert look(markers)[:, 0].tolist() == [2.0, 4.0, 6.0]
    assert p.vmax == 0.5 and p.speed == 0.5
    assert p.heaviest() == 3.0
    assert type(p.markers) is type(markers)
    assert look(p.markers).tolist() == look(markers).tolist()


def test_what_is_moved_for_a_class(k, xp):
    markers, weights = xp.asarray(np.zeros((3, 2))), xp.asarray(np.ones(3))
    p = k.Particles(markers, weights, 0.5)
    k.push(p, 2.0)
    with pkwrap.count_transfers() as counter:
        k.push(p, 2.0)
    assert counter.bytes_to_device == markers.nbytes


def test_the_wrapper_is_the_module_to_look_at(modules):
    wrapper, direct = modules
    assert wrapper.nmax == direct.nmax == 7 and wrapper.scale == 0.5
    public = {name for name in dir(direct) if not name.startswith("_")}
    assert public <= set(wrapper.__all__)
    assert str(inspect.signature(wrapper.power)) == "(x, /, n, *, negate=False)"
    assert str(inspect.signature(wrapper.transpose_add)) == "(a, b, n=2)"


def test_own_checks_say_more_than_the_modules(k):
    with pytest.raises(TypeError, match=r"axpy\(\): argument 'x' .*float64.*float32"):
        k.axpy(1.0, np.ones(2, np.float32), np.ones(2))
    with pytest.raises(TypeError, match=r"axpy\(\) missing 1 required positional argument: 'y'"):
        k.axpy(1.0, np.ones(2))
    with pytest.raises(TypeError, match="rank|dimension"):
        k.total(np.ones((2, 2)))


def test_a_missing_compiled_module_is_named_with_its_stub(folder, tmp_path):
    for path in folder.glob("kernels_pkwrap.*.so"):
        shutil.copy(path, tmp_path)
    code = """
import numpy as np, kernels_pkwrap
try:
    kernels_pkwrap.total(np.ones(2))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={
        **os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"})
    assert done.returncode == 0, done.stderr
    assert "'kernels'" in done.stdout or "kernels" in done.stdout
    assert "__pyccel__/kernels.pyi" in done.stdout


def test_check_finds_a_missing_output(folder, tmp_path):
    for name in ("__pyccel__", "kernels.py", "kernels_pkwrap.json"):
        copy = shutil.copytree if (folder / name).is_dir() else shutil.copy
        copy(folder / name, tmp_path / name)
    manifest = tmp_path / "kernels_pkwrap.json"
    command = [TOOL, "check", "--python", sys.executable, "kernels_pkwrap.json"]
    assert subprocess.run(command, cwd=tmp_path).returncode == 0
    manifest.write_text(manifest.read_text().replace('"p.markers"', ""))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "p.markers" in done.stderr or "'p'" in done.stderr
