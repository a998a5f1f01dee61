"""The golden folders: what they hold, and how what pkwrap generates from them is found.

A folder NAME holds NAME.json and what it names (the input), calls.py (calls of the built module that raise when something
is wrong) and expected/ (NAME_wrap.c and NAME.pyi). Run as a program, this accepts: it writes expected/ anew, and
`git diff` is the review.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOL = os.environ["PKWRAP_TOOL"]


def folders():
    return sorted(path.parent for path in ROOT.glob("*/calls.py"))


def generated_names(folder):
    return [f"{folder.name}_wrap.c", f"{folder.name}.pyi"]


def generate(manifest, output, cwd=ROOT):
    """Runs `pkwrap generate` and returns the finished process."""
    command = [TOOL, "generate", "-q", "--python", sys.executable, str(manifest), "-o", str(output)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def accept():
    for folder in folders():
        expected = folder / "expected"
        done = generate(folder / f"{folder.name}.json", expected)
        if done.returncode != 0:
            raise SystemExit(f"{folder.name}: {done.stderr}")
        for path in expected.iterdir():
            if path.name not in generated_names(folder):
                path.unlink()
        print("accepted", folder.name)


if __name__ == "__main__":
    accept()
