"""`pkwrap init`: a first manifest with everything that could be found out, and placeholders that build refuses."""

import json
import os

import jsonschema
import pytest

from front import ROOT, tool

SCHEMA = json.loads((ROOT / "schemas/manifest.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

HEADER = """
#define DIM 3
void known(int n, const double x[n], double y[n]);
void unknown(int n, float *x, const void *y, int open[][DIM]);
int left_out(int n, ...);
double number(double a, const char *name);
void fourteen_letters(int number_of_rows, int number_of_columns, double first[number_of_rows], double second[number_of_columns]);
"""


def init(folder, *arguments, status=0):
    done = tool("init", *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def test_everything_that_is_known(tmp_path):
    (tmp_path / "kernels.h").write_text(HEADER)
    (tmp_path / "kernels.c").write_text("")
    done = init(tmp_path, "kernels.h", "kernels.c")
    manifest = json.loads(done.stdout)
    assert list(manifest) == ["module", "headers", "sources", "kernels"]
    assert (manifest["module"], manifest["headers"], manifest["sources"]) == ("kernels", ["kernels.h"], ["kernels.c"])
    assert list(manifest["kernels"]) == ["known", "unknown", "number", "fourteen_letters"]
    assert manifest["kernels"]["known"] == {"outputs": ["y"]}
    assert manifest["kernels"]["number"] == {"outputs": []}
    # What is left out is said, with its place.
    assert done.stderr == "kernels.h:5:5: warning: 'left_out' is left out: it takes a variable number of arguments\n"
    assert init(tmp_path, "-q", "kernels.h").stderr == ""


def test_placeholders_are_refused_with_their_place_by_tool_and_schema(tmp_path):
    (tmp_path / "kernels.h").write_text(HEADER)
    text = init(tmp_path, "-q", "kernels.h", "-o", "kernels.json").stdout
    assert text == ""
    manifest = json.loads((tmp_path / "kernels.json").read_text())
    unknown = manifest["kernels"]["unknown"]["params"]
    assert sorted(unknown) == ["open", "x", "y"]
    assert "n" in unknown["x"]["shape"] and unknown["y"]["dtype"].startswith("TODO")
    places = {tuple(error.path)[1:] for error in VALIDATOR.iter_errors(manifest)}
    todo = {("unknown", "params", name, "shape") for name in ("x", "y", "open")} | {("unknown", "params", "y", "dtype")}
    assert places == todo
    done = tool("generate", "kernels.json", cwd=tmp_path)
    assert done.returncode == 1
    lines = (tmp_path / "kernels.json").read_text().split("\n")
    refused = [line.split(":") for line in done.stderr.splitlines() if line.startswith("kernels.json:") and ": error:" in line]
    assert len(refused) == len(todo)
    for _, line, column, *_ in refused:
        assert lines[int(line) - 1][int(column) - 1 :].startswith('"TODO')


def test_without_placeholders_the_manifest_builds(tmp_path):
    (tmp_path / "kernels.h").write_text("void scale(int n, double a, double x[n]);\nint one(void);\n")
    (tmp_path / "kernels.c").write_text(
        '#include "kernels.h"\nvoid scale(int n, double a, double x[n]) { for (int i = 0; i < n; i++) x[i] *= a; }\n'
        "int one(void) { return 1; }\n"
    )
    init(tmp_path, "kernels.h", "kernels.c", "-o", "kernels.json")
    VALIDATOR.validate(json.loads((tmp_path / "kernels.json").read_text()))
    done = tool("generate", "kernels.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_paths_are_relative_to_where_the_manifest_goes(tmp_path):
    for folder in ("include", "src", "wrap/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "include/kernels.h").write_text('#include "more/types.h"\nvoid f(real a);\n')
    (tmp_path / "src/more").mkdir()
    (tmp_path / "src/more/types.h").write_text("typedef double real;\n")
    (tmp_path / "src/k.c").write_text("")
    arguments = ["include/kernels.h", "src/k.c", "-I", "src", "-D", "A=2", "-D", "B"]
    manifest = json.loads(init(tmp_path, *arguments).stdout)
    assert manifest["headers"] == ["include/kernels.h"] and manifest["sources"] == ["src/k.c"]
    assert manifest["compile"] == {"include_dirs": ["src"], "defines": {"A": "2", "B": "1"}}
    init(tmp_path, *arguments, "-o", "wrap/deep/k.json")
    manifest = json.loads((tmp_path / "wrap/deep/k.json").read_text())
    assert manifest["headers"] == ["../../include/kernels.h"] and manifest["sources"] == ["../../src/k.c"]
    assert manifest["compile"]["include_dirs"] == ["../../src"]
    # A path that was given whole is relative all the same.
    whole = json.loads(init(tmp_path, tmp_path / "include/kernels.h", "-I", tmp_path / "src").stdout)
    assert whole["headers"] == ["include/kernels.h"] and whole["compile"]["include_dirs"] == ["src"]


def test_system_headers_by_their_name(tmp_path):
    (tmp_path / "deep").mkdir()
    for name in ("lapacke_utils.h", "/usr/include/lapacke_utils.h"):
        init(tmp_path, "-q", name, "-o", "deep/l.json")
        manifest = json.loads((tmp_path / "deep/l.json").read_text())
        assert (manifest["module"], manifest["headers"]) == ("lapacke_utils", ["lapacke_utils.h"])


@pytest.mark.parametrize("file, module", [("my-lib.v2.h", "my_lib"), ("3d.h", "_3d"), ("class.h", "class_"), ("a b.h", "a_b")])
def test_module_names(tmp_path, file, module):
    (tmp_path / file).write_text("void f(int n);\n")
    manifest = json.loads(init(tmp_path, file).stdout)
    assert (manifest["module"], manifest["headers"]) == (module, [file])
    VALIDATOR.validate(manifest)


def test_sources_alone_need_a_header(tmp_path):
    (tmp_path / "k.c").write_text("void f(int n, double x[n]) { x[0] = 1; }\n")
    manifest = json.loads(init(tmp_path, "k.c").stdout)
    assert manifest["headers"].startswith("TODO") and manifest["kernels"] == {"f": {"outputs": ["x"]}}
    assert not VALIDATOR.is_valid(manifest)


def test_layout(tmp_path):
    """As a careful person writes it: what fits in a line is one."""
    (tmp_path / "kernels.h").write_text(HEADER)
    text = init(tmp_path, "-q", "kernels.h").stdout
    assert '    "known": { "outputs": ["y"] },\n' in text
    assert '    "unknown": {\n      "outputs": ["x", "open"],\n      "params": {\n        "x": { "shape": ' in text
    assert max(map(len, text.splitlines())) <= 132 and text.endswith("}\n") and "\t" not in text


def test_no_output_file_where_something_is_wrong(tmp_path):
    (tmp_path / "kernels.h").write_text("void f(unknown_t x);\n")
    init(tmp_path, "kernels.h", "-o", "k.json", status=1)
    assert os.listdir(tmp_path) == ["kernels.h"]


def test_sources_with_mathematics_link_its_library(tmp_path):
    (tmp_path / "kernels.h").write_text("double root(double x);\n")
    (tmp_path / "kernels.c").write_text('#include "kernels.h"\n#include <math.h>\ndouble root(double x) { return sqrt(x); }\n')
    assert json.loads(init(tmp_path, "kernels.h", "kernels.c").stdout)["link"] == {"libraries": ["m"]}
    (tmp_path / "kernels.c").write_text('#include "kernels.h"\ndouble root(double x) { return x; }\n')
    assert "link" not in json.loads(init(tmp_path, "kernels.h", "kernels.c").stdout)


@pytest.mark.parametrize(
    "stub, extension",
    [("push.pyi", "push"), ("__pyccel__/push.pyi", "push"), ("build/__pyccel__/sim/kernels/push.pyi", "sim.kernels.push")],
)
def test_the_extension_of_a_stub_is_where_pyccel_puts_it(tmp_path, stub, extension):
    (tmp_path / stub).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / stub).write_text("def push(x : 'float64[:]') -> None: ...\n")
    assert json.loads(init(tmp_path, stub).stdout)["extension"] == extension
    assert json.loads(init(tmp_path, stub, "--extension", "mine").stdout)["extension"] == "mine"


def test_a_stub_with_a_name_of_its_own_belongs_to_the_one_source(tmp_path):
    """As epyccel names them."""
    (tmp_path / "mod_0a1b.pyi").write_text("def push(x : 'float64[:]', y : 'float64[:]') -> None: ...\n")
    (tmp_path / "kernels.py").write_text('def push(x: "float[:]", y: "float[:]"):\n    y[:] = x\n')
    (tmp_path / "other.py").write_text('def pull(x: "float[:]"):\n    x[:] = 0.0\n')
    manifest = init(tmp_path, "mod_0a1b.pyi", "kernels.py", "-o", "m.json")
    manifest = json.loads((tmp_path / "m.json").read_text())
    assert manifest["kernels"] == {"push": {"outputs": ["y"], "params": {"y": {"overwritten": True}}}}
    manifest["kernel_sources"].append("other.py")  # nothing that the compiled module has
    (tmp_path / "m.json").write_text(json.dumps(manifest))
    assert tool("generate", "m.json", cwd=tmp_path).returncode == 0
    assert "pull" not in (tmp_path / "mod_0a1b_pkwrap_wrap.c").read_text()
