"""Runs `pkwrap inspect` and `pkwrap init` on headers that a test writes; every JSON is validated against the schema."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas/inspect.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def tool(*arguments, cwd, **environment):
    """The finished process of the tool; fails the test if it crashed."""
    done = subprocess.run(
        [os.environ["PKWRAP_TOOL"], *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, 1, 2, 3), done.stderr
    return done


def inspect(folder, header=None, *arguments, status=0, **environment):
    """What `inspect --json` says of the text of a header (written as kernels.h), or of the files in `arguments`."""
    if header is not None:
        (folder / "kernels.h").write_text(header)
        arguments = ("kernels.h", *arguments)
    done = tool("inspect", "--json", *arguments, cwd=folder, **environment)
    assert done.returncode == status, done.stdout + done.stderr
    report = json.loads(done.stdout)
    VALIDATOR.validate(report)
    return report


def kernels(folder, header, *arguments, **options):
    """The kernels by name."""
    return {kernel["name"]: kernel for kernel in inspect(folder, header, *arguments, **options)["kernels"]}


def params(folder, declaration, *arguments, before=""):
    """The parameters of the one function declared, by name."""
    (kernel,) = inspect(folder, before + "\n" + declaration + "\n", *arguments)["kernels"]
    return {param["name"]: param for param in kernel["params"]}
