/* tables.c - the constant tables of a kernel: lib/include/pkwrap.h says what they mean. */
#include <string.h>

#include "fast_internal.h"

static const char *const codes[] = {
    [OP_CONST] = "PKW_OP_CONST", [OP_PARAM] = "PKW_OP_PARAM", [OP_ADD] = "PKW_OP_ADD", [OP_SUB] = "PKW_OP_SUB",
    [OP_MUL] = "PKW_OP_MUL",     [OP_DIV] = "PKW_OP_DIV",     [OP_MOD] = "PKW_OP_MOD", [OP_NEG] = "PKW_OP_NEG",
};

/* A pkw_expr's initializer. */
static void
add_expr(const struct emission *e, const struct plan_expr *expr)
{
    struct text *out = e->out;
    if (expr->n_ops == 0) {
        text_add(out, "PKW_FREE");
        return;
    }
    text_add(out, "PKW_EXPR(");
    emit_string(out, expr->text, 0);
    for (int i = 0; i < expr->n_ops; i++) {
        const struct plan_op *op = &expr->ops[i];
        text_add(out, ", {");
        if (op->code == OP_CONST)
            emit_constant(e, out, op);
        else
            emit_integer(out, op->code == OP_PARAM ? op->value : 0);
        text_printf(out, ", %s}", codes[op->code]);
    }
    text_add(out, ")");
}

static void
add_flags(struct text *out, const struct plan_param *param)
{
    const struct {
        bool set;
        const char *name;
    } flags[] = {
        {param->written, "PKW_WRITTEN"},
        {param->overwritten, "PKW_OVERWRITTEN"},
        {param->create, "PKW_CREATE"},
        {param->scratch, "PKW_SCRATCH"},
        {param->nullable, "PKW_NULLABLE"},
        {param->is_restrict, "PKW_RESTRICT"},
        {param->keyword_only, "PKW_KEYWORD_ONLY"},
        {param->refuse_empty, "PKW_REFUSE_EMPTY"},
        {param->kind != PLAN_VALUE && param->literal.kind != LITERAL_NONE && param->literal.kind != LITERAL_NULL,
         "PKW_HAS_DEFAULT"},
        {param->kind == PLAN_ARRAY && strcmp(param->order, "F") == 0, "PKW_FORTRAN"},
        {param->kind == PLAN_CELL && param->read, "PKW_READ"},
        {param->is_enum, "PKW_IS_ENUM"},
        {param->kind != PLAN_VALUE && param->literal.kind == LITERAL_NULL, "PKW_DEFAULT_NONE"},
    };
    const char *separator = ",\n     .flags = ";
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].set) {
            text_printf(out, "%s%s", separator, flags[i].name);
            separator = " | ";
        }
}

static void
add_preset(struct text *out, const struct plan_param *param)
{
    const struct plan_literal *literal = &param->literal;
    if (literal->kind == LITERAL_NONE || literal->kind == LITERAL_NULL)
        return;
    if (literal->kind != LITERAL_STRING) {
        text_printf(out, ",\n     .preset = {.%s = ", dtype_slot(param->dtype));
        emit_number(out, param->dtype, literal);
        text_add(out, "}");
    } else if (param->dtype != PKW_NO_DTYPE) { /* a char */
        text_printf(out, ",\n     .preset = {.i8 = %d}", literal->string[0]);
    } else {
        text_add(out, ",\n     .preset = {.ptr = (void *)");
        emit_string(out, literal->string, 0);
        text_add(out, "}, .preset_text = ");
        emit_string(out, literal->string, 0);
    }
}

static void
add_param(const struct emission *e, const struct plan_param *param)
{
    struct text *out = e->out;
    text_add(out, "    {.name = ");
    emit_string(out, param->name, 0);
    text_add(out, ", .c_type = ");
    emit_string(out, param->c_type, 0);
    text_printf(out, ", .kind = %s, .dtype = %s", kind_rows[param->kind].table, dtype_id(param->dtype));
    if (param->kind == PLAN_ARRAY)
        text_printf(out, ", .rank = %d", param->rank);
    if (param->kind == PLAN_SIZE)
        text_printf(out, ", .from_param = %d, .from_dim = %d", param->from_param, param->from_dim);
    add_flags(out, param);
    if (param->kind == PLAN_ARRAY && param->rank > 0) {
        text_add(out, ",\n     .shape = (const pkw_expr[]){");
        for (int i = 0; i < param->rank; i++) {
            text_add(out, i ? ", " : "");
            add_expr(e, &param->shape[i]);
        }
        text_add(out, "}");
    }
    if (param->value.n_ops > 0) {
        text_add(out, ",\n     .value = ");
        add_expr(e, &param->value);
    }
    add_preset(out, param);
    text_add(out, "},\n");
}

void
emit_tables(const struct emission *e)
{
    if (e->kernel->n_params > 0) {
        text_printf(e->out, "static const pkw_param %s__params[] = {\n", e->kernel->c_name);
        for (int i = 0; i < e->kernel->n_params; i++)
            add_param(e, &e->kernel->params[i]);
        text_add(e->out, "};\n\n");
    }
    text_printf(e->out, "static pkw_kernel_state %s__state;\n\n", e->kernel->c_name);
}

static void
add_positions(struct text *out, const char *member, const int *positions, int n)
{
    if (n == 0)
        return;
    text_printf(out, "    .%s = (const int16_t[]){", member);
    for (int i = 0; i < n; i++)
        text_printf(out, "%s%d", i ? ", " : "", positions[i]);
    text_add(out, "},\n");
}

void
emit_kernel_table(const struct emission *e)
{
    static const char *const gils[] = {
        [GIL_AUTO] = "PKW_GIL_AUTO", [GIL_HOLD] = "PKW_GIL_HOLD", [GIL_RELEASE] = "PKW_GIL_RELEASE"};
    const struct plan_kernel *kernel = e->kernel;
    const struct model_type *returns = &kernel->returns;
    struct text *out = e->out;
    text_printf(out, "static const pkw_kernel %s__kernel = {\n    .name = ", kernel->c_name);
    emit_string(out, kernel->name, 0);
    text_add(out, ",\n    .module = ");
    emit_string(out, e->plan->module, 0);
    text_add(out, ",\n");
    if (kernel->n_params > 0)
        text_printf(out, "    .params = %s__params,\n", kernel->c_name);
    add_positions(out, "visible", kernel->visible, kernel->n_visible);
    add_positions(out, "results", kernel->results, kernel->n_results);
    const struct {
        const char *member;
        int value;
    } counts[] = {{"n_params", kernel->n_params},
                  {"n_visible", kernel->n_visible},
                  {"n_required", kernel->n_required},
                  {"n_positional", kernel->n_positional},
                  {"n_results", kernel->n_results}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value != 0)
            text_printf(out, "    .%s = %d,\n", counts[i].member, counts[i].value);
    text_printf(out, "    .gil = %s,\n", gils[kernel->gil]);
    if (kernel->thread_safe)
        text_add(out, "    .thread_safe = 1,\n");
    if (returns->kind == KIND_STRING)
        text_add(out, "    .return_kind = PKW_RETURN_STRING,\n");
    else if (!returns->is_void)
        text_printf(out, "    .return_kind = %s,\n    .return_dtype = %s,\n",
                    returns->is_char ? "PKW_RETURN_CHAR" : "PKW_RETURN_SCALAR", dtype_id(returns->dtype));
    text_printf(out, "    .run = %s__run,\n    .state = &%s__state,\n    .module_state = &module__state,\n};\n\n",
                kernel->c_name, kernel->c_name);
}
