#include "cuda_find.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newest first. The unversioned name is never tried: it is a development link, and may be of another major version than
 * the one that the arrays' library uses. */
static const char *const library_names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
enum { N_LIBRARY_NAMES = sizeof(library_names) / sizeof(library_names[0]) };

static const char below_python[] = "nvidia/*/lib", below_toolkit[] = "lib64";
enum { N_TOOLKITS = 3 };

struct search {
    const char *python_folders;
    const char *toolkits[N_TOOLKITS]; /* NULL or empty: not set */
    struct cuda_runtime *found;
    struct cuda_runtime too_new; /* the first that is whole but not for this driver; .origin NULL: none */
    char *at;                    /* end of the text of what was tried */
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void
tell(struct search *search, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(search->at, search->room, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    size_t used = (size_t)n < search->room ? (size_t)n : search->room - 1;
    search->at += used;
    search->room -= used;
}

/* All entry points of an opened library. The name of the first that it lacks, or NULL. */
static const char *
resolve(void *library, struct cuda_runtime *runtime)
{
    /* POSIX's dlsym returns functions as void *, which ISO C cannot cast. */
#define FIND(field, symbol)                            \
    {                                                  \
        void *address = dlsym(library, #symbol);       \
        if (address == NULL)                           \
            return #symbol;                            \
        memcpy(&runtime->field, &address, sizeof(address)); \
    }
#define X(field, symbol, parameters) FIND(field, symbol)
    CUDA_ENTRY_POINTS(X)
#undef X
#define X(field, symbol) FIND(field, symbol)
    CUDA_TEXT_ENTRY_POINTS(X)
#undef X
#undef FIND
    return NULL;
}

static const char *
path_of(const struct cuda_runtime *runtime)
{
    Dl_info info;
    void *address;
    memcpy(&address, &runtime->get_device, sizeof(address));
    return dladdr(address, &info) && info.dli_fname != NULL ? info.dli_fname : library_names[0];
}

/* A library that is newer than the driver gives this answer to every call, as without a driver. */
static bool
is_too_new(const struct cuda_runtime *runtime)
{
    int count;
    if (runtime->get_device_count(&count) != CUDA_INSUFFICIENT_DRIVER)
        return false;
    runtime->get_last_error();
    return true;
}

/* Opens one library; true if it is the one. */
static bool
try_library(struct search *search, const char *name, int flags)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
    if (library == NULL) {
        if (!(flags & RTLD_NOLOAD))
            tell(search, " %s;", name);
        return false;
    }
    struct cuda_runtime runtime = {.is_emulator = 0};
    const char *missing = resolve(library, &runtime);
    if (missing != NULL) {
        tell(search, " %s (has no %s);", name, missing);
        return false;
    }
    runtime.origin = path_of(&runtime);
    if (!is_too_new(&runtime)) {
        *search->found = runtime;
        return true;
    }
    if (search->too_new.origin == NULL)
        search->too_new = runtime;
    return false;
}

/* FOLDER/BELOW/NAME as a pattern for glob, in which the folder stands for itself. false: too long. */
static bool
make_pattern(char *pattern, size_t size, const char *folder, size_t length, const char *below, const char *name)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (strchr("*?[\\", folder[i]) != NULL)
            pattern[used++] = '\\';
        pattern[used++] = folder[i];
    }
    int n = snprintf(pattern + used, size - used, "/%s/%s", below, name);
    return n > 0 && (size_t)n < size - used;
}

static bool
try_below(struct search *search, const char *folder, size_t length, const char *below)
{
    bool found = false;
    for (int i = 0; i < N_LIBRARY_NAMES && length > 0 && !found; i++) {
        char pattern[4096];
        glob_t matches;
        if (!make_pattern(pattern, sizeof(pattern), folder, length, below, library_names[i])
            || glob(pattern, 0, NULL, &matches) != 0)
            continue;
        for (size_t k = 0; k < matches.gl_pathc && !found; k++)
            found = try_library(search, matches.gl_pathv[k], 0);
        globfree(&matches);
    }
    return found;
}

/* The folder at *text, and the next one there; NULL: that was the last. */
static const char *
next_folder(const char **text, size_t *length)
{
    const char *folder = *text;
    if (folder == NULL || *folder == '\0')
        return NULL;
    *length = strcspn(folder, ":");
    *text = folder + *length + (folder[*length] == ':');
    return folder;
}

static bool
try_everywhere(struct search *search)
{
    size_t length;
    for (int i = 0; i < N_LIBRARY_NAMES; i++)
        if (try_library(search, library_names[i], RTLD_NOLOAD))
            return true;
    for (const char *text = search->python_folders, *folder; (folder = next_folder(&text, &length)) != NULL;)
        if (try_below(search, folder, length, below_python))
            return true;
    for (int i = 0; i < N_LIBRARY_NAMES; i++)
        if (try_library(search, library_names[i], 0))
            return true;
    for (int i = 0; i < N_TOOLKITS; i++)
        if (search->toolkits[i] != NULL && try_below(search, search->toolkits[i], strlen(search->toolkits[i]), below_toolkit))
            return true;
    return false;
}

static void
tell_folders(struct search *search)
{
    size_t length;
    for (int i = 0; i < N_TOOLKITS; i++)
        if (search->toolkits[i] != NULL && *search->toolkits[i] != '\0')
            tell(search, " %s/%s;", search->toolkits[i], below_toolkit);
    for (const char *text = search->python_folders, *folder; (folder = next_folder(&text, &length)) != NULL;)
        if (length > 0)
            tell(search, " %.*s/%s;", (int)length, folder, below_python);
}

int
cuda_find(const char *python_folders, struct cuda_runtime *runtime, struct session_error *error)
{
    char places[400] = "";
    struct search search = {.python_folders = python_folders,
                            .toolkits = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"},
                            .found = runtime,
                            .at = places,
                            .room = sizeof(places)};
    const char *named = getenv("PKWRAP_CUDA_RUNTIME");
    bool is_named = named != NULL && *named != '\0'; /* what the user names is meant */
    if (is_named ? try_library(&search, named, 0) : try_everywhere(&search))
        return 0;
    if (search.too_new.origin != NULL) {
        *runtime = search.too_new;
        return 0;
    }
    if (!is_named)
        tell_folders(&search);
    search.at[search.at > places ? -1 : 0] = '\0'; /* the last semicolon */
    return error_set(error, SESSION_NO_RUNTIME, "no CUDA Runtime library was found; tried%s", places);
}
