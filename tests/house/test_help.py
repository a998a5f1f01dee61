"""The manual page says what the program says: every command and option row, with the same words."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = os.environ["PKWRAP_TOOL"]
PAGE = (ROOT / "man/pkwrap.1").read_text()
COMMANDS = ["inspect", "init", "build", "generate", "check"]


def help_of(command):
    """Options of a command's -h: {spellings: help text}; command "pkwrap" is the program itself."""
    words = [TOOL, "-h"] if command == "pkwrap" else [TOOL, command, "-h"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    rows = text.split("\noptions:\n")[1].split("\n\n")[0].splitlines()
    options = {}
    for row in rows:
        spelling, told = re.match(r" +(\S.*?)  +(\S.*)$", row).groups()
        options[spelling.strip()] = told
    return options


def plain(line):
    """An mdoc line without its macros: ".Pa x.json ." -> "x.json."."""
    if line.startswith("."):
        line = re.sub(r"^\.[A-Z][a-z] ", "", line)
        line = re.sub(r" ([.,;:)])", r"\1", line)
    return line


def page_options():
    """Options of the manual page: {(command, spellings): text}."""
    section = PAGE.split(".Sh OPTIONS\n")[1].split("\n.Sh ")[0]
    options = {}
    for item in section.split("\n.It ")[1:]:
        head, *body = item.split("\n")
        flags, commands = head.split(" Pq ")
        spelling = re.sub(r"Fl -?(\w[\w-]*)", lambda m: ("--" if "Fl -" in m.group() else "-") + m.group(1), flags)
        spelling = spelling.replace(" ,", ",").replace("Ar ", "")
        text = " ".join(plain(line) for line in body if line and line != ".El")
        for command in commands.split(", "):
            options[command, spelling] = text
    return options


@pytest.mark.parametrize("command", [*COMMANDS, "pkwrap"])
def test_options_are_those_of_the_manual_page(command):
    program = help_of(command)
    page = {spelling: text for (of, spelling), text in page_options().items() if of == command}
    assert set(program) == set(page)
    for spelling, told in program.items():
        assert page[spelling].lower().startswith(told.lower()), f"{command} {spelling}: '{told}' and '{page[spelling]}'"


def test_commands_are_those_of_the_manual_page():
    listed = subprocess.run([TOOL, "-h"], capture_output=True, text=True, check=True).stdout
    rows = dict(re.findall(r"^  (\w+) +(.*)$", listed.split("commands:\n")[1].split("\n\n")[0], re.MULTILINE))
    section = PAGE.split(".Sh COMMANDS\n")[1].split("\n.Sh ")[0]
    items = dict(re.findall(r"^\.It Cm (\w+).*\n(.*(?:\n[^.].*)*)", section, re.MULTILINE))
    assert items.pop("completion")  # for packagers: in no list
    assert set(rows) == set(items) == set(COMMANDS)
    for name, told in rows.items():
        assert items[name].replace("\n.Pa", "").lower().startswith(told.split(" .pyi")[0].lower()), name


def test_completions_know_every_command_and_option():
    for shell in ("bash", "zsh", "fish"):
        script = subprocess.run([TOOL, "completion", shell], capture_output=True, text=True, check=True).stdout
        for command in COMMANDS:
            assert re.search(rf"\b{command}\b", script), f"{shell}: {command}"
            for spelling in help_of(command):
                name = re.search(r"--([\w-]+)", spelling)
                if name:
                    assert name.group(1) in script, f"{shell}: {command} {spelling}"
