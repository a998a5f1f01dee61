/* files.c - writing by rename, and paths. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"

/* The temporary file being written, for the signal handler: unlink is safe there. */
static char temporary[PATH_MAX];
static volatile sig_atomic_t temporary_exists;

static void
remove_temporary_and_end(int number)
{
    if (temporary_exists)
        unlink(temporary);
    signal(number, SIG_DFL);
    raise(number);
}

void
files_handle_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction old, new = {.sa_handler = remove_temporary_and_end};
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &new, NULL);
    }
}

int
file_read(const char *path, struct text *text)
{
    char block[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((n = read(fd, block, sizeof block)) > 0)
        text_add_n(text, block, (size_t)n);
    int error = errno;
    close(fd);
    errno = error;
    return n < 0 ? -1 : 0;
}

bool
file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool
holds(const char *path, const char *data, size_t length)
{
    struct stat status;
    struct text text = {0};
    bool same = stat(path, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size == length
                && file_read(path, &text) == 0 && text.length == length && (length == 0 || memcmp(text.data, data, length) == 0);
    text_release(&text);
    return same;
}

static int
write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Why the last call that writes failed at `path`. */
static int
cannot(const char *what, const char *path)
{
    int error = errno, folder = (int)(path_name(path) - path);
    if (error == EACCES || error == EPERM)
        return environment_error("cannot %s %s: no permission to write in the folder %.*s", what, path, folder > 0 ? folder : 1,
                                 folder > 0 ? path : ".");
    return environment_error("cannot %s %s: %s", what, path, strerror(error));
}

static int
cannot_write(const char *path)
{
    return cannot("write", path);
}

/* Opens `temporary`, hidden beside `path`. The descriptor, or -1 with errno. */
static int
open_temporary(const char *path)
{
    const char *name = path_name(path);
    int n = snprintf(temporary, sizeof temporary, "%.*s.%s.%ld.new", (int)(name - path), path, name, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    temporary_exists = fd >= 0;
    return fd;
}

/* Closes and renames it to `path`, or removes it when `failed` or when that fails. 0, or -1 with errno. */
static int
close_temporary(int fd, const char *path, bool failed)
{
    int error = errno;
    if (close(fd) < 0 && !failed) {
        failed = true;
        error = errno;
    }
    if (!failed && rename(temporary, path) < 0) {
        failed = true;
        error = errno;
    }
    if (failed)
        unlink(temporary);
    temporary_exists = 0;
    errno = error;
    return failed ? -1 : 0;
}

int
file_write(const char *path, const char *data, size_t length, bool *changed)
{
    if (holds(path, data, length))
        return EXIT_DONE;
    int fd = open_temporary(path);
    if (fd < 0 || close_temporary(fd, path, write_all(fd, data, length) < 0) < 0)
        return cannot_write(path);
    if (changed != NULL)
        *changed = true;
    return EXIT_DONE;
}

int
file_install(const char *from, const char *to, bool move)
{
    struct text text = {0};
    if (file_read(from, &text) < 0) {
        text_release(&text);
        return environment_error("cannot read %s: %s", from, strerror(errno));
    }
    bool done = holds(to, text.data, text.length) || (move && rename(from, to) == 0);
    if (!done) { /* a copy, or a move to another file system */
        mode_t mask = umask(0);
        umask(mask);
        int fd = open_temporary(to);
        done = fd >= 0
               && close_temporary(fd, to, write_all(fd, text.data, text.length) < 0 || fchmod(fd, 0777 & ~mask) < 0) == 0;
    }
    text_release(&text);
    if (!done)
        return cannot_write(to);
    if (move)
        unlink(from);
    return EXIT_DONE;
}

int
file_touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return cannot_write(path);
    int failed = futimens(fd, NULL);
    close(fd);
    return failed ? cannot_write(path) : EXIT_DONE;
}

int
folder_make(const char *path)
{
    char copy[PATH_MAX];
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return EXIT_DONE;
    if (strlen(path) >= sizeof copy)
        return environment_error("cannot make folder %s: %s", path, strerror(ENAMETOOLONG));
    strcpy(copy, path);
    for (char *at = copy + 1;; at++) {
        char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(copy, 0777) < 0) {
            int error = errno;
            if (stat(copy, &status) < 0 || !S_ISDIR(status.st_mode)) {
                errno = error;
                return cannot("make folder", copy);
            }
        }
        *at = end;
        if (end == '\0')
            return EXIT_DONE;
    }
}

void
folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(path);
}

void
folders_remove(const char *path, const char *prefix)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inner[PATH_MAX];
        int n = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && n > 0 && (size_t)n < sizeof inner)
            folder_remove(inner);
    }
    closedir(folder);
}

int
file_lock(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        cannot_write(path);
        return -1;
    }
    while (flock(fd, LOCK_EX) < 0)
        if (errno != EINTR) {
            environment_error("cannot lock %s: %s", path, strerror(errno));
            close(fd);
            return -1;
        }
    return fd;
}

char *
path_join(struct arena *arena, const char *folder, const char *name)
{
    if (name[0] == '/' || folder[0] == '\0' || strcmp(folder, ".") == 0)
        return arena_copy(arena, name);
    return arena_printf(arena, folder[strlen(folder) - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

char *
path_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return arena_copy(arena, ".");
    return arena_copy_n(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *
path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *
path_absolute(struct arena *arena, const char *path)
{
    char *here = path[0] == '/' ? NULL : get_current_dir_name();
    char *result = here ? path_join(arena, here, path) : arena_copy(arena, path);
    free(here);
    return result;
}

char *
path_real(struct arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    if (real != NULL) {
        char *result = arena_copy(arena, real);
        free(real);
        return result;
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *trimmed = arena_copy_n(arena, path, length);
    if (strcmp(trimmed, "/") == 0 || strcmp(trimmed, ".") == 0 || trimmed[0] == '\0')
        return arena_copy(arena, trimmed); /* no working directory: nothing better */
    return path_join(arena, path_real(arena, path_folder(arena, trimmed)), path_name(trimmed));
}

char *
path_relative(struct arena *arena, const char *path, const char *folder)
{
    size_t common = 0;
    /* `common`: length of the leading whole components that both share. */
    for (size_t i = 0;; i++) {
        bool path_ends = path[i] == '\0' || path[i] == '/', folder_ends = folder[i] == '\0' || folder[i] == '/';
        if (path_ends && folder_ends)
            common = i;
        if (path[i] != folder[i] || path[i] == '\0')
            break;
    }
    struct text text = {0};
    for (const char *at = folder + common; *at != '\0';) {
        at += strspn(at, "/");
        if (*at != '\0')
            text_add(&text, "../");
        at += strcspn(at, "/");
    }
    const char *rest = path + common + strspn(path + common, "/");
    text_add(&text, rest);
    char *result = arena_copy(arena, text.data && text.length ? text.data : ".");
    text_release(&text);
    size_t length = strlen(result);
    if (length > 1 && result[length - 1] == '/')
        result[length - 1] = '\0';
    return result;
}
