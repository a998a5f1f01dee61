/* pair.c - see instance_internal.h: the caller's array and its host copy. */
#include "arrays/staging.h"
#include "arrays/views.h"
#include "base/errors.h"
#include "instance_internal.h"

PyObject *
staged_like(PyArrayObject *copy, const struct device_view *view)
{
    return staged_array(view, (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(copy)), NPY_ARRAY_WRITEABLE);
}

/* The caller's array as it is now. 0, or -1 with an exception set. */
static int
read_outside(const struct pair *pair, struct array_info *info)
{
    enum read_answer answer = read_numpy_array(pair->outside, info);
    if (answer == READ_NOT_MINE)
        answer = read_device_array(pair->outside, info);
    if (answer == READ_NOT_MINE)
        PyErr_Format(PyExc_TypeError, "%s is not a device array any more", Py_TYPE(pair->outside)->tp_name);
    return answer == READ_DONE ? 0 : -1;
}

PyObject *
pair_view(const struct pair *pair, PyArrayObject *part, const char *function, const char *what)
{
    struct array_info info;
    if (read_outside(pair, &info) < 0)
        return NULL;
    PyObject *view = view_of_array(pair->outside, &info, pair->inside, part, function, what);
    array_info_release(&info);
    return view;
}

void
pair_clear(struct pair *pair)
{
    Py_CLEAR(pair->outside);
    Py_CLEAR(pair->inside);
}

void
pairs_free(struct pair *pairs, int n_pairs)
{
    for (int i = 0; i < n_pairs; i++)
        pair_clear(&pairs[i]);
    PyMem_Free(pairs);
}
