/* pyplan_apply.c - a manifest's entry for a Python kernel. Shapes, types and the signature are the stub's; only what is
 * written can be said. */
#include <string.h>

#include "pyplan_internal.h"

/* Keys of a parameter that mean something here. */
static bool
is_meant(enum param_key key)
{
    return key == PARAM_OVERWRITTEN || key == PARAM_READ_ONLY || key == PARAM_WRITTEN;
}

static struct pyplan_param *
find_param(struct pyplan_variant *variant, const char *name, size_t length)
{
    for (int i = 0; i < variant->n_params; i++)
        if (strlen(variant->params[i].name) == length && strncmp(variant->params[i].name, name, length) == 0)
            return &variant->params[i];
    return NULL;
}

static struct pyplan_attribute *
find_attribute(struct pyplan_param *param, const char *name)
{
    for (int i = 0; i < param->n_attributes; i++)
        if (strcmp(param->attributes[i].path, name) == 0)
            return &param->attributes[i];
    return NULL;
}

/* What a name of the manifest means in a variant: a parameter, or ("args.markers") an attribute of one. */
struct target {
    struct pyplan_param *param;
    struct pyplan_attribute *attribute;
};

static struct target
find_target(struct pyplan_variant *variant, const char *name)
{
    const char *dot = strchr(name, '.');
    struct target target = {find_param(variant, name, dot ? (size_t)(dot - name) : strlen(name)), NULL};
    if (target.param != NULL && dot != NULL) {
        target.attribute = find_attribute(target.param, dot + 1);
        if (target.attribute == NULL)
            target.param = NULL;
    }
    return target;
}

static bool
can_be_written(struct target target)
{
    return target.attribute != NULL || target.param->kind == PYPLAN_ARRAY || target.param->n_attributes > 0;
}

/* All that can be written of it: the array, the attribute, or every attribute. What the analysis found to be written through an object
 * that the argument refers to stays so unless its own name is said. */
static void
set_written(struct target target, bool written)
{
    if (target.attribute != NULL)
        target.attribute->written = written;
    else if (target.param->kind == PYPLAN_ARRAY)
        target.param->written = written;
    for (int i = 0; target.attribute == NULL && i < target.param->n_attributes; i++)
        if (written || strchr(target.param->attributes[i].path, '.') == NULL)
            target.param->attributes[i].written = written;
}

static bool
is_written(struct target target)
{
    if (target.attribute != NULL)
        return target.attribute->written;
    for (int i = 0; i < target.param->n_attributes; i++)
        if (target.param->attributes[i].written)
            return true;
    return target.param->written;
}

static void
set_overwritten(struct target target)
{
    if (target.attribute != NULL)
        target.attribute->overwritten = true;
    else
        target.param->overwritten = true;
}

/* "; did you mean "x"?", over parameters and their attributes. */
static const char *
hint(struct arena *arena, const struct pyplan_variant *variant, const char *name)
{
    const char **names = NULL;
    int n = 0;
    for (int i = 0; i < variant->n_params; i++) {
        const struct pyplan_param *param = &variant->params[i];
        *ARENA_PUSH(arena, names, n) = param->name;
        for (int k = 0; k < param->n_attributes; k++)
            *ARENA_PUSH(arena, names, n) = arena_printf(arena, "%s.%s", param->name, param->attributes[k].path);
    }
    const char *nearest = diag_nearest(name, names, n);
    return nearest ? arena_printf(arena, "; did you mean \"%s\"?", nearest) : "";
}

/* The name of an output; NULL after a finding. */
static const char *
output_name(const struct pyplan_function *function, struct diag *diag, const struct manifest_output *output)
{
    const struct pyplan_variant *variant = &function->variants[0];
    if (output->name != NULL)
        return output->name;
    int position = output->position < 0 ? output->position + variant->n_params : output->position;
    if (position >= 0 && position < variant->n_params)
        return variant->params[position].name;
    refuse(diag, "output-position", output->place, "position %d is out of range: %s() has %d parameter%s", output->position,
           function->name, variant->n_params, variant->n_params == 1 ? "" : "s");
    return NULL;
}

