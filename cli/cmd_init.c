/* cmd_init.c - `pkwrap init`: prints a manifest with everything that could be found out. */
#include <stdio.h>
#include <string.h>

#include "host/compiler.h"
#include "base/files.h"
#include "pipeline/front_request.h"
#include "report/init.h"
#include "report/observed.h"

/* The name by which the manifest calls a header: as places are shown, without <>. */
static const char *
manifest_name(struct arena *arena, const struct model_header *header)
{
    size_t length = strlen(header->shown);
    return *header->shown == '<' ? arena_copy_n(arena, header->shown + 1, length - 2) : header->shown;
}

static const char *
relative_path(struct arena *arena, const char *path, const char *directory)
{
    return path_relative(arena, path_real(arena, path), path_real(arena, directory));
}

static void
fill_paths(struct init_paths *paths, const struct model *model, const struct front_options *request,
           const struct options *options)
{
    struct arena *arena = model->arena;
    for (int i = 0; i < model->n_headers; i++)
        *ARENA_PUSH(arena, paths->headers, paths->n_headers) = manifest_name(arena, &model->headers[i]);
    for (int i = 0; i < request->n_sources; i++)
        *ARENA_PUSH(arena, paths->sources, paths->n_sources) = relative_path(arena, request->sources[i], request->directory);
    for (int i = 0; i < options->include_dirs.n; i++)
        *ARENA_PUSH(arena, paths->include_dirs, paths->n_include_dirs) =
            relative_path(arena, options->include_dirs.values[i], request->directory);
    for (int i = 0; i < options->includes.n; i++) {
        const char *file = options->includes.values[i];
        *ARENA_PUSH(arena, paths->includes, paths->n_includes) =
            file_exists(file) ? relative_path(arena, file, request->directory) : file;
    }
    paths->defines = options->defines.values;
    paths->n_defines = options->defines.n;
    paths->module = init_module_name(arena, options->files[0]);
}

static void
report_obstacle(struct diag *diag, const char *class, const struct model_function *function)
{
    if (function->reason != NULL)
        diag_warning(diag, function->place, "'%s%s%s' is left out: %s", class, class[0] ? "." : "", function->name,
                     function->reason);
}

/* What is left out, and why. */
static void
report_obstacles(struct diag *diag, const struct model *model)
{
    for (int i = 0; i < model->n_functions; i++)
        report_obstacle(diag, "", &model->functions[i]);
    for (int i = 0; i < model->n_classes; i++)
        for (int k = 0; k < model->classes[i].n_methods; k++)
            report_obstacle(diag, model->classes[i].name, &model->classes[i].methods[k]);
}

static bool
is_stub(const char *file)
{
    size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".pyi") == 0;
}

static void
fill_python(struct init_python *paths, const struct model *model, const struct pymodel_request *request,
            const struct options *options, const char *directory)
{
    struct arena *arena = model->arena;
    for (int i = 0; i < request->n_files; i++) {
        const char *path = relative_path(arena, request->files[i], directory);
        if (is_stub(path))
            *ARENA_PUSH(arena, paths->stubs, paths->n_stubs) = path;
        else
            *ARENA_PUSH(arena, paths->kernel_sources, paths->n_kernel_sources) = path;
    }
    const char *first = paths->n_stubs > 0 ? paths->stubs[0] : paths->kernel_sources[0];
    const char *stem = init_module_name(arena, first);
    paths->module = arena_printf(arena, "%s_pkwrap", stem);
    paths->extension = options->extension != NULL ? options->extension
                       : paths->n_stubs > 0 ? pymodel_extension(arena, first)
                                            : stem;
}

/* The manifest's text: of C kernels, or of a compiled Pyccel module. */
static int
make_manifest(struct text *text, struct diag *diag, const struct model *model, const struct front_options *request,
              const struct pymodel_request *python_request, const struct options *options)
{
    if (python_request->n_files == 0) {
        struct init_paths paths = {0};
        fill_paths(&paths, model, request, options);
        init_manifest(text, model, &paths);
        return EXIT_DONE;
    }
    if (request->n_headers + request->n_sources > 0) {
        diag_error(diag, ((struct place){.file = python_request->files[0]}),
                   "a module is of C kernels or of a stub's, not of both: run init for each");
        return EXIT_INPUT;
    }
    struct init_python paths = {0};
    fill_python(&paths, model, python_request, options, request->directory);
    init_python_manifest(text, model, &paths);
    return EXIT_DONE;
}

static int
write_manifest(const struct options *options, const struct text *text)
{
    if (options->output != NULL)
        return file_write(options->output, text->data, text->length, NULL);
    fwrite(text->data, 1, text->length, stdout);
    return EXIT_DONE;
}

int
cmd_init(const struct options *options)
{
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, &arena);

    struct model model = {.arena = &arena};
    struct front_options request;
    const char *directory = options->output != NULL ? path_folder(&arena, options->output) : ".";
    struct pymodel_request python_request;
    int status = front_request(&request, &python_request, &arena, &diag, options, directory);
    if (status == EXIT_DONE)
        status = front_load(&model, &diag, &request, &python_request);
    if (status == EXIT_DONE && options->observed != NULL) {
        struct observed observed;
        status = observed_read(&observed, &arena, &diag, options->observed);
        if (status == EXIT_DONE)
            observed_apply(&observed, &model, NULL);
    }
    if (status == EXIT_DONE) {
        if (!options->quiet)
            report_obstacles(&diag, &model);
        struct text text = {0};
        status = make_manifest(&text, &diag, &model, &request, &python_request, options);
        if (status == EXIT_DONE)
            status = write_manifest(options, &text);
        text_release(&text);
    }
    arena_release(&arena);
    return status;
}
