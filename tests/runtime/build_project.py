"""A small module's sources in a folder of their own, and what one does with them: edit, build, call."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

TOOL = os.environ["PKWRAP_TOOL"]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")

HEADER = """\
#include "more.h"
/* Adds step to each element. */
void shift(int n, double step, double *x);
/* Not wrapped. */
void other(void);
"""
SOURCE = """\
#include "kernels.h"
void shift(int n, double step, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += step * FACTOR;
}
"""
MANIFEST = """\
{
  "module": "moved",
  "headers": ["kernels.h"],
  "sources": ["kernels.c"],
  "kernels": { "shift": { "outputs": ["x"], "params": { "x": { "shape": ["n"] } } } }
}
"""
# Programs that are not ours are not run under a sanitizer's preloaded library.
PLAIN = {**os.environ, "LD_PRELOAD": ""}
CALL = "import numpy as np, moved; x = np.zeros(3); moved.shift(1.0, x); print(x.sum())"


class Project:
    """A manifest with its header and source in a folder, and what one does with it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        self.write("more.h", "#define FACTOR 1.0\n")
        self.write("kernels.h", HEADER)
        self.write("kernels.c", SOURCE)
        self.write("moved.json", MANIFEST)
        self.log = folder / "compiler.log"
        self.write("cc", f'#!/bin/sh\necho "$@" >>{self.quoted(self.log)}\nexec gcc "$@"\n')
        (folder / "cc").chmod(0o755)

    @staticmethod
    def quoted(path):
        return "'" + str(path).replace("'", "'\\''") + "'"

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def arguments(self, *options, manifest="moved.json"):
        return [TOOL, "build", "--python", sys.executable, manifest, *map(str, options)]

    def build(self, *options, status=0, cwd=None, manifest="moved.json", environment=None, **more):
        done = subprocess.run(
            self.arguments(*options, manifest=manifest),
            cwd=cwd or self.folder,
            env={**os.environ, "CC": re.sub(r"([ '\"\\\\])", r"\\\1", str(self.folder / "cc")), **(environment or {})},
            capture_output=True,
            text=True,
            timeout=300,
            **more,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def compilations(self):
        """Sources that the compiler was given since the last look."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return sorted(Path(word).name for line in lines if " -c " in line for word in line.split() if word.endswith(".c"))

    @property
    def module(self):
        return self.folder / f"moved{SUFFIX}"

    def call(self, folder=None, code=CALL, **environment):
        path = os.pathsep.join([str(folder or self.folder), environment.pop("PYTHONPATH", os.environ.get("PYTHONPATH", ""))])
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd="/",
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
