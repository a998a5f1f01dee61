/* interpreter.c - one question to a Python, and its answer. */
#include "interpreter.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/files.h"
#include "base/process.h"

/* With -c the current folder comes first in sys.path: a file there must not stand in for the library's. Finding the
 * specification of a top-level package runs none of its code. */
static const char question[] =
    "import sys\n"
    "if sys.path[:1] == ['']:\n"
    "    del sys.path[0]\n"
    "import importlib.util, os, sysconfig\n"
    "def folder(name):\n"
    "    try:\n"
    "        return os.path.abspath(list(importlib.util.find_spec(name).submodule_search_locations)[0])\n"
    "    except Exception:\n"
    "        return ''\n"
    "def version(name):\n"
    "    try:\n"
    "        from importlib.metadata import version\n"
    "        return version(name)\n"
    "    except Exception:\n"
    "        return ''\n"
    "variable = sysconfig.get_config_var\n"
    "numpy = folder('numpy')\n"
    "answers = {\n"
    "    'implementation': sys.implementation.name,\n"
    "    'version': '%d.%d.%d' % sys.version_info[:3],\n"
    "    'suffix': variable('EXT_SUFFIX') or '',\n"
    "    'include': sysconfig.get_path('include'),\n"
    "    'plat_include': sysconfig.get_path('platinclude'),\n"
    "    'compiler': variable('CC') or '',\n"
    "    'numpy': numpy,\n"
    "    'numpy_version': version('numpy') if numpy else '',\n"
    "    'package': folder('pkwrap'),\n"
    "}\n"
    "for key, value in answers.items():\n"
    "    print('%s=%s' % (key, value))\n";

static bool
is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

const char *
program_find(struct arena *arena, const char *name)
{
    const char *at = getenv("PATH");
    if (strchr(name, '/') != NULL)
        return is_program(name) ? arena_copy(arena, name) : NULL;
    for (at = at ? at : "/usr/bin:/bin"; *at != '\0';) {
        size_t length = strcspn(at, ":");
        const char *path = path_join(arena, arena_copy_n(arena, at, length), name);
        if (is_program(path))
            return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

const char *
tool_file(struct arena *arena)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return n > 0 && n < (ssize_t)sizeof path ? arena_copy_n(arena, path, (size_t)n) : NULL;
}

const char *
interpreter_default(struct arena *arena)
{
    const char *tool = tool_file(arena);
    if (tool != NULL) {
        const char *folder = path_folder(arena, tool);
        const char *python = path_join(arena, folder, "python3");
        if (is_program(python) && file_exists(path_join(arena, path_folder(arena, folder), "pyvenv.cfg")))
            return python;
    }
    return "python3";
}

static bool
starts_as_script(const char *path)
{
    char start[2] = "";
    FILE *file = fopen(path, "rb");
    bool script = file != NULL && fread(start, 1, 2, file) == 2 && memcmp(start, "#!", 2) == 0;
    if (file != NULL)
        fclose(file);
    return script;
}

int
interpreter_find(struct interpreter *python, struct arena *arena, const char *program)
{
    if (program == NULL)
        program = interpreter_default(arena);
    *python = (struct interpreter){.program = program};
    python->path = program_find(arena, program);
    if (python->path == NULL)
        return environment_error("no Python program '%s'; name one with --python", program);
    python->is_script = starts_as_script(python->path);
    return EXIT_DONE;
}

/* The value in the answer's line "key=value", or "". */
static const char *
value_of(struct arena *arena, const char *answer, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = answer; *line != '\0';) {
        size_t end = strcspn(line, "\n");
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return arena_copy_n(arena, line + length + 1, end - length - 1);
        line += end + (line[end] == '\n');
    }
    return "";
}

/* "3.9.1" is older than 3.10. */
static bool
is_older(const char *version, int major, int minor)
{
    int given_major = 0, given_minor = 0;
    sscanf(version, "%d.%d", &given_major, &given_minor);
    return given_major < major || (given_major == major && given_minor < minor);
}

static int
judge(const struct interpreter *python, struct arena *arena)
{
    const char *implementation = value_of(arena, python->answer, "implementation");
    if (strcmp(implementation, "cpython") != 0)
        return environment_error("%s is %s; pkwrap needs CPython (name one with --python)", python->program, implementation);
    if (is_older(python->version, 3, 10))
        return environment_error("%s is Python %s; pkwrap needs 3.10 or newer", python->program, python->version);
    if (python->numpy[0] == '\0')
        return environment_error("%s (Python %s) has no NumPy", python->program, python->version);
    if (python->numpy_version[0] != '\0' && is_older(python->numpy_version, 1, 23))
        return environment_error("%s has NumPy %s; pkwrap needs 1.23 or newer", python->program, python->numpy_version);
    return EXIT_DONE;
}

int
interpreter_ask(struct interpreter *python, struct arena *arena)
{
    const char *argv[] = {python->path, "-c", question, NULL};
    struct process process = {.argv = argv};
    if (python->answer != NULL)
        return EXIT_DONE;
    bool done = process_run(&process);
    const char *answer = process.out.length > 0 ? arena_copy(arena, process.out.data) : "";
    int status = EXIT_DONE;
    if (!done || value_of(arena, answer, "implementation")[0] == '\0')
        status = environment_error("%s does not work as a Python: it %s; name another one with --python", python->path,
                                   process_sentence(arena, &process));
    process_release(&process);
    if (status != EXIT_DONE)
        return status;
    python->answer = answer;
    python->version = value_of(arena, answer, "version");
    python->suffix = value_of(arena, answer, "suffix");
    python->include = value_of(arena, answer, "include");
    python->plat_include = value_of(arena, answer, "plat_include");
    python->compiler = value_of(arena, answer, "compiler");
    python->numpy = value_of(arena, answer, "numpy");
    python->numpy_version = value_of(arena, answer, "numpy_version");
    python->package = value_of(arena, answer, "package");
    return judge(python, arena);
}
