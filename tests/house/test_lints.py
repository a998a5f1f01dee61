"""The lints over the tree, and each lint over a sample that it must flag (a check that cannot fail is no check)."""

import lints
import pytest

SAMPLES = "tests/house/samples/"
C_FILES = ["cli/*.c", "lib/*.c", "tests/unit/*.c", "tests/fuzz/*.c"]


def sources(*patterns):
    files = [path for path in lints.tracked(*patterns) if not path.startswith(SAMPLES)]
    assert files, f"no file matches {patterns}"
    return files


def shell_scripts():
    return sources("*.sh", ".ci/run")


# name: (lint, the files it is for, the sample it must flag)
LINTS = {
    "gcc": (lints.gcc_warnings, lambda: sources(*C_FILES), "warning.c"),
    "clang": (lints.clang_warnings, lambda: sources(*C_FILES), "warning.c"),
    "C style": (lints.c_style, lambda: sources("cli/*.[ch]", "lib/*.[ch]", "tests/unit/*.[ch]", "tests/fuzz/*.c"), "style.c"),
    "clang-tidy": (lints.clang_tidy, lambda: sources("cli/*.c", "lib/*.c"), "tidy.c"),
    "shellcheck": (lints.shellcheck, shell_scripts, "unquoted.sh"),
    "ruff": (lints.ruff, lambda: sources("*.py"), "unused.py"),  # not *.pyi: those are golden files
    "manual pages": (lints.manual_pages, lambda: sources("man/*.[1-9]"), "bad.1"),
}


@pytest.mark.parametrize("name", LINTS)
def test_tree_is_clean(name):
    lint, files, _ = LINTS[name]
    complaints = lint(files())
    assert not complaints, "\n" + "\n".join(complaints)


def test_analyzer_flags_its_sample():
    assert lints.clang_analyzer([SAMPLES + "after_free.c"])


@pytest.mark.parametrize("name", LINTS)
def test_sample_is_flagged(name):
    lint, _, sample = LINTS[name]
    assert lint([SAMPLES + sample])


def test_layers_hold():
    assert not lints.layers(sources("cli/*.[ch]", "lib/*.[ch]"))


@pytest.mark.parametrize("path, included", [
    ("cli/emit/c.c", "Python.h"), ("cli/plan/resolve.c", "clang-c/Index.h"), ("cli/manifest/manifest.c", "cjson/cJSON.h"),
    ("lib/core/plan.c", "Python.h"), ("lib/core/plan.c", "pkwrap.h"), ("lib/core/plan.c", "cuda_runtime_api.h"),
    ("lib/python/call/call.c", "numpy/arrayobject.h")])
def test_layers_flag(path, included):
    assert lints.layers([path], read=lambda _: f'#include <{included}>\n')


@pytest.mark.parametrize("path, included", [
    ("cli/front/c/types.c", "clang-c/Index.h"), ("cli/base/json.c", "cjson/cJSON.h"),
    ("lib/python/base/python.h", "numpy/arrayobject.h"),
    ("lib/python/call/call.c", "python.h"), ("cli/emit/c.c", "pkwrap_dtype.h")])
def test_layers_allow(path, included):
    assert not lints.layers([path], read=lambda _: f'#include <{included}>\n')


def test_top_level_names():
    assert not lints.top_level_names(lints.tracked())
    assert lints.top_level_names(["notes.txt", "cli/main.c"]) == ["notes.txt: no such name belongs at the top"]


def test_files_are_short():
    written = [path for path in sources("*.c", "*.h", "*.py", "*.sh") if "/expected/" not in path]  # by hand, that is
    assert not lints.long_files(written)
    assert lints.long_files(["cli/main.c"], limit=10) and lints.long_files(["tests/run.py"], limit_of_tests=10)
