/* resolve_signature.c - the Python function: which parameters it has, in which order, and what it returns. */
#include <string.h>

#include "resolve_internal.h"

/* Groups of parameters in the order of the signature. */
enum group { REQUIRED, CREATED, DEFAULTED, BY_KEYWORD, HIDDEN };

static enum group
group_of(const struct plan_param *param)
{
    if (!param->visible)
        return HIDDEN;
    if (param->keyword_only || param->scratch)
        return BY_KEYWORD;
    if (param->create)
        return CREATED;
    return param->optional ? DEFAULTED : REQUIRED;
}

static void
decide_visible(struct plan_param *param)
{
    switch (param->kind) {
    case PLAN_VALUE:
        break;
    case PLAN_SIZE:
        param->visible = param->from_param < 0;
        break;
    case PLAN_CELL:
        param->visible = param->read;
        break;
    default:
        param->visible = true;
    }
    param->optional =
        param->visible && (param->create || param->scratch || param->literal.kind != LITERAL_NONE);
    param->keyword_only = param->keyword_only || param->scratch;
}

static void
add_default(struct text *out, const struct plan_param *param)
{
    if (param->create || param->scratch)
        text_add(out, "=None");
    else if (param->optional)
        text_printf(out, "=%s", param->literal.text);
}

static const char *
signature_text(struct arena *arena, const struct plan_kernel *kernel)
{
    struct text text = {0};
    text_printf(&text, "%s(", kernel->name);
    for (int i = 0; i < kernel->n_visible; i++) {
        const struct plan_param *param = &kernel->params[kernel->visible[i]];
        text_printf(&text, "%s%s%s", i ? ", " : "", i == kernel->n_positional ? "*, " : "", param->name);
        add_default(&text, param);
    }
    text_add(&text, ")");
    const char *result = arena_copy(arena, text.data);
    text_release(&text);
    return result;
}

void
resolve_signature(struct resolution *r)
{
    struct plan_kernel *kernel = r->out;
    for (int i = 0; i < kernel->n_params; i++)
        decide_visible(&kernel->params[i]);
    kernel->visible = arena_take(r->arena, (size_t)kernel->n_params, sizeof *kernel->visible);
    kernel->results = arena_take(r->arena, (size_t)kernel->n_params, sizeof *kernel->results);
    for (int group = REQUIRED; group < HIDDEN; group++) {
        for (int i = 0; i < kernel->n_params; i++)
            if (group_of(&kernel->params[i]) == (enum group)group)
                kernel->visible[kernel->n_visible++] = i;
        if (group == REQUIRED)
            kernel->n_required = kernel->n_visible;
        if (group == DEFAULTED)
            kernel->n_positional = kernel->n_visible;
    }
    for (int i = 0; i < kernel->n_params; i++) {
        const struct plan_param *param = &kernel->params[i];
        if ((param->kind == PLAN_CELL && param->written) || (param->kind == PLAN_ARRAY && param->create))
            kernel->results[kernel->n_results++] = i;
    }
    kernel->signature = signature_text(r->arena, kernel);
}
