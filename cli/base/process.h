/* process.h - runs other programs: argument vectors, never a shell; what they print is captured.
 *
 * A program's name without a slash is looked up in PATH. Children get the environment of this
 * process, with LC_ALL=C so that what they print can be read.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>

#include "mem.h"

/* One program to run, and then what became of it. */
struct process {
    const char *const *argv; /* NULL-terminated; borrowed */
    const char *input;       /* text on its stdin, or NULL for an empty one; at most PROCESS_INPUT bytes */
    int status;              /* exit status; PROCESS_NOT_RUN, PROCESS_NOT_STARTED, PROCESS_SIGNALLED, PROCESS_LOST */
    int error;               /* PROCESS_NOT_STARTED, PROCESS_LOST (it ran, how it ended cannot be told): errno (ENOENT: no such
                                program); PROCESS_SIGNALLED: the signal */
    struct text out;         /* stdout */
    struct text err;         /* stderr; merged into `out`, in order, when `merge` */
    bool merge;
};

enum { PROCESS_NOT_RUN = -1, PROCESS_NOT_STARTED = -2, PROCESS_SIGNALLED = -3, PROCESS_LOST = -4 };
enum { PROCESS_INPUT = 65536 };

/* A SIGCHLD that is ignored gets its default back here: how programs end could not be known otherwise. Where waiting itself fails
 * the program ends with exit status 3 and one message. */

/* Runs one program to its end. True if it exited with status 0. */
bool process_run(struct process *process);

/* Runs them all, at most `at_once` at a time, in order of the array. When one fails, those not yet started stay
 * PROCESS_NOT_RUN; those running are waited for. True if every one exited with status 0. */
bool process_run_all(struct process *processes, int n, int at_once);

void process_release(struct process *process);

/* What became of a program that has run, to stand after its name: "cannot be started: Permission denied", "was ended by signal 11
 * (Segmentation fault)", "ended with exit status 1 and printed nothing". */
const char *process_outcome(struct arena *arena, const struct process *process);
/* The same with all that it printed (stderr, else stdout) below, indented. */
const char *process_account(struct arena *arena, const struct process *process);

/* The same with the one line of it that tells most, in the same sentence: "ended with exit status 1 and printed `no such module`". */
const char *process_sentence(struct arena *arena, const struct process *process);

/* Splits text such as CC's or CFLAGS's into words as a shell does without expansion: blanks separate, quotes and
 * backslashes protect. Appends them to *words (*n of them), each in the arena. 0, or -1 where a quote is not closed. */
int process_split(struct arena *arena, const char *text, const char ***words, int *n);

#endif
