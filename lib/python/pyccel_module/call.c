/* call.c - what a compiled function does its own way in the pipeline: it gets objects, and may keep them. */
#include "arrays/dtypes.h"
#include "base/errors.h"
#include "instance_internal.h"
#include "arrays/staging.h"
#include "arrays/type_cache.h"

/* --- arguments that are no arrays --------------------------------------------------------------------------------- */

/* A scalar of NumPy, which has the parameter's element type, as the native one of that type. */
static PyObject *
native_scalar(const pkw_param *param, PyObject *scalar)
{
    PyArray_Descr *given = PyArray_DescrFromScalar(scalar), *native = dtype_descr((pkw_dtype)param->dtype);
    bool swapped;
    PyObject *exact = NULL;
    if (given != NULL && native != NULL && dtype_from_descr(given, &swapped) != param->dtype) {
        exact = Py_NewRef(scalar); /* the compiled module's to refuse */
    } else if (given != NULL && native != NULL) {
        pkw_slot value;
        PyArray_ScalarAsCtype(scalar, &value);
        exact = PyArray_Scalar(&value, native, NULL);
    }
    Py_XDECREF((PyObject *)given);
    Py_XDECREF((PyObject *)native);
    return exact;
}

/* A scalar of NumPy as what the compiled module takes and reads right: it takes Python's own int where the stub says "int", goes by
 * NumPy's type numbers, and reads numpy.True_ as False. Takes the reference. */
static PyObject *
exact_scalar(const pkw_param *param, PyObject *scalar)
{
    if (scalar == NULL)
        return NULL;
    PyObject *exact = NULL;
    if (PyArray_IsScalar(scalar, Bool))
        exact = PyBool_FromLong(PyObject_IsTrue(scalar));
    else if (!PyArray_IsScalar(scalar, Generic) || pyccel_takes_scalar(param, scalar))
        return scalar;
    else if ((exact = native_scalar(param, scalar)) != NULL && !pyccel_takes_scalar(param, exact)
             && PyArray_IsScalar(exact, Int64))
        Py_SETREF(exact, PyNumber_Index(exact));
    Py_DECREF(scalar);
    return exact;
}

/* A 0-d device array as a scalar. */
static int
download_scalar(struct call *call, int position)
{
    const char *function = call->kernel->name;
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    struct session session;
    call->n_converted++;
    const struct device_view *view =
        staging_open(&session, &argument->info, param->name, STAGE_READ, LAYOUT_C, function, call->kernel->state);
    PyArray_Descr *descr = argument->info.descr;
    if (view != NULL && descr == NULL)
        raise_argument_error(PyExc_TypeError, function, param->name, "has no NumPy dtype");
    else if (view != NULL)
        argument->passed = exact_scalar(param, PyArray_Scalar(view->host, descr, NULL));
    staging_release(&session);
    return argument->passed == NULL ? -1 : 0;
}

static int
read_scalar_object(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    int64_t value;
    if (PyLong_CheckExact(argument->given) && !pkw_fast_integer(argument->given, &value))
        return raise_argument_error(PyExc_OverflowError, call->kernel->name, param->name, "has more than 64 bits");
    if (PyArray_Check(argument->given) && PyArray_NDIM((PyArrayObject *)argument->given) == 0) {
        PyArrayObject *array = (PyArrayObject *)argument->given;
        argument->passed = exact_scalar(param, PyArray_ToScalar(PyArray_DATA(array), array));
        return argument->passed == NULL ? -1 : 0;
    }
    if (PyArray_IsScalar(argument->given, Generic)) {
        argument->passed = exact_scalar(param, Py_NewRef(argument->given));
        return argument->passed == NULL ? -1 : 0;
    }
    if (device_array_type(Py_TYPE(argument->given)) == TYPE_NEVER)
        return 0;
    enum read_answer answer = read_device_array(argument->given, &argument->info);
    if (answer == READ_ERROR)
        return name_argument_in_error(call->kernel->name, param->name);
    if (answer == READ_NOT_MINE)
        return 0;
    argument->is_array = true;
    if (argument->info.rank != 0)
        return raise_argument_error(PyExc_TypeError, call->kernel->name, param->name,
                                    "must be %s, got a device array of %d dimension%s", param->c_type,
                                    argument->info.rank, argument->info.rank == 1 ? "" : "s");
    return download_scalar(call, position);
}

static int
read_object(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    switch (call->kernel->params[position].kind) {
    case PKW_PY_SCALAR: return read_scalar_object(call, position);
    case PKW_PY_CLASS: return use_instance(call, position);
    default: argument->is_known = true; return 0;
    }
}

/* --- arrays ---------------------------------------------------------------------------------------------------------- */

/* A NumPy array whose descriptor is another than the native one of the same elements, for compiled code that goes by NumPy's type
 * numbers. */
static int
show_as_native(struct argument *argument)
{
    PyArrayObject *array = (PyArrayObject *)argument->given;
    PyArray_Descr *descr = dtype_descr(argument->info.dtype);
    if (descr == NULL)
        return -1;
    argument->array = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(array), PyArray_DIMS(array),
                                                            PyArray_STRIDES(array), PyArray_DATA(array),
                                                            PyArray_ISWRITEABLE(array) ? NPY_ARRAY_WRITEABLE : 0, NULL);
    return argument->array == NULL ? -1 : PyArray_SetBaseObject(argument->array, Py_NewRef(argument->given));
}

