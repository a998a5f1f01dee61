/* resolve.c - one kernel after the other, from declaration and manifest to plan. */
#include "resolve.h"

#include <string.h>

#include "resolve_internal.h"

static void
start_kernel(struct resolution *r)
{
    const struct model_function *function = r->function;
    struct plan_kernel *out = r->out;
    size_t n = (size_t)function->n_params;
    *out = (struct plan_kernel){
        .c_name = function->name,
        .name = r->entry->python_name.text ? r->entry->python_name.text : function->name,
        .doc = r->entry->doc.text ? r->entry->doc.text : function->doc,
        .declaration = function->declaration,
        .place = function->place,
        .n_params = function->n_params,
        .params = arena_take(r->arena, n, sizeof *out->params),
        .returns = function->returns,
        .gil = r->entry->gil == MANIFEST_GIL_HOLD      ? GIL_HOLD
               : r->entry->gil == MANIFEST_GIL_RELEASE ? GIL_RELEASE
                                                       : GIL_AUTO,
        .thread_safe = r->entry->thread_safe,
        .is_static = function->is_static,
    };
    for (int i = 0; i < out->n_params; i++)
        out->params[i].c_name = param_shown_name(r->arena, &function->params[i]);
    r->said = arena_take(r->arena, n, sizeof *r->said);
    r->declared = arena_take(r->arena, n, sizeof *r->declared);
    r->listed = arena_take(r->arena, n, sizeof *r->listed);
}

/* What a manifest would have to say of names that Python reserves. */
static void
rename_reserved(struct resolution *r)
{
    struct plan_kernel *out = r->out;
    out->name = function_python_name(r->arena, out->name);
    for (int i = 0; i < out->n_params; i++)
        out->params[i].name = param_python_name(r->arena, out->params[i].name);
}

/* The steps of resolve_internal.h. True if nothing was found. */
static bool
resolve_kernel(struct resolution *r)
{
    int errors = r->diag->n_errors;
    start_kernel(r);
    match_names(r);
    resolve_kinds(r);
    resolve_shapes(r);
    resolve_sizes(r);
    resolve_literals(r);
    if (r->lenient)
        rename_reserved(r);
    resolve_signature(r);
    if (r->diag->n_errors == errors && !r->lenient) /* a wrong part makes the whole wrong in ways that help nobody */
        plan_check_kernel(r);
    return r->diag->n_errors == errors;
}

/* --- the manifest's list --- */

static const char *
header_list(struct arena *arena, const struct manifest *manifest)
{
    struct text text = {0};
    for (int i = 0; i < manifest->headers.n; i++)
        text_printf(&text, "%s%s", i ? ", " : "", manifest->headers.items[i].text);
    const char *list = arena_copy(arena, text.data ? text.data : "");
    text_release(&text);
    return list;
}

static void
report_gone(struct diag *diag, const struct model *model, const struct manifest *manifest,
            const struct manifest_kernel *entry)
{
    const char **names = arena_take(diag->arena, (size_t)model->n_functions, sizeof *names);
    for (int i = 0; i < model->n_functions; i++)
        names[i] = model->functions[i].name;
    const char *nearest = diag_nearest(entry->c_name, names, model->n_functions);
    refuse(diag, "kernel-gone", entry->place, "no function \"%s\" is declared in %s%s", entry->c_name,
           header_list(diag->arena, manifest), nearest ? arena_printf(diag->arena, "; did you mean \"%s\"?", nearest) : "");
}

/* "__dict__" */
static bool
is_special_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + length - 2, "__") == 0;
}

/* "dict_", which means nothing special. */
static const char *
plain_name(struct arena *arena, const char *name)
{
    const char *start = name + strspn(name, "_");
    size_t length = strlen(start);
    while (length > 0 && start[length - 1] == '_')
        length--;
    return length > 0 ? arena_printf(arena, "%.*s_", (int)length, start) : "kernel";
}

static void
check_python_name(struct diag *diag, const struct manifest *manifest, const struct plan *plan)
{
    const struct plan_kernel *last = &plan->kernels[plan->n_kernels - 1];
    for (int i = 0; i + 1 < plan->n_kernels; i++)
        if (strcmp(plan->kernels[i].name, last->name) == 0)
            refuse(diag, "kernel-twice", manifest->kernels[plan->n_kernels - 1].place,
                   "kernels \"%s\" and \"%s\" are both called '%s' in Python", plan->kernels[i].c_name, last->c_name,
                   last->name);
    if (is_special_name(last->name))
        refuse(diag, "kernel-special", manifest->kernels[plan->n_kernels - 1].place,
               "'%s' is a name that Python gives a meaning in every module; add \"name\": \"%s\"", last->name,
               plain_name(plan->arena, last->name));
}

const char *
param_python_name(struct arena *arena, const char *name)
{
    return is_python_keyword(name) ? arena_printf(arena, "%s_", name) : name;
}

const char *
function_python_name(struct arena *arena, const char *name)
{
    return is_special_name(name) ? plain_name(arena, name) : param_python_name(arena, name);
}

/* Findings since `first` are about this kernel. */
static void
mark(struct diag *diag, int first, const char *kernel)
{
    for (int i = first; i < diag->n_findings; i++)
        diag->findings[i].kernel = kernel;
}

static bool
resolve_entry(struct plan *plan, struct diag *diag, const struct model *model, const struct manifest *manifest,
              const struct manifest_kernel *entry)
{
    const struct model_function *function = model_find(model, entry->c_name);
    struct plan_kernel *out = ARENA_PUSH(plan->arena, plan->kernels, plan->n_kernels);
    struct resolution r = {.arena = plan->arena, .diag = diag, .model = model, .function = function, .entry = entry, .out = out,
                           .plan = plan};
    out->c_name = out->name = entry->c_name;
    if (function == NULL) {
        report_gone(diag, model, manifest, entry);
        return false;
    }
    if (function->reason != NULL) {
        refuse(diag, "not-wrappable", entry->place, "%s() cannot be wrapped: %s", entry->c_name, function->reason);
        return false;
    }
    bool good = resolve_kernel(&r);
    check_python_name(diag, manifest, plan);
    return good;
}

int
resolve_plan(struct plan *plan, struct diag *diag, const struct model *model, const struct manifest *manifest)
{
    int errors = diag->n_errors, n_found = 0;
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *entry = &manifest->kernels[i];
        int first = diag->n_findings;
        resolve_entry(plan, diag, model, manifest, entry);
        mark(diag, first, entry->c_name);
        n_found += model_find(model, entry->c_name) != NULL;
    }
    plan->n_others = model->n_functions - n_found;
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}

int
plan_default(struct plan_kernel *out, struct arena *arena, const struct model *model,
             const struct model_function *function)
{
    static const struct manifest_kernel nothing;
    struct diag diag;
    diag_init(&diag, arena);
    diag.quiet = true;
    *out = (struct plan_kernel){.c_name = function->name, .name = function->name};
    if (function->reason != NULL)
        return EXIT_INPUT;
    struct resolution r = {.arena = arena,
                           .diag = &diag,
                           .model = model,
                           .function = function,
                           .entry = &nothing,
                           .out = out,
                           .lenient = true};
    resolve_kernel(&r);
    return EXIT_DONE;
}
