/* from_cai.c - device arrays by __cuda_array_interface__, versions 0 to 3 (Numba's documentation). */
#include <string.h>

#include "array_info.h"
#include "dtypes.h"
#include "type_cache.h"

enum cai_key { KEY_SHAPE, KEY_TYPESTR, KEY_DATA, KEY_VERSION, KEY_STRIDES, KEY_DESCR, KEY_MASK, KEY_STREAM, N_KEYS };

static const char *const key_texts[N_KEYS] = {"shape", "typestr", "data", "version", "strides", "descr", "mask", "stream"};
static PyObject *keys[N_KEYS];

static int
malformed(PyObject *type, const char *text)
{
    PyErr_Format(type, "__cuda_array_interface__: %s", text);
    return -1;
}

/* The values of a dictionary by key, borrowed; NULL where there is none. None counts as none, but for the shape and the
 * data. */
static int
look_up(PyObject *dictionary, PyObject *values[N_KEYS])
{
    for (int key = 0; key < N_KEYS; key++) {
        if (keys[key] == NULL && (keys[key] = PyUnicode_InternFromString(key_texts[key])) == NULL)
            return -1;
        values[key] = PyDict_GetItemWithError(dictionary, keys[key]);
        if (values[key] == NULL && PyErr_Occurred())
            return -1;
        if (values[key] == Py_None && key > KEY_DATA)
            values[key] = NULL;
    }
    return 0;
}

/* A tuple of integers into `numbers`. */
static int
read_integers(PyObject *tuple, int64_t *numbers, Py_ssize_t n, const char *what)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        numbers[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
        if (numbers[i] == -1 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError) || PyErr_ExceptionMatches(PyExc_TypeError))
                PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s must hold 64-bit integers", what);
            return -1;
        }
    }
    return 0;
}

static int
read_shape(PyObject *shape, struct array_info *info)
{
    if (shape == NULL || !PyTuple_Check(shape))
        return malformed(PyExc_TypeError, "'shape' must be a tuple");
    if (PyTuple_GET_SIZE(shape) > PKW_MAX_RANK)
        return malformed(PyExc_ValueError, "'shape' has too many dimensions");
    info->rank = (int)PyTuple_GET_SIZE(shape);
    if (read_integers(shape, info->shape, info->rank, "'shape'") < 0)
        return -1;
    for (int i = 0; i < info->rank; i++)
        if (info->shape[i] < 0)
            return malformed(PyExc_ValueError, "'shape' has a negative extent");
    return 0;
}

static int
read_strides(PyObject *strides, int64_t item_size, struct array_info *info)
{
    if (strides != NULL) {
        if (!PyTuple_Check(strides) || PyTuple_GET_SIZE(strides) != info->rank)
            return malformed(PyExc_ValueError, "'strides' must be None or a tuple as long as 'shape'");
        return read_integers(strides, info->strides, info->rank, "'strides'");
    }
    int64_t stride = item_size;
    for (int i = info->rank - 1; i >= 0; i--) {
        info->strides[i] = stride;
        if (info->shape[i] > 0 && __builtin_mul_overflow(stride, info->shape[i], &stride))
            return malformed(PyExc_ValueError, "'shape' overflows 64 bits");
    }
    return 0;
}

static bool
is_empty(const struct array_info *info)
{
    for (int i = 0; i < info->rank; i++)
        if (info->shape[i] == 0)
            return true;
    return false;
}

static int
read_data(PyObject *data, struct array_info *info)
{
    if (data == NULL || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2)
        return malformed(PyExc_TypeError, "'data' must be a tuple of an integer and a bool");
    PyObject *pointer = PyTuple_GET_ITEM(data, 0);
    /* Some libraries write None or a NULL pointer for an array without elements. */
    info->pointer = 0;
    if (pointer != Py_None && address_from_object(pointer, &info->pointer) < 0)
        return malformed(PyExc_ValueError, "'data' must hold an address");
    if (info->pointer == 0 && !is_empty(info))
        return malformed(PyExc_ValueError, "'data' is a null pointer, but the array is not empty");
    int read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
    if (read_only < 0)
        return -1;
    info->read_only = read_only != 0;
    return 0;
}

/* "<f8" and the like: byte order, kind, item size, nothing else. The kind and size of a valid one; -1 with an exception
 * set. *order is '<', '>', '|' or '='. */
