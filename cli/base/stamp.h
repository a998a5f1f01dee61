/* stamp.h - what a result was made from: enough to tell, without doing any of the work, that doing it again would give the
 * same.
 *
 * A stamp file holds a hash of the "key" (everything that is not a file: options, environment, commands) and, a file that
 * was read or written, its size, time of change, inode and a hash of its contents. A file whose first three are as recorded
 * is taken to be the same; else its contents decide, and the stamp is brought up to date. A file may also be recorded as
 * absent: appearing is a change.
 */
#ifndef STAMP_H
#define STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "mem.h"
#include "names.h"

struct stamp {
    struct arena *arena;
    uint64_t key;
    struct timespec start; /* when the work began: an input that changed after that makes the stamp useless at once. The
                              time of change of the stamp file */
    struct stamp_file *files;
    int n_files;
    struct names paths; /* private: those of `files` */
};

/* Begins a stamp now, before the work; `key` is copied as a hash. */
void stamp_init(struct stamp *stamp, struct arena *arena, const char *key);
/* A file that was read. Absent ones are recorded as that. A path that is recorded already, be it as an output, is left
 * at that. */
void stamp_input(struct stamp *stamp, const char *path);
/* A file that was written: it may be newer than the start. */
void stamp_output(struct stamp *stamp, const char *path);
/* Writes it to `path`. EXIT_DONE, or EXIT_ENVIRONMENT after a message. */
int stamp_write(const struct stamp *stamp, const char *path);

/* True if the stamp file at `path` says that nothing changed. Otherwise *why (where not NULL) tells, in the arena. */
bool stamp_is_current(struct arena *arena, const char *path, const char *key, const char **why);

#endif
