"""The manual page says what the program says: every command and option row, with the same words."""

import os
import re
import subprocess
import sys
import sysconfig
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


HEADER = "/* A kernel. */\nstatic inline void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }\n"


def files_told(command):
    """The files that the text below the usage line says are put somewhere."""
    text = subprocess.run([TOOL, command, "-h"], capture_output=True, text=True, check=True).stdout.split("\noptions:\n")[0]
    told = re.search(r"Puts (.*?)(?:\. |\.$)", text.replace("\n", " "), re.DOTALL)
    return re.findall(r"(?:\.pkwrap/)?MODULE[\w./]*", told.group(1)) if told else []


@pytest.mark.parametrize("command, names", [("generate", {"MODULE_wrap.c", "MODULE.pyi"}),
                                            ("build", {"MODULE.so", "MODULE.pyi", ".pkwrap/MODULE/"})])
@pytest.mark.parametrize("output", [False, True])
def test_a_command_writes_the_files_that_its_help_names(tmp_path, command, names, output):
    assert set(files_told(command)) == names
    (tmp_path / "m.h").write_text(HEADER)
    (tmp_path / "m.json").write_text('{"module": "m", "headers": ["m.h"], "kernels": {"f": {"params": {"x": {"shape": ["n"]}}}}}')
    words = [TOOL, command, "-q", "--python", sys.executable, "m.json", *(["-o", "out"] if output else [])]
    subprocess.run(words, cwd=tmp_path, check=True)
    folder = tmp_path / "out" if output else tmp_path
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    expected = {name.replace("MODULE", "m").replace(".so", suffix).rstrip("/") for name in names}
    made = {str(path.relative_to(folder)) for path in folder.rglob("*")} - {"m.h", "m.json", "out"}
    assert expected <= made
    assert all(any(name == other or name.startswith(other + "/") for other in expected | {".pkwrap/m.json.module"})
               for name in made - {".pkwrap"})


def test_the_other_commands_do_what_their_help_says(tmp_path):
    """inspect and init write to stdout (init -o to a file), check writes nothing and exits with 1 when it found an error."""
    (tmp_path / "m.h").write_text(HEADER)
    before = sorted(tmp_path.iterdir())
    for command in ("inspect", "init"):
        done = subprocess.run([TOOL, command, "m.h"], cwd=tmp_path, check=True, capture_output=True, text=True)
        assert "f" in done.stdout and sorted(tmp_path.iterdir()) == before
    subprocess.run([TOOL, "init", "m.h", "-o", "m.json"], cwd=tmp_path, check=True)
    manifest = (tmp_path / "m.json").read_text()
    before = sorted(tmp_path.iterdir())
    assert subprocess.run([TOOL, "check", "m.json"], cwd=tmp_path).returncode == 0
    (tmp_path / "m.json").write_text(manifest.replace('"f"', '"gone"'))
    assert subprocess.run([TOOL, "check", "m.json"], cwd=tmp_path, capture_output=True).returncode == 1
    assert sorted(tmp_path.iterdir()) == before
