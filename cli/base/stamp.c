/* stamp.c - reading, comparing and writing stamps. */
#include "stamp.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "diag.h"
#include "files.h"

struct stamp_file {
    const char *path;
    bool absent;
    int64_t size, seconds, nanoseconds, inode;
    uint64_t hash; /* 0: changed while it was in use */
};

static const char header[] = "pkwrap stamp 1\n";

/* FNV-1a over eight bytes at a time, then single ones. Not against an adversary: against a second build for nothing. */
static uint64_t
hash_bytes(const char *data, size_t length)
{
    const uint64_t prime = 0x100000001b3;
    uint64_t hash = 0xcbf29ce484222325 ^ length;
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t block;
        memcpy(&block, data, 8);
        hash = (hash ^ block) * prime;
        hash ^= hash >> 32; /* the multiplication carries upwards only */
    }
    for (; length > 0; data++, length--)
        hash = (hash ^ (unsigned char)*data) * prime;
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

static bool
hash_file(const char *path, uint64_t *hash)
{
    struct text text = {0};
    bool done = file_read(path, &text) == 0;
    if (done)
        *hash = hash_bytes(text.data ? text.data : "", text.length);
    text_release(&text);
    return done;
}

static void
take_status(struct stamp_file *file, const struct stat *status)
{
    file->size = status->st_size;
    file->seconds = status->st_mtim.tv_sec;
    file->nanoseconds = status->st_mtim.tv_nsec;
    file->inode = (int64_t)status->st_ino;
}

void
stamp_init(struct stamp *stamp, struct arena *arena, const char *key)
{
    *stamp = (struct stamp){.arena = arena, .key = hash_bytes(key, strlen(key))};
    clock_gettime(CLOCK_REALTIME, &stamp->start);
}

static struct stamp_file *
record(struct stamp *stamp, const char *path)
{
    struct stat status;
    path = arena_copy(stamp->arena, path);
    if (names_add(stamp->arena, &stamp->paths, path, stamp->n_files) >= 0)
        return NULL;
    struct stamp_file *file = ARENA_PUSH(stamp->arena, stamp->files, stamp->n_files);
    file->path = path;
    /* The status first: a change between the two shows itself in a later status. */
    file->absent = stat(path, &status) < 0 || !hash_file(path, &file->hash);
    if (!file->absent)
        take_status(file, &status);
    return file;
}

void
stamp_input(struct stamp *stamp, const char *path)
{
    struct stamp_file *file = record(stamp, path);
    const struct timespec *start = &stamp->start;
    if (file == NULL || file->absent)
        return;
    if (file->seconds > start->tv_sec || (file->seconds == start->tv_sec && file->nanoseconds > start->tv_nsec))
        file->hash = 0;
}

void
stamp_output(struct stamp *stamp, const char *path)
{
    record(stamp, path);
}

int
stamp_write(const struct stamp *stamp, const char *path)
{
    struct text text = {0};
    text_printf(&text, "%skey %016" PRIx64 "\n", header, stamp->key);
    for (int i = 0; i < stamp->n_files; i++) {
        const struct stamp_file *file = &stamp->files[i];
        if (strchr(file->path, '\n') != NULL)
            continue; /* cannot be written here; nor could Make or a compiler's dependency file name it */
        if (file->absent)
            text_printf(&text, "absent %s\n", file->path);
        else
            text_printf(&text, "file %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %016" PRIx64 " %s\n", file->size,
                        file->seconds, file->nanoseconds, file->inode, file->hash, file->path);
    }
    int status = file_write(path, text.data, text.length, NULL);
    text_release(&text);
    if (status == EXIT_DONE) {
        const struct timespec times[2] = {stamp->start, stamp->start};
        utimensat(AT_FDCWD, path, times, 0);
    }
    return status;
}

/* One line of a stamp file, without its end. False: not one that stamp_write wrote. */
static bool
parse_line(char *line, struct stamp_file *file)
{
    int used = 0;
    *file = (struct stamp_file){0};
    if (strncmp(line, "absent ", 7) == 0) {
        file->absent = true;
        file->path = line + 7;
        return true;
    }
    if (strncmp(line, "file ", 5) != 0)
        return false;
    char *at = line + 5;
    int64_t *const numbers[] = {&file->size, &file->seconds, &file->nanoseconds, &file->inode};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = strtoll(at, &at, 10);
    if (sscanf(at, " %16" SCNx64 "%n", &file->hash, &used) != 1 || at[used] != ' ')
        return false;
    file->path = at + used + 1;
    return true;
}

/* True if the file is as recorded; `touched` becomes true where only its contents showed that. */
static bool
is_same(struct stamp_file *file, const struct timespec *looked, bool *touched)
{
    struct stat status;
    struct stamp_file now = *file;
    if (stat(file->path, &status) < 0)
        return file->absent;
    if (file->absent || file->hash == 0)
        return false;
    take_status(&now, &status);
    /* A file that changes twice within one step of the clock looks the same: one that is not older than the look at it
     * has to be read again. */
    bool settled = now.seconds < looked->tv_sec
                   || (now.seconds == looked->tv_sec && now.nanoseconds < looked->tv_nsec);
    if (settled && now.size == file->size && now.seconds == file->seconds && now.nanoseconds == file->nanoseconds
        && now.inode == file->inode)
        return true;
    *touched = true;
    if (now.size != file->size || !hash_file(file->path, &now.hash) || now.hash != file->hash)
        return false;
    *file = now;
    return true;
}

bool
stamp_is_current(struct arena *arena, const char *path, const char *key, const char **why)
{
    const char *unused;
    struct stat status;
    struct text text = {0};
    struct stamp stamp;
    char key_line[40];
    bool current = false, touched = false;
    why = why ? why : &unused;
    stamp_init(&stamp, arena, key);
    if (stat(path, &status) < 0 || file_read(path, &text) < 0 || text.length == 0) {
        *why = "there is no stamp";
        text_release(&text);
        return false;
    }
    snprintf(key_line, sizeof key_line, "key %016" PRIx64 "\n", stamp.key);
    size_t header_length = strlen(header), key_length = strlen(key_line);
    if (strncmp(text.data, header, header_length) != 0) {
        *why = "the stamp is not this version's";
    } else if (strncmp(text.data + header_length, key_line, key_length) != 0) {
        *why = "options, environment or interpreter changed";
    } else {
        current = true;
        for (char *line = text.data + header_length + key_length, *end; current && (end = strchr(line, '\n')) != NULL;
             line = end + 1) {
            struct stamp_file *file = ARENA_PUSH(arena, stamp.files, stamp.n_files);
            *end = '\0';
            current = parse_line(line, file) && is_same(file, &status.st_mtim, &touched);
            if (!current)
                *why = arena_printf(arena, "%s changed", file->path ? file->path : "the stamp");
        }
    }
    if (current && touched)
        stamp_write(&stamp, path); /* so that the next look is quick again; a failure costs only that */
    text_release(&text);
    return current;
}
