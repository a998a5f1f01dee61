/* clang.c - from headers to the model: which functions, constants and files a parse adds. */
#include "clang.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "headers_internal.h"
#include "lower_internal.h"
#include "parallel_internal.h"
#include "types_internal.h"
#include "unit_internal.h"
#include "base/deep.h"
#include "base/files.h"
#include "base/names.h"

/* A model under construction. */
struct collection {
    struct model *model;
    struct unit *unit;
    bool is_kernel_file; /* the unit's functions are kernels */
    struct unit_files unit_files;  /* of a unit of headers */
    struct named_header *headers;  /* all that were named */
    int n_headers;
    struct program program;
    struct names functions, constants, files;
};

/* --- functions --- */

/* Of two declarations of a function in one header, the one that says more: the definition, else the one with names. */
static bool
says_more(const struct model_function *later, const struct model_function *earlier)
{
    if (later->has_body != earlier->has_body)
        return later->has_body;
    if (later->n_params == 0 || earlier->n_params == 0)
        return later->n_params > 0;
    return *later->params[0].name != '\0' && *earlier->params[0].name == '\0';
}

/* Position of a header in the order in which they were named. */
static int
rank_of(const struct collection *collection, const char *name)
{
    int i = 0;
    while (i < collection->n_headers && collection->headers[i].name != name)
        i++;
    return i;
}

static void
add_function(struct collection *collection, CXCursor cursor)
{
    struct arena *arena = collection->model->arena;
    struct model_function function = {0};
    function_describe(collection->unit, cursor, &function);
    struct model *model = collection->model;
    if (collection->unit->is_source && function.is_static && function.reason == NULL)
        function.reason = "it is static in a source, so that nothing else can call it";
    int known = names_add(arena, &collection->functions, function.name, model->n_functions);
    if (known < 0) {
        *ARENA_PUSH(arena, model->functions, model->n_functions) = function;
        return;
    }
    struct model_function *earlier = &model->functions[known];
    if (earlier->header != function.header) { /* the first header named has it */
        if (rank_of(collection, function.header) < rank_of(collection, earlier->header))
            *earlier = function;
        return;
    }
    if (says_more(&function, earlier)) {
        if (*function.doc == '\0')
            function.doc = earlier->doc;
        *earlier = function;
    } else if (*earlier->doc == '\0') {
        earlier->doc = function.doc;
    }
}

static bool
is_wanted(const struct front_options *options, const char *name)
{
    for (int i = 0; i < options->n_kernels; i++)
        if (fnmatch(options->kernels[i], name, 0) == 0)
            return true;
    return false;
}

/* Of a source only what it defines counts; what is static there nobody else can call. */
static bool
is_candidate_of_source(struct collection *collection, CXCursor cursor, const char *name)
{
    const struct front_options *options = collection->unit->front->options;
    if (!clang.isCursorDefinition(cursor) || strcmp(name, "main") == 0)
        return false;
    if (clang.getCursorLinkage(cursor) == CXLinkage_External)
        return collection->is_kernel_file;
    collection->model->n_static += !options->with_static;
    return options->with_static;
}

/* Whether a function at top level is one of the kernels; then the unit is at its file. */
static bool
is_candidate(struct collection *collection, CXCursor cursor)
{
    struct unit *unit = collection->unit;
    CXSourceLocation location = clang.getCursorLocation(cursor);
    CXString spelling = clang.getCursorSpelling(cursor);
    const char *name = clang.getCString(spelling);
    bool is_one = false;
    if (unit->is_source) {
        is_one = unit_has(unit, location) && is_candidate_of_source(collection, cursor, name);
    } else {
        struct unit_file *file = headers_file(&collection->unit_files, location);
        is_one = file != NULL && (file->is_named || file->is_list || is_wanted(unit->front->options, name));
        if (is_one) {
            file->header->declares = true;
            headers_enter(unit, file);
        }
    }
    clang.disposeString(spelling);
    return is_one;
}

