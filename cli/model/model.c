/* model.c - looking things up in a model. */
#include "model.h"

#include <string.h>

const struct model_function *
model_find(const struct model *model, const char *name)
{
    for (int i = 0; i < model->n_functions; i++)
        if (strcmp(model->functions[i].name, name) == 0)
            return &model->functions[i];
    return NULL;
}

int
model_param_position(const struct model_function *function, const char *name)
{
    for (int i = 0; i < function->n_params; i++)
        if (strcmp(function->params[i].name, name) == 0)
            return i;
    return -1;
}

bool
type_is_read_only(const struct model_type *type)
{
    bool is_plain = type->kind == KIND_ARRAY || type->kind == KIND_STRING || type->dtype != PKW_NO_DTYPE;
    return type->is_pointer && type->is_const && is_plain;
}
