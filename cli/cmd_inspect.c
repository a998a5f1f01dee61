/* cmd_inspect.c - `pkwrap inspect`: lists the kernels of headers. */
#include <stdio.h>

#include "pipeline/front_request.h"
#include "report/inspect.h"

/* What was found and what is in the way: with --json findings go to stdout with the rest. */
static void
print(const struct model *model, const struct diag *diag, const struct options *options)
{
    if (options->json)
        inspect_json(stdout, model, diag);
    else if (diag->n_errors == 0 || model->n_modules > 0) /* of a stub, what can be read is there */
        inspect_text(stdout, model, options->kernels.n > 0 || options->verbose > 0);
}

int
cmd_inspect(const struct options *options)
{
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = options->json;

    struct model model = {.arena = &arena};
    struct front_options request;
    struct pymodel_request python_request;
    int status = front_request(&request, &python_request, &arena, &diag, options, ".");
    if (status == EXIT_DONE)
        status = front_load(&model, &diag, &request, &python_request);
    if (status != EXIT_ENVIRONMENT)
        print(&model, &diag, options);
    arena_release(&arena);
    return status;
}
