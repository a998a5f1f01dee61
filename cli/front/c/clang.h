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
    const char *const *prefixes;  /* included headers whose names begin so belong to those that were named */
    int n_prefixes;
    const char *const *kernels;   /* patterns (fnmatch): functions with such a name are kernels wherever they are declared */
    int n_kernels;
    bool only_kernels;            /* and no others are, where there are patterns */
    int jobs;                     /* sources that are parsed at once; 0: as many as there are processors */
    bool with_static;             /* static functions of sources are listed, too */
    const char *database;         /* folder of a compile_commands.json whose flags come first, or NULL */
    const char *compiler;         /* used unless CC names one (compiler.h), as words; its system folders are searched after
                                     clang's own, and what it defines under the flags is defined */
    const char *libclang;         /* shared library to load; NULL: $PKWRAP_LIBCLANG, else searched */
    const char *resource_dir;     /* clang's own headers are in its include/; NULL: searched */
};

/* Parses the headers, all in one translation unit as generated code includes them (each by itself where they do not go together),
 * then the sources, and appends to `model` (all zero but its arena) the functions that the headers themselves declare, in order
 * of headers and declaration; the enumerators; and the files read. Of a header that declares no function itself (an umbrella),
 * those of the headers that it includes of its own library belong to it: from its folder, below it, or of a given prefix. A
 * header that does not parse by itself is read as a header of its folder includes it, with a note. A function that cannot be
 * wrapped is there with its reason. Errors of clang's are findings of `diag` with their place.
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
