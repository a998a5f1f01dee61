/* files.h - files and paths of a build: read whole, written whole or not at all, never touched when nothing changes.
 *
 * Functions that write report their own failure with environment_error and return its exit status; EXIT_DONE is 0.
 */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "mem.h"

/* Appends the whole file to `text`. 0, or -1 with errno. */
int file_read(const char *path, struct text *text);

bool file_exists(const char *path);

/* Makes `path` hold exactly these bytes, by rename from a temporary file beside it; leaves it alone (time included) when it
 * already does. `changed`, where not NULL, becomes true when it was written and is left as it is otherwise. */
int file_write(const char *path, const char *data, size_t length, bool *changed);

/* Puts a copy of `from` (or `from` itself, when `move`) in the place of `to`, by rename; mode 0755 less umask.
 * Leaves `to` alone when it has the same contents. */
int file_install(const char *from, const char *to, bool move);

/* Gives `path` the present time as its time of change; makes it, empty, where it is not there. */
int file_touch(const char *path);

/* Makes a folder and those above it. */
int folder_make(const char *path);

/* Removes a folder and the files in it; folders in it are left, and it with them. What is not there is no failure. */
void folder_remove(const char *path);
/* The same for every folder inside `path` whose name starts with `prefix`. */
void folders_remove(const char *path, const char *prefix);

/* Waits for, then holds, an exclusive lock on the file `path` (made where it is not there), until the process ends or the
 * descriptor is closed. The descriptor, or -1 after a message. */
int file_lock(const char *path);

/* From here on a signal that ends the program removes the temporary file being written first. */
void files_handle_signals(void);

/* --- paths: text only, unless said otherwise --- */

/* `name` inside `folder`; `name` itself when it is absolute or the folder is "" or ".". */
char *path_join(struct arena *arena, const char *folder, const char *name);
/* What is before the last slash, "." where there is none. */
char *path_folder(struct arena *arena, const char *path);
/* What follows the last slash. Points into `path`. */
const char *path_name(const char *path);
/* With the current folder before it, if it is relative; links and ".." stay. */
char *path_absolute(struct arena *arena, const char *path);
/* Absolute, without links, "." and ".."; parts that do not exist yet are kept. Asks the file system. */
char *path_real(struct arena *arena, const char *path);
/* How to write `path` from within `folder`, both from path_real: "../lib/x". */
char *path_relative(struct arena *arena, const char *path, const char *folder);

#endif
