/* module.c - one module: up to date, or everything again, under a lock, with the old module in place until the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "base/files.h"
#include "pipeline/generated.h"
#include "pipeline/plan_load.h"
#include "plan/pyplan.h"

/* What of the environment decides how a module comes out. */
static const char *const variables[] = {
    "CC", "CFLAGS", "LDFLAGS", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "PKG_CONFIG", "PKG_CONFIG_PATH",
    "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR", "PKWRAP_LIBCLANG", "PYENV_VERSION", "PYTHONHOME", "PYTHONPATH",
};

/* The key of a module's stamp: all that is not a file. */
static int
make_key(struct build *build, const char *manifest, struct text *key)
{
    const struct options *options = build->options;
    struct interpreter *python = &build->python;
    const char *const texts[] = {options->output, options->database, options->libclang, options->resource_dir};
    if (python->is_script) {
        int status = interpreter_ask(python, build->arena);
        if (status != EXIT_DONE)
            return status;
        text_add(key, python->answer);
    }
    text_printf(key, "python %s\nmanifest %s\nbundle %d\n", path_absolute(build->arena, python->path),
                path_absolute(build->arena, manifest), options->bundle);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_printf(key, "option %s\n", texts[i] ? path_absolute(build->arena, texts[i]) : "");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        text_printf(key, "%s=%s\n", variables[i], getenv(variables[i]) ? getenv(variables[i]) : "");
    return EXIT_DONE;
}

/* The module's name is in the manifest, which is not read where nothing changed: a file named after the manifest keeps it. */
static const char *
name_file(struct arena *arena, const char *output, const char *manifest)
{
    return path_join(arena, output, arena_printf(arena, ".pkwrap/%s.module", path_name(manifest)));
}

static const char *
remembered_name(struct arena *arena, const char *path)
{
    struct text text = {0};
    const char *name = NULL;
    if (file_read(path, &text) == 0 && text.length > 0 && strcspn(text.data, "/") == text.length)
        name = arena_copy(arena, text.data);
    text_release(&text);
    return name;
}

static const char *
stamp_path(struct arena *arena, const char *output, const char *module)
{
    return path_join(arena, private_folder(arena, output, module), "stamp");
}

/* What --depfile is made from, also when nothing else is to be done: a rule for the module, whose first path is the folder that
 * the others start from. */
static const char *
depends_path(struct arena *arena, const char *output, const char *module)
{
    return path_join(arena, private_folder(arena, output, module), "depends");
}

static const char *
module_path(const struct module_build *module)
{
    return path_join(module->arena, module->output,
                     arena_printf(module->arena, "%s%s", module->plan->module, module->build->python.suffix));
}

/* Everything that was read or written, for the next time. */
static void
record(const struct module_build *module, struct stamp *stamp)
{
    const struct build *build = module->build;
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    const char *python_folder = path_folder(arena, build->python.path);
    const char *const inputs[] = {
        tool_file(arena),
        build->library.file,
        build->compiler.path,
        build->python.path,
        /* A virtual environment's description lies beside its python, or one folder up. */
        path_join(arena, python_folder, "pyvenv.cfg"),
        path_join(arena, path_folder(arena, python_folder), "pyvenv.cfg"),
        path_join(arena, build->python.numpy, "version.py"),
        path_join(arena, build->python.include, "patchlevel.h"),
    };
    stamp_output(stamp, path_absolute(arena, module->module_path));
    stamp_output(stamp, path_absolute(arena, generated_pyi_path(arena, module->output, plan->module)));
    stamp_output(stamp, path_absolute(arena, depends_path(arena, module->output, plan->module)));
    if (build->options->bundle)
        stamp_output(stamp, path_absolute(arena, path_join(arena, module->output, LIBRARY_FILE)));
    for (int i = 0; i < module->n_units; i++)
        if (module->units[i].generated)
            stamp_output(stamp, path_absolute(arena, module->units[i].source));
    for (int i = 0; i < plan->n_dependencies; i++)
        stamp_input(stamp, path_absolute(arena, plan->dependencies[i]));
    for (int i = 0; i < plan->n_sources; i++)
        stamp_input(stamp, path_absolute(arena, plan->sources[i]));
    build_record_units(module, stamp);
    inputs_record_libraries(module, stamp);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] != NULL)
            stamp_input(stamp, path_absolute(arena, inputs[i]));
}

/* Finds what compiling needs, once a command. */
static int
make_ready(struct build *build)
{
    int status = build->ready ? EXIT_DONE : interpreter_ask(&build->python, build->arena);
    if (build->ready || status != EXIT_DONE)
        return status;
    status = library_find(&build->library, build->arena, &build->python);
    if (status == EXIT_DONE)
        status = compiler_find(&build->compiler, build->arena, build->python.compiler);
    build->ready = status == EXIT_DONE;
    return status;
}

/* Puts everything in its place; the module itself last. */
static int
install(struct module_build *module, const char *linked)
{
    struct arena *arena = module->arena;
    int status = EXIT_DONE;
    if (module->build->options->bundle)
        status = file_install(module->build->library.file, path_join(arena, module->output, LIBRARY_FILE), false);
    if (status == EXIT_DONE)
        status = generated_write_pyi(module->plan, module->diag, generated_pyi_path(arena, module->output, module->plan->module),
                                     NULL);
    if (status == EXIT_DONE)
        status = file_install(linked, module->module_path, true);
    return status;
}

static int
write_name(const struct module_build *module)
{
    return file_write(name_file(module->arena, module->output, module->plan->manifest), module->plan->module,
                      strlen(module->plan->module), NULL);
}

