/* function.c - a function of a compiled Pyccel module that takes device arrays too.
 *
 * Calls with nothing but arrays that the compiled function reads right go to it unchanged. Every other call goes through the
 * pipeline of call.h, as the variant whose array parameters fit.
 */
#include <string.h>

#include "arrays/dtypes.h"
#include "arrays/views.h"
#include "base/errors.h"
#include "arrays/type_cache.h"
#include "instance_internal.h"
#include "base/runtime.h"

/* --- the fast path ------------------------------------------------------------------------------------------------ */

static bool
is_clean_array(const pkw_param *param, PyObject *object)
{
    if (!PyArray_CheckExact(object))
        return object == Py_None && param->flags & PKW_NULLABLE;
    PyArrayObject *array = (PyArrayObject *)object;
    return dtype_is_canonical((pkw_dtype)param->dtype, PyArray_DESCR(array)) && PyArray_NDIM(array) == param->rank
           && (!(param->flags & (PKW_WRITTEN | PKW_KEPT)) || PyArray_ISWRITEABLE(array))
           && pyccel_takes_array(param, array);
}

/* Of a scalar: at most the compiled module refuses it. Not so one that it would take wrongly: an int of more than 64 bits, and
 * numpy.True_, which is False to it; nor one of NumPy that it would take as another type of the same values. */
static bool
is_clean_scalar(const pkw_param *param, PyObject *object)
{
    int64_t value;
    if (PyLong_CheckExact(object))
        return pkw_fast_integer(object, &value);
    return PyFloat_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object)
           || (param->dtype == PKW_F64 && PyArray_IsScalar(object, Double))
           || (PyArray_IsScalar(object, Generic) && !PyArray_IsScalar(object, Bool) && pyccel_takes_scalar(param, object));
}

static bool
is_clean_object(PyObject *object)
{
    struct pyccel_instance *instance = as_instance(object);
    return instance != NULL ? is_plain_instance(instance) : !(kinds_of(Py_TYPE(object)) & KIND_HOST_ARGS);
}

static bool
is_clean(const pkw_param *param, PyObject *object)
{
    switch (param->kind) {
    case PKW_ARRAY: return is_clean_array(param, object);
    case PKW_PY_SCALAR: return is_clean_scalar(param, object);
    case PKW_PY_CLASS: return is_clean_object(object);
    default: /* not an array by the stub: the compiled module's to judge */
        return !(kinds_of(Py_TYPE(object)) & KIND_HOST_ARGS);
    }
}

const pkw_param *
pyccel_param(const pkw_kernel *kernel, PyObject *name)
{
    for (int i = 0; i < kernel->n_params; i++)
        if (PyUnicode_CompareWithASCIIString(name, kernel->params[i].name) == 0)
            return &kernel->params[i];
    return NULL;
}

static bool
is_clean_call(const pkw_py_variant *variant, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const pkw_kernel *kernel = &variant->kernel;
    int n_needed = variant->n_needed;
    if (nargs > kernel->n_positional)
        return false;
    for (Py_ssize_t i = 0; i < nargs; i++) {
        if (!is_clean(&kernel->params[i], args[i]))
            return false;
        n_needed -= !(kernel->params[i].flags & PKW_DEFAULT_NONE);
    }
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        const pkw_param *param = pyccel_param(kernel, PyTuple_GET_ITEM(kwnames, i));
        if (param == NULL || param - kernel->params < nargs || param->flags & PKW_POSITIONAL_ONLY
            || !is_clean(param, args[nargs + i]))
            return false;
        n_needed -= !(param->flags & PKW_DEFAULT_NONE);
    }
    return n_needed == 0;
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
            i < nargs ? &kernel->params[i] : pyccel_param(kernel, PyTuple_GET_ITEM(kwnames, i - nargs));
        if (param == NULL)
            return 0;
        int matches = 1;
        if (param->kind == PKW_ARRAY)
            matches = args[i] == Py_None && param->flags & PKW_NULLABLE ? 1 : matches_array(param, args[i]);
        else if (param->kind == PKW_PY_SCALAR)
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
        const pkw_kernel *kernel = &function->source->variants[i].kernel;
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
static const pkw_py_variant *
choose_variant(const struct pyccel_function *function, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int n = function->source->n_variants;
    if (n == 1)
        return &function->source->variants[0];
    for (int i = 0; i < n; i++) {
        int matches = matches_variant(&function->source->variants[i].kernel, args, nargs, kwnames);
        if (matches != 0)
            return matches > 0 ? &function->source->variants[i] : NULL;
    }
    raise_no_variant(function);
    return NULL;
}

/* --- the call ------------------------------------------------------------------------------------------------------ */

