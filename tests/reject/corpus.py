"""The cases of refusals, in text files (cases/*.txt), and one run of the tool for many of them.

A case is a block:

    === NAME                    the finding's code; "--variant" after it where there are several
    $ COMMAND                   where it is not the usual one, `pkwrap generate manifest.json`
    --- FILE                    and the file's text, as often as needed
    --- FILE, escaped           the same with \\x41 and the like; its line ends are those that are written as \\n
    --- expected                what goes to stderr
    exit STATUS                 where it is not 1

The block === * has files that all blocks of its file have, unless they bring their own.
"""

import os
import shlex
import subprocess

USUAL = "pkwrap generate manifest.json"


class Case:
    """One block; `text` is what stands in the file."""

    def __init__(self, path, text, shared):
        self.path, self.text = path, text
        head, *parts = text.split("\n--- ")
        self.name, *command = head.splitlines()
        self.command = command[0].removeprefix("$ ") if command else USUAL
        self.files, self.expected, self.status = dict(shared), None, 1
        for part in parts:
            name, _, content = part.partition("\n")
            if name == "expected":
                self._read_expected(content)
            elif name.endswith(", escaped"):
                name, escaped = name.removesuffix(", escaped"), content.replace("\n", "")
                self.files[name] = escaped.encode().decode("unicode_escape").encode("latin-1")
            else:
                self.files[name] = f"{content.rstrip(chr(10))}\n".encode() if content.strip() else b""

    def _read_expected(self, content):
        lines = content.strip("\n").splitlines()
        if lines[-1].startswith("exit "):
            self.status = int(lines.pop().removeprefix("exit "))
        self.expected = "".join(f"{line}\n" for line in lines)

    def write(self, folder):
        folder.mkdir()
        for name, content in self.files.items():
            path = folder / name
            path.write_bytes(content)
            if content.startswith(b"#!"):
                path.chmod(0o755)

    def with_expected(self, stderr, status):
        """The block with another outcome."""
        before = self.text.partition("\n--- expected\n")[0]
        return f"{before}\n--- expected\n{stderr}" + (f"exit {status}\n" if status != 1 else "")


def read(path):
    """The cases of one file."""
    _, *blocks = f"\n{path.read_text()}".split("\n=== ")
    shared, cases = {}, []
    for block in blocks:
        case = Case(path, f"{block.rstrip(chr(10))}\n", shared)
        if case.name == "*":
            shared = case.files
        else:
            cases.append(case)
    return cases


def accept(path, outcomes):
    """Writes a file with the outcomes of its cases: {name: (stderr, status)}."""
    head, *blocks = f"\n{path.read_text()}".split("\n=== ")
    cases = {case.name: case for case in read(path)}
    written = []
    for block in blocks:
        name = block.splitlines()[0]
        written.append(cases[name].with_expected(*outcomes[name]) if name in cases else f"{block.rstrip(chr(10))}\n")
    path.write_text(head.lstrip("\n") + "".join(f"\n=== {text}" for text in written))


def run(folder, arguments, first_path=None):
    """The tool with arguments, in a folder."""
    environment = {**os.environ, "PATH": f"{first_path or folder}:{os.environ['PATH']}"}
    command = [os.environ["PKWRAP_TOOL"], *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")


def outcomes_alone(folder, cases):
    """{name: (stderr, status)} of cases, the command run in the folder of each."""
    outcomes = {}
    for case in cases:
        program, *arguments = shlex.split(case.command)
        assert program == "pkwrap"
        done = run(folder / case.name, arguments)
        outcomes[case.name] = (done.stderr, done.returncode)
    return outcomes


def outcomes_together(folder, cases):
    """The same of cases of the usual command, in one run.

    The status of `generate` is the highest of its manifests'. So where all are refused, it is 1, and it was 1 for each: what was
    higher would be told, and a manifest that is not refused has its files written.
    """
    done = run(folder, ["generate", *(f"{case.name}/{case.command.split()[2]}" for case in cases)])
    told = {case.name: "" for case in cases}
    name = None
    for line in done.stderr.splitlines(keepends=True):
        start = line.split("/")[0]
        name = start if start in told else name
        assert name is not None, f"a message of no case: {line}"
        told[name] += line
    return {
        case.name: (told[case.name].replace(f"{case.name}/", ""), 0 if generated(folder / case.name, case) else done.returncode)
        for case in cases
    }


def generated(folder, case):
    """Files that were written beside those of the case."""
    return sorted({path.name for path in folder.iterdir()} - set(case.files))
