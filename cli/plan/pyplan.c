/* pyplan.c - the functions, classes and variables of a stub, and what the manifest says of them. */
#include "pyplan.h"

#include <string.h>

#include "pyplan_internal.h"
#include "model/stub_type.h"

static struct pyplan_function *
find_function(struct pyplan_function *functions, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

static const struct manifest_kernel *
find_entry(const struct manifest *manifest, const char *name)
{
    for (int i = 0; i < manifest->n_kernels; i++)
        if (strcmp(manifest->kernels[i].c_name, name) == 0)
            return &manifest->kernels[i];
    return NULL;
}

/* An array attribute through which the caller's memory is reached. */
static bool
is_reference(const struct model_param *attribute)
{
    return attribute->alias && !attribute->owned && attribute->type.kind == KIND_ARRAY;
}

const char *
pyplan_own_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* "grid.nodes" of "holder.grid.nodes". Points into it. */
static const char *
without_parameter(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

static void
fill_attributes(struct pyplan_param *out, struct arena *arena, const struct model_param *param)
{
    out->nested_known = param->nested_known;
    for (int i = 0; i < param->n_attributes; i++) {
        const struct model_param *from = &param->attributes[i];
        const char *name = without_parameter(from->name);
        bool below = strchr(name, '.') != NULL || (from->type.kind != KIND_ARRAY && from->type.kind != KIND_SCALAR);
        if (!is_reference(from) && !(below && !from->owned && from->writes != WRITES_NO))
            continue;
        struct pyplan_attribute *attribute = ARENA_PUSH(arena, out->attributes, out->n_attributes);
        attribute->path = name;
        attribute->written = from->writes != WRITES_NO;
    }
}

/* `written` as analysed: what nobody can tell counts. */
static void
fill_param(struct pyplan_param *out, struct arena *arena, const struct model_param *param)
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

/* Whether an annotation names a class somewhere. */
static bool
names_class(const struct stub_type *type)
{
    bool found = type->kind == STUB_NAME;
    for (int i = 0; i < type->n_parts && !found; i++)
        found = names_class(&type->parts[i]);
    return found;
}

/* Whether it says "alias" somewhere. */
static bool
is_view(const struct stub_type *type)
{
    bool found = type->is_alias;
    for (int i = 0; i < type->n_parts && !found; i++)
        found = is_view(&type->parts[i]);
    return found;
}

/* `first`: 1 leaves out a method's self. */
static void
add_variant(struct pyplan_function *out, struct arena *arena, const struct model_function *function, int first)
{
    struct pyplan_variant *variant = ARENA_PUSH(arena, out->variants, out->n_variants);
    variant->n_params = function->n_params - first;
    variant->params = arena_take(arena, (size_t)variant->n_params, sizeof *variant->params);
    variant->returns = function->returns.is_void ? NULL : function->returns.spelling;
    const struct stub_type *returns = function->returns.annotation;
    out->gives_objects = out->gives_objects || (returns != NULL && names_class(returns));
    out->gives_views = out->gives_views || (returns != NULL && is_view(returns));
    for (int i = 0; i < variant->n_params; i++)
        fill_param(&variant->params[i], arena, &function->params[i + first]);
}

/* The function called `name` in a list, made where it is not there. */
static struct pyplan_function *
function_in(struct pyplan_function **functions, int *n, struct arena *arena, const char *name,
            const struct model_function *function)
{
    struct pyplan_function *out = find_function(*functions, *n, name);
    if (out == NULL) {
        out = ARENA_PUSH(arena, *functions, *n);
        *out = (struct pyplan_function){.name = name, .place = function->place, .doc = function->doc ? function->doc : ""};
    }
    return out;
}

static void
add_function(struct pyplan *plan, struct arena *arena, const struct model_function *function,
             const struct manifest_kernel *entry)
{
    struct pyplan_function *out = function_in(&plan->functions, &plan->n_functions, arena, function->name, function);
    if (entry && entry->doc.text)
        out->doc = entry->doc.text;
    add_variant(out, arena, function, 0);
}

/* Operators that the compiled class has: those of Pyccel's that its type has slots for. Any other (__eq__) is a mere method there,
 * which the operator does not call. */
static bool
is_operator_without_slot(const char *name)
{
    static const char *const slots[] = {"__add__",  "__sub__",  "__mul__",  "__truediv__",  "__pow__",  "__lshift__",  "__rshift__",
                                        "__and__",  "__or__",   "__iadd__", "__isub__",     "__imul__", "__itruediv__", "__ipow__",
                                        "__ilshift__", "__irshift__", "__iand__", "__ior__", "__getitem__", "__len__", "__init__"};
    size_t length = strlen(name);
    bool special = length > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + length - 2, "__") == 0;
    for (size_t i = 0; special && i < sizeof slots / sizeof *slots; i++)
        if (strcmp(name, slots[i]) == 0)
            return false;
    return special;
}

static void
add_method(struct pyplan_class *class, struct arena *arena, const struct model_function *method)
{
    if (method->reason != NULL || method->n_params == 0 || is_operator_without_slot(method->name))
        return;
    if (strcmp(method->name, "__init__") == 0) {
        class->constructor.name = class->name;
        class->constructor.place = method->place;
        class->constructor.doc = class->doc[0] ? class->doc : method->doc ? method->doc : "";
        add_variant(&class->constructor, arena, method, 1);
        return;
    }
    const char *name = arena_printf(arena, "%s.%s", class->name, method->name);
    bool is_property = method->python->is_property;
    struct pyplan_function *out = is_property
                                      ? function_in(&class->properties, &class->n_properties, arena, name, method)
                                      : function_in(&class->methods, &class->n_methods, arena, name, method);
    add_variant(out, arena, method, 0);
}

/* Pyccel's own: its stubs declare it, its modules do not have it. */
static bool
is_hidden(const struct model_param *attribute)
{
    return strcmp(attribute->name, "is_freed") == 0;
}

/* Whether the constructor leaves the attribute as the memory happens to be. Where its source is not known it is taken to set it. */
static bool
is_set_late(const struct model_class *class, const char *name)
{
    for (int i = 0; i < class->n_methods; i++) {
        const struct model_function *method = &class->methods[i];
        if (strcmp(method->name, "__init__") != 0 || method->n_params == 0 || !method->params[0].nested_known)
            continue;
        const struct model_param *self = &method->params[0];
        for (int k = 0; k < self->n_attributes; k++)
            if (strcmp(without_parameter(self->attributes[k].name), name) == 0)
                return self->attributes[k].writes == WRITES_NO;
        return true;
    }
    return false;
}

/* Its objects refer to arrays of the caller, and the constructor has no parameter of that name. */
static bool
takes_constant(const struct pyplan_class *class)
{
    bool refers = false, is_free = class->constructor.n_variants > 0;
    for (int i = 0; i < class->n_attributes; i++)
        refers = refers || (class->attributes[i].kind == PYPLAN_ARRAY && class->attributes[i].alias);
    for (int i = 0; is_free && i < class->constructor.variants[0].n_params; i++)
        is_free = strcmp(class->constructor.variants[0].params[i].name, "constant") != 0;
    return refers && is_free;
}

static void
add_class(struct pyplan *plan, struct arena *arena, const struct model_class *class)
{
    struct pyplan_class *out = ARENA_PUSH(arena, plan->classes, plan->n_classes);
    out->name = class->name;
    out->doc = class->doc ? class->doc : "";
    for (int i = 0; i < class->n_attributes; i++) {
        const struct model_param *attribute = &class->attributes[i];
        if (is_hidden(attribute))
            continue;
        struct pyplan_param *param = ARENA_PUSH(arena, out->attributes, out->n_attributes);
        fill_param(param, arena, attribute);
        param->written = false;
        param->alias = attribute->alias && !attribute->owned;
        param->late = (param->alias || param->kind == PYPLAN_CLASS) && is_set_late(class, attribute->name);
    }
    for (int i = 0; i < class->n_methods; i++)
        add_method(out, arena, &class->methods[i]);
    out->constructor.takes_constant = takes_constant(out);
}

/* A function of the C target is called "module__function" in the object file. */
static bool
is_c_target(const struct model *model, const struct model_function *function)
{
    const char *low_level = function->python->low_level;
    const char *stem = model->modules[function->python->module].stem;
    size_t length = strlen(stem);
    return low_level != NULL && strncmp(low_level, stem, length) == 0 && strncmp(low_level + length, "__", 2) == 0;
}

bool
pyplan_is_exported(const struct model_function *function)
{
    return function->python != NULL && !function->python->is_inline && strncmp(function->name, "__", 2) != 0;
}

/* Every function that an entry of the manifest may name: "push", "Grid" (the constructor), "Grid.move". */
static struct pyplan_function **
list_functions(struct pyplan *plan, struct arena *arena, int *n)
{
    struct pyplan_function **all = NULL;
    *n = 0;
    for (int i = 0; i < plan->n_functions; i++)
        *ARENA_PUSH(arena, all, *n) = &plan->functions[i];
    for (int i = 0; i < plan->n_classes; i++) {
        struct pyplan_class *class = &plan->classes[i];
        if (class->constructor.n_variants > 0)
            *ARENA_PUSH(arena, all, *n) = &class->constructor;
        for (int k = 0; k < class->n_methods; k++)
            *ARENA_PUSH(arena, all, *n) = &class->methods[k];
        for (int k = 0; k < class->n_properties; k++)
            *ARENA_PUSH(arena, all, *n) = &class->properties[k];
    }
    return all;
}

/* What the manifest says of them; findings for those that the stubs do not have. */
static void
apply_entries(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct manifest *manifest)
{
    int n;
    struct pyplan_function **all = list_functions(plan, arena, &n);
    const char **names = arena_take(arena, (size_t)n, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = all[i]->name;
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *entry = &manifest->kernels[i];
        int found = 0;
        while (found < n && strcmp(names[found], entry->c_name) != 0)
            found++;
        if (found < n) {
            pyplan_apply(all[found], arena, diag, entry);
            continue;
        }
        const char *nearest = diag_nearest(entry->c_name, names, n);
        refuse(diag, "kernel-gone", entry->place, "none of the stubs has a function \"%s\"%s%s%s", entry->c_name,
               nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    }
    pyplan_apply_constant(plan, arena, diag, manifest, all, n);
}

int
pyplan_resolve(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct model *model,
               const struct manifest *manifest)
{
    int errors = diag->n_errors;
    *plan = (struct pyplan){.extension = manifest->extension.text, .stub = manifest->stubs.items[0].text, .doc = ""};
    for (int i = 0; i < model->n_functions; i++) {
        const struct model_function *function = &model->functions[i];
        const struct manifest_kernel *entry = find_entry(manifest, function->name);
        if (function->reason != NULL && entry != NULL)
            refuse(diag, "not-wrappable", entry->place, "%s() cannot be wrapped: %s", function->name, function->reason);
        if (function->reason != NULL || !pyplan_is_exported(function) || !model->modules[function->python->module].is_stub)
            continue; /* a source of which no stub is known tells nothing of the compiled module */
        add_function(plan, arena, function, entry);
        plan->refuses_empty = plan->refuses_empty || is_c_target(model, function);
    }
    for (int i = 0; i < model->n_classes; i++) {
        const struct model_class *class = &model->classes[i];
        if (class->is_imported || !model->modules[class->module].is_stub) /* its own module exports it */
            continue;
        add_class(plan, arena, class);
        for (int k = 0; k < class->n_methods; k++)
            plan->refuses_empty = plan->refuses_empty || is_c_target(model, &class->methods[k]);
    }
    for (int i = 0; i < model->n_variables; i++)
        *ARENA_PUSH(arena, plan->variables, plan->n_variables) =
            (struct pyplan_member){model->variables[i].name, model->variables[i].type.spelling};
    for (int i = 0; i < manifest->object_modules.n; i++)
        *ARENA_PUSH(arena, plan->object_modules, plan->n_object_modules) = manifest->object_modules.items[i].text;
    apply_entries(plan, arena, diag, manifest);
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}
