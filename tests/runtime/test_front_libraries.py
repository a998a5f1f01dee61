"""Headers of a library: read in one unit, umbrellas, lists of macros, headers that need another one first, patterns."""

import json
import os
import subprocess
import sys

import pytest
from build_project import TOOL

from front import inspect, tool


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_h", ".h").replace("_def", ".def").replace("_c", ".c")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(folder, *arguments, **options):
    return [kernel["name"] for kernel in inspect(folder, None, *arguments, **options)["kernels"]]


def test_an_umbrella_stands_for_its_library(tmp_path):
    write(
        tmp_path,
        lib__all_h='#include <stdlib.h>\n#include "one.h"\n#include "deep/two.h"\n#include "../other/foreign.h"\n',
        lib__one_h="void one(int n);\n",
        lib__deep__two_h="void two(int n);\n",
        other__foreign_h="void foreign(int n);\nvoid foreign_too(int n);\n",
    )
    assert names(tmp_path, "lib/all.h") == ["one", "two"]
    assert names(tmp_path, "lib/all.h", "--prefix", "fore") == ["one", "two", "foreign", "foreign_too"]
    assert names(tmp_path, "lib/all.h", "--kernel", "f*_too") == ["foreign_too"]
    assert names(tmp_path, "lib/all.h", "lib/one.h") == ["two", "one"]


def test_a_header_with_functions_of_its_own_stands_for_itself(tmp_path):
    write(tmp_path, main_h='#include "more.h"\nvoid own(int n);\n', more_h="void more(int n);\n")
    assert names(tmp_path, "main.h") == ["own"]
    assert names(tmp_path, "main.h", "--kernel", "mor?", "--kernel", "own") == ["more", "own"]


def test_lists_of_macros(tmp_path):
    write(
        tmp_path,
        main_h='void own(int n);\n#define X(name) void name##_sum(int n, double x[n]);\n#include "list.def"\n#undef X\n',
        list_def="X(first)\nX(second)\n",
    )
    assert names(tmp_path, "main.h") == ["own", "first_sum", "second_sum"]


def test_headers_of_one_set_go_together_or_alone(tmp_path):
    write(
        tmp_path,
        a_h="typedef double real;\nvoid a(real x);\n",
        b_h="void b(real x);\n",
        c_h="typedef float real;\nvoid c(real x);\n",
    )
    assert names(tmp_path, "a.h", "b.h") == ["a", "b"]
    assert names(tmp_path, "c.h", "a.h") == ["c", "a"]  # each by itself
    done = tool("inspect", "c.h", "a.h", "b.h", "-D", "real=nothing", cwd=tmp_path)
    assert done.returncode == 1 and "b.h:1:8: error: unknown type name 'nothing'" in done.stderr


def test_the_first_header_that_was_named_has_a_function(tmp_path):
    write(tmp_path, a_h='#include "b.h"\nvoid f(int n);\nvoid a(void);\n', b_h="void f(int n);\nvoid b(void);\n")
    for order, expected in ((["a.h", "b.h"], ["f", "a", "b"]), (["b.h", "a.h"], ["f", "b", "a"])):
        report = inspect(tmp_path, None, *order)["kernels"]
        assert sorted(kernel["name"] for kernel in report) == sorted(expected)
        assert {kernel["name"]: kernel["file"] for kernel in report}["f"] == order[0]


def test_a_header_that_needs_another_first(tmp_path):
    write(
        tmp_path,
        part_h="void part(real x, int n, double u[n]);\n",
        real_h="typedef double real;\n",
        some_h='/* #include "part.h" */\n#include "nothing.h"\n#include "part.h"\n',
        whole_h='typedef float real;\n#include "part.h"\nvoid whole(int n);\n',
    )
    report = inspect(tmp_path, None, "part.h")
    assert [(kernel["name"], kernel["params"][0]["dtype"]) for kernel in report["kernels"]] == [("part", "float32")]
    (note,) = report["diagnostics"]
    assert note["severity"] == "note" and note["file"] == "whole.h" and "does not parse by itself" in note["text"]
    report = inspect(tmp_path, None, "part.h", "--include", "real.h")
    assert [(kernel["name"], kernel["params"][0]["dtype"]) for kernel in report["kernels"]] == [("part", "float64")]


