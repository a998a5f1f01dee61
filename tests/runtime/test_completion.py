"""Completions are printed from the same rows as -h; each script is tried in its shell where that is installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = os.environ["PKWRAP_TOOL"]
COMMANDS = ["inspect", "init", "build", "generate", "check"]


def script(shell):
    return subprocess.run([TOOL, "completion", shell], check=True, capture_output=True, text=True).stdout


def complete(folder, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    code = f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _pkwrap; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + code], cwd=folder, check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    return sorted(done.stdout.split())


def test_bash_offers_commands_options_and_files(tmp_path):
    for name in ("heat.json", "heat.h", "heat.c", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert complete(tmp_path, "pkwrap", "") == sorted([*COMMANDS, "-h", "--help", "--version"])
    assert complete(tmp_path, "pkwrap", "in") == ["init", "inspect"]
    assert complete(tmp_path, "pkwrap", "build", "--st") == ["--stamp"]
    assert complete(tmp_path, "pkwrap", "check", "--w") == ["--werror"]
    assert complete(tmp_path, "pkwrap", "build", "") == ["folder/", "heat.json"]
    assert complete(tmp_path, "pkwrap", "inspect", "heat.") == ["heat.c", "heat.h"]
    assert complete(tmp_path, "pkwrap", "build", "-o", "") == ["folder"]
    assert complete(tmp_path, "pkwrap", "init", "-o", "he") == ["heat.c", "heat.h", "heat.json"]
    assert complete(tmp_path, "pkwrap", "build", "-j", "") == []


@pytest.fixture
def folder(tmp_path):
    for name in ("heat.json", "heat.h", "heat.c", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    return tmp_path


def shell_or_skip(shell, arguments, folder):
    """What the shell, which the tests do not need otherwise, prints."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    environment = {**os.environ, "LD_PRELOAD": "", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
    done = subprocess.run(
        [shell, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def why_no_terminal():
    """zsh completes in a pseudo terminal only; some containers have none."""
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError as error:
        return f"no pseudo terminal here: {error}"
    return None


def test_a_system_without_pseudo_terminals_is_told(monkeypatch):
    def openpty():
        raise OSError("out of pty devices")

    monkeypatch.setattr(os, "openpty", openpty)
    assert why_no_terminal() == "no pseudo terminal here: out of pty devices"


@pytest.mark.skipif(why_no_terminal() is not None, reason=str(why_no_terminal()))
@pytest.mark.parametrize(
    "line, expected",
    [
        ("pkwrap insp", "pkwrap inspect "),
        ("pkwrap --v", "pkwrap --version "),
        ("pkwrap build --st", "pkwrap build --stamp="),
        ("pkwrap check --wer", "pkwrap check --werror "),
        ("pkwrap build h", "pkwrap build heat.json "),
        ("pkwrap build s", "pkwrap build sub/"),
        ("pkwrap inspect h", "pkwrap inspect heat."),
        ("pkwrap build -o s", "pkwrap build -o sub/"),
        ("pkwrap init -o no", "pkwrap init -o notes.txt "),
    ],
)
def test_zsh_completes(folder, line, expected):
    (folder / "_pkwrap").write_text(script("zsh"))
    printed = shell_or_skip("zsh", ["-f", str(Path(__file__).with_name("interactive.zsh")), line], folder)
    assert printed == expected + "\n"


@pytest.mark.parametrize(
    "line, expected",
    [
        ("pkwrap ", sorted(COMMANDS)),
        ("pkwrap --v", ["--version"]),
        ("pkwrap build --st", ["--stamp"]),
        ("pkwrap build ", ["heat.json", "sub/"]),
        ("pkwrap build h", ["heat.json"]),
        ("pkwrap inspect ", ["heat.c", "heat.h", "sub/"]),
        ("pkwrap build -o ", ["sub/"]),
        ("pkwrap init -o h", ["heat.c", "heat.h", "heat.json"]),
        ("pkwrap build -j ", []),
    ],
)
def test_fish_offers(folder, line, expected):
    (folder / ".script").write_text(script("fish"))
    printed = shell_or_skip("fish", ["--no-config", "-c", f"source .script; complete -C '{line}'"], folder)
    assert sorted(row.split("\t")[0] for row in printed.splitlines()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_reads_its_script(shell, tmp_path):
    (tmp_path / "script").write_text(script(shell))
    assert shell_or_skip(shell, ["-n", "script"], tmp_path) == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_long_option_of_every_help_is_offered(shell):
    text = script(shell)
    for command in COMMANDS:
        help_text = subprocess.run([TOOL, command, "-h"], check=True, capture_output=True, text=True).stdout
        rows = help_text.split("\noptions:\n")[1]
        options = [word for word in rows.split() if word.startswith("--")]
        assert "--help" in options
        for option in options:
            assert (f"-l {option[2:]} " if shell == "fish" else option) in text, (command, option)


def test_an_unknown_shell_is_wrong_usage():
    done = subprocess.run([TOOL, "completion", "csh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "pkwrap completion: error: needs one of: bash, zsh, fish\n"
