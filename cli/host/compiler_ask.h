/* compiler_ask.h - what a compiler answers about itself: one run a process for the same question. */
#ifndef COMPILER_ASK_H
#define COMPILER_ASK_H

#include <stdbool.h>

struct compiler_answer {
    bool succeeded;        /* exit status 0 */
    const char *out, *err; /* what it printed, "" for nothing */
};

/* Runs a command (NULL-terminated words) whose answer depends on nothing but the command and the environment, so that many
 * manifests ask it once. The answer lives as long as the process. */
const struct compiler_answer *compiler_ask(const char *const *argv);

#endif
