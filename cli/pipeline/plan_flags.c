/* plan_flags.c - see plan_flags.h. */
#include "plan_flags.h"

#include <string.h>

#include "host/compiler.h"
#include "host/compiler_flags.h"
#include "base/files.h"
#include "base/process.h"

static void
add_folders(struct plan *plan, struct words *words, const char *prefix, const struct manifest_list *list)
{
    for (int i = 0; i < list->n; i++)
        words_add(plan->arena, words,
                  arena_printf(plan->arena, "%s%s", prefix, path_join(plan->arena, plan->directory, list->items[i].text)));
}

/* Options as they stand in the manifest: their paths are relative to it. */
static int
add_flags(struct plan *plan, struct diag *diag, struct words *words, const struct manifest_list *list)
{
    struct arena *arena = plan->arena;
    struct words given = {0};
    int status = EXIT_DONE;
    for (int i = 0; i < list->n; i++) {
        words_add(arena, &given, list->items[i].text);
        if (flag_is_reserved(list->items[i].text)) {
            refuse(diag, "flag-of-build", list->items[i].place,
                   "\"%s\" changes what is made of the sources or where it goes; build says that itself: leave it out",
                   list->items[i].text);
            status = EXIT_INPUT;
        }
    }
    for (int i = 0; i < given.n;) {
        struct given_flag flag = flag_take(arena, given.values, given.n, &i, plan->directory);
        bool is_whole = flag.value == NULL || flag.is_apart;
        words_add(arena, words, is_whole ? flag.word : arena_printf(arena, "%s%s", flag.row->start, flag.value));
        if (flag.is_apart && flag.value != NULL)
            words_add(arena, words, flag.value);
    }
    return status;
}

/* "Package x was not found": the first line that pkg-config printed, or how it ended. */
static const char *
complaint(struct arena *arena, const struct process *process)
{
    const struct text *text = &process->err;
    return text->length == 0 ? arena_printf(arena, "it %s", process_outcome(arena, process))
                             : arena_copy_n(arena, text->data, strcspn(text->data, "\n"));
}

/* What `pkg-config OPTION PACKAGE` prints, as words. */
static int
ask_pkg_config(struct plan *plan, struct diag *diag, const struct manifest_text *package, const char *option,
               struct words *words)
{
    const char *const argv[] = {"pkg-config", option, "--", package->text, NULL};
    struct process process = {.argv = argv};
    int status = EXIT_DONE;
    bool done = process_run(&process);
    if (process.status < 0) {
        status = environment_error("pkg-config, which \"pkg_config\" in %s needs, %s", plan->manifest,
                                   process_outcome(plan->arena, &process));
    } else if (!done) {
        refuse(diag, "pkg-config", package->place, "pkg-config does not know \"%s\": %s", package->text,
               complaint(plan->arena, &process));
        status = EXIT_INPUT;
    } else if (process.out.length > 0
               && process_split(plan->arena, process.out.data, &words->values, &words->n) < 0) {
        refuse(diag, "pkg-config-quote", package->place, "pkg-config %s %s prints a quote that is not closed", option,
               package->text);
        status = EXIT_INPUT;
    }
    process_release(&process);
    return status;
}

int
plan_flags(struct plan *plan, struct diag *diag, const struct manifest *manifest)
{
    struct words compile = {0}, link = {0};
    struct arena *arena = plan->arena;
    int status = EXIT_DONE;
    add_folders(plan, &compile, "-I", &manifest->include_dirs);
    for (int i = 0; i < manifest->defines.n; i++)
        words_add(arena, &compile,
                  arena_printf(arena, "-D%s=%s", manifest->defines.items[i].name, manifest->defines.items[i].value));
    status = add_flags(plan, diag, &compile, &manifest->compile_flags);
    add_folders(plan, &link, "-L", &manifest->library_dirs);
    for (int i = 0; i < manifest->libraries.n; i++) {
        const struct manifest_text *library = &manifest->libraries.items[i];
        words_add(arena, &link, arena_printf(arena, "-l%s", library->text));
        *ARENA_PUSH(arena, plan->libraries, plan->n_libraries) = (struct plan_library){library->text, library->place};
    }
    if (add_flags(plan, diag, &link, &manifest->link_flags) != EXIT_DONE)
        status = EXIT_INPUT;
    for (int i = 0; i < manifest->pkg_config.n && status == EXIT_DONE; i++) {
        status = ask_pkg_config(plan, diag, &manifest->pkg_config.items[i], "--cflags", &compile);
        if (status == EXIT_DONE)
            status = ask_pkg_config(plan, diag, &manifest->pkg_config.items[i], "--libs", &link);
    }
    plan->compile_flags = compile.values;
    plan->n_compile_flags = compile.n;
    plan->link_flags = link.values;
    plan->n_link_flags = link.n;
    return status;
}
