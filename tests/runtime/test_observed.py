"""From a test run in learn mode to a manifest that is right (C53): learn file, report of `check --observed`, `--fix`."""

import json
import os
import subprocess
import sys
import sysconfig

import pytest

HEADER = """void mix(int n, const double *x, double *y, double *spare);
void halve(int n, double *x);
"""
SOURCE = """#include "mixing.h"

/* Called through pointers, so that nobody can tell from the sources what is written. */
void (*volatile mix_chosen)(int, const double *, double *, double *);
void (*volatile halve_chosen)(int, double *);

static void do_mix(int n, const double *x, double *y, double *spare)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i] + 0 * spare[i];
}

static void do_halve(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] /= 2;
}

__attribute__((constructor)) static void choose(void)
{
    mix_chosen = do_mix;
    halve_chosen = do_halve;
}

void mix(int n, const double *x, double *y, double *spare)
{
    mix_chosen(n, x, y, spare);
}

void halve(int n, double *x)
{
    halve_chosen(n, x);
}
"""
SHAPE = {"shape": ["n"]}
MANIFEST = {
    "module": "mixing",
    "headers": ["mixing.h"],
    "sources": ["mixing.c"],
    "kernels": {
        "mix": {"outputs": ["spare", "y"], "params": {"x": SHAPE, "y": SHAPE, "spare": SHAPE}},
        "halve": {"name": "half", "outputs": [], "params": {"x": SHAPE | {"name": "values"}}},
    },
}
RUN = """
import mixing
import numpy as np
for n in (100, 28):
    mixing.mix(np.ones(n), np.zeros(n), np.ones(n))
mixing.half(np.ones(5))
mixing.half(np.zeros(5))
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "mixing.h").write_text(HEADER)
    (tmp_path / "mixing.c").write_text(SOURCE)
    (tmp_path / "mixing.json").write_text(json.dumps(MANIFEST, indent=2))
    return tmp_path


def tool(project, *arguments):
    return subprocess.run([os.environ["PKWRAP_TOOL"], *arguments], cwd=project, capture_output=True, text=True)


def test_c53_what_a_run_shows_ends_in_the_manifest(project):
    built = tool(project, "build", "-q", "--python", sys.executable, "mixing.json")
    assert built.returncode == 0, built.stderr
    assert list(project.glob("mixing*" + sysconfig.get_config_var("EXT_SUFFIX")))
    environment = {**os.environ, "PKWRAP_LEARN": "seen.json"}
    subprocess.run([sys.executable, "-c", RUN], cwd=project, env=environment, check=True)

    done = tool(project, "check", "--observed", "seen.json", "mixing.json")
    rows = [line.split() for line in done.stdout.splitlines()[1:-1]]
    assert rows == [
        ["mix", "x", "no", "no", "0", "of", "2", "-"],
        ["mix", "y", "yes", "maybe", "2", "of", "2", "-"],
        ["mix", "spare", "yes", "maybe", "0", "of", "2", "1.0", "KiB"],
        ["half", "values", "no", "maybe", "1", "of", "2", "-"],
    ]
    assert done.returncode == 1
    assert 'kernel "halve" writes "x" (seen.json: changed in 1 of 2 observed calls)' in done.stderr

    done = tool(project, "check", "--fix", "--observed", "seen.json", "mixing.json")
    assert "mixing.json: 1 change\n" in done.stdout
    assert "stale" in done.stderr  # what was built from the manifest as it was
    assert tool(project, "build", "-q", "--python", sys.executable, "mixing.json").returncode == 0
    assert tool(project, "check", "--observed", "seen.json", "mixing.json").returncode == 0
    kernels = json.loads((project / "mixing.json").read_text())["kernels"]
    assert kernels["halve"]["outputs"] == ["x"]
    assert kernels["mix"]["outputs"] == ["spare", "y"]  # never seen to change is no proof
