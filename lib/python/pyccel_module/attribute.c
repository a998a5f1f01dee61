/* attribute.c - see instance_internal.h: attributes of an argument class. */
#include "instance_internal.h"

struct pyccel_attribute {
    PyObject_HEAD
    struct pyccel_class *class;
    const pkw_param *source; /* what it is */
    const char *name;        /* "Grid.nodes" */
    PyObject *setter;        /* owned: a function of (object, value) */
};

/* --- reading ------------------------------------------------------------------------------------------------------------- */

static PyObject *
attribute_get(PyObject *self, PyObject *object, PyObject *owner)
{
    (void)owner;
    const struct pyccel_attribute *attribute = (struct pyccel_attribute *)self;
    struct pyccel_instance *instance = object == NULL ? NULL : as_instance(object);
    if (instance == NULL) /* of the class itself */
        return Py_NewRef(self);
    struct pair *pair = find_pair(instance, attribute->source->name);
    if (pair != NULL && !pair->part)
        return Py_NewRef(pair->outside);
    if (instance->real == NULL) {
        pyccel_raise_unconstructed(instance);
        return NULL;
    }
    PyObject *value = PyObject_GetAttrString(instance->real, attribute->source->name);
    if (pair != NULL && value != NULL && PyArray_Check(value) && PyArray_SIZE((PyArrayObject *)value) > 0) {
        const struct pair part = *pair; /* with references of its own: making a view runs other people's code */
        Py_INCREF(part.outside);
        Py_INCREF((PyObject *)part.inside);
        Py_SETREF(value, pair_view(&part, (PyArrayObject *)value, attribute->name, "the attribute"));
        Py_DECREF(part.outside);
        Py_DECREF((PyObject *)part.inside);
    }
    return value != NULL && attribute->source->kind == PKW_PY_CLASS
               ? linked_object(instance, attribute->source->name, value)
               : value;
}

/* --- setting --------------------------------------------------------------------------------------------------------------- */

static int
attribute_set(PyObject *self, PyObject *object, PyObject *value)
{
    const struct pyccel_attribute *attribute = (struct pyccel_attribute *)self;
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "attribute '%s' of %s objects cannot be deleted", attribute->source->name,
                     attribute->class->source->name);
        return -1;
    }
    PyObject *const args[] = {object, value};
    PyObject *done = PyObject_Vectorcall(attribute->setter, args, 2, NULL);
    Py_XDECREF(done);
    if (done != NULL)
        note_set((struct pyccel_instance *)object, attribute->source->name);
    return done == NULL ? -1 : 0;
}

/* --- the type -------------------------------------------------------------------------------------------------------------- */

static void
attribute_dealloc(PyObject *self)
{
    Py_XDECREF(((struct pyccel_attribute *)self)->setter);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
attribute_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<attribute '%s'>", ((struct pyccel_attribute *)self)->name);
}

static PyObject *
attribute_doc(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(((struct pyccel_attribute *)self)->source->c_type);
}

static PyGetSetDef attribute_attributes[] = {
    {"__doc__", attribute_doc, NULL, "type", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject pyccel_attribute_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkwrap.PyccelAttribute",
    .tp_basicsize = sizeof(struct pyccel_attribute),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = attribute_dealloc,
    .tp_repr = attribute_repr,
    .tp_getset = attribute_attributes,
    .tp_descr_get = attribute_get,
    .tp_descr_set = attribute_set,
};

PyObject *
pyccel_attribute_new(struct pyccel_class *class, const pkw_py_function *source)
{
    struct pyccel_attribute *attribute = PyObject_New(struct pyccel_attribute, &pyccel_attribute_type);
    if (attribute == NULL)
        return NULL;
    attribute->class = class;
    attribute->source = &source->variants[0].kernel.params[1];
    attribute->name = source->name;
    attribute->setter = pyccel_function_new(class->module, class, ROLE_SETTER, source);
    if (attribute->setter == NULL)
        Py_CLEAR(attribute);
    return (PyObject *)attribute;
}
