"""Thirty kernels in two declaration styles: what the analysis says of them, and what they compute when called.

tests/truth/polybench.json holds the facts.
"""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
TRUTH = json.loads((HERE.parent.parent / "truth/polybench.json").read_text())["kernels"]
STYLES = ["vla", "pointers"]
SIZES = {
    **{"tsteps": 5, "tmax": 5, "m": 6, "n": 9, "ni": 5, "nj": 6, "nk": 7, "nl": 8, "nm": 9},
    **{"nr": 3, "nq": 4, "np": 5, "w": 6, "h": 7, "nx": 6, "ny": 7},
}
SCALARS = {"alpha": 1.5, "beta": 1.25, "float_n": 9.0}


def run(*arguments, **options):
    return subprocess.run([os.environ["PKWRAP_TOOL"], *map(str, arguments)], capture_output=True, text=True, check=True, **options)


@pytest.fixture(scope="module", params=STYLES)
def facts(request):
    """The parameters of each kernel, by name, as `inspect` prints them."""
    folder = HERE / request.param
    sources = [folder / name for name in ("products.c", "solvers.c", "stencils.c")]
    report = json.loads(run("inspect", "--json", folder / "polybench.h", *sources).stdout)
    assert report["diagnostics"] == []
    return {kernel["name"]: {param["name"]: param for param in kernel["params"]} for kernel in report["kernels"]}


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("polybench")
    for style in STYLES:
        run("build", "-q", "--python", sys.executable, HERE / style / f"polybench_{style}.json", "-o", folder)
    sys.path.insert(0, str(folder))
    try:
        return [__import__(f"polybench_{style}") for style in STYLES]
    finally:
        sys.path.remove(str(folder))


def test_all_kernels_are_there(facts):
    assert sorted(facts) == sorted(TRUTH)
    for name, truth in TRUTH.items():
        assert [param["name"] for param in facts[name].values() if param["kind"] == "array"] == truth["arrays"]


def test_writes_are_exactly_right(facts):
    for name, truth in TRUTH.items():
        found = {array: facts[name][array]["writes"] for array in truth["arrays"]}
        assert found == {array: "yes" if array in truth["writes"] else "no" for array in truth["arrays"]}, name
        for array in truth["writes"]:
            assert facts[name][array]["evidence"], f"nothing shows that {name} writes {array}"


def test_overwritten_is_never_wrong_and_often_found(facts):
    found = {(name, array) for name, truth in TRUTH.items() for array in truth["arrays"] if facts[name][array]["overwritten"]}
    truth = {(name, array) for name, kernel in TRUTH.items() for array in kernel["overwritten"]}
    assert len(truth) == 24
    assert found - truth == set()
    assert len(found) >= 12, sorted(truth - found)


@pytest.mark.parametrize("style", STYLES)
def test_the_manifest_holds(style):
    assert run("check", "--werror", HERE / style / f"polybench_{style}.json").stdout == "1 manifest checked: nothing found\n"


# --- what they compute ---


def arguments_of(module, name, fill=None):
    """Random arguments of a kernel by name; those that are overwritten are filled with `fill`."""
    rng = np.random.default_rng(7)
    kernel = getattr(module, python_name(name))
    values = {}
    entry = json.loads((HERE / "pointers/polybench_pointers.json").read_text())["kernels"][name]
    for param in TRUTH[name]["arrays"]:
        shape = [SIZES[size] for size in entry["params"][param]["shape"]]
        if name == "kernel_floyd_warshall":
            values[param] = rng.integers(1, 99, shape, dtype=np.intc)
        elif name == "kernel_nussinov":
            values[param] = rng.integers(0, 4, shape, dtype=np.int8) if param == "seq" else np.zeros(shape, dtype=np.intc)
        else:
            values[param] = rng.random(shape) + 0.5
        if len(shape) == 2 and shape[0] == shape[1] and name in ("kernel_cholesky", "kernel_lu", "kernel_ludcmp", "kernel_trisolv"):
            matrix = values[param]
            values[param] = matrix @ matrix.T + 9 * np.eye(shape[0])
        if name == "kernel_durbin" and param == "r":
            values[param] = 0.5 ** np.arange(1.0, shape[0] + 1) * rng.random(shape)
        if fill is not None and param in TRUTH[name]["overwritten"]:
            values[param] = np.full(shape, fill)
    for param in inspect.signature(kernel).parameters:
        if param not in values:
            values[param] = SCALARS[param] if param in SCALARS else SIZES[param]
    return values


def python_name(name):
    name = name.removeprefix("kernel_")
    return "k" + name if name[0].isdigit() else name


