/* diag.h - what a command has to say about its input: one finding, one line, like a compiler's.
 *
 *     file:line:column: error: text
 *
 * Whoever first knows reports, once; others pass the status on. Findings are kept in order and printed to stderr as they
 * come (or collected for --json). A finding's text says what was given, what was expected and how to mend it.
 */
#ifndef DIAG_H
#define DIAG_H

#include <stdbool.h>

#include "mem.h"

/* Exit statuses of every command. */
enum exit_status {
    EXIT_DONE = 0,
    EXIT_INPUT = 1,       /* the input is wrong, or `check` found something */
    EXIT_USAGE = 2,       /* wrong options or arguments */
    EXIT_ENVIRONMENT = 3  /* no compiler, no NumPy, disk full */
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* A place in a text file. line and column count from 1; 0: not known. file NULL: no file. */
struct place {
    const char *file;
    int line, column;
};

struct finding {
    enum severity severity;
    struct place place;
    const char *kernel; /* whom it is about, or NULL */
    const char *text;
    const char *code;   /* short stable name of the kind of finding ("stale", "missing-output"), or NULL */
};

struct diag {
    struct arena *arena;
    struct finding *findings;
    int n_findings;
    int n_errors, n_warnings;
    bool quiet;        /* keep, do not print (for --json) */
    bool werror;       /* count and print warnings as errors */
};

void diag_init(struct diag *diag, struct arena *arena);
void diag_add(struct diag *diag, enum severity severity, const char *code, struct place place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define diag_error(diag, place, ...) diag_add((diag), SEVERITY_ERROR, NULL, (place), __VA_ARGS__)
/* A refusal with its code, a string literal: tests/reject has a case for each that occurs in the sources. */
#define refuse(diag, code, place, ...) diag_add((diag), SEVERITY_ERROR, code, (place), __VA_ARGS__)
#define diag_warning(diag, place, ...) diag_add((diag), SEVERITY_WARNING, NULL, (place), __VA_ARGS__)

/* The candidate nearest to `given` by edit distance, if near enough to be worth naming, else NULL. */
const char *diag_nearest(const char *given, const char *const *candidates, int n);

/* A message about the environment, to stderr: "pkwrap: error: ...". Returns EXIT_ENVIRONMENT. */
int environment_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
