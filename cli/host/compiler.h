/* compiler.h - which C compiler, and the flags of the environment. */
#ifndef COMPILER_H
#define COMPILER_H

#include "base/mem.h"

struct words {
    const char **values;
    int n;
};

/* A list of arguments under construction; what it points to lives in an arena or for ever. */
void words_add(struct arena *arena, struct words *words, const char *word);
void words_add_all(struct arena *arena, struct words *words, const char *const *values, int n);
/* With the NULL at its end that process.h wants. The list may not grow any more. */
const char *const *words_argv(struct arena *arena, struct words *words);

struct compiler {
    struct words command; /* program and first arguments: {"gcc", "-pthread"} */
    const char *path;     /* the program's full path */
    struct words cflags, ldflags; /* of the environment */
};

/* CC of the environment, else `python_compiler` (the one that the interpreter was built with; NULL or "" for none) if that
 * is there, else cc; its path is NULL where none is there. EXIT_DONE, or EXIT_ENVIRONMENT after a message about what the
 * environment says. */
int compiler_look_for(struct compiler *compiler, struct arena *arena, const char *python_compiler);
/* The same; EXIT_ENVIRONMENT after a message also where none is there. */
int compiler_find(struct compiler *compiler, struct arena *arena, const char *python_compiler);

/* Options that every kernel is compiled with, before those of the manifest and of CFLAGS, which may say otherwise. What is
 * parsed is parsed under the same ones: an optimizing compiler defines __OPTIMIZE__. */
extern const char *const compiler_first_flags[];
extern const int n_compiler_first_flags;
#define COMPILER_OPTIMIZATION "-O2"

#endif
