/* link.c - objects to a module: run paths, and missing symbols found before anything is imported. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "base/files.h"
#include "base/names.h"
#include "base/process.h"
#include "host/packages.h"

/* --- run paths --- */

/* Folders that the dynamic linker searches anyway. */
static bool
is_system_folder(const char *folder)
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

static void
add_run_path(struct module_build *module, struct words *words, const char *path)
{
    const char *const option[] = {"-Xlinker", "-rpath", "-Xlinker", path}; /* -Wl, would split it at commas */
    for (int i = 3; i < words->n; i += 4)
        if (strcmp(words->values[i], path) == 0)
            return;
    words_add_all(module->arena, words, option, 4);
}

/* `folder` as seen from the module, so that both can be moved together; and absolute, so that the module alone can. A run path
 * is cut at colons, but not where $ORIGIN stands for a name that has one. False after a finding: no run path leads there. */
static bool
add_folder(struct module_build *module, struct words *words, const char *folder)
{
    struct arena *arena = module->arena;
    const char *real = path_real(arena, folder), *output = path_real(arena, module->output);
    if (is_system_folder(real))
        return true;
    const char *relative = path_relative(arena, real, output);
    bool has_colon = strchr(real, ':') != NULL;
    bool only_root_shared = real[1] != '\0' && output[1] != '\0'
                            && strncmp(real, output, strcspn(real + 1, "/") + 1) != 0;
    if (has_colon && strchr(relative, ':') != NULL) {
        diag_add(module->diag, SEVERITY_ERROR, "run-path", (struct place){module->plan->manifest, 0, 0},
                 "the module would not find the libraries in %s: its name has a colon, at which the dynamic linker cuts paths; "
                 "move them, or the module beside them", real);
        return false;
    }
    if (strcmp(relative, ".") == 0)
        add_run_path(module, words, "$ORIGIN");
    else if (!only_root_shared || has_colon)
        add_run_path(module, words, arena_printf(arena, "$ORIGIN/%s", relative));
    if (!has_colon)
        add_run_path(module, words, real);
    return true;
}

/* What follows the two characters of an option, -L or -l: the rest of the word, or the next one. */
static const char *
value_of_flag(const struct plan *plan, int i)
{
    const char *joined = plan->link_flags[i] + 2;
    return *joined == '\0' && i + 1 < plan->n_link_flags ? plan->link_flags[i + 1] : joined;
}

static bool
holds_library(struct arena *arena, const char *folder, const struct plan *plan)
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
static bool
is_shared_library(const char *path)
{
    const char *suffix = strstr(path_name(path), ".so");
    return path[0] != '-' && suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.');
}

/* Options that belong at the end of a link: the folders in which the module looks for libpkwrap and for the manifest's shared
 * libraries, relative to itself and absolute. False after a finding: there is none. */
static bool
add_run_paths(struct module_build *module, struct words *words)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct words found = {0};
    bool good = true;
    if (module->build->options->bundle)
        add_run_path(module, &found, "$ORIGIN");
    else
        good = add_folder(module, &found, module->build->library.folder);
    for (int i = 0; i < plan->n_link_flags; i++) {
        const char *flag = plan->link_flags[i];
        if (strncmp(flag, "-L", 2) == 0 && holds_library(arena, value_of_flag(plan, i), plan))
            good = add_folder(module, &found, value_of_flag(plan, i)) && good;
        else if (is_shared_library(flag))
            good = add_folder(module, &found, path_folder(arena, flag)) && good;
    }
    words_add_all(arena, words, found.values, found.n);
    return good;
}

/* --- missing symbols --- */

static const struct plan_kernel *
find_kernel(const struct plan *plan, const char *symbol)
{
    for (int i = 0; i < plan->n_kernels; i++)
        if (strcmp(plan->kernels[i].c_name, symbol) == 0)
            return &plan->kernels[i];
    return NULL;
}

/* The library that is forgotten most often. */
static bool
is_in_libm(const char *symbol)
{
    void *libm = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    bool found = libm != NULL && dlsym(libm, symbol) != NULL;
    if (libm != NULL)
        dlclose(libm);
    return found;
}

/* What would mend a symbol that nothing defines. */
static const char *
remedy(const struct module_build *module, const char *symbol)
{
    const char *packages = is_in_libm(symbol) ? NULL : packages_with_symbol(module->arena, symbol);
    if (packages != NULL)
        return arena_printf(module->arena, "; the package %s of pkg-config has it: add it to compile.pkg_config", packages);
    return is_in_libm(symbol) ? "; it is in the mathematical library: add \"m\" to link.libraries" : "";
}

