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

/* A call of a method: its pairs are those of the instance, then those of its arguments. */
struct method_call {
    struct pair *pairs;
    int n_pairs, n_own; /* the first n_own are the instance's, with references of their own */
    PyObject **args;    /* what the compiled method gets */
    PyObject **owned;   /* a scalar in the place of a 0-d device array */
    Py_ssize_t n_args;
};

static int
method_prepare(struct method_call *call, const struct pyccel_instance *instance, PyObject *const *args)
{
    call->pairs = PyMem_Calloc((size_t)(instance->n_pairs + call->n_args) + 1, sizeof *call->pairs);
    call->args = PyMem_Calloc(2 * (size_t)call->n_args + 1, sizeof *call->args);
    if (call->pairs == NULL || call->args == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    call->owned = call->args + call->n_args;
    for (; call->n_pairs < instance->n_pairs; call->n_pairs++) {
        const struct pair *pair = &instance->pairs[call->n_pairs];
        pair_share(pair, 1, pair->outside, &call->pairs[call->n_pairs]);
        call->pairs[call->n_pairs].name = pair->name;
    }
    call->n_own = call->n_pairs;
    for (Py_ssize_t i = 0; i < call->n_args; i++) {
        call->args[i] = args[i];
        struct pair *pair = &call->pairs[call->n_pairs];
        char name[32];
        PyOS_snprintf(name, sizeof name, "%zd", i + 1);
        int needs = pair_share(call->pairs, call->n_pairs, args[i], pair)
                        ? 1
                        : pair_make(args[i], instance->source->name, name, pair, &call->owned[i]);
        if (needs < 0)
            return -1;
        if (call->owned[i] != NULL)
            call->args[i] = call->owned[i];
        if (needs) {
            call->args[i] = (PyObject *)pair->inside;
            call->n_pairs++;
        }
    }
    return pairs_check_apart(call->pairs, call->n_pairs, instance->source->name);
}

static void
method_release(struct method_call *call)
{
    for (int i = 0; i < call->n_pairs; i++)
        pair_clear(&call->pairs[i]);
    for (Py_ssize_t i = 0; call->owned != NULL && i < call->n_args; i++)
        Py_XDECREF(call->owned[i]);
    PyMem_Free(call->pairs);
    PyMem_Free(call->args);
}

/* self is (instance, bound method of the compiled object). Nothing tells what a method reads or writes: all arrays travel. */
static PyObject *
call_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)PyTuple_GET_ITEM(self, 0);
    const char *function = instance->source->name;
    struct method_call call = {.n_args = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames))};
    PyObject *result = NULL;
    if (method_prepare(&call, instance, args) == 0 && pairs_refresh(call.pairs, call.n_own, function) == 0)
        result = PyObject_Vectorcall(PyTuple_GET_ITEM(self, 1), call.args, (size_t)nargs, kwnames);
    if (result != NULL && pairs_collect(call.pairs, call.n_pairs, function) < 0)
        Py_CLEAR(result);
    method_release(&call);
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
    if (pair != NULL && !pair->part)
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
    int needs = pair_share(instance->pairs, instance->n_pairs, value, &pair)
                    ? 1
                    : pair_make(value, instance->source->name, alias, &pair, &scalar);
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
