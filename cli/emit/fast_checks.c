/* fast_checks.c - the conditions of a wrapper's fast path. Each must let through only calls for which the general
 * path would do the same as the direct call. */
#include <string.h>

#include "fast_internal.h"

static void
begin(struct text *chain, int indent)
{
    if (chain->length > 0)
        text_printf(chain, "\n%*s&& ", indent, "");
}

/* Starts a condition among those on arguments, or among those on sizes. */
static struct text *
argument_condition(struct fast_checks *checks)
{
    begin(&checks->arguments, 8);
    return &checks->arguments;
}

static struct text *
size_condition(struct fast_checks *checks)
{
    begin(&checks->sizes, 12);
    return &checks->sizes;
}

/* --- expressions --- */

static bool
is_constant_value(const struct plan_param *param)
{
    return param->kind == PLAN_VALUE && param->value.n_ops == 1 && param->value.ops[0].code == OP_CONST;
}

/* An operand: a number, a constant of the header, or the variable of a parameter. In the plan's arena. */
static const char *
operand(const struct emission *e, const struct plan_op *op)
{
    struct text text = {0};
    const struct plan_param *param = op->code == OP_PARAM ? &e->kernel->params[op->value] : NULL;
    if (param == NULL)
        emit_constant(e, &text, op);
    else if (is_constant_value(param))
        emit_constant(e, &text, &param->value.ops[0]);
    else if (param->kind == PLAN_VALUE && param->value.n_ops == 0)
        emit_number(&text, param->dtype, &param->literal);
    else
        text_add(&text, e->locals[op->value]);
    const char *result = arena_copy(e->plan->arena, text.data);
    text_release(&text);
    return result;
}

