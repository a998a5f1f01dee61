"""Which functions a header gives, how it is found and parsed, and what is said where that fails: F47, F48, F51."""

import json
import os
import shutil
from pathlib import Path

import pytest

from front import inspect, kernels, tool


def test_only_what_the_named_header_itself_declares(tmp_path):
    (tmp_path / "inner.h").write_text("void inner(int n);\n#define DECLARE(name) void name(int n)\n")
    found = kernels(tmp_path, '#include "inner.h"\n#include <math.h>\nDECLARE(mine);\n')
    assert list(found) == ["mine"]
    assert (found["mine"]["file"], found["mine"]["line"]) == ("kernels.h", 3)
    both = inspect(tmp_path, None, "kernels.h", "inner.h")["kernels"]
    assert [(kernel["name"], kernel["file"]) for kernel in both] == [("mine", "kernels.h"), ("inner", "inner.h")]


def test_F51_inline_functions(tmp_path):
    found = kernels(
        tmp_path,
        "static inline double square(double v) { return v * v; }\ninline double cube(double v) { return v * v * v; }\n"
        "static double half(double v) { return v / 2; }\n",
    )
    assert list(found) == ["square", "cube", "half"]
    assert all(kernel["wrappable"] for kernel in found.values())


def test_a_function_declared_twice_is_one(tmp_path):
    found = inspect(tmp_path, "void f(int, double);\n/* named */\nvoid f(int n, double a);\nvoid f(int, double);\n")["kernels"]
    assert [[p["name"] for p in kernel["params"]] for kernel in found] == [["n", "a"]]
    assert found[0]["doc"] == "named"


def test_macros_and_options(tmp_path):
    header = "#ifdef WIDE\nvoid wide(double x[DIM]);\n#else\nvoid narrow(int n);\n#endif\n"
    assert list(kernels(tmp_path, header)) == ["narrow"]
    found = kernels(tmp_path, header, "-D", "WIDE", "-D", "DIM=3")
    assert found["wide"]["params"][0]["shape"] == ["DIM"] or found["wide"]["params"][0]["shape"] == ["3"]


