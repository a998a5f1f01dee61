/* pyccel_function.c - a function of a compiled Pyccel module that takes device arrays too.
 *
 * Calls with nothing but arrays that the compiled function reads right go to it unchanged. Every other call goes through the
 * pipeline of call.h, as the variant whose array parameters fit.
 */
#include <string.h>

#include "dtypes.h"
#include "errors.h"
#include "kernel_kind.h"
#include "pyccel.h"
#include "runtime.h"

struct pyccel_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *target; /* owned; NULL: not looked up yet */
    PyObject *name, *module_name;
    PyObject *weak_references;
    struct pyccel_module *module;
    const pkw_py_function *source;
    struct pyccel_variant *variants;
};

/* --- the fast path ------------------------------------------------------------------------------------------------ */

static bool
is_clean_array(const pkw_param *param, PyObject *object)
{
    if (!PyArray_CheckExact(object))
        return object == Py_None && param->flags & PKW_NULLABLE;
    PyArrayObject *array = (PyArrayObject *)object;
    bool swapped;
    return dtype_from_descr(PyArray_DESCR(array), &swapped) == param->dtype && !swapped
           && PyArray_NDIM(array) == param->rank && (!(param->flags & PKW_WRITTEN) || PyArray_ISWRITEABLE(array))
           && pyccel_fits(array, (param->flags & PKW_FORTRAN) != 0);
}

static bool
is_clean(const pkw_param *param, PyObject *object)
{
    switch (param->kind) {
    case PKW_ARRAY: return is_clean_array(param, object);
    case PARAM_SCALAR:
        return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object)
               || PyComplex_CheckExact(object) || PyArray_IsScalar(object, Generic);
    case PARAM_CLASS:
        return !Py_IS_TYPE(object, &pyccel_instance_type) && !(kinds_of(Py_TYPE(object)) & KIND_HOST_ARGS);
    default: /* not an array by the stub: the compiled module's to judge */
        return !(kinds_of(Py_TYPE(object)) & KIND_HOST_ARGS);
    }
}

/* The parameter that a keyword names, or NULL. */
static const pkw_param *
param_by_name(const pkw_kernel *kernel, PyObject *name)
{
    for (int i = 0; i < kernel->n_params; i++)
        if (PyUnicode_CompareWithASCIIString(name, kernel->params[i].name) == 0)
            return &kernel->params[i];
    return NULL;
}

static bool
is_clean_call(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs > kernel->n_positional || nargs < kernel->n_required - (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames)))
        return false;
    for (Py_ssize_t i = 0; i < nargs; i++)
        if (!is_clean(&kernel->params[i], args[i]))
            return false;
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        const pkw_param *param = param_by_name(kernel, PyTuple_GET_ITEM(kwnames, i));
        if (param == NULL || !is_clean(param, args[nargs + i]))
            return false;
    }
    return true;
}

/* --- the pipeline ------------------------------------------------------------------------------------------------- */

/* Whether the object is an array of the parameter's dtype and rank, wherever it lies. 1, 0 or -1. */
static int
matches_array(const pkw_param *param, PyObject *object)
{
    struct array_info info;
    enum read_answer answer = read_numpy_array(object, &info);
    if (answer == READ_NOT_MINE)
        answer = read_device_array(object, &info);
    if (answer != READ_DONE)
        return answer == READ_ERROR ? -1 : 0;
    bool matches = info.dtype == param->dtype && info.rank == param->rank;
    array_info_release(&info);
    return matches;
}

static bool
matches_scalar(const pkw_param *param, PyObject *object)
{
    char kind = dtype_rows[param->dtype].kind;
    if (PyBool_Check(object) || PyArray_IsScalar(object, Bool))
        return kind == 'b';
    if (PyLong_Check(object) || PyArray_IsScalar(object, Integer))
        return kind == 'i' || kind == 'u';
    if (PyFloat_Check(object) || PyArray_IsScalar(object, Floating))
        return kind == 'f';
    if (PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating))
        return kind == 'c';
    return device_array_type(Py_TYPE(object)) != TYPE_NEVER || PyArray_Check(object);
}

/* 1, 0 or -1: whether the arguments could be meant for this variant. */
static int
matches_variant(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Py_ssize_t n = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    if (nargs > kernel->n_positional)
        return 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const pkw_param *param =
            i < nargs ? &kernel->params[i] : param_by_name(kernel, PyTuple_GET_ITEM(kwnames, i - nargs));
        if (param == NULL)
            return 0;
        int matches = 1;
        if (param->kind == PKW_ARRAY)
            matches = args[i] == Py_None && param->flags & PKW_NULLABLE ? 1 : matches_array(param, args[i]);
        else if (param->kind == PARAM_SCALAR)
            matches = matches_scalar(param, args[i]);
        if (matches <= 0)
            return matches;
    }
    return 1;
}

