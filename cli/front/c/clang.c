/* clang.c - from headers to the model: which functions, constants and files a parse adds. */
#include "clang.h"

#include <string.h>

#include "analysis/analysis.h"
#include "lower_internal.h"
#include "types_internal.h"
#include "unit_internal.h"
#include "base/files.h"
#include "base/names.h"

/* A model under construction. */
struct collection {
    struct model *model;
    struct unit *unit;
    bool is_kernel_file; /* the unit's functions are kernels */
    struct program program;
    struct names functions, constants, files;
};

/* --- functions --- */

/* Of two declarations of a function in one header, the one that says more: the definition, else the one with names. */
static bool says_more(const struct model_function *later, const struct model_function *earlier)
{
    if (later->has_body != earlier->has_body)
        return later->has_body;
    if (later->n_params == 0 || earlier->n_params == 0)
        return later->n_params > 0;
    return *later->params[0].name != '\0' && *earlier->params[0].name == '\0';
}

static void add_function(struct collection *collection, CXCursor cursor)
{
    struct arena *arena = collection->model->arena;
    struct model_function function = {0};
    function_describe(collection->unit, cursor, &function);
    struct model *model = collection->model;
    int known = names_add(arena, &collection->functions, function.name, model->n_functions);
    if (known < 0) {
        *ARENA_PUSH(arena, model->functions, model->n_functions) = function;
        return;
    }
    struct model_function *earlier = &model->functions[known];
    if (earlier->header != function.header)
        return; /* the first header named has it */
    if (says_more(&function, earlier)) {
        if (*function.doc == '\0')
            function.doc = earlier->doc;
        *earlier = function;
    } else if (*earlier->doc == '\0') {
        earlier->doc = function.doc;
    }
}

/* Whether a function at top level is one of the kernels. */
static bool is_candidate(const struct collection *collection, CXCursor cursor)
{
    const struct unit *unit = collection->unit;
    if (!collection->is_kernel_file || !unit_has(unit, clang.getCursorLocation(cursor)))
        return false; /* of an included file, or of a source beside headers */
    if (!unit->is_source)
        return true;
    CXString spelling = clang.getCursorSpelling(cursor);
    bool is_main = strcmp(clang.getCString(spelling), "main") == 0;
    clang.disposeString(spelling);
    return !is_main && clang.isCursorDefinition(cursor) && clang.getCursorLinkage(cursor) == CXLinkage_External;
}

/* --- constants --- */

static enum CXChildVisitResult add_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
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

static enum CXChildVisitResult visit_top_level(CXCursor cursor, CXCursor parent, CXClientData data)
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

static void add_dependency(struct collection *collection, const char *path)
{
    struct model *model = collection->model;
    while (path[0] == '.' && path[1] == '/') /* a header asked for by name, and the same one included by a source */
        path += 1 + strspn(path + 1, "/");
    if (names_add(model->arena, &collection->files, path, model->n_dependencies) < 0)
        *ARENA_PUSH(model->arena, model->dependencies, model->n_dependencies) = path;
}

/* The sources themselves are none: whoever builds knows them. */
static void add_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    (void)stack;
    struct collection *collection = data;
    if (depth > 0 || !collection->unit->is_source)
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

static void mark_broken(struct source_errors *errors, struct body *body, struct place place, const char *text)
{
    if (body->broken != NULL)
        return;
    struct front *front = errors->collection->unit->front;
    body->broken = arena_printf(front->arena, "clang cannot read it: %s", text);
    diag_warning(front->diag, place, "what '%s' writes is not known, since clang cannot read it: %s", body->name, text);
}

static void add_source_error(void *data, struct place place, const char *text)
{
    struct source_errors *errors = data;
    for (int i = 0; i < errors->n_bodies; i++) {
        struct body *body = &errors->bodies[i];
        if (place.file != NULL && strcmp(place.file, body->place.file) == 0 && place.line >= body->place.line &&
            place.line <= body->last_line) {
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

/* --- one file, all files --- */

static int collect_unit(struct collection *collection, struct unit *unit)
{
    int status = unit_parse(unit);
    if (unit->tu == NULL)
        return status;
    clang.getInclusions(unit->tu, add_inclusion, collection);
    if (status != EXIT_DONE)
        return status;
    int first = collection->program.n_bodies;
    clang.visitChildren(clang.getTranslationUnitCursor(unit->tu), visit_top_level, collection);
    if (!unit->is_source)
        return EXIT_DONE;
    struct source_errors errors = {collection, collection->program.bodies + first, collection->program.n_bodies - first,
                                   EXIT_DONE};
    unit_errors(unit, add_source_error, &errors);
    return errors.status;
}

static int collect_file(struct front *front, struct collection *collection, const char *path, const char *name, bool is_source)
{
    struct unit unit = {
        .front = front, .path = path, .shown = front_shown(front, path), .header = name, .is_source = is_source};
    collection->unit = &unit;
    collection->is_kernel_file = !is_source || front->options->n_headers == 0;
    int status = collect_unit(collection, &unit);
    collection->unit = NULL;
    unit_close(&unit);
    return status;
}

static int collect_header(struct front *front, struct collection *collection, int index)
{
    const char *name = front->options->headers[index], *path = front_path(front, name);
    const struct place *places = front->options->header_places;
    if (path == NULL) {
        diag_error(front->diag, places != NULL ? places[index] : ((struct place){.file = name}),
                   "there is no header \"%s\", neither in the current or the manifest's folder nor on the include path", name);
        return EXIT_INPUT;
    }
    return collect_file(front, collection, path, name, false);
}

static int collect(struct front *front, struct collection *collection)
{
    const struct front_options *options = front->options;
    int status = EXIT_DONE;
    if (options->database != NULL)
        add_dependency(collection, path_join(front->arena, options->database, "compile_commands.json"));
    for (int i = 0; i < options->n_headers; i++) {
        int result = collect_header(front, collection, i);
        status = result != EXIT_DONE ? result : status;
    }
    for (int i = 0; i < options->n_sources; i++) {
        int result = collect_file(front, collection, options->sources[i], options->sources[i], true);
        status = result != EXIT_DONE ? result : status;
    }
    return status;
}

int front_parse(struct model *model, struct diag *diag, const struct front_options *options)
{
    struct front front;
    struct collection collection = {.model = model, .program = {.arena = model->arena}};
    int status = front_open(&front, model->arena, diag, options);
    if (status == EXIT_DONE)
        status = collect(&front, &collection);
    if (status == EXIT_DONE && collection.program.n_bodies > 0)
        analyse_program(&collection.program, model);
    front_close(&front);
    return status;
}
