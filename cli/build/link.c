/* link.c - objects to a module: run paths, and missing symbols found before anything is imported. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "base/files.h"
#include "base/process.h"

/* --- run paths --- */

/* Folders that the dynamic linker searches anyway. */
static bool is_system_folder(const char *folder)
{
    static const char *const roots[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strcmp(folder, roots[i]) == 0)
            return true;
    /* Debian's multiarch folders: /usr/lib/x86_64-linux-gnu. */
    const char *name = path_name(folder);
    size_t length = strlen(name);
    return (strncmp(folder, "/usr/lib/", 9) == 0 || strncmp(folder, "/lib/", 5) == 0) && length > 10
           && strcmp(name + length - 10, "-linux-gnu") == 0 && strchr(strstr(folder, "lib/") + 4, '/') == NULL;
}

static void add_run_path(struct module_build *module, struct words *words, const char *path)
{
    const char *const option[] = {"-Xlinker", "-rpath", "-Xlinker", path}; /* -Wl, would split it at commas */
    for (int i = 3; i < words->n; i += 4)
        if (strcmp(words->values[i], path) == 0)
            return;
    words_add_all(module->arena, words, option, 4);
}

/* `folder` as seen from the module, so that both can be moved together; and absolute, so that the module alone can. */
static void add_folder(struct module_build *module, struct words *words, const char *folder)
{
    struct arena *arena = module->arena;
    const char *real = path_real(arena, folder), *output = path_real(arena, module->output);
    if (is_system_folder(real) || strchr(real, ':') != NULL)
        return;
    const char *relative = path_relative(arena, real, output);
    bool only_root_shared = real[1] != '\0' && output[1] != '\0'
                            && strncmp(real, output, strcspn(real + 1, "/") + 1) != 0;
    if (strcmp(relative, ".") == 0)
        add_run_path(module, words, "$ORIGIN");
    else if (!only_root_shared)
        add_run_path(module, words, arena_printf(arena, "$ORIGIN/%s", relative));
    add_run_path(module, words, real);
}

/* What follows the two characters of an option, -L or -l: the rest of the word, or the next one. */
static const char *value_of_flag(const struct plan *plan, int i)
{
    const char *joined = plan->link_flags[i] + 2;
    return *joined == '\0' && i + 1 < plan->n_link_flags ? plan->link_flags[i + 1] : joined;
}

static bool holds_library(struct arena *arena, const char *folder, const struct plan *plan)
{
    for (int i = 0; i < plan->n_link_flags; i++) {
        if (strncmp(plan->link_flags[i], "-l", 2) != 0)
            continue;
        const char *name = value_of_flag(plan, i);
        const char *file = name[0] != ':' ? arena_printf(arena, "lib%s.so", name) : strstr(name, ".so") != NULL ? name + 1 : NULL;
        if (file != NULL && file_exists(path_join(arena, folder, file)))
            return true;
    }
    return false;
}

/* "libk.so", "libk.so.2" */
static bool is_shared_library(const char *path)
{
    const char *suffix = strstr(path_name(path), ".so");
    return path[0] != '-' && suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.');
}

void build_run_path(struct module_build *module, struct words *words)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct words found = {0};
    if (module->build->options->bundle)
        add_run_path(module, &found, "$ORIGIN");
    else
        add_folder(module, &found, module->build->library.folder);
    for (int i = 0; i < plan->n_link_flags; i++) {
        const char *flag = plan->link_flags[i];
        if (strncmp(flag, "-L", 2) == 0 && holds_library(arena, value_of_flag(plan, i), plan))
            add_folder(module, &found, value_of_flag(plan, i));
        else if (is_shared_library(flag))
            add_folder(module, &found, path_folder(arena, flag));
    }
    words_add_all(arena, words, found.values, found.n);
}

/* --- missing symbols --- */

static const struct plan_kernel *find_kernel(const struct plan *plan, const char *symbol)
{
    for (int i = 0; i < plan->n_kernels; i++)
        if (strcmp(plan->kernels[i].c_name, symbol) == 0)
            return &plan->kernels[i];
    return NULL;
}

/* The library that is forgotten most often. */
static bool is_in_libm(const char *symbol)
{
    void *libm = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    bool found = libm != NULL && dlsym(libm, symbol) != NULL;
    if (libm != NULL)
        dlclose(libm);
    return found;
}

