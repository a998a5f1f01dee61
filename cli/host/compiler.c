/* compiler.c - CC, CFLAGS and LDFLAGS. */
#include "compiler.h"

#include <stdlib.h>

#include "base/diag.h"
#include "compiler_flags.h"
#include "interpreter.h"
#include "base/process.h"

/* Kernels become private to the module: two modules, or a module and a library of the process, may have functions of the same
 * name. */
const char *const compiler_first_flags[] = {"-fPIC", "-fvisibility=hidden"};
const int n_compiler_first_flags = sizeof compiler_first_flags / sizeof *compiler_first_flags;

void
words_add(struct arena *arena, struct words *words, const char *word)
{
    *ARENA_PUSH(arena, words->values, words->n) = word;
}

void
words_add_all(struct arena *arena, struct words *words, const char *const *values, int n)
{
    for (int i = 0; i < n; i++)
        words_add(arena, words, values[i]);
}

const char *const *
words_argv(struct arena *arena, struct words *words)
{
    words_add(arena, words, NULL);
    words->n--;
    return words->values;
}

static const char *
environment_text(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

static int
split_variable(struct arena *arena, const char *name, struct words *words)
{
    if (process_split(arena, environment_text(name), &words->values, &words->n) < 0)
        return environment_error("%s has a quote that is not closed: %s", name, environment_text(name));
    for (int i = 0; i < words->n; i++)
        if (flag_is_reserved(words->values[i]))
            return environment_error("%s has %s, which is for a build to say: leave it out", name, words->values[i]);
    return EXIT_DONE;
}

int
compiler_look_for(struct compiler *compiler, struct arena *arena, const char *python_compiler)
{
    *compiler = (struct compiler){0};
    int status = split_variable(arena, "CFLAGS", &compiler->cflags);
    if (status == EXIT_DONE)
        status = split_variable(arena, "LDFLAGS", &compiler->ldflags);
    if (status == EXIT_DONE)
        status = split_variable(arena, "CC", &compiler->command);
    if (status != EXIT_DONE)
        return status;
    if (compiler->command.n > 0) {
        compiler->path = program_find(arena, compiler->command.values[0]);
        return EXIT_DONE;
    }
    const char *candidates[] = {python_compiler ? python_compiler : "", "cc"};
    for (int i = 0; i < 2 && compiler->path == NULL; i++) {
        compiler->command = (struct words){0};
        if (process_split(arena, candidates[i], &compiler->command.values, &compiler->command.n) == 0 && compiler->command.n > 0)
            compiler->path = program_find(arena, compiler->command.values[0]);
    }
    return EXIT_DONE;
}

int
compiler_find(struct compiler *compiler, struct arena *arena, const char *python_compiler)
{
    int status = compiler_look_for(compiler, arena, python_compiler);
    if (status != EXIT_DONE || compiler->path != NULL)
        return status;
    if (*environment_text("CC") != '\0')
        return environment_error("no compiler '%s' (from CC)", compiler->command.n > 0 ? compiler->command.values[0] : "");
    return environment_error("no C compiler: neither CC nor cc names one");
}
