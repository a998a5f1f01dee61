/* cmd_generate.c - `pkwrap generate`: the C source and the stub, for other build systems to compile. */
#include <stdio.h>

#include "build/build.h"
#include "base/diag.h"
#include "base/files.h"
#include "pipeline/generated.h"
#include "pipeline/plan_load.h"

static int
generate_files(const struct options *options, const struct plan *plan, struct diag *diag)
{
    const char *folder = output_folder(plan->arena, options->output, plan->manifest);
    const char *c_path = generated_c_path(plan->arena, folder, plan->module);
    const char *pyi_path = generated_pyi_path(plan->arena, folder, plan->module);
    bool changed = false;
    int status = folder_make(folder);
    if (status == EXIT_DONE)
        status = generated_write_c(plan, diag, c_path, &changed);
    if (status == EXIT_DONE)
        status = generated_write_pyi(plan, diag, pyi_path, &changed);
    if (status == EXIT_DONE && options->depfile != NULL)
        status = depends_write(options->depfile, options->stamp ? options->stamp : c_path, plan->dependencies,
                               plan->n_dependencies);
    if (status == EXIT_DONE && !options->quiet)
        printf("%s: %s %s and %s\n", plan->module, changed ? "wrote" : "up to date:", c_path, pyi_path);
    return status;
}

static int
generate_one(const struct options *options, const char *manifest)
{
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, &arena);
    struct plan plan = {.arena = &arena};
    const struct plan_request request = {.manifest = manifest, .options = options};
    int status = plan_load(&plan, &arena, &diag, &request);
    if (status == EXIT_DONE)
        status = generate_files(options, &plan, &diag);
    arena_release(&arena);
    return status;
}

int
cmd_generate(const struct options *options)
{
    int status = depends_check_options(options);
    files_handle_signals();
    for (int i = 0; i < options->n_files && status < EXIT_USAGE; i++) {
        int one = generate_one(options, options->files[i]);
        status = one > status ? one : status;
    }
    if (status == EXIT_DONE && options->stamp != NULL)
        status = file_touch(options->stamp);
    return status;
}