static int
raise_no_variant(const struct pyccel_function *function)
{
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list != NULL && i < function->source->n_variants; i++) {
        const pkw_kernel *kernel = &function->variants[i].kernel;
        for (int j = 0; list != NULL && j < kernel->n_params; j++) {
            PyObject *longer = PyUnicode_FromFormat("%U%s%s: %s", list, j > 0 ? ", " : i > 0 ? "; or " : "",
                                                    kernel->params[j].name, kernel->params[j].c_type);
            Py_DECREF(list);
            list = longer;
        }
    }
    if (list != NULL)
        raise_call_error(PyExc_TypeError, function->source->name, "no variant takes these arguments; there are (%U)", list);
    Py_XDECREF(list);
    return -1;
}

/* The variant for a call, or NULL with an exception set. A single one is not asked: its own checks tell what is wrong. */
static const struct pyccel_variant *
choose_variant(const struct pyccel_function *function, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int n = function->source->n_variants;
    if (n == 1)
        return &function->variants[0];
    for (int i = 0; i < n; i++) {
        int matches = matches_variant(&function->variants[i].kernel, args, nargs, kwnames);
        if (matches != 0)
            return matches > 0 ? &function->variants[i] : NULL;
    }
    raise_no_variant(function);
    return NULL;
}

static PyObject *
function_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (function->target == NULL) {
        function->target = pyccel_lookup(function->module, function->source->name);
        if (function->target == NULL)
            return NULL;
    }
    for (int i = 0; !watching_active && i < function->source->n_variants; i++)
        if (is_clean_call(&function->variants[i].kernel, args, nargs, kwnames)) {
            pkw_fast_count(function->source->state);
            return PyObject_Vectorcall(function->target, args, nargsf, kwnames);
        }
    const struct pyccel_variant *variant = choose_variant(function, args, nargs, kwnames);
    return variant == NULL ? NULL : call_target(&variant->kernel, function->target, args, nargs, kwnames);
}

/* --- the type ------------------------------------------------------------------------------------------------------ */

static void
function_dealloc(PyObject *self)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    PyObject_GC_UnTrack(self);
    if (function->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(function->target);
    Py_XDECREF(function->name);
    Py_XDECREF(function->module_name);
    for (int i = 0; function->variants != NULL && i < function->source->n_variants; i++) {
        PyMem_RawFree((void *)(uintptr_t)function->variants[i].kernel.params);
        PyMem_RawFree((void *)(uintptr_t)function->variants[i].kernel.visible);
    }
    PyMem_RawFree(function->variants);
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
    return PyUnicode_FromFormat("<function %U of %U>", function->name, function->module_name);
}

/* By reference: the name, in the module that __module__ tells. */
static PyObject *
function_reduce(PyObject *self, PyObject *no_arguments)
{
    (void)no_arguments;
    return Py_NewRef(((struct pyccel_function *)self)->name);
}

/* As a class attribute it does not bind; that it has __get__ at all makes inspect read __text_signature__. */
static PyObject *
function_get(PyObject *self, PyObject *instance, PyObject *owner)
{
    (void)instance;
    (void)owner;
    return Py_NewRef(self);
}

static PyObject *
function_attribute(PyObject *self, void *which)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    return Py_NewRef(which == NULL ? function->name : function->module_name);
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
    {"__name__", function_attribute, NULL, NULL, NULL},
    {"__qualname__", function_attribute, NULL, NULL, NULL},
    {"__module__", function_attribute, NULL, NULL, "module"},
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

PyObject *
pyccel_function_new(struct pyccel_module *module, const pkw_py_function *source, const char *module_name)
{
    struct pyccel_function *function = PyObject_GC_New(struct pyccel_function, &pyccel_function_type);
    if (function == NULL)
        return NULL;
    function->vectorcall = function_call;
    function->target = NULL;
    function->weak_references = NULL;
    function->module = module;
    function->source = source;
    function->name = PyUnicode_InternFromString(source->name);
    function->module_name = PyUnicode_InternFromString(module_name);
    function->variants = pyccel_variants(module, source);
    PyObject_GC_Track((PyObject *)function);
    if (function->name == NULL || function->module_name == NULL || function->variants == NULL)
        Py_CLEAR(function);
    return (PyObject *)function;
}
