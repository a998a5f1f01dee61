"""What pkwrap generates, byte for byte; that it compiles without a warning; and that it works when it is called."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import golden

FOLDERS = golden.folders()
PACKAGE = Path(os.environ["PKWRAP_BUILD"]).resolve() / "python/pkwrap"

every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def test_there_are_goldens():
    assert len(FOLDERS) >= 7


@every_folder
def test_output_is_as_accepted(folder, tmp_path):
    done = golden.generate(folder / f"{folder.name}.json", tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(golden.generated_names(folder))
    for name in golden.generated_names(folder):
        assert (tmp_path / name).read_text() == (folder / "expected" / name).read_text(), (
            f"{name} differs: look at it and run make accept"
        )


@every_folder
def test_output_does_not_depend_on_where_it_is_made(folder, tmp_path):
    """Another working folder, another way to write the manifest's path, another place of the whole input."""
    copy = tmp_path / "a folder" / folder.name
    copy.mkdir(parents=True)
    for path in folder.glob("*.*"):
        (copy / path.name).write_bytes(path.read_bytes())
    for cwd, manifest in [(copy, Path(f"{folder.name}.json")), (tmp_path, copy / f"{folder.name}.json")]:
        done = golden.generate(manifest, tmp_path / "out", cwd)
        assert done.returncode == 0, done.stderr
        for name in golden.generated_names(folder):
            text = (tmp_path / "out" / name).read_text()
            assert text == (folder / "expected" / name).read_text()
            assert str(tmp_path) not in text and str(golden.ROOT) not in text


WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror".split()


@every_folder
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_output_compiles_without_a_warning(folder, compiler, level, tmp_path):
    command = [compiler, level, "-std=c17", "-D_GNU_SOURCE", *WARNINGS, "-fPIC", "-I", str(folder)]
    command += ["-I", str(PACKAGE / "include"), "-isystem", sysconfig.get_path("include")]
    command += ["-c", str(folder / "expected" / f"{folder.name}_wrap.c"), "-o", str(tmp_path / "wrap.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@every_folder
def test_stub_is_python_and_has_every_function(folder):
    tree = ast.parse((folder / "expected" / f"{folder.name}.pyi").read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wrapper = (folder / "expected" / f"{folder.name}_wrap.c").read_text()
    table = wrapper.split("module__methods[] = {" if "module__methods" in wrapper else "module__functions[] = {")[1]
    assert functions and sorted(functions) == sorted(re.findall(r'^    \{"(\w+)"', table.split("\n};")[0], re.MULTILINE))
    for node in functions.values():
        assert node.returns is not None
        assert all(a.annotation is not None for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Builds each golden once, in a folder of its own."""
    done = {}

    def build(folder):
        if folder not in done:
            output = done[folder] = tmp_path_factory.mktemp(folder.name)
            subprocess.run(
                [golden.TOOL, "build", "-q", "--python", sys.executable, "-o", str(output), str(folder / f"{folder.name}.json")],
                check=True,
            )
        return done[folder]

    return build


def run_calls(folder, module_folder, **environment):
    path = os.pathsep.join([str(module_folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(folder / "calls.py")],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@every_folder
def test_module_works(folder, built):
    run_calls(folder, built(folder))


@every_folder
def test_module_works_without_its_fast_path(folder, built):
    """In verify mode every call takes the general path: the two must agree on every call."""
    run_calls(folder, built(folder), PKWRAP_VERIFY="1")


@every_folder
def test_docstrings_and_signatures_agree_with_the_stub(folder, built):
    import inspect

    (library,) = built(folder).glob("*.so")
    spec = importlib.util.spec_from_file_location(folder.name, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    documented = set()
    tree = ast.parse((folder / "expected" / f"{folder.name}.pyi").read_text())
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        function = getattr(module, node.name)
        arguments = node.args.posonlyargs + node.args.args
        parameters = inspect.signature(function).parameters
        assert list(parameters) == [argument.arg for argument in arguments + node.args.kwonlyargs]
        if node.name in documented:
            continue  # a further overload
        documented.add(node.name)
        assert inspect.cleandoc(function.__doc__ or "") == (ast.get_docstring(node) or "")
        optional = [name for name, parameter in parameters.items() if parameter.default is not parameter.empty]
        defaults = [argument for argument in node.args.kw_defaults if argument is not None]
        assert len(optional) == len(node.args.defaults) + len(defaults)
