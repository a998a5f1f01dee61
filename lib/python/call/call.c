/* call.c - the whole call: the steps in their order, and everything given back at the end. */
#include "call.h"

#include <string.h>

#include "arrays/staging.h"
#include "base/runtime.h"

static int
carry_out_steps(struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (bind_arguments(call, args, nargs, kwnames) < 0 || read_arguments(call) < 0 || find_sizes(call) < 0
        || check_shapes(call) < 0 || make_missing(call) < 0 || check_overlaps(call) < 0 || prepare_arrays(call) < 0)
        return -1;
    if ((watching_active ? run_watched(call) : call->operations->run(call)) < 0)
        return -1;
    return finish_arrays(call);
}

static void
call_release(struct call *call)
{
    if (call->operations->release != NULL)
        call->operations->release(call);
    if (call->n_device > 0)
        staging_release(&call->session);
    for (int i = 0; i < call->kernel->n_params; i++) {
        struct argument *argument = &call->arguments[i];
        Py_XDECREF(argument->passed);
        Py_XDECREF((PyObject *)argument->packed);
        Py_XDECREF((PyObject *)argument->array); /* before the memory that it shows */
        if (argument->is_array)
            array_info_release(&argument->info);
        Py_XDECREF(argument->made);
        Py_XDECREF(argument->resolved);
    }
}

enum { FEW = 12 }; /* parameters whose records fit on the stack: some 14 KiB */

PyObject *
carry_out(struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct argument few_arguments[FEW];
    pkw_slot few_slots[2 * FEW];
    size_t n = (size_t)call->kernel->n_params;
    call->arguments = few_arguments;
    call->slots = few_slots;
    if (n > FEW) {
        call->slots = PyMem_Malloc(n * (2 * sizeof *call->slots + sizeof *call->arguments));
        if (call->slots == NULL)
            return PyErr_NoMemory();
        call->arguments = (struct argument *)(call->slots + 2 * n);
    }
    call->cells = call->slots + n;
    memset(call->slots, 0, 2 * n * sizeof *call->slots);
    for (size_t i = 0; i < n; i++) {
        /* All but info, whose shape and strides are large and are written before they are read. */
        memset(&call->arguments[i], 0, offsetof(struct argument, info));
        call->arguments[i].view = -1;
    }
    PyObject *results = NULL;
    if (carry_out_steps(call, args, nargs, kwnames) == 0)
        results = call->operations->results(call);
    call_release(call);
    if (n > FEW)
        PyMem_Free(call->slots);
    return results;
}

/* What C functions can use as it lies: aligned, packed in the order that they expect. */
static bool
fits_function(const pkw_param *param, PyArrayObject *array)
{
    return PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED
                                       | (param->flags & PKW_FORTRAN ? NPY_ARRAY_F_CONTIGUOUS : NPY_ARRAY_C_CONTIGUOUS));
}

static const struct call_operations function_operations = {
    .fits = fits_function,
    .run = run_function,
    .results = build_results,
};

PyObject *
call_function(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct call call = {.kernel = kernel, .operations = &function_operations};
    return carry_out(&call, args, nargs, kwnames);
}
