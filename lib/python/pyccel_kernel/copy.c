/* copy.c - shallow copies of containers and objects that keep their class (C19, C22). */
#include "graph_internal.h"

#include <structmember.h>

/* copy.copy(object), for classes that know best. */
static PyObject *
copy_by_module(PyObject *object)
{
    PyObject *module = PyImport_ImportModule("copy");
    PyObject *copy = module == NULL ? NULL : PyObject_CallMethod(module, "copy", "O", object);
    Py_XDECREF(module);
    if (copy == NULL)
        return NULL;
    if (copy != object && Py_IS_TYPE(copy, Py_TYPE(object)))
        return copy;
    PyErr_Format(PyExc_TypeError, "an argument of type %s holds device arrays, but copying it gives %s, not another one like it",
                 Py_TYPE(object)->tp_name, copy == object ? "itself" : Py_TYPE(copy)->tp_name);
    Py_DECREF(copy);
    return NULL;
}

static bool
has_dictionary(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
#ifdef Py_TPFLAGS_MANAGED_DICT
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT))
        return true;
#endif
    return type->tp_dictoffset != 0;
}

/* copy.__dict__.update(object.__dict__), and not a new dictionary: CPython 3.13 would go on looking into the old one's values. */
static int
copy_dictionary(PyObject *object, PyObject *copy)
{
    if (!has_dictionary(object))
        return 0;
    PyObject *from = PyObject_GenericGetDict(object, NULL);
    PyObject *to = from == NULL ? NULL : PyObject_GenericGetDict(copy, NULL);
    int done = to == NULL ? -1 : PyDict_Update(to, from);
    Py_XDECREF(from);
    Py_XDECREF(to);
    return done;
}

/* Of what the C structure holds, whatever the class's own __iter__ and __len__ say of it: that is what is looked through. */
static PyObject *
copy_items(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    PyObject *copy = PyTuple_New(n);
    for (Py_ssize_t i = 0; copy != NULL && i < n; i++)
        PyTuple_SET_ITEM(copy, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    return copy;
}

static PyObject *
copy_tuple(PyObject *tuple)
{
    PyObject *items = copy_items(tuple);
    if (items == NULL || PyTuple_CheckExact(tuple))
        return items;
    /* As tuple.__new__ does it: a named tuple's own __new__ takes its fields one by one. */
    PyObject *arguments = PyTuple_Pack(1, items);
    PyObject *copy = arguments == NULL ? NULL : PyTuple_Type.tp_new(Py_TYPE(tuple), arguments, NULL);
    Py_DECREF(items);
    Py_XDECREF(arguments);
    if (copy != NULL && copy_dictionary(tuple, copy) < 0)
        Py_CLEAR(copy);
    return copy;
}

/* Of a class whose instances hold nothing but what those of `base` do, a dictionary and slots. */
static bool
is_written_in_python(const PyTypeObject *type, const PyTypeObject *base)
{
    while (PyType_HasFeature((PyTypeObject *)type, Py_TPFLAGS_HEAPTYPE) && type->tp_base != NULL)
        type = type->tp_base;
    return type == base;
}

static bool
defines_copy(PyObject *object)
{
    PyObject *name = PyUnicode_InternFromString("__copy__");
    bool defined = name != NULL && _PyType_Lookup(Py_TYPE(object), name) != NULL;
    Py_XDECREF(name);
    PyErr_Clear();
    return defined;
}

/* The slots that one class adds. */
static int
visit_slots_of(PyTypeObject *type, PyObject *object, int (*visit)(void *, PyObject *, PyObject *), void *data)
{
    PyObject *name, *descriptor;
    Py_ssize_t position = 0;
    while (PyDict_Next(type->tp_dict, &position, &name, &descriptor)) {
        if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type))
            continue;
        PyObject *value = PyMember_GetOne((const char *)object, ((PyMemberDescrObject *)descriptor)->d_member);
        if (value == NULL) { /* not set */
            if (!PyErr_ExceptionMatches(PyExc_AttributeError))
                return -1;
            PyErr_Clear();
            continue;
        }
        int done = visit(data, name, value);
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
visit_slots(PyObject *object, int (*visit)(void *, PyObject *, PyObject *), void *data)
{
    PyObject *mro = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && visit_slots_of(type, object, visit, data) < 0)
            return -1;
    }
    return 0;
}

/* Through the class's member descriptors: a frozen dataclass has a __setattr__ that refuses. */
static int
set_slot(void *copy, PyObject *name, PyObject *value)
{
    return PyObject_GenericSetAttr(copy, name, value);
}

/* A new instance that base.__new__ makes, with the same attributes; past the class's own __new__ and __init__. */
static PyObject *
copy_without_items(PyObject *object, PyTypeObject *base)
{
    PyObject *arguments = PyTuple_New(0);
    PyObject *copy = arguments == NULL ? NULL : base->tp_new(Py_TYPE(object), arguments, NULL);
    Py_XDECREF(arguments);
    if (copy != NULL && (copy_dictionary(object, copy) < 0 || visit_slots(object, set_slot, copy) < 0))
        Py_CLEAR(copy);
    return copy;
}

/* The class of `object` leaves copying to us. */
static bool
is_plain(PyObject *object, PyTypeObject *base)
{
    return is_written_in_python(Py_TYPE(object), base) && !defines_copy(object);
}

