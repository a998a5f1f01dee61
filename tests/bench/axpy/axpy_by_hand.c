/* axpy_by_hand.c - what a careful person writes for axpy(a, x, y) with the C API: the measure for the generated wrapper.
 *
 * The same checks: number of arguments; a float; exact float64 arrays of rank 1, C-contiguous and aligned, y writable; equal
 * lengths that fit an int. Everything else is an exception. `empty` takes the same arguments and does nothing.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#include <limits.h>
#include <numpy/arrayobject.h>

#include "axpy.h"

static PyArrayObject *vector(PyObject *object, const char *name, int flags)
{
    if (!PyArray_CheckExact(object)) {
        PyErr_Format(PyExc_TypeError, "axpy(): argument '%s' must be a numpy.ndarray, not %s", name, Py_TYPE(object)->tp_name);
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_DESCR(array)->type_num != NPY_DOUBLE || !PyArray_ISNBO(PyArray_DESCR(array)->byteorder) ||
        PyArray_NDIM(array) != 1) {
        PyErr_Format(PyExc_TypeError, "axpy(): argument '%s' must be a float64 array of rank 1", name);
        return NULL;
    }
    if (!PyArray_CHKFLAGS(array, flags)) {
        PyErr_Format(PyExc_ValueError, "axpy(): argument '%s' has the wrong layout or is read-only", name);
        return NULL;
    }
    return array;
}

static PyObject *axpy_wrapper(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 3) {
        PyErr_Format(PyExc_TypeError, "axpy() takes exactly 3 arguments (%zd given)", nargs);
        return NULL;
    }
    double a = PyFloat_AsDouble(args[0]);
    if (a == -1.0 && PyErr_Occurred())
        return NULL;
    PyArrayObject *x = vector(args[1], "x", NPY_ARRAY_CARRAY_RO);
    if (x == NULL)
        return NULL;
    PyArrayObject *y = vector(args[2], "y", NPY_ARRAY_CARRAY);
    if (y == NULL)
        return NULL;
    npy_intp n = PyArray_DIM(x, 0);
    if (PyArray_DIM(y, 0) != n) {
        PyErr_SetString(PyExc_ValueError, "axpy(): x and y must have the same length");
        return NULL;
    }
    if (n > INT_MAX) {
        PyErr_SetString(PyExc_OverflowError, "axpy(): too long for int");
        return NULL;
    }
    axpy((int)n, a, PyArray_DATA(x), PyArray_DATA(y));
    Py_RETURN_NONE;
}

static PyObject *empty(PyObject *Py_UNUSED(module), PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs))
{
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"axpy", (PyCFunction)(void (*)(void))axpy_wrapper, METH_FASTCALL, NULL},
    {"empty", (PyCFunction)(void (*)(void))empty, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "axpy_by_hand", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_axpy_by_hand(void)
{
    import_array();
    return PyModule_Create(&module);
}