def call(module, name, values):
    """Calls the kernel; the arrays afterwards."""
    values = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in values.items()}
    assert getattr(module, python_name(name))(**values) is None
    return {key: value for key, value in values.items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("name", TRUTH)
def test_both_styles_compute_the_same_and_write_what_they_say(modules, name):
    given = arguments_of(modules[0], name)
    first, second = (call(module, name, given) for module in modules)
    for array in TRUTH[name]["arrays"]:
        np.testing.assert_array_equal(first[array], second[array])
        changed = not np.array_equal(first[array], given[array])
        assert changed == (array in TRUTH[name]["writes"]), array


@pytest.mark.parametrize("name", [name for name, truth in TRUTH.items() if truth["overwritten"]])
def test_what_is_overwritten_is_not_read_before(modules, name):
    one, other = (call(modules[0], name, arguments_of(modules[0], name, fill)) for fill in (np.nan, 1e30))
    for array in TRUTH[name]["arrays"]:
        np.testing.assert_array_equal(one[array], other[array])


def lower(matrix):
    return np.tril(matrix)


# What a kernel's results are, from its arguments before the call: g("A") is the array A.
REFERENCES = {
    "correlation": {"corr": lambda g: np.corrcoef(g("data"), rowvar=False)},
    "covariance": {"cov": lambda g: np.cov(g("data"), rowvar=False)},
    "2mm": {"D": lambda g: g("alpha") * g("A") @ g("B") @ g("C") + g("beta") * g("D")},
    "3mm": {"G": lambda g: g("A") @ g("B") @ g("C") @ g("D")},
    "atax": {"y": lambda g: g("A").T @ (g("A") @ g("x"))},
    "bicg": {"s": lambda g: g("A").T @ g("r"), "q": lambda g: g("A") @ g("p")},
    "doitgen": {"A": lambda g: g("A") @ g("C4")},
    "mvt": {"x1": lambda g: g("x1") + g("A") @ g("y_1"), "x2": lambda g: g("x2") + g("A").T @ g("y_2")},
    "gemm": {"C": lambda g: g("alpha") * g("A") @ g("B") + g("beta") * g("C")},
    "gemver": {"A": lambda g: g("A") + np.outer(g("u1"), g("v1")) + np.outer(g("u2"), g("v2"))},
    "gesummv": {"y": lambda g: g("alpha") * g("A") @ g("x") + g("beta") * g("B") @ g("x")},
    "symm": {"C": lambda g: g("alpha") * (lower(g("A")) + np.tril(g("A"), -1).T) @ g("B") + g("beta") * g("C")},
    "syrk": {"C": lambda g: np.triu(g("C"), 1) + lower(g("alpha") * g("A") @ g("A").T + g("beta") * g("C"))},
    "syr2k": {"C": lambda g: np.triu(g("C"), 1) + lower(g("alpha") * (g("A") @ g("B").T + g("B") @ g("A").T) + g("beta") * g("C"))},
    "trmm": {"B": lambda g: g("alpha") * (np.tril(g("A"), -1) + np.eye(SIZES["m"])).T @ g("B")},
    "cholesky": {"A": lambda g: np.triu(g("A"), 1) + np.linalg.cholesky(g("A"))},
    "durbin": {"y": lambda g: np.linalg.solve(toeplitz(np.r_[1.0, g("r")[:-1]]), -g("r"))},
    "ludcmp": {"x": lambda g: np.linalg.solve(g("A"), g("b"))},
    "trisolv": {"x": lambda g: np.linalg.solve(lower(g("L")), g("b"))},
    "jacobi_1d": {"A": lambda g: steps(g("A"), 2 * SIZES["tsteps"], lambda a: (a[:-2] + a[1:-1] + a[2:]) / 3)},
    "floyd_warshall": {"path": lambda g: shortest(g("path"))},
}


def toeplitz(column):
    n = len(column)
    return np.array([[column[abs(i - j)] for j in range(n)] for i in range(n)])


def steps(array, count, inner):
    for _ in range(count):
        array = np.r_[array[0], inner(array), array[-1]]
    return array


def shortest(path):
    path = path.copy()
    for k in range(len(path)):
        path = np.minimum(path, path[:, k : k + 1] + path[k : k + 1, :])
    return path


def test_gram_schmidt_factors(modules):
    given = arguments_of(modules[0], "kernel_gramschmidt")
    given["A"] = np.random.default_rng(3).random((12, 9))
    given["Q"] = np.empty((12, 9))
    found = call(modules[0], "kernel_gramschmidt", given)
    np.testing.assert_allclose(found["Q"] @ np.triu(found["R"]), given["A"], rtol=1e-10)
    np.testing.assert_allclose(found["Q"].T @ found["Q"], np.eye(9), atol=1e-10)


@pytest.mark.parametrize("short", REFERENCES)
def test_results_are_those_of_numpy(modules, short):
    name = "kernel_" + short
    given = arguments_of(modules[0], name)
    if short == "jacobi_1d":  # both buffers have the same boundary
        given["B"] = given["A"].copy()
    found = call(modules[0], name, given)
    for array, reference in REFERENCES[short].items():
        np.testing.assert_allclose(found[array], reference(given.__getitem__), rtol=1e-10, atol=1e-12)