static void
say_built(const struct module_build *module)
{
    const struct plan *plan = module->plan;
    if (module->build->options->quiet)
        return;
    int n = plan->python ? plan->python->n_functions : plan->n_kernels;
    printf("%s: built %s (%d kernel%s", plan->module, module->module_path, n, n == 1 ? "" : "s");
    if (plan->n_others > 0)
        printf("; the headers declare %d other%s", plan->n_others, plan->n_others == 1 ? "" : "s");
    puts(")");
}

static void
say_current(const struct options *options, const char *name)
{
    if (!options->quiet)
        printf("%s: up to date\n", name);
}

/* All files that the module depends on. */
static int
write_depends(struct module_build *module)
{
    const struct plan *plan = module->plan;
    struct arena *arena = module->arena;
    const char **paths = NULL;
    int n = 0;
    *ARENA_PUSH(arena, paths, n) = path_absolute(arena, ".");
    *ARENA_PUSH(arena, paths, n) = module->module_path;
    for (int i = 0; i < plan->n_dependencies; i++)
        *ARENA_PUSH(arena, paths, n) = plan->dependencies[i];
    for (int i = 1; i < module->n_units - 1; i++) /* the user's sources, and what they include */
        depends_read(arena, module->units[i].depends, &paths, &n);
    for (int i = 0; i < module->link_inputs.n; i++)
        if (!is_system_file(module->link_inputs.values[i]))
            *ARENA_PUSH(arena, paths, n) = module->link_inputs.values[i];
    return depends_write(depends_path(arena, module->output, plan->module), module->module_path, paths, n);
}

static int
write_depfile(const struct options *options, struct arena *arena, const char *output, const char *module)
{
    const char **paths = NULL;
    int n = 0;
    if (options->depfile == NULL)
        return EXIT_DONE;
    depends_read(arena, depends_path(arena, output, module), &paths, &n);
    if (n < 2)
        return environment_error("%s is no longer there; remove the folder .pkwrap beside the module",
                                 depends_path(arena, output, module));
    for (int i = 1; i < n && strcmp(paths[0], path_absolute(arena, ".")) != 0; i++)
        paths[i] = path_join(arena, paths[0], paths[i]);
    return depends_write(options->depfile, options->stamp ? options->stamp : paths[1], paths + 2, n - 2);
}

/* With the lock held. */
static int
build_locked(struct module_build *module, const char *key, const char *stamp_file)
{
    struct arena *arena = module->arena;
    const char *linked = path_join(arena, module->work, "module.so");
    struct stamp stamp;
    stamp_init(&stamp, arena, key);
    folders_remove(module->folder, "work-"); /* of builds that were ended: this one holds the lock */
    int status = folder_make(module->work);
    if (status == EXIT_DONE)
        status = build_compile(module);
    if (status == EXIT_DONE)
        status = build_link(module, linked);
    if (status == EXIT_DONE)
        status = install(module, linked);
    if (status == EXIT_DONE)
        status = write_depends(module);
    if (status == EXIT_DONE) {
        record(module, &stamp);
        status = stamp_write(&stamp, stamp_file);
    }
    if (status == EXIT_DONE)
        status = write_name(module);
    return status;
}

static int
build_plan(struct module_build *module, const char *key)
{
    struct arena *arena = module->arena;
    const char *stamp_file = stamp_path(arena, module->output, module->plan->module);
    module->folder = private_folder(arena, module->output, module->plan->module);
    module->work = path_join(arena, module->folder, arena_printf(arena, "work-%ld", (long)getpid()));
    module->module_path = module_path(module);
    int status = folder_make(module->folder);
    if (status != EXIT_DONE)
        return status;
    int lock = file_lock(path_join(arena, module->folder, "lock"));
    if (lock < 0)
        return EXIT_ENVIRONMENT;
    /* Another build may have done it meanwhile. */
    bool current = stamp_is_current(arena, stamp_file, key, NULL);
    if (!current) {
        status = build_locked(module, key, stamp_file);
        folder_remove(module->work);
    }
    close(lock);
    if (status == EXIT_DONE)
        status = write_depfile(module->build->options, arena, module->output, module->plan->module);
    if (status == EXIT_DONE && current)
        say_current(module->build->options, module->plan->module);
    else if (status == EXIT_DONE)
        say_built(module);
    return status;
}

static int
build_again(struct build *build, struct arena *arena, const char *manifest, const char *output, const char *key)
{
    struct diag diag;
    struct plan plan = {.arena = arena};
    struct module_build module = {.build = build, .arena = arena, .diag = &diag, .plan = &plan, .output = output};
    diag_init(&diag, arena);
    int status = make_ready(build);
    if (status != EXIT_DONE)
        return status;
    const struct plan_request request = {.manifest = manifest, .options = build->options,
                                         .compiler = build->python.compiler};
    status = plan_load(&plan, arena, &diag, &request);
    if (status != EXIT_DONE)
        return status;
    return build_plan(&module, key);
}

int
build_module(struct build *build, const char *manifest)
{
    const struct options *options = build->options;
    struct arena arena;
    struct text key = {0};
    const char *why = "it was not built here yet";
    arena_init(&arena);
    const char *output = output_folder(&arena, options->output, manifest);
    const char *name = remembered_name(&arena, name_file(&arena, output, manifest));
    int status = make_key(build, manifest, &key);
    if (status == EXIT_DONE && name != NULL && stamp_is_current(&arena, stamp_path(&arena, output, name), key.data, &why)) {
        status = write_depfile(options, &arena, output, name);
        if (status == EXIT_DONE)
            say_current(options, name);
    } else if (status == EXIT_DONE) {
        if (options->verbose > 0)
            fprintf(stderr, "pkwrap: building %s: %s\n", manifest, why);
        status = build_again(build, &arena, manifest, output, key.data);
    }
    text_release(&key);
    arena_release(&arena);
    return status;
}
