// axpy_nanobind.cpp - as nanobind's manual writes it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

extern "C" {
#include "axpy.h"
}

namespace nb = nanobind;
using Input = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

NB_MODULE(axpy_nanobind, m)
{
    m.def(
        "axpy",
        [](double a, Input x, Output y) {
            if (x.shape(0) != y.shape(0))
                throw std::invalid_argument("x and y must have the same length");
            axpy(static_cast<int>(x.shape(0)), a, x.data(), y.data());
        },
        nb::arg("a"), nb::arg("x").noconvert(), nb::arg("y").noconvert());
}
