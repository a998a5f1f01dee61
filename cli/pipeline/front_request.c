/* front_request.c - see front_request.h. */
#include "front_request.h"

#include <string.h>

#include "host/compiler.h"
#include "base/files.h"

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

/* A header's name as the front end looks for it: from `directory`, if it is a file; else for the include path. */
static const char *header_name(struct arena *arena, const char *directory, const char *file)
{
    if (strcmp(directory, ".") == 0 || *file == '/' || !file_exists(file))
        return file;
    return path_relative(arena, path_real(arena, file), path_real(arena, directory));
}

int front_request(struct front_options *request, struct pymodel_request *python_request, struct arena *arena, struct diag *diag,
                  const struct options *options, const char *directory)
{
    struct words headers = {0}, sources = {0}, flags = {0}, python = {0};
    int status = EXIT_DONE;
    for (int i = 0; i < options->n_files; i++) {
        const char *file = options->files[i];
        if (pymodel_reads(file)) {
            words_add(arena, &python, file);
        } else if (!ends_with(file, ".c")) {
            words_add(arena, &headers, header_name(arena, directory, file));
        } else if (file_exists(file)) {
            words_add(arena, &sources, file);
        } else {
            diag_error(diag, ((struct place){.file = file}), "there is no such file");
            status = EXIT_INPUT;
        }
    }
    for (int i = 0; i < options->include_dirs.n; i++)
        words_add(arena, &flags, arena_printf(arena, "-I%s", options->include_dirs.values[i]));
    for (int i = 0; i < options->defines.n; i++)
        words_add(arena, &flags, arena_printf(arena, "-D%s", options->defines.values[i]));
    *request = (struct front_options){.directory = directory,
                                      .headers = headers.values,
                                      .n_headers = headers.n,
                                      .sources = sources.values,
                                      .n_sources = sources.n,
                                      .flags = flags.values,
                                      .n_flags = flags.n,
                                      .database = options->database,
                                      .libclang = options->libclang,
                                      .resource_dir = options->resource_dir};
    *python_request = (struct pymodel_request){.files = python.values,
                                               .n_files = python.n,
                                               .python = options->python,
                                               .roots = options->include_dirs.values,
                                               .n_roots = options->include_dirs.n};
    return status;
}

int front_load(struct model *model, struct diag *diag, const struct front_options *request,
               const struct pymodel_request *python_request)
{
    int status = EXIT_DONE;
    if (request->n_headers > 0 || request->n_sources > 0)
        status = front_parse(model, diag, request);
    if (python_request->n_files > 0 && status != EXIT_ENVIRONMENT) {
        int also = pymodel_load(model, diag, python_request);
        status = also > status ? also : status;
    }
    return status;
}