/* `library`: the shared library that lacks it, or NULL. */
static void
report_symbol(const struct module_build *module, const char *symbol, const char *library)
{
    const struct plan_kernel *kernel = find_kernel(module->plan, symbol);
    const struct place manifest = {module->plan->manifest, 0, 0};
    const char *hint = remedy(module, symbol);
    if (library != NULL)
        diag_add(module->diag, SEVERITY_ERROR, "missing-symbol", manifest,
                 "'%s' is used by %s, which has it from nowhere: neither that library nor another one of the manifest's defines it%s",
                 symbol, library, hint);
    else if (kernel != NULL)
        diag_add(module->diag, SEVERITY_ERROR, "missing-symbol", kernel->place,
                 "kernel '%s' is declared here, but none of the manifest's sources and libraries defines it%s", symbol, hint);
    else
        diag_add(module->diag, SEVERITY_ERROR, "missing-symbol", manifest,
                 "'%s' is used by the kernels, but none of the manifest's sources and libraries defines it%s", symbol, hint);
}

static struct place
library_place(const struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->n_libraries; i++)
        if (strcmp(plan->libraries[i].name, name) == 0)
            return plan->libraries[i].place;
    return (struct place){plan->manifest, 0, 0};
}

static void
report_library(const struct module_build *module, const char *name, const char *library)
{
    (void)library;
    const char *packages = packages_with_library(module->arena, name);
    diag_add(module->diag, SEVERITY_ERROR, "missing-library", library_place(module->plan, name),
             "there is no library '%s' (lib%s.so or lib%s.a) in the folders that the linker searches%s", name, name, name,
             packages != NULL ? arena_printf(module->arena, "; the package %s of pkg-config has it: add it to compile.pkg_config",
                                             packages)
                              : "; link.library_dirs names more folders");
}

/* The interpreter has them. */
static bool
is_pythons(const char *symbol)
{
    return strncmp(symbol, "Py", 2) == 0 || strncmp(symbol, "_Py", 3) == 0;
}

/* A word of a linker's complaint, without the quotes around it. */
static const char *
quoted_word(struct arena *arena, const char *at)
{
    size_t length = 0;
    if (strncmp(at, "symbol '", 8) == 0) /* GNU ld, of one that is in a library which another one brings along */
        at += 7;
    at += strspn(at, "`'\"");
    while (isalnum((unsigned char)at[length]) || (at[length] != '\0' && strchr("_.$+-", at[length]) != NULL)) /* "cbrt@@GLIBC_2.2.5" */
        length++;
    return arena_copy_n(arena, at, length);
}

/* Of "./libk.so: error: undefined ..." the file, if it is a shared library. */
static const char *
complaining_library(struct arena *arena, const char *line, const char *phrase)
{
    const char *end = phrase, *start;
    if (end - line >= 7 && strncmp(end - 7, "error: ", 7) == 0)
        end -= 7;
    if (end - line < 2 || strncmp(end - 2, ": ", 2) != 0)
        return NULL;
    end -= 2;
    for (start = end; start > line && start[-1] != ' '; start--)
        ;
    const char *file = arena_copy_n(arena, start, (size_t)(end - start));
    return strstr(path_name(file), ".so") != NULL ? file : NULL;
}

/* Finds in a linker's complaints what is missing; each is reported once. Returns the number of reports; *pythons becomes the number
 * of symbols that an interpreter has. */
static int
report_missing(const struct module_build *module, const char *output, int *pythons)
{
    static const struct {
        const char *phrase;
        void (*report)(const struct module_build *module, const char *name, const char *library);
    } rows[] = {
        {"undefined reference to ", report_symbol}, /* GNU ld and gold; lld of shared libraries */
        {"undefined symbol: ", report_symbol},      /* lld and mold */
        {"cannot find -l", report_library},         /* GNU ld and gold */
        {"unable to find library -l", report_library}, /* lld */
        {"library not found: ", report_library},    /* mold */
    };
    struct names seen = {0};
    int n = 0;
    for (const char *line = output; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t end = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const char *at = memmem(line, end, rows[i].phrase, strlen(rows[i].phrase));
            const char *name = at != NULL ? quoted_word(module->arena, at + strlen(rows[i].phrase)) : "";
            if (name[0] == '\0' || names_add(module->arena, &seen, name, 0) >= 0)
                continue;
            if (is_pythons(name)) {
                ++*pythons;
            } else {
                rows[i].report(module, name, complaining_library(module->arena, line, at));
                n++;
            }
        }
    }
    return n;
}

/* --- linking --- */

