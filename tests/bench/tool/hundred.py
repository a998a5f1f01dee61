"""A library of a hundred kernels, for measuring builds: header, source, manifest, and the same bindings for pybind11."""

import json
from pathlib import Path

N = 100
NAMES = [f"update_{i:03}" for i in range(N)]


def write(folder):
    """Writes hundred.h, hundred.c, hundred.json and hundred_pybind11.cpp; files that are right already are left alone."""
    declaration = "void {}(int n, double a, const double *x, double *y)"
    header = "/* hundred.h - a hundred kernels. */\n" + "".join(
        f"/* Adds {i} times a times x to y. */\n{declaration.format(name)};\n" for i, name in enumerate(NAMES))
    source = '#include "hundred.h"\n' + "".join(
        f"{declaration.format(name)}\n{{\n    for (int i = 0; i < n; i++)\n        y[i] += {i} * a * x[i];\n}}\n"
        for i, name in enumerate(NAMES))
    vector = {"shape": ["n"]}
    manifest = {"module": "hundred", "headers": ["hundred.h"], "sources": ["hundred.c"],
                "kernels": {name: {"outputs": ["y"], "params": {"x": vector, "y": vector}} for name in NAMES}}
    bindings = """#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <stdexcept>
extern "C" {
#include "hundred.h"
}
namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style>;
PYBIND11_MODULE(hundred_pybind11, m)
{
""" + "".join(f"""    m.def("{name}", [](double a, const Array &x, Array &y) {{
        if (x.ndim() != 1 || y.ndim() != 1 || x.shape(0) != y.shape(0))
            throw std::invalid_argument("x and y must have the same length");
        {name}(static_cast<int>(x.shape(0)), a, x.data(), y.mutable_data());
    }}, py::arg("a"), py::arg("x").noconvert(), py::arg("y").noconvert());
""" for name in NAMES) + "}\n"
    files = {"hundred.h": header, "hundred.c": source, "hundred.json": json.dumps(manifest, indent=1),
             "hundred_pybind11.cpp": bindings}
    for name, text in files.items():
        path = Path(folder, name)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
