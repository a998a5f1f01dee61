/* init_manifest.c - the text of a first manifest, laid out as a careful person would: what fits in a line is one. */
#include <ctype.h>
#include <string.h>

#include "init.h"
#include "inspect.h"
#include "base/files.h"
#include "base/json_write.h"
#include "base/names.h"
#include "manifest/manifest.h"
#include "plan/resolve.h"

enum { LINE_LENGTH = 100 };

/* --- pieces: members without a line end, such as `"outputs": ["y"]` --- */

static void
add_list(struct text *out, const char *key, const char *const *items, int n)
{
    text_printf(out, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        text_add(out, i > 0 ? ", " : "");
        json_write_string(out, items[i]);
    }
    text_add(out, "]");
}

/* A string is Python's own memory, unless the kernel is seen to write it: then it has to be an array. */
static bool
is_written_string(const struct model_param *param)
{
    return param->type.kind == KIND_STRING && param->writes == WRITES_YES;
}

static bool
is_output(const struct model_param *param)
{
    return param->writes != WRITES_NO && (param->type.kind != KIND_STRING || is_written_string(param));
}

static void
add_outputs(struct text *out, struct arena *arena, const struct model_function *function)
{
    const char **names = NULL;
    int n = 0;
    for (int i = 0; i < function->n_params; i++)
        if (is_output(&function->params[i]))
            *ARENA_PUSH(arena, names, n) = shown_name(arena, &function->params[i]);
    add_list(out, "outputs", names, n);
}

/* What stands for a shape that nobody knows yet; a string, so that schema and tool refuse it. */
static void
add_shape_placeholder(struct text *out, struct arena *arena, const struct model_function *function)
{
    struct text hint = {0};
    for (int i = 0; i < function->n_params; i++) {
        const struct model_type *type = &function->params[i].type;
        bool is_size = type->kind == KIND_SCALAR && !type->is_enum && (type->dtype >= PKW_I16 && type->dtype <= PKW_U64);
        if (is_size)
            text_printf(&hint, "%s%s", hint.length > 0 ? ", " : "", shown_name(arena, &function->params[i]));
    }
    if (hint.length > 0)
        text_printf(out, "\"shape\": \"TODO: a list of expressions over %s\"", hint.data);
    else
        text_add(out, "\"shape\": \"TODO: a list of extents\"");
    text_release(&hint);
}

/* A name that is not among `taken` yet: with underscores behind it, if need be. It is among them then. */
static const char *
unused_name(struct arena *arena, struct names *taken, const char *name)
{
    while (names_add(arena, taken, name, 0) >= 0)
        name = arena_printf(arena, "%s_", name);
    return name;
}

/* What Python calls the parameter, where that is not its own name; else NULL. */
static const char *
new_name(struct arena *arena, const struct model_function *function, const struct model_param *param)
{
    struct names taken = {0};
    for (int i = 0; i < function->n_params; i++)
        names_add(arena, &taken, shown_name(arena, &function->params[i]), i);
    for (int i = 0; i < function->n_params; i++) {
        const char *own = shown_name(arena, &function->params[i]), *name = param_python_name(arena, own);
        if (name != own)
            name = unused_name(arena, &taken, name);
        if (&function->params[i] == param)
            return name != own ? name : NULL;
    }
    return NULL;
}

/* `"x": { ... }`, or nothing where everything is known from the declaration. */
static void
add_param(struct text *out, struct arena *arena, const struct model_function *function,
          const struct model_param *param)
{
    const struct model_type *type = &param->type;
    struct text members = {0};
    if (type->kind == KIND_ARRAY && type->is_void)
        text_add(&members, "\"dtype\": \"TODO: the type of its elements, such as float64\"");
    if (type->kind == KIND_ARRAY && (param->proven_shape != NULL || param->single)) {
        text_add(&members, members.length > 0 ? ", " : "");
        add_list(&members, "shape", param->proven_shape, param->n_proven_shape);
    } else if ((type->kind == KIND_ARRAY && !is_shape_known(param)) || is_written_string(param)) {
        text_add(&members, members.length > 0 ? ", " : "");
        add_shape_placeholder(&members, arena, function);
    }
    if (param->overwritten)
        text_printf(&members, "%s\"overwritten\": true", members.length > 0 ? ", " : "");
    /* A scalar that is only written is not in the signature: there is nothing that could be None. */
    if (param->nullable && type->kind == KIND_ARRAY && !(param->single && is_output(param)))
        text_printf(&members, "%s\"nullable\": true", members.length > 0 ? ", " : "");
    const char *name = new_name(arena, function, param);
    if (name != NULL)
        text_printf(&members, "%s\"name\": \"%s\"", members.length > 0 ? ", " : "", name);
    if (members.length > 0) {
        json_write_string(out, shown_name(arena, param));
        text_printf(out, ": { %s }", members.data);
    }
    text_release(&members);
}

/* --- kernels --- */

/* The entries of `params`, each a text, those with nothing to say left out. */
static const char **
param_entries(struct arena *arena, const struct model_function *function, int *n)
{
    const char **entries = NULL;
    *n = 0;
    for (int i = 0; i < function->n_params; i++) {
        struct text entry = {0};
        add_param(&entry, arena, function, &function->params[i]);
        if (entry.length > 0)
            *ARENA_PUSH(arena, entries, *n) = arena_copy_n(arena, entry.data, entry.length);
        text_release(&entry);
    }
    return entries;
}

