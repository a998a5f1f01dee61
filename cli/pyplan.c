/* pyplan.c - the functions, classes and variables of a stub, and what the manifest says of them. */
#include "pyplan.h"

#include <string.h>

#include "pyplan_parts.h"

static struct pyplan_function *find_function(struct pyplan *plan, const char *name)
{
    for (int i = 0; i < plan->n_functions; i++)
        if (strcmp(plan->functions[i].name, name) == 0)
            return &plan->functions[i];
    return NULL;
}

static const struct manifest_kernel *find_entry(const struct manifest *manifest, const char *name)
{
    for (int i = 0; i < manifest->n_kernels; i++)
        if (strcmp(manifest->kernels[i].c_name, name) == 0)
            return &manifest->kernels[i];
    return NULL;
}

/* An array attribute through which the caller's memory is reached. */
static bool is_reference(const struct model_param *attribute)
{
    return attribute->alias && !attribute->owned && attribute->type.kind == KIND_ARRAY;
}

const char *attribute_name(const struct model_param *attribute)
{
    const char *dot = strrchr(attribute->name, '.');
    return dot ? dot + 1 : attribute->name;
}

static void fill_attributes(struct pyplan_param *out, struct arena *arena, const struct model_param *param)
{
    for (int i = 0; i < param->n_attributes; i++)
        if (is_reference(&param->attributes[i])) {
            struct pyplan_attribute *attribute = ARENA_PUSH(arena, out->attributes, out->n_attributes);
            attribute->name = attribute_name(&param->attributes[i]);
            attribute->written = param->attributes[i].writes != WRITES_NO;
        }
}

/* `written` as analysed: what nobody can tell counts. */
static void fill_param(struct pyplan_param *out, struct arena *arena, const struct model_param *param)
{
    const struct model_type *type = &param->type;
    *out = (struct pyplan_param){
        .name = param->name,
        .type = type->spelling,
        .class_name = type->class_name,
        .dtype = type->dtype,
        .is_const = type->is_const,
        .nullable = param->nullable,
        .keyword_only = param->keyword_only,
        .positional_only = param->positional_only,
        .default_text = param->default_text,
    };
    switch (type->kind) {
    case KIND_ARRAY:
        out->kind = PYPLAN_ARRAY;
        out->rank = type->n_dims;
        out->order = param->order ? param->order[0] : 0;
        out->written = param->writes != WRITES_NO;
        break;
    case KIND_SCALAR:
        out->kind = PYPLAN_SCALAR;
        break;
    case KIND_CLASS:
        out->kind = PYPLAN_CLASS;
        fill_attributes(out, arena, param);
        break;
    default:
        out->kind = PYPLAN_OBJECT;
    }
    /* An array whose elements have no type of ours is Pyccel's to judge. */
    if (out->kind != PYPLAN_CLASS && out->dtype == PKW_NO_DTYPE)
        out->kind = PYPLAN_OBJECT;
}

/* `first`: 1 leaves out a method's self. */
static void add_variant(struct pyplan_function *out, struct arena *arena, const struct model_function *function, int first)
{
    struct pyplan_variant *variant = ARENA_PUSH(arena, out->variants, out->n_variants);
    variant->n_params = function->n_params - first;
    variant->params = arena_take(arena, (size_t)variant->n_params, sizeof *variant->params);
    variant->returns = function->returns.is_void ? NULL : function->returns.spelling;
    for (int i = 0; i < variant->n_params; i++)
        fill_param(&variant->params[i], arena, &function->params[i + first]);
}

static void add_function(struct pyplan *plan, struct arena *arena, const struct model_function *function,
                         const struct manifest_kernel *entry)
{
    struct pyplan_function *out = find_function(plan, function->name);
    if (out == NULL) {
        out = ARENA_PUSH(arena, plan->functions, plan->n_functions);
        out->name = function->name;
        out->place = function->place;
        out->doc = entry && entry->doc.text ? entry->doc.text : function->doc ? function->doc : "";
    }
    add_variant(out, arena, function, 0);
}

