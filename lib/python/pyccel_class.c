/* pyccel_class.c - argument classes of a compiled Pyccel module, and their instances in calls. */
#include <string.h>

#include "errors.h"
#include "pyccel_instance.h"
#include "staging.h"

struct pyccel_class {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *target; /* owned; NULL: not looked up yet */
    PyObject *name, *module_name;
    struct pyccel_module *module;
    const pkw_py_class *source;
};

/* The compiled class; borrowed. */
static PyObject *
find_target(struct pyccel_class *class)
{
    if (class->target == NULL)
        class->target = pyccel_lookup(class->module, class->source->name);
    return class->target;
}

/* --- construction ------------------------------------------------------------------------------------------------------ */

/* Whether the attribute refers to memory of the pair's host array; `part`: not to just its elements in its shape. */
static bool
refers_to(PyObject *value, PyArrayObject *inside, bool *part)
{
    if (!PyArray_Check(value) || PyArray_SIZE((PyArrayObject *)value) == 0 || PyArray_SIZE(inside) == 0)
        return false;
    PyArrayObject *array = (PyArrayObject *)value;
    const char *start = PyArray_DATA(inside), *data = PyArray_DATA(array);
    *part = data != start || PyArray_NDIM(array) != PyArray_NDIM(inside);
    for (int i = 0; i < PyArray_NDIM(inside) && !*part; i++)
        *part = PyArray_DIM(array, i) != PyArray_DIM(inside, i)
                || (PyArray_DIM(array, i) > 1 && PyArray_STRIDE(array, i) != PyArray_STRIDE(inside, i));
    return data >= start && data < start + PyArray_NBYTES(inside);
}

/* One pair for each attribute that refers to memory of a pair, in the place of those of the arguments. */
static int
name_pairs(PyObject *real, const pkw_py_class *source, struct pair **pairs, int *n_pairs)
{
    struct pair *named = PyMem_Calloc((size_t)source->n_aliases + 1, sizeof *named);
    if (named == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int n_named = 0, done = 0;
    for (int i = 0; i < source->n_aliases && done == 0; i++) {
        PyObject *value = PyObject_GetAttrString(real, source->aliases[i]);
        if (value == NULL) {
            if (PyErr_ExceptionMatches(PyExc_AttributeError))
                PyErr_Clear(); /* one that the constructor does not set */
            else
                done = -1;
            continue;
        }
        for (int j = 0; j < *n_pairs; j++) {
            bool part;
            if (!refers_to(value, (*pairs)[j].inside, &part))
                continue;
            pair_share(&(*pairs)[j], 1, (*pairs)[j].outside, &named[n_named]);
            named[n_named].part = part;
            named[n_named++].name = source->aliases[i];
            break;
        }
        Py_DECREF(value);
    }
    for (int i = 0; i < *n_pairs; i++)
        pair_clear(&(*pairs)[i]);
    PyMem_Free(*pairs);
    *pairs = named;
    *n_pairs = n_named;
    return done;
}

/* What a constructor wrote to its arrays goes back to the caller's. */
static int
collect_changed(struct pair *pairs, PyObject *const *before, int n, const char *function)
{
    for (int i = 0; i < n; i++) {
        PyArrayObject *copy = (PyArrayObject *)before[i];
        if (memcmp(PyArray_DATA(copy), PyArray_DATA(pairs[i].inside), (size_t)PyArray_NBYTES(copy)) != 0
            && pairs_collect(&pairs[i], 1, function) < 0)
            return -1;
    }
    return 0;
}

/* Replaces arguments by what the compiled constructor understands; a replaced one is owned by `owned`. The number of pairs, or
 * -1 with an exception set. */
static int
convert_arguments(PyObject **args, Py_ssize_t n, const char *function, struct pair *pairs, PyObject **owned, PyObject **before)
{
    int n_pairs = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        char name[32];
        PyOS_snprintf(name, sizeof name, "%zd", i + 1);
        PyObject *scalar = NULL;
        int needs = pair_share(pairs, n_pairs, args[i], &pairs[n_pairs])
                        ? 1
                        : pair_make(args[i], function, name, &pairs[n_pairs], &scalar);
        if (needs < 0)
            return -1 - n_pairs;
        if (scalar != NULL)
            args[i] = owned[i] = scalar;
        if (!needs)
            continue;
        args[i] = (PyObject *)pairs[n_pairs].inside;
        before[n_pairs] = PyArray_NewCopy(pairs[n_pairs].inside, NPY_KEEPORDER);
        n_pairs++;
        if (before[n_pairs - 1] == NULL)
            return -1 - n_pairs;
    }
    return n_pairs;
}