static int
pass_array(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    if (argument->packed != NULL)
        argument->passed = Py_NewRef((PyObject *)argument->packed);
    else if (argument->view >= 0)
        argument->passed = staged_array(session_view(&call->session, argument->view), dtype_descr(argument->info.dtype),
                                        argument->info.read_only ? 0 : NPY_ARRAY_WRITEABLE); /* as the original is (C11) */
    else if (!dtype_is_canonical(argument->info.dtype, argument->info.descr) && show_as_native(argument) < 0)
        return -1;
    else
        argument->passed = Py_NewRef((PyObject *)host_array(argument));
    return argument->passed == NULL ? name_argument_in_error(call->kernel->name, call->kernel->params[position].name) : 0;
}

static int
pass_arguments(struct call *call)
{
    if (refresh_instances(call) < 0)
        return -1;
    for (int i = 0; i < call->kernel->n_params; i++)
        if (call->kernel->params[i].kind == PKW_ARRAY && call->arguments[i].is_array && pass_array(call, i) < 0)
            return -1;
    return pyccel_keeps(call) == PKW_KEEPS_NOTHING && pyccel_call_of(call)->uses == NULL ? 0 : keep_before(call);
}

/* --- the call ---------------------------------------------------------------------------------------------------- */

static PyObject *
passed_object(const struct argument *argument)
{
    if (argument->passed != NULL)
        return argument->passed;
    return argument->given != NULL ? argument->given : argument->was_none ? Py_None : NULL;
}

static int
link_one(struct pyccel_instance *instance, const char *path, void *data)
{
    (void)path;
    return instance->class->refers_to_objects ? link_objects(instance, data) : 0;
}

/* What the objects among the arguments, and those that they refer to, refer to from now on. */
static int
link_arguments(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        struct pyccel_instance *instance = call->kernel->params[i].kind == PKW_PY_CLASS ? given_instance(call, i) : NULL;
        if (instance != NULL && visit_instances(instance, "", link_one, call) < 0)
            return -1;
    }
    return 0;
}

static int
settle_call(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    int n_objects = pyccel_variant_of(call)->n_objects;
    struct pyccel_instance *self = pyccel_keeps(call) == PKW_KEEPS_IN_SELF ? given_instance(call, 0) : NULL;
    if ((pyccel_call_of(call)->uses != NULL || pyccel_keeps(call) != PKW_KEEPS_NOTHING) && keep_after(call) < 0)
        return -1;
    if (self != NULL && kernel->params[0].flags & PKW_NOT_LOOKED_INTO) /* the setter of an attribute */
        note_set(self, kernel->params[1].name);
    if (self != NULL && keep_arrays(self, call, NULL) < 0)
        return -1;
    if ((pyccel_call_of(call)->function->links || n_objects > 1) && link_arguments(call) < 0)
        return -1;
    return n_objects > 0 ? settle_instances(call) : 0;
}

static int
run_compiled(struct call *call)
{
    struct pyccel_call *compiled = (struct pyccel_call *)call;
    const pkw_kernel *kernel = call->kernel;
    PyObject *objects[kernel->n_params + 1], *names[kernel->n_params + 1];
    int n_positional = 0, n_keywords = 0;
    for (int i = 0; i < kernel->n_params; i++) {
        PyObject *object = passed_object(&call->arguments[i]);
        if (object == NULL)
            continue;
        if (n_positional == i && !(kernel->params[i].flags & PKW_KEYWORD_ONLY))
            n_positional++;
        else
            names[n_keywords++] = PyUnicode_FromString(kernel->params[i].name);
        objects[n_positional + n_keywords - 1] = object;
    }
    PyObject *keywords = n_keywords == 0 ? NULL : PyTuple_New(n_keywords);
    for (int i = 0; i < n_keywords; i++) {
        if (keywords != NULL)
            PyTuple_SET_ITEM(keywords, i, names[i]);
        else
            Py_XDECREF(names[i]);
    }
    for (int i = 0; i < n_keywords && keywords != NULL; i++)
        if (PyTuple_GET_ITEM(keywords, i) == NULL)
            Py_CLEAR(keywords);
    if (n_keywords > 0 && keywords == NULL)
        return -1;
    pkw_fast_count(kernel->state);
    compiled->returned = PyObject_Vectorcall(compiled->function->target, objects, (size_t)n_positional, keywords);
    if (compiled->returned == NULL)
        pyccel_explain_refusal(kernel, objects, n_positional, keywords);
    Py_XDECREF(keywords);
    return compiled->returned == NULL ? -1 : settle_call(call);
}

static void
release_call(struct call *call)
{
    release_instances(call);
    Py_XDECREF(((struct pyccel_call *)call)->returned);
}

static const struct call_operations compiled_operations = {
    .fits = pyccel_takes_array,
    .read = read_object,
    .stage = stage_instances,
    .pass = pass_arguments,
    .run = run_compiled,
    .collect = collect_instances,
    .results = pyccel_results,
    .release = release_call,
    .watch = watch_instances,
};

PyObject *
pyccel_call(const struct pyccel_function *function, const pkw_py_variant *variant, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames)
{
    struct pyccel_call call = {.call = {.kernel = &variant->kernel, .operations = &compiled_operations}, .function = function};
    return carry_out(&call.call, args, nargs, kwnames);
}
