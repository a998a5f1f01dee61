"""Options in a manifest's `flags`: what they name is relative to the manifest, wherever pkwrap is started."""

import json
import os
import subprocess

import pytest

from build_project import MANIFEST, SOURCE, TOOL

DECLARATION = "void shift(int n, double step, double *x);\n"
FACTOR = "#define FACTOR 2.0\n"


def flags(project, compile_flags=(), link_flags=(), **more):
    """The project's manifest with these, in a folder below the one that pkwrap is started in."""
    manifest = json.loads(MANIFEST) | more
    manifest["compile"] = {"flags": list(compile_flags)}
    manifest["link"] = {"flags": list(link_flags)}
    project.write("moved.json", json.dumps(manifest))


def build_from(project, cwd, **options):
    return project.build(cwd=cwd, manifest=os.path.relpath(project.folder / "moved.json", cwd), **options)


def run(project, command, cwd):
    manifest = os.path.relpath(project.folder / "moved.json", cwd)
    return subprocess.run([TOOL, command, manifest], cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("apart", [False, True], ids=["joined", "apart"])
@pytest.mark.parametrize("option", ["-I", "-isystem", "-idirafter", "-iquote"])
def test_folders_of_headers(project, option, apart):
    """For the parser (which takes the extents from there) and for the compiler."""
    project.write("kernels.h", '#include "inner/more.h"\n' + DECLARATION)
    (project.folder / "more.h").unlink()
    project.write("deep/inner/more.h", FACTOR)
    flags(project, [option, "deep"] if apart else [option + "deep"])
    for cwd in (project.folder, project.folder.parent, project.folder / "deep"):
        assert "moved" in build_from(project, cwd).stdout
        assert project.call() == "6.0"
        for command in ("generate", "check"):
            done = run(project, command, cwd)
            assert done.returncode == 0, done.stderr


def test_a_header_of_the_manifest_is_found_there(project):
    project.write("deep/kernels.h", DECLARATION)
    for name in ("kernels.h", "more.h"):
        (project.folder / name).unlink()
    project.write("kernels.c", SOURCE.replace("FACTOR", "2.0"))
    flags(project, ["-Ideep"])
    build_from(project, project.folder.parent)
    assert project.call() == "6.0"


@pytest.mark.parametrize("option", ["-include", "-imacros"])
def test_included_files(project, option):
    """Beside the manifest; else, as compilers do it, along the include path."""
    project.write("kernels.h", DECLARATION)
    (project.folder / "more.h").rename(project.folder / "config.h")
    flags(project, [option, "config.h"])
    build_from(project, project.folder.parent)
    assert project.call() == "3.0"
    project.write("deep/elsewhere.h", FACTOR)
    flags(project, ["-Ideep", option, "elsewhere.h"])
    build_from(project, project.folder.parent)
    assert project.call() == "6.0"


def compiled(project, name, text, *options):
    """A source that is compiled by hand to what a link takes."""
    source = project.write(name + ".c", text)
    subprocess.run(["gcc", "-fPIC", *options, source.name], cwd=project.folder, check=True, timeout=120)
    source.unlink()


def test_objects_and_libraries_of_a_link(project):
    project.write("kernels.h", DECLARATION)
    (project.folder / "kernels.c").unlink()
    text = SOURCE.replace('#include "more.h"', "").replace("FACTOR", "2.0").replace('#include "kernels.h"', DECLARATION)
    compiled(project, "one", text, "-c", "-o", "one.o")
    flags(project, link_flags=["one.o"], sources=[])
    build_from(project, project.folder.parent)
    assert project.call() == "6.0"
    compiled(project, "two", text.replace("2.0", "3.0"), "-shared", "-o", "libtwo.so")
    named = (["-L.", "-ltwo"], ["-L", ".", "-l:libtwo.so"], ["-L", ".", "-l", "two"], ["-L.", "-l", ":libtwo.so"])
    for words in (["libtwo.so"], *named):
        flags(project, link_flags=words, sources=[])
        build_from(project, project.folder.parent)
        assert project.call() == "9.0"  # and the module finds it when it is imported from elsewhere


def test_values_that_are_no_paths_stay(project):
    """Not even where there is a file called like them."""
    for name in ("c", "relro", "now", "m", "kernels.so.1", "shift"):
        project.write(name, "")
    link = ["-z", "relro", "-Xlinker", "-z", "-Xlinker", "now", "-l", "m", "-h", "kernels.so.1", "-e", "shift"]
    flags(project, ["-x", "c", "-DNAME=c", "-U", "now"], link)
    build_from(project, project.folder.parent)
    printed = project.log.read_text()
    assert " -x c -DNAME=c -U now " in printed and " ".join(link) in printed
