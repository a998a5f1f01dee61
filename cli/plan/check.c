/* check.c - what only the whole of a kernel shows to be wrong. Runs when its parts were found to be right. */
#include <string.h>

#include "resolve_internal.h"

/* --- names --- */

static void
check_names(struct resolution *r)
{
    const struct plan_kernel *kernel = r->out;
    for (int i = 0; i < kernel->n_params; i++) {
        const struct plan_param *param = &kernel->params[i];
        if (!param->visible)
            continue;
        if (is_python_keyword(param->name))
            refuse(r->diag, "parameter-keyword", said_place(r, i, PARAM_NAME),
                   "parameter \"%s\" is called as a reserved word of Python; add to \"params\": \"%s\": { \"name\": \"%s_\" }",
                   param->c_name, param->c_name, param->name);
        for (int k = 0; k < i; k++)
            if (kernel->params[k].visible && strcmp(kernel->params[k].name, param->name) == 0)
                refuse(r->diag, "parameter-twice", said_place(r, i, PARAM_NAME),
                       "parameters \"%s\" and \"%s\" are both called '%s' in Python", kernel->params[k].c_name, param->c_name,
                       param->name);
    }
    if (is_python_keyword(kernel->name))
        refuse(r->diag, "kernel-keyword", r->entry->place,
               "\"%s\" is a reserved word of Python; add \"name\": \"%s_\"", kernel->name, kernel->name);
}

/* --- outputs --- */

static void
check_output_keys(struct resolution *r, int position)
{
    static const enum param_key keys[] = {PARAM_CREATE, PARAM_OVERWRITTEN};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (r->said[position]->given[keys[i]] != NULL && !r->out->params[position].written)
            refuse(r->diag, "needs-output", said_place(r, position, keys[i]),
                   "\"%s\" is only for outputs, and \"%s\" is none", param_key_names[keys[i]], c_name_of(r, position));
}

/* An array that is made when the caller gives none needs every extent. */
static void
check_made(struct resolution *r, int position)
{
    const struct plan_param *param = &r->out->params[position];
    if (!param->create && !param->scratch)
        return;
    for (int i = 0; i < param->rank; i++)
        if (param->shape[i].n_ops == 0) {
            refuse(r->diag, "made-free", said_place(r, position, param->create ? PARAM_CREATE : PARAM_SCRATCH),
                   "\"%s\" can be made only where its whole shape is known: dimension %d is free", c_name_of(r, position), i);
            return;
        }
    if (!dtype_is_numpys(param->dtype))
        refuse(r->diag, "made-bfloat16", said_place(r, position, param->create ? PARAM_CREATE : PARAM_SCRATCH),
               "\"%s\" cannot be made: NumPy has no bfloat16 of its own", c_name_of(r, position));
}

/* --- sizes and values --- */

static void
check_hidden(struct resolution *r, int position)
{
    static const enum param_key keys[] = {PARAM_DEFAULT, PARAM_KEYWORD_ONLY};
    const struct plan_param *param = &r->out->params[position];
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !param->visible && param->kind != PLAN_VALUE; i++) {
        if (r->said[position]->given[keys[i]] == NULL)
            continue;
        if (param->kind == PLAN_SIZE)
            refuse(r->diag, "key-of-size", said_place(r, position, keys[i]),
                   "\"%s\" has no use: \"%s\" is not in the signature, since it is dimension %d of \"%s\"",
                   param_key_names[keys[i]], param->c_name, param->from_dim, c_name_of(r, param->from_param));
        else
            refuse(r->diag, "key-of-result", said_place(r, position, keys[i]),
                   "\"%s\" has no use: \"%s\" is not in the signature, since it is only written and returned",
                   param_key_names[keys[i]], param->c_name);
    }
}

/* True if computing the value of the parameter needs that value: a walk over what it needs, each parameter looked at once. */
static bool
needs_itself(const struct resolution *r, int position)
{
    const struct plan_kernel *kernel = r->out;
    size_t n = (size_t)kernel->n_params;
    bool *seen = arena_take(r->arena, n, sizeof *seen);
    int *waiting = arena_take(r->arena, n + 1, sizeof *waiting), n_waiting = 0;
    waiting[n_waiting++] = position;
    while (n_waiting > 0) {
        const struct plan_expr *value = &kernel->params[waiting[--n_waiting]].value;
        for (int i = 0; i < value->n_ops; i++) {
            if (value->ops[i].code != OP_PARAM)
                continue;
            int needed = (int)value->ops[i].value;
            if (needed == position)
                return true;
            if (!seen[needed])
                waiting[n_waiting++] = needed;
            seen[needed] = true;
        }
    }
    return false;
}

static void
check_circle(struct resolution *r, int position)
{
    if (r->out->params[position].kind == PLAN_VALUE && needs_itself(r, position))
        refuse(r->diag, "value-circle", r->said[position]->given[PARAM_VALUE]->place,
               "the \"value\" of \"%s\" depends on itself", c_name_of(r, position));
}

/* --- modes --- */

static void
check_nullable_size(struct resolution *r, int position)
{
    /* No Python object is both None and a number that is handed back. */
    const struct plan_param *param = &r->out->params[position];
    if (param->kind == PLAN_CELL && param->nullable && param->written && !param->read)
        refuse(r->diag, "nullable-result", said_place(r, position, PARAM_NULLABLE),
               "\"nullable\" has no use: \"%s\" is not in the signature, since it is only written and returned",
               c_name_of(r, position));
}

void
plan_check_kernel(struct resolution *r)
{
    for (int i = 0; i < r->out->n_params; i++) {
        check_output_keys(r, i);
        check_made(r, i);
        check_hidden(r, i);
        check_circle(r, i);
        check_nullable_size(r, i);
    }
    check_names(r);
}
