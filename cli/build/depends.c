/* depends.c - dependency files, as compilers write them and as Make and Ninja read them. */
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "base/files.h"

void depends_read(struct arena *arena, const char *path, const char ***paths, int *n)
{
    struct text text = {0};
    bool in_target = true;
    if (file_read(path, &text) < 0 || text.length == 0) {
        text_release(&text);
        return;
    }
    for (const char *at = text.data; *at != '\0';) {
        if (strchr(" \t\r\n", *at) != NULL || strncmp(at, "\\\n", 2) == 0) {
            at += *at == '\\' ? 2 : 1;
            continue;
        }
        char *name = arena_take(arena, strlen(at) + 1 < 4096 ? strlen(at) + 1 : 4096, 1);
        size_t length = 0;
        for (; *at != '\0' && strchr(" \t\r\n", *at) == NULL && strncmp(at, "\\\n", 2) != 0 && length < 4095; at++) {
            if ((at[0] == '\\' && at[1] != '\0' && strchr(" #\\:", at[1]) != NULL) || (at[0] == '$' && at[1] == '$'))
                at++;
            name[length++] = *at;
        }
        if (in_target && length > 0 && name[length - 1] == ':')
            in_target = false;
        else if (!in_target)
            *ARENA_PUSH(arena, *paths, *n) = name;
    }
    text_release(&text);
}

int depends_check_options(const struct options *options)
{
    if (options->depfile == NULL || options->n_files == 1)
        return EXIT_DONE;
    fputs("pkwrap: error: --depfile goes with one manifest, not with several\n", stderr);
    return EXIT_USAGE;
}

/* To Make, "./x" is x. */
static const char *without_dot(const char *path)
{
    while (strncmp(path, "./", 2) == 0 && path[2] != '\0')
        path += 2;
    return path;
}

static bool is_repeated(const char *const *paths, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(without_dot(paths[i]), without_dot(paths[index])) == 0)
            return true;
    return false;
}

/* Make's spelling of a path. */
static void add_path(struct text *text, const char *path)
{
    for (path = without_dot(path); *path != '\0'; path++) {
        if (*path == '$')
            text_add(text, "$");
        else if (strchr(" #\\", *path) != NULL)
            text_add(text, "\\");
        text_add_n(text, path, 1);
    }
}

int depends_write(const char *path, const char *target, const char *const *paths, int n)
{
    struct text text = {0};
    add_path(&text, target);
    text_add(&text, ":");
    for (int i = 0; i < n; i++) {
        if (is_repeated(paths, i))
            continue;
        text_add(&text, " \\\n  ");
        add_path(&text, paths[i]);
    }
    text_add(&text, "\n");
    for (int i = 0; i < n; i++) {
        if (is_repeated(paths, i))
            continue;
        text_add(&text, "\n");
        add_path(&text, paths[i]);
        text_add(&text, ":\n");
    }
    int status = file_write(path, text.data, text.length, NULL);
    text_release(&text);
    return status;
}
