#include "entries.h"

#include <stdlib.h>

static int wanted_devices; /* 0: by the environment */

/* X(number, suffix, text): the errors that the emulator itself returns, and those that tests inject. */
#define ERRORS(X)                                                                       \
    X(0, "cudaSuccess", "no error")                                                     \
    X(1, "cudaErrorInvalidValue", "invalid argument")                                   \
    X(2, "cudaErrorMemoryAllocation", "out of memory")                                  \
    X(3, "cudaErrorInitializationError", "initialization error")                        \
    X(35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient")         \
    X(100, "cudaErrorNoDevice", "no CUDA-capable device is detected")                   \
    X(101, "cudaErrorInvalidDevice", "invalid device ordinal")                          \
    X(400, "cudaErrorInvalidResourceHandle", "invalid resource handle")                 \
    X(600, "cudaErrorNotReady", "device not ready")                                     \
    X(700, "cudaErrorIllegalAddress", "an illegal memory access was encountered")       \
    X(719, "cudaErrorLaunchFailure", "unspecified launch failure")                      \
    X(800, "cudaErrorNotPermitted", "operation not permitted")                          \
    X(900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing") \
    X(906, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream") \
    X(999, "cudaErrorUnknown", "unknown error")

static const char *
error_name(int error)
{
    switch (error) {
#define X(number, name, text) \
    case number:              \
        return name;
        ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

static const char *
error_text(int error)
{
    switch (error) {
#define X(number, name, text) \
    case number:              \
        return text;
        ERRORS(X)
#undef X
    }
    return "unrecognized error code";
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
