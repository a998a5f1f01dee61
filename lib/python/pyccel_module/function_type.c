/* function_type.c - what the function of a generated module is to Python; its calls are in function.c. */
#include <string.h>

#include "pyccel_module.h"

static void
function_dealloc(PyObject *self)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    PyObject_GC_UnTrack(self);
    if (function->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(function->target);
    Py_XDECREF(function->name);
    Py_XDECREF(function->qualified_name);
    Py_XDECREF(function->module_name);
    Py_TYPE(self)->tp_free(self);
}

static int
function_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct pyccel_function *)self)->target);
    return 0;
}

static PyObject *
function_repr(PyObject *self)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    return PyUnicode_FromFormat("<function %U of %U>", function->qualified_name, function->module_name);
}

/* By reference: the name, in the module that __module__ tells. */
static PyObject *
function_reduce(PyObject *self, PyObject *no_arguments)
{
    (void)no_arguments;
    return Py_NewRef(((struct pyccel_function *)self)->qualified_name);
}

/* Functions of a module do not bind; that they have __get__ at all makes inspect read __text_signature__. */
static PyObject *
function_get(PyObject *self, PyObject *instance, PyObject *owner)
{
    (void)owner;
    bool binds = instance != NULL && ((struct pyccel_function *)self)->role == ROLE_METHOD;
    return binds ? PyMethod_New(self, instance) : Py_NewRef(self);
}

static PyObject *
function_attribute(PyObject *self, void *which)
{
    return Py_NewRef(*(PyObject **)((char *)self + (uintptr_t)which));
}

/* The docstring is "name(...)\n--\n\ntext", as in a builtin function's method table. */
static const char *
signature_end(const char *doc)
{
    return doc == NULL ? NULL : strstr(doc, ")\n--\n\n");
}

static PyObject *
function_doc(PyObject *self, void *unused)
{
    (void)unused;
    const char *doc = ((struct pyccel_function *)self)->source->doc;
    const char *end = signature_end(doc);
    if (doc == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(end == NULL ? doc : end + strlen(")\n--\n\n"));
}

static PyObject *
function_signature(PyObject *self, void *unused)
{
    (void)unused;
    const char *doc = ((struct pyccel_function *)self)->source->doc;
    const char *end = signature_end(doc), *start = doc == NULL ? NULL : strchr(doc, '(');
    if (end == NULL || start == NULL || start > end)
        Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(start, end - start + 1);
}

static PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef function_attributes[] = {
    {"__name__", function_attribute, NULL, NULL, (void *)offsetof(struct pyccel_function, name)},
    {"__qualname__", function_attribute, NULL, NULL, (void *)offsetof(struct pyccel_function, qualified_name)},
    {"__module__", function_attribute, NULL, NULL, (void *)offsetof(struct pyccel_function, module_name)},
    {"__doc__", function_doc, NULL, NULL, NULL},
    {"__text_signature__", function_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject pyccel_function_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkwrap.PyccelFunction",
    .tp_basicsize = sizeof(struct pyccel_function),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(struct pyccel_function, vectorcall),
    .tp_weaklistoffset = offsetof(struct pyccel_function, weak_references),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = function_dealloc,
    .tp_traverse = function_traverse,
    .tp_repr = function_repr,
    .tp_methods = function_methods,
    .tp_getset = function_attributes,
    .tp_descr_get = function_get,
};

/* Whether what objects refer to among each other may be another after a call. */
static bool
may_link(const struct pyccel_class *class, enum pyccel_role role)
{
    return class != NULL && pyccel_class_refers_to_objects(class) && role != ROLE_PROPERTY;
}

PyObject *
pyccel_function_new(struct pyccel_module *module, struct pyccel_class *class, enum pyccel_role role,
                    const pkw_py_function *source)
{
    struct pyccel_function *function = PyObject_GC_New(struct pyccel_function, &pyccel_function_type);
    if (function == NULL)
        return NULL;
    function->vectorcall = pyccel_function_call;
    function->target = NULL;
    function->weak_references = NULL;
    function->module = module;
    function->class = class;
    function->role = role;
    function->source = source;
    function->name = PyUnicode_InternFromString(pyccel_own_name(source->name));
    function->qualified_name = PyUnicode_InternFromString(source->name);
    function->module_name = PyUnicode_InternFromString(module->table->name);
    function->links = may_link(class, role);
    PyObject_GC_Track((PyObject *)function);
    if (function->name == NULL || function->qualified_name == NULL || function->module_name == NULL)
        Py_CLEAR(function);
    return (PyObject *)function;
}