def test_include_path(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include/types.h").write_text("typedef float real;\n")
    header = "#include <types.h>\nvoid f(real a);\n"
    assert inspect(tmp_path, header, status=1)["diagnostics"][0]["file"] == "kernels.h"
    assert kernels(tmp_path, header, "-I", "include")["f"]["params"][0]["dtype"] == "float32"
    # The header itself is looked for there too.
    (tmp_path / "include/far.h").write_text("void far(int n);\n")
    assert inspect(tmp_path, None, "far.h", "-I", "include")["kernels"][0]["file"] == "include/far.h"


def test_system_headers_are_shown_in_brackets(tmp_path):
    by_name = inspect(tmp_path, None, "lapacke_utils.h")["kernels"]
    assert {kernel["file"] for kernel in by_name} == {"<lapacke_utils.h>"}
    by_path = inspect(tmp_path, None, "/usr/include/lapacke_utils.h")["kernels"]
    assert by_path == by_name


def test_no_absolute_path_in_the_output(tmp_path):
    (tmp_path / "kernels.h").write_text("struct { int a; } *f(struct { int b; } *p);\nvoid g(int n);\n")
    done = tool("inspect", "--json", tmp_path / "kernels.h", cwd=tmp_path)
    assert done.returncode == 0 and str(tmp_path) not in done.stdout
    sub = tmp_path / "sub"
    sub.mkdir()
    done = tool("inspect", "--json", tmp_path / "kernels.h", cwd=sub)
    assert '"../kernels.h"' in done.stdout and str(tmp_path) not in done.stdout


def test_F48_missing_include(tmp_path):
    (tmp_path / "kernels.h").write_text('int before;\n#include "nowhere.h"\nvoid f(int n);\n')
    done = tool("inspect", "kernels.h", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "kernels.h:2:10: error: 'nowhere.h' file not found\n"


def test_F48_an_error_in_an_included_file_has_its_place(tmp_path):
    (tmp_path / "inner.h").write_text("\n\nvoid inner(unknown_t x);\n")
    (tmp_path / "kernels.h").write_text('#include "inner.h"\nvoid f(int n);\n')
    done = tool("inspect", "kernels.h", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "./inner.h:3:12: error: unknown type name 'unknown_t'\n"


def test_missing_header_and_source(tmp_path):
    done = tool("inspect", "nothere.h", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith('nothere.h: error: there is no header "nothere.h"')
    done = tool("inspect", "nothere.c", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == "nothere.c: error: there is no such file\n"


def test_stubs_are_refused(tmp_path):
    done = tool("inspect", "kernels.pyi", cwd=tmp_path)
    assert done.returncode == 1 and "kernels.pyi: error: " in done.stderr


def test_sources_alone_give_their_external_functions(tmp_path):
    (tmp_path / "k.c").write_text(
        "void declared(int n);\nstatic void hidden(int n) {}\nvoid shown(int n, double x[n]) { hidden(n); }\n"
        "int main(void) { return 0; }\n"
    )
    (kernel,) = inspect(tmp_path, None, "k.c")["kernels"]
    assert (kernel["name"], kernel["file"], kernel["line"]) == ("shown", "k.c", 3)


def test_compile_commands(tmp_path):
    (tmp_path / "build").mkdir()
    (tmp_path / "types").mkdir()
    (tmp_path / "types/types.h").write_text("typedef REAL real;\n")
    (tmp_path / "build/compile_commands.json").write_text(
        f"""[{{"directory": "{tmp_path}/build", "file": "../kernels.c", "output": "kernels.o",
              "command": "gcc -fno-such-thing -Wlogical-op -DREAL=float -I ../types -MD -MF k.d -c -o kernels.o ../kernels.c"}}]"""
    )
    found = kernels(tmp_path, "#include <types.h>\nvoid f(real a);\n", "-p", "build")
    assert found["f"]["params"][0]["dtype"] == "float32"
    # What is given on the command line comes later, so it wins.
    found = kernels(tmp_path, "#include <types.h>\nvoid f(real a);\n", "-p", "build", "-D", "REAL=double")
    assert found["f"]["params"][0]["dtype"] == "float64"


@pytest.mark.parametrize("content, words", [(None, "there is no such file"), ("{", "not a compilation database")])
def test_compile_commands_that_are_none(tmp_path, content, words):
    if content is not None:
        (tmp_path / "compile_commands.json").write_text(content)
    (finding,) = inspect(tmp_path, "void f(int n);\n", "-p", ".", status=1)["diagnostics"]
    assert finding["file"] == "compile_commands.json" and words in finding["text"]


def library():
    """The libclang that the tool finds by itself."""
    return sorted(Path("/usr/lib").glob("llvm-*/lib/libclang-*.so.1"))[-1]


def test_F47_stddef_without_its_own_resource_folder(tmp_path):
    """A libclang that lies alone: clang's headers are found elsewhere, or the compiler's own serve."""
    shutil.copy(library(), tmp_path / "libclang.so")
    found = kernels(
        tmp_path,
        "#include <stddef.h>\n#include <limits.h>\n#include <stdint.h>\nvoid f(size_t n, int64_t m);\n",
        PKWRAP_LIBCLANG=str(tmp_path / "libclang.so"),
    )
    assert [p["dtype"] for p in found["f"]["params"]] == ["uint64", "int64"]


def test_F47_resource_folder_by_option(tmp_path):
    (resource,) = library().parent.glob("clang/*")
    header = "#include <stddef.h>\nvoid f(size_t n);\n"
    assert kernels(tmp_path, header, "--resource-dir", str(resource))["f"]["wrappable"]
    done = tool("inspect", "--resource-dir", tmp_path, "kernels.h", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr == f"pkwrap: error: --resource-dir {tmp_path}: there is no include/stddef.h in it\n"


def test_F47_the_compilers_headers_come_after_clangs(tmp_path):
    header = "#include <omp.h>\n#include <immintrin.h>\nvoid f(int n, omp_lock_t *lock);\nvoid g(int n);\n"
    if os.uname().machine != "x86_64":
        header = header.replace("#include <immintrin.h>\n", "")
    assert kernels(tmp_path, header)["g"]["wrappable"]


@pytest.mark.parametrize("name", ["nothere.so", "libm.so.6"])
def test_no_libclang_is_one_clear_error(tmp_path, name):
    (tmp_path / "kernels.h").write_text("void f(int n);\n")
    for done in (
        tool("inspect", "kernels.h", cwd=tmp_path, PKWRAP_LIBCLANG=name),
        tool("inspect", "--libclang", name, "kernels.h", cwd=tmp_path),
    ):
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.count("error:") == 1
        assert f"    {name}" in done.stderr and "PKWRAP_LIBCLANG" in done.stderr


def test_a_compiler_that_is_not_there_is_no_matter(tmp_path):
    assert list(kernels(tmp_path, "void f(int n);\n", CC="nowhere-cc")) == ["f"]


def test_several_errors_are_all_reported_once(tmp_path):
    report = inspect(tmp_path, "void f(a_t x);\nvoid g(b_t x);\n", status=1)
    assert [(d["line"], d["column"]) for d in report["diagnostics"]] == [(1, 8), (2, 8)]


def test_same_input_same_bytes(tmp_path):
    (tmp_path / "kernels.h").write_text("#include <stdint.h>\nvoid f(int n, double x[n], int64_t *y);\n")
    runs = {tool("inspect", "--json", "kernels.h", cwd=tmp_path).stdout for _ in range(3)}
    assert len(runs) == 1


def test_integer_macros_are_constants_of_a_manifest(tmp_path):
    """Their values are asked of clang when an expression names them; what is no integer is refused by name."""
    (tmp_path / "kernels.h").write_text(
        "#include <limits.h>\n#define N 7\n#define HALF 0.5\n#define TWO(x) 2\n#define BIG (1L << 40)\nenum { E = 4 };\n"
        "void f(int n, double *x, int mode, long big);\n"
    )

    def generate(shape, mode):
        params = {"x": {"shape": shape}, "mode": {"value": mode}, "big": {"value": "BIG"}}
        (tmp_path / "k.json").write_text(
            json.dumps({"module": "k", "headers": ["kernels.h"], "kernels": {"f": {"params": params}}})
        )
        return tool("generate", "k.json", cwd=tmp_path)

    assert generate(["N * E", "n", "CHAR_BIT"], "N + INT_MAX - INT_MAX").returncode == 0
    for shape, name in ((["HALF"], "HALF"), (["TWO"], "TWO"), (["UNKNOWN"], "UNKNOWN")):
        done = generate([*shape, "n"], "N")
        assert done.returncode == 1 and f"'{name}' is neither a parameter nor an integer constant" in done.stderr
