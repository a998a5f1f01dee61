/* clang.h - the front end for C: from headers (and sources) to the model. The only user of libclang.
 *
 * libclang is loaded when the first function below that parses is called, never earlier: a command that parses nothing does
 * not pay for it.
 */
#ifndef CLANG_H
#define CLANG_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/mem.h"
#include "model/model.h"

/* What is parsed, and how. All text is borrowed for as long as the model is used. */
struct front_options {
    const char *directory;        /* of the manifest: headers and sources are looked for here first, and shown relative to
                                     it; NULL or ".": the current folder */
    const char *const *headers;   /* as the user names them; one not found in `directory` is searched on the include path */
    const struct place *header_places; /* who names each, for messages; NULL: nobody but the command line */
    int n_headers;
    const char *const *sources;   /* C files whose bodies are analysed, from the current folder; without any header their
                                     external functions are the kernels */
    int n_sources;
    const char *const *flags;     /* the compiler's flags, in order, with paths from the current folder: -Iinclude, -DDIM=3,
                                     -std=c99, -fopenmp; those that all kernels are compiled with come before, those of
                                     CFLAGS behind them */
    int n_flags;
    const char *database;         /* folder of a compile_commands.json whose flags come first, or NULL */
    const char *compiler;         /* used unless CC names one (compiler.h), as words; its system folders are searched after
                                     clang's own, and what it defines under the flags is defined */
    const char *libclang;         /* shared library to load; NULL: $PKWRAP_LIBCLANG, else searched */
    const char *resource_dir;     /* clang's own headers are in its include/; NULL: searched */
};

/* Parses every header by itself (a translation unit each), then the sources, and appends to `model` (all zero but its arena)
 * the functions that the headers themselves declare, in order of declaration; the enumerators; and the files read. A
 * function that cannot be wrapped is there with its reason. Errors of clang's are findings of `diag` with their place.
 * EXIT_DONE; EXIT_INPUT where a header is not found or does not compile; EXIT_ENVIRONMENT where libclang or its headers are
 * not found (a message was printed). */
int front_parse(struct model *model, struct diag *diag, const struct front_options *options);

/* Values of integer constants that only the preprocessor or the compiler knows: names of macros, enumerators or variables, or
 * other C expressions, as they stand behind the headers. constants[i] is filled in from texts[i] (its name) and known[i]
 * tells whether it could be; that it is no integer constant is no finding. Parses once more, so ask for all together.
 * The status is that of front_parse. */
int front_constants(struct diag *diag, struct arena *arena, const struct front_options *options, const char *const *texts,
                    int n_texts, struct model_constant *constants, bool *known);

#endif
