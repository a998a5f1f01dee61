/* read_array.c - one array argument, described and judged before anything is copied. */
#include "call_internal.h"
#include "arrays/dtypes.h"
#include "base/errors.h"

static int
raise_wrong_array(const struct call *call, int position, int rank)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct argument *argument = &call->arguments[position];
    const char *expected = dtype_rows[param->dtype].name;
    if (!argument->is_array)
        return raise_argument_error(PyExc_TypeError, call->kernel->name, param->name,
                                    "must be a %d-dimensional %s array, not %s", rank, expected,
                                    Py_TYPE(argument->given)->tp_name);
    const struct array_info *info = &argument->info;
    if (info->descr == NULL)
        return raise_argument_error(PyExc_TypeError, call->kernel->name, param->name,
                                    "must be a %d-dimensional %s array, got a %d-dimensional %s array", rank, expected,
                                    info->rank, dtype_rows[info->dtype].name);
    return raise_argument_error(PyExc_TypeError, call->kernel->name, param->name,
                                "must be a %d-dimensional %s array, got a %d-dimensional %S array", rank, expected,
                                info->rank, (PyObject *)info->descr);
}

/* numpy.ma.is_masked(object): 1, 0, or -1 with an exception set. */
static int
is_masked(PyObject *object)
{
    PyObject *module = PyImport_ImportModule("numpy.ma");
    PyObject *answer = module == NULL ? NULL : PyObject_CallMethod(module, "is_masked", "O", object);
    Py_XDECREF(module);
    int masked = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return masked;
}

int
check_subclass(const struct call *call, int position)
{
    PyObject *object = call->arguments[position].given;
    if (!PyArray_Check(object) || PyArray_CheckExact(object) || !PyObject_HasAttrString(object, "mask"))
        return 0;
    int masked = is_masked(object);
    if (masked > 0)
        return raise_argument_error(PyExc_TypeError, call->kernel->name, call->kernel->params[position].name,
                                    "has masked elements, which the kernel would not leave out");
    return masked;
}

/* A host array of another library, as NumPy sees it for as long as the call takes. */
static enum read_answer
read_foreign_host_array(struct argument *argument)
{
    struct array_info *info = &argument->info;
    enum read_answer answer = read_dlpack_host_array(argument->given, info);
    if (answer != READ_DONE)
        return answer;
    if (info->descr == NULL && (info->descr = dtype_descr(info->dtype)) == NULL) { /* bfloat16, and why there is none */
        array_info_release(info);
        return READ_ERROR;
    }
    npy_intp shape[PKW_MAX_RANK], strides[PKW_MAX_RANK];
    for (int i = 0; i < info->rank; i++) {
        shape[i] = info->shape[i];
        strides[i] = info->strides[i];
    }
    Py_INCREF((PyObject *)info->descr);
    argument->array = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, info->descr, info->rank, shape, strides,
                                                            (void *)info->pointer,
                                                            info->read_only ? 0 : NPY_ARRAY_WRITEABLE, NULL);
    /* What is handed out of the call needs the memory for longer. */
    if (argument->array != NULL && PyArray_SetBaseObject(argument->array, Py_NewRef(argument->given)) == 0)
        return READ_DONE;
    array_info_release(info);
    return READ_ERROR;
}

int
read_array_argument(struct call *call, int position, int rank)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    struct array_info *info = &argument->info;
    enum read_answer answer = read_numpy_array(argument->given, info);
    if (answer == READ_NOT_MINE)
        answer = read_device_array(argument->given, info);
    if (answer == READ_NOT_MINE)
        answer = read_foreign_host_array(argument);
    if (answer == READ_ERROR)
        return name_argument_in_error(call->kernel->name, param->name);
    argument->is_array = answer == READ_DONE;
    if (!argument->is_array || info->dtype != param->dtype || info->rank != rank)
        return raise_wrong_array(call, position, rank);
    if (info->swapped && info->on_device)
        return raise_wrong_array(call, position, rank);
    if (info->read_only && param->flags & (PKW_WRITTEN | PKW_SCRATCH))
        return raise_argument_error(PyExc_ValueError, call->kernel->name, param->name,
                                    "is written by the kernel, but the given array is read-only");
    if (param->flags & PKW_REFUSE_EMPTY && is_empty_array(info))
        return raise_argument_error(PyExc_ValueError, call->kernel->name, param->name, "must not be empty");
    return 0;
}
