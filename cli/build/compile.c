/* compile.c - sources to objects. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "build.h"
#include "emit/emit.h"
#include "base/files.h"
#include "pipeline/generated.h"
#include "base/process.h"

/* A wrapper is as fast at -O1, and compiled in two thirds of the time. But it may contain kernels. */
static const char *
optimization(const struct plan *plan, bool generated)
{
    for (int i = 0; i < plan->n_kernels; i++)
        if (plan->kernels[i].is_static)
            return COMPILER_OPTIMIZATION;
    return generated ? "-O1" : COMPILER_OPTIMIZATION;
}

static const char *
command_line(struct arena *arena, const char *const *argv)
{
    struct text text = {0};
    for (int i = 0; argv[i] != NULL; i++)
        text_printf(&text, "%s%s", i ? " " : "", argv[i]);
    const char *line = arena_copy(arena, text.data);
    text_release(&text);
    return line;
}

bool
build_run(const struct options *options, struct process *processes, int n)
{
    int jobs = options->jobs > 0 ? options->jobs : get_nprocs();
    struct arena arena;
    arena_init(&arena);
    for (int i = 0; i < n && options->verbose > 0; i++)
        fprintf(stderr, "pkwrap: %s\n", command_line(&arena, processes[i].argv));
    arena_release(&arena);
    return process_run_all(processes, n, jobs < n ? jobs : n > 0 ? n : 1);
}

/* Whether a compiler or linker says that the system would not let it write: no fault of the input's. */
static const char *
system_fault(const char *output)
{
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG, EROFS, EIO, ENOMEM};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strstr(output, strerror(errors[i])) != NULL)
            return strerror(errors[i]);
    return NULL;
}

int
build_judge(const struct process *process, const char *made)
{
    const char *fault = process->status > 0 && process->out.length > 0 ? system_fault(process->out.data) : NULL;
    if (fault != NULL)
        return environment_error("the compiler %s could not write its output: %s", process->argv[0], fault);
    if (process->status > 0 && process->out.length > 0)
        return EXIT_INPUT;
    if (process->status == PROCESS_NOT_RUN || (process->status == 0 && file_exists(made)))
        return EXIT_DONE;
    struct arena arena;
    arena_init(&arena);
    int status = environment_error("the compiler %s %s%s (CC names another one)", process->argv[0],
                                   process_outcome(&arena, process),
                                   process->status == 0 ? ", but wrote no file" : "");
    arena_release(&arena);
    return status;
}

/* What the generated source includes besides the system's: the manifest's headers, ours, Python's. */
static void
add_generated_flags(const struct module_build *module, struct words *words)
{
    const struct plan *plan = module->plan;
    const struct build *build = module->build;
    struct arena *arena = module->arena;
    const char *const includes[] = {build->library.include, build->python.include, build->python.plat_include};
    words_add(arena, words, "-w");
    words_add(arena, words, "-iquote");
    words_add(arena, words, plan->directory);
    for (int i = 0; i < plan->n_headers; i++)
        if (plan->headers[i][0] == '/') {
            words_add(arena, words, "-iquote");
            words_add(arena, words, path_folder(arena, plan->headers[i]));
        }
    for (int i = 0; i < 3; i++)
        if (includes[i][0] != '\0') {
            words_add(arena, words, "-isystem");
            words_add(arena, words, includes[i]);
        }
}

/* The key of an object's stamp: the command, and the folder that its relative paths start from. */
static const char *
command_key(const struct module_build *module, struct words *words, const char *source)
{
    return arena_printf(module->arena, "%s\n%s %s", path_absolute(module->arena, "."),
                        command_line(module->arena, words_argv(module->arena, words)), source);
}

static void
make_command(const struct module_build *module, struct unit *unit)
{
    const struct compiler *compiler = &module->build->compiler;
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    struct words words = {0};
    words_add_all(arena, &words, compiler->command.values, compiler->command.n);
    words_add(arena, &words, optimization(plan, unit->generated));
    words_add_all(arena, &words, compiler_first_flags, n_compiler_first_flags);
    words_add_all(arena, &words, plan->compile_flags, plan->n_compile_flags);
    words_add_all(arena, &words, compiler->cflags.values, compiler->cflags.n);
    if (unit->generated)
        add_generated_flags(module, &words);
    unit->key = command_key(module, &words, unit->source);
    const char *const rest[] = {"-MD", "-MF", unit->new_depends, "-c", unit->source, "-o", unit->new_object};
    words_add_all(arena, &words, rest, sizeof rest / sizeof *rest);
    unit->argv = words_argv(arena, &words);
}

