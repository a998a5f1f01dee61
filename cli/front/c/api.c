/* api.c - finds and loads libclang. */
#include "api_internal.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/files.h"
#include "host/interpreter.h"

enum { OLDEST_VERSION = 17, NEWEST_VERSION = 40 };

struct clang_api clang;
static void *library;

static const struct entry_point {
    const char *name;
    size_t offset;
} entry_points[] = {
#define X(name) {"clang_" #name, offsetof(struct clang_api, name)},
    CLANG_FUNCTIONS(X)
#undef X
};

/* Loads `name` if it is complete and new enough; else adds a line to `tried`. */
static bool
try_library(struct text *tried, const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        bool missing = strstr(reason, "No such file") != NULL;
        text_printf(tried, "\n    %s%s%s", name, missing ? "" : ": ", missing ? "" : reason);
        return false;
    }
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++) {
        void *address = dlsym(handle, entry_points[i].name);
        if (address == NULL) {
            text_printf(tried, "\n    %s: has no %s; version %d or newer is needed", name, entry_points[i].name,
                        OLDEST_VERSION);
            dlclose(handle);
            return false;
        }
        memcpy((char *)&clang + entry_points[i].offset, &address, sizeof address);
    }
    library = handle;
    return true;
}

/* libclang in the folders in which Debian keeps one version of LLVM each, newest first. */
static bool
try_llvm_folders(struct text *tried, struct arena *arena)
{
    for (int version = NEWEST_VERSION; version >= OLDEST_VERSION; version--) {
        const char *folder = arena_printf(arena, "/usr/lib/llvm-%d/lib", version);
        if (!file_exists(folder))
            continue;
        if (try_library(tried, arena_printf(arena, "%s/libclang-%d.so.1", folder, version))
            || try_library(tried, arena_printf(arena, "%s/libclang.so.1", folder))
            || try_library(tried, arena_printf(arena, "%s/libclang.so", folder)))
            return true;
    }
    return false;
}

/* Names that the dynamic linker may know: Debian's, Fedora's and Arch's, and what a -dev package adds. Those absent are
 * summed up in one line of the message. */
static bool
try_linker_names(struct text *tried, struct arena *arena)
{
    struct text quiet = {0};
    bool found = false;
    for (int version = NEWEST_VERSION; version >= OLDEST_VERSION && !found; version--)
        found = try_library(&quiet, arena_printf(arena, "libclang-%d.so.1", version))
                || try_library(&quiet, arena_printf(arena, "libclang-%d.so.%d", version, version))
                || try_library(&quiet, arena_printf(arena, "libclang.so.%d", version))
                || try_library(&quiet, arena_printf(arena, "libclang.so.%d.1", version));
    text_release(&quiet);
    if (found)
        return true;
    text_printf(tried, "\n    libclang-N.so.1, libclang.so.N (N = %d to %d) of the dynamic linker", OLDEST_VERSION,
                NEWEST_VERSION);
    return try_library(tried, "libclang.so");
}

/* libclang of the environment that the tool is installed in: a prefix of Conda's kind, or the Python package libclang. */
static bool
try_beside_tool(struct text *tried, struct arena *arena)
{
    const char *tool = tool_file(arena);
    if (tool == NULL)
        return false;
    static const char *const patterns[] = {"lib/libclang.so.*", "lib/libclang-*.so.*", "lib/python3*/site-packages/clang/native/libclang.so",
                                           "lib/python3*/dist-packages/clang/native/libclang.so"};
    const char *prefix = path_folder(arena, path_folder(arena, tool));
    bool found = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        const char *pattern = path_join(arena, prefix, patterns[i]);
        glob_t matches;
        if (glob(pattern, 0, NULL, &matches) == 0) {
            for (size_t k = matches.gl_pathc; k-- > 0 && !found;) /* the newest comes last */
                found = try_library(tried, arena_copy(arena, matches.gl_pathv[k]));
            globfree(&matches);
        } else {
            text_printf(tried, "\n    %s", pattern);
        }
    }
    return found;
}

static bool
search_library(struct text *tried, struct arena *arena, const char *given)
{
    if (given != NULL) /* what the user names is not silently replaced by another */
        return try_library(tried, given);
#ifdef PKWRAP_LIBCLANG_DIR
    if (try_library(tried, PKWRAP_LIBCLANG_DIR "/libclang.so.1") || try_library(tried, PKWRAP_LIBCLANG_DIR "/libclang.so"))
        return true;
#endif
    return try_llvm_folders(tried, arena) || try_linker_names(tried, arena) || try_beside_tool(tried, arena);
}

int
clang_load(struct arena *arena, const char *given)
{
    if (library != NULL)
        return EXIT_DONE;
    setenv("LIBCLANG_NOTHREADS", "1", 0); /* its own threads have small stacks; ours is made for it: see front_parse */
    if (given == NULL)
        given = getenv("PKWRAP_LIBCLANG");
    struct text tried = {0};
    int status = EXIT_DONE;
    if (!search_library(&tried, arena, given))
        status = environment_error("libclang %d or newer is needed to read C; tried:%s\n  install it (Debian: libclang-19-dev; PyPI: libclang) "
                                   "or name it with --libclang FILE or PKWRAP_LIBCLANG",
                                   OLDEST_VERSION, tried.data);
    text_release(&tried);
    return status;
}

const char *
clang_library_path(struct arena *arena)
{
    Dl_info info;
    void *address;
    memcpy(&address, &clang.createIndex, sizeof address);
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return "";
    return path_real(arena, info.dli_fname);
}

const char *
clang_take_string(struct arena *arena, CXString string)
{
    const char *text = clang.getCString(string);
    const char *copy = arena_copy(arena, text != NULL ? text : "");
    clang.disposeString(string);
    return copy;
}

const char *
clang_without_places(struct arena *arena, const char *text)
{
    static const char *const starts[] = {"(unnamed", "(anonymous"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const char *nameless = strstr(text, starts[i]);
        while (nameless != NULL) {
            const char *end = strchr(nameless, ')');
            const char *at = strstr(nameless, " at ");
            size_t kept = at != NULL && end != NULL && at < end ? (size_t)(at - text) : (size_t)(nameless + 1 - text);
            if (at != NULL && end != NULL && at < end)
                text = arena_printf(arena, "%.*s%s", (int)kept, text, end);
            nameless = strstr(text + kept, starts[i]);
        }
    }
    return text;
}