/* A shared library without a name of its own is recorded as it was given to the linker. "lib/libk.so" would be looked for below the
 * folder that a program happens to run in, and never along the run paths: so the linker finds it in its folder instead. */
static void
add_link_flags(const struct module_build *module, struct words *words)
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
static void
add_driver_flags(struct arena *arena, struct words *words, const char *const *flags, int n)
{
    for (int i = 0; i < n; i++)
        if (strncmp(flags[i], "-f", 2) == 0 || strncmp(flags[i], "-m", 2) == 0 || strncmp(flags[i], "-O", 2) == 0
            || strncmp(flags[i], "-g", 2) == 0 || strncmp(flags[i], "--target", 8) == 0)
            words_add(arena, words, flags[i]);
}

/* The module, or what shows which symbols are missing: in the manifest's shared libraries too, or not. */
enum link_kind { MODULE, PROBE_ALL, PROBE_OWN };

/* The command that links units [first, last) into `result`; NULL after a finding. */
static const char *const *
link_command(struct module_build *module, int first, int last, const char *result, enum link_kind kind)
{
    const struct build *build = module->build;
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct words words = {0};
    words_add_all(arena, &words, build->compiler.command.values, build->compiler.command.n);
    words_add(arena, &words, "-shared");
    words_add(arena, &words, kind == MODULE ? "-Wl,--trace" : "-Wl,-z,defs");
    if (kind == PROBE_ALL)
        words_add(arena, &words, "-Wl,--no-allow-shlib-undefined");
    add_driver_flags(arena, &words, plan->compile_flags, plan->n_compile_flags);
    add_driver_flags(arena, &words, build->compiler.cflags.values, build->compiler.cflags.n);
    words_add(arena, &words, "-o");
    words_add(arena, &words, result);
    for (int i = first; i < last; i++)
        words_add(arena, &words, module->units[i].object);
    words_add_all(arena, &words, build->compiler.ldflags.values, build->compiler.ldflags.n);
    add_link_flags(module, &words);
    if (kind == MODULE) {
        words_add(arena, &words, build->library.file);
        if (!add_run_paths(module, &words))
            return NULL;
    }
    return words_argv(arena, &words);
}

/* What a failed link printed, without the names of files that --trace added. */
static void
show_complaints(const char *output)
{
    struct arena arena;
    arena_init(&arena);
    for (const char *line = output; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        const char *text = arena_copy_n(&arena, line, strcspn(line, "\n"));
        const char *member = strrchr(text, '(');
        if (!file_exists(text) && (member == NULL || !file_exists(arena_copy_n(&arena, text, (size_t)(member - text)))))
            fwrite(line, 1, length, stderr);
        line += length;
    }
    arena_release(&arena);
}

static int
judge_link(struct module_build *module, const struct process *process, const char *made, int *pythons)
{
    int status = build_judge(process, made);
    if (status == EXIT_INPUT && report_missing(module, process->out.data, pythons) == 0 && *pythons == 0) {
        show_complaints(process->out.data);
        diag_error(module->diag, ((struct place){module->plan->manifest, 0, 0}), "the module does not link");
    }
    return status;
}

int
build_link(struct module_build *module, const char *linked)
{
    const char *probe = path_join(module->arena, module->work, "probe.so");
    struct process processes[2] = {
        {.argv = link_command(module, 1, module->n_units, probe, PROBE_ALL), .merge = true},
        {.argv = link_command(module, 0, module->n_units - 1, linked, MODULE), .merge = true},
    };
    int errors = module->diag->n_errors, pythons = 0;
    if (processes[1].argv == NULL)
        return EXIT_INPUT;
    build_run(module->build->options, processes, 2);
    int status = processes[0].status != 0 ? judge_link(module, &processes[0], probe, &pythons) : EXIT_DONE;
    if (status == EXIT_INPUT && module->diag->n_errors == errors) {
        /* A library that is complete but for what the interpreter has: everything else is asked once more. */
        process_release(&processes[0]);
        process_release(&processes[1]);
        processes[0] = (struct process){.argv = link_command(module, 1, module->n_units, probe, PROBE_OWN), .merge = true};
        processes[1] = (struct process){.argv = processes[1].argv, .merge = true};
        build_run(module->build->options, processes, 2);
        status = processes[0].status != 0 ? judge_link(module, &processes[0], probe, &pythons) : EXIT_DONE;
    }
    if (status == EXIT_DONE)
        status = judge_link(module, &processes[1], linked, &pythons);
    if (status == EXIT_DONE)
        inputs_read_trace(module, processes[1].out.data != NULL ? processes[1].out.data : "");
    process_release(&processes[0]);
    process_release(&processes[1]);
    return status;
}
