/* pymodel_writes.c - what the analysis says of each parameter, and of the attributes of argument objects. */
#include <string.h>

#include "pymodel_internal.h"

const struct pyflow_function *
pymodel_find_flow(const struct loader *loader, int file, const char *name,
                  const char *class_name)
{
    const struct pyflow_function *found = NULL;
    for (int i = 0; i < loader->flow.n_functions; i++) {
        const struct pyflow_function *f = &loader->flow.functions[i];
        bool same_class = class_name ? f->class_name && strcmp(f->class_name, class_name) == 0 : !f->class_name;
        if (f->file == file && same_class && strcmp(f->name, name) == 0)
            found = f; /* the last definition counts */
    }
    return found;
}

static const struct pyflow_fact *
find_fact(const struct pyflow_function *function, const char *path)
{
    for (int i = 0; function && i < function->n_facts; i++)
        if (strcmp(function->facts[i].path, path) == 0)
            return &function->facts[i];
    return NULL;
}

static bool
is_attribute(const struct pyflow_fact *fact, const char *param)
{
    size_t n = strlen(param);
    return strncmp(fact->path, param, n) == 0 && fact->path[n] == '.';
}

/* True if attributes of this parameter, annotated or not, are written. */
static bool
has_attributes(const struct pyflow_function *function, const char *param)
{
    for (int i = 0; function && i < function->n_facts; i++)
        if (is_attribute(&function->facts[i], param))
            return true;
    return false;
}

static void
set_fact(struct model_param *param, const struct pyflow_fact *fact)
{
    param->writes = fact->writes;
    param->owned = fact->owned && fact->writes != WRITES_NO;
    param->overwritten = fact->overwritten;
    param->evidence = fact->evidence;
    param->n_evidence = fact->n_evidence;
}

static void
add_evidence(struct arena *arena, struct model_param *param, struct place place, const char *text)
{
    *ARENA_PUSH(arena, param->evidence, param->n_evidence) = (struct model_evidence){place, text};
}

/* True if an argument of this type can be changed by a callee. */
static bool
is_mutable(const struct model_type *type)
{
    if (type->kind == KIND_OBJECT && type->annotation)
        return type->annotation->kind != STUB_FUNCTION && type->annotation->kind != STUB_NONE;
    return type->kind == KIND_ARRAY || type->kind == KIND_CLASS || type->kind == KIND_OBJECT || type->kind == KIND_UNSUPPORTED;
}

/* Without a source: the author's Final is taken for true, all else may be written. */
static void
set_unproven(struct arena *arena, struct model_param *param, const char *why)
{
    if (!is_mutable(&param->type))
        return;
    if (param->type.annotation && param->type.annotation->is_final) {
        add_evidence(arena, param, param->place, "declared Final; the source was not read");
        return;
    }
    param->writes = WRITES_MAYBE;
    add_evidence(arena, param, param->place, why);
}

static const struct model_class *
find_class(const struct model *model, const char *name)
{
    for (int i = model->n_classes - 1; i >= 0; i--)
        if (strcmp(model->classes[i].name, name) == 0)
            return &model->classes[i];
    return NULL;
}

static struct model_param *
attribute_of(struct arena *arena, struct model_param *param, const char *name)
{
    for (int i = 0; i < param->n_attributes; i++)
        if (strcmp(param->attributes[i].name, name) == 0)
            return &param->attributes[i];
    struct model_param *attribute = ARENA_PUSH(arena, param->attributes, param->n_attributes);
    *attribute = (struct model_param){.name = name, .position = param->n_attributes - 1, .place = param->place};
    attribute->type = (struct model_type){.spelling = "", .kind = KIND_OBJECT};
    return attribute;
}

/* An array whose elements nothing declares; rank -1: nor its rank. */
static void
set_rank(struct arena *arena, struct model_type *type, int rank)
{
    *type = (struct model_type){.spelling = "", .kind = KIND_ARRAY, .is_pointer = true};
    type->n_dims = rank > 0 ? rank : 0;
    type->dims = arena_take(arena, (size_t)type->n_dims, sizeof *type->dims);
    for (int i = 0; i < type->n_dims; i++)
        type->dims[i] = (struct model_dim){.kind = DIM_FREE, .text = ""};
}

