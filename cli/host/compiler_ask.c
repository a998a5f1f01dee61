/* compiler_ask.c - see compiler_ask.h. */
#include "compiler_ask.h"

#include <string.h>

#include "base/process.h"

struct question {
    const char *const *argv;
    struct compiler_answer answer;
    struct question *next;
};

/* Never released: reachable until the process ends. */
static struct question *questions;
static struct arena memory;

static bool
same_command(const char *const *one, const char *const *other)
{
    while (*one != NULL && *other != NULL && strcmp(*one, *other) == 0)
        one++, other++;
    return *one == NULL && *other == NULL;
}

static const char *const *
copy_command(const char *const *argv)
{
    const char **copy = NULL;
    int n = 0;
    for (; *argv != NULL; argv++)
        *ARENA_PUSH(&memory, copy, n) = arena_copy(&memory, *argv);
    *ARENA_PUSH(&memory, copy, n) = NULL;
    return copy;
}

const struct compiler_answer *
compiler_ask(const char *const *argv)
{
    for (const struct question *question = questions; question != NULL; question = question->next)
        if (same_command(question->argv, argv))
            return &question->answer;
    struct process process = {.argv = argv};
    bool succeeded = process_run(&process);
    struct question *question = arena_take(&memory, 1, sizeof *question);
    *question = (struct question){
        .argv = copy_command(argv),
        .answer = {.succeeded = succeeded,
                   .out = arena_copy_n(&memory, process.out.length > 0 ? process.out.data : "", process.out.length),
                   .err = arena_copy_n(&memory, process.err.length > 0 ? process.err.data : "", process.err.length)},
        .next = questions,
    };
    questions = question;
    process_release(&process);
    return &question->answer;
}
