"""`pkwrap check`: what it finds, how it says it, its exit status (pkwrap(1))."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parent.parent.parent / "schemas/check.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
HEADER = "void scale(int n, double factor, double *x);\ndouble total(int n, const double *x);\n"
MANIFEST = {
    "module": "kernels",
    "headers": ["kernels.h"],
    "kernels": {
        "scale": {"outputs": ["x"], "params": {"x": {"shape": ["n"]}}},
        "total": {"outputs": [], "params": {"x": {"shape": ["n"]}}},
    },
}


class Project:
    def __init__(self, folder):
        self.folder = folder
        self.manifest = json.loads(json.dumps(MANIFEST))
        (folder / "kernels.h").write_text(HEADER)
        self.save()

    def save(self):
        (self.folder / "manifest.json").write_text(json.dumps(self.manifest, indent=2))

    def run(self, *arguments):
        command = [os.environ["PKWRAP_TOOL"], *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def check(self, *arguments):
        return self.run("check", *arguments, "manifest.json")

    def report(self, *arguments):
        """What `check --json` prints, which is as its schema says."""
        report = json.loads(self.check("--json", *arguments).stdout)
        VALIDATOR.validate(report)
        return report


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_nothing_to_find(project):
    done = project.check()
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 manifest checked: nothing found\n", "")
    assert project.check("-q").stdout == ""
    assert project.report() == {"findings": []}


def test_generated_files_that_are_stale(project):
    project.run("generate", "manifest.json")
    assert project.check().returncode == 0
    project.manifest["kernels"]["scale"]["name"] = "rescale"
    project.save()
    done = project.check()
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["kernels_wrap.c", "kernels.pyi"]
    assert all(": error: generated file is stale: manifest.json would give another one" in line for line in lines)
    findings = project.report()["findings"]
    assert [(finding["severity"], finding["code"], finding["file"]) for finding in findings] == [
        ("error", "stale", "kernels_wrap.c"),
        ("error", "stale", "kernels.pyi"),
    ]
    project.run("generate", "manifest.json")
    assert project.check().returncode == 0


def test_findings_without_a_place_are_as_the_schema_says(project):
    done = project.run("check", "--json", "manifest.json", "missing.json")
    report = json.loads(done.stdout)
    VALIDATOR.validate(report)
    (finding,) = report["findings"]
    assert (finding["file"], finding["line"], finding["column"], finding["kernel"]) == ("missing.json", None, None, None)
    (project.folder / "kernels.h").write_text("void scale(unknown n);\n")
    (finding,) = project.report()["findings"]  # libclang's own
    assert finding["code"] is None and (finding["file"], finding["line"]) == ("kernels.h", 1)


def test_the_schema_refuses_what_is_not_printed(project):
    project.run("generate", "manifest.json")
    project.manifest["kernels"]["scale"]["name"] = "rescale"
    project.save()
    report = project.report()
    for key, wrong in [("line", 0), ("severity", "fatal"), ("code", ""), ("file", ""), ("text", None), ("more", 1)]:
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate({"findings": [report["findings"][0] | {key: wrong}]})
    for finding in report["findings"]:
        for key in finding:
            with pytest.raises(jsonschema.ValidationError):
                VALIDATOR.validate({"findings": [{k: v for k, v in finding.items() if k != key}]})


def test_a_changed_header_is_noticed(project):
    project.run("generate", "manifest.json")
    (project.folder / "kernels.h").write_text(HEADER.replace("double factor", "float factor"))
    assert ": error: generated file is stale" in project.check().stderr


def test_check_changes_nothing(project):
    project.run("generate", "manifest.json", "-o", "out")
    project.manifest["kernels"]["scale"]["doc"] = "Another."
    project.save()
    before = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()}
    assert project.check("-o", "out").returncode == 1
    assert {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()} == before


def test_warnings_do_not_fail_unless_asked(project):
    project.manifest["kernels"]["scale"]["outputs"] = []
    project.save()
    done = project.check()
    assert done.returncode == 0
    assert "manifest.json:8:18: warning: cannot tell whether kernel" in done.stderr
    assert done.stdout == "1 manifest checked: 0 errors, 1 warning\n"
    done = project.check("--werror")
    assert done.returncode == 1
    assert "manifest.json:8:18: error: cannot tell whether kernel" in done.stderr


def test_a_kernel_that_is_gone(project):
    (project.folder / "kernels.h").write_text(HEADER.replace("total", "totals"))
    done = project.check("--json")
    assert (done.returncode, done.stderr) == (1, "")
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["code"] == "kernel-gone"
    assert finding["kernel"] == "total"
    lines = (project.folder / "manifest.json").read_text().splitlines()
    assert finding["file"] == "manifest.json"
    assert '"total": {' in lines[finding["line"] - 1]


def test_findings_of_several_manifests(project):
    (project.folder / "broken.json").write_text("{}")
    done = project.run("check", "broken.json", "manifest.json", "missing.json")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["broken.json", "broken.json", "missing.json"]


def test_usage(project):
    assert project.run("check").returncode == 2
    assert project.run("check", "--nonsense", "manifest.json").returncode == 2


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_F49_const_arrays_are_inputs_whatever_hides_the_const(project, name):
    (project.folder / "kernels.h").write_text(
        "typedef double vec3[3];\ntypedef const double *input;\n#define IN const\n"
        "void f(const double a[3], const vec3 b, input c, IN double d[static 3], double *x);\n"
    )
    params = {"c": {"shape": ["3"]}, "x": {"shape": ["3"]}}
    project.manifest["kernels"] = {"f": {"outputs": [name], "params": params}}
    project.save()
    done = project.check()
    assert done.returncode == 1
    assert f'manifest.json:9:9: error: output "{name}" is const (' in done.stderr
    project.manifest["kernels"]["f"]["outputs"] = "auto"
    project.save()
    assert project.check().returncode == 0
    project.run("generate", "manifest.json")
    stub = (project.folder / "kernels.pyi").read_text()
    assert [line.split(" : ")[0].strip() for line in stub.splitlines() if ", written" in line] == ["x"]


BODIES = """#include "kernels.h"

