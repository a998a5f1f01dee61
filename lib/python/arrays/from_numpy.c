/* from_numpy.c - numpy.ndarray and its subclasses. */
#include <string.h>

#include "array_info.h"
#include "dtypes.h"

_Static_assert(sizeof(npy_intp) == sizeof(int64_t), "NumPy's sizes are 64 bits wide");

enum read_answer
read_numpy_array(PyObject *object, struct array_info *info)
{
    if (!PyArray_Check(object))
        return READ_NOT_MINE;
    PyArrayObject *array = (PyArrayObject *)object;
    info->object = object;
    info->keep = NULL;
    info->pointer = (uintptr_t)PyArray_DATA(array);
    info->rank = PyArray_NDIM(array);
    if (info->rank > 0) {
        memcpy(info->shape, PyArray_DIMS(array), (size_t)info->rank * sizeof *info->shape);
        memcpy(info->strides, PyArray_STRIDES(array), (size_t)info->rank * sizeof *info->strides);
    }
    info->descr = (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(array));
    info->dtype = dtype_from_descr(info->descr, &info->swapped);
    info->read_only = !PyArray_ISWRITEABLE(array);
    info->on_device = false;
    info->stream_kind = STREAM_NONE;
    info->stream = 0;
    return READ_DONE;
}