/* The functions of an umbrella: those of its library's headers. */
static enum CXChildVisitResult
visit_umbrella(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct collection *collection = data;
    if (clang.getCursorKind(cursor) != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    struct unit_file *file = headers_file(&collection->unit_files, clang.getCursorLocation(cursor));
    if (file != NULL && file->is_related && !file->header->declares) {
        headers_enter(collection->unit, file);
        add_function(collection, cursor);
    }
    return CXChildVisit_Continue;
}

/* --- constants --- */

static enum CXChildVisitResult
add_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct collection *collection = data;
    struct model *model = collection->model;
    if (clang.getCursorKind(cursor) != CXCursor_EnumConstantDecl)
        return CXChildVisit_Continue;
    const char *name = clang_take_string(model->arena, clang.getCursorSpelling(cursor));
    if (names_add(model->arena, &collection->constants, name, model->n_constants) < 0)
        *ARENA_PUSH(model->arena, model->constants, model->n_constants) =
            constant_from(name, cursor, clang_is_unsigned(clang.getEnumDeclIntegerType(parent)));
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult
visit_top_level(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct collection *collection = data;
    switch ((int)clang.getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
        if (is_candidate(collection, cursor))
            add_function(collection, cursor);
        if (clang.isCursorDefinition(cursor))
            body_add(&collection->program, collection->unit, cursor);
        break;
    case CXCursor_EnumDecl:
        if (collection->is_kernel_file)
            clang.visitChildren(cursor, add_enumerator, data);
        break;
    default:
        break;
    }
    return CXChildVisit_Continue;
}

/* --- files --- */

static void
add_dependency(struct collection *collection, const char *path)
{
    struct model *model = collection->model;
    while (path[0] == '.' && path[1] == '/') /* a header asked for by name, and the same one included by a source */
        path += 1 + strspn(path + 1, "/");
    if (names_add(model->arena, &collection->files, path, model->n_dependencies) < 0)
        *ARENA_PUSH(model->arena, model->dependencies, model->n_dependencies) = path;
}

/* The sources themselves are none: whoever builds knows them; nor is a file that is in memory only. */
static void
add_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    (void)stack;
    struct collection *collection = data;
    if (depth > 0 || (!collection->unit->is_source && collection->unit->contents == NULL))
        add_dependency(collection, clang_take_string(collection->model->arena, clang.getFileName(file)));
}

/* --- errors in sources --- */

/* An error in a body makes what that function does unknown; any other one, all functions of the unit. */
struct source_errors {
    struct collection *collection;
    struct body *bodies; /* of the unit */
    int n_bodies;
    int status;
};

static void
mark_broken(struct source_errors *errors, struct body *body, struct place place, const char *text)
{
    if (body->broken != NULL)
        return;
    struct front *front = errors->collection->unit->front;
    body->broken = arena_printf(front->arena, "clang cannot read it: %s", text);
    diag_warning(front->diag, place, "what '%s' writes is not known, since clang cannot read it: %s", body->name, text);
}

static void
add_source_error(void *data, struct place place, const char *text)
{
    struct source_errors *errors = data;
    for (int i = 0; i < errors->n_bodies; i++) {
        struct body *body = &errors->bodies[i];
        if (place.file != NULL && strcmp(place.file, body->place.file) == 0 && place.line >= body->place.line
            && place.line <= body->last_line) {
            mark_broken(errors, body, place, text);
            return;
        }
    }
    if (errors->collection->is_kernel_file) {
        diag_error(errors->collection->unit->front->diag, place, "%s", text);
        errors->status = EXIT_INPUT;
        return;
    }
    struct unit *unit = errors->collection->unit;
    for (int i = 0; i < errors->n_bodies; i++)
        if (strcmp(errors->bodies[i].place.file, unit->shown) == 0)
            mark_broken(errors, &errors->bodies[i], place, text);
}

/* --- sources --- */

static int
collect_source(struct front *front, struct collection *collection, struct parallel *parallel, int i)
{
    const char *path = front->options->sources[i];
    struct unit unit = {.front = front, .path = path, .shown = front_shown(front, path), .header = path, .is_source = true};
    CXIndex index = NULL;
    collection->unit = &unit;
    collection->is_kernel_file = front->options->n_headers == 0;
    int status = unit_begin(&unit, parallel_take(parallel, i, &index)), first = collection->program.n_bodies;
    if (unit.tu != NULL) {
        clang.getInclusions(unit.tu, add_inclusion, collection);
        clang.visitChildren(clang.getTranslationUnitCursor(unit.tu), visit_top_level, collection);
        struct source_errors errors = {collection, collection->program.bodies + first, collection->program.n_bodies - first,
                                       EXIT_DONE};
        unit_errors(&unit, add_source_error, &errors);
        status = errors.status;
    }
    collection->unit = NULL;
    unit_close(&unit);
    clang.disposeIndex(index);
    return status;
}

