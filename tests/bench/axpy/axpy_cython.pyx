# cython: language_level=3, boundscheck=False, wraparound=False
cdef extern from "axpy.h":
    void c_axpy "axpy" (int n, double a, const double *x, double *y)


def axpy(double a, const double[::1] x, double[::1] y):
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y must have the same length")
    if x.shape[0]:
        c_axpy(<int>x.shape[0], a, &x[0], &y[0])
