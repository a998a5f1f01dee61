"""`pkwrap build` where the machine is at fault: a compiler or an interpreter that is missing, unfit, killed or silent."""

import os

import pytest

from build_project import MANIFEST


def program(path, script):
    """A program in the place of a compiler or an interpreter."""
    path.write_text("#!/bin/sh\n" + script + "\n")
    path.chmod(0o755)
    return path


def test_programs_that_are_missing(project):
    done = project.build(status=3, environment={"CC": "no-such-compiler"})
    assert done.stderr == "pkwrap: error: no compiler 'no-such-compiler' (from CC)\n"
    done = project.build("--python", "no-such-python", status=3)
    assert done.stderr == "pkwrap: error: no Python program 'no-such-python'; name one with --python\n"


def test_a_program_that_repeats_the_question_is_cut_short(project, tmp_path):
    parrot = program(tmp_path / "parrot", 'printf "%s" "$*" | tr "\\n" ";" >&2; exit 2')
    (line,) = project.build("--python", parrot, status=3).stderr.splitlines()
    assert "does not work as a Python" in line and line.endswith("...`; name another one with --python") and len(line) < 400


def test_an_interpreter_without_a_library(project, tmp_path):
    answer = (
        "echo implementation=cpython; echo version=3.14.0; echo suffix=.cpython-314-x.so; echo include=/nowhere\n"
        "echo numpy=/nowhere/numpy; echo numpy_version=2.9.0; echo package="
    )
    other = program(tmp_path / "python", answer)
    done = project.build("--python", other, status=3)
    assert done.stderr.startswith(f"pkwrap: error: no libpkwrap for {other} (Python 3.14.0, _pkwrap.cpython-314-x.so): looked in")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "answer, complaint",
    [
        ("implementation=pypy\\nversion=3.10.1", "is pypy; pkwrap needs CPython (name one with --python)"),
        ("implementation=cpython\\nversion=3.9.1", "is Python 3.9.1; pkwrap needs 3.10 or newer"),
        ("implementation=cpython\\nversion=3.11.1\\nnumpy=", "(Python 3.11.1) has no NumPy"),
        ("implementation=cpython\\nversion=3.11.1\\nnumpy=/n\\nnumpy_version=1.22.4", "has NumPy 1.22.4; pkwrap needs 1.23"),
    ],
)
def test_interpreters_that_do_not_fit(project, tmp_path, answer, complaint):
    other = program(tmp_path / "python", f"printf '{answer}\\n'")
    assert complaint in project.build("--python", other, status=3).stderr


SILENT = "ended with exit status 0 and printed nothing"


@pytest.mark.parametrize(
    "script, account",
    [
        ("exit 0", SILENT),
        ("exit 7", "ended with exit status 7 and printed nothing"),
        ("exit 255", "ended with exit status 255 and printed nothing"),
        ("kill -SEGV $$", "was ended by signal 11 (Segmentation fault) and printed nothing"),
        ("echo this is not Python", "ended with exit status 0 and printed `this is not Python`"),
        ("printf 'no\\nlibraries' >&2; exit 1", "ended with exit status 1 and printed `no`"),
    ],
)
def test_an_interpreter_that_does_not_work(project, tmp_path, script, account):
    """The message is complete: how it ended, what it printed, what to do."""
    other = program(tmp_path / "python", script)
    done = project.build("--python", other, status=3)
    assert done.stderr == f"pkwrap: error: {other} does not work as a Python: it {account}; name another one with --python\n"


@pytest.mark.parametrize(
    "script, account",
    [
        ("exit 0", SILENT + ", but wrote no file"),
        ("exit 4", "ended with exit status 4 and printed nothing"),
        ("kill -KILL $$", "was ended by signal 9 (Killed) and printed nothing"),
    ],
)
def test_a_compiler_that_does_not_work(project, tmp_path, script, account):
    """One message, and it is not the sources' fault: exit status 3."""
    other = program(tmp_path / "compiler", script)
    for stage in ("", 'case "$*" in *" -c "*) exec gcc "$@";; esac; '):  # compiling; linking
        program(other, stage + script)
        done = project.build(status=3, environment={"CC": str(other)})
        assert done.stderr == f"pkwrap: error: the compiler {other} {account} (CC names another one)\n"
    assert not project.module.exists()


def test_a_compiler_that_complains_is_shown(project, tmp_path):
    other = program(tmp_path / "compiler", "echo cannot optimize >&2; exit 1")
    done = project.build(status=1, environment={"CC": str(other)})
    assert "cannot optimize\n" in done.stderr and "moved.json: error: kernels.c does not compile\n" in done.stderr


@pytest.mark.parametrize(
    "script, status, complaint",
    [
        ("kill -TERM $$", 3, 'pkg-config, which "pkg_config" in moved.json needs, was ended by signal 15 (Terminated)'),
        ("exit 6", 1, 'pkg-config does not know "openblas": it ended with exit status 6 and printed nothing'),
    ],
)
def test_a_pkg_config_that_does_not_work(project, tmp_path, script, status, complaint):
    program(tmp_path / "pkg-config", script)
    project.write("moved.json", MANIFEST.replace('"sources"', '"compile": { "pkg_config": ["openblas"] },\n  "sources"'))
    done = project.build(status=status, environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert complaint in done.stderr
