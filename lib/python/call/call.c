/* call.c - the whole call: the steps in their order, and everything given back at the end; and the table of operations of C
 * functions.
 */
#include "call_internal.h"

#include <string.h>

#include "arrays/dtypes.h"
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

/* --- C functions -------------------------------------------------------------------------------------------------------- */

static PyObject *
own_result(const struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    switch ((pkw_return_kind)kernel->return_kind) {
    case PKW_RETURN_STRING: {
        const char *text = call->result.ptr;
        if (text == NULL)
            Py_RETURN_NONE;
        /* Bytes that are not UTF-8 come back unchanged when the str is passed to the file system or encoded alike. */
        return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
    }
    case PKW_RETURN_CHAR: return PyUnicode_FromOrdinal(call->result.u8);
    case PKW_RETURN_SCALAR:
    case PKW_RETURN_VOID: break;
    }
    return slot_to_object((pkw_dtype)kernel->return_dtype, &call->result);
}

/* What a returned parameter gives: the caller's own object where there is one. */
static PyObject *
parameter_result(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    if (argument->made != NULL)
        return Py_NewRef(argument->made);
    if (argument->is_array && argument->given != NULL)
        return Py_NewRef(argument->given);
    if (call->kernel->params[position].kind != PKW_CELL || argument->is_null)
        Py_RETURN_NONE;
    return slot_to_object((pkw_dtype)call->kernel->params[position].dtype, &call->cells[position]);
}

/* The function's own result, then returned scalars and created arrays in C order; one alone is no tuple. */
static PyObject *
build_results(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    bool has_own = kernel->return_kind != PKW_RETURN_VOID;
    Py_ssize_t n = kernel->n_results + has_own;
    if (n == 0)
        Py_RETURN_NONE;
    if (n == 1)
        return has_own ? own_result(call) : parameter_result(call, kernel->results[0]);
    PyObject *results = PyTuple_New(n);
    for (Py_ssize_t i = 0; results != NULL && i < n; i++) {
        PyObject *result =
            has_own && i == 0 ? own_result(call) : parameter_result(call, kernel->results[i - has_own]);
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyTuple_SET_ITEM(results, i, result);
    }
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
