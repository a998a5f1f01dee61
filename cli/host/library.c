/* library.c - finds the Python package that holds libpkwrap. */
#include "library.h"

#include "base/diag.h"
#include "base/files.h"

static bool is_library(struct library *library, struct arena *arena, const char *folder, const char *suffix)
{
    library->folder = folder;
    library->file = path_join(arena, folder, LIBRARY_FILE);
    library->include = path_join(arena, folder, "include");
    return file_exists(library->file) && file_exists(path_join(arena, library->include, "pkwrap.h"))
           && file_exists(path_join(arena, folder, arena_printf(arena, "_pkwrap%s", suffix)));
}

int library_find(struct library *library, struct arena *arena, const struct interpreter *python)
{
    const char *tool = tool_file(arena);
    const char *beside = tool ? path_join(arena, path_folder(arena, tool), "python/pkwrap") : "";
    if (beside[0] != '\0' && is_library(library, arena, beside, python->suffix))
        return EXIT_DONE;
    if (python->package[0] != '\0' && is_library(library, arena, python->package, python->suffix))
        return EXIT_DONE;
    return environment_error("no libpkwrap for %s (Python %s, _pkwrap%s): looked in %s and %s; install the package pkwrap "
                             "for that interpreter, or name another one with --python",
                             python->program, python->version, python->suffix, beside[0] ? beside : "(no folder of the tool)",
                             python->package[0] ? python->package : "its site-packages");
}
