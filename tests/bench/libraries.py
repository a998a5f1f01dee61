"""libraries.py - C libraries that PyPI has the sources of, for the analysis: how much is decided, and what LLVM says of the same.

    python tests/bench/libraries.py [NAME...]

prints a line a library and the arguments that deserve a look: judged unwritten, though LLVM does not find that they are only read.
LLVM's attributes are inferred from optimised code, file by file, without what other files hold; so such an argument need not be
written. One that LLVM finds written (`writeonly`) and we do not is a fault, and the exit status is 1.
"""

import dataclasses
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

TOOL = os.environ["PKWRAP_TOOL"]
CACHE = Path(os.environ["PKWRAP_BUILD"]).absolute() / "cache"


@dataclasses.dataclass
class Library:
    package: str  # of PyPI
    version: str
    sources: str  # a pattern below the unpacked package
    include: tuple = ()  # folders there
    flags: tuple = ()
    without: tuple = ()  # names of sources that are no part of the library
    made: tuple = ()  # (name, text) of headers that the library's own build would make


IGRAPH = "vendor/source/igraph"
IGRAPH_MADE = (
    ("igraph_config.h", "#define IGRAPH_INTEGER_SIZE 64\n#define IGRAPH_DEPRECATED_ENUMVAL\n#define IGRAPH_BOOL_TYPE bool\n"),
    ("igraph_export.h", "#define IGRAPH_EXPORT\n#define IGRAPH_NO_EXPORT\n#define IGRAPH_DEPRECATED\n"),
    ("igraph_threading.h", "#define IGRAPH_THREAD_SAFE 1\n"),
    ("config.h", ""),
)


def igraph(sources, *include, **others):
    folders = (*include, "include", "src", "vendor")
    return Library("igraph", "1.0.0", f"{IGRAPH}/{sources}", tuple(f"{IGRAPH}/{folder}" for folder in folders), made=IGRAPH_MADE,
                   **others)


GLPK = [f"vendor/glpk/{folder}" for folder in ("", "amd", "api", "bflib", "colamd", "draft", "env", "intopt", "minisat", "misc",
                                              "mpl", "npp", "proxy", "simplex", "zlib")]
LIBRARIES = {
    "erfa": Library("pyerfa", "2.0.1.5", "liberfa/erfa/src/*.c", without=("t_erfa_c.c", "t_erfa_c_extra.c")),
    "lapack": igraph("vendor/lapack/*.c", without=("dlamch.c",)),
    "glpk": igraph("vendor/glpk/*/*.c", *GLPK),
    "cxsparse": igraph("vendor/cs/*.c", "vendor/cs"),
    "igraph": igraph("src/*/*.c"),
    "zstd": Library("zstandard", "0.25.0", "zstd/zstd.c", ("zstd",)),
    "lz4": Library("lz4", "4.4.5", "lz4libs/*.c", ("lz4libs",)),
    "blosc": Library("blosc", "1.11.4", "blosc/c-blosc/blosc/[bfs]*.c", ("blosc/c-blosc/blosc",),
                     without=("blosclz.c", "blosc.c")),
    "scs": Library("scs", "3.3.1", "scs_source/src/*.c", ("scs_source/include", "scs_source/linsys")),
    "spglib": Library("spglib", "2.8.0", "src/*.c", ("src", "include"), without=("test.c",)),
    "sep": Library("sep", "1.4.1", "src/*.c", ("src",)),
    "metis": Library("pymetis", "2025.2.2", "src/metis/libmetis/*.c",
                     ("src/metis/include", "src/metis/libmetis", "src/metis/GKlib"), ("-DIDXTYPEWIDTH=32", "-DREALTYPEWIDTH=32")),
}


def made_headers(library):
    """Folder of the headers that are made."""
    folder = CACHE / f"{library.package}-{library.version}" / "made"
    folder.mkdir(exist_ok=True)
    for name, text in library.made:
        (folder / name).write_text(text)
    return folder


def unpacked(library):
    """Folder with the package's files, kept between runs."""
    folder = CACHE / f"{library.package}-{library.version}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary",
                        library.package, f"{library.package}=={library.version}", "-d", CACHE], check=True)
        (archive,) = CACHE.glob(f"{library.package}-{library.version}.tar.gz")
        shutil.unpack_archive(archive, folder.with_suffix(".part"))
        folder.with_suffix(".part").rename(folder)
    return folder / f"{library.package}-{library.version}"


