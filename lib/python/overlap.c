/* overlap.c - which host arrays of a call may share memory (manifest.md, section 2).
 *
 * Two arrays that overlap, one of them written, must both be used in place, so that the kernel sees the overlap; and neither may be
 * a written one that is declared restrict, or the other of such.
 */
#include "call.h"
#include "errors.h"
#include "prepare.h"

void
array_bounds(const struct array_info *info, uintptr_t *low, uintptr_t *high)
{
    size_t item_size = info->descr == NULL ? 2 : (size_t)PyDataType_ELSIZE(info->descr); /* bfloat16 without ml_dtypes */
    *low = info->pointer;
    *high = info->pointer + item_size;
    for (int i = 0; i < info->rank; i++) {
        int64_t reach = (info->shape[i] - 1) * info->strides[i];
        if (reach < 0)
            *low += (uintptr_t)reach;
        else
            *high += (uintptr_t)reach;
    }
}

/* Host memory that the caller gave, and that has elements. */
static bool
counts(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    return argument->is_array && argument->given != NULL && !argument->info.on_device
           && !is_empty_array(&argument->info);
}

/* Bounds meet; do elements? numpy.shares_memory solves it exactly; where it would take too long: yes. 1, 0 or -1. */
static int
share_elements(PyObject *first, PyObject *second)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *answer = numpy == NULL ? NULL : PyObject_CallMethod(numpy, "shares_memory", "OOi", first, second, 1000000);
    Py_XDECREF(numpy);
    if (answer == NULL) {
        if (PyErr_ExceptionMatches(PyExc_RuntimeError)) { /* numpy.exceptions.TooHardError is one */
            PyErr_Clear();
            return 1;
        }
        return -1;
    }
    int shared = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return shared;
}

static int
check_pair(const struct call *call, int first, int second)
{
    const pkw_param *params = call->kernel->params;
    const struct argument *one = &call->arguments[first], *other = &call->arguments[second];
    bool is_restrict = (params[first].flags | params[second].flags) & PKW_RESTRICT;
    bool in_place = fits_in_place(&params[first], one) && fits_in_place(&params[second], other);
    if (in_place && !is_restrict)
        return 0;
    /* Between contiguous arrays the bounds are the elements. */
    int shared = in_place ? 1 : share_elements((PyObject *)host_array(one), (PyObject *)host_array(other));
    if (shared <= 0)
        return shared;
    const char *written = params[is_written(&params[first]) ? first : second].name;
    return raise_call_error(PyExc_ValueError, call->kernel->name, "arguments '%s' and '%s' overlap, and '%s' is %s",
                            params[first].name, params[second].name, written,
                            in_place ? "written, which restrict excludes"
                                     : "written; the kernel needs another layout than they have, so it cannot see that "
                                       "they overlap");
}

int
check_overlaps(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        uintptr_t low, high;
        if (!counts(call, i))
            continue;
        array_bounds(&call->arguments[i].info, &low, &high);
        for (int j = i + 1; j < kernel->n_params; j++) {
            uintptr_t other_low, other_high;
            if (!counts(call, j) || !(is_written(&kernel->params[i]) || is_written(&kernel->params[j])))
                continue;
            array_bounds(&call->arguments[j].info, &other_low, &other_high);
            if (low < other_high && other_low < high && check_pair(call, i, j) < 0)
                return -1;
        }
    }
    return 0;
}
