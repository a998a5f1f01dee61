"""The scripts for machines with a GPU: they refuse clearly without one, count what they run, and measure on the emulator."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parent.parent / "gpu"
sys.path.insert(0, str(GPU))

import bench  # noqa: E402
import check  # noqa: E402
import gpu  # noqa: E402


def run(script, *arguments):
    return subprocess.run([sys.executable, GPU / script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def has_device():
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


@pytest.mark.parametrize("goal", ["check-gpu", "bench-gpu"])
def test_make_refuses_before_anything_is_installed_or_built(goal, tmp_path):
    if has_device():
        pytest.skip("there is a CUDA device here")
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "OFFLINE")}
    done = subprocess.run(["make", goal, f"PYTHON={sys.executable}", f"VENV={tmp_path}/venv", f"BUILD={tmp_path}/build"],
                          cwd=GPU.parent.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert done.returncode != 0 and f"{goal}: needs a CUDA device: " in done.stdout
    assert "setup:" not in done.stdout and not list(tmp_path.iterdir())


def missing_of(function, *arguments):
    with pytest.raises(gpu.Missing) as caught:
        function(*arguments)
    return str(caught.value)


def test_what_cannot_be_installed_is_told_in_pips_words(monkeypatch, tmp_path):
    assert missing_of(gpu.install, 9) == "the driver serves CUDA 9; CuPy is pinned for 12 and 13 only"
    monkeypatch.setattr(gpu, "HERE", tmp_path)
    (tmp_path / "requirements-cuda13.txt").write_text("./no_such_folder\n")
    text = missing_of(gpu.install, 13)
    assert text.startswith("CuPy is not installed, and pip cannot install it: ") and "no_such_folder" in text


def test_a_cupy_that_does_not_work_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "driver_version", lambda: (13, 0))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    (tmp_path / "cupy.py").write_text("raise ImportError('libnvrtc is missing')\n")
    assert missing_of(gpu.prepare) == "CuPy does not work here: ImportError: libnvrtc is missing"


def test_the_sanitizer_is_found_on_path_and_in_the_toolkit(monkeypatch, tmp_path):
    tool = tmp_path / "bin/compute-sanitizer"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho no device\nexit 5\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert gpu.find_sanitizer() == str(tool)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    assert gpu.find_sanitizer() == str(tool)
    reason = check.why_no_sanitizer(str(tool))
    assert "cannot run a small program (exit status 5)" in reason and "no device" in reason
    tool.write_text("#!/bin/sh\nexit 0\n")
    assert "cannot run a small program (exit status 0)" in check.why_no_sanitizer(str(tool))
    tool.write_text("#!/bin/sh\necho sum 3.0\n")
    assert check.why_no_sanitizer(str(tool)) is None
    assert "no compute-sanitizer on PATH" in check.why_no_sanitizer(None)


SUITES = {
    "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.skip(reason='why')\ndef test_c(): pass\n": (1, 1, 1),
    "import os\ndef test_a(): assert os.environ['PKWRAP_TEST_DEVICE'] == 'cupy'\n": (1, 0, 0),
    "import os\ndef test_a(): os._exit(0)\n": (0, 1, 0),
    "import nothing_of_this_name\n": (0, 1, 0),
    "": (0, 1, 0),
}


@pytest.mark.parametrize(("text", "counts"), SUITES.items(), ids=["mixed", "good", "crash", "import", "empty"])
def test_runs_are_counted_and_cannot_pass_by_accident(monkeypatch, tmp_path, text, counts):
    monkeypatch.setenv("PKWRAP_BUILD", str(tmp_path))
    (tmp_path / "test_it.py").write_text(text)
    assert check.run("trial", [str(tmp_path / "test_it.py")]) == counts


def test_what_the_sanitizer_finds_is_a_failure_though_every_test_passed(monkeypatch, tmp_path):
    monkeypatch.setenv("PKWRAP_BUILD", str(tmp_path))
    (tmp_path / "test_it.py").write_text("def test_a(): pass\n")
    wrapper = tmp_path / "wrapper"
    wrapper.write_text('#!/bin/sh\n"$@"\nexit 99\n')
    wrapper.chmod(0o755)
    assert check.run("trial", [str(tmp_path / "test_it.py")], [str(wrapper)]) == (1, 1, 0)


def numbers(line):
    return [float(word) for word in line.split() if word.replace(".", "").isdigit()]


def test_benchmark_runs_on_the_emulator(tmp_path):
    done = run("bench.py", "--emulator", "--output", tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "bench-gpu.txt").read_text() == done.stdout
    assert (tmp_path / "time.png").read_bytes().startswith(b"\x89PNG") and (tmp_path / "time.png").stat().st_size > 10000
    lines = done.stdout.splitlines()
    start = lines.index("time of a call in us")
    rows = [numbers(line) for line in lines[start + 2:lines.index("", start)]]
    assert [row[0] for row in rows] == [8, 64, 512, 4096, 32768, 65536]
    assert all(len(row) == 4 and min(row[1:]) > 0 for row in rows)
    start = next(i for i, line in enumerate(lines) if line.startswith("strided, us"))
    assert [len(numbers(line)) for line in lines[start + 1:start + 5]] == [4] * 4
    assert "nothing is judged" in done.stdout


def row(size, ours, theirs, rate):
    return size, {"pkwrap": ours, "pkwrap, not declared": ours, "pkwrap, read only": ours * 2 / 3, "cunumpy": theirs,
                  "cunumpy, not declared": theirs, "download by hand": size / rate, "upload by hand": size / rate}


def test_verdicts():
    mebibyte = bench.MEBIBYTE
    good = [row(8, 1e-6, 5e-6, 1e9), row(16 * mebibyte, 51e-3, 1, 1e9), row(256 * mebibyte, 0.81, 10, 1e9)]
    assert [met for *_, met in bench.verdicts(good, (2e-6, 1e-6))] == [True] * 11
    slow = [row(8, 1e-6, 3e-6, 1e9), row(256 * mebibyte, 2.0, 3.0, 1e9)]
    missed = {text: value for text, value, _, met in bench.verdicts(slow, (3e-6, 1e-6)) if not met}
    assert missed == {
        "8 B, not declared: times faster than cunumpy": pytest.approx(3),
        "268435456 B: times faster than cunumpy": pytest.approx(1.5),
        "268435456 B, not declared: times faster than cunumpy": pytest.approx(1.5),
        "268435456 B: share of the pinned bandwidth to the host": pytest.approx(0.4, abs=0.01),
        "268435456 B: share of the pinned bandwidth to the device": pytest.approx(0.4, abs=0.01),
        "three 4 KiB inputs, one output: times the copies by hand": pytest.approx(3),
    }


# Tests that run on CuPy, with the stand-in that has CuPy's names only; pkwrap reads its arrays as it reads CuPy's.
ON_CUPY = ["test_emulator_cupy", "test_kernel_aliasing", "test_kernel_arguments", "test_kernel_calls", "test_kernel_construction",
           "test_kernel_results", "test_modules_counting", "test_modules_device", "test_modules_watching"]


def test_the_suite_uses_nothing_that_cupy_has_not():
    runtime = GPU.parent / "runtime"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PKWRAP_TEST_DEVICE": "cupy", "PKWRAP_DEVICE": "emulator"}
    environment["PYTHONPATH"] += f":{GPU / 'stand_in'}"
    tests = [runtime / f"{name}.py" for name in ON_CUPY]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-8000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 500


def test_the_emulators_stand_in_offers_nothing_that_cupy_has_not():
    from pkwrap.emulator import cupy

    names = json.loads((GPU / "stand_in/cupy/names.json").read_text())["names"]
    own = {"ndarray": {"memory", "offset"}, "cuda.MemoryPointer": set()}  # what its arrays are made of
    for name in ("ndarray", "cuda.Stream", "cuda.Event", "cuda.Device", "cuda.MemoryPointer", "cuda.runtime"):
        found = cupy
        for part in name.split("."):
            found = getattr(found, part)
        offered = {attribute for attribute in dir(found) if not attribute.startswith("_")}
        assert offered - set(names[name]) == own.get(name, set()), name
