"""The scripts for machines with a GPU: they refuse clearly without one, and the benchmark runs on the emulator."""

import subprocess
import sys
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parent.parent / "gpu"


def run(script, *arguments):
    return subprocess.run([sys.executable, GPU / script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def has_device():
    sys.path.insert(0, str(GPU))
    import gpu
    try:
        gpu.driver_version()
    except gpu.Missing:
        return False
    return True


@pytest.mark.parametrize("script", ["check.py", "bench.py"])
def test_refuses_without_a_device(script):
    if has_device():
        pytest.skip("there is a CUDA device here")
    done = run(script)
    assert done.returncode == 3
    assert "needs a CUDA device: " in done.stdout and "nothing was run" in done.stdout


def test_benchmark_runs_on_the_emulator(tmp_path):
    done = run("bench.py", "--emulator", "--output", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "nothing is judged" in done.stdout
    assert (tmp_path / "time.png").read_bytes().startswith(b"\x89PNG")
