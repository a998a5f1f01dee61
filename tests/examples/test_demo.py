"""The demonstration runs and finds NumPy's results; on the emulator its figures are exact."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_demo(tmp_path):
    done = subprocess.run([sys.executable, HERE / "demo.py", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"PKWRAP_DEVICE": "emulator"})
    assert done.returncode == 0, done.stdout
    assert "Every result is NumPy's" in done.stdout
    rows = {line[:42].strip(): line[42:].split() for line in done.stdout.splitlines() if re.match(r".* x, ", line)}
    assert len(rows) >= 13
    # `out` is overwritten: u goes down once, out goes up once, and that needs one wait.
    assert rows["out = heat.step(u, 0.2)"][2:] == ["1", "x,", "469", "KiB", "1", "x,", "469", "KiB", "1"]
    # A reduction brings back a number only.
    assert rows["heat.energy(u, 2.0, 0.01)"][2:] == ["1", "x,", "469", "KiB", "0", "x,", "0", "B", "1"]
