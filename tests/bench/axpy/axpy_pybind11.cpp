// axpy_pybind11.cpp - as pybind11's manual writes it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <stdexcept>

extern "C" {
#include "axpy.h"
}

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style>;

PYBIND11_MODULE(axpy_pybind11, m)
{
    m.def(
        "axpy",
        [](double a, const Array &x, Array &y) {
            if (x.ndim() != 1 || y.ndim() != 1 || x.shape(0) != y.shape(0))
                throw std::invalid_argument("x and y must have the same length");
            axpy(static_cast<int>(x.shape(0)), a, x.data(), y.mutable_data());
        },
        py::arg("a"), py::arg("x").noconvert(), py::arg("y").noconvert());
}
