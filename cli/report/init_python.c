/* init_python.c - a first manifest for a compiled Pyccel module: its stubs, and what each function writes. */
#include <string.h>

#include "base/files.h"
#include "init.h"
#include "base/json_write.h"
#include "plan/pyplan.h"

static void
add_paths(struct json_writer *w, const char *key, const char *const *paths, int n)
{
    if (n == 0)
        return;
    w->flat_from = w->depth + 1;
    json_begin(w, key, '[');
    for (int i = 0; i < n; i++)
        json_text(w, NULL, paths[i]);
    json_end(w, ']');
    w->flat_from = -1;
}

/* An array that may be written and belongs to the caller. */
static bool
is_output(const struct model_param *param)
{
    return param->type.kind == KIND_ARRAY && param->writes != WRITES_NO && !param->owned;
}

/* Runs `what` for the parameter, or for each array that an argument object refers to. */
static void
each_output(struct json_writer *w, const struct model_param *param,
            void (*what)(struct json_writer *, const struct model_param *))
{
    if (is_output(param))
        what(w, param);
    for (int i = 0; param->type.kind == KIND_CLASS && i < param->n_attributes; i++)
        if (is_output(&param->attributes[i]) && param->attributes[i].alias)
            what(w, &param->attributes[i]);
}

static void
add_name(struct json_writer *w, const struct model_param *param)
{
    json_text(w, NULL, param->name);
}

static void
add_overwritten(struct json_writer *w, const struct model_param *param)
{
    if (!param->overwritten)
        return;
    json_begin(w, param->name, '{');
    json_boolean(w, "overwritten", true);
    json_end(w, '}');
}

static bool
any_overwritten(const struct model_param *param)
{
    bool any = is_output(param) && param->overwritten;
    for (int i = 0; i < param->n_attributes; i++)
        any = any || (is_output(&param->attributes[i]) && param->attributes[i].overwritten);
    return any;
}

static void
add_function(struct json_writer *w, const struct model_function *function)
{
    bool overwritten = false;
    w->flat_from = w->depth + 1;
    json_begin(w, function->name, '{');
    json_begin(w, "outputs", '[');
    for (int i = 0; i < function->n_params; i++) {
        each_output(w, &function->params[i], add_name);
        overwritten = overwritten || any_overwritten(&function->params[i]);
    }
    json_end(w, ']');
    if (overwritten) {
        json_begin(w, "params", '{');
        for (int i = 0; i < function->n_params; i++)
            each_output(w, &function->params[i], add_overwritten);
        json_end(w, '}');
    }
    json_end(w, '}');
    w->flat_from = -1;
}

/* Overloads are one function, whose first says it all: they have the same parameters. */
static bool
is_repeated(const struct model *model, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(model->functions[i].name, model->functions[index].name) == 0)
            return true;
    return false;
}

void
init_python_manifest(struct text *out, const struct model *model, const struct init_python *paths)
{
    struct json_writer w = {.out = out, .flat_from = -1};
    json_begin(&w, NULL, '{');
    json_text(&w, "module", paths->module);
    if (paths->n_stubs > 0)
        add_paths(&w, "stubs", paths->stubs, paths->n_stubs);
    else /* a string, so that schema and tool refuse it */
        json_text(&w, "stubs", "TODO: a list of the stubs that Pyccel wrote for these sources, in __pyccel__");
    json_text(&w, "extension", paths->extension);
    add_paths(&w, "kernel_sources", paths->kernel_sources, paths->n_kernel_sources);
    bool any = false;
    for (int i = 0; i < model->n_functions; i++) {
        const struct model_function *function = &model->functions[i];
        if (function->reason != NULL || !pyplan_is_exported(function) || is_repeated(model, i))
            continue;
        if (!any)
            json_begin(&w, "kernels", '{');
        any = true;
        add_function(&w, function);
    }
    if (any) /* a stub may have classes only */
        json_end(&w, '}');
    json_end(&w, '}');
    text_add(out, "\n");
}
