/* folders.c - where headers are: the compiler's system folders, clang's own, and a header by its name. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "unit_internal.h"
#include "host/compiler_ask.h"
#include "host/compiler_flags.h"
#include "base/files.h"

/* --- the compiler's system folders --- */

/* Reads the list that `cc -E -v` prints: a line each, between two fixed lines that LC_ALL=C keeps in English. */
static void
read_search_list(struct arena *arena, struct words *folders, const char *printed)
{
    static const char start[] = "#include <...> search starts here:\n";
    const char *line = strstr(printed, start);
    if (line == NULL)
        return;
    for (line += sizeof start - 1; *line == ' ';) {
        const char *end = strchr(line, '\n');
        if (end == NULL)
            return;
        words_add(arena, folders, path_real(arena, arena_copy_n(arena, line + 1, (size_t)(end - line - 1))));
        line = end + 1;
    }
}

void
folders_ask(struct arena *arena, struct words *folders, const struct compiler *compiler)
{
    if (compiler->path == NULL)
        return;
    struct words argv = {0};
    words_add_all(arena, &argv, compiler->command.values, compiler->command.n);
    static const char *const question[] = {"-E", "-v", "-x", "c", "/dev/null"};
    words_add_all(arena, &argv, question, sizeof question / sizeof *question);

    const struct compiler_answer *answer = compiler_ask(words_argv(arena, &argv));
    if (answer->succeeded)
        read_search_list(arena, folders, answer->err);
}

/* --- a header by its name --- */

const char *
folders_find(struct arena *arena, const char *directory, const struct words *flags, const struct words *folders,
             const char *name)
{
    const char *path = path_join(arena, directory, name);
    if (file_exists(path))
        return path;
    if (*name == '/')
        return NULL;
    static const char *const options[] = {"-I", "-iquote", "-isystem", "-idirafter"};
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        for (int i = 0; i < flags->n;) {
            struct given_flag flag = flag_take(arena, flags->values, flags->n, &i, ".");
            if (flag.value == NULL || strcmp(flag.row->start, options[o]) != 0)
                continue;
            path = path_join(arena, flag.value, name);
            if (file_exists(path))
                return path;
        }
    }
    for (int i = 0; i < folders->n; i++) {
        path = path_join(arena, folders->values[i], name);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

const char *
folders_system_name(struct arena *arena, const struct words *folders, const char *path)
{
    const char *best = NULL;
    for (int i = 0; i < folders->n; i++) { /* the innermost folder: /usr/include/x86_64-linux-gnu is inside another */
        size_t length = strlen(folders->values[i]);
        if (strncmp(path, folders->values[i], length) == 0 && path[length] == '/'
            && (best == NULL || path + length + 1 > best))
            best = path + length + 1;
    }
    return best != NULL ? arena_printf(arena, "<%s>", best) : NULL;
}

/* --- clang's resource folder --- */

static bool
has_stddef(struct arena *arena, const char *include_folder)
{
    return file_exists(path_join(arena, include_folder, "stddef.h"));
}

/* The last match of the pattern that has clang's headers; those of newer versions come later. */
static const char *
newest_resource(struct arena *arena, const char *pattern)
{
    const char *found = NULL;
    glob_t matches;
    if (glob(pattern, 0, NULL, &matches) == 0) {
        for (size_t i = 0; i < matches.gl_pathc; i++)
            if (has_stddef(arena, path_join(arena, matches.gl_pathv[i], "include")))
                found = arena_copy(arena, matches.gl_pathv[i]);
        globfree(&matches);
    }
    return found;
}

int
folders_resource(struct arena *arena, const char *given, const struct words *folders, const char **resource)
{
    *resource = given;
    if (given != NULL) {
        if (has_stddef(arena, path_join(arena, given, "include")))
            return EXIT_DONE;
        return environment_error("--resource-dir %s: there is no include/stddef.h in it", given);
    }
    const char *beside = arena_printf(arena, "%s/clang/*", path_folder(arena, clang_library_path(arena)));
    if (newest_resource(arena, beside) != NULL)
        return EXIT_DONE; /* libclang looks there itself */
    static const char *const patterns[] = {"/usr/lib/llvm-*/lib/clang/*", "/usr/lib/clang/*", "/usr/lib64/clang/*",
                                           "/usr/local/lib/clang/*"};
    struct text tried = {0};
    text_printf(&tried, "\n    %s", beside);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && *resource == NULL; i++) {
        *resource = newest_resource(arena, patterns[i]);
        text_printf(&tried, "\n    %s", patterns[i]);
    }
    bool found = *resource != NULL;
    for (int i = 0; i < folders->n && !found; i++) { /* the compiler's own serves as well */
        found = has_stddef(arena, folders->values[i]);
        text_printf(&tried, "\n    %s", folders->values[i]);
    }
    int status = EXIT_DONE;
    if (!found)
        status = environment_error("clang's own headers (stddef.h) are not found; tried:%s\n  name their folder with "
                                   "--resource-dir DIR (DIR/include/stddef.h must be there)",
                                   tried.data);
    text_release(&tried);
    return status;
}
