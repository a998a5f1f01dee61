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
    # Call, differences on host and device, copies and bytes each way, waits.
    rows = {row[1]: row[2].split() for row in re.finditer(r"^(.{45}) (.*)$", done.stdout, re.MULTILINE)}
    rows = {name.strip(): cells for name, cells in rows.items()}
    assert len([cells for cells in rows.values() if cells[-1:] == ["1"]]) >= 13  # one wait a call
    # `out` is overwritten: only u goes down, and out up.
    assert rows["out = heat.step(u, 0.2)"][2:] == ["1:", "468.8", "KiB", "1:", "468.8", "KiB", "1"]
    # A reduction brings back a number only.
    assert rows["heat.energy(u, 2.0, 0.01)"][2:] == ["1:", "468.8", "KiB", "-", "1"]
