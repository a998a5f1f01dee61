/* from_cupy.c - CuPy's arrays through their fields: a third of the time of their __cuda_array_interface__, which builds a
 * dictionary and tuples of it.
 *
 * CuPy's interface names its current stream, as is done here (C35): CuPy has its own copy of the runtime's state, so it
 * has to be asked.
 */
#include "core/cuda.h"
#include "array_info.h"
#include "dtypes.h"
#include "type_cache.h"

enum field { FIELD_DATA, FIELD_POINTER, FIELD_SHAPE, FIELD_STRIDES, FIELD_DTYPE, N_FIELDS };

static const char *const field_texts[N_FIELDS] = {"data", "ptr", "shape", "strides", "dtype"};
static PyObject *fields[N_FIELDS];
static PyObject *current_stream; /* cupy.cuda.get_current_stream */

static int
prepare(void)
{
    for (int field = 0; field < N_FIELDS; field++)
        if (fields[field] == NULL && (fields[field] = PyUnicode_InternFromString(field_texts[field])) == NULL)
            return -1;
    if (current_stream == NULL) {
        PyObject *module = PyImport_ImportModule("cupy.cuda");
        if (module == NULL)
            return -1;
        current_stream = PyObject_GetAttrString(module, "get_current_stream");
        Py_DECREF(module);
    }
    return current_stream == NULL ? -1 : 0;
}

/* An address held by an attribute. */
static int
read_address(PyObject *object, PyObject *name, uintptr_t *address)
{
    PyObject *number = PyObject_GetAttr(object, name);
    if (number == NULL)
        return -1;
    int done = address_from_object(number, address);
    Py_DECREF(number);
    return done;
}

static int
read_tuple(PyObject *object, PyObject *name, int64_t *numbers, int *rank)
{
    PyObject *tuple = PyObject_GetAttr(object, name);
    if (tuple == NULL)
        return -1;
    bool valid = PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) <= PKW_MAX_RANK;
    if (!valid)
        PyErr_Format(PyExc_TypeError, "%U of a CuPy array is not a tuple", name);
    *rank = valid ? (int)PyTuple_GET_SIZE(tuple) : 0;
    for (int i = 0; i < *rank; i++)
        numbers[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
    Py_DECREF(tuple);
    return PyErr_Occurred() ? -1 : 0;
}

static int
read_pointer(PyObject *object, struct array_info *info)
{
    PyObject *memory = PyObject_GetAttr(object, fields[FIELD_DATA]);
    if (memory == NULL)
        return -1;
    int done = read_address(memory, fields[FIELD_POINTER], &info->pointer);
    Py_DECREF(memory);
    return done;
}

/* In a child of a process that used a device CuPy cannot tell its stream; its error says nothing of the fork. */
static int
explain_fork(void)
{
    struct session_error error;
    if (cuda_runtime_in_use() == NULL && cuda_runtime(&error) == NULL && error.kind == SESSION_FORKED)
        PyErr_SetString(PyExc_RuntimeError, error.text);
    return -1;
}

static int
read_current_stream(struct array_info *info)
{
    PyObject *stream = PyObject_CallNoArgs(current_stream);
    if (stream == NULL)
        return explain_fork();
    int done = read_address(stream, fields[FIELD_POINTER], &info->stream);
    Py_DECREF(stream);
    info->stream_kind = STREAM_HANDLE;
    if (info->stream == 0) /* CuPy's name for the legacy default stream */
        info->stream = 1;
    return done;
}

enum read_answer
read_cupy_array(PyObject *object, struct array_info *info)
{
    int n_strides;
    if (prepare() < 0 || read_pointer(object, info) < 0
        || read_tuple(object, fields[FIELD_SHAPE], info->shape, &info->rank) < 0
        || read_tuple(object, fields[FIELD_STRIDES], info->strides, &n_strides) < 0 || read_current_stream(info) < 0)
        return READ_ERROR;
    PyObject *descr = PyObject_GetAttr(object, fields[FIELD_DTYPE]);
    if (descr == NULL)
        return READ_ERROR;
    if (!PyArray_DescrCheck(descr) || n_strides != info->rank) {
        Py_DECREF(descr);
        PyErr_SetString(PyExc_TypeError, "a CuPy array whose fields are not those of CuPy");
        return READ_ERROR;
    }
    info->object = object;
    info->keep = NULL;
    info->descr = (PyArray_Descr *)descr;
    info->dtype = dtype_from_descr(info->descr, &info->swapped);
    info->read_only = false;
    info->on_device = true;
    return READ_DONE;
}
