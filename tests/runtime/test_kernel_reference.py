"""PyccelKernel beside the class that it stands in for, on generated calls: the same outcome, but where man/contract.md says (+)."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

# How calls may end otherwise than with cunumpy; kernel_reference.py proves of each such call that it is one of these.
DIFFERENCES = {
    "C30": "with known names a position is a name and a name a position, given in this call or not",
    "C31": "a wrong declaration is told on any path, there where the call converts only",
}

SCRIPT = Path(__file__).with_name("kernel_reference.py")


def test_generated_calls_end_as_with_cunumpy():
    pytest.importorskip("cunumpy")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), os.environ.get("PKWRAP_TEST_CALLS", "500")],
        env=os.environ | {"CUNUMPY_FAKE_CUPY": "1", "PKWRAP_DEVICE": "emulator"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    compared = ast.literal_eval(done.stdout.splitlines()[-1])
    print(compared)
    assert set(compared) == {"equal", *DIFFERENCES}