def command_of(library, folder):
    """The flags and the sources that clang takes as they are."""
    flags = [*library.flags, f"-I{made_headers(library)}", *(f"-I{folder / include}" for include in library.include)]
    sources = sorted(path for path in folder.glob(library.sources) if path.name not in library.without)
    return flags, [path for path in sources
                   if subprocess.run(["clang", "-w", "-fsyntax-only", *flags, path], capture_output=True).returncode == 0]


def inspected(library, folder, flags, sources):
    """(report, seconds, MB) of one run of the tool over all sources."""
    words = [word for flag in flags for word in ((flag[:2], flag[2:]) if flag[:2] in ("-I", "-D") else (flag,))]
    start = time.perf_counter()
    child = subprocess.Popen([TOOL, "inspect", "--json", *words, *sources], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             cwd=folder)
    out = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    return json.loads(out), time.perf_counter() - start, usage.ru_maxrss / 1024


def split_arguments(text):
    """The arguments of a definition in LLVM's language."""
    arguments, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            arguments.append(text[start:i])
            start = i + 1
    return [*arguments, text[start:]]


DEFINITION = re.compile(r"^define (?:[\w()]+ )*?[^@]*@([\w.]+)\((.*)\)[^()]*\{$", re.MULTILINE)


def judged(flags, sources):
    """{(function, position, number of arguments): "readonly", "writeonly" or ""} by LLVM, for pointers. Functions whose structures
    are passed in pieces have other positions there; their number of arguments tells."""
    found = {}
    for source in sources:
        text = subprocess.run(["clang", "-O2", "-fno-inline", "-w", "-S", "-emit-llvm", "-o", "-", *flags, source], check=True,
                              capture_output=True, text=True).stdout
        for function, arguments in DEFINITION.findall(text):
            pieces = split_arguments(arguments)
            for position, argument in enumerate(pieces):
                if re.match(r"\s*(ptr|\S+\*)", argument):
                    known = re.search(r"\b(readonly|readnone|writeonly)\b", argument)
                    found[function, position, len(pieces)] = known[1].replace("readnone", "readonly") if known else ""
    return found


def measure_library(name):
    library = LIBRARIES[name]
    folder = unpacked(library)
    flags, sources = command_of(library, folder)
    report, seconds, megabytes = inspected(library, folder, flags, sources)
    opinions = judged(flags, sources)
    states, compared, wrong, look = {"no": 0, "yes": 0, "maybe": 0}, 0, [], []
    for kernel in report["kernels"]:
        for param in kernel["params"]:
            is_pointer = "*" in param["type"] or "[" in param["type"]
            if param["kind"] not in ("array", "struct", "string", "unsupported") or not is_pointer:
                continue
            if param["kind"] == "array":
                states[param["writes"]] += 1
            opinion = opinions.get((kernel["name"], param["position"], len(kernel["params"])))
            if opinion is None:
                continue
            compared += 1
            if param["writes"] == "no" and opinion == "writeonly":
                wrong.append((kernel["name"], param["name"]))
            elif param["writes"] == "no" and opinion == "":
                look.append((kernel["name"], param["name"]))
    return {"functions": len(report["kernels"]), "sources": len(sources), **states, "seconds": seconds, "MB": megabytes,
            "compared": compared, "wrong": wrong, "look": look}


def main(names):
    total = {"functions": 0, "no": 0, "yes": 0, "maybe": 0, "compared": 0, "wrong": 0}
    for name in names or LIBRARIES:
        got = measure_library(name)
        arrays = max(1, got["no"] + got["yes"] + got["maybe"])
        print(f"{name:9} {got['functions']:5} functions, arrays: {got['yes']} yes, {got['no']} no, {got['maybe']} maybe "
              f"({100 * got['maybe'] / arrays:.1f} %); {got['seconds']:.1f} s, {got['MB']:.0f} MB; LLVM: "
              f"{got['compared']} compared, {len(got['wrong'])} wrong, {len(got['look'])} to look at", flush=True)
        for what in ("wrong", "look"):
            if got[what]:
                print(f"    {what}:", ", ".join(f"{kernel}({param})" for kernel, param in got[what][:60]))
        for key in total:
            total[key] += len(got[key]) if isinstance(got[key], list) else got[key]
    arrays = max(1, total["no"] + total["yes"] + total["maybe"])
    print(f"all       {total['functions']:5} functions, {arrays} arrays, {100 * total['maybe'] / arrays:.1f} % maybe; LLVM: "
          f"{total['compared']} compared, {total['wrong']} wrong")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main(sys.argv[1:]))
