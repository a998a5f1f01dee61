#include "entries.h"

#include <stdlib.h>

static int wanted_devices; /* 0: by the environment */

/* The errors that the emulator itself returns, and those that tests inject. */
static const struct {
    int number;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {906, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing stream"},
    {999, "cudaErrorUnknown", "unknown error"},
};

/* Its row, or -1. */
static int
find_error(int number)
{
    for (int i = 0; i < (int)(sizeof(errors) / sizeof(errors[0])); i++)
        if (errors[i].number == number)
            return i;
    return -1;
}

static const char *
error_name(int number)
{
    int row = find_error(number);
    return row >= 0 ? errors[row].name : "unrecognized error code";
}

static const char *
error_text(int number)
{
    int row = find_error(number);
    return row >= 0 ? errors[row].text : "unrecognized error code";
}

static const struct cuda_runtime table = {
#define X(field, symbol, parameters) .field = emulated_##field,
    CUDA_ENTRY_POINTS(X)
#undef X
    .get_error_name = error_name,
    .get_error_string = error_text,
    .origin = "emulator",
    .is_emulator = 1,
};

static void
before_fork(void)
{
    pthread_mutex_lock(&emulator.lock);
}

static void
after_fork_in_parent(void)
{
    pthread_mutex_unlock(&emulator.lock);
}

static void
after_fork_in_child(void)
{
    atomic_store(&emulator.gone, true);
    pthread_mutex_unlock(&emulator.lock);
}

const struct cuda_runtime *
emulator_runtime(struct session_error *error)
{
    const char *text = getenv("PKWRAP_EMULATOR_DEVICES");
    int count = wanted_devices;
    if (count == 0) {
        char *end;
        long number = text != NULL && *text != '\0' ? strtol(text, &end, 10) : 2;
        if (number < 1 || number > MAX_DEVICES || (text != NULL && *text != '\0' && *end != '\0')) {
            error_set(error, SESSION_NO_RUNTIME, "PKWRAP_EMULATOR_DEVICES is '%.40s': expected a number from 1 to %d", text,
                      MAX_DEVICES);
            return NULL;
        }
        count = (int)number;
    }
    if (memory_open(count) != 0) {
        error_set(error, SESSION_NO_RUNTIME, "the emulator cannot reserve its addresses");
        return NULL;
    }
    emulator.n_devices = count;
    fault_watch();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return &table;
}

int
emulator_set_device_count(int count)
{
    if (emulator.n_devices != 0 || count < 1 || count > MAX_DEVICES)
        return -1;
    wanted_devices = count;
    return 0;
}

void
emulator_set_memory(size_t bytes)
{
    pthread_mutex_lock(&emulator.lock);
    emulator.device_memory = bytes;
    pthread_mutex_unlock(&emulator.lock);
}

size_t
emulator_memory(void)
{
    pthread_mutex_lock(&emulator.lock);
    size_t bytes = emulator.device_memory;
    pthread_mutex_unlock(&emulator.lock);
    return bytes;
}
