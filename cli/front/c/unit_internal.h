/* unit_internal.h - what the files of this room share: the parse of one file, and the pieces of a model made from it. */
#ifndef CLANG_UNIT_H
#define CLANG_UNIT_H

#include <stdbool.h>

#include "clang.h"
#include "api_internal.h"
#include "host/compiler.h"

/* What the compiler defines under some flags, for clang. */
struct known_macros {
    const char *flags;      /* joined */
    struct words words;     /* none: it cannot be asked */
};

/* A front end at work. */
struct front {
    struct arena *arena;
    struct diag *diag;
    const struct front_options *options;
    struct compiler compiler; /* path NULL: there is none, and nothing can be asked of it */
    struct words flags;     /* the compiler's, all of them: the first ones, the options', those of CFLAGS */
    struct words folders;   /* the compiler's system include folders, in order */
    struct words arguments; /* for clang, whatever the file */
    struct known_macros *macros;
    int n_macros;
    CXIndex index;
    CXCompilationDatabase database; /* NULL: none */
    const char *here;       /* the current folder, without links */
};

/* One parsed file. */
struct unit {
    struct front *front;
    const char *path;       /* as open() takes it */
    const char *contents;   /* of the file at `path`, where it is there in memory only */
    const char *shown;      /* as messages and models show it: relative to the manifest, or <cblas.h> */
    const char *header;     /* as the user named it */
    bool is_source;         /* C that is to be compiled, not a header: what it defines counts, not what it declares */
    CXTranslationUnit tu;
    CXFile file;            /* of headers: the one that is being described, as are `shown`, `header` and `text` */
    const char *text;       /* the file's own bytes */
    size_t length;
    struct type_table *types;
};

/* --- folders.c: where things are --- */

/* Asks the compiler for its system include folders: $CC -E -v. None where it cannot be run. */
void folders_ask(struct arena *arena, struct words *folders, const struct compiler *compiler);
/* Path of a header: in the folder `directory`, else in the -I folders of `flags`, else in `folders`; NULL: nowhere. */
const char *folders_find(struct arena *arena, const char *directory, const struct words *flags, const struct words *folders,
                         const char *name);
/* "<cblas.h>" for a path inside one of the system folders, else NULL. */
const char *folders_system_name(struct arena *arena, const struct words *folders, const char *path);
/* clang's resource folder: what `given` says, or NULL where libclang finds its own. EXIT_DONE, or EXIT_ENVIRONMENT after a
 * message that lists the places tried, where no stddef.h is to be found at all. */
int folders_resource(struct arena *arena, const char *given, const struct words *folders, const char **resource);

/* --- flags.c: which of a compiler's flags change what a file declares --- */

/* Appends all flags that the compilation database has for the file at `path`, with paths from the current folder. */
void flags_of_database(struct front *front, struct words *words, const char *path);
/* Appends to `words` what makes clang read a file as the compiler does under `flags`. */
void flags_add(struct front *front, struct words *words, const struct words *flags);

/* --- parse.c: a front end and its units --- */

int front_open(struct front *front, struct arena *arena, struct diag *diag, const struct front_options *options);
void front_close(struct front *front);
/* Path of the header that the options call `name`, or NULL. */
const char *front_path(struct front *front, const char *name);
/* How a file is shown: relative to the manifest's folder, or <cblas.h>. */
const char *front_shown(struct front *front, const char *path);
/* Appends clang's arguments for the file at `path` (NULL: for any). */
void front_arguments(struct front *front, const char *path, struct words *words);
/* Parses the file at unit->path. EXIT_DONE, or EXIT_INPUT after a message. Errors in it are left to those below. */
int unit_parse(struct unit *unit);
/* The same with what was parsed elsewhere; NULL: it could not be. */
int unit_begin(struct unit *unit, CXTranslationUnit tu);
/* Whether clang found errors; reports them, and returns EXIT_INPUT if there are any. */
bool unit_has_errors(struct unit *unit);
int unit_report_errors(struct unit *unit);
/* Calls `report` with place (as models show it) and text of each error that clang found. */
void unit_errors(struct unit *unit, void (*report)(void *data, struct place place, const char *text), void *data);
void unit_close(struct unit *unit);
/* Whether it is a place in the file that the unit was parsed for; a macro's counts where it is used. */
bool unit_has(const struct unit *unit, CXSourceLocation location);
/* File, line and column of a place, and its offset. False: it is not in the file that the unit was parsed for. */
bool unit_place(const struct unit *unit, CXSourceLocation location, struct place *place, unsigned *offset);

/* --- the pieces --- */

/* types.c: fills in what a type is. The extents of variable length arrays are left to extents_fill. */
void type_describe(struct unit *unit, CXType type, bool is_result, struct model_type *out);
/* extents.c: the texts of declared extents, from the parameter's declaration. A type whose extents no expression can
 * tell becomes KIND_UNSUPPORTED. */
void extents_fill(struct unit *unit, CXCursor param, struct model_type *type);
/* structs.c: the fields of a parameter that is a structure or points to one, as its attributes. Pointers in it to
 * structures are not followed. */
void struct_describe(struct unit *unit, CXType type, struct model_param *param);
/* constants.c: the constant that an enumerator is. */
struct model_constant constant_from(const char *name, CXCursor enumerator, bool is_unsigned);
/* functions.c: the function, all of it. */
void function_describe(struct unit *unit, CXCursor cursor, struct model_function *out);

#endif
