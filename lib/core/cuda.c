#include "cuda.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_find.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct cuda_runtime *) in_use;
static struct cuda_runtime loaded;     /* the real one; its library is never closed */
static char *python_folders;
static bool emulator_selected;
static atomic_bool forked;             /* a child of a process that used a device */

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

/* The real runtime, with a driver behind it. */
static const struct cuda_runtime *
open_library(struct session_error *error)
{
    if (cuda_find(python_folders, &loaded, error) != 0)
        return NULL;
    int count = 0;
    int code = loaded.get_device_count(&count);
    if (code != CUDA_SUCCESS || count == 0) {
        loaded.get_last_error(); /* or it would look like an error of the user's own later */
        const char *name = code == CUDA_SUCCESS ? "no device" : loaded.get_error_name(code);
        error_set(error, SESSION_NO_RUNTIME, "the CUDA Runtime %s finds no usable device (%s%s)", loaded.origin,
                  name == NULL ? "unknown error" : name,
                  code == CUDA_INSUFFICIENT_DRIVER ? ": there is no CUDA driver, or it is older than the library" : "");
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