void scale(int n, double factor, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

double total(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void copy(int n, double x[n], double y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
"""

BEFORE = """{
  "$comment": "kept",   "module": "kernels",
  "headers": ["kernels.h"], "sources": [ "kernels.c" ],
  "kernels": {
    "scale": { "outputs": [], "params": { "x": { "shape": ["n"] } } },
    "copy": {
      "outputs": [
        "x",
        "y"
      ]
    }
  }
}
"""

AFTER = """{
  "$comment": "kept",   "module": "kernels",
  "headers": ["kernels.h"], "sources": [ "kernels.c" ],
  "kernels": {
    "scale": { "outputs": ["x"], "params": { "x": { "shape": ["n"] } } },
    "copy": {
      "outputs": [
        "y"
      ],
      "params": { "y": { "overwritten": true } }
    }
  }
}
"""


def test_fix_rewrites_what_is_proven_and_nothing_else(project):
    (project.folder / "kernels.h").write_text(HEADER + "void copy(int n, double x[n], double y[n]);\n")
    (project.folder / "kernels.c").write_text(BODIES)
    manifest = project.folder / "manifest.json"
    manifest.write_text(BEFORE)
    codes = {finding["code"] for finding in project.report()["findings"]}
    assert codes == {"missing-output", "unneeded-output", "narrower"}
    done = project.check("--fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "manifest.json: 3 changes\n1 manifest checked: nothing found\n"
    assert manifest.read_text() == AFTER
    done = project.check("--fix", "--werror")
    assert (done.returncode, done.stdout) == (0, "1 manifest checked: nothing found\n")
    assert manifest.read_text() == AFTER


def test_fix_leaves_what_it_cannot_prove(project):
    project.manifest["kernels"]["scale"]["outputs"] = []
    project.save()
    before = (project.folder / "manifest.json").read_bytes()
    assert "warning: cannot tell" in project.check("--fix").stderr
    assert (project.folder / "manifest.json").read_bytes() == before


def test_fix_leaves_a_broken_manifest(project):
    (project.folder / "manifest.json").write_text('{"module": "kernels",}')
    assert project.check("--fix").returncode == 1
    assert (project.folder / "manifest.json").read_text() == '{"module": "kernels",}'


def observation(kernel, *arguments, module="kernels"):
    return {"module": module, "kernel": kernel, "arguments": list(arguments)}


def seen(name, calls, changed, **more):
    return {"name": name, "calls": calls, "changed": changed, **more}


def observe(project, *kernels):
    (project.folder / "seen.json").write_text(json.dumps({"version": 1, "kernels": list(kernels)}))


def test_observed_writes_are_missed_outputs(project):
    project.manifest["kernels"]["scale"] |= {"outputs": [], "name": "rescale"}
    project.manifest["kernels"]["scale"]["params"]["x"]["name"] = "values"
    project.save()
    observe(project, observation("rescale", seen("values", 5, 3)), observation("rescale", seen("values", 1, 1), module="other"))
    done = project.check("--observed", "seen.json")
    assert done.returncode == 1
    assert 'kernel "scale" writes "x" (seen.json: changed in 3 of 5 observed calls), but "outputs" does not list it' in done.stderr
    header, row, *_ = done.stdout.splitlines()
    assert header.split() == ["kernel", "argument", "declared", "found", "observed", "in", "vain"]
    assert row.split() == ["rescale", "values", "no", "maybe", "3", "of", "5", "-"]
    done = project.check("--observed", "seen.json", "--fix")
    assert done.returncode == 0
    assert json.loads((project.folder / "manifest.json").read_text())["kernels"]["scale"]["outputs"] == ["x"]


def test_what_never_changed_stays_maybe_and_costs(project):
    observe(project, observation("scale", seen("x", 4, 0, unchanged_bytes=3 << 20)), observation("total", seen("x", 2, 0)))
    done = project.check("--observed", "seen.json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:3]]
    assert rows == [
        ["scale", "x", "yes", "maybe", "0", "of", "4", "3.0", "MiB"],
        ["total", "x", "no", "no", "0", "of", "2", "-"],
    ]


def test_init_takes_observations(project):
    (project.folder / "kernels.h").write_text("void f(int n, double x[n], double y[n]);\n")
    (project.folder / "kernels.c").write_text(
        "void f(int n, double x[n], double y[n]);\nvoid f(int n, double *x, double *y) { (void)n, (void)x, (void)y; }\n"
    )
    observe(project, observation("f", seen("y", 1, 1), module="anything"))
    done = project.run("init", "kernels.h", "kernels.c", "--observed", "seen.json")
    assert json.loads(done.stdout)["kernels"]["f"]["outputs"] == ["y"]


@pytest.mark.parametrize(
    "text, place",
    [
        ("[]", "1:1"),
        ('{"version": 2, "kernels": []}', "1:13"),
        ('{"version": 1}', "1:1"),
        ('{"version": 1, "kernels": [{"module": "m", "kernel": 3, "arguments": []}]}', "1:54"),
        ('{"version": 1, "kernels": [{"module": "m", "kernel": "k"}]}', "1:28"),
        ('{"version": 1, "kernels": [{"module": "m", "kernel": "k", "arguments": [{"name": "x", "calls": -1}]}]}', "1:96"),
        ('{"version": 1, "kernels": [3]}', "1:28"),
    ],
)
def test_observed_format(project, text, place):
    (project.folder / "seen.json").write_text(text)
    done = project.check("--observed", "seen.json")
    assert done.returncode == 1
    assert done.stderr.startswith(f"seen.json:{place}: error: ")
    assert "not a file of learn mode" in done.stderr
    assert project.run("init", "kernels.h", "--observed", "seen.json").returncode == 1
