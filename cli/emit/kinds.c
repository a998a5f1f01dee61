/* kinds.c - the kinds of parameters: what the sections of a wrapper and its tables say of each, a row a kind. A section that a kind
 * has nothing to say in is NULL in its row.
 */
#include "fast_internal.h"

#include <string.h>

/* --- whether the fast path can take it --- */

static bool
array_is_fast(const struct plan_kernel *kernel, int position)
{
    const struct plan_param *param = &kernel->params[position];
    return param->visible && !param->scratch && dtype_is_numpys(param->dtype) && !(param->create && param->keyword_only);
}

static bool
scalar_is_fast(const struct plan_kernel *kernel, int position)
{
    return dtype_has_reader(kernel->params[position].dtype);
}

static bool
cell_is_fast(const struct plan_kernel *kernel, int position)
{
    const struct plan_param *param = &kernel->params[position];
    if (param->literal.kind == LITERAL_NULL)
        return false; /* left out, it is no scalar but NULL */
    return dtype_has_reader(param->dtype) || (!param->visible && !dtype_is_bits(param->dtype));
}

static bool
size_is_fast(const struct plan_kernel *kernel, int position)
{
    const struct plan_param *param = &kernel->params[position];
    int array, dim;
    return (param->visible && !param->optional) || fast_size_source(kernel, position, &array, &dim);
}

static bool
value_is_fast(const struct plan_kernel *kernel, int position)
{
    return !dtype_is_bits(kernel->params[position].dtype);
}

/* --- its variable --- */

static bool
has_preset(const struct plan_param *param)
{
    return param->optional && param->literal.kind != LITERAL_NONE;
}

static void
declare_array(const struct emission *e, int position)
{
    text_printf(e->out, "    const pkw_ndarray *%s%s;\n", e->locals[position],
                e->kernel->params[position].nullable ? " = NULL" : "");
}

static void
declare_size(const struct emission *e, int position)
{
    if (e->kernel->params[position].visible)
        text_printf(e->out, "    int64_t %s = 0;\n", e->locals[position]);
}

static void
declare_scalar(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    if (!param->visible)
        return;
    text_printf(e->out, "    %s %s", dtype_ctype(param->dtype), e->locals[position]);
    if (has_preset(param)) {
        text_add(e->out, " = ");
        emit_number(e->out, param->dtype, &param->literal);
    }
    text_add(e->out, ";\n");
}

static void
declare_string(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    text_printf(e->out, "    const char *%s", e->locals[position]);
    if (has_preset(param)) {
        text_add(e->out, " = ");
        if (param->literal.kind == LITERAL_STRING)
            emit_string(e->out, param->literal.string, 0);
        else
            text_add(e->out, "NULL");
    }
    text_add(e->out, ";\n");
}

static void
declare_char(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    text_printf(e->out, "    char %s", e->locals[position]);
    if (has_preset(param))
        text_printf(e->out, " = %d",
                    param->literal.kind == LITERAL_STRING ? param->literal.string[0] : (int)param->literal.integer);
    text_add(e->out, ";\n");
}

/* --- the condition that fills the variable --- */

static void
take_array(const struct emission *e, struct text *out, int position, int argument)
{
    const struct plan_param *param = &e->kernel->params[position];
    const char *order = param->rank > 1 && strcmp(param->order, "F") == 0 ? "PKW_NPY_F" : "PKW_NPY_C";
    if (param->nullable)
        text_printf(out, "args[%d] == Py_None || ", argument);
    text_printf(out, "(%s = pkw_fast_array(pkwrap, args[%d], %s, %d, %s | PKW_NPY_ALIGNED%s)) != NULL", e->locals[position],
                argument, dtype_id(param->dtype), param->rank, order, param->written ? " | PKW_NPY_WRITEABLE" : "");
}

static void
take_size(const struct emission *e, struct text *out, int position, int argument)
{
    text_printf(out, "pkw_fast_integer(args[%d], &%s)", argument, e->locals[position]);
}

static void
take_scalar(const struct emission *e, struct text *out, int position, int argument)
{
    text_printf(out, "pkw_fast_%s(args[%d], &%s)", dtype_slot(e->kernel->params[position].dtype), argument,
                e->locals[position]);
}

static void
take_string(const struct emission *e, struct text *out, int position, int argument)
{
    if (e->kernel->params[position].nullable)
        text_printf(out, "(args[%d] == Py_None && (%s = NULL, true)) || ", argument, e->locals[position]);
    text_printf(out, "pkw_fast_string(args[%d], &%s)", argument, e->locals[position]);
}

static void
take_char(const struct emission *e, struct text *out, int position, int argument)
{
    text_printf(out, "pkw_fast_char(args[%d], &%s)", argument, e->locals[position]);
}

/* --- what the call passes --- */

static void
pass_variable(const struct emission *e, int position)
{
    text_add(e->out, e->locals[position]);
}

static void
pass_array(const struct emission *e, int position)
{
    if (e->kernel->params[position].nullable)
        text_printf(e->out, "%s == NULL ? NULL : ", e->locals[position]);
    text_printf(e->out, "(void *)%s->data", e->locals[position]);
}

static void
pass_size(const struct emission *e, int position)
{
    text_printf(e->out, "(%s)%s", dtype_ctype(e->kernel->params[position].dtype), e->locals[position]);
}

static void
pass_value(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    const struct plan_expr *value = &param->value;
    struct text *out = e->out;
    if (value->n_ops == 1 && value->ops[0].code == OP_CONST)
        emit_constant(e, out, &value->ops[0]);
    else if (value->n_ops > 0)
        pass_size(e, position);
    else if (param->literal.kind == LITERAL_NULL)
        text_add(out, "NULL");
    else if (param->literal.kind == LITERAL_STRING && param->dtype == PKW_NO_DTYPE)
        emit_string(out, param->literal.string, 0);
    else if (param->literal.kind == LITERAL_STRING)
        text_printf(out, "%d", param->literal.string[0]);
    else
        emit_number(out, param->dtype, &param->literal);
}

static void
pass_cell(const struct emission *e, int position)
{
    text_printf(e->out, "&%s_cell", e->locals[position]);
}

const struct kind_row kind_rows[] = {
    /* table         fast             declare          take          pass */
    [PLAN_ARRAY] = {"PKW_ARRAY", array_is_fast, declare_array, take_array, pass_array},
    [PLAN_SCALAR] = {"PKW_SCALAR", scalar_is_fast, declare_scalar, take_scalar, pass_variable},
    [PLAN_SIZE] = {"PKW_SIZE", size_is_fast, declare_size, take_size, pass_size},
    [PLAN_VALUE] = {"PKW_VALUE", value_is_fast, NULL, NULL, pass_value}, /* never visible */
    [PLAN_CELL] = {"PKW_CELL", cell_is_fast, declare_scalar, take_scalar, pass_cell},
    [PLAN_STRING] = {"PKW_STRING", NULL, declare_string, take_string, pass_variable},
    [PLAN_CHAR] = {"PKW_CHAR", NULL, declare_char, take_char, pass_variable},
};