static void
apply_outputs(struct pyplan_function *function, struct arena *arena, struct diag *diag,
              const struct manifest_kernel *entry)
{
    if (entry->outputs_kind == OUTPUTS_AUTO)
        return;
    for (int v = 0; v < function->n_variants; v++)
        for (int i = 0; i < function->variants[v].n_params; i++)
            set_written((struct target){&function->variants[v].params[i], NULL}, false);
    for (int i = 0; i < entry->n_outputs; i++) {
        const struct manifest_output *output = &entry->outputs[i];
        const char *name = output_name(function, diag, output);
        bool found = false, writable = false, constant = false;
        for (int v = 0; name != NULL && v < function->n_variants; v++) {
            struct target target = find_target(&function->variants[v], name);
            found = found || target.param != NULL;
            constant = constant || (target.param != NULL && target.param->is_const);
            if (target.param != NULL && can_be_written(target)) {
                writable = true;
                set_written(target, true);
            }
        }
        if (name != NULL && !found)
            refuse(diag, "no-output", output->place, "%s() has no parameter \"%s\" to be an output%s", function->name, name,
                   hint(arena, &function->variants[0], name));
        else if (name != NULL && constant)
            refuse(diag, "output-const", output->place, "parameter \"%s\" of %s() cannot be an output: it is Final", name,
                   function->name);
        else if (name != NULL && !writable)
            refuse(diag, "output-scalar", output->place,
                   "parameter \"%s\" of %s() cannot be an output: it is no array and refers to none of the caller's", name,
                   function->name);
    }
}

static void
refuse_keys(struct diag *diag, const struct manifest_param *said)
{
    for (int key = 0; key < N_PARAM_KEYS; key++)
        if (said->given[key] != NULL && !is_meant((enum param_key)key))
            refuse(diag, "key-of-stub", said->given[key]->key_place,
                   "\"%s\" is for C kernels: what a stub declares is taken from there", param_key_names[key]);
}

static void
apply_param(struct pyplan_function *function, struct arena *arena, struct diag *diag,
            const struct manifest_param *said)
{
    bool found = false, written = false;
    refuse_keys(diag, said);
    for (int v = 0; v < function->n_variants; v++) {
        struct target target = find_target(&function->variants[v], said->name);
        if (target.param == NULL)
            continue;
        found = true;
        if (said->read_only != NULL)
            set_written(target, false);
        if (said->written != NULL && can_be_written(target))
            set_written(target, true);
        written = written || is_written(target);
        if (said->overwritten && is_written(target))
            set_overwritten(target);
    }
    if (!found)
        refuse(diag, "no-parameter", said->place, "%s() has no parameter \"%s\"%s", function->name, said->name,
               hint(arena, &function->variants[0], said->name));
    else if (said->overwritten && !written)
        refuse(diag, "needs-output", said->given[PARAM_OVERWRITTEN]->key_place,
               "\"overwritten\" is for outputs, and \"%s\" is none", said->name);
}

void
pyplan_apply(struct pyplan_function *function, struct arena *arena, struct diag *diag, const struct manifest_kernel *entry)
{
    const struct json_value *name = entry->python_name.text ? entry->json : NULL;
    if (name != NULL)
        refuse(diag, "key-of-stub", entry->python_name.place,
               "\"name\" is for C kernels: the functions of a compiled module keep their names");
    if (entry->gil != MANIFEST_GIL_AUTO || entry->thread_safe)
        refuse(diag, "key-of-stub", entry->place,
               "\"gil\" and \"thread_safe\" are for C kernels: a compiled module decides that itself");
    apply_outputs(function, arena, diag, entry);
    for (int i = 0; i < entry->n_params; i++)
        apply_param(function, arena, diag, &entry->params[i]);
}
