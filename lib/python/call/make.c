/* make.c - arrays that the caller left out: created ones of the caller's kind (C42), workspace in host memory. */
#include "base/backend.h"
#include "call_internal.h"
#include "arrays/dtypes.h"
#include "base/errors.h"
#include "arrays/to_device.h"

static int
declared_shape(struct call *call, int position, npy_intp shape[PKW_MAX_RANK])
{
    const pkw_param *param = &call->kernel->params[position];
    int64_t n_bytes = dtype_rows[param->dtype].size;
    for (int dim = 0; dim < param->rank; dim++) {
        const pkw_expr *expression = &param->shape[dim];
        int64_t extent;
        if (expression_value(call, expression, &extent) < 0)
            return -1;
        if (extent < 0)
            return raise_argument_error(PyExc_ValueError, call->kernel->name, param->name,
                                        "cannot be made: its size %s = %lld in dimension %d is negative",
                                        expression->text, (long long)extent, dim);
        if (extent > 0 && __builtin_mul_overflow(n_bytes, extent, &n_bytes))
            return raise_argument_error(PyExc_MemoryError, call->kernel->name, param->name,
                                        "cannot be made: its shape overflows 64 bits");
        shape[dim] = extent;
    }
    return 0;
}

/* Whether created arrays live on a device, and of which kind. */
static bool
wants_device(const struct call *call, struct array_model *model)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        if (argument->is_array && argument->given != NULL)
            model_offer(model, argument->given, &argument->info);
    }
    if (!backend_is_cupy())
        return model->like != NULL;
    if (!model->is_first) /* CuPy's arrays, on the device of the others */
        model->like = NULL;
    return true;
}

static PyObject *
new_host_array(const pkw_param *param, const npy_intp *shape)
{
    PyArray_Descr *descr = dtype_descr((pkw_dtype)param->dtype);
    if (descr == NULL)
        return NULL;
    int fortran = (param->flags & PKW_FORTRAN) != 0;
    if (is_write_only(param))
        return PyArray_Empty(param->rank, shape, descr, fortran);
    return PyArray_Zeros(param->rank, shape, descr, fortran);
}

static PyObject *
new_device_array(const pkw_param *param, const npy_intp *shape, const struct array_model *model)
{
    PyArray_Descr *descr = dtype_descr((pkw_dtype)param->dtype);
    if (descr == NULL)
        return NULL;
    PyObject *array = device_array_new(model, param->rank, shape, descr, (param->flags & PKW_FORTRAN) != 0);
    Py_DECREF(descr);
    return array;
}

static int
make_created(struct call *call, int position, const npy_intp *shape, bool on_device, const struct array_model *model)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    argument->made = on_device ? new_device_array(param, shape, model) : new_host_array(param, shape);
    if (argument->made == NULL)
        return -1;
    if (on_device) {
        char what[128];
        PyOS_snprintf(what, sizeof what, "argument '%s'", param->name);
        argument->is_array = read_new_device_array(argument->made, param->rank, shape, (pkw_dtype)param->dtype, call->kernel->name,
                                                   what, &argument->info)
                             == 0;
    } else {
        argument->is_array = read_numpy_array(argument->made, &argument->info) == READ_DONE;
    }
    return argument->is_array ? 0 : -1;
}

static bool
is_missing(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    return call->kernel->params[position].kind == PKW_ARRAY && argument->given == NULL && !argument->is_null;
}

int
make_missing(struct call *call)
{
    bool asked = false, on_device = false;
    struct array_model model = {0};
    for (int i = 0; i < call->kernel->n_params; i++) {
        npy_intp shape[PKW_MAX_RANK];
        const pkw_param *param = &call->kernel->params[i];
        if (!is_missing(call, i))
            continue;
        if (declared_shape(call, i, shape) < 0)
            return -1;
        if (param->flags & PKW_SCRATCH) {
            call->arguments[i].packed = (PyArrayObject *)new_host_array(param, shape);
            if (call->arguments[i].packed == NULL)
                return -1;
            continue;
        }
        if (!asked)
            on_device = wants_device(call, &model);
        asked = true;
        call->n_made += on_device;
        if (make_created(call, i, shape, on_device, &model) < 0)
            return -1;
    }
    return 0;
}
