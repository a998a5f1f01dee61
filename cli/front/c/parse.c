/* parse.c - a front end and its units: libclang's index, the arguments, one parse a file, clang's diagnostics. */
#include <string.h>

#include "types_internal.h"
#include "unit_internal.h"
#include "base/files.h"

/* --- a front end --- */

static int
open_database(struct front *front)
{
    const char *folder = front->options->database;
    if (folder == NULL)
        return EXIT_DONE;
    const char *file = path_join(front->arena, folder, "compile_commands.json");
    if (!file_exists(file)) { /* libclang would complain in words of its own */
        diag_error(front->diag, ((struct place){.file = file}), "there is no such file; -p names the folder it is in");
        return EXIT_INPUT;
    }
    CXCompilationDatabase_Error error;
    front->database = clang.CompilationDatabase_fromDirectory(folder, &error);
    if (error == CXCompilationDatabase_NoError)
        return EXIT_DONE;
    front->database = NULL;
    diag_error(front->diag, ((struct place){.file = file}), "not a compilation database");
    return EXIT_INPUT;
}

int
front_open(struct front *front, struct arena *arena, struct diag *diag, const struct front_options *options)
{
    *front = (struct front){.arena = arena, .diag = diag, .options = options, .here = path_real(arena, ".")};
    int status = clang_load(arena, options->libclang);
    if (status != EXIT_DONE)
        return status;
    status = compiler_look_for(&front->compiler, arena, options->compiler);
    if (status != EXIT_DONE)
        return status;
    words_add(arena, &front->flags, COMPILER_OPTIMIZATION);
    words_add_all(arena, &front->flags, compiler_first_flags, n_compiler_first_flags);
    words_add_all(arena, &front->flags, options->flags, options->n_flags);
    words_add_all(arena, &front->flags, front->compiler.cflags.values, front->compiler.cflags.n);
    folders_ask(arena, &front->folders, &front->compiler);
    const char *resource;
    status = folders_resource(arena, options->resource_dir, &front->folders, &resource);
    if (status != EXIT_DONE)
        return status;
    /* Warnings are the compiler's business. A type that is not known must not become int, whatever -std says. */
    static const char *const always[] = {"-xc", "-Wno-everything", "-Werror=implicit-int"};
    words_add_all(arena, &front->arguments, always, sizeof always / sizeof *always);
    if (resource != NULL) {
        words_add(arena, &front->arguments, "-resource-dir");
        words_add(arena, &front->arguments, resource);
    }
    front->index = clang.createIndex(0, 0);
    return open_database(front);
}

void
front_close(struct front *front)
{
    if (front->database != NULL)
        clang.CompilationDatabase_dispose(front->database);
    if (front->index != NULL)
        clang.disposeIndex(front->index);
}

/* --- names and places of files --- */

const char *
front_path(struct front *front, const char *name)
{
    const struct front_options *options = front->options;
    const char *directory = options->directory != NULL ? options->directory : ".";
    return folders_find(front->arena, directory, &front->flags, &front->folders, name);
}

/* Never an absolute path: seen from `folder`, which is without links, if no system folder has it. A file that is itself a
 * link keeps its name (Debian's cblas.h is one). */
static const char *
shown_from(struct front *front, const char *path, const char *folder)
{
    struct arena *arena = front->arena;
    const char *real = path_join(arena, path_real(arena, path_folder(arena, path)), path_name(path));
    const char *system = folders_system_name(arena, &front->folders, real);
    return system != NULL ? system : path_relative(arena, real, folder);
}

const char *
front_shown(struct front *front, const char *path)
{
    const char *directory = front->options->directory;
    return shown_from(front, path, directory != NULL ? path_real(front->arena, directory) : front->here);
}

bool
unit_has(const struct unit *unit, CXSourceLocation location)
{
    CXFile file = NULL;
    clang.getExpansionLocation(location, &file, NULL, NULL, NULL);
    return file != NULL && clang.File_isEqual(file, unit->file);
}

bool
unit_place(const struct unit *unit, CXSourceLocation location, struct place *place, unsigned *offset)
{
    CXFile file = NULL;
    unsigned line = 0, column = 0, at = 0;
    clang.getExpansionLocation(location, &file, &line, &column, &at);
    bool here = file != NULL && clang.File_isEqual(file, unit->file);
    *place = (struct place){.file = unit->shown, .line = (int)line, .column = (int)column};
    if (file == NULL)
        place->file = NULL;
    else if (!here)
        place->file = front_shown(unit->front, clang_take_string(unit->front->arena, clang.getFileName(file)));
    if (offset != NULL)
        *offset = at;
    return here;
}

/* --- diagnostics --- */

/* gcc names deallocators in an attribute that clang has without arguments (in gcc's own omp.h, for one). The declaration is
 * the same without it. */
static bool
is_foreign_attribute(CXDiagnostic diagnostic)
{
    CXString text = clang.getDiagnosticSpelling(diagnostic);
    const char *words = clang.getCString(text);
    bool foreign = strcmp(words, "'malloc' attribute takes no arguments") == 0
                   || strcmp(words, "'__malloc__' attribute takes no arguments") == 0;
    clang.disposeString(text);
    return foreign;
}