static void report_symbol(const struct module_build *module, const char *symbol)
{
    const struct plan_kernel *kernel = find_kernel(module->plan, symbol);
    if (kernel != NULL)
        diag_add(module->diag, SEVERITY_ERROR, "missing-symbol", kernel->place,
                 "kernel '%s' is declared here, but none of the manifest's sources and libraries defines it", symbol);
    else
        diag_add(module->diag, SEVERITY_ERROR, "missing-symbol", (struct place){module->plan->manifest, 0, 0},
                 "'%s' is used by the kernels, but none of the manifest's sources and libraries defines it%s", symbol,
                 is_in_libm(symbol) ? "; it is in the mathematical library: add \"m\" to link.libraries" : "");
}

/* Finds the symbols in a linker's complaints: GNU ld and gold say "undefined reference to `x'", lld and mold "undefined
 * symbol: x". Each is reported once. Returns their number. */
static int report_missing(const struct module_build *module, const char *output)
{
    static const char *const phrases[] = {"undefined reference to ", "undefined symbol: "};
    const char **seen = NULL;
    int n = 0;
    for (const char *line = output; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t end = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
            const char *at = memmem(line, end, phrases[i], strlen(phrases[i]));
            if (at == NULL)
                continue;
            at += strlen(phrases[i]);
            at += strspn(at, "`'\"");
            size_t length = 0;
            while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.' || at[length] == '$'
                   || at[length] == '@')
                length++;
            const char *symbol = arena_copy_n(module->arena, at, length);
            bool known = length == 0;
            for (int k = 0; k < n; k++)
                known = known || strcmp(seen[k], symbol) == 0;
            if (known)
                continue;
            *ARENA_PUSH(module->arena, seen, n) = symbol;
            report_symbol(module, symbol);
        }
    }
    return n;
}

/* --- linking --- */

/* A shared library without a name of its own is recorded as it was given to the linker. "lib/libk.so" would be looked for below the
 * folder that a program happens to run in, and never along the run paths: so the linker finds it in its folder instead. */
static void add_link_flags(const struct module_build *module, struct words *words)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    for (int i = 0; i < plan->n_link_flags; i++) {
        const char *flag = plan->link_flags[i];
        if (is_shared_library(flag) && flag[0] != '/' && strchr(flag, '/') != NULL) {
            words_add(arena, words, arena_printf(arena, "-L%s", path_folder(arena, flag)));
            words_add(arena, words, arena_printf(arena, "-l:%s", path_name(flag)));
        } else {
            words_add(arena, words, flag);
        }
    }
}

/* Compile flags that a link needs too: -fopenmp, -fsanitize=, -flto, -march=, -g. */
static void add_driver_flags(struct arena *arena, struct words *words, const char *const *flags, int n)
{
    for (int i = 0; i < n; i++)
        if (strncmp(flags[i], "-f", 2) == 0 || strncmp(flags[i], "-m", 2) == 0 || strncmp(flags[i], "-O", 2) == 0
            || strncmp(flags[i], "-g", 2) == 0 || strncmp(flags[i], "--target", 8) == 0)
            words_add(arena, words, flags[i]);
}

/* The command that links units [first, last) into `result`. */
static const char *const *link_command(struct module_build *module, int first, int last, const char *result, bool probe)
{
    const struct build *build = module->build;
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct words words = {0};
    words_add_all(arena, &words, build->compiler.command.values, build->compiler.command.n);
    words_add(arena, &words, "-shared");
    if (probe)
        words_add(arena, &words, "-Wl,-z,defs");
    add_driver_flags(arena, &words, plan->compile_flags, plan->n_compile_flags);
    add_driver_flags(arena, &words, build->compiler.cflags.values, build->compiler.cflags.n);
    words_add(arena, &words, "-o");
    words_add(arena, &words, result);
    for (int i = first; i < last; i++)
        words_add(arena, &words, module->units[i].object);
    words_add_all(arena, &words, build->compiler.ldflags.values, build->compiler.ldflags.n);
    add_link_flags(module, &words);
    if (!probe) {
        words_add(arena, &words, build->library.file);
        build_run_path(module, &words);
    }
    return words_argv(arena, &words);
}

int build_link(struct module_build *module, const char *linked)
{
    const char *probe = path_join(module->arena, module->work, "probe.so");
    struct process processes[2] = {
        {.argv = link_command(module, 1, module->n_units, probe, true), .merge = true},
        {.argv = link_command(module, 0, module->n_units - 1, linked, false), .merge = true},
    };
    build_run(module->build->options, processes, 2);
    const struct process *process = processes[0].status != 0 ? &processes[0] : &processes[1];
    int status = build_judge(process, linked);
    if (status == EXIT_INPUT && report_missing(module, process->out.data) == 0) {
        fputs(process->out.data, stderr);
        diag_error(module->diag, ((struct place){module->plan->manifest, 0, 0}), "the module does not link");
    }
    process_release(&processes[0]);
    process_release(&processes[1]);
    return status;
}
