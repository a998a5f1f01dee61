"""Every example of README.md and of the manual pages is run.

README.md: its blocks run in their order in one clean shell, in a folder where `build` and `tests` are those of the tree (see
readme.py). Manual pages: their literal displays.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from readme import Readme, transcript

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ["PKWRAP_BUILD"]).resolve()
# Of a make that runs this test; and what Pyccel would name its folder after.
HIDDEN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTEST_XDIST_WORKER")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Looks like the top of the tree to a reader's commands, and is thrown away."""
    place = tmp_path_factory.mktemp("tree")
    (place / "build").symlink_to(BUILD)
    (place / "tests").symlink_to(ROOT / "tests")
    return place


def environment():
    path = os.pathsep.join([str(Path(sys.executable).parent), str(BUILD), os.environ["PATH"]])
    inherited = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return inherited | {"PATH": path, "PYTHONPATH": os.pathsep.join([str(BUILD / "python"), "."])}


def run(command, folder):
    done = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"$ {command}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def after_readme(folder):
    """The folder after README.md's blocks, what was wrong with them, and how many there were."""
    # What installs is not run here: `make check-fresh` does that, in the same order.
    readme = Readme((ROOT / "README.md").read_text(), folder, leave_out=r"make\b")
    clean = {"HOME": str(folder), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", readme.program()], cwd=folder, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return folder, readme.wrong(done.stdout), len(readme.steps)


def test_readme(after_readme):
    _, wrong, n_steps = after_readme
    assert not wrong, "\n".join(wrong)
    assert n_steps > 10


def test_readme_runner_sees_what_is_wrong(tmp_path):
    """A command that fails, one that prints something else, and a result that is not the one written down."""
    text = "```console\n$ false\n$ echo a\nb\n$ . ./env\n$ echo $here\nyes\n```\n```python\n1 + 1  # -> 3\n2 * 2  # -> 4\n```\n"
    (tmp_path / "env").write_text("here=yes\n")
    readme = Readme(text, tmp_path)
    done = subprocess.run(["bash", "-c", readme.program()], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    wrong = readme.wrong(done.stdout)
    assert [text.splitlines()[0] for text in wrong] == ["$ false", "$ echo a", "$ 1 + 1  # -> 3"]


def displays(page):
    return re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", (ROOT / "man" / page).read_text(), re.MULTILINE | re.DOTALL)


def test_commands_of_pkwrap_1(folder):
    commands = [pair for text in displays("pkwrap.1") for pair in transcript(text)]
    assert commands
    for command, _ in commands:
        run(command, folder)


def test_makefile_of_pkwrap_1(after_readme):
    folder = after_readme[0]
    rules = next(text for text in displays("pkwrap.1") if "--depfile" in text)
    (folder / "example.mk").write_text(rules)
    run("make -f example.mk heat.stamp && make -q -f example.mk heat.stamp", folder)
    run("sleep 0.01; touch heat.json; ! make -q -f example.mk heat.stamp", folder)


def test_example_of_the_manifest_page(folder):
    scalar, manifest, header, functions = displays("pkwrap-manifest.5")
    schema = json.loads((ROOT / "schemas/manifest.schema.json").read_text())
    jsonschema.validate(json.loads(manifest), schema)
    kernels = {"f": {"outputs": ["info"], "params": json.loads(f"{{{scalar}}}")}}
    jsonschema.validate({"module": "m", "headers": ["m.h"], "kernels": kernels}, schema)
    (folder / "smoothing.json").write_text(manifest)
    (folder / "smooth.h").write_text(header)
    (folder / "smooth.c").write_text("""#include "smooth.h"
#include <math.h>
void smooth(int n, const double *field, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = i == 0 || i == n - 1 ? field[i] : 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
}
double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}
""")
    run("pkwrap build smoothing.json && pkwrap check smoothing.json", folder)
    code = "import inspect, smoothing as m; print(*(f.__name__ + str(inspect.signature(f)) for f in (m.smooth, m.norm)))"
    assert run(f'python3 -c "{code}"', folder).strip() == " ".join(functions.splitlines())
