/* inputs.c - what a module would be made from if it were there: files that, once they appear, are found before those that were
 * used. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "build.h"
#include "host/compiler_flags.h"

/* Where a compiler looks for what is included, and by which names it found it. */
struct search {
    struct arena *arena;
    struct names seen;
    struct words folders; /* for every #include */
    struct words quoted;  /* for those in quotes only */
};

bool
is_system_file(const char *path)
{
    static const char *const roots[] = {"/usr/", "/lib/", "/lib64/", "/opt/rh/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strncmp(path, roots[i], strlen(roots[i])) == 0 && strncmp(path, "/usr/local/", 11) != 0)
            return true;
    return false;
}

static void
add_once(struct search *search, struct words *words, const char *folder)
{
    const char *key = arena_printf(search->arena, "%p %s", (void *)words, folder);
    if (names_add(search->arena, &search->seen, key, 0) < 0)
        words_add(search->arena, words, folder);
}

static void
add_variable(struct search *search, const char *name)
{
    for (const char *at = getenv(name); at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        add_once(search, &search->folders, path_absolute(search->arena, arena_copy_n(search->arena, at, length)));
        at += length + (at[length] == ':');
    }
}

static void
add_command(struct search *search, const char *const *argv)
{
    int n = 0;
    while (argv[n] != NULL)
        n++;
    for (int i = 0; i < n;) {
        const struct given_flag flag = flag_take(search->arena, argv, n, &i, ".");
        if (flag.row == NULL || flag.value == NULL || flag.row->value != FLAG_FOLDER || !flag.row->declares)
            continue;
        bool quoted = strcmp(flag.row->start, "-iquote") == 0;
        add_once(search, quoted ? &search->quoted : &search->folders, path_absolute(search->arena, flag.value));
    }
    add_variable(search, "CPATH");
    add_variable(search, "C_INCLUDE_PATH");
}

/* `path` as an #include in some file may name it: what is left behind one of the folders. Of a system's header, all behind its
 * last "include". */
static void
add_names(struct search *search, struct words *names, const char *path, bool is_system)
{
    const struct words *lists[] = {&search->folders, &search->quoted};
    for (size_t k = 0; k < 2 && !is_system; k++)
        for (int i = 0; i < lists[k]->n; i++) {
            size_t length = strlen(lists[k]->values[i]);
            if (strncmp(path, lists[k]->values[i], length) == 0 && path[length] == '/')
                add_once(search, names, path + length + 1);
        }
    const char *last = NULL;
    for (const char *at = path; is_system && (at = strstr(at, "/include/")) != NULL; at++)
        last = at + strlen("/include/");
    if (last != NULL)
        add_once(search, names, last);
}

static void
record_missing(struct search *search, struct stamp *stamp, const struct words *folders, const struct words *names)
{
    for (int i = 0; i < folders->n; i++)
        for (int k = 0; k < names->n; k++) {
            const char *path = path_join(search->arena, folders->values[i], names->values[k]);
            if (!file_exists(path))
                stamp_input(stamp, path);
        }
}

void
inputs_record_headers(const struct module_build *module, const struct unit *unit, const char *const *paths, int n,
                      struct stamp *stamp)
{
    struct search search = {.arena = module->arena};
    struct words own = {0}, systems = {0};
    const struct build *build = module->build;
    add_command(&search, unit->argv);
    for (int i = 0; i < n; i++) /* a #include in quotes begins beside the file that it is in */
        if (!is_system_file(paths[i]) && strncmp(paths[i], build->library.include, strlen(build->library.include)) != 0
            && strncmp(paths[i], build->python.include, strlen(build->python.include)) != 0)
            add_once(&search, &search.quoted, path_absolute(module->arena, path_folder(module->arena, paths[i])));
    for (int i = 0; i < module->plan->n_headers; i++)
        if (module->plan->headers[i][0] != '/')
            add_once(&search, &own, module->plan->headers[i]);
    for (int i = 0; i < n; i++) {
        bool is_system = is_system_file(paths[i]);
        add_names(&search, is_system ? &systems : &own, path_absolute(module->arena, paths[i]), is_system);
    }
    record_missing(&search, stamp, &search.folders, &own);
    record_missing(&search, stamp, &search.folders, &systems);
    record_missing(&search, stamp, &search.quoted, &own);
}

/* --- libraries --- */

void
inputs_record_libraries(const struct module_build *module, struct stamp *stamp)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct search search = {.arena = arena};
    struct words names = {0};
    for (int i = 0; i < module->link_inputs.n; i++) {
        const char *path = path_absolute(arena, module->link_inputs.values[i]);
        if (!is_system_file(path) || strstr(path_name(path), ".so") == NULL) /* of those nothing becomes part of the module */
            stamp_input(stamp, path);
    }
    for (int i = 0; i < plan->n_link_flags; i++) {
        const char *flag = plan->link_flags[i];
        const char *value = flag[0] == '-' && flag[1] != '\0' && flag[2] != '\0' ? flag + 2
                            : i + 1 < plan->n_link_flags                        ? plan->link_flags[i + 1]
                                                                                : "";
        if (strncmp(flag, "-L", 2) == 0)
            add_once(&search, &search.folders, path_absolute(arena, value));
        if (strncmp(flag, "-l", 2) == 0 && value[0] != ':') {
            add_once(&search, &names, arena_printf(arena, "lib%s.so", value));
            add_once(&search, &names, arena_printf(arena, "lib%s.a", value));
        } else if (strncmp(flag, "-l", 2) == 0) {
            add_once(&search, &names, value + 1);
        }
    }
    record_missing(&search, stamp, &search.folders, &names);
}

/* The files that a linker names with --trace: a line each, of some linkers with the member of an archive behind. */
void
inputs_read_trace(struct module_build *module, const char *output)
{
    struct arena *arena = module->arena;
    struct names seen = {0};
    for (const char *line = output; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *path = arena_copy_n(arena, line, length);
        const char *member = strrchr(path, '(');
        if (!file_exists(path) && member != NULL && member > path)
            path = arena_copy_n(arena, path, (size_t)(member - path));
        bool is_ours = strncmp(path, module->folder, strlen(module->folder)) == 0 && path[strlen(module->folder)] == '/';
        if (!is_ours && file_exists(path) && names_add(arena, &seen, path, 0) < 0)
            words_add(arena, &module->link_inputs, path);
    }
}
