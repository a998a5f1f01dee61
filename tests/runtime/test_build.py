"""`pkwrap build`: when it works and when it does nothing, where the module can be moved, what is left when it fails."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from build_project import CALL, HEADER, MANIFEST, PLAIN, SOURCE, SUFFIX, TOOL, Project


def test_it_says_in_one_line_what_it_did(project):
    assert project.build().stdout == f"moved: built moved{SUFFIX} (1 kernel; the headers declare 1 other)\n"
    assert project.compilations() == ["kernels.c", "moved_wrap.c", "probe.c"]
    assert project.build().stdout == "moved: up to date\n"
    assert project.build("-q").stdout == ""
    assert project.call() == "3.0"
    assert (project.folder / "moved.pyi").exists()


def test_nothing_is_started_or_loaded_when_nothing_changed(project, tmp_path):
    """Neither a compiler nor an interpreter nor libclang: the dynamic linker writes a file for each process."""
    project.build()
    traces = tmp_path / "traces"
    traces.mkdir()
    done = project.build(environment={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(traces / "t"), "LD_PRELOAD": ""})
    assert done.stdout == "moved: up to date\n"
    (trace,) = traces.iterdir()
    assert "libclang" not in trace.read_text()


@pytest.mark.parametrize(
    "name, change, compiled",
    [
        ("more.h", "#define FACTOR 2.0\n", ["kernels.c", "moved_wrap.c", "probe.c"]),
        ("kernels.h", HEADER + "/* A comment. */\n", ["kernels.c", "moved_wrap.c", "probe.c"]),
        ("kernels.c", SOURCE + "/* A comment. */\n", ["kernels.c"]),
        ("moved.json", MANIFEST.replace('"module"', '"$comment": "x", "module"'), []),
        ("moved.json", MANIFEST.replace('["x"],', '["x"], "gil": "hold",'), ["moved_wrap.c"]),
    ],
)
def test_what_changed_is_done_again_and_no_more(project, name, change, compiled):
    project.build()
    project.compilations()
    project.write(name, change)
    assert "built" in project.build().stdout
    assert project.compilations() == compiled
    assert project.build().stdout == "moved: up to date\n"
    assert project.call() == ("6.0" if name == "more.h" else "3.0")


def test_a_new_time_alone_is_no_change(project):
    project.build()
    project.compilations()
    for name in ("more.h", "kernels.h", "kernels.c", "moved.json"):
        os.utime(project.folder / name)
    assert project.build().stdout == "moved: up to date\n"
    assert project.compilations() == []


def test_options_environment_and_outputs_count(project):
    project.build()
    assert "built" in project.build(environment={"CFLAGS": "-DEXTRA=1"}).stdout
    assert "built" in project.build().stdout
    assert "built" in project.build("--bundle").stdout
    assert "built" in project.build().stdout
    for path in (project.module, project.folder / "moved.pyi"):
        path.unlink()
        assert "built" in project.build().stdout
        assert path.exists()
    project.module.write_bytes(b"damaged")
    assert "built" in project.build().stdout
    assert project.call() == "3.0"


def test_a_file_is_only_replaced_when_it_changes(project):
    project.build()
    before = {path: path.stat().st_mtime_ns for path in (project.module, project.folder / "moved.pyi")}
    project.write("moved.json", MANIFEST.replace('"module"', '"$comment": "x", "module"'))
    assert "built" in project.build().stdout
    for path, time_of_change in before.items():
        assert path.stat().st_mtime_ns == time_of_change, path


def test_the_folder_of_the_call_does_not_matter(project):
    project.build()
    manifest = str(project.folder / "moved.json")
    assert project.build(cwd="/", manifest=manifest).stdout == "moved: up to date\n"
    assert project.build(cwd=project.folder.parent, manifest="project/moved.json").stdout == "moved: up to date\n"


def test_o_puts_everything_elsewhere(project, tmp_path):
    project.build("-o", tmp_path / "deep" / "out")
    assert sorted(path.name for path in (tmp_path / "deep" / "out").iterdir()) == [".pkwrap", f"moved{SUFFIX}", "moved.pyi"]
    assert not (project.folder / ".pkwrap").exists() and not project.module.exists()
    assert project.call(tmp_path / "deep" / "out") == "3.0"
    assert project.build("-o", tmp_path / "deep" / "out").stdout == "moved: up to date\n"


def test_F57_paths_with_blanks_and_marks(tmp_path):
    project = Project(tmp_path / "a b,c'd#e$f[g]é")
    project.build()
    assert project.call() == "3.0"
    assert project.build().stdout == "moved: up to date\n"
    project.write("more.h", "#define FACTOR 2.0\n")
    assert "built" in project.build().stdout
    assert project.call() == "6.0"


# --- where it can be moved to ---


def test_F57_it_works_from_any_folder_and_after_a_move(project, tmp_path):
    """The module alone moved: the absolute run path. PYTHONPATH has no package here."""
    project.build()
    elsewhere = tmp_path / "elsewhere" / "deep"
    elsewhere.mkdir(parents=True)
    shutil.copy(project.module, elsewhere)
    assert project.call(elsewhere, PYTHONPATH="") == "3.0"


def test_a_moved_environment_is_found_again(tmp_path):
    """Tool, package and module in one tree that is moved as a whole: the relative run path."""
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(Path(os.environ["PKWRAP_BUILD"]).resolve() / "python", old / "tool" / "python")
    shutil.copy(TOOL, old / "tool" / "pkwrap")
    project = Project(old / "work" / "project")
    arguments = [str(old / "tool" / "pkwrap"), *project.arguments()[1:]]
    subprocess.run(arguments, cwd=project.folder, check=True, capture_output=True)
    old.rename(new)
    # Which library it found: the one of the moved tree, not the one of this test run.
    code = CALL + "; print([l.split()[-1] for l in open('/proc/self/maps') if 'libpkwrap' in l][0])"
    total, library = project.call(new / "work" / "project", code, PYTHONPATH="").split()
    assert total == "3.0"
    assert library == str(new / "tool" / "python" / "pkwrap" / "libpkwrap.so.1")


def test_a_package_that_is_imported_first_serves_a_module_that_cannot_find_it(tmp_path):
    """Module and package moved apart, so that both run paths are wrong."""
    old = tmp_path / "old"
    shutil.copytree(Path(os.environ["PKWRAP_BUILD"]).resolve() / "python", old / "python")
    shutil.copy(TOOL, old / "pkwrap")
    project = Project(tmp_path / "project")
    subprocess.run([str(old / "pkwrap"), *project.arguments()[1:]], cwd=project.folder, check=True, capture_output=True)
    (old / "python").rename(tmp_path / "new")
    code = "try:\n    import moved\nexcept ImportError as error:\n    print('libpkwrap.so.1' in str(error))"
    assert project.call(code=code, PYTHONPATH=str(tmp_path / "new")) == "True"
    assert project.call(code="import pkwrap; " + CALL, PYTHONPATH=str(tmp_path / "new")) == "3.0"


def test_a_bundle_needs_no_package(project, tmp_path):
    project.build("--bundle")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for path in (project.module, project.folder / "libpkwrap.so.1"):
        shutil.copy(path, bundle)
    code = CALL + "; print([l.split()[-1] for l in open('/proc/self/maps') if 'libpkwrap' in l][0])"
    total, library = project.call(bundle, code, PYTHONPATH="").split()
    assert (total, library) == ("3.0", str(bundle / "libpkwrap.so.1"))


def test_a_bundle_and_the_package_share_one_library(project):
    project.build("--bundle")
    for order in ("import pkwrap; ", "import moved, pkwrap; "):
        assert project.call(code=order + CALL) == "3.0"


def test_F57_a_kernel_in_a_shared_library_elsewhere(project, tmp_path):
    libraries = project.folder / "lib dir"
    libraries.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(libraries / "libshift.so"), "kernels.c"], cwd=project.folder, check=True)
    project.write(
        "moved.json",
        MANIFEST.replace('"sources": ["kernels.c"]', '"link": {"libraries": ["shift"], "library_dirs": ["lib dir"]}'),
    )
    project.build()
    assert project.call() == "3.0"
    project.folder.rename(tmp_path / "renamed")
    assert project.call(tmp_path / "renamed") == "3.0"


# --- what goes wrong ---


def test_F57_a_missing_symbol_is_an_error_with_its_place(project):
    project.build()
    project.write("kernels.c", SOURCE.replace("void shift(", "void shaft("))
    done = project.build(status=1)
    assert done.stderr.splitlines() == [
        "kernels.h:3:6: error: kernel 'shift' is declared here, but none of the manifest's sources and libraries defines it"
    ]
    assert project.call() == "3.0"  # the old module is still there


def test_a_symbol_that_a_source_needs(project):
    project.write("kernels.c", "void helper(void);\n" + SOURCE.replace("x[i] +=", "helper(), x[i] +="))
    done = project.build(status=1)
    assert "moved.json: error: 'helper' is used by the kernels" in done.stderr


def test_a_forgotten_mathematical_library_is_named(project):
    source = SOURCE.replace("x[i] +=", "x[i] = cbrt(x[i]) +").replace("#include", "#include <math.h>\n#include", 1)
    project.write("kernels.c", source)
    done = project.build(status=1)
    assert done.stderr.splitlines() == [
        "moved.json: error: 'cbrt' is used by the kernels, but none of the manifest's sources and libraries defines it; "
        'it is in the mathematical library: add "m" to link.libraries'
    ]
    project.write("moved.json", MANIFEST.replace('"sources"', '"link": {"libraries": ["m"]}, "sources"'))
    project.build()
    assert project.call() == "3.0"


def test_a_source_that_does_not_compile_leaves_the_old_module(project):
    project.build()
    before = project.module.read_bytes()
    project.write("kernels.c", SOURCE + "oops\n")
    done = project.build(status=1)
    assert "kernels.c:7:1: error:" in done.stderr and "moved.json: error: kernels.c does not compile" in done.stderr
    assert project.module.read_bytes() == before
    project.write("kernels.c", SOURCE)
    project.build()
    assert project.call() == "3.0"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_leaves_the_old_module(project, number):
    project.build()
    before = project.module.read_bytes()
    project.write("more.h", "#define FACTOR 2.0\n")
    started = project.folder / "started"
    project.write("slow", f'#!/bin/sh\ntouch {started}\nsleep 0.7\nexec gcc "$@"\n').chmod(0o755)
    process = subprocess.Popen(
        project.arguments(),
        cwd=project.folder,
        env={**os.environ, "CC": str(project.folder / "slow")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job inherits that it is ignored
    )
    while not started.exists():
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    assert project.module.read_bytes() == before
    assert project.call() == "3.0"
    # The compilers that outlived it do not harm the next build.
    assert "built" in project.build().stdout
    time.sleep(1.5)
    assert project.build().stdout == "moved: up to date\n"
    assert project.call() == "6.0"
    assert sorted(path.name for path in (project.folder / ".pkwrap" / "moved").glob("work-*")) == []


def test_two_builds_at_once(project):
    processes = [
        subprocess.Popen(project.arguments("-j2"), cwd=project.folder, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sum("built" in output for output in outputs) == 1
    assert sum("up to date" in output for output in outputs) == 3
    assert project.call() == "3.0"


def test_a_full_disk_is_the_environments_fault(project):
    import resource

    project.build()
    before = project.module.read_bytes()
    project.write("moved.json", MANIFEST.replace('["x"],', '["x"], "doc": "' + "long " * 2000 + '",'))
    # The system refuses files of more than 4 kB, as a full disk does.
    done = project.build(
        status=3, restore_signals=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    )
    assert "pkwrap: error: cannot write" in done.stderr and "File too large" in done.stderr
    assert project.module.read_bytes() == before
    project.build()
    assert project.call() == "3.0"


def test_somebody_elses_files_are_not_replaced(project):
    project.write("moved.pyi", "def mine(): ...\n")
    done = project.build(status=1)
    assert done.stderr.startswith("moved.pyi:1:1: error: this file was not written by pkwrap")
    assert (project.folder / "moved.pyi").read_text() == "def mine(): ...\n"
    assert not project.module.exists()


def test_a_script_in_place_of_python_is_asked_every_time(project, tmp_path):
    """As pyenv's shims: the same path may be another interpreter the next time."""
    asked = tmp_path / "asked"
    shim = tmp_path / "python3"
    shim.write_text(f'#!/bin/sh\necho x >>{asked}\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)
    assert "built" in project.build("--python", shim).stdout
    count = len(asked.read_text().splitlines())
    assert project.build("--python", shim).stdout == "moved: up to date\n"
    assert len(asked.read_text().splitlines()) == count + 1


def test_the_modules_file_in_the_current_folder_is_not_run(project):
    """Asking the interpreter imports nothing of the user's, not even by accident of a name."""
    for name in ("sysconfig", "importlib", "os", "numpy", "pkwrap"):
        project.write(f"{name}.py", "raise SystemExit('imported')\n")
    assert "built" in project.build().stdout


# --- Make and Ninja ---


def test_depfile_and_stamp_drive_make(project):
    flags = f"--python {sys.executable} -q"
    project.write(
        "Makefile",
        f"moved.stamp: moved.json\n\t@{TOOL} build {flags} --depfile moved.d --stamp $@ moved.json && echo ran\n-include moved.d\n",
    )

    def make():
        return subprocess.run(["make", "-s"], cwd=project.folder, env=PLAIN, check=True, capture_output=True, text=True).stdout

    assert make() == "ran\n"
    assert make() == ""
    project.write("more.h", "#define FACTOR 3.0\n")
    time.sleep(0.02)
    assert make() == "ran\n"
    assert make() == ""
    assert project.call() == "9.0"
    # Touched, not changed: nothing is built, but Make has to see that it is done.
    os.utime(project.folder / "kernels.c")
    assert make() == "ran\n"
    assert make() == ""
    # A header that is gone is no error of Make's.
    (project.folder / "more.h").unlink()
    project.write("kernels.h", HEADER.replace('#include "more.h"', "#define FACTOR 4.0"))
    assert make() == "ran\n"
    assert "more.h" not in (project.folder / "moved.d").read_text()
    assert project.call() == "12.0"


def test_depfile_drives_ninja(project):
    ninja = Path(sys.executable).parent / "ninja"
    if not ninja.exists():
        pytest.skip("no ninja beside this interpreter")
    project.write(
        "build.ninja",
        f"""rule pkwrap
  command = {TOOL} build --python {sys.executable} -q --depfile $out.d $in
  depfile = $out.d
  restat = 1
build moved{SUFFIX}: pkwrap moved.json
""",
    )

    def run():
        return subprocess.run([ninja], cwd=project.folder, env=PLAIN, check=True, capture_output=True, text=True).stdout

    assert "[1/1]" in run()
    assert "no work to do" in run()
    time.sleep(0.02)
    project.write("more.h", "#define FACTOR 3.0\n")
    assert "[1/1]" in run()
    assert project.call() == "9.0"
    assert "no work to do" in run()


def test_several_manifests_and_the_worst_status(project):
    project.write("second.json", MANIFEST.replace('"moved"', '"second"'))
    project.write("broken.json", "{")
    done = project.build("broken.json", "second.json", status=1)
    assert "moved: built" in done.stdout and "second: built" in done.stdout
    assert "broken.json:1:" in done.stderr
