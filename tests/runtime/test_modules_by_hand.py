"""A module written by hand against pkwrap.h: what libpkwrap says when it is imported, and that its tables suffice."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA

PACKAGE = Path(os.environ["PKWRAP_BUILD"]) / "python" / "pkwrap"


@pytest.fixture(scope="module")
def compile_by_hand(tmp_path_factory):
    def compile_module(*flags):
        folder = tmp_path_factory.mktemp("by_hand")
        library = folder / ("by_hand" + sysconfig.get_config_var("EXT_SUFFIX"))
        subprocess.run(
            [
                *["gcc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, DATA / "by_hand.c"],
                *os.environ.get("CFLAGS", "").split(),
                *[f"-I{PACKAGE / 'include'}", f"-I{sysconfig.get_path('include')}", *flags],
                *[f"-L{PACKAGE}", "-l:libpkwrap.so.1", f"-Wl,-rpath,{PACKAGE.resolve()}"],
            ],
            check=True,
            env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
        )
        return folder

    return compile_module


def test_a_module_by_hand_takes_everything_that_a_generated_one_does(compile_by_hand, xp, monkeypatch):
    import pkwrap

    monkeypatch.syspath_prepend(compile_by_hand())
    import by_hand

    assert by_hand.twice(np.arange(3.0)).tolist() == [0, 2, 4]
    out = np.zeros(6)
    assert by_hand.twice(y=out[::2], x=np.arange(3.0)[::-1]).tolist() == [4, 2, 0] and out.tolist() == [4, 0, 2, 0, 0, 0]
    assert xp.asnumpy(by_hand.twice(xp.asarray(np.arange(3.0)))).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match=r"twice\(\) missing 1 required positional argument: 'x'"):
        by_hand.twice()
    assert pkwrap.stats()["by_hand.twice"]["calls"] == 3


def test_another_interface_number_is_an_import_error_that_names_both_and_the_library(compile_by_hand, python):
    folder = compile_by_hand("-DABI=77")
    out = python(f"""
import sys; sys.path.insert(0, {str(folder)!r})
try:
    import by_hand
except ImportError as error:
    print(error)
""")
    (number,) = re.findall(r"^#define PKW_ABI (\d+)$", (PACKAGE / "include/pkwrap.h").read_text(), re.M)
    assert "built for interface 77 of libpkwrap" in out and f"has interface {number};" in out
    assert str(PACKAGE.resolve() / "libpkwrap.so.1") in out


def test_F58_a_failing_import_of_numpy_is_an_import_error_of_its_own(compile_by_hand, python, tmp_path):
    folder = compile_by_hand()
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise ImportError('this NumPy is broken')")
    out = python(f"""
import sys; sys.path[:0] = [{str(folder)!r}, {str(tmp_path)!r}]
for _ in range(2):
    try:
        import by_hand
    except ImportError as error:
        print(error)
""")
    for line in out.splitlines():
        assert "libpkwrap.so.1 needs NumPy 1.23 or newer" in line


def test_F37_importing_a_module_touches_no_device(compile_by_hand, python):
    folder = compile_by_hand()
    out = python(
        f"""
import sys; sys.path.insert(0, {str(folder)!r})
import numpy as np, by_hand
by_hand.twice(np.arange(3.0))
print(any("cuda" in line.split("/")[-1] for line in open("/proc/self/maps")))
print("pkwrap" in sys.modules)
""",
        PKWRAP_DEVICE="",
    )
    assert out.split() == ["False", "False"]


def test_the_interpreter_of_the_tests_is_the_one_of_the_library():
    assert (PACKAGE / ("_pkwrap" + sysconfig.get_config_var("EXT_SUFFIX"))).exists(), sys.version
