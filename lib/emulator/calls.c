#include "entries.h"

#include <string.h>

struct emulator_state emulator = {.lock = PTHREAD_MUTEX_INITIALIZER, .device_memory = (size_t)16 << 30};

static _Thread_local int current_device;
static _Thread_local int last_error;
static _Thread_local cuda_capture_mode capture_mode;

static const char *const symbols[] = {
#define X(field, symbol, parameters) #symbol,
    CUDA_ENTRY_POINTS(X)
#undef X
};

/* The failures that were asked for: the number of calls until then, of one entry point or (N_ENTRIES) of any. */
static long fail_in;
static int fail_entry, fail_error;
static int broken;

/* What CUDA calls potentially unsafe while a stream is being captured. */
static bool
is_unsafe(enum entry entry)
{
    switch (entry) {
    case ENTRY_malloc:
    case ENTRY_free:
    case ENTRY_host_alloc:
    case ENTRY_free_host:
    case ENTRY_malloc_managed:
    case ENTRY_event_query:
    case ENTRY_event_synchronize:
    case ENTRY_device_synchronize:
        return true;
    default:
        return false;
    }
}

int
call_enter(enum entry entry)
{
    if (atomic_load(&emulator.gone))
        return CUDA_INITIALIZATION_ERROR;
    if (queue_runs_here())
        return CUDA_NOT_PERMITTED;
    pthread_mutex_lock(&emulator.lock);
    emulator.counters.calls++;
    emulator.calls[entry]++;
    if (broken != 0)
        return broken;
    if (fail_in > 0 && (fail_entry == N_ENTRIES || fail_entry == (int)entry) && --fail_in == 0)
        return fail_error;
    if (is_unsafe(entry) && capture_mode == CUDA_CAPTURE_MODE_GLOBAL && spoil_captures())
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    return CUDA_SUCCESS;
}

int
call_leave(enum entry entry, int error)
{
    if (error != CUDA_SUCCESS)
        last_error = error;
    if (atomic_load(&emulator.gone) || queue_runs_here())
        return error;
    log_call(symbols[entry], error);
    pthread_mutex_unlock(&emulator.lock);
    return error;
}

int
call_device(void)
{
    return current_device;
}

/* --- devices and errors ------------------------------------------------------------------------------------------- */

int
emulated_get_device(int *device)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed)) {
        *device = current_device;
        return CUDA_SUCCESS;
    }
    int error = call_enter(ENTRY_get_device);
    if (error == CUDA_SUCCESS)
        *device = current_device;
    return call_leave(ENTRY_get_device, error);
}

int
emulated_set_device(int device)
{
    int error = call_enter(ENTRY_set_device);
    log_detail("%d", device);
    if (error == CUDA_SUCCESS && (device < 0 || device >= emulator.n_devices))
        error = CUDA_INVALID_DEVICE;
    if (error == CUDA_SUCCESS)
        current_device = device;
    return call_leave(ENTRY_set_device, error);
}

int
emulated_get_device_count(int *count)
{
    int error = call_enter(ENTRY_get_device_count);
    if (error == CUDA_SUCCESS)
        *count = emulator.n_devices;
    return call_leave(ENTRY_get_device_count, error);
}

int
emulated_thread_exchange_stream_capture_mode(cuda_capture_mode *mode)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_thread_exchange_stream_capture_mode);
    if (error == CUDA_SUCCESS && (*mode < CUDA_CAPTURE_MODE_GLOBAL || *mode > CUDA_CAPTURE_MODE_RELAXED))
        error = CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        cuda_capture_mode before = capture_mode;
        capture_mode = *mode;
        *mode = before;
    }
    return call_leave(ENTRY_thread_exchange_stream_capture_mode, error);
}

int
emulated_runtime_get_version(int *version)
{
    int error = call_enter(ENTRY_runtime_get_version);
    if (error == CUDA_SUCCESS)
        *version = 13000;
    return call_leave(ENTRY_runtime_get_version, error);
}

int
emulated_get_last_error(void)
{
    return take_failure(&last_error);
}

int
emulated_peek_at_last_error(void)
{
    return last_error;
}

/* --- what tests ask for ------------------------------------------------------------------------------------------- */

static int
entry_of(const char *symbol)
{
    for (int entry = 0; entry < N_ENTRIES; entry++)
        if (strcmp(symbols[entry], symbol) == 0)
            return entry;
    return -1;
}

static void
fail_next(int entry, long number, int error)
{
    pthread_mutex_lock(&emulator.lock);
    fail_in = number;
    fail_entry = entry;
    fail_error = error;
    pthread_mutex_unlock(&emulator.lock);
}

void
emulator_fail_call(long number, int error)
{
    fail_next(N_ENTRIES, number, error);
}

int
emulator_fail_symbol(const char *symbol, long number, int error)
{
    int entry = entry_of(symbol);
    if (entry >= 0)
        fail_next(entry, number, error);
    return entry >= 0 ? 0 : -1;
}

void
emulator_fail_operation(long number, int error)
{
    pthread_mutex_lock(&emulator.lock);
    emulator.fail_operation = number;
    emulator.fail_operation_error = error;
    pthread_mutex_unlock(&emulator.lock);
}

void
emulator_break(int error)
{
    pthread_mutex_lock(&emulator.lock);
    broken = error;
    pthread_mutex_unlock(&emulator.lock);
}

void
emulator_counters(struct emulator_counters *counters)
{
    pthread_mutex_lock(&emulator.lock);
    *counters = emulator.counters;
    pthread_mutex_unlock(&emulator.lock);
}

long
emulator_calls(const char *symbol)
{
    int entry = entry_of(symbol);
    pthread_mutex_lock(&emulator.lock);
    long calls = entry >= 0 ? emulator.calls[entry] : -1;
    pthread_mutex_unlock(&emulator.lock);
    return calls;
}

void
emulator_reset_counters(void)
{
    pthread_mutex_lock(&emulator.lock);
    memset(&emulator.counters, 0, sizeof(emulator.counters));
    memset(emulator.calls, 0, sizeof(emulator.calls));
    pthread_mutex_unlock(&emulator.lock);
}

void
emulator_set_bare(bool bare)
{
    atomic_store(&emulator.bare, bare);
}

void
emulator_settle(void)
{
    pthread_mutex_lock(&emulator.lock);
    queue_carry_out_all();
    pthread_mutex_unlock(&emulator.lock);
}
