"""Every refusal: place, text and exit status.

A folder here is one case: its files are copied to an empty folder, the command in the first line of `expected` is run
there, and what it prints to stderr and its exit status have to be the rest of `expected`. The folder is called as the
finding's code, with "--variant" after it where there are several. `PKWRAP_ACCEPT=1` rewrites `expected`; the
difference that git shows then is the review.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
VALIDATOR = jsonschema.Draft202012Validator(json.loads((ROOT / "schemas/check.schema.json").read_text()))
CASES = sorted(path.parent for path in HERE.glob("*/expected"))

# Where a finding with a code is made: the code is the first string of the call.
FINDING = re.compile(r'\b(?:refuse|REJECT|fail|diag_add)\((?:[^";{}]|\([^"]*\))*"([a-z0-9-]+)"')

# Codes that no manifest brings about on its own; the test that covers each instead.
ELSEWHERE = {
    "missing-symbol": ("tests/runtime/test_build.py", "test_F57_a_missing_symbol_is_an_error_with_its_place"),
    "observed-format": ("tests/reject/test_check.py", "test_observed_format"),
    "stale": ("tests/reject/test_check.py", "test_generated_files_that_are_stale"),
}


def run(case, command, folder):
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected"))
    program, *arguments = shlex.split(command)
    assert program == "pkwrap"
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(
        [os.environ["PKWRAP_TOOL"], *arguments], cwd=folder, env=environment, capture_output=True, text=True, errors="replace"
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refusal(case, tmp_path):
    first, _, expected = (case / "expected").read_text().partition("\n")
    done = run(case, first.removeprefix("$ "), tmp_path / "case")
    found = f"{done.stderr}exit {done.returncode}\n"
    if os.environ.get("PKWRAP_ACCEPT"):
        (case / "expected").write_text(f"{first}\n{found}")
        return
    assert found == expected
    assert not (tmp_path / "case/out").exists(), "something was generated all the same"


@pytest.fixture(scope="module")
def codes(tmp_path_factory):
    """{name of a case: codes of the findings of `check`}: one run over the manifests of all cases, and one a case that
    brings a pkg-config of its own."""
    folder = tmp_path_factory.mktemp("cases")
    found = {case.name: set() for case in CASES}
    for case in CASES:
        shutil.copytree(case, folder / case.name)
    own = [case for case in CASES if (case / "pkg-config").exists()]
    for cases in [[case for case in CASES if case not in own], *([case] for case in own)]:
        manifests = [f"{case.name}/{(case / 'expected').read_text().splitlines()[0].split()[3]}" for case in cases]
        environment = {**os.environ, "PATH": f"{folder / cases[0].name}:{os.environ['PATH']}"}
        command = [os.environ["PKWRAP_TOOL"], "check", "--json", *manifests]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
        report = json.loads(done.stdout)
        VALIDATOR.validate(report)
        for finding in report["findings"]:
            found[finding["file"].split("/")[0]].add(finding["code"])
    return found


def test_places_are_told_from_where_the_tool_is_started(codes):
    """Those of evidence too: each finding's file begins with the folder of its manifest, else `codes` fails."""
    assert "evidence" in codes["evidence"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_code_is_the_name_of_the_folder(case, codes):
    assert case.name.split("--")[0] in codes[case.name]


def test_no_pkg_config(tmp_path):
    shutil.copytree(HERE / "pkg-config", tmp_path / "case")
    command = [os.environ["PKWRAP_TOOL"], "generate", "manifest.json"]
    done = subprocess.run(command, cwd=tmp_path / "case", env={"PATH": "/nowhere"}, capture_output=True, text=True)
    outcome = "cannot be started: No such file or directory"
    expected = f'pkwrap: error: pkg-config, which "pkg_config" in manifest.json needs, {outcome}\n'
    assert (done.returncode, done.stderr) == (3, expected)


def test_every_refusal_has_a_case():
    codes = {code for path in ROOT.glob("cli/**/*.c") for code in FINDING.findall(path.read_text())}
    assert len(codes) > 80, "the pattern finds nothing any more"
    tested = {case.name.split("--")[0] for case in CASES}
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