static PyObject *
construct(struct pyccel_class *class, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const char *function = class->source->name;
    Py_ssize_t n = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    struct pair *pairs = PyMem_Calloc((size_t)n + 1, sizeof *pairs);
    PyObject **objects = PyMem_Calloc(3 * (size_t)n + 1, sizeof *objects);
    if (pairs == NULL || objects == NULL) {
        PyMem_Free(pairs);
        PyMem_Free(objects);
        return PyErr_NoMemory();
    }
    PyObject **owned = objects + n, **before = owned + n;
    for (Py_ssize_t i = 0; i < n; i++)
        objects[i] = args[i];
    int n_pairs = convert_arguments(objects, n, function, pairs, owned, before);
    bool failed = n_pairs < 0;
    int n_made = n_pairs = failed ? -1 - n_pairs : n_pairs;
    PyObject *real = failed ? NULL : PyObject_Vectorcall(class->target, objects, (size_t)nargs, kwnames);
    PyObject *result = NULL;
    if (real != NULL && collect_changed(pairs, before, n_pairs, function) == 0
        && name_pairs(real, class->source, &pairs, &n_pairs) == 0) {
        result = n_pairs == 0 ? Py_NewRef(real) : pyccel_instance_new(real, class->source, pairs, n_pairs);
        if (result != NULL && n_pairs > 0)
            pairs = NULL;
    }
    Py_XDECREF(real);
    for (int i = 0; pairs != NULL && i < n_pairs; i++)
        pair_clear(&pairs[i]);
    for (int i = 0; i < n_made; i++)
        Py_XDECREF(before[i]);
    for (Py_ssize_t i = 0; i < n; i++)
        Py_XDECREF(owned[i]);
    PyMem_Free(pairs);
    PyMem_Free(objects);
    return result;
}

static PyObject *
class_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct pyccel_class *class = (struct pyccel_class *)self;
    return find_target(class) == NULL ? NULL : construct(class, args, PyVectorcall_NARGS(nargsf), kwnames);
}

/* --- the type ------------------------------------------------------------------------------------------------------------ */

static PyObject *
class_instancecheck(PyObject *self, PyObject *object)
{
    PyObject *target = find_target((struct pyccel_class *)self);
    if (target == NULL)
        return NULL;
    PyObject *real = pyccel_real_instance(object);
    int is_one = PyObject_IsInstance(real == NULL ? object : real, target);
    return is_one < 0 ? NULL : PyBool_FromLong(is_one);
}

/* Its own attributes, then those of the compiled class. */
static PyObject *
class_getattro(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    PyObject *target = find_target((struct pyccel_class *)self);
    return target == NULL ? NULL : PyObject_GetAttr(target, name);
}

static PyObject *
class_repr(PyObject *self)
{
    struct pyccel_class *class = (struct pyccel_class *)self;
    return PyUnicode_FromFormat("<class '%U.%U'>", class->module_name, class->name);
}

static PyObject *
class_reduce(PyObject *self, PyObject *no_arguments)
{
    (void)no_arguments;
    return Py_NewRef(((struct pyccel_class *)self)->name);
}

static PyObject *
class_attribute(PyObject *self, void *which)
{
    struct pyccel_class *class = (struct pyccel_class *)self;
    return Py_NewRef(which == NULL ? class->name : class->module_name);
}

static int
class_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct pyccel_class *)self)->target);
    return 0;
}

static void
class_dealloc(PyObject *self)
{
    struct pyccel_class *class = (struct pyccel_class *)self;
    PyObject_GC_UnTrack(self);
    Py_XDECREF(class->target);
    Py_XDECREF(class->name);
    Py_XDECREF(class->module_name);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef class_methods[] = {
    {"__instancecheck__", class_instancecheck, METH_O, NULL},
    {"__reduce__", class_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef class_attributes[] = {
    {"__name__", class_attribute, NULL, NULL, NULL},
    {"__qualname__", class_attribute, NULL, NULL, NULL},
    {"__module__", class_attribute, NULL, NULL, "module"},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject pyccel_class_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkwrap.PyccelClass",
    .tp_basicsize = sizeof(struct pyccel_class),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(struct pyccel_class, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = class_dealloc,
    .tp_traverse = class_traverse,
    .tp_repr = class_repr,
    .tp_getattro = class_getattro,
    .tp_methods = class_methods,
    .tp_getset = class_attributes,
};

PyObject *
pyccel_class_new(struct pyccel_module *module, const pkw_py_class *source, const char *module_name)
{
    struct pyccel_class *class = PyObject_GC_New(struct pyccel_class, &pyccel_class_type);
    if (class == NULL)
        return NULL;
    class->vectorcall = class_call;
    class->target = NULL;
    class->module = module;
    class->source = source;
    class->name = PyUnicode_InternFromString(source->name);
    class->module_name = PyUnicode_InternFromString(module_name);
    PyObject_GC_Track((PyObject *)class);
    if (class->name == NULL || class->module_name == NULL)
        Py_CLEAR(class);
    return (PyObject *)class;
}
