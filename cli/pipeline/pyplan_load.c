/* pyplan_load.c - stubs and kernel sources of a manifest, read into a plan. */
#include "base/files.h"
#include "plan_load.h"
#include "front/python/pymodel.h"
#include "plan/pyplan.h"

/* Paths from the current folder; false after a finding for one that is not there. */
static bool
add_files(struct plan *plan, struct diag *diag, const struct manifest_list *list, const char ***files, int *n)
{
    bool all = true;
    for (int i = 0; i < list->n; i++) {
        const char *path = path_join(plan->arena, plan->directory, list->items[i].text);
        if (file_exists(path)) {
            *ARENA_PUSH(plan->arena, *files, *n) = path;
        } else {
            refuse(diag, "no-source", list->items[i].place, "there is no file \"%s\"", path);
            all = false;
        }
    }
    return all;
}

int
pyplan_load(struct plan *plan, struct diag *diag, const struct plan_request *request, const struct manifest *manifest,
            struct model *model)
{
    struct arena *arena = plan->arena;
    const char **files = NULL, **dependencies = NULL;
    int n_files = 0, n_dependencies = 0;
    bool found = add_files(plan, diag, &manifest->stubs, &files, &n_files);
    if (!add_files(plan, diag, &manifest->kernel_sources, &files, &n_files) || !found)
        return EXIT_INPUT;
    const struct pymodel_request python = {.files = files, .n_files = n_files, .python = request->options->python};
    int status = pymodel_load(model, diag, &python);
    if (status != EXIT_DONE)
        return status;
    *ARENA_PUSH(arena, dependencies, n_dependencies) = plan->manifest;
    for (int i = 0; i < model->n_dependencies; i++)
        *ARENA_PUSH(arena, dependencies, n_dependencies) = model->dependencies[i];
    plan->dependencies = dependencies;
    plan->n_dependencies = n_dependencies;
    plan->python = arena_take(arena, 1, sizeof *plan->python);
    return pyplan_resolve(plan->python, arena, diag, model, manifest);
}
