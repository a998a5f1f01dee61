/* compiled.c - objects of compiled classes: what verify and learn mode can see of them. */
#include "graph_internal.h"

static bool
is_attribute(PyObject *descriptor)
{
    return Py_IS_TYPE(descriptor, &PyGetSetDescr_Type) && ((PyGetSetDescrObject *)descriptor)->d_getset->set != NULL;
}

bool
is_compiled_class(PyTypeObject *type)
{
    PyObject *name, *descriptor;
    Py_ssize_t position = 0;
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || type->tp_dict == NULL || PyType_IsSubtype(type, &PyGenericArrType_Type)
        || PyType_IsSubtype(type, &PyArray_Type))
        return false;
    while (PyDict_Next(type->tp_dict, &position, &name, &descriptor))
        if (is_attribute(descriptor))
            return true;
    return false;
}

static int
visit_getters_of(PyTypeObject *type, PyObject *object, int (*visit)(void *, PyObject *, PyObject *), void *data)
{
    PyObject *name, *descriptor;
    Py_ssize_t position = 0;
    while (PyDict_Next(type->tp_dict, &position, &name, &descriptor)) {
        if (!is_attribute(descriptor))
            continue;
        PyObject *value = PyObject_GetAttr(object, name);
        if (value == NULL) {
            if (!PyErr_ExceptionMatches(PyExc_Exception))
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
visit_getters(PyObject *object, int (*visit)(void *data, PyObject *name, PyObject *value), void *data)
{
    PyObject *mro = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (is_compiled_class(type) && visit_getters_of(type, object, visit, data) < 0)
            return -1;
    }
    return 0;
}