@pytest.mark.parametrize("arguments", [["part.h"], ["part.h", "--include", "real.h"]])
def test_what_init_writes_of_it_is_built(tmp_path, arguments):
    write(
        tmp_path,
        part_h="void part(real x, int n, double u[n]);\n",
        real_h="typedef double real;\n",
        whole_h='#include "real.h"\n#include "part.h"\nvoid whole(int n);\n',
        part_c='#include "real.h"\n#include "part.h"\nvoid part(real x, int n, double u[n]) { while (n-- > 0) u[n] = x; }\n',
    )
    assert tool("init", *arguments, "part.c", "-o", "m.json", cwd=tmp_path).returncode == 0
    manifest = json.loads((tmp_path / "m.json").read_text())
    assert manifest["headers"] == (["whole.h"] if len(arguments) == 1 else ["part.h"]) and list(manifest["kernels"]) == ["part"]
    done = subprocess.run([TOOL, "build", "--python", sys.executable, "m.json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_umbrella_is_built(tmp_path):
    write(
        tmp_path,
        all_h='#include "one.h"\n',
        one_h="void one(int n, double u[n]);\n",
        one_c='#include "all.h"\nvoid one(int n, double u[n]) { for (int i = 0; i < n; i++) u[i] = 1; }\n',
    )
    assert tool("init", "all.h", "one.c", "-o", "m.json", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "m.json").read_text())["headers"] == ["all.h"]
    done = subprocess.run([TOOL, "build", "--python", sys.executable, "m.json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, word", [("k.hpp", "C++"), ("k.cpp", "C++"), ("k.f90", "Fortran"), ("k.F", "Fortran")])
def test_other_languages_get_one_sentence(tmp_path, name, word):
    (tmp_path / name).write_text("class x {};\n")
    for command in ("inspect", "init"):
        done = tool(command, name, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.startswith(f"{name}: error: this is {word}")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["namespace a { void f(); }", "#include <stdlib.h>\ntemplate <class T> void f(T);", "class A;"])
def test_a_cpp_header_called_h(tmp_path, text):
    (tmp_path / "k.h").write_text(text + "\n")
    done = tool("inspect", "k.h", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.count("error:") == 1 and "k.h: error: this is C++" in done.stderr


def test_static_functions_of_a_source_are_said_and_listed(tmp_path):
    (tmp_path / "k.c").write_text("static void hidden(int n, double x[n]) { x[0] = n; }\nint main(void) { return 0; }\n")
    done = tool("inspect", "k.c", cwd=tmp_path)
    assert done.returncode == 0 and "0 kernels" in done.stdout
    assert "1 static function of the sources is no kernel" in done.stderr and "--static" in done.stderr
    (kernel,) = inspect(tmp_path, None, "k.c", "--static")["kernels"]
    assert kernel["name"] == "hidden" and not kernel["wrappable"] and kernel["params"][1]["writes"] == "yes"


def test_no_kernel_is_said(tmp_path):
    (tmp_path / "k.h").write_text('#include "there/k.h"\n')
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "k.h").write_text("enum { N };\n")
    for command in ("inspect", "init"):
        done = tool(command, "k.h", cwd=tmp_path)
        assert done.returncode == 0 and "warning: no function is declared in k.h" in done.stderr
    done = tool("inspect", "k.h", "--kernel", "f*", cwd=tmp_path)
    assert "no function is called 'f*'" in done.stderr


def test_many_kernels_are_summed_up(tmp_path):
    text = "".join(f"void f{i}(int n, double x[n]);\n" for i in range(45)) + "".join(f"void g{i}(void **p);\n" for i in range(6))
    (tmp_path / "k.h").write_text(text)
    done = tool("inspect", "k.h", cwd=tmp_path)
    assert done.stdout == (
        "k.h: 51 kernels, 45 can be wrapped\n\nwhat is in the way of the others:\n"
        "      6  pointers to pointers are not supported\n\n"
        "--kernel PATTERN shows those whose names match, --kernel '*' all\n51 kernels, 45 can be wrapped\n"
    )
    done = tool("inspect", "k.h", "--kernel", "f4?", "--kernel", "g0", cwd=tmp_path)
    assert done.stdout.count("Python: f4") == 5 and done.stdout.endswith("6 kernels, 5 can be wrapped\n")
    assert tool("inspect", "k.h", "--kernel", "*", cwd=tmp_path).stdout.count("Python: ") == 45
    manifest = json.loads(tool("init", "k.h", "--kernel", "f1", cwd=tmp_path).stdout)
    assert list(manifest["kernels"]) == ["f1"]


@pytest.mark.parametrize("command", ["inspect", "init"])
def test_what_is_no_file_is_not_read(tmp_path, command):
    os.mkfifo(tmp_path / "fifo.h")
    os.mkfifo(tmp_path / "fifo.c")
    for name in ("/dev/zero", "fifo.h", "fifo.c", "."):
        done = tool(command, name, cwd=tmp_path)
        assert done.returncode == 1 and f"{name}: error: it is no file" in done.stderr


@pytest.mark.parametrize(
    "declaration",
    [
        "void f(double (*const x)[3])",
        "void f(double (*restrict x)[3], int n)",
        "void f(double *const restrict x, const double *const y)",
        "void (*f(int n))(double)",
        "double (*f(int n))[3]",
        "int *(*f(void))(int)",
        "void f(void (*cb)(int, double), int (*const t[3])(void))",
        "void f(void (*(*make)(int))(double))",
        "double f()",
        "double f(void)",
        "int f(const char *format, ...)",
    ],
)
def test_declarations_are_shown_as_c_has_them(tmp_path, declaration):
    (tmp_path / "k.h").write_text(declaration + ";\n")
    assert f"\n    {declaration}\n" in tool("inspect", "k.h", cwd=tmp_path).stdout


def test_a_function_declared_through_a_typedef(tmp_path):
    (tmp_path / "k.h").write_text("typedef void step(int n, double *);\nstep f;\n")
    assert "\n    void f(int, double *)\n" in tool("inspect", "k.h", cwd=tmp_path).stdout


def test_sources_are_parsed_in_parallel_and_read_in_order(tmp_path):
    """More than wait at a time, one that is empty and one with errors among them."""
    for i in range(40):
        (tmp_path / f"k{i:02}.c").write_text(f"static void set(double *x) {{ *x = {i}; }}\nvoid f{i}(double *x) {{ set(x); }}\n")
    (tmp_path / "k20.c").write_text("")
    (tmp_path / "k30.c").write_text("void f30(double *x) { *x = wrong; }\n")
    sources = sorted(path.name for path in tmp_path.glob("*.c"))
    expected = inspect(tmp_path, None, *sources, "-j", "1")
    assert [kernel["name"] for kernel in expected["kernels"]] == [f"f{i}" for i in range(40) if i != 20]
    for jobs in ([], ["-j", "2"], ["-j", "64"]):
        assert inspect(tmp_path, None, *sources, *jobs) == expected
