"""A proven write counts, whatever the declaration says, and all commands agree about it."""

import json
import os
import subprocess
import sys

import pytest

from build_project import MANIFEST, TOOL

HEADER = """\
void cast(int n, const double *x);
void cast_row(int n, const double x[n]);
void through(int n, const double *x, const double *y);
void text(const char *s);
void bytes(int n, const char *s);
void pass_on(int n, const double *x);
void plain(int n, double *x);
"""
SOURCE = """\
static void store(double *x, int i) { x[i] = i; }
void cast(int n, const double *x) { for (int i = 0; i < n; i++) ((double *)x)[i] = i; }
void cast_row(int n, const double x[n]) { double *p = (double *)x; for (int i = 0; i < n; i++) p[i] = i; }
void through(int n, const double *x, const double *y) { for (int i = 0; i < n; i++) store((double *)x, i); (void)y; }
void text(const char *s) { *(char *)s = 'x'; }
void bytes(int n, const char *s) { for (int i = 0; i < n; i++) ((char *)s)[i] = 'x'; }
#ifdef OPEN
void unknown(int n, double *x);
void pass_on(int n, const double *x) { if (n < 0) unknown(n, (double *)x); }
#else
void pass_on(int n, const double *x) { (void)n, (void)x; }
#endif
void plain(int n, double *x) { for (int i = 0; i < n; i++) x[i] = i; }
"""
COMMANDS = ("build", "generate", "check")


@pytest.fixture
def write(project):
    project.write("kernels.h", HEADER)
    project.write("kernels.c", '#include "kernels.h"\n' + SOURCE)

    def write(kernels, **more):
        project.write("moved.json", json.dumps(json.loads(MANIFEST) | {"kernels": kernels} | more))

    return write


def run(project, command, *arguments):
    python = ["--python", sys.executable] if command == "build" else []
    return subprocess.run([TOOL, command, *python, *arguments], cwd=project.folder, capture_output=True, text=True, timeout=300)


def kernel(outputs=None, **x):
    param = {"x": {"shape": ["n"], **x}}
    return {"params": param} if outputs is None else {"outputs": outputs, "params": param}


CALL = "import numpy as np, moved; x = np.zeros(3); moved.{}(x); print(x.tolist())"


@pytest.mark.parametrize("name", ["cast", "cast_row", "plain"])
@pytest.mark.parametrize("outputs, more", [(None, {}), (["x"], {}), ("auto", {}), ([0, 1][1:], {}), (["x"], {"overwritten": True})])
def test_a_write_through_a_cast_const_is_an_output(project, write, name, outputs, more):
    write({name: kernel(outputs, **more)})
    for command in ("check", "build"):
        done = run(project, command, "moved.json")
        assert done.returncode == 0, done.stderr
    assert project.call(code=CALL.format(name)) == "[0.0, 1.0, 2.0]"
    code = CALL.split(" moved.")[0] + " x.flags.writeable = False\ntry: moved.%s(x)\nexcept ValueError as e: print(e)"
    assert "read-only" in project.call(code=code % name)
    if name != "cast_row":
        device = "from pkwrap.emulator import cupy; import moved; x = cupy.zeros(3); moved.%s(x); print(x.get().tolist())"
        assert project.call(code=device % name, PKWRAP_DEVICE="emulator") == "[0.0, 1.0, 2.0]"


@pytest.mark.parametrize("name", ["cast", "cast_row", "plain"])
def test_scratch_and_written_are_allowed(project, write, name):
    write({name: {"outputs": [], "params": {"n": {}, "x": {"shape": ["n"], "scratch": True}}}})
    assert run(project, "build", "moved.json").returncode == 0
    assert project.call(code=f"import moved; print(moved.{name}(3))") == "None"
    write({name: kernel(None, written="it is")})
    assert run(project, "build", "moved.json").returncode == 0
    assert project.call(code=CALL.format(name)) == "[0.0, 1.0, 2.0]"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["cast", "cast_row", "plain"])
def test_a_proven_write_that_is_not_declared_is_an_error(project, write, command, name):
    write({name: kernel([])})
    done = run(project, command, "moved.json")
    assert done.returncode == 1
    assert f'error: kernel "{name}" writes "x" (kernels.c:' in done.stderr and '"outputs" does not list it' in done.stderr
    assert done.stderr.count("error:") == 1
    write({name: kernel([], read_only="it does not")})
    assert run(project, command, "moved.json").returncode == 0


def test_without_the_source_a_const_is_believed_unless_the_manifest_knows_better(project, write):
    write({"cast": kernel(["x"])}, sources=[], link={"flags": ["kernels.o"]})
    subprocess.run(["gcc", "-O2", "-fPIC", "-c", "kernels.c"], cwd=project.folder, check=True)
    done = run(project, "build", "moved.json")
    assert done.returncode == 1 and 'if it casts that away, say so in "written"' in done.stderr
    write({"cast": kernel(["x"], written="by a cast")}, sources=[], link={"flags": ["kernels.o"]})
    done = run(project, "build", "moved.json")
    assert done.returncode == 0, done.stderr
    assert project.call(code=CALL.format("cast")) == "[0.0, 1.0, 2.0]"


def test_a_const_of_which_nobody_can_tell_may_be_declared(project, write):
    for outputs in (["x"], []):
        write({"pass_on": kernel(outputs)}, compile={"defines": {"OPEN": "1"}})
        assert run(project, "generate", "moved.json").returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_strings_that_are_written(project, write, command):
    """Python's strings cannot be: they have to be arrays, or somebody knows that the line does not run."""
    for text in ({"outputs": []}, {}):
        write({"text": text})
        done = run(project, command, "moved.json")
        assert done.returncode == 1 and "which is a string (const char *)" in done.stderr
    write({"text": {"outputs": [], "params": {"s": {"read_only": "never"}}}})
    assert run(project, command, "moved.json").returncode == 0
    write({"bytes": {"outputs": ["s"], "params": {"s": {"shape": ["n"]}}}})
    done = run(project, command, "moved.json")
    assert done.returncode == 0, done.stderr


def test_what_init_writes_is_built_but_for_the_placeholders(project, write):
    done = run(project, "init", "-D", "OPEN", "kernels.h", "kernels.c", "-o", "moved.json")
    assert done.returncode == 0
    manifest = json.loads((project.folder / "moved.json").read_text())
    manifest["module"] = "moved"
    assert [name for name, entry in manifest["kernels"].items() if entry["outputs"]] == [
        "cast", "cast_row", "through", "text", "bytes", "pass_on", "plain"]  # fmt: skip
    for name, entry in manifest["kernels"].items():
        for param in entry.get("params", {}).values():
            if isinstance(param.get("shape"), str):
                param["shape"] = ["1" if name == "text" else "n"]
    project.write("more.c", "void unknown(int n, double *x) { x[0] = n; }\n")
    manifest["sources"].append("more.c")
    project.write("moved.json", json.dumps(manifest))
    done = run(project, "build", "moved.json")
    assert done.returncode == 0, done.stderr
    assert os.path.exists(project.module)