static int
parse_typestr(PyObject *typestr, char *order, char *kind, size_t *size)
{
    const char *text = typestr != NULL && PyUnicode_Check(typestr) ? PyUnicode_AsUTF8(typestr) : NULL;
    if (text == NULL) {
        PyErr_Clear();
        return malformed(PyExc_TypeError, "'typestr' must be a string");
    }
    size_t length = strlen(text);
    *size = 0;
    bool valid = length >= 3 && length <= 12 && strchr("<>|=", text[0]) != NULL && strchr("biufcVSUmM", text[1]) != NULL
                 && text[2] != '0';
    /* Dates carry a unit after their size. */
    size_t end = 2;
    while (valid && text[end] >= '0' && text[end] <= '9')
        *size = *size * 10 + (size_t)(text[end++] - '0');
    if (!valid || end == 2 || (end != length && (text[1] != 'm' && text[1] != 'M'))) {
        PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: 'typestr' %R is not an element type", typestr);
        return -1;
    }
    *order = text[0];
    *kind = text[1];
    return 0;
}

static int
read_type(PyObject *typestr, PyObject *description, struct array_info *info)
{
    char order, kind;
    size_t size;
    if (parse_typestr(typestr, &order, &kind, &size) < 0)
        return -1;
    info->dtype = dtype_from_kind(kind, size);
    info->swapped = order == (PY_LITTLE_ENDIAN ? '>' : '<') && size > 1;
    if (info->dtype != PKW_NO_DTYPE && !info->swapped) {
        info->descr = dtype_descr(info->dtype);
        return info->descr == NULL ? -1 : 0;
    }
    /* Everything else is NumPy's to judge: structured types by their 'descr', which lists the fields. */
    bool structured = kind == 'V' && description != NULL && PyList_Check(description) && PyList_GET_SIZE(description) > 0;
    PyArray_Descr *descr = NULL;
    if (!PyArray_DescrConverter(structured ? description : typestr, &descr))
        return -1;
    if ((size_t)PyDataType_ELSIZE(descr) != size && kind != 'U') {
        Py_DECREF(descr);
        return malformed(PyExc_ValueError, "'descr' and 'typestr' differ in size");
    }
    if (PyDataType_REFCHK(descr)) {
        Py_DECREF(descr);
        return malformed(PyExc_TypeError, "arrays of Python objects are not supported");
    }
    info->descr = descr;
    return 0;
}

static int
read_stream(PyObject *stream, long version, struct array_info *info)
{
    info->stream = 0;
    info->stream_kind = version >= 3 ? STREAM_NONE : STREAM_UNKNOWN;
    if (version < 3 || stream == NULL)
        return 0;
    if (address_from_object(stream, &info->stream) < 0)
        return malformed(PyExc_ValueError, "'stream' must be None or a positive integer");
    if (info->stream == 0) /* disallowed by the interface: it could mean no stream, the default one, or the per-thread one */
        return malformed(PyExc_ValueError, "'stream' must not be 0; 1 is the legacy default stream, 2 the per-thread one");
    info->stream_kind = STREAM_HANDLE;
    return 0;
}

static int
read_interface(PyObject *dictionary, struct array_info *info)
{
    PyObject *values[N_KEYS];
    if (look_up(dictionary, values) < 0)
        return -1;
    long version = 0;
    if (values[KEY_VERSION] != NULL) {
        version = PyLong_AsLong(values[KEY_VERSION]);
        if (PyErr_Occurred() || version < 0)
            return malformed(PyExc_ValueError, "'version' must be a number");
    }
    if (values[KEY_MASK] != NULL)
        return malformed(PyExc_TypeError, "masked arrays are not supported");
    if (read_shape(values[KEY_SHAPE], info) < 0 || read_data(values[KEY_DATA], info) < 0
        || read_stream(values[KEY_STREAM], version, info) < 0
        || read_type(values[KEY_TYPESTR], values[KEY_DESCR], info) < 0)
        return -1;
    if (read_strides(values[KEY_STRIDES], PyDataType_ELSIZE(info->descr), info) < 0) {
        Py_CLEAR(info->descr);
        return -1;
    }
    return 0;
}

enum read_answer
read_cuda_array_interface(PyObject *object, struct array_info *info)
{
    PyObject *dictionary;
    bool announced = type_facts_of(Py_TYPE(object))->interfaces & INTERFACE_CAI;
    int found = announced ? announced_attribute(object, name_cuda_array_interface, &dictionary)
                          : optional_attribute(object, name_cuda_array_interface, &dictionary);
    if (found <= 0)
        return found < 0 ? READ_ERROR : READ_NOT_MINE;
    if (!PyDict_Check(dictionary)) {
        Py_DECREF(dictionary); /* an object that answers to any name */
        return READ_NOT_MINE;
    }
    info->object = object;
    info->keep = NULL;
    info->descr = NULL;
    info->on_device = true;
    int done = read_interface(dictionary, info);
    Py_DECREF(dictionary);
    return done < 0 ? READ_ERROR : READ_DONE;
}