static void
add_unit(struct module_build *module, const char *source, const char *name, bool generated)
{
    struct arena *arena = module->arena;
    struct unit *unit = ARENA_PUSH(arena, module->units, module->n_units);
    unit->source = source;
    unit->generated = generated;
    const char *object = arena_printf(arena, "%s.o", name), *depends = arena_printf(arena, "%s.d", name);
    unit->object = path_join(arena, module->folder, object);
    unit->depends = path_join(arena, module->folder, depends);
    unit->new_object = path_join(arena, module->work, object);
    unit->new_depends = path_join(arena, module->work, depends);
    unit->stamp = path_join(arena, module->folder, arena_printf(arena, "%s.stamp", name));
    make_command(module, unit);
    unit->current = stamp_is_current(arena, unit->stamp, unit->key, NULL);
}

static int
write_probe(const struct module_build *module, const char *path)
{
    struct text text = {0};
    emit_probe(&text, module->plan);
    int status = file_write(path, text.data, text.length, NULL);
    text_release(&text);
    return status;
}

static int
make_units(struct module_build *module)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    const char *wrap = generated_c_path(arena, module->folder, plan->module);
    const char *probe = path_join(arena, module->folder, "probe.c");
    int status = generated_write_c(plan, module->diag, wrap, NULL);
    if (status == EXIT_DONE)
        status = write_probe(module, probe);
    if (status != EXIT_DONE)
        return status;
    add_unit(module, wrap, "wrap", true);
    for (int i = 0; i < plan->n_sources; i++)
        /* Two sources may have one name, in different folders. */
        add_unit(module, plan->sources[i], arena_printf(arena, "%d-%s", i, path_name(plan->sources[i])), false);
    add_unit(module, probe, "probe", true);
    return EXIT_DONE;
}

/* Moves what the compiler made to its place and records what it read. */
static int
finish_unit(struct module_build *module, const struct unit *unit, struct stamp *stamp)
{
    const char **paths = NULL;
    int n = 0, status = file_install(unit->new_depends, unit->depends, true);
    if (status == EXIT_DONE)
        status = file_install(unit->new_object, unit->object, true);
    if (status != EXIT_DONE)
        return status;
    depends_read(module->arena, unit->depends, &paths, &n);
    for (int i = 0; i < n; i++)
        stamp_input(stamp, path_absolute(module->arena, paths[i]));
    inputs_record_headers(module, unit, paths, n, stamp);
    stamp_input(stamp, module->build->compiler.path);
    stamp_output(stamp, path_absolute(module->arena, unit->object));
    return stamp_write(stamp, unit->stamp);
}

/* What a compiler has made of a unit: shows what it printed, and keeps the object of one that compiles. */
static int
take_unit(struct module_build *module, const struct unit *unit, const struct process *process, struct stamp *stamp)
{
    if (process->out.length > 0)
        fputs(process->out.data, stderr);
    int status = build_judge(process, unit->new_object);
    if (status == EXIT_INPUT && unit->generated)
        diag_error(module->diag, ((struct place){module->plan->manifest, 0, 0}),
                   "the generated file %s does not compile with the manifest's headers and flags", unit->source);
    else if (status == EXIT_INPUT)
        diag_error(module->diag, ((struct place){module->plan->manifest, 0, 0}), "%s does not compile", unit->source);
    return status == EXIT_DONE && process->status == 0 ? finish_unit(module, unit, stamp) : status;
}

int
build_compile(struct module_build *module)
{
    struct arena *arena = module->arena;
    int status = make_units(module), n = 0;
    if (status != EXIT_DONE)
        return status;
    struct process *processes = arena_take(arena, (size_t)module->n_units, sizeof *processes);
    struct stamp *stamps = arena_take(arena, (size_t)module->n_units, sizeof *stamps);
    for (int i = 0; i < module->n_units; i++)
        if (!module->units[i].current) {
            stamp_init(&stamps[n], arena, module->units[i].key);
            processes[n++] = (struct process){.argv = module->units[i].argv, .merge = true};
        }
    build_run(module->build->options, processes, n);
    for (int i = 0, k = 0; i < module->n_units; i++) {
        if (module->units[i].current)
            continue;
        if (status != EXIT_ENVIRONMENT) {
            int taken = take_unit(module, &module->units[i], &processes[k], &stamps[k]);
            status = taken != EXIT_DONE ? taken : status;
        }
        process_release(&processes[k++]);
    }
    return status;
}

void
build_record_units(const struct module_build *module, struct stamp *stamp)
{
    for (int i = 0; i < module->n_units; i++) {
        const char **paths = NULL;
        int n = 0;
        depends_read(module->arena, module->units[i].depends, &paths, &n);
        for (int k = 0; k < n; k++)
            stamp_input(stamp, path_absolute(module->arena, paths[k]));
        inputs_record_headers(module, &module->units[i], paths, n, stamp);
    }
}
