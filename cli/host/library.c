/* library.c - finds the Python package that holds libpkwrap. */
#include "library.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/files.h"

static bool
is_library(struct library *library, struct arena *arena, const char *folder, const char *suffix)
{
    library->folder = folder;
    library->file = path_join(arena, folder, LIBRARY_FILE);
    library->include = path_join(arena, folder, "include");
    return file_exists(library->file) && file_exists(path_join(arena, library->include, "pkwrap.h"))
           && file_exists(path_join(arena, folder, arena_printf(arena, "_pkwrap%s", suffix)));
}

int
library_find(struct library *library, struct arena *arena, const struct interpreter *python)
{
    const char *tool = tool_file(arena);
    const char *beside = tool ? path_join(arena, path_folder(arena, tool), "python/pkwrap") : "";
    if (beside[0] != '\0' && is_library(library, arena, beside, python->suffix))
        return EXIT_DONE;
    if (python->package[0] != '\0' && is_library(library, arena, python->package, python->suffix))
        return EXIT_DONE;
    /* "make install PREFIX=DIR": the package is below the same prefix, also where the interpreter does not look. */
    int major = 0, minor = 0;
    static const char *const folders[] = {"site-packages", "dist-packages"};
    sscanf(python->version, "%d.%d", &major, &minor);
    for (size_t i = 0; tool != NULL && i < sizeof folders / sizeof *folders; i++) {
        const char *prefix = path_folder(arena, path_folder(arena, tool));
        const char *folder = arena_printf(arena, "%s/lib/python%d.%d/%s/pkwrap", prefix, major, minor, folders[i]);
        if (is_library(library, arena, folder, python->suffix))
            return EXIT_DONE;
    }
    return environment_error("no libpkwrap for %s (Python %s, _pkwrap%s): looked in %s and %s; install the package pkwrap "
                             "for that interpreter, or name another one with --python",
                             python->program, python->version, python->suffix, beside[0] ? beside : "(no folder of the tool)",
                             python->package[0] ? python->package : "its site-packages");
}
