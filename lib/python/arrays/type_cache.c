/* type_cache.c - see type_cache.h. */
#include "type_cache.h"

#include <string.h>

#include "dlpack.h"

TYPE_STORAGE struct type_facts types_known[N_TYPES_KNOWN];
static struct type_facts registered; /* type NULL: none */

void
register_array_type(PyTypeObject *type, enum read_answer (*read)(PyObject *, struct array_info *), const char *library)
{
    registered = (struct type_facts){.type = type, .interfaces = INTERFACE_OWN, .read = read, .library = library};
}

PyObject *name_cuda_array_interface, *name_dlpack, *name_dlpack_device, *name_host_args;
static PyObject *name_exchange_api, *name_name;

int
type_cache_init(void)
{
    const struct {
        PyObject **name;
        const char *text;
    } names[] = {
        {&name_cuda_array_interface, "__cuda_array_interface__"},
        {&name_dlpack, "__dlpack__"},
        {&name_dlpack_device, "__dlpack_device__"},
        {&name_host_args, "__host_args__"},
        {&name_exchange_api, "__dlpack_c_exchange_api__"},
        {&name_name, "name"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (*names[i].name == NULL)
            *names[i].name = PyUnicode_InternFromString(names[i].text);
        if (*names[i].name == NULL)
            return -1;
    }
    return 0;
}

int
optional_attribute(PyObject *object, PyObject *name, PyObject **value)
{
#if PY_VERSION_HEX >= 0x030d0000
    return PyObject_GetOptionalAttr(object, name, value);
#else
    return _PyObject_LookupAttr(object, name, value);
#endif
}

int
announced_attribute(PyObject *object, PyObject *name, PyObject **value)
{
    *value = PyObject_GetAttr(object, name);
    if (*value != NULL)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyObject *type, *error, *traceback, *missing = NULL;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    int found = error == NULL ? 0 : optional_attribute(error, name_name, &missing);
    bool is_other = found > 0 && PyUnicode_Check(missing) && PyUnicode_Compare(missing, name) != 0;
    Py_XDECREF(missing);
    if (found < 0)
        PyErr_Clear();
    if (is_other) {
        PyErr_Restore(type, error, traceback);
        return -1;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return 0;
}

static bool
has_attribute(PyTypeObject *type, PyObject *name)
{
    return _PyType_Lookup(type, name) != NULL;
}

/* CuPy's array classes: an extension type, named by its module, and what derives from it. */
static bool
is_cupy(PyTypeObject *type)
{
    PyObject *mro = type->tp_mro;
    if (mro == NULL)
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        const char *name = ((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_name;
        if (strcmp(name, "cupy._core.core._ndarray_base") == 0 || strcmp(name, "cupy._core.core.ndarray") == 0)
            return true;
    }
    return false;
}

/* Types that Python code meets all the time, with attributes but no arrays behind them. */
static bool
is_never(PyTypeObject *type)
{
    return PyType_IsSubtype(type, &PyType_Type) || PyType_IsSubtype(type, &PyModule_Type) || type == &PyFunction_Type
           || type == &PyCFunction_Type || PyType_IsSubtype(type, &PyDict_Type) || PyType_IsSubtype(type, &PyUnicode_Type);
}

static unsigned
find_interfaces(PyTypeObject *type, const struct dlpack_exchange_api **exchange)
{
    unsigned interfaces = 0;
    if (is_never(type))
        return 0;
    if (registered.type != NULL && PyType_IsSubtype(type, registered.type))
        interfaces |= INTERFACE_OWN;
    if (is_cupy(type))
        interfaces |= INTERFACE_CUPY;
    if (has_attribute(type, name_cuda_array_interface))
        interfaces |= INTERFACE_CAI;
    /* A NumPy array is in host memory; what it exports by DLPack is never on a device. */
    if (PyType_IsSubtype(type, &PyArray_Type))
        return interfaces;
    PyObject *capsule = _PyType_Lookup(type, name_exchange_api);
    if (capsule != NULL && (*exchange = dlpack_exchange_from_capsule(capsule)) != NULL)
        interfaces |= INTERFACE_EXCHANGE;
    if (has_attribute(type, name_dlpack) && has_attribute(type, name_dlpack_device))
        interfaces |= INTERFACE_DLPACK;
    bool has_dictionary = type->tp_dictoffset != 0;
#ifdef Py_TPFLAGS_MANAGED_DICT
    has_dictionary = has_dictionary || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT);
#endif
    if (!(interfaces & INTERFACE_CAI) && (has_dictionary || type->tp_getattro != PyObject_GenericGetAttr))
        interfaces |= INTERFACE_CAI_INSTANCE;
    return interfaces;
}

/* 0 while the type has none. Before 3.12 a changed type keeps its old tag and only loses the flag. */
static unsigned
version_of(const PyTypeObject *type)
{
#if PY_VERSION_HEX < 0x030c0000
    if (!(type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG))
        return 0;
#endif
    return type->tp_version_tag;
}

/* --- what else an argument may be --------------------------------------------------------------------------------------- */

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

static unsigned
find_kinds(PyTypeObject *type)
{
    unsigned kinds = defines_host_args(type) ? KIND_HOST_ARGS : 0;
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
    return kinds;
}

const struct type_facts *
find_type_facts(PyTypeObject *type)
{
    PyObject *error_type, *value, *traceback;
    PyErr_Fetch(&error_type, &value, &traceback);
    struct type_facts facts = {.type = type, .kinds = find_kinds(type)};
    facts.interfaces = find_interfaces(type, &facts.exchange);
    facts.kinds |= facts.interfaces != 0 ? KIND_DEVICE : 0;
    if (facts.interfaces & INTERFACE_OWN) {
        facts.read = registered.read;
        facts.library = registered.library;
    } else if (facts.interfaces & INTERFACE_CUPY) {
        facts.library = "cupy";
    }
    facts.version = version_of(type); /* the look-ups have given the type one, where it can have one */
    PyErr_Restore(error_type, value, traceback);
    uintptr_t address = (uintptr_t)type;
    struct type_facts *entry = &types_known[(address >> 4 ^ address >> 12) % N_TYPES_KNOWN];
    *entry = facts;
    return entry;
}

enum type_verdict
device_array_type(PyTypeObject *type)
{
    unsigned interfaces = type_facts_of(type)->interfaces;
    if (interfaces == 0)
        return TYPE_NEVER;
    return interfaces & (INTERFACE_CUPY | INTERFACE_OWN) ? TYPE_ALWAYS : TYPE_MAYBE;
}
