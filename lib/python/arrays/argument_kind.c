/* argument_kind.c - see argument_kind.h. */
#include "argument_kind.h"

#include "array_info.h"

KIND_STORAGE struct kind_entry kind_entries[N_KINDS];
PyObject *name_host_args;

int
kinds_init(void)
{
    if (name_host_args == NULL)
        name_host_args = PyUnicode_InternFromString("__host_args__");
    return name_host_args == NULL ? -1 : 0;
}

int
call_host_args(PyObject *object, PyObject **resolved)
{
    *resolved = PyObject_CallMethodNoArgs(object, name_host_args);
    return *resolved == NULL ? -1 : 0;
}

static bool
defines_host_args(PyTypeObject *type)
{
    if (_PyType_Lookup(type, name_host_args) == NULL)
        return false;
    /* Through the type, so that a static or class method is what it is called as; None switches an inherited one off. */
    PyObject *method = PyObject_GetAttr((PyObject *)type, name_host_args);
    bool callable = method != NULL && PyCallable_Check(method);
    Py_XDECREF(method);
    PyErr_Clear();
    return callable;
}

/* A named tuple of C (time.struct_time): tuple.__new__ cannot make one, and it holds numbers. */
static bool
is_struct_sequence(PyTypeObject *type)
{
    return type->tp_dict != NULL && PyDict_GetItemString(type->tp_dict, "n_sequence_fields") != NULL;
}

unsigned
find_kinds(PyTypeObject *type)
{
    PyObject *error_type, *value, *traceback;
    PyErr_Fetch(&error_type, &value, &traceback);
    unsigned kinds = 0;
    if (device_array_type(type) != TYPE_NEVER)
        kinds |= KIND_DEVICE;
    if (PyType_HasFeature(type, Py_TPFLAGS_LIST_SUBCLASS))
        kinds |= KIND_LIST;
    else if (PyType_HasFeature(type, Py_TPFLAGS_TUPLE_SUBCLASS) && !is_struct_sequence(type))
        kinds |= KIND_TUPLE;
    else if (PyType_HasFeature(type, Py_TPFLAGS_DICT_SUBCLASS))
        kinds |= KIND_DICT;
    else if (PyType_IsSubtype(type, &PyArray_Type))
        kinds |= KIND_NUMPY;
    else if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && !PyType_HasFeature(type, Py_TPFLAGS_TYPE_SUBCLASS))
        kinds |= KIND_INSTANCE;
    if (defines_host_args(type))
        kinds |= KIND_HOST_ARGS;
    PyErr_Restore(error_type, value, traceback);
    uintptr_t address = (uintptr_t)type;
    unsigned version = type->tp_version_tag;
#if PY_VERSION_HEX < 0x030c0000
    if (!(type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG))
        version = 0;
#endif
    kind_entries[(address >> 4 ^ address >> 12) % N_KINDS] = (struct kind_entry){type, version, kinds};
    return kinds;
}
