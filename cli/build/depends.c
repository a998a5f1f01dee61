/* depends.c - dependency files, as compilers write them and as Make and Ninja read them. */
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "base/files.h"
#include "base/names.h"

/* Length of what stands between blanks, with the blanks that are escaped. */
static size_t
word_length(const char *at)
{
    size_t length = 0;
    while (at[length] != '\0' && strchr(" \t\r\n", at[length]) == NULL && strncmp(at + length, "\\\n", 2) != 0)
        length += at[length] == '\\' && at[length + 1] != '\0' && strchr(" #\\:", at[length + 1]) != NULL ? 2 : 1;
    return length;
}

/* Make's spelling, undone. */
static const char *
unescaped(struct arena *arena, const char *word, size_t length)
{
    char *name = arena_take(arena, length + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        bool escape = i + 1 < length
                      && ((word[i] == '\\' && strchr(" #\\:", word[i + 1]) != NULL) || (word[i] == '$' && word[i + 1] == '$'));
        name[n++] = word[escape ? ++i : i];
    }
    return name;
}

void
depends_read(struct arena *arena, const char *path, const char ***paths, int *n)
{
    struct text text = {0};
    bool in_target = true;
    if (file_read(path, &text) < 0 || text.length == 0) {
        text_release(&text);
        return;
    }
    for (const char *at = text.data; *at != '\0';) {
        if (strchr(" \t\r\n", *at) != NULL || strncmp(at, "\\\n", 2) == 0) {
            /* A rule of its own for each path may follow the one that counts. */
            if (*at == '\n' && !in_target)
                break;
            at += *at == '\\' ? 2 : 1;
            continue;
        }
        size_t length = word_length(at);
        if (in_target)
            in_target = at[length - 1] != ':' || (length > 1 && at[length - 2] == '\\');
        else
            *ARENA_PUSH(arena, *paths, *n) = unescaped(arena, at, length);
        at += length;
    }
    text_release(&text);
}

int
depends_check_options(const struct options *options)
{
    if (options->depfile == NULL || options->n_files == 1)
        return EXIT_DONE;
    fputs("pkwrap: error: --depfile goes with one manifest, not with several\n", stderr);
    return EXIT_USAGE;
}

/* To Make, "./x" is x. */
static const char *
without_dot(const char *path)
{
    while (strncmp(path, "./", 2) == 0 && path[2] != '\0')
        path += 2;
    return path;
}

/* Make's spelling of a path. */
static void
add_path(struct text *text, const char *path)
{
    for (path = without_dot(path); *path != '\0'; path++) {
        if (*path == '$')
            text_add(text, "$");
        else if (strchr(" #\\:", *path) != NULL)
            text_add(text, "\\");
        text_add_n(text, path, 1);
    }
}

int
depends_write(const char *path, const char *target, const char *const *paths, int n)
{
    struct arena arena;
    struct names seen = {0};
    struct text text = {0}, rules = {0};
    arena_init(&arena);
    add_path(&text, target);
    text_add(&text, ":");
    for (int i = 0; i < n; i++) {
        if (names_add(&arena, &seen, without_dot(paths[i]), i) >= 0)
            continue;
        text_add(&text, " \\\n  ");
        add_path(&text, paths[i]);
        text_add(&rules, "\n");
        add_path(&rules, paths[i]);
        text_add(&rules, ":\n");
    }
    text_add(&text, "\n");
    text_add_n(&text, rules.data ? rules.data : "", rules.length);
    int status = file_write(path, text.data, text.length, NULL);
    text_release(&text);
    text_release(&rules);
    arena_release(&arena);
    return status;
}
