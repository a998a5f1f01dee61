/* resolve_texts.c - what only the headers' preprocessor may know: names in expressions, extents, and that they stay what they are. */
#include <string.h>

#include "resolve_internal.h"

void
resolve_unknown_names(struct arena *arena, const struct model *model, const struct manifest *manifest,
                      const char ***names, int *n)
{
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *entry = &manifest->kernels[i];
        const struct model_function *function = model_find(model, entry->c_name);
        const struct expr_scope scope = {function, model->constants, model->n_constants, NULL, NULL};
        for (int k = 0; k < entry->n_params && function != NULL; k++) {
            const struct manifest_param *said = &entry->params[k];
            for (int d = 0; d < said->n_shape; d++)
                if (said->shape[d] != NULL)
                    expr_unknown_names(said->shape[d], arena, &scope, names, n);
            const struct json_value *value = said->given[PARAM_VALUE], *preset = said->given[PARAM_DEFAULT];
            int position = model_param_position(function, said->name);
            /* Only a number can be computed: what is said of a char or a string is text. */
            if (position < 0 || function->params[position].type.kind != KIND_SCALAR || function->params[position].type.is_char)
                continue;
            if (value != NULL)
                expr_unknown_names(value->string, arena, &scope, names, n);
            if (preset != NULL && preset->kind == JSON_STRING)
                expr_unknown_names(preset->string, arena, &scope, names, n);
        }
    }
}

static void
add_once(struct arena *arena, const char ***texts, int *n, const char *text)
{
    for (int i = 0; i < *n; i++)
        if (strcmp((*texts)[i], text) == 0)
            return;
    *ARENA_PUSH(arena, *texts, *n) = text;
}

void
resolve_extent_texts(struct arena *arena, const struct model *model, const struct manifest *manifest, const char ***texts,
                     int *n)
{
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct model_function *function = model_find(model, manifest->kernels[i].c_name);
        for (int k = 0; function != NULL && k < function->n_params; k++)
            for (int d = 0; d < function->params[k].type.n_dims; d++)
                if (function->params[k].type.dims[d].source != NULL)
                    add_once(arena, texts, n, function->params[k].type.dims[d].source);
    }
}

void
plan_assert(struct plan *plan, const char *text, int64_t value)
{
    for (int i = 0; i < plan->n_assertions; i++)
        if (strcmp(plan->assertions[i].text, text) == 0)
            return;
    *ARENA_PUSH(plan->arena, plan->assertions, plan->n_assertions) = (struct plan_assertion){text, value};
}
