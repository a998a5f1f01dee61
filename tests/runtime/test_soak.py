"""A short soak: a few seconds of random calls in every test run (`make soak` goes on for as long as one likes)."""

import subprocess
import sys
from pathlib import Path


def test_short_soak():
    done = subprocess.run([sys.executable, Path(__file__).parent / "soak.py", "--minutes", "0.1"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
