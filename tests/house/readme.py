"""readme.py - the blocks of README.md as a program, and what must come of it.

A block ```console holds commands after "$ " and, where there is any, the output they must have ("..." for any text); a block
```python is a program, whose lines `expression  # -> result` are compared. All run in their order, in one shell.
"""

import re


def matches(expected, printed):
    pattern = ".*".join(re.escape(part) for part in re.split(r"\.\.\.", expected.strip()))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def transcript(text):
    """[(command, expected output)] of a console block; a command goes on over lines that end with a backslash."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    for part in parts:
        command = re.match(r"(?:.*\\\n)*.*", part).group()
        yield command, part[len(command):]


class Readme:
    """The blocks of README.md as one program for a shell, and what it printed for each step."""

    STEP, STATUS = "@step@", "@status@"

    def __init__(self, text, folder, leave_out="$^"):
        """`text`: the document; `folder`: where its Python programs go, beside which its commands run; `leave_out`: commands that
        begin so."""
        self.steps = []  # (what is run, as printed; what it must print; the number of its python block or None)
        self.lines = []
        n_python = 0
        for language, block in re.findall(r"^```(console|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if language == "console":
                for command, expected in transcript(block):
                    if not re.match(leave_out, command):
                        self.add(command, command, expected, None)
            else:
                script = folder / f"readme_{n_python}.py"
                script.write_text(self.with_printed_results(block))
                expected = [line.partition("  # -> ")[2] for line in block.splitlines() if "  # -> " in line]
                self.add(f"python3 {script.name}", block, expected, n_python)
                n_python += 1

    @staticmethod
    def with_printed_results(block):
        lines = []
        for line in block.splitlines():
            code, _, comment = line.partition("  # -> ")
            lines.append(f"print('{len(lines)}:', ({code}))" if comment else line)
        return "\n".join(lines) + "\n"

    def add(self, command, shown, expected, number):
        self.lines.append(f"echo {self.STEP}; {command}\necho {self.STATUS} $?")
        self.steps.append((shown, expected, number))

    def program(self):
        return "\n".join(self.lines) + "\n"

    def wrong(self, printed):
        """What is wrong with what the program has printed: a text for each step."""
        outputs = printed.split(self.STEP + "\n")[1:]
        found = []
        for (shown, expected, number), output in zip(self.steps, outputs):
            output, _, status = output.rpartition(self.STATUS)
            if number is None:
                right = not expected.strip() or matches(expected, output)
            else:
                right = expected == [line.split(": ", 1)[1] for line in output.splitlines() if re.match(r"\d+: ", line)]
            if status.strip() != "0" or not right:
                found.append(f"$ {shown}\nexpected:\n{expected}\nprinted:\n{output}\nstatus {status}")
        if len(outputs) < len(self.steps):
            found.append(f"$ {self.steps[len(outputs)][0]}\nwas not reached")
        return found
