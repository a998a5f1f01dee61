/* cmd_build.c - `pkwrap build`. */
#include "build/build.h"
#include "base/diag.h"
#include "base/files.h"

int
cmd_build(const struct options *options)
{
    struct arena arena;
    struct build build = {.arena = &arena, .options = options};
    arena_init(&arena);
    files_handle_signals();
    int status = depends_check_options(options);
    if (status == EXIT_DONE)
        status = interpreter_find(&build.python, &arena, options->python);
    for (int i = 0; i < options->n_files && status < EXIT_USAGE; i++) {
        int one = build_module(&build, options->files[i]);
        status = one > status ? one : status;
    }
    if (status == EXIT_DONE && options->stamp != NULL)
        status = file_touch(options->stamp);
    arena_release(&arena);
    return status;
}
