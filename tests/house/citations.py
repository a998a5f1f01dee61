"""citations.py - what comments and docstrings cite must exist: files of this tree, lines of the contract, names in backquotes.

A file is cited by its name or by the end of its path (emit/names.c). Names of files that users write, and of the system's headers,
are no citations: they are listed. A name in backquotes that looks like C's must occur in code somewhere.
"""

import io
import os
import re
import tokenize
from pathlib import PurePosixPath

FILE = re.compile(r"(?<![\w/.<*-])((?:[a-z_0-9]+/)*[A-Za-z_0-9]+\.(?:c|h|md|py|sh))(?![\w(*])")
LINE = re.compile(r"(?<![\w.])([CF])(?!99\b)(\d{1,2})(?![\w.])")  # C99 is the language
NAME = re.compile(r"`([a-z]\w*_\w+)(?:\(\))?`")
# Files of users, of other tools, and of the system, as comments give them for examples.
FOREIGN = re.compile(
    r"(smooth|heat|kernels?|k|f|a|b|x|m|h|g|clash|one|two|user|module|MODULE|MODULE_wrap|hundred|header|\w*NAME\w*|"
    r"cblas|lapacke|omp|std\w*|Python|pyconfig|arrayobject|ndarraytypes|Index|cJSON|complex|math|string|limits|"
    r"cuda_runtime_api|version|setup|conf|lib|gsl_\w+|fftw3|ast)\.(c|h|py|sh)")
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)


def comments(path, text):
    """The comments of a C file, or the comments and docstrings of a Python file, as one text."""
    if path.endswith((".c", ".h")):
        return "\n".join(found for found in C_COMMENT.findall(text) if not found.startswith('"'))
    kept, before = [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT):
            kept.append(token.string)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    return "\n".join(kept)


def numbers(document, letter):
    """The numbers that a document gives its lines: "C12  ..." at the start of a line, or "| F16 |" of a table."""
    return {int(number) for number in re.findall(rf"^(?:\| )?{letter}(\d+)\b", document, re.MULTILINE)}


def ends_of(files):
    """Every way in which a file can be cited: the ends of its path."""
    return {str(PurePosixPath(*PurePosixPath(path).parts[at:])) for path in files for at in range(len(PurePosixPath(path).parts))}


def missing_of_document(path, text, files):
    """One complaint a link of a Markdown document that leads nowhere, and a file that it names in backquotes and is not there."""
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)  # code
    links = [link for link in re.findall(r"\]\(([^)#\s]+)\)", re.sub(r"`[^`\n]*`", "", text)) if "://" not in link]
    ends, folder = ends_of(files), PurePosixPath(path).parent
    complaints = [f"{path}: links to {link}, which is not there" for link in links
                  if os.path.normpath(folder / link) not in {*files, *(str(PurePosixPath(file).parent) for file in files)}]
    for cited in re.findall(r"`([^`\n]+)`", text):
        if FILE.fullmatch(cited) and cited not in ends and not FOREIGN.fullmatch(PurePosixPath(cited).name):
            complaints.append(f"{path}: cites {cited}, which is not there")
    return complaints


def missing(sources, files, contract, failures):
    """One complaint a citation that leads nowhere. `sources`: {path: text} of C and Python files; `files`: all paths of the tree;
    `contract`, `failures`: the texts of man/contract.md and man/failures.md."""
    known = {"C": numbers(contract, "C"), "F": numbers(failures, "F")}
    ends = ends_of(files)
    ends |= {end + ".inc" for end in ends}
    code = "\n".join(C_COMMENT.sub("", text) if path.endswith((".c", ".h")) else text for path, text in sources.items())
    names = set(re.findall(r"\w+", code))
    complaints = []
    for path, text in sources.items():
        said = comments(path, text)
        for cited in FILE.findall(said):
            if cited not in ends and not FOREIGN.fullmatch(PurePosixPath(cited).name):
                complaints.append(f"{path}: cites {cited}, which is not there")
        for letter, number in LINE.findall(said):
            if int(number) not in known[letter]:
                complaints.append(f"{path}: cites {letter}{number}, which no document has")
        if path.endswith((".c", ".h")):
            complaints += [f"{path}: names `{name}`, which is nowhere" for name in NAME.findall(said) if name not in names]
    return sorted(set(complaints))