static const char *
error_text(struct front *front, CXDiagnostic diagnostic)
{
    return clang_without_places(front->arena, clang_take_string(front->arena, clang.getDiagnosticSpelling(diagnostic)));
}

static bool
is_error(CXDiagnostic diagnostic)
{
    return clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && !is_foreign_attribute(diagnostic);
}

static void
report(struct unit *unit, CXDiagnostic diagnostic)
{
    CXFile file = NULL;
    unsigned line = 0, column = 0;
    clang.getExpansionLocation(clang.getDiagnosticLocation(diagnostic), &file, &line, &column, NULL);
    struct place place = {.file = unit->path, .line = (int)line, .column = (int)column};
    if (file != NULL) {
        const char *path = clang_take_string(unit->front->arena, clang.getFileName(file));
        place.file = *path == '/' ? shown_from(unit->front, path, unit->front->here) : path;
    }
    diag_error(unit->front->diag, place, "%s", error_text(unit->front, diagnostic));
}

/* Words at the beginning of what C++ alone has, and C takes for the name of a type. */
static bool
is_foreign_language(CXDiagnostic diagnostic)
{
    static const char *const words[] = {"class", "namespace", "template", "using"};
    CXString text = clang.getDiagnosticSpelling(diagnostic);
    bool foreign = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        const char *named = strstr(clang.getCString(text), "unknown type name '");
        foreign = foreign || (named != NULL && strncmp(named + 19, words[i], length) == 0 && named[19 + length] == '\'');
    }
    clang.disposeString(text);
    return foreign;
}

bool
unit_has_errors(struct unit *unit)
{
    bool found = false;
    unsigned n = clang.getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < n && !found; i++) {
        CXDiagnostic diagnostic = clang.getDiagnostic(unit->tu, i);
        found = is_error(diagnostic);
        clang.disposeDiagnostic(diagnostic);
    }
    return found;
}

int
unit_report_errors(struct unit *unit)
{
    int status = EXIT_DONE;
    unsigned n = clang.getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang.getDiagnostic(unit->tu, i);
        if (is_error(diagnostic) && is_foreign_language(diagnostic)) {
            diag_error(unit->front->diag, ((struct place){.file = unit->path}),
                       "this is C++, and C is what can be wrapped: name a header that declares the functions for C");
            clang.disposeDiagnostic(diagnostic);
            return EXIT_INPUT;
        }
        if (is_error(diagnostic)) {
            report(unit, diagnostic);
            status = EXIT_INPUT;
        }
        clang.disposeDiagnostic(diagnostic);
    }
    return status;
}

/* --- units --- */

void
front_arguments(struct front *front, const char *path, struct words *words)
{
    struct arena *arena = front->arena;
    words_add_all(arena, words, front->arguments.values, front->arguments.n);
    struct words flags = {0};
    if (path != NULL)
        flags_of_database(front, &flags, path);
    words_add_all(arena, &flags, front->flags.values, front->flags.n);
    flags_add(front, words, &flags);
    for (int i = 0; i < front->folders.n; i++) {
        words_add(arena, words, "-idirafter");
        words_add(arena, words, front->folders.values[i]);
    }
}

void
unit_errors(struct unit *unit, void (*report_one)(void *data, struct place place, const char *text), void *data)
{
    unsigned n = clang.getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang.getDiagnostic(unit->tu, i);
        if (is_error(diagnostic)) {
            struct place place;
            unit_place(unit, clang.getDiagnosticLocation(diagnostic), &place, NULL);
            report_one(data, place, error_text(unit->front, diagnostic));
        }
        clang.disposeDiagnostic(diagnostic);
    }
}

int
unit_parse(struct unit *unit)
{
    struct front *front = unit->front;
    struct words words = {0};
    front_arguments(front, unit->path, &words);
    struct CXUnsavedFile file = {unit->path, unit->contents, unit->contents != NULL ? strlen(unit->contents) : 0};
    enum CXErrorCode error = clang.parseTranslationUnit2(front->index, unit->path, words.values, words.n, &file,
                                                         unit->contents != NULL, CXTranslationUnit_None, &unit->tu);
    return unit_begin(unit, error == CXError_Success ? unit->tu : NULL);
}

int
unit_begin(struct unit *unit, CXTranslationUnit tu)
{
    unit->tu = tu;
    if (tu == NULL) {
        diag_error(unit->front->diag, ((struct place){.file = unit->path}), "clang cannot parse it with these options");
        return EXIT_INPUT;
    }
    unit->file = clang.getFile(unit->tu, unit->path);
    unit->text = clang.getFileContents(unit->tu, unit->file, &unit->length);
    unit->types = type_table_make(unit->front->arena);
    return EXIT_DONE;
}

void
unit_close(struct unit *unit)
{
    if (unit->tu != NULL)
        clang.disposeTranslationUnit(unit->tu);
}