static void add_class(struct pyplan *plan, struct arena *arena, const struct model_class *class)
{
    struct pyplan_class *out = ARENA_PUSH(arena, plan->classes, plan->n_classes);
    out->name = class->name;
    out->doc = class->doc ? class->doc : "";
    for (int i = 0; i < class->n_attributes; i++) {
        const struct model_param *attribute = &class->attributes[i];
        *ARENA_PUSH(arena, out->attributes, out->n_attributes) =
            (struct pyplan_member){attribute->name, attribute->type.spelling};
        if (is_reference(attribute))
            *ARENA_PUSH(arena, out->aliases, out->n_aliases) = attribute->name;
    }
    for (int i = 0; i < class->n_methods; i++) {
        const struct model_function *method = &class->methods[i];
        if (strcmp(method->name, "__del__") == 0)
            continue;
        if (method->python->is_property) {
            *ARENA_PUSH(arena, out->attributes, out->n_attributes) =
                (struct pyplan_member){method->name, method->returns.spelling};
            continue;
        }
        struct pyplan_function *function = ARENA_PUSH(arena, out->methods, out->n_methods);
        *function = (struct pyplan_function){.name = method->name, .doc = "", .place = method->place};
        add_variant(function, arena, method, method->n_params > 0);
    }
}

/* A function of the C target is called "module__function" in the object file. */
static bool is_c_target(const struct model *model, const struct model_function *function)
{
    const char *low_level = function->python->low_level;
    const char *stem = model->modules[function->python->module].stem;
    size_t length = strlen(stem);
    return low_level != NULL && strncmp(low_level, stem, length) == 0 && strncmp(low_level + length, "__", 2) == 0;
}

bool pyplan_is_exported(const struct model_function *function)
{
    return function->python != NULL && !function->python->is_inline && strncmp(function->name, "__", 2) != 0;
}

/* Entries for functions that the stubs do not have. */
static void check_entries(struct diag *diag, const struct pyplan *plan, const struct manifest *manifest, struct arena *arena)
{
    const char **names = arena_take(arena, (size_t)plan->n_functions, sizeof *names);
    for (int i = 0; i < plan->n_functions; i++)
        names[i] = plan->functions[i].name;
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *entry = &manifest->kernels[i];
        bool found = false;
        for (int k = 0; k < plan->n_functions; k++)
            found = found || strcmp(names[k], entry->c_name) == 0;
        if (found)
            continue;
        const char *nearest = diag_nearest(entry->c_name, names, plan->n_functions);
        refuse(diag, "kernel-gone", entry->place, "none of the stubs has a function \"%s\"%s%s%s", entry->c_name,
               nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    }
}

int pyplan_resolve(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct model *model,
                   const struct manifest *manifest)
{
    int errors = diag->n_errors;
    *plan = (struct pyplan){.extension = manifest->extension.text, .stub = manifest->stubs.items[0].text, .doc = ""};
    for (int i = 0; i < model->n_functions; i++) {
        const struct model_function *function = &model->functions[i];
        const struct manifest_kernel *entry = find_entry(manifest, function->name);
        if (function->reason != NULL && entry != NULL)
            refuse(diag, "not-wrappable", entry->place, "%s() cannot be wrapped: %s", function->name, function->reason);
        if (function->reason != NULL || !pyplan_is_exported(function))
            continue;
        add_function(plan, arena, function, entry);
        plan->refuses_empty = plan->refuses_empty || is_c_target(model, function);
    }
    for (int i = 0; i < model->n_classes; i++)
        add_class(plan, arena, &model->classes[i]);
    for (int i = 0; i < model->n_variables; i++)
        *ARENA_PUSH(arena, plan->variables, plan->n_variables) =
            (struct pyplan_member){model->variables[i].name, model->variables[i].type.spelling};
    for (int i = 0; i < manifest->object_modules.n; i++)
        *ARENA_PUSH(arena, plan->object_modules, plan->n_object_modules) = manifest->object_modules.items[i].text;
    check_entries(diag, plan, manifest, arena);
    for (int i = 0; i < plan->n_functions; i++) {
        const struct manifest_kernel *entry = find_entry(manifest, plan->functions[i].name);
        if (entry != NULL)
            pyplan_apply(&plan->functions[i], arena, diag, entry);
    }
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}
