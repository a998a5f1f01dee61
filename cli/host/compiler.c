/* compiler.c - CC, CFLAGS and LDFLAGS. */
#include "compiler.h"

#include <stdlib.h>

#include "base/diag.h"
#include "interpreter.h"
#include "base/process.h"

void words_add(struct arena *arena, struct words *words, const char *word)
{
    *ARENA_PUSH(arena, words->values, words->n) = word;
}

void words_add_all(struct arena *arena, struct words *words, const char *const *values, int n)
{
    for (int i = 0; i < n; i++)
        words_add(arena, words, values[i]);
}

const char *const *words_argv(struct arena *arena, struct words *words)
{
    words_add(arena, words, NULL);
    words->n--;
    return words->values;
}

static const char *environment_text(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

static int split_variable(struct arena *arena, const char *name, struct words *words)
{
    if (process_split(arena, environment_text(name), &words->values, &words->n) < 0)
        return environment_error("%s has a quote that is not closed: %s", name, environment_text(name));
    return EXIT_DONE;
}

int compiler_find(struct compiler *compiler, struct arena *arena, const char *python_compiler)
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
        return compiler->path ? EXIT_DONE
                              : environment_error("no compiler '%s' (from CC)", compiler->command.values[0]);
    }
    const char *candidates[] = {python_compiler ? python_compiler : "", "cc"};
    for (int i = 0; i < 2; i++) {
        struct words command = {0};
        if (process_split(arena, candidates[i], &command.values, &command.n) < 0 || command.n == 0)
            continue;
        compiler->path = program_find(arena, command.values[0]);
        if (compiler->path != NULL) {
            compiler->command = command;
            return EXIT_DONE;
        }
    }
    return environment_error("no C compiler: neither CC nor cc names one");
}
