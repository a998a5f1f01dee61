/* front_request.c - see front_request.h. */
#include "front_request.h"

#include <string.h>
#include <sys/stat.h>

#include "host/compiler.h"
#include "base/files.h"

static bool
ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

static bool
is_regular_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* What a file of another language would have to be instead, or NULL. */
static const char *
foreign(const char *file)
{
    static const struct {
        const char *ending, *remedy;
    } rows[] = {
#define CPP "this is C++, and C is what can be wrapped: name a header that declares the functions for C"
#define FORTRAN "this is Fortran, and C is what can be wrapped: declare its bind(C) procedures in a C header and name that"
        {".hpp", CPP}, {".hxx", CPP}, {".hh", CPP}, {".cpp", CPP}, {".cxx", CPP}, {".cc", CPP}, {".C", CPP}, {".cu", CPP},
        {".f", FORTRAN}, {".F", FORTRAN}, {".for", FORTRAN}, {".f77", FORTRAN}, {".f90", FORTRAN}, {".F90", FORTRAN},
        {".f95", FORTRAN}, {".f03", FORTRAN}, {".f08", FORTRAN},
#undef CPP
#undef FORTRAN
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ends_with(file, rows[i].ending))
            return rows[i].remedy;
    return NULL;
}

/* A header's name as the front end looks for it: from `directory`, if it is a file; else for the include path. */
static const char *
header_name(struct arena *arena, const char *directory, const char *file)
{
    if (strcmp(directory, ".") == 0 || *file == '/' || !file_exists(file))
        return file;
    return path_relative(arena, path_real(arena, file), path_real(arena, directory));
}

int
front_request(struct front_options *request, struct pymodel_request *python_request, struct arena *arena, struct diag *diag,
              const struct options *options, const char *directory)
{
    struct words headers = {0}, sources = {0}, flags = {0}, python = {0};
    int status = EXIT_DONE;
    for (int i = 0; i < options->n_files; i++) {
        const char *file = options->files[i];
        if (file_exists(file) && !is_regular_file(file)) { /* a device or a pipe has no end, or none in sight */
            diag_error(diag, ((struct place){.file = file}), "it is no file that can be read again and again");
            status = EXIT_INPUT;
        } else if (foreign(file) != NULL) {
            diag_error(diag, ((struct place){.file = file}), "%s", foreign(file));
            status = EXIT_INPUT;
        } else if (pymodel_reads(file)) {
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
    for (int i = 0; i < options->includes.n; i++) {
        words_add(arena, &flags, "-include");
        words_add(arena, &flags, options->includes.values[i]);
    }
    *request = (struct front_options){.directory = directory,
                                      .headers = headers.values,
                                      .n_headers = headers.n,
                                      .sources = sources.values,
                                      .n_sources = sources.n,
                                      .flags = flags.values,
                                      .n_flags = flags.n,
                                      .prefixes = options->prefixes.values,
                                      .n_prefixes = options->prefixes.n,
                                      .kernels = options->kernels.values,
                                      .n_kernels = options->kernels.n,
                                      .only_kernels = true,
                                      .jobs = options->jobs,
                                      .with_static = options->with_static,
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

static const char *
listed(struct arena *arena, const char *const *items, int n)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", items[i]);
    return text;
}

/* An empty list, or what is missing in it, and how to come by more. */
static void
hint(const struct model *model, struct diag *diag, const struct front_options *request)
{
    struct arena *arena = model->arena;
    const char *headers = listed(arena, request->headers, request->n_headers);
    if (model->n_static > 0 && (model->n_functions == 0 || request->n_headers == 0))
        diag_add(diag, model->n_functions == 0 ? SEVERITY_WARNING : SEVERITY_NOTE, NULL, (struct place){.file = request->sources[0]},
                 "%d static function%s of the sources %s no kernel%s, since nothing else can call %s; --static lists %s in inspect",
                 model->n_static, model->n_static == 1 ? "" : "s", model->n_static == 1 ? "is" : "are",
                 model->n_static == 1 ? "" : "s", model->n_static == 1 ? "it" : "them", model->n_static == 1 ? "it" : "them");
    if (model->n_functions > 0)
        return;
    if (request->n_kernels > 0) {
        const char *patterns = "";
        for (int i = 0; i < request->n_kernels; i++)
            patterns = arena_printf(arena, "%s%s'%s'", patterns, i > 0 ? " or " : "", request->kernels[i]);
        diag_add(diag, SEVERITY_WARNING, NULL, (struct place){0}, "no function is called %s", patterns);
    } else if (request->n_headers > 0) {
        diag_add(diag, SEVERITY_WARNING, NULL, (struct place){0},
                 "no function is declared in %s, nor in the headers of the same folder that %s; name the header that declares "
                 "them, or say with --prefix how the included ones are called", headers,
                 request->n_headers == 1 ? "it includes" : "they include");
    }
}

int
front_load(struct model *model, struct diag *diag, const struct front_options *request,
           const struct pymodel_request *python_request)
{
    int status = EXIT_DONE;
    if (request->n_headers > 0 || request->n_sources > 0)
        status = front_parse(model, diag, request);
    if (status == EXIT_DONE && request->n_headers + request->n_sources > 0)
        hint(model, diag, request);
    if (python_request->n_files > 0 && status != EXIT_ENVIRONMENT) {
        int also = pymodel_load(model, diag, python_request);
        status = also > status ? also : status;
    }
    return status;
}
