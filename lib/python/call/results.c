/* results.c - the C function's own result, then returned scalars and created arrays in C order; one alone is no tuple. */
#include <string.h>

#include "call.h"
#include "arrays/dtypes.h"

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

PyObject *
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