/* Setting and reading an attribute as functions: of (object, value), and of (object). `self`: its name. */
static PyObject *
set_attribute(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2 || PyObject_SetAttr(args[0], self, args[1]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
get_attribute(PyObject *self, PyObject *object)
{
    return PyObject_GetAttr(object, self);
}

static PyMethodDef set_definition = {"set", (PyCFunction)(void (*)(void))set_attribute, METH_FASTCALL, NULL};
static PyMethodDef get_definition = {"get", get_attribute, METH_O, NULL};

static PyObject *
find_target(struct pyccel_function *function)
{
    switch (function->role) {
    case ROLE_FUNCTION: return pyccel_lookup(function->module, function->source->name);
    case ROLE_SETTER: return PyCFunction_New(&set_definition, function->name);
    case ROLE_PROPERTY: return PyCFunction_New(&get_definition, function->name);
    case ROLE_CONSTRUCTOR:
    case ROLE_METHOD: break;
    }
    PyObject *class = pyccel_class_target(function->class);
    if (class == NULL || function->role == ROLE_CONSTRUCTOR)
        return Py_XNewRef(class);
    return PyObject_GetAttr(class, function->name);
}

/* A call after which objects may refer to other objects: that has to be looked at. */
static bool
links_objects(const struct pyccel_function *function, const pkw_py_variant *variant, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (function->links)
        return true;
    Py_ssize_t n = variant->n_objects < 2 ? 0 : nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    for (Py_ssize_t i = 0; i < n; i++) {
        const struct pyccel_instance *instance = as_instance(args[i]);
        if (instance != NULL && instance->class->refers_to_objects)
            return true;
    }
    return false;
}

/* What an in-place operator returns is the object itself. Takes the reference. */
static PyObject *
same_instance(PyObject *result, PyObject *const *args, PyObject *const *real, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; result != NULL && i < n; i++)
        if (result == real[i] && real[i] != args[i]) {
            Py_DECREF(result);
            return Py_NewRef(args[i]);
        }
    return result;
}

/* A result in the memory of a read-only argument: the compiled module knows of no such thing. */
static void
keep_read_only(PyObject *result, PyObject *const *args, Py_ssize_t n)
{
    if (PyTuple_CheckExact(result))
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); i++)
            keep_read_only(PyTuple_GET_ITEM(result, i), args, n);
    for (Py_ssize_t i = 0; i < n && PyArray_CheckExact(result); i++)
        if (PyArray_Check(args[i]) && !PyArray_ISWRITEABLE((PyArrayObject *)args[i])
            && array_lies_in((PyArrayObject *)result, (PyArrayObject *)args[i]))
            PyArray_CLEARFLAGS((PyArrayObject *)result, NPY_ARRAY_WRITEABLE);
}

/* The compiled function with what the compiled module knows: arrays as they are, compiled objects for their instances. */
static PyObject *
call_directly(const struct pyccel_function *function, const pkw_py_variant *variant, PyObject *const *args,
              Py_ssize_t nargs, PyObject *kwnames)
{
    Py_ssize_t n = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    PyObject *real[variant->n_objects > 0 ? n + 1 : 1], *const *passed = args;
    if (variant->n_objects > 0) {
        for (Py_ssize_t i = 0; i < n; i++) {
            const struct pyccel_instance *instance = as_instance(args[i]);
            real[i] = instance == NULL ? args[i] : instance->real;
        }
        passed = real;
    }
    pkw_fast_count(variant->kernel.state);
    PyObject *result = PyObject_Vectorcall(function->target, passed, (size_t)nargs, kwnames);
    if (result == NULL)
        pyccel_explain_refusal(&variant->kernel, args, nargs, kwnames);
    else if (PyArray_CheckExact(result) || PyTuple_CheckExact(result))
        keep_read_only(result, args, n);
    if (function->role == ROLE_CONSTRUCTOR)
        return pyccel_adopt(function->module, result);
    return variant->n_objects > 0 ? same_instance(result, args, real, n) : result;
}

PyObject *
pyccel_function_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct pyccel_function *function = (struct pyccel_function *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (function->target == NULL && (function->target = find_target(function)) == NULL)
        return NULL;
    bool direct = !watching_active && !function->source->gives_objects;
    for (int i = 0; direct && i < function->source->n_variants; i++)
        if (is_clean_call(&function->source->variants[i], args, nargs, kwnames)
            && !links_objects(function, &function->source->variants[i], args, nargs, kwnames))
            return call_directly(function, &function->source->variants[i], args, nargs, kwnames);
    const pkw_py_variant *variant = choose_variant(function, args, nargs, kwnames);
    return variant == NULL ? NULL : pyccel_call(function, variant, args, nargs, kwnames);
}