static PyObject *
copy_object(PyObject *object)
{
    return is_plain(object, &PyBaseObject_Type) ? copy_without_items(object, &PyBaseObject_Type) : copy_by_module(object);
}

/* A copy that a class makes by its own rules, and that is to get replacements at the places where the items are. Takes `copy`. */
static PyObject *
check_size(PyObject *object, PyObject *copy, Py_ssize_t size, Py_ssize_t copied)
{
    if (copy == NULL || size == copied)
        return copy;
    PyErr_Format(PyExc_TypeError, "an argument of type %s holds device arrays, but of its %zd items copying keeps %zd",
                 Py_TYPE(object)->tp_name, size, copied);
    Py_DECREF(copy);
    return NULL;
}

static PyObject *
copy_list(PyObject *list)
{
    Py_ssize_t n = PyList_GET_SIZE(list);
    PyObject *items = PyList_GetSlice(list, 0, n);
    if (items == NULL || PyList_CheckExact(list))
        return items;
    PyObject *copy;
    if (is_plain(list, &PyList_Type)) {
        copy = copy_without_items(list, &PyList_Type);
        if (copy != NULL && PyList_SetSlice(copy, 0, 0, items) < 0)
            Py_CLEAR(copy);
    } else {
        copy = copy_by_module(list);
    }
    Py_DECREF(items);
    return copy == NULL ? NULL : check_size(list, copy, n, PyList_GET_SIZE(copy));
}

static PyObject *
copy_dict(PyObject *dict)
{
    if (PyDict_CheckExact(dict))
        return PyDict_Copy(dict);
    if (!is_plain(dict, &PyDict_Type)) {
        PyObject *copy = copy_by_module(dict);
        return copy == NULL ? NULL : check_size(dict, copy, PyDict_GET_SIZE(dict), PyDict_GET_SIZE(copy));
    }
    PyObject *copy = copy_without_items(dict, &PyDict_Type), *key, *value;
    Py_ssize_t position = 0;
    while (copy != NULL && PyDict_Next(dict, &position, &key, &value))
        if (PyDict_SetItem(copy, key, value) < 0)
            Py_CLEAR(copy);
    return copy;
}

PyObject *
copy_node(const struct graph_node *node)
{
    PyObject *object = node->object;
    switch (node->kind) {
    case GRAPH_LIST: return copy_list(object);
    case GRAPH_DICT: return copy_dict(object);
    case GRAPH_TUPLE: return copy_tuple(object);
    case GRAPH_OBJECT: return copy_object(object);
    case GRAPH_PLAIN:
    case GRAPH_ARRAY:
    case GRAPH_COMPILED: break;
    }
    return Py_NewRef(object);
}

/* Past any __setattr__ and property of the class: where the value was found. */
static int
replace_attribute(PyObject *copy, PyObject *name, PyObject *value)
{
    int in_dictionary = 0;
    if (has_dictionary(copy)) {
        PyObject *dictionary = PyObject_GenericGetDict(copy, NULL);
        in_dictionary = dictionary == NULL ? -1 : PyDict_Contains(dictionary, name);
        if (in_dictionary > 0 && PyDict_SetItem(dictionary, name, value) < 0)
            in_dictionary = -1;
        Py_XDECREF(dictionary);
    }
    if (in_dictionary != 0)
        return in_dictionary < 0 ? -1 : 0;
    return PyObject_GenericSetAttr(copy, name, value);
}

int
copy_replace(PyObject *copy, const struct graph_node *parent, const struct graph_edge *edge, PyObject *value)
{
    switch (parent->kind) {
    case GRAPH_LIST: return PyList_SetItem(copy, edge->index, Py_NewRef(value));
    case GRAPH_DICT: return PyDict_SetItem(copy, edge->key, value);
    case GRAPH_OBJECT: return replace_attribute(copy, edge->key, value);
    case GRAPH_TUPLE: {
        /* Nobody else has seen this tuple yet. */
        PyObject *old = PyTuple_GET_ITEM(copy, edge->index);
        PyTuple_SET_ITEM(copy, edge->index, Py_NewRef(value));
        Py_DECREF(old);
        break;
    }
    case GRAPH_PLAIN:
    case GRAPH_ARRAY:
    case GRAPH_COMPILED: break;
    }
    return 0;
}

static int
visit_dictionary(PyObject *object, int (*visit)(void *, PyObject *, PyObject *), void *data)
{
    if (!has_dictionary(object))
        return 0;
    PyObject *dictionary = PyObject_GenericGetDict(object, NULL);
    if (dictionary == NULL)
        return -1;
    PyObject *name, *value;
    Py_ssize_t position = 0;
    int done = 0;
    while (done == 0 && PyDict_Next(dictionary, &position, &name, &value)) {
        Py_INCREF(name);
        Py_INCREF(value);
        done = visit(data, name, value);
        Py_DECREF(name);
        Py_DECREF(value);
    }
    Py_DECREF(dictionary);
    return done;
}

int
visit_attributes(PyObject *object, int (*visit)(void *data, PyObject *name, PyObject *value), void *data)
{
    return visit_slots(object, visit, data) < 0 ? -1 : visit_dictionary(object, visit, data);
}