/* An expression in C. One operand stays itself; everything else goes through the functions that notice overflow. */
static const char *
expression(struct fast_checks *checks, const struct emission *e, const struct plan_expr *expr)
{
    static const char *const functions[] = {[OP_ADD] = "add", [OP_SUB] = "sub", [OP_MUL] = "mul",
                                            [OP_DIV] = "div", [OP_MOD] = "mod"};
    struct arena *arena = e->plan->arena;
    const char **stack = arena_take(arena, (size_t)expr->n_ops, sizeof *stack);
    int n = 0;
    for (int i = 0; i < expr->n_ops; i++) {
        const struct plan_op *op = &expr->ops[i];
        if (op->code == OP_CONST || op->code == OP_PARAM) {
            stack[n++] = operand(e, op);
            continue;
        }
        checks->uses_bad = true;
        if (op->code == OP_NEG) {
            stack[n - 1] = arena_printf(arena, "pkw_fast_sub(0, %s, &bad)", stack[n - 1]);
        } else {
            n--;
            stack[n - 1] = arena_printf(arena, "pkw_fast_%s(%s, %s, &bad)", functions[op->code], stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}

/* --- arguments --- */

static void
add_argument(struct fast_checks *checks, const struct emission *e, int argument, int least)
{
    int position = e->kernel->visible[argument];
    const struct plan_param *param = &e->kernel->params[position];
    struct text *out = argument_condition(checks);
    bool may_lack = argument >= least, parenthesized = may_lack || param->nullable;
    text_add(out, parenthesized ? "(" : "");
    if (may_lack)
        text_printf(out, "nargs <= %d || ", argument);
    kind_rows[param->kind].take(e, out, position, argument);
    text_add(out, parenthesized ? ")" : "");
}

static void
add_arguments(struct fast_checks *checks, const struct emission *e, int least)
{
    const struct plan_kernel *kernel = e->kernel;
    struct text *out = argument_condition(checks);
    if (least == kernel->n_positional)
        text_printf(out, "nargs == %d", least);
    else if (least == 0)
        text_printf(out, "nargs <= %d", kernel->n_positional);
    else
        text_printf(out, "nargs >= %d && nargs <= %d", least, kernel->n_positional);
    text_printf(out, " && kwnames == NULL && pkw_fast_idle(pkwrap, %s)", kernel->thread_safe ? "NULL" : "&module__state");
    for (int i = 0; i < kernel->n_positional; i++)
        add_argument(checks, e, i, least);
}

/* --- what follows from the arguments --- */

/* True if the size's variable is, by its definition, this dimension: nothing to compare. */
static bool
defines(const struct plan_kernel *kernel, int size_position, int array, int dim)
{
    const struct plan_param *size = &kernel->params[size_position];
    int from_array, from_dim;
    return size->kind == PLAN_SIZE && !size->visible && fast_size_source(kernel, size_position, &from_array, &from_dim)
           && from_array == array && from_dim == dim;
}

static void
add_sizes(struct fast_checks *checks, const struct emission *e)
{
    const struct plan_kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        int array, dim;
        if (kernel->params[i].kind != PLAN_SIZE || !fast_size_source(kernel, i, &array, &dim))
            continue;
        if (!kernel->params[i].visible) {
            text_printf(&checks->statements, "        const int64_t %s = %s->dimensions[%d];\n", e->locals[i],
                        e->locals[array], dim);
            continue;
        }
        for (int k = 0; k < kernel->n_visible && kernel->params[i].optional; k++)
            if (kernel->visible[k] == i)
                text_printf(&checks->statements, "        if (nargs <= %d)\n            %s = %s->dimensions[%d];\n", k,
                            e->locals[i], e->locals[array], dim);
    }
}

static bool
is_computed(const struct plan_param *param)
{
    return param->kind == PLAN_VALUE && param->value.n_ops > 0 && !is_constant_value(param);
}

/* Filled-in values, each after those that it is computed from. */
static void
add_values(struct fast_checks *checks, const struct emission *e)
{
    const struct plan_kernel *kernel = e->kernel;
    bool *done = arena_take(e->plan->arena, (size_t)kernel->n_params, sizeof *done), progress = true;
    while (progress) {
        progress = false;
        for (int i = 0; i < kernel->n_params; i++) {
            const struct plan_param *param = &kernel->params[i];
            bool ready = is_computed(param) && !done[i];
            for (int k = 0; ready && k < param->value.n_ops; k++) {
                const struct plan_op *op = &param->value.ops[k];
                if (op->code == OP_PARAM && is_computed(&kernel->params[op->value]) && !done[op->value])
                    ready = false;
            }
            if (!ready)
                continue;
            text_printf(&checks->statements, "        const int64_t %s = %s;\n", e->locals[i],
                        expression(checks, e, &param->value));
            done[i] = progress = true;
        }
    }
}

/* The same value as another parameter that has the same type, hence in range. */
static bool
repeats(const struct plan_kernel *kernel, const struct plan_param *param)
{
    const struct plan_op *op = param->value.ops;
    return param->value.n_ops == 1 && op->code == OP_PARAM && kernel->params[op->value].dtype == param->dtype;
}

static void
add_ranges(struct fast_checks *checks, const struct emission *e)
{
    const struct plan_kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        const struct plan_param *param = &kernel->params[i];
        bool size = param->kind == PLAN_SIZE;
        if (!size && (!is_computed(param) || repeats(kernel, param)))
            continue;
        if ((!size || param->visible) && dtype_lowest(param->dtype) != NULL)
            text_printf(size_condition(checks), "%s >= %s", e->locals[i], dtype_lowest(param->dtype));
        if (dtype_highest(param->dtype) != NULL)
            text_printf(size_condition(checks), "%s <= %s", e->locals[i], dtype_highest(param->dtype));
    }
}

/* --- what must hold between them --- */

static void
add_extents(struct fast_checks *checks, const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    const char *name = e->locals[position];
    for (int i = 0; i < param->rank; i++) {
        const struct plan_expr *expr = &param->shape[i];
        if (expr->n_ops == 0
            || (expr->n_ops == 1 && expr->ops[0].code == OP_PARAM
                && defines(e->kernel, (int)expr->ops[0].value, position, i)))
            continue;
        const char *expected = expression(checks, e, expr);
        /* A macro may be unsigned; a comparison with it would be, too. */
        const char *cast = expr->n_ops == 1 && expr->ops[0].code == OP_CONST && expr->ops[0].name ? "(int64_t)" : "";
        struct text *out = size_condition(checks);
        if (param->nullable)
            text_printf(out, "(%s == NULL || %s->dimensions[%d] == %s%s)", name, name, i, cast, expected);
        else
            text_printf(out, "%s->dimensions[%d] == %s%s", name, i, cast, expected);
    }
    if (param->refuse_empty && param->nullable)
        text_printf(size_condition(checks), "(%s == NULL || pkw_fast_bytes(%s, %d, 1) != 0)", name, name, param->rank);
    else if (param->refuse_empty)
        text_printf(size_condition(checks), "pkw_fast_bytes(%s, %d, 1) != 0", name, param->rank);
}

static void
add_bytes(struct text *out, const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    text_printf(out, "pkw_fast_bytes(%s, %d, %d)", e->locals[position], param->rank, dtype_size(param->dtype));
}

/* restrict, where one of the two is written: the general path decides, and says so. */
static void
add_restrict(struct fast_checks *checks, const struct emission *e, int a, int b)
{
    const struct plan_param *first = &e->kernel->params[a], *second = &e->kernel->params[b];
    if (!(first->is_restrict || second->is_restrict) || !(first->written || second->written))
        return;
    struct text *out = size_condition(checks);
    if (first->nullable || second->nullable) {
        text_add(out, "(");
        if (first->nullable)
            text_printf(out, "%s == NULL || ", e->locals[a]);
        if (second->nullable)
            text_printf(out, "%s == NULL || ", e->locals[b]);
    }
    text_printf(out, "pkw_fast_disjoint(%s->data, ", e->locals[a]);
    add_bytes(out, e, a);
    text_printf(out, ", %s->data, ", e->locals[b]);
    add_bytes(out, e, b);
    text_add(out, first->nullable || second->nullable ? "))" : ")");
}

static void
add_gil(struct fast_checks *checks, const struct emission *e)
{
    const char *separator = "";
    if (e->kernel->gil != GIL_AUTO)
        return;
    for (int i = 0; i < e->kernel->n_params; i++)
        if (e->kernel->params[i].kind == PLAN_ARRAY) {
            struct text *out = separator[0] ? &checks->sizes : size_condition(checks);
            text_add(out, separator);
            add_bytes(out, e, i);
            separator = " + ";
        }
    if (separator[0])
        text_add(&checks->sizes, " < PKW_GIL_BYTES");
}

void
fast_checks_make(struct fast_checks *checks, const struct emission *e, int least)
{
    const struct plan_kernel *kernel = e->kernel;
    add_arguments(checks, e, least);
    add_sizes(checks, e);
    add_values(checks, e);
    add_ranges(checks, e);
    for (int i = 0; i < kernel->n_params; i++)
        if (kernel->params[i].kind == PLAN_ARRAY)
            add_extents(checks, e, i);
    for (int i = 0; i < kernel->n_params; i++)
        for (int k = i + 1; k < kernel->n_params; k++)
            if (kernel->params[i].kind == PLAN_ARRAY && kernel->params[k].kind == PLAN_ARRAY)
                add_restrict(checks, e, i, k);
    add_gil(checks, e);
    if (checks->uses_bad) {
        struct text with_bad = {0};
        text_add(size_condition(checks), "!bad");
        text_add(&with_bad, "        bool bad = false;\n");
        text_add_n(&with_bad, checks->statements.data, checks->statements.length);
        text_release(&checks->statements);
        checks->statements = with_bad;
    }
}

void
fast_checks_release(struct fast_checks *checks)
{
    text_release(&checks->arguments);
    text_release(&checks->statements);
    text_release(&checks->sizes);
}
