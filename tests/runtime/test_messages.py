"""What a finding looks like: one plain line for logs; with its source line, a caret and colours on a terminal."""

import os
import pty
import re
import subprocess

import pytest

TOOL = os.environ["PKWRAP_TOOL"]
MANIFEST = '{\n  "module": "heat",\n\t"heders": ["heat.h"],\n  "$comment": "\u00e9", "outptus": []\n}\n'
PLAIN = 'bad.json:3:2: error: unknown key "heders"; did you mean "headers"?\n'
SOURCE = '    3 | \t"heders": ["heat.h"],\n      | \t^\n'
COLORS = re.compile(r"\033\[[0-9;]*m")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bad.json").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


def run(folder, *words, **variables):
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")} | variables
    return subprocess.run([TOOL, "check", *words, "bad.json"], cwd=folder, env=kept, capture_output=True,
                          encoding="utf-8")


def on_terminal(folder, *words, **variables):
    try:
        master, slave = pty.openpty()
    except OSError:
        pytest.skip("this system has no pseudo terminals")
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"} | variables
    process = subprocess.Popen([TOOL, "check", *words, "bad.json"], cwd=folder, env=kept, stderr=slave, stdout=subprocess.DEVNULL)
    os.close(slave)
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(master)
    assert process.wait() == 1
    return text.decode().replace("\r\n", "\n")


def test_log_has_plain_lines(folder):
    told = run(folder)
    assert told.returncode == 1 and told.stderr.startswith(PLAIN) and " | " not in told.stderr and "\033" not in told.stderr


def test_terminal_has_source_and_colors(folder):
    told = on_terminal(folder)
    assert COLORS.search(told) and COLORS.sub("", told).startswith(PLAIN + SOURCE)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminal_without_colors_keeps_the_source(folder, variables):
    assert on_terminal(folder, **variables).startswith(PLAIN + SOURCE)


def test_no_color_that_is_empty_is_not_set(folder):
    assert COLORS.search(on_terminal(folder, NO_COLOR=""))


def test_option_wins(folder):
    assert "\033" not in on_terminal(folder, "--color=never") and " | " not in on_terminal(folder, "--color=never")
    told = run(folder, "--color=always", NO_COLOR="1").stderr
    assert COLORS.search(told) and COLORS.sub("", told).startswith(PLAIN + SOURCE)


def test_caret_counts_characters(folder):
    lines = COLORS.sub("", run(folder, "--color=always").stderr).splitlines()
    at = next(i for i, line in enumerate(lines) if 'error: unknown key "outptus"' in line)
    assert lines[at + 1].index('"outptus"') == lines[at + 2].index("^")


def test_lines_that_cannot_be_shown_are_left_out(folder):
    (folder / "bad.json").write_text('{ "heders": "' + "x" * 500 + '" }\n')
    told = COLORS.sub("", run(folder, "--color=always").stderr)
    assert 'unknown key "heders"' in told and " | " not in told


def test_other_words_are_refused(folder):
    told = run(folder, "--color=red")
    assert told.returncode == 2 and "--color takes auto, always or never, not 'red'" in told.stderr
