"""The runner of `make check` cannot be fooled: a suite that fails, crashes or runs nothing is a failure."""

import importlib.util
import os
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """tests/run.py as a module, with a build folder of its own; the build under test says nothing to inner pytest runs."""
    monkeypatch.setenv("PKWRAP_BUILD", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # half of the start of these small runs
    monkeypatch.syspath_prepend(HERE.parent)
    spec = importlib.util.spec_from_file_location("suite_runner", HERE.parent / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.LOGS.mkdir()
    return module


def suite_of(runner, tmp_path, text):
    """Runs a suite of one pytest file with this text; its counts."""
    folder = tmp_path / "suite"
    folder.mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(text)
    runner.SUITES = {"it": lambda log: runner.run_pytest(log, tmp_path, False, [str(folder)])}
    return runner.run_suite("it")


@pytest.mark.parametrize("text, passed, failed, skipped", [
    ("def test_a(): pass\ndef test_b(): pass\n", 2, 0, 0),
    ("def test_a(): pass\ndef test_b(): assert 0\n", 1, 1, 0),
    ("import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip('no device')\n", 1, 0, 1),
    ("", 0, 1, 0),
    ("def broken(:\n", 0, 1, 0),
])
def test_counts_of_pytest(runner, tmp_path, text, passed, failed, skipped):
    assert suite_of(runner, tmp_path, text)[:3] == (passed, failed, skipped)


def test_a_crash_is_a_failure(runner, tmp_path):
    assert suite_of(runner, tmp_path, "import os\ndef test_a(): os.abort()\n").failed


def test_reasons_of_skips_are_printed(runner, tmp_path, capsys):
    suite_of(runner, tmp_path, "import pytest\ndef test_a(): pytest.skip('no device')\n")
    assert "1 skipped: no device" in capsys.readouterr().out


@pytest.mark.parametrize("script, passed, failed", [
    ("echo '100%: Checks: 3, Failures: 0, Errors: 0'", 3, 0),
    ("echo '66%: Checks: 3, Failures: 0, Errors: 1'; exit 1", 2, 1),
    ("echo '100%: Checks: 3, Failures: 0, Errors: 0'; exit 23", 3, 1),
    ("kill -SEGV $$", 0, 1),
    ("true", 0, 1),
])
def test_counts_of_check(runner, tmp_path, monkeypatch, script, passed, failed):
    (tmp_path / "root/tests/unit").mkdir(parents=True)
    (tmp_path / "root/tests/unit/test_it.c").touch()
    (tmp_path / "tests").mkdir()
    program = tmp_path / "tests/test_it"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(runner, "ROOT", tmp_path / "root")
    runner.SUITES = {"it": lambda log: runner.run_unit(log, tmp_path, False)}
    assert runner.run_suite("it")[:2] == (passed, failed)


def test_what_other_tools_compile_is_shared_between_builds(runner, tmp_path):
    other = tmp_path / "sanitize"
    (other / "pyccel").mkdir(parents=True)  # of a run before they were shared
    for _ in range(2):
        runner.share_compiled(other)
    (other / "struphy/done").touch()
    assert (tmp_path / "struphy/done").exists() and not (other / "pyccel").is_symlink()


def test_last_line_counts_everything(runner, capsys):
    runner.SUITES = {"a": lambda log: runner.Counts(3, 0, 1, {}), "b": lambda log: runner.Counts(2, 0, 0, {})}
    assert runner.main([]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 0 failed, 1 skipped"
    runner.SUITES["c"] = lambda log: 1 / 0
    assert runner.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 1 failed, 1 skipped"


def test_nothing_run_is_a_failure(runner):
    runner.SUITES = {"a": lambda log: runner.Counts(0, 0, 0, {})}
    assert runner.main([]) == 1
