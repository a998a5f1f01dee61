/* fast.c - the wrapper of a kernel: its fast path, then libpkwrap's general one.
 *
 * The fast path takes a positional call with exact NumPy arrays of the declared dtype, rank and layout and plain Python
 * scalars, provided that every size agrees and nothing needs a decision. Here it is decided which calls those are:
 * fast_checks.c writes the checks, this file the rest.
 */
#include "fast_internal.h"

#include <string.h>

static bool
is_source(const struct plan_param *array, int dim, int size_position)
{
    const struct plan_expr *expr = &array->shape[dim];
    return expr->n_ops == 1 && expr->ops[0].code == OP_PARAM && expr->ops[0].value == size_position;
}

bool
fast_size_source(const struct plan_kernel *kernel, int position, int *array, int *dim)
{
    const struct plan_param *size = &kernel->params[position];
    if (size->from_param >= 0 && !kernel->params[size->from_param].nullable) {
        *array = size->from_param;
        *dim = size->from_dim;
        return true;
    }
    for (int i = 0; i < kernel->n_params; i++)
        for (int k = 0; k < kernel->params[i].rank && !kernel->params[i].nullable; k++)
            if (is_source(&kernel->params[i], k, position)) {
                *array = i;
                *dim = k;
                return true;
            }
    return false;
}

/* Least number of positional arguments that the fast path takes: a created array must be there. -1: there is no fast path. */
static int
least_arguments(const struct plan_kernel *kernel)
{
    int least = kernel->n_required < kernel->n_positional ? kernel->n_required : kernel->n_positional;
    if (kernel->gil == GIL_RELEASE || kernel->returns.kind == KIND_STRING || kernel->returns.is_char
        || dtype_is_bits(kernel->returns.dtype))
        return -1;
    for (int i = 0; i < kernel->n_params; i++)
        if (kind_rows[kernel->params[i].kind].is_fast != NULL && !kind_rows[kernel->params[i].kind].is_fast(kernel, i))
            return -1;
    for (int i = 0; i < kernel->n_visible; i++) {
        const struct plan_param *param = &kernel->params[kernel->visible[i]];
        bool needed = !param->optional || param->create;
        if (needed && i >= kernel->n_positional)
            return -1; /* only by keyword */
        if (needed && i >= least)
            least = i + 1;
    }
    return least;
}

/* A Python object of a C value. */
static void
add_object(struct text *out, pkw_dtype dtype, const char *value)
{
    switch (dtype_kind(dtype)) {
    case 'b':
        text_printf(out, "PyBool_FromLong(%s)", value);
        return;
    case 'i':
        text_printf(out, "PyLong_FromLongLong(%s)", value);
        return;
    case 'u':
        text_printf(out, "PyLong_FromUnsignedLongLong(%s)", value);
        return;
    default:
        if (dtype == PKW_F64 || dtype == PKW_F32)
            text_printf(out, "PyFloat_FromDouble(%s)", value);
        else
            text_printf(out, "pkwrap->from_slot(%s, &(pkw_slot){.%s = %s})", dtype_id(dtype), dtype_slot(dtype), value);
    }
}

static void
add_result(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    if (param->kind == PLAN_ARRAY) {
        text_printf(e->out, "Py_NewRef((PyObject *)%s)", e->locals[position]);
        return;
    }
    struct text cell = {0};
    text_printf(&cell, "%s_cell", e->locals[position]);
    add_object(e->out, param->dtype, cell.data);
    text_release(&cell);
}

static void
add_return(const struct emission *e, int indent)
{
    const struct plan_kernel *kernel = e->kernel;
    bool own = !kernel->returns.is_void;
    int n = kernel->n_results + own;
    const char *separator = "";
    if (n == 0) {
        text_printf(e->out, "%*sPy_RETURN_NONE;\n", indent, "");
        return;
    }
    text_printf(e->out, "%*sreturn ", indent, "");
    if (n > 1)
        text_printf(e->out, "pkw_fast_tuple(%d, (PyObject *[]){", n);
    if (own) {
        add_object(e->out, kernel->returns.dtype, "result");
        separator = ", ";
    }
    for (int i = 0; i < kernel->n_results; i++) {
        text_add(e->out, separator);
        add_result(e, kernel->results[i]);
        separator = ", ";
    }
    text_printf(e->out, "%s;\n", n > 1 ? "})" : "");
}

/* The variables behind the pointers of scalars, of the declared type, since the kernel writes them as that. */
static void
add_cells(const struct emission *e, int indent)
{
    for (int i = 0; i < e->kernel->n_params; i++) {
        const struct plan_param *param = &e->kernel->params[i];
        if (param->kind != PLAN_CELL)
            continue;
        text_printf(e->out, "%*s%s %s_cell = ", indent, "", cell_type(e, i), e->locals[i]);
        if (param->visible && param->is_enum)
            text_printf(e->out, "(%s)%s", cell_type(e, i), e->locals[i]);
        else if (param->visible)
            text_add(e->out, e->locals[i]);
        else if (param->literal.kind != LITERAL_NONE)
            emit_number(e->out, param->dtype, &param->literal);
        else
            text_add(e->out, "0");
        text_add(e->out, ";\n");
    }
}

static void
add_call(const struct emission *e, int indent)
{
    const struct plan_kernel *kernel = e->kernel;
    text_printf(e->out, "%*spkw_fast_count(&%s__state);\n", indent, "", kernel->c_name);
    add_cells(e, indent);
    text_printf(e->out, "%*s", indent, "");
    if (!kernel->returns.is_void)
        text_printf(e->out, "const %s result = ", dtype_ctype(kernel->returns.dtype));
    text_printf(e->out, "%s__call(", kernel->c_name);
    for (int i = 0; i < kernel->n_params; i++) {
        text_add(e->out, i ? ", " : "");
        kind_rows[kernel->params[i].kind].pass(e, i);
    }
    text_add(e->out, ");\n");
    add_return(e, indent);
}

static void
add_fast_path(const struct emission *e, int least)
{
    struct fast_checks checks = {0};
    for (int i = 0; i < e->kernel->n_params; i++)
        if (kind_rows[e->kernel->params[i].kind].declare != NULL)
            kind_rows[e->kernel->params[i].kind].declare(e, i);
    fast_checks_make(&checks, e, least);
    text_printf(e->out, "\n    if (%s) {\n", checks.arguments.data);
    text_add_n(e->out, checks.statements.data, checks.statements.length);
    if (checks.sizes.length > 0) {
        text_printf(e->out, "        if (%s) {\n", checks.sizes.data);
        add_call(e, 12);
        text_add(e->out, "        }\n");
    } else {
        add_call(e, 8);
    }
    text_add(e->out, "    }\n");
    fast_checks_release(&checks);
}

void
emit_wrapper(const struct emission *e)
{
    int least = least_arguments(e->kernel);
    text_printf(e->out,
                "static PyObject *\n"
                "%s__wrapper(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)\n"
                "{\n"
                "    (void)module;\n",
                e->kernel->c_name);
    if (least >= 0)
        add_fast_path(e, least);
    text_printf(e->out, "    return pkwrap->call(&%s__kernel, args, nargs, kwnames);\n}\n\n", e->kernel->c_name);
}
