"""tests/setup.sh on machines that lack everything: what it would install, and that it says all of it at once where it may not.

The machine is a folder of programs that is the whole PATH; what does not lie there is missing.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parent.parent / "setup.sh"
TOOLS = ["sh", "cat", "cmp", "cp", "dirname", "env", "ls", "mktemp", "rm", "sed", "uniq", "xargs", "uname"]
BUILD = "gcc libc6-dev make libclang-19-dev libcjson-dev python3 python3-dev python3-venv"
DEMO = "gfortran libopenblas-dev pkg-config"
CHECK = "check clang clang-tidy fish libclang-rt-dev liblapacke-dev mandoc shellcheck zsh"
GROUPS = {"build": BUILD, "demo": f"{BUILD} {DEMO}", "check": f"{BUILD} {DEMO} {CHECK}", "bench": f"{BUILD} {DEMO} {CHECK} g++"}


class Machine:
    def __init__(self, folder):
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.venv = folder / "venv"
        self.log = folder / "log"
        self.log.touch()
        for tool in TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.program("id", "echo 1000")
        self.program("apt-get", "")

    def program(self, name, text):
        """A program that records how it was called, and does what `text` says."""
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.log}\n{text}\n')
        path.chmod(0o755)

    def setup(self, group, **variables):
        """The exit status of the script, and what it said."""
        # LLVM_DIR is where this machine would find libclang itself: it is told that there is none.
        script = SETUP.read_text().replace("/usr/lib/llvm-", "/nowhere/llvm-")
        copy = self.programs.parent / "tests/setup.sh"
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(script)
        shutil.copytree(SETUP.parent / "requirements", copy.parent / "requirements", dirs_exist_ok=True)
        done = subprocess.run(["sh", copy, group], env={"PATH": str(self.programs), "VENV": str(self.venv), **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def calls(self, program):
        return [line for line in self.log.read_text().splitlines() if line.startswith(f"{program} ")]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def packages(text):
    return sorted(text.split())


@pytest.mark.parametrize("group", GROUPS)
def test_without_root_and_sudo_one_message_lists_everything(machine, group):
    status, said = machine.setup(group)
    assert status == 3 and len(said.splitlines()) == 1
    start = "setup: error: not root, and no sudo; run as root: apt-get install "
    assert said.startswith(start) and packages(said.removeprefix(start)) == packages(GROUPS[group])
    assert not machine.calls("apt-get") and not machine.venv.exists()


def test_a_sudo_that_asks_where_nobody_answers_counts_as_none(machine):
    machine.program("sudo", "exit 1")
    status, said = machine.setup("demo")
    assert status == 3 and "sudo wants a password; run as root: apt-get install gcc " in said
    assert not machine.calls("apt-get")


@pytest.mark.parametrize("user", ["root", "sudo"])
def test_everything_is_installed_by_one_command(machine, user):
    if user == "root":
        machine.program("id", "echo 0")
    else:
        machine.program("sudo", '[ "$1" = -n ] && shift; exec "$@"')
        machine.program("true", "")
    machine.setup("check")
    (call,) = machine.calls("apt-get")
    assert packages(call.partition("--no-install-recommends ")[2]) == packages(GROUPS["check"])
    assert bool(machine.calls("sudo")) == (user == "sudo")


def test_a_list_that_is_too_old_is_fetched_again(machine):
    machine.program("id", "echo 0")
    machine.program("apt-get", f'[ "$1" = update ] || [ "$(grep -c update {machine.log})" != 0 ]')
    (machine.programs / "grep").symlink_to(shutil.which("grep"))
    machine.setup("build")
    assert [call.split()[1] for call in machine.calls("apt-get")] == ["install", "update", "install"]


def test_other_systems_are_told_what_is_missing(machine):
    (machine.programs / "apt-get").unlink()
    status, said = machine.setup("build")
    start = "setup: error: missing (by their names in Debian): "
    assert status == 3 and said.startswith(start) and packages(said.removeprefix(start)) == packages(BUILD)


def test_what_is_there_in_another_way_is_not_installed(machine):
    """A compiler of another name that finds the headers, libclang elsewhere, an interpreter that is not Debian's."""
    machine.program("mycc", "exit 0")
    machine.program("make", "")
    machine.program("mypython", 'case $2 in *numpy*) echo 2.9.9 ;; *base_prefix*) echo no ;; esac')
    status, said = machine.setup("build", CC="mycc -m64", LLVM_DIR="/opt/llvm", PYTHON="mypython")
    assert (status, said) == (0, "") and not machine.venv.exists()  # NumPy 2 of the interpreter has the headers
    machine.program("mypython", 'case $2 in *numpy*) echo 1.26.4 ;; *base_prefix*) echo no ;; esac; [ "$2" != venv ]')
    status, said = machine.setup("build", CC="mycc -m64", LLVM_DIR="/opt/llvm", PYTHON="mypython")
    assert status == 3 and "mypython cannot make a virtual environment" in said  # NumPy 1 has not


def offline(machine, group, python):
    return machine.setup(group, OFFLINE="1", PYTHON=python)


def test_offline_nothing_is_installed(machine):
    (machine.programs / "python").symlink_to(sys.executable)
    assert offline(machine, "build", sys.executable) == (0, "")
    assert offline(machine, "demo", sys.executable) == (0, "")
    status, said = offline(machine, "check", sys.executable)
    assert status == 3 and f"{machine.venv} has no Python with NumPy and pytest; give one with VENV=" in said
    status, said = offline(machine, "build", "nothing")
    assert status == 3 and "has NumPy; give an environment that has it with VENV=" in said
    assert not machine.calls("apt-get") and not machine.venv.exists()


def test_a_folder_that_is_somebody_elses_is_left_alone(machine):
    machine.venv.mkdir()
    (machine.venv / "thesis.tex").write_text("all of it")
    machine.program("id", "echo 0")
    variables = {"PYTHON": sys.executable, "PATH": f"{machine.programs}:{os.environ['PATH']}"}
    status, said = machine.setup("demo", **variables)
    assert status == 3 and f"{machine.venv} is not an environment of this script's" in said
    assert (machine.venv / "thesis.tex").read_text() == "all of it"


def test_an_unknown_group_is_wrong_usage(machine):
    assert machine.setup("everything") == (2, "setup: error: no group everything; there are build, demo, check, bench\n")
