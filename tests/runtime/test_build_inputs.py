"""What a module is made from, beyond its manifest and sources: libraries, objects, headers that come to stand before others; and
what a build says where one of them is missing."""

import os
import subprocess
import time

import pytest

from build_project import CALL, MANIFEST, PLAIN, SOURCE, SUFFIX, Project


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


FACTOR = "double factor(void) {{ return {}; }}\n"
CALLER = '#include "kernels.h"\ndouble factor(void);\nvoid shift(int n, double step, double *x)\n' \
         "{ for (int i = 0; i < n; i++) x[i] += step * factor(); }\n"


def compile(project, name, text):
    """NAME.o from text."""
    project.write(f"{name}.c", text)
    subprocess.run(["gcc", "-fPIC", "-c", f"{name}.c", "-o", f"{name}.o"], cwd=project.folder, check=True, env=PLAIN)


def archive(project, value, folder="lib"):
    compile(project, "factor", FACTOR.format(value))
    (project.folder / folder).mkdir(exist_ok=True)
    subprocess.run(["ar", "qcs", "new.a", "factor.o"], cwd=project.folder, check=True)
    os.replace(project.folder / "new.a", project.folder / folder / "libfactor.a")


def shared(project, name, text, *flags):
    project.write(f"{name}.c", text)
    command = ["gcc", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so", *flags]
    subprocess.run(command, cwd=project.folder, check=True, env=PLAIN)


def link(project, what):
    project.write("kernels.c", CALLER)
    project.write("moved.json", MANIFEST.replace('"kernels":', f'"link": {what},\n  "kernels":'))


# --- what is linked ---


def test_a_changed_static_library_is_linked_again(project):
    archive(project, 2.0)
    link(project, '{ "libraries": ["factor"], "library_dirs": ["lib"] }')
    project.build()
    assert project.call() == "6.0"
    assert "up to date" in project.build().stdout
    archive(project, 5.0)
    assert "built" in project.build().stdout
    assert project.call() == "15.0"


WHOLE = '"-Wl,--whole-archive", "lib/libfactor.a", "-Wl,--no-whole-archive"'


@pytest.mark.parametrize("flag", ['"factor.o"', '"lib/libfactor.a"', WHOLE])
def test_changed_objects_and_libraries_of_the_flags_are_linked_again(project, flag):
    archive(project, 2.0)
    link(project, f'{{ "flags": [{flag}] }}')
    project.build()
    assert project.call() == "6.0"
    archive(project, 5.0)
    project.build()
    assert project.call() == "15.0"
    assert "up to date" in project.build().stdout


@pytest.mark.parametrize("linker", ["gold", "lld"])
def test_every_linker_tells_what_it_read(project, linker):
    archive(project, 2.0)
    link(project, f'{{ "libraries": ["factor"], "library_dirs": ["lib"], "flags": ["-fuse-ld={linker}"] }}')
    project.build()
    archive(project, 5.0)
    project.build()
    assert project.call() == "15.0"


def test_a_library_that_comes_to_stand_before_another_is_linked(project):
    archive(project, 2.0)
    (project.folder / "first").mkdir()
    link(project, '{ "libraries": ["factor"], "library_dirs": ["first", "lib"] }')
    project.build()
    assert "up to date" in project.build().stdout
    archive(project, 7.0, "first")
    project.build()
    assert project.call() == "21.0"


# --- headers that are found before others ---


def test_a_header_that_newly_stands_before_another_is_noticed(project):
    (project.folder / "more.h").unlink()
    project.write("later/more.h", "#define FACTOR 1.0\n")
    (project.folder / "first").mkdir()
    project.write("moved.json", MANIFEST.replace('"kernels":', '"compile": { "include_dirs": ["first", "later"] },\n  "kernels":'))
    project.build()
    assert project.call() == "3.0"
    assert "up to date" in project.build().stdout
    project.write("first/more.h", "#define FACTOR 2.0\n")
    project.build()
    assert project.call() == "6.0"
    project.write("more.h", "#define FACTOR 3.0\n")  # beside the header that includes it
    project.build()
    assert project.call() == "9.0"
    (project.folder / "more.h").unlink()
    project.build()
    assert project.call() == "6.0"


def test_a_header_that_newly_stands_before_the_systems_is_noticed(project):
    project.write("kernels.c", "#include <limits.h>\n" + SOURCE.replace("FACTOR", "(CHAR_BIT / 8.0)"))
    (project.folder / "first").mkdir()
    project.write("moved.json", MANIFEST.replace('"kernels":', '"compile": { "include_dirs": ["first"] },\n  "kernels":'))
    project.build()
    assert project.call() == "3.0"
    project.write("first/limits.h", "#include_next <limits.h>\n#undef CHAR_BIT\n#define CHAR_BIT 16\n")
    project.build()
    assert project.call() == "6.0"


# --- --depfile ---


def test_a_depfile_is_written_also_when_nothing_is_to_be_done(project):
    archive(project, 2.0)
    link(project, '{ "libraries": ["factor"], "library_dirs": ["lib"] }')
    project.build()
    done = project.build("--depfile", "late.d")
    assert "up to date" in done.stdout
    late = (project.folder / "late.d").read_text()
    rule = late.partition("\n\n")[0]
    assert rule.startswith(f"moved{SUFFIX}:") and "kernels.c" in rule and "more.h" in rule and "lib/libfactor.a" in rule
    project.write("more.h", "#define FACTOR 1.5\n")
    project.build("--depfile", "first.d")
    assert (project.folder / "first.d").read_text() == late
    project.build("--depfile", "third.d", "--stamp", "s")
    assert (project.folder / "third.d").read_text() == late.replace(f"moved{SUFFIX}:", "s:", 1)


def test_a_depfile_made_elsewhere_names_the_same_files(project, tmp_path):
    project.build()
    project.build("--depfile", tmp_path / "d", manifest="project/moved.json", cwd=tmp_path)
    paths = (tmp_path / "d").read_text().partition("\n\n")[0].replace("\\\n", "").split()[1:]
    assert paths and all((tmp_path / path).exists() for path in paths)


# --- folders with a colon in their name ---


def test_folders_may_have_a_colon_in_their_names(tmp_path):
    project = Project(tmp_path / "a:b")
    shared(project, "factor", FACTOR.format(2.0))
    link(project, '{ "libraries": ["factor"], "library_dirs": ["."] }')
    project.build("--depfile", "d", "--bundle")
    assert project.call("/", f"import sys; sys.path.insert(0, {str(project.folder)!r}); " + CALL) == "6.0"
    project.write("Makefile", "s:\n\t@echo ran\n-include d\n")
    (project.folder / "x:y").mkdir()
    project.write("x:y/more.h", "#define FACTOR 3.0\n")
    project.write("kernels.h", project.folder.joinpath("kernels.h").read_text().replace('"more.h"', '"x:y/more.h"'))
    project.build("--depfile", "d", "--bundle", "--stamp", "s")
    assert "x\\:y/more.h" in (project.folder / "d").read_text()
    make = ["make", "-s", "s"]
    assert subprocess.run(make, cwd=project.folder, env=PLAIN, capture_output=True, text=True, check=True).stdout == ""
    time.sleep(0.02)
    project.write("x:y/more.h", "#define FACTOR 4.0\n")
    assert subprocess.run(make, cwd=project.folder, env=PLAIN, capture_output=True, text=True, check=True).stdout == "ran\n"


def test_a_library_that_no_run_path_leads_to_is_refused(tmp_path):
    project = Project(tmp_path / "project")
    (project.folder / "a:b").mkdir()
    shared(project, "factor", FACTOR.format(2.0))
    os.replace(project.folder / "libfactor.so", project.folder / "a:b/libfactor.so")
    link(project, '{ "libraries": ["factor"], "library_dirs": ["a:b"] }')
    done = project.build(status=1)
    assert "moved.json: error: the module would not find the libraries in" in done.stderr and "colon" in done.stderr


# --- what is missing ---


@pytest.mark.parametrize("linker", ["bfd", "gold", "lld"])
def test_a_shared_library_that_lacks_a_symbol_is_refused(project, linker):
    shared(project, "factor", "double missing_piece(void); double factor(void) { return missing_piece(); }\n")
    link(project, f'{{ "libraries": ["factor"], "library_dirs": ["."], "flags": ["-fuse-ld={linker}"] }}')
    done = project.build(status=1)
    assert "'missing_piece' is used by ./libfactor.so, which has it from nowhere" in done.stderr or \
        "'missing_piece' is used by" in done.stderr and "libfactor.so" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_shared_library_may_use_what_the_interpreter_has(project):
    shared(project, "factor", "int PyErr_CheckSignals(void); double factor(void) { return 2.0 + PyErr_CheckSignals(); }\n")
    link(project, '{ "libraries": ["factor"], "library_dirs": ["."] }')
    project.build()
    assert project.call() == "6.0"


def test_a_library_that_another_one_needs_is_found(project):
    shared(project, "inner", "double inner(void) { return 2.0; }\n")
    shared(project, "factor", "double inner(void); double factor(void) { return inner(); }\n", "-L.", "-linner",
           "-Wl,-rpath,$ORIGIN")
    link(project, '{ "libraries": ["factor"], "library_dirs": ["."] }')
    project.build()
    assert project.call() == "6.0"


def packages(project, **files):
    """pkg-config files."""
    for name, text in files.items():
        project.write(f"pc/{name}.pc", f"prefix={project.folder}\nlibdir=${{prefix}}/elsewhere\nName: {name}\nVersion: 1\n"
                      f"Description: a library\n{text}\n")
    return {"PKG_CONFIG_PATH": str(project.folder / "pc")}


def test_a_missing_library_has_its_place_and_the_package_that_has_it(project):
    link(project, '{ "libraries": ["m", "no_such_factor"] }')
    done = project.build(status=1)
    assert done.stderr == (
        "moved.json:5:32: error: there is no library 'no_such_factor' (libno_such_factor.so or libno_such_factor.a) in the "
        "folders that the linker searches; link.library_dirs names more folders\n")
    environment = packages(project, factoring="Libs: -L${libdir} -lno_such_factor")
    done = project.build(status=1, environment=environment)
    assert '; the package "factoring" of pkg-config has it: add it to compile.pkg_config' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_symbol_that_nothing_defines_and_the_packages_that_have_it(project):
    shared(project, "factor", FACTOR.format(2.0))
    (project.folder / "elsewhere").mkdir()
    os.replace(project.folder / "libfactor.so", project.folder / "elsewhere/libfactor.so")
    shared(project, "user", "double factor(void); double user(void) { return factor(); }\n")
    os.replace(project.folder / "libuser.so", project.folder / "elsewhere/libuser.so")
    project.write("kernels.c", CALLER)
    environment = packages(project, factoring="Libs: -L${libdir} -lfactor", using="Libs: -L${libdir} -luser",
                           broken="Libs: -lkernels 'open", another="libs=-lfactor\nLibs: -L${libdir} ${libs}")
    project.write("elsewhere/libkernels.so", "no library")
    done = project.build(status=1, environment=environment)
    assert done.stderr == (
        "moved.json: error: 'factor' is used by the kernels, but none of the manifest's sources and libraries defines it; "
        'the package "another" or "factoring" of pkg-config has it: add it to compile.pkg_config\n')
    project.write("moved.json", MANIFEST.replace('"kernels":', '"compile": { "pkg_config": ["factoring"] },\n  "kernels":'))
    project.build(environment=environment)
    assert project.call() == "6.0"


def test_a_wrong_header_has_the_manifests_line(project):
    project.write("moved.json", MANIFEST.replace("kernels.h", "kernel.h"))
    done = project.build(status=1)
    assert done.stderr.startswith('moved.json:3:15: error: there is no header "kernel.h"')


def test_another_program_in_place_of_python_is_one_sentence(project):
    done = project.build("--python", "/bin/ls", status=3)
    account = "it ended with exit status 2 and printed `/bin/ls: "
    assert done.stderr.startswith(f"pkwrap: error: /bin/ls does not work as a Python: {account}")
    assert done.stderr.endswith("`; name another one with --python\n") and done.stderr.count("\n") == 1


# --- what the system does not allow ---


@pytest.mark.parametrize("words", ["No space left on device", "Disk quota exceeded", "Read-only file system"])
@pytest.mark.parametrize("option", [" -c ", " -shared "])
def test_a_compiler_that_may_not_write_is_the_environments_fault(project, words, option):
    fails = f'*"{option}"*) echo "ld: final link failed: {words}"; exit 1;;'
    project.write("cc", f'#!/bin/sh\ncase " $* " in {fails} esac\nexec gcc "$@"\n')
    done = project.build(status=3)
    assert f"could not write its output: {words}" in done.stderr


def test_no_permission_to_write_is_said(project):
    command = project.arguments()
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
    project.folder.chmod(0o555)
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, env=PLAIN)
    project.folder.chmod(0o755)
    assert done.returncode == 3
    assert done.stderr == "pkwrap: error: cannot make folder .pkwrap: no permission to write in the folder .\n"


@pytest.mark.parametrize("variable, worth", [("CFLAGS", "-O1 -c"), ("LDFLAGS", "-o x"), ("LDFLAGS", "-ox"), ("CFLAGS", "-E")])
def test_flags_of_the_environment_do_not_say_where_things_go(project, variable, worth):
    done = project.build(status=3, environment={variable: worth})
    assert f"pkwrap: error: {variable} has -" in done.stderr


