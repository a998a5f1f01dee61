/* build.h - between the files that build a module: from a plan to an installed extension module. */
#ifndef BUILD_H
#define BUILD_H

#include "host/compiler.h"
#include "host/interpreter.h"
#include "host/library.h"
#include "base/options.h"
#include "plan/plan.h"
#include "base/stamp.h"

/* What all modules of one command share. `compiler` and `library` are found when the first module needs them. */
struct build {
    struct arena *arena;
    const struct options *options;
    struct interpreter python;
    struct compiler compiler;
    struct library library;
    bool ready; /* compiler and library are found */
};

/* One source and what it is compiled to. Compilers write into the work folder; what they finished is moved from there. */
struct unit {
    const char *source, *object, *depends, *stamp;
    const char *new_object, *new_depends;
    bool generated;           /* by us: needs Python's and our include folders, and its warnings are no business of the user's */
    const char *const *argv;  /* the compiler's command */
    const char *key;          /* of its stamp */
    bool current;             /* the object is up to date */
};

/* One module on its way. */
struct module_build {
    struct build *build;
    struct arena *arena;
    struct diag *diag;
    const struct plan *plan;
    const char *output;       /* folder of the module */
    const char *folder;       /* output/.pkwrap/MODULE */
    const char *work;         /* folder/work-PID: of this build alone, so that compilers which outlive an interrupted one
                                 write where nobody reads */
    const char *module_path;  /* output/MODULE.suffix */
    struct unit *units;       /* the generated source, the user's, the probe (last) */
    int n_units;
    struct words link_inputs; /* what the linker read besides: objects and libraries of the manifest, and the system's */
};

/* Builds the module of one manifest and says so. An enum exit_status; messages were printed. */
int build_module(struct build *build, const char *manifest);

/* --- compile.c --- */

/* Fills in the units and compiles those that are not up to date, options->jobs at a time. The compiler's own messages go
 * to stderr. EXIT_INPUT where one does not compile. */
int build_compile(struct module_build *module);
/* Records everything that the compilers read. */
void build_record_units(const struct module_build *module, struct stamp *stamp);

/* --- link.c --- */

/* Links the probe, which shows missing symbols (each a finding with its kernel's place), and the module into `linked`. */
int build_link(struct module_build *module, const char *linked);
/* --- inputs.c --- */

/* Records those files that a unit's compiler would have read in place of one of `paths`, had they been there. */
void inputs_record_headers(const struct module_build *module, const struct unit *unit, const char *const *paths, int n,
                           struct stamp *stamp);
/* Fills in link_inputs from what the linker printed with --trace. */
void inputs_read_trace(struct module_build *module, const char *output);
/* Records link_inputs, and libraries that would have been read in place of one, had they been there. */
void inputs_record_libraries(const struct module_build *module, struct stamp *stamp);
/* A file of the system, which changes when that does. */
bool is_system_file(const char *path);

/* --- depends.c --- */

/* The files that the first rule of a dependency file names, after its target; appended to *paths. */
void depends_read(struct arena *arena, const char *path, const char ***paths, int *n);
/* --depfile describes one module. EXIT_DONE, or EXIT_USAGE after a message. */
int depends_check_options(const struct options *options);
/* A rule "target: paths" for Make and Ninja, and an empty rule for each path, so that a file that goes away is no error; paths
 * that occur again are left out. */
int depends_write(const char *path, const char *target, const char *const *paths, int n);

/* Runs compilers, with -v shows their commands first. True if all succeeded. */
struct process;
bool build_run(const struct options *options, struct process *processes, int n);
/* Of a compiler that has run and should have written `made`: EXIT_DONE; EXIT_INPUT where it has printed what it does not like;
 * EXIT_ENVIRONMENT after a message where the compiler itself is at fault. */
int build_judge(const struct process *process, const char *made);

#endif
