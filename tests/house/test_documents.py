"""Every example of README.md and of the manual pages is run.

README.md: a block ```console holds commands after "$ " and, where there is any, the output they must have ("..." for any
text); its commands run one after the other in one folder, where `build` and `tests` are those of the tree. A block ```python
is run as a program there, and its lines `expression  # -> result` are compared. Manual pages: their literal displays.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ["PKWRAP_BUILD"]).resolve()
# Of a make that runs this test; and what Pyccel would name its folder after.
HIDDEN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTEST_XDIST_WORKER")
# Installs, or takes the whole test run with it: these are tested elsewhere (test_demo.py, test_install.py, CI itself).
NOT_HERE = re.compile(r"git clone|cd pkwrap|(sudo )?make\b")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


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


def matches(expected, printed):
    pattern = ".*".join(re.escape(part) for part in re.split(r"\.\.\.", expected.strip()))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def transcript(text):
    """[(command, expected output)] of a console block; a command goes on over lines that end with a backslash."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    for part in parts:
        command = re.match(r"(?:.*\\\n)*.*", part).group()
        yield command, part[len(command):]


README = (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def after_commands(folder):
    """The folder after the README's commands, and what was wrong with them."""
    commands = [pair for block in blocks(README, "console") for pair in transcript(block)]
    assert commands
    wrong = []
    for command, expected in commands:
        if NOT_HERE.match(command):
            continue
        printed = run(command, folder)
        if expected.strip() and not matches(expected, printed):
            wrong.append(f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}")
    return folder, wrong


def test_readme_commands(after_commands):
    assert not after_commands[1], "\n".join(after_commands[1])


@pytest.mark.parametrize("index", range(len(blocks(README, "python"))))
def test_readme_python(after_commands, index):
    folder = after_commands[0]
    lines = []
    for line in blocks(README, "python")[index].splitlines():
        code, _, comment = line.partition("  # -> ")
        lines.append(f"print('{len(lines)}:', ({code}))" if comment else line)
    expected = [line.partition("  # -> ")[2] for line in blocks(README, "python")[index].splitlines() if "  # -> " in line]
    script = folder / f"readme_{index}.py"
    script.write_text("\n".join(lines) + "\n")
    printed = [line.split(": ", 1)[1] for line in run(f"python3 {script.name}", folder).splitlines() if re.match(r"\d+: ", line)]
    assert printed == expected


def displays(page):
    return re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", (ROOT / "man" / page).read_text(), re.MULTILINE | re.DOTALL)


def test_commands_of_pkwrap_1(folder):
    commands = [pair for text in displays("pkwrap.1") for pair in transcript(text)]
    assert commands
    for command, _ in commands:
        run(command, folder)


def test_makefile_of_pkwrap_1(after_commands):
    folder = after_commands[0]
    rules = next(text for text in displays("pkwrap.1") if "--depfile" in text)
    (folder / "example.mk").write_text(rules)
    run("make -f example.mk heat.stamp && make -q -f example.mk heat.stamp", folder)
    run("sleep 0.01; touch heat.json; ! make -q -f example.mk heat.stamp", folder)


def test_example_of_the_manifest_page(folder):
    manifest, header, functions = displays("pkwrap-manifest.5")
    jsonschema.validate(json.loads(manifest), json.loads((ROOT / "schemas/manifest.schema.json").read_text()))
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