/* `taken`: what other kernels are called. */
static void
add_kernel(struct text *out, struct arena *arena, const struct model_function *function, struct names *taken)
{
    struct text outputs = {0};
    const char *name = function_python_name(arena, function->name);
    if (name != function->name)
        text_printf(&outputs, "\"name\": \"%s\", ", unused_name(arena, taken, name));
    add_outputs(&outputs, arena, function);
    int n;
    const char **entries = param_entries(arena, function, &n);
    size_t length = strlen("    \"\": { , \"params\": {  } },") + strlen(function->name) + outputs.length;
    for (int i = 0; i < n; i++)
        length += strlen(entries[i]) + 2;

    text_add(out, "    ");
    json_write_string(out, function->name);
    if (length <= LINE_LENGTH) {
        text_printf(out, ": { %s", outputs.data);
        for (int i = 0; i < n; i++)
            text_printf(out, "%s%s", i == 0 ? ", \"params\": { " : ", ", entries[i]);
        text_add(out, n > 0 ? " } }" : " }");
    } else {
        text_printf(out, ": {\n      %s", outputs.data);
        for (int i = 0; i < n; i++)
            text_printf(out, "%s\n        %s", i == 0 ? ",\n      \"params\": {" : ",", entries[i]);
        text_add(out, n > 0 ? "\n      }\n    }" : "\n    }");
    }
    text_release(&outputs);
}

/* --- the rest --- */

static void
add_define(struct text *out, const char *define)
{
    size_t length = strcspn(define, "=");
    struct text name = {0};
    text_add_n(&name, define, length);
    json_write_string(out, name.data);
    text_add(out, ": ");
    json_write_string(out, define[length] == '=' ? define + length + 1 : "1"); /* as the compiler has it */
    text_release(&name);
}

/* "defines" holds plain names only; a macro with parameters is an option like others. */
static bool
is_plain_define(struct arena *arena, const char *define)
{
    return is_identifier(arena_copy_n(arena, define, strcspn(define, "=")));
}

static void
add_compile(struct text *out, struct arena *arena, const struct init_paths *paths)
{
    struct text defines = {0}, flags = {0}, members = {0};
    for (int i = 0; i < paths->n_defines; i++)
        if (is_plain_define(arena, paths->defines[i])) {
            text_add(&defines, defines.length > 0 ? ", " : "");
            add_define(&defines, paths->defines[i]);
        } else {
            text_add(&flags, flags.length > 0 ? ", " : "");
            json_write_string(&flags, arena_printf(arena, "-D%s", paths->defines[i]));
        }
    for (int i = 0; i < paths->n_includes; i++) {
        text_add(&flags, flags.length > 0 ? ", \"-include\", " : "\"-include\", ");
        json_write_string(&flags, paths->includes[i]);
    }
    if (paths->n_include_dirs > 0)
        add_list(&members, "include_dirs", paths->include_dirs, paths->n_include_dirs);
    if (defines.length > 0)
        text_printf(&members, "%s\"defines\": { %s }", members.length > 0 ? ", " : "", defines.data);
    if (flags.length > 0)
        text_printf(&members, "%s\"flags\": [%s]", members.length > 0 ? ", " : "", flags.data);
    if (members.length > 0)
        text_printf(out, "  \"compile\": { %s },\n", members.data);
    text_release(&defines);
    text_release(&flags);
    text_release(&members);
}

/* Whether one of the files that were read, sources included, is a header of the mathematical library. */
static bool
uses_mathematics(const struct model *model)
{
    for (int i = 0; i < model->n_dependencies; i++) {
        const char *name = path_name(model->dependencies[i]);
        if (strcmp(name, "math.h") == 0 || strcmp(name, "complex.h") == 0)
            return true;
    }
    return false;
}

void
init_manifest(struct text *out, const struct model *model, const struct init_paths *paths)
{
    text_add(out, "{\n  \"module\": ");
    json_write_string(out, paths->module);
    text_add(out, ",\n  ");
    if (paths->n_headers > 0)
        add_list(out, "headers", paths->headers, paths->n_headers);
    else /* sources alone: the generated code needs a declaration of each kernel */
        text_add(out, "\"headers\": \"TODO: a list of the headers that declare these functions\"");
    text_add(out, ",\n");
    if (paths->n_sources > 0) {
        text_add(out, "  ");
        add_list(out, "sources", paths->sources, paths->n_sources);
        text_add(out, ",\n");
    }
    add_compile(out, model->arena, paths);
    if (paths->n_sources > 0 && uses_mathematics(model)) /* which a compiler does not link by itself */
        text_add(out, "  \"link\": { \"libraries\": [\"m\"] },\n");
    text_add(out, "  \"kernels\": {");
    bool any = false;
    struct names taken = {0};
    for (int i = 0; i < model->n_functions; i++)
        names_add(model->arena, &taken, model->functions[i].name, i);
    for (int i = 0; i < model->n_functions; i++) {
        if (model->functions[i].reason != NULL)
            continue;
        text_add(out, any ? ",\n" : "\n");
        add_kernel(out, model->arena, &model->functions[i], &taken);
        any = true;
    }
    text_add(out, any ? "\n  }\n}\n" : "}\n}\n");
}

const char *
init_module_name(struct arena *arena, const char *file)
{
    const char *base = path_name(file);
    char *name = arena_copy_n(arena, base, strcspn(base, "."));
    for (char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    if (isdigit((unsigned char)name[0]) || name[0] == '\0')
        return arena_printf(arena, "_%s", name);
    return is_python_keyword(name) || is_taken_module_name(name) ? arena_printf(arena, "%s_", name) : name;
}
