"""The analysis on real code: the Pyccel kernels of the package struphy (PyPI, only its Python files are read)."""

import json

import pytest

from front import ROOT, VALIDATOR, tool
from struphy_package import NotThere, struphy_package

TRUTH = json.loads((ROOT / "tests/truth/struphy.json").read_text())


@pytest.fixture(scope="session")
def struphy():
    try:
        return struphy_package()
    except NotThere as reason:
        pytest.skip(str(reason))


def inspected(folder, files):
    done = tool("inspect", "--json", *files, cwd=folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    VALIDATOR.validate(report)
    assert report["diagnostics"] == []
    return report["kernels"]


def arrays(kernel):
    """Arrays, and attributes of argument objects."""
    for param in kernel["params"]:
        yield from param["attributes"] or ([param] if param["kind"] == "array" else [])


@pytest.fixture(scope="session")
def sample(struphy):
    return {(k["file"], k["name"]): k for k in inspected(struphy, sorted(TRUTH))}


def test_every_function_is_there(sample):
    assert set(sample) == {(file, name) for file, functions in TRUTH.items() for name in functions}


@pytest.mark.parametrize("file", sorted(TRUTH))
def test_writes(sample, file):
    """No missed write and, on this sample, none that is not: the promise is at most 2 %."""
    for name, truth in TRUTH[file].items():
        found = list(arrays(sample[file, name]))
        assert {a["name"] for a in found if a["writes"] != "no" and not a["owned"]} == set(truth["writes"]), name
        assert {a["name"] for a in found if a["owned"]} == set(truth.get("owned", [])), name
        assert set(sample[file, name]["outputs"]) == set(truth["writes"]), name


def test_every_write_has_evidence(sample):
    for kernel in sample.values():
        for array in arrays(kernel):
            assert (array["writes"] != "no") == bool(array["evidence"])
            if array["evidence"]:
                assert "is passed to" not in array["evidence"][-1]["text"]  # a chain ends at a store


def test_a_chain_across_modules(sample):
    kernel = sample["struphy/pic/pushing/pusher_kernels.py", "push_v_with_efield"]
    (bn1,) = [a for a in arrays(kernel) if a["name"] == "args_derham.bn1"]
    chain = [e["file"].rsplit("/", 1)[1] for e in bn1["evidence"][:3]]
    assert chain == ["pusher_kernels.py", "evaluation_kernels_3d.py", "bsplines_kernels.py"]


def test_all_kernel_modules(struphy):
    """34 modules: 368 functions with 1,985 arrays, of which 873 are written; nothing remains that could not be told."""
    folders = ("tests", "legacy", "eigenvalue_solvers")
    files = [p.relative_to(struphy) for p in struphy.glob("struphy/**/*kernels*.py")]
    files = [p for p in files if not set(p.parts) & set(folders)]
    kernels = inspected(struphy, files)
    assert (len(files), len(kernels)) == (34, 368)
    plain = [p for k in kernels for p in k["params"] if p["kind"] == "array"]
    assert len(plain) == 1985
    assert sum(p["writes"] == "yes" for p in plain) == 873
    assert not any(p["writes"] == "maybe" for k in kernels for p in k["params"])


def test_tests_and_legacy_code_are_read_too(struphy):
    files = sorted(p.relative_to(struphy) for p in struphy.glob("struphy/**/*kernels*.py"))
    assert len(files) == 48
    assert len(inspected(struphy, files)) > 400
