/* inspect_words.c - see inspect.h. */
#include "inspect.h"
#include "plan/resolve.h"

void
print_text(FILE *out, struct text *text)
{
    if (text->length > 0)
        fwrite(text->data, 1, text->length, out);
    text->length = 0;
}

const char *
shown_name(struct arena *arena, const struct model_param *param)
{
    return param_shown_name(arena, param);
}

const char *
shown_extent(const struct model_dim *dim)
{
    return dim->kind == DIM_FREE ? NULL : dim->text;
}

int
shown_rank(const struct model_param *param)
{
    switch (param->type.kind) {
    case KIND_ARRAY:
        if (param->single)
            return 0;
        if (param->proven_shape != NULL)
            return param->n_proven_shape;
        return param->type.n_dims > 0 ? param->type.n_dims : -1;
    case KIND_SCALAR:
        return 0;
    default:
        return -1;
    }
}

bool
is_shape_known(const struct model_param *param)
{
    if (param->proven_shape != NULL || param->single)
        return true;
    for (int i = 0; i < param->type.n_dims; i++)
        if (param->type.dims[i].kind == DIM_FREE)
            return false;
    return param->type.n_dims > 0;
}

const char *
shown_signature(const struct model *model, const struct model_function *function)
{
    struct plan_kernel kernel;
    if (function->python != NULL && function->reason == NULL)
        return function->python->signature;
    if (function->reason != NULL || plan_default(&kernel, model->arena, model, function) != EXIT_DONE)
        return NULL;
    return kernel.signature;
}