static int
collect_sources(struct front *front, struct collection *collection)
{
    const struct front_options *options = front->options;
    int status = EXIT_DONE;
    if (options->n_sources == 0)
        return status;
    struct parallel *parallel = parallel_start(front, options->sources, options->n_sources, options->jobs);
    for (int i = 0; i < options->n_sources; i++) {
        int result = collect_source(front, collection, parallel, i);
        status = result != EXIT_DONE ? result : status;
    }
    parallel_end(parallel);
    return status;
}

/* --- headers --- */

/* Adds what a parsed unit of headers declares. */
static void
add_headers(struct collection *collection, struct unit *unit, struct named_header *headers, int n)
{
    CXCursor root = clang.getTranslationUnitCursor(unit->tu);
    bool is_umbrella = false;
    headers_list_files(&collection->unit_files, unit, headers, n);
    clang.visitChildren(root, visit_top_level, collection);
    for (int i = 0; i < n; i++)
        is_umbrella = is_umbrella || !headers[i].declares;
    if (is_umbrella && !(unit->front->options->only_kernels && unit->front->options->n_kernels > 0))
        clang.visitChildren(root, visit_umbrella, collection);
}

/* A unit that includes the header, as a header of its folder does. */
static bool
try_umbrella(struct collection *collection, struct named_header *header, const char *umbrella)
{
    struct front *front = collection->unit->front;
    struct named_header outer = {.name = header->name, .path = umbrella};
    struct unit unit = {.front = front, .path = umbrella, .shown = front_shown(front, umbrella), .header = header->name};
    struct unit *before = collection->unit;
    collection->unit = &unit;
    bool good = unit_parse(&unit) == EXIT_DONE && !unit_has_errors(&unit);
    if (good) {
        headers_list_files(&collection->unit_files, &unit, &outer, 1);
        CXFile file = clang.getFile(unit.tu, header->path);
        good = false;
        for (int i = 0; i < collection->unit_files.n; i++) {
            struct unit_file *item = &collection->unit_files.items[i];
            item->is_named = file != NULL && clang.File_isEqual(item->file, file);
            item->is_list = false;
            item->header = header;
            good = good || item->is_named;
        }
    }
    if (good) {
        clang.getInclusions(unit.tu, add_inclusion, collection);
        clang.visitChildren(clang.getTranslationUnitCursor(unit.tu), visit_top_level, collection);
        header->path = umbrella;
        diag_add(front->diag, SEVERITY_NOTE, NULL, (struct place){.file = front_shown(front, umbrella)},
                 "%s does not parse by itself, so it is read as this header includes it", header->name);
    }
    collection->unit = before;
    unit_close(&unit);
    return good;
}

static bool
read_through_umbrella(struct collection *collection, struct named_header *header)
{
    const char **candidates = NULL;
    int n = 0;
    headers_that_include(collection->model->arena, header->path, &candidates, &n);
    for (int i = 0; i < n; i++)
        if (try_umbrella(collection, header, candidates[i]))
            return true;
    return false;
}

/* Headers that go into one unit. Where several do not go together nothing is added or reported; the result is EXIT_INPUT. */
static int
collect_unit(struct front *front, struct collection *collection, struct named_header *headers, int n)
{
    struct text text = {0};
    struct unit unit = {.front = front, .path = headers[0].path, .shown = front_shown(front, headers[0].path),
                        .header = headers[0].name};
    if (n > 1) {
        headers_text(&text, headers, n);
        unit.path = "pkwrap-headers.c";
        unit.contents = text.data;
    }
    collection->unit = &unit;
    collection->is_kernel_file = true;
    int status = unit_parse(&unit);
    if (status == EXIT_DONE && unit_has_errors(&unit)) {
        status = EXIT_INPUT;
        if (n == 1 && read_through_umbrella(collection, &headers[0]))
            status = EXIT_DONE;
        else if (n == 1)
            unit_report_errors(&unit);
        if (n == 1)
            clang.getInclusions(unit.tu, add_inclusion, collection);
    } else if (status == EXIT_DONE) {
        clang.getInclusions(unit.tu, add_inclusion, collection);
        add_headers(collection, &unit, headers, n);
    }
    collection->unit = NULL;
    unit_close(&unit);
    text_release(&text);
    return status;
}