/* Names and types of an argument object's attributes: from its stub, else from its constructor. */
static void
list_attributes(struct loader *loader, struct stub_source *source, struct model_param *param,
                const struct pyflow_class *flow)
{
    struct arena *arena = loader->model->arena;
    const struct model_class *class = param->type.class_name ? find_class(loader->model, param->type.class_name) : NULL;
    for (int i = 0; class && i < class->n_attributes; i++) {
        struct model_param *a =
            attribute_of(arena, param, arena_printf(arena, "%s.%s", param->name, class->attributes[i].name));
        a->type = class->attributes[i].type;
        a->order = class->attributes[i].order;
        a->alias = class->attributes[i].alias;
        a->place = class->attributes[i].place;
    }
    for (int i = 0; flow && i < flow->n_attributes; i++) {
        const struct pyflow_attribute *from = &flow->attributes[i];
        const char *name = arena_printf(arena, "%s.%s", param->name, from->name);
        int before = param->n_attributes;
        struct model_param *a = attribute_of(arena, param, name);
        a->alias |= from->aliased && from->is_array;
        if (param->n_attributes == before)
            continue;
        if (from->annotation)
            stub_model_type_text(source, &a->type, from->annotation);
        else if (from->is_array)
            set_rank(arena, &a->type, from->rank);
        else if (from->is_scalar)
            a->type = (struct model_type){.spelling = "", .kind = KIND_SCALAR};
    }
}

/* An object is written as much as the memory that its attributes refer to; what it owns is told apart. */
static void
sum_up(struct model_param *param, bool flow_known)
{
    enum model_writes strongest = flow_known ? WRITES_NO : param->writes;
    for (int i = 0; i < param->n_attributes; i++) {
        const struct model_param *a = &param->attributes[i];
        if (a->writes == WRITES_NO)
            continue;
        if (a->owned) {
            param->owned = true;
            continue;
        }
        if (strongest != WRITES_YES)
            strongest = a->writes;
        if (param->n_evidence == 0) {
            param->evidence = a->evidence;
            param->n_evidence = a->n_evidence;
        }
    }
    param->writes = strongest;
}

static void
set_attributes(struct loader *loader, struct stub_source *source, struct model_param *param,
               const struct pyflow_function *function, const struct pyflow_class *class, const char *why)
{
    struct arena *arena = loader->model->arena;
    list_attributes(loader, source, param, class);
    for (int i = 0; function && i < function->n_facts; i++) {
        const struct pyflow_fact *fact = &function->facts[i];
        if (is_attribute(fact, param->name))
            set_fact(attribute_of(arena, param, fact->path), fact);
    }
    bool whole = function && param->writes != WRITES_NO; /* passed to something unknown, as a whole */
    for (int i = 0; i < param->n_attributes; i++) {
        struct model_param *a = &param->attributes[i];
        a->position = i;
        const struct stub_type *type = a->type.annotation;
        bool is_array = a->type.kind == KIND_ARRAY;
        if (!function || (whole && a->writes == WRITES_NO)) {
            set_unproven(arena, a, why);
            a->owned = a->writes != WRITES_NO && is_array && type && !a->alias;
        }
        a->type.is_const = type && type->is_final && a->writes == WRITES_NO;
    }
    param->nested_known = function && !whole;
    sum_up(param, function && class);
}

void
pymodel_set_writes(struct loader *loader, struct stub_source *source, struct model_function *out,
                   const struct pyflow_function *function, int flow_file, const char *why)
{
    struct arena *arena = loader->model->arena;
    if (function && function->n_params != out->n_params) {
        why = "the source declares other parameters";
        function = NULL;
    }
    for (int i = 0; i < out->n_params; i++) {
        struct model_param *param = &out->params[i];
        const struct pyflow_fact *fact = find_fact(function, param->name);
        if (function && fact) {
            set_fact(param, fact);
            param->unused = !function->used[i];
        } else {
            set_unproven(arena, param, why);
        }
        if (param->type.kind == KIND_CLASS || has_attributes(function, param->name)) {
            const char *name = param->type.class_name;
            const struct pyflow_class *class =
                flow_file >= 0 && name ? pyflow_find_class(&loader->flow, flow_file, name) : NULL;
            set_attributes(loader, source, param, fact ? function : NULL, class, why);
        }
        param->type.is_const = param->type.annotation && param->type.annotation->is_final && param->writes == WRITES_NO;
    }
}
