#include "cuda.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newest first. The unversioned name is never tried: it is a development link, and may be of another major version than
 * the one that the arrays' library uses. */
static const char *const library_names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
enum { N_LIBRARY_NAMES = sizeof(library_names) / sizeof(library_names[0]) };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct cuda_runtime *) in_use;
static struct cuda_runtime loaded;     /* the real one; its library is never closed */
static char *python_folders;
static bool emulator_selected;
static atomic_bool forked;             /* a child of a process that used a device */

/* A text that grows up to its room: the list of what was tried. */
struct text {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void
text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text->at, text->room, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    size_t used = (size_t)n < text->room ? (size_t)n : text->room - 1;
    text->at += used;
    text->room -= used;
}

static void
before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void
after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* CUDA does not survive fork. That a runtime was in use is remembered; the pointer goes, so that the fast path of
 * cuda_runtime finds out without another test. */
static void
after_fork_in_child(void)
{
    if (atomic_exchange(&in_use, NULL) != NULL)
        atomic_store(&forked, true);
    pthread_mutex_unlock(&lock);
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

/* Opens one library; true if it is whole. */
static bool
try_library(const char *name, int flags, struct text *tried)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
    if (library == NULL) {
        if (!(flags & RTLD_NOLOAD))
            text_add(tried, " %s;", name);
        return false;
    }
    const char *missing = resolve(library, &loaded);
    if (missing != NULL) {
        text_add(tried, " %s (has no %s);", name, missing);
        return false;
    }
    Dl_info info;
    void *address;
    memcpy(&address, &loaded.get_device, sizeof(address));
    loaded.origin = dladdr(address, &info) && info.dli_fname != NULL ? info.dli_fname : name;
    return true;
}

static bool
try_python_folders(struct text *tried)
{
    bool found = false;
    for (const char *start = python_folders; start != NULL && *start != '\0' && !found;) {
        size_t length = strcspn(start, ":");
        for (int i = 0; i < N_LIBRARY_NAMES && length > 0 && !found; i++) {
            char pattern[4096];
            int n = snprintf(pattern, sizeof(pattern), "%.*s/nvidia/*/lib/%s", (int)length, start, library_names[i]);
            glob_t matches;
            if (n >= (int)sizeof(pattern) || glob(pattern, 0, NULL, &matches) != 0)
                continue;
            for (size_t k = 0; k < matches.gl_pathc && !found; k++)
                found = try_library(matches.gl_pathv[k], 0, tried);
            globfree(&matches);
        }
        if (!found && length > 0)
            text_add(tried, " %.*s/nvidia/*/lib;", (int)length, start);
        start += length + (start[length] == ':');
    }
    return found;
}

static bool
find_library(struct text *tried)
{
    const char *named = getenv("PKWRAP_CUDA_RUNTIME");
    if (named != NULL && *named != '\0')
        return try_library(named, 0, tried); /* what the user names is meant: nothing else is tried */
    for (int i = 0; i < N_LIBRARY_NAMES; i++)
        if (try_library(library_names[i], RTLD_NOLOAD, tried))
            return true;
    if (try_python_folders(tried))
        return true;
    for (int i = 0; i < N_LIBRARY_NAMES; i++)
        if (try_library(library_names[i], 0, tried))
            return true;
    return false;
}

/* The real runtime, with a driver behind it. */
static const struct cuda_runtime *
open_library(struct session_error *error)
{
    char places[400] = "";
    struct text tried = {places, sizeof(places)};
    if (!find_library(&tried)) {
        if (places[0] != '\0')
            tried.at[-1] = '\0'; /* the last semicolon */
        error_set(error, SESSION_NO_RUNTIME, "no CUDA Runtime library was found; tried%s", places);
        return NULL;
    }
    int count = 0;
    int code = loaded.get_device_count(&count);
    if (code != CUDA_SUCCESS || count == 0) {
        loaded.get_last_error(); /* or it would look like an error of the user's own later */
        const char *name = code == CUDA_SUCCESS ? "no device" : loaded.get_error_name(code);
        error_set(error, SESSION_NO_RUNTIME, "the CUDA Runtime %s finds no usable device (%s)", loaded.origin,
                  name == NULL ? "unknown error" : name);
        error->cuda = code;
        error->cuda_name = code == CUDA_SUCCESS ? NULL : name;
        return NULL;
    }
    return &loaded;
}

static const struct cuda_runtime *
choose(struct session_error *error)
{
    if (emulator_selected)
        return emulator_runtime(error);
    const char *device = getenv("PKWRAP_DEVICE");
    if (device == NULL || *device == '\0' || strcmp(device, "cuda") == 0)
        return open_library(error);
    if (strcmp(device, "emulator") == 0)
        return emulator_runtime(error);
    error_set(error, SESSION_NO_RUNTIME, "PKWRAP_DEVICE is '%.40s': expected 'cuda' or 'emulator'", device);
    return NULL;
}

/* Under the lock. */
static const struct cuda_runtime *
first_use(struct session_error *error)
{
    static bool watching_fork;
    if (!watching_fork) {
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        watching_fork = true;
    }
    const struct cuda_runtime *runtime = choose(error);
    atomic_store_explicit(&in_use, runtime, memory_order_release);
    return runtime;
}

const struct cuda_runtime *
cuda_runtime(struct session_error *error)
{
    const struct cuda_runtime *runtime = atomic_load_explicit(&in_use, memory_order_acquire);
    if (runtime != NULL)
        return runtime;
    if (atomic_load(&forked)) {
        error_set(error, SESSION_FORKED, "this process was forked from one that had used a device, which CUDA does not "
                                         "support; start processes before the first device use, or with 'spawn'");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    runtime = atomic_load(&in_use);
    if (runtime == NULL)
        runtime = first_use(error);
    pthread_mutex_unlock(&lock);
    return runtime;
}

const struct cuda_runtime *
cuda_runtime_in_use(void)
{
    return atomic_load_explicit(&in_use, memory_order_acquire);
}

const struct cuda_runtime *
cuda_replace(const struct cuda_runtime *runtime)
{
    return atomic_exchange(&in_use, runtime);
}

int
cuda_select_emulator(void)
{
    pthread_mutex_lock(&lock);
    const struct cuda_runtime *runtime = atomic_load(&in_use);
    bool possible = runtime == NULL ? !atomic_load(&forked) : runtime->is_emulator;
    if (possible)
        emulator_selected = true;
    pthread_mutex_unlock(&lock);
    return possible ? 0 : -1;
}

void
cuda_set_python_folders(const char *folders)
{
    char *copy = strdup(folders);
    pthread_mutex_lock(&lock);
    char *old = python_folders;
    python_folders = copy;
    pthread_mutex_unlock(&lock);
    free(old);
}