static int
find_headers(struct front *front, struct collection *collection)
{
    const struct front_options *options = front->options;
    int status = EXIT_DONE;
    collection->headers = arena_take(front->arena, (size_t)options->n_headers, sizeof *collection->headers);
    for (int i = 0; i < options->n_headers; i++) {
        const char *path = front_path(front, options->headers[i]);
        if (path == NULL) {
            const struct place place = {.file = options->headers[i]};
            diag_error(front->diag, options->header_places != NULL ? options->header_places[i] : place,
                       "there is no header \"%s\", neither in the current or the manifest's folder nor on the include path",
                       options->headers[i]);
            status = EXIT_INPUT;
        } else {
            collection->headers[collection->n_headers++] = (struct named_header){.name = options->headers[i], .path = path};
        }
    }
    return status;
}

struct ordered_function {
    int rank, position;
    struct model_function function;
};

static int
compare_functions(const void *a, const void *b)
{
    const struct ordered_function *left = a, *right = b;
    return left->rank != right->rank ? left->rank - right->rank : left->position - right->position;
}

/* In the order of headers, as if each had been read by itself. */
static void
sort_functions(struct collection *collection)
{
    struct model *model = collection->model;
    struct ordered_function *ordered = arena_take(model->arena, (size_t)model->n_functions, sizeof *ordered);
    for (int i = 0; i < model->n_functions; i++)
        ordered[i] = (struct ordered_function){rank_of(collection, model->functions[i].header), i, model->functions[i]};
    qsort(ordered, (size_t)model->n_functions, sizeof *ordered, compare_functions);
    for (int i = 0; i < model->n_functions; i++)
        model->functions[i] = ordered[i].function;
}

static int
collect_headers(struct front *front, struct collection *collection)
{
    int status = find_headers(front, collection);
    /* A database may have other flags for each. */
    bool together = collection->n_headers > 1 && front->options->database == NULL;
    if (!together || collect_unit(front, collection, collection->headers, collection->n_headers) != EXIT_DONE)
        for (int i = 0; i < collection->n_headers; i++) {
            int result = collect_unit(front, collection, &collection->headers[i], 1);
            status = result != EXIT_DONE ? result : status;
        }
    struct model *model = collection->model;
    for (int i = 0; i < collection->n_headers; i++)
        *ARENA_PUSH(model->arena, model->headers, model->n_headers) =
            (struct model_header){collection->headers[i].name, front_shown(front, collection->headers[i].path)};
    return status;
}

/* --- all --- */

/* Patterns may leave some functions out. */
static void
keep_wanted(struct model *model, const struct front_options *options)
{
    int n = 0;
    for (int i = 0; i < model->n_functions; i++)
        if (is_wanted(options, model->functions[i].name))
            model->functions[n++] = model->functions[i];
    model->n_functions = n;
}

static int
collect(struct front *front, struct collection *collection)
{
    const struct front_options *options = front->options;
    if (options->database != NULL)
        add_dependency(collection, path_join(front->arena, options->database, "compile_commands.json"));
    int status = collect_headers(front, collection);
    int result = collect_sources(front, collection);
    status = result != EXIT_DONE ? result : status;
    if (collection->n_headers > 1)
        sort_functions(collection);
    if (options->only_kernels && options->n_kernels > 0)
        keep_wanted(collection->model, options);
    return status;
}

/* A front end's work on a stack of its own. */
struct parse {
    struct model *model;
    struct diag *diag;
    const struct front_options *options;
    int status;
};

static void
parse(void *data)
{
    struct parse *parse = data;
    struct model *model = parse->model;
    struct front front;
    struct collection collection = {.model = model, .program = {.arena = model->arena}};
    parse->status = front_open(&front, model->arena, parse->diag, parse->options);
    if (parse->status == EXIT_DONE)
        parse->status = collect(&front, &collection);
    collection.program.library = library_rows(&collection.program.n_library);
    if (parse->status == EXIT_DONE && collection.program.n_bodies > 0)
        analyse_program(&collection.program, model);
    front_close(&front);
}

int
front_parse(struct model *model, struct diag *diag, const struct front_options *options)
{
    enum { LEVELS = 1 << 16 }; /* clang recurses: 8 MiB, which it has by itself, end with 60,000 terms */
    struct parse work = {model, diag, options, EXIT_ENVIRONMENT};
    deep_run(LEVELS, parse, &work);
    return work.status;
}
