"""Every refusal: place, text and exit status of the cases in cases/*.txt (corpus.py).

`PKWRAP_ACCEPT=1` rewrites what they expect; the difference that git shows then is the review.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import corpus
import jsonschema
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
VALIDATOR = jsonschema.Draft202012Validator(json.loads((ROOT / "schemas/check.schema.json").read_text()))
CASES = {case.name: case for path in sorted((HERE / "cases").glob("*.txt")) for case in corpus.read(path)}

# Where a finding with a code is made: the code is the first string of the call.
FINDING = re.compile(r'\b(?:refuse|REJECT|fail|diag_add)\((?:[^";{}]|\([^"]*\))*"([a-z0-9-]+)"')

# Codes that no manifest brings about on its own; the test that covers each instead.
ELSEWHERE = {
    "missing-symbol": ("tests/runtime/test_build.py", "test_F57_a_missing_symbol_is_an_error_with_its_place"),
    "missing-library": ("tests/runtime/test_build_inputs.py", "test_a_missing_library_has_its_place_and_the_package_that_has_it"),
    "run-path": ("tests/runtime/test_build_inputs.py", "test_a_library_that_no_run_path_leads_to_is_refused"),
    "observed-format": ("tests/reject/test_check.py", "test_observed_format"),
    "stale": ("tests/reject/test_check.py", "test_generated_files_that_are_stale"),
}


# Of commands other than `generate`, and of those that find a program of their own beside the manifest.
ALONE = [case for case in CASES.values() if "generate" not in case.command or "pkg-config" in case.files]
TOGETHER = [case for case in CASES.values() if case not in ALONE]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one for each case in it."""
    folder = tmp_path_factory.mktemp("cases")
    for case in CASES.values():
        case.write(folder / case.name)
    return folder


@pytest.fixture(scope="module")
def outcomes(folder):
    """{name of a case: (stderr, exit status)}"""
    found = corpus.outcomes_together(folder, TOGETHER) | corpus.outcomes_alone(folder, ALONE)
    if os.environ.get("PKWRAP_ACCEPT"):
        for path in {case.path for case in CASES.values()}:
            corpus.accept(path, found)
    return found


@pytest.mark.parametrize("name", CASES)
def test_refusal(name, folder, outcomes):
    case = CASES[name]
    if os.environ.get("PKWRAP_ACCEPT"):
        (case,) = [now for now in corpus.read(case.path) if now.name == name]
    assert outcomes[name] == (case.expected, case.status)
    assert corpus.generated(folder / name, case) == [], "something was generated all the same"


def test_together_and_alone_are_the_same(folder, outcomes):
    """One case of each file runs alone, too."""
    some = [next(case for case in TOGETHER if case.path == path) for path in {case.path for case in TOGETHER}]
    assert len(some) > 4
    assert corpus.outcomes_alone(folder, some) == {case.name: outcomes[case.name] for case in some}


def test_a_case_that_is_not_refused_is_noticed(tmp_path):
    """The status of many is not taken for that of one that wrote its files."""
    bad = next(case for case in TOGETHER if case.path.stem == "expressions")
    text = 'good\n--- manifest.json\n{"module": "m", "headers": ["k.h"], "kernels": {"f": {}}}\n'
    good = corpus.Case(bad.path, text, {"k.h": b"void f(int n);\n"})
    for case in (bad, good):
        case.write(tmp_path / case.name)
    outcomes = corpus.outcomes_together(tmp_path, [bad, good])
    assert outcomes == {bad.name: (bad.expected, 1), "good": ("", 0)}
    assert corpus.generated(tmp_path / "good", good) == ["m.pyi", "m_wrap.c"] and corpus.generated(tmp_path / bad.name, bad) == []


@pytest.fixture(scope="module")
def codes(folder):
    """{name of a case: codes of the findings of `check`}: one run over the manifests of all cases, and one a case that
    brings a pkg-config of its own."""
    found = {name: set() for name in CASES}
    own = [case for case in CASES.values() if "pkg-config" in case.files]
    for cases in [[case for case in CASES.values() if case not in own], *([case] for case in own)]:
        manifests = [f"{case.name}/{case.command.split()[2]}" for case in cases]
        report = json.loads(corpus.run(folder, ["check", "--json", *manifests], folder / cases[0].name).stdout)
        VALIDATOR.validate(report)
        for finding in report["findings"]:
            found[finding["file"].split("/")[0]].add(finding["code"])
    return found


def test_places_are_told_from_where_the_tool_is_started(codes):
    """Those of evidence too: each finding's file begins with the folder of its manifest, else `codes` fails."""
    assert "evidence" in codes["evidence"]


@pytest.mark.parametrize("name", CASES)
def test_code_is_the_name_of_the_case(name, codes):
    assert name.split("--")[0] in codes[name]


def test_no_pkg_config(tmp_path):
    CASES["pkg-config"].write(tmp_path / "case")
    command = [os.environ["PKWRAP_TOOL"], "generate", "manifest.json"]
    done = subprocess.run(command, cwd=tmp_path / "case", env={"PATH": "/nowhere"}, capture_output=True, text=True)
    outcome = "cannot be started: No such file or directory"
    expected = f'pkwrap: error: pkg-config, which "pkg_config" in manifest.json needs, {outcome}\n'
    assert (done.returncode, done.stderr) == (3, expected)


def test_every_refusal_has_a_case():
    codes = {code for path in ROOT.glob("cli/**/*.c") for code in FINDING.findall(path.read_text())}
    assert len(codes) > 80, "the pattern finds nothing any more"
    tested = {name.split("--")[0] for name in CASES}
    assert codes - tested - set(ELSEWHERE) == set()
    assert tested - codes == set(), "cases of refusals that are gone"
    for code, (path, test) in ELSEWHERE.items():
        assert code in codes
        assert test in (ROOT / path).read_text()


def test_an_untested_refusal_is_noticed():
    sample = 'refuse(reader->diag, "sample-code", place_of(x, "y"), "text");'
    assert FINDING.findall(sample) == ["sample-code"]
    assert FINDING.findall('REJECT(scanner, scanner->at, "json-sample", "text")') == ["json-sample"]
    assert FINDING.findall('refuse(diag, "other", ((struct place){.file = file}), "text")') == ["other"]
