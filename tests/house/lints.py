"""lints.py - what the sources must keep to, as functions: each takes files and returns its complaints, one line each.

test_lints.py runs them over the tree, and each over a sample in samples/ that it must flag.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MAX_LINES = 600
MAX_LINES_OF_TESTS = 1000  # they are read one test at a time

# (where, what must not be included there, in which files it may all the same, why)
LAYERS = [
    (r"cli/.*", r"Python\.h|numpy/.*|pkwrap\.h|cuda.*", r"$^", "the tool knows neither Python.h nor CUDA"),
    (r"lib/(core|emulator)/.*", r"Python\.h|numpy/.*|pkwrap\.h|python\.h", r"$^", "the engine is plain C"),
    (r"lib/core/.*", r"emulator/.*", r"$^", "the engine does not know its stand-in"),
    (r"lib/.*", r"cuda_runtime.*|driver_types\.h|cuda/.*", r"$^", "the library builds without CUDA's headers"),
    (r"(cli|lib)/.*", r"numpy/.*", r"lib/python/base/python\.h", "NumPy's headers come in by python.h only"),
    (r"(cli|lib)/.*", r"clang-c/.*", r"cli/front/c/[a-z_]*\.[ch]", "libclang is known to front/c only"),
    (r"(cli|lib)/.*", r"(cjson/)?cJSON\.h", r"cli/base/json\.c", "cJSON is known to json.c only"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)

TOP_LEVEL = {"cli", "lib", "schemas", "tests", "man", "Makefile", "README.md", "CHANGELOG.md", "LICENSE", "CITATION.cff",
             "pyproject.toml", "CMakeLists.txt", "CONTRIBUTING.md", "SECURITY.md"}

GCC = "-std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion " \
      "-Wno-sign-conversion".split()
TIDY = [
    "-*", "bugprone-*", "misc-redundant-expression", "misc-unused-parameters", "readability-misleading-indentation",
    "readability-redundant-declaration", "readability-redundant-control-flow",
    # Two ints beside each other, names with underscores and int products as offsets are no bugs here.
    "-bugprone-easily-swappable-parameters", "-bugprone-reserved-identifier",
    "-bugprone-implicit-widening-of-multiplication-result", "-bugprone-narrowing-conversions", "-bugprone-macro-parentheses",
    "-bugprone-branch-clone", "-bugprone-sizeof-expression", "-bugprone-suspicious-include",
    "-bugprone-assignment-in-if-condition", "-bugprone-signed-char-misuse",
]
# Takes 2 s a file, so it is not in `make check` but in `make analyze`. That a pointer is not NULL, or an element set, is often
# promised by a table that the analyzer cannot follow (sanitizers watch the real runs).
ANALYZER = [
    "-*", "clang-analyzer-core.*", "clang-analyzer-deadcode.*", "clang-analyzer-nullability.*", "clang-analyzer-unix.*",
    "-clang-analyzer-core.NonNullParamChecker", "-clang-analyzer-core.NullDereference", "-clang-analyzer-core.CallAndMessage",
    "-clang-analyzer-core.UndefinedBinaryOperatorResult", "-clang-analyzer-core.uninitialized.*",
]


def tracked(*patterns):
    """The files of the repository that match (git's patterns), as paths from its root."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def lines_of(command, good_status=(0,)):
    """Runs a checker; its output's lines when it complains."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode in good_status:
        return []
    return done.stdout.splitlines() or [f"{command[0]} ended with status {done.returncode}"]


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(function, items) for line in lines]


def flags_of(path):
    """The include path of a C file, as the Makefile gives it to the part that it belongs to."""
    import sysconfig

    import numpy
    python = ["-isystem", numpy.get_include(), "-isystem", sysconfig.get_path("include")]
    engine = ["-Ilib/include", "-Ilib"]
    tool = ["-Icli", "-Ilib/include", f"-I{os.environ['PKWRAP_BUILD']}/obj/cli", "-isystem", os.environ["LLVM_DIR"] + "/include"]
    if path.startswith("cli/"):
        return tool
    if path.startswith(("lib/core/", "lib/emulator/")):
        return engine
    if path.startswith("lib/"):
        return [*engine, "-Ilib/python", *python]
    if re.search(r"(test|fuzz)_(core|emulator)_", path):
        return [*engine, "-Ilib/core", "-Ilib/emulator", "-Itests/unit"]
    return [*tool, "-Itests/unit", *python]


def gcc_warnings(files):
    """Without those that need optimisation: the build under sanitizers makes them errors."""
    return in_parallel(lambda f: lines_of(["gcc", *GCC, "-Werror", "-fsyntax-only", *flags_of(f), f]), files)


def clang_warnings(files):
    return in_parallel(lambda f: lines_of(["clang", *GCC, "-Werror", "-fsyntax-only", *flags_of(f), f]), files)


def clang_tidy(files, checks=TIDY):
    def one(path):
        lines = lines_of(["clang-tidy", "--quiet", f"--checks={','.join(checks)}", "--warnings-as-errors=*", path, "--",
                          "-std=c17", "-D_GNU_SOURCE", *flags_of(path)])
        return [line for line in lines if ": error: " in line] or lines
    return in_parallel(one, files)


def clang_analyzer(files):
    return clang_tidy(files, ANALYZER)


def shellcheck(files):
    return lines_of(["shellcheck", *files])


def ruff(files):
    return lines_of([Path(sys.executable).parent / "ruff", "check", "--quiet", "--no-cache", "--output-format=concise", *files])


def manual_pages(files):
    return lines_of(["mandoc", "-T", "lint", "-W", "warning", *files])


def layers(files, read=lambda path: (ROOT / path).read_text()):
    complaints = []
    for path in files:
        for included in INCLUDE.findall(read(path)):
            for where, what, exempt, why in LAYERS:
                if re.fullmatch(where, path) and re.fullmatch(what, included) and not re.fullmatch(exempt, path):
                    complaints.append(f"{path}: includes {included}: {why}")
    return complaints


# A function's head at the start of a line: words and stars, its name, an opening parenthesis.
HEAD = re.compile(r"^(?!typedef|return|else|#)(?P<type>(?:[A-Za-z_]\w*[ *]+)+)?(?P<name>[A-Za-z_]\w*)\(", re.MULTILINE)


def is_definition(text, opened):
    """Whether the parameters that begin at the parenthesis `opened` are followed by a body."""
    depth = 0
    for at in range(opened, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[at + 1:].lstrip().startswith("{")
    return False


def c_style(files):
    """What -Wall cannot see: a definition's name begins a line, below its type; a condition goes on with its operator."""
    complaints = []
    for path in files:
        text = (ROOT / path).read_text()
        for head in HEAD.finditer(text):
            if head["type"] and is_definition(text, head.end() - 1):
                complaints.append((path, text.count("\n", 0, head.start()) + 1, f"{head['name']}: the type has a line of its own"))
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"(&&|\|\|)\s*$", line):
                complaints.append((path, number, "the operator begins the next line"))
    return [f"{path}:{line}: {what}" for path, line, what in complaints]


def top_level_names(files):
    names = {path.split("/")[0] for path in files}
    return [f"{name}: no such name belongs at the top" for name in sorted(names - TOP_LEVEL) if not name.startswith(".")]


def long_files(files, limit=MAX_LINES, limit_of_tests=MAX_LINES_OF_TESTS):
    complaints = []
    for path in files:
        length = len((ROOT / path).read_text().splitlines())
        if length > (limit_of_tests if path.startswith("tests/") else limit):
            complaints.append(f"{path}: {length} lines; is it still one job?")
    return complaints


if __name__ == "__main__":  # make analyze
    found = clang_analyzer(tracked("cli/*.c", "lib/*.c"))
    print("\n".join(found) or "clang's analyzer found nothing")
    sys.exit(1 if found else 0)
