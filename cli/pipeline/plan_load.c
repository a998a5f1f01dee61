/* plan_load.c - see plan_load.h. */
#include "plan_load.h"

#include <string.h>

#include "front/c/clang.h"
#include "base/files.h"
#include "plan_flags.h"
#include "plan_macros.h"
#include "plan/pyplan.h"
#include "plan/resolve.h"
#include "report/check_writes.h"

static const char **
texts(struct arena *arena, const struct manifest_list *list)
{
    const char **copies = arena_take(arena, (size_t)list->n, sizeof *copies);
    for (int i = 0; i < list->n; i++)
        copies[i] = list->items[i].text;
    return copies;
}

static int
find_sources(struct plan *plan, struct diag *diag, const struct manifest *manifest)
{
    int status = EXIT_DONE;
    plan->n_sources = manifest->sources.n;
    plan->sources = arena_take(plan->arena, (size_t)plan->n_sources, sizeof *plan->sources);
    for (int i = 0; i < plan->n_sources; i++) {
        const struct manifest_text *source = &manifest->sources.items[i];
        plan->sources[i] = path_join(plan->arena, manifest->directory, source->text);
        if (!file_exists(plan->sources[i])) {
            refuse(diag, "no-source", source->place, "there is no file \"%s\"", plan->sources[i]);
            status = EXIT_INPUT;
        }
    }
    return status;
}

static void
assert_extents(struct plan *plan, const struct model *model, const struct manifest *manifest,
               const struct model_constant *computed)
{
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct model_function *function = model_find(model, manifest->kernels[i].c_name);
        for (int k = 0; function != NULL && k < function->n_params; k++)
            for (int d = 0; d < function->params[k].type.n_dims; d++) {
                const struct model_dim *dim = &function->params[k].type.dims[d];
                if (dim->source != NULL && strcmp(dim->source, computed->name) == 0 && dim->size == computed->value)
                    plan_assert(plan, dim->source, dim->size);
            }
    }
}

/* Macros that expressions use become constants of the model. Extents that come out of macros and the like are asserted as far as
 * they still have their value behind the headers. */
static int
add_constants(struct plan *plan, struct diag *diag, struct model *model, const struct manifest *manifest,
              const struct front_options *front)
{
    const char **texts = NULL;
    int n_names = 0;
    resolve_unknown_names(plan->arena, model, manifest, &texts, &n_names);
    int n = n_names;
    resolve_extent_texts(plan->arena, model, manifest, &texts, &n);
    if (n == 0)
        return EXIT_DONE;
    struct model_constant *found = arena_take(plan->arena, (size_t)n, sizeof *found);
    bool *known = arena_take(plan->arena, (size_t)n, sizeof *known);
    int status = front_constants(diag, plan->arena, front, texts, n, found, known);
    for (int i = 0; i < n; i++) {
        if (known[i] && i < n_names)
            *ARENA_PUSH(plan->arena, model->constants, model->n_constants) = found[i];
        if (known[i] && !found[i].is_variable)
            assert_extents(plan, model, manifest, &found[i]);
    }
    return status;
}

static void
add_dependencies(struct plan *plan, const struct model *model, const struct options *options)
{
    struct arena *arena = plan->arena;
    const char **paths = arena_take(arena, (size_t)model->n_dependencies + 2, sizeof *paths);
    int n = 0;
    paths[n++] = plan->manifest;
    if (options->database != NULL)
        paths[n++] = path_join(arena, options->database, "compile_commands.json");
    for (int i = 0; i < model->n_dependencies; i++) {
        bool is_source = false;
        for (int k = 0; k < plan->n_sources; k++)
            is_source = is_source || strcmp(plan->sources[k], model->dependencies[i]) == 0;
        if (!is_source)
            paths[n++] = model->dependencies[i];
    }
    plan->dependencies = paths;
    plan->n_dependencies = n;
}

static int
load_model(struct plan *plan, struct diag *diag, const struct plan_request *request,
           const struct manifest *manifest, struct model *model)
{
    struct place *places = arena_take(plan->arena, (size_t)plan->n_headers, sizeof *places);
    for (int i = 0; i < plan->n_headers; i++)
        places[i] = manifest->headers.items[i].place;
    const char **names = arena_take(plan->arena, (size_t)manifest->n_kernels, sizeof *names);
    for (int i = 0; i < manifest->n_kernels; i++)
        names[i] = manifest->kernels[i].c_name;
    const struct front_options front = {
        .directory = manifest->directory,
        .headers = plan->headers,
        .header_places = places,
        .n_headers = plan->n_headers,
        .sources = plan->sources,
        .n_sources = plan->n_sources,
        .flags = plan->compile_flags,
        .n_flags = plan->n_compile_flags,
        .jobs = request->options->jobs,
        .kernels = names,
        .n_kernels = manifest->n_kernels,
        .database = request->options->database,
        .compiler = request->compiler,
        .libclang = request->options->libclang,
        .resource_dir = request->options->resource_dir,
    };
    int status = front_parse(model, diag, &front);
    return status == EXIT_DONE ? add_constants(plan, diag, model, manifest, &front) : status;
}

static int
make_plan(struct plan *plan, struct arena *arena, struct diag *diag, const struct plan_request *request,
          struct manifest *manifest, struct model *model)
{
    int status = manifest_read(manifest, arena, diag, request->manifest);
    plan->arena = model->arena = arena;
    plan->manifest = request->manifest;
    if (status != EXIT_DONE) {
        manifest->n_kernels = 0; /* nothing more can be said of what was not understood */
        return status;
    }
    plan->module = manifest->module.text;
    plan->directory = manifest->directory;
    if (manifest->stubs.n > 0)
        return pyplan_load(plan, diag, request, manifest, model);
    plan->headers = texts(arena, &manifest->headers);
    plan->n_headers = manifest->headers.n;
    status = find_sources(plan, diag, manifest);
    if (status == EXIT_DONE)
        status = plan_flags(plan, diag, manifest);
    if (status == EXIT_DONE)
        status = load_model(plan, diag, request, manifest, model);
    if (status != EXIT_DONE) {
        model->n_functions = 0;
        return status;
    }
    add_dependencies(plan, model, request->options);
    plan_macros(plan);
    return resolve_plan(plan, diag, model, manifest);
}

int
plan_load(struct plan *plan, struct arena *arena, struct diag *diag, const struct plan_request *request)
{
    struct manifest own_manifest = {0}, *manifest = request->manifest_out ? request->manifest_out : &own_manifest;
    struct model own_model = {0}, *model = request->model_out ? request->model_out : &own_model;
    int status = make_plan(plan, arena, diag, request, manifest, model);
    if (status == EXIT_DONE && !request->leave_writes)
        status = check_proven_writes(diag, manifest, model);
    return status;
}
