/* pyccel_instance.c - see pyccel_instance.h: the type. */
#include <string.h>

#include "errors.h"
#include "pyccel_instance.h"

static struct pair *
find_pair(struct pyccel_instance *instance, PyObject *name)
{
    for (int i = 0; i < instance->n_pairs; i++)
        if (instance->pairs[i].name != NULL && PyUnicode_CompareWithASCIIString(name, instance->pairs[i].name) == 0)
            return &instance->pairs[i];
    return NULL;
}

/* --- methods --------------------------------------------------------------------------------------------------------- */

/* self is (instance, bound method of the compiled object). Nothing tells what a method reads or writes: all arrays travel. */
static PyObject *
call_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)PyTuple_GET_ITEM(self, 0);
    if (pairs_refresh(instance->pairs, instance->n_pairs, instance->source->name) < 0)
        return NULL;
    PyObject *result = PyObject_Vectorcall(PyTuple_GET_ITEM(self, 1), args, (size_t)nargs, kwnames);
    if (result != NULL && pairs_collect(instance->pairs, instance->n_pairs, instance->source->name) < 0)
        Py_CLEAR(result);
    return result;
}

static PyMethodDef method_definition = {
    "method", (PyCFunction)(void (*)(void))call_method, METH_FASTCALL | METH_KEYWORDS, NULL,
};

static PyObject *
method_of(PyObject *self, PyObject *bound)
{
    PyObject *both = PyTuple_Pack(2, self, bound);
    PyObject *method = both == NULL ? NULL : PyCFunction_New(&method_definition, both);
    Py_XDECREF(both);
    return method;
}

/* --- attributes ------------------------------------------------------------------------------------------------------ */

static PyObject *
instance_getattro(PyObject *self, PyObject *name)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    struct pair *pair = find_pair(instance, name);
    if (pair != NULL)
        return Py_NewRef(pair->outside);
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return NULL;
    if (strncmp(text, "__", 2) == 0 && strcmp(text, "__class__") != 0)
        return PyObject_GenericGetAttr(self, name);
    /* An attribute of the class that is a descriptor may be a property, whose code reads the arrays. */
    PyObject *found = PyObject_GetAttr((PyObject *)Py_TYPE(instance->real), name);
    bool is_method = found != NULL && Py_TYPE(found)->tp_call != NULL;
    if (found == NULL)
        PyErr_Clear();
    Py_XDECREF(found);
    if (!is_method && strcmp(text, "__class__") != 0
        && pairs_refresh(instance->pairs, instance->n_pairs, instance->source->name) < 0)
        return NULL;
    PyObject *value = PyObject_GetAttr(instance->real, name);
    if (value == NULL || !is_method)
        return value;
    PyObject *method = method_of(self, value);
    Py_DECREF(value);
    return method;
}

static const char *
alias_name(const struct pyccel_instance *instance, PyObject *name)
{
    for (int i = 0; i < instance->source->n_aliases; i++)
        if (PyUnicode_CompareWithASCIIString(name, instance->source->aliases[i]) == 0)
            return instance->source->aliases[i];
    return NULL;
}

static int
append_pair(struct pyccel_instance *instance, const struct pair *pair)
{
    struct pair *longer = PyMem_Realloc(instance->pairs, (size_t)(instance->n_pairs + 1) * sizeof *longer);
    if (longer == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    longer[instance->n_pairs++] = *pair;
    instance->pairs = longer;
    return 0;
}

static int
instance_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    const char *alias = alias_name(instance, name);
    struct pair *old = find_pair(instance, name);
    if (alias == NULL || value == NULL)
        return PyObject_SetAttr(instance->real, name, value);
    struct pair pair = {0};
    PyObject *scalar = NULL;
    int needs = pair_make(value, instance->source->name, alias, &pair, &scalar);
    if (needs < 0)
        return -1;
    int done = PyObject_SetAttr(instance->real, name, scalar != NULL ? scalar : needs ? (PyObject *)pair.inside : value);
    Py_XDECREF(scalar);
    pair.name = alias;
    if (done == 0 && old != NULL) {
        pair_clear(old);
        if (needs)
            *old = pair;
        else
            *old = instance->pairs[--instance->n_pairs];
    } else if (done == 0 && needs) {
        done = append_pair(instance, &pair);
    }
    if (done < 0 && needs)
        pair_clear(&pair);
    return done;
}

/* --- the type ---------------------------------------------------------------------------------------------------------- */

static int
instance_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    Py_VISIT(instance->real);
    for (int i = 0; i < instance->n_pairs; i++) {
        Py_VISIT(instance->pairs[i].outside);
        Py_VISIT((PyObject *)instance->pairs[i].inside);
    }
    return 0;
}

static void
instance_dealloc(PyObject *self)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    PyObject_GC_UnTrack(self);
    if (instance->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(instance->real); /* before the memory that it refers to */
    for (int i = 0; i < instance->n_pairs; i++)
        pair_clear(&instance->pairs[i]);
    PyMem_Free(instance->pairs);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
instance_repr(PyObject *self)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    return PyUnicode_FromFormat("<%s over device arrays: %R>", instance->source->name, instance->real);
}

PyTypeObject pyccel_instance_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkwrap.PyccelInstance",
    .tp_basicsize = sizeof(struct pyccel_instance),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_weaklistoffset = offsetof(struct pyccel_instance, weak_references),
    .tp_dealloc = instance_dealloc,
    .tp_traverse = instance_traverse,
    .tp_repr = instance_repr,
    .tp_getattro = instance_getattro,
    .tp_setattro = instance_setattro,
};

PyObject *
pyccel_instance_new(PyObject *real, const pkw_py_class *source, struct pair *pairs, int n_pairs)
{
    struct pyccel_instance *instance = PyObject_GC_New(struct pyccel_instance, &pyccel_instance_type);
    if (instance == NULL)
        return NULL;
    instance->real = Py_NewRef(real);
    instance->weak_references = NULL;
    instance->source = source;
    instance->pairs = pairs;
    instance->n_pairs = n_pairs;
    PyObject_GC_Track((PyObject *)instance);
    return (PyObject *)instance;
}

PyObject *
pyccel_real_instance(PyObject *object)
{
    return Py_IS_TYPE(object, &pyccel_instance_type) ? ((struct pyccel_instance *)object)->real : NULL;
}
