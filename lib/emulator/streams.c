#include "entries.h"

#include <stdlib.h>

static struct cuda_stream *streams;

static struct cuda_stream *legacy[MAX_DEVICES];
static pthread_key_t per_thread_key; /* an array of the thread's own streams, by device */
static pthread_once_t per_thread_once = PTHREAD_ONCE_INIT;

struct cuda_stream *
stream_list(void)
{
    return streams;
}

static void
stream_free(struct cuda_stream *stream)
{
    events_forget_stream(stream);
    struct cuda_stream **at = &streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    free(stream);
}

static struct cuda_stream *
stream_new(int device)
{
    struct cuda_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return NULL;
    stream->device = device;
    stream->next = streams;
    streams = stream;
    return stream;
}

static void
stream_close(struct cuda_stream *stream)
{
    stream->destroyed = true;
    if (stream->n_queued == 0)
        stream_free(stream);
}

void
stream_operation_done(struct cuda_stream *stream, struct operation *operation)
{
    if (stream->last == operation)
        stream->last = NULL;
    if (--stream->n_queued == 0 && stream->destroyed)
        stream_free(stream);
}

static void
close_per_thread(void *data)
{
    struct cuda_stream **own = data;
    if (atomic_load(&emulator.gone))
        return;
    pthread_mutex_lock(&emulator.lock);
    for (int device = 0; device < MAX_DEVICES; device++)
        if (own[device] != NULL)
            stream_close(own[device]);
    pthread_mutex_unlock(&emulator.lock);
    free(own);
}

static void
make_per_thread_key(void)
{
    pthread_key_create(&per_thread_key, close_per_thread);
}

static struct cuda_stream *
per_thread_stream(int device)
{
    pthread_once(&per_thread_once, make_per_thread_key);
    struct cuda_stream **own = pthread_getspecific(per_thread_key);
    if (own == NULL) {
        own = calloc(MAX_DEVICES, sizeof(struct cuda_stream *));
        if (own == NULL)
            return NULL;
        pthread_setspecific(per_thread_key, own);
    }
    if (own[device] == NULL)
        own[device] = stream_new(device);
    return own[device];
}

struct cuda_stream *
stream_find(cuda_stream handle)
{
    int device = call_device();
    if (handle == NULL || handle == CUDA_STREAM_LEGACY) {
        if (legacy[device] == NULL && (legacy[device] = stream_new(device)) != NULL)
            legacy[device]->legacy = true;
        return legacy[device];
    }
    if (handle == CUDA_STREAM_PER_THREAD)
        return per_thread_stream(device);
    struct cuda_stream *stream = streams;
    while (stream != NULL && (stream != handle || stream->destroyed))
        stream = stream->next;
    return stream;
}

int
take_failure(int *failure)
{
    int error = *failure;
    *failure = 0;
    return error;
}

/* --- the entry points --------------------------------------------------------------------------------------------- */

int
emulated_stream_create_with_flags(cuda_stream *handle, unsigned flags)
{
    int error = call_enter(ENTRY_stream_create_with_flags);
    if (error == CUDA_SUCCESS) {
        struct cuda_stream *stream = flags > CUDA_STREAM_NON_BLOCKING ? NULL : stream_new(call_device());
        if (stream == NULL)
            error = flags > CUDA_STREAM_NON_BLOCKING ? CUDA_INVALID_VALUE : CUDA_MEMORY_ALLOCATION;
        else
            stream->non_blocking = flags == CUDA_STREAM_NON_BLOCKING;
        *handle = stream;
    }
    return call_leave(ENTRY_stream_create_with_flags, error);
}

int
emulated_stream_destroy(cuda_stream handle)
{
    int error = call_enter(ENTRY_stream_destroy);
    if (error == CUDA_SUCCESS) {
        struct cuda_stream *stream = stream_find(handle);
        if (stream == NULL || handle == NULL || handle == CUDA_STREAM_LEGACY || handle == CUDA_STREAM_PER_THREAD)
            error = CUDA_INVALID_RESOURCE_HANDLE;
        else
            stream_close(stream);
    }
    return call_leave(ENTRY_stream_destroy, error);
}

/* Waits of a stream under capture, and of the legacy stream while a blocking one is, are refused. */
static int
capture_error(const struct cuda_stream *stream)
{
    if (stream->capturing)
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    for (struct cuda_stream *other = streams; stream->legacy && other != NULL; other = other->next)
        if (other->capturing && !other->non_blocking && other->device == stream->device)
            return CUDA_STREAM_CAPTURE_IMPLICIT;
    return CUDA_SUCCESS;
}

bool
spoil_captures(void)
{
    bool any = false;
    for (struct cuda_stream *stream = streams; stream != NULL; stream = stream->next)
        if (stream->global)
            any = stream->spoiled = true;
    return any;
}

int
stream_usable(cuda_stream handle, struct cuda_stream **stream)
{
    *stream = stream_find(handle);
    return *stream == NULL ? CUDA_INVALID_RESOURCE_HANDLE : capture_error(*stream);
}

int
emulated_stream_synchronize(cuda_stream handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_stream_synchronize);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS && (error = stream_usable(handle, &stream)) == CUDA_SUCCESS) {
        emulator.counters.waits++;
        log_detail("stream %p", (void *)handle);
        if (stream->last != NULL)
            queue_carry_out(stream->last, 0);
        error = take_failure(&stream->failure);
    }
    return call_leave(ENTRY_stream_synchronize, error);
}

int
emulated_stream_query(cuda_stream handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_stream_query);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS && (error = stream_usable(handle, &stream)) == CUDA_SUCCESS
        && (error = operation_query(stream->last, &stream->queries)) == CUDA_SUCCESS)
        error = take_failure(&stream->failure);
    return call_leave(ENTRY_stream_query, error);
}

int
emulated_stream_is_capturing(cuda_stream handle, cuda_capture_status *status)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed)) {
        *status = CUDA_CAPTURE_NONE;
        return CUDA_SUCCESS;
    }
    int error = call_enter(ENTRY_stream_is_capturing);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS) {
        error = stream_usable(handle, &stream);
        *status = CUDA_CAPTURE_NONE;
        if (error == CUDA_STREAM_CAPTURE_UNSUPPORTED) {
            *status = stream->spoiled ? CUDA_CAPTURE_INVALIDATED : CUDA_CAPTURE_ACTIVE;
            error = CUDA_SUCCESS;
        }
    }
    return call_leave(ENTRY_stream_is_capturing, error);
}

int
emulator_capture(cuda_stream handle, bool begin, bool global)
{
    pthread_mutex_lock(&emulator.lock);
    struct cuda_stream *stream = stream_find(handle);
    if (stream != NULL) {
        stream->capturing = begin;
        stream->global = begin && global;
        stream->spoiled = false;
    }
    pthread_mutex_unlock(&emulator.lock);
    return stream != NULL ? CUDA_SUCCESS : CUDA_INVALID_RESOURCE_HANDLE;
}

int
emulated_device_synchronize(void)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_device_synchronize);
    if (error == CUDA_SUCCESS) {
        emulator.counters.waits++;
        int device = call_device();
        for (struct cuda_stream *stream = streams; stream != NULL;) {
            bool waits = stream->device == device && stream->last != NULL;
            if (waits)
                queue_carry_out(stream->last, 0);
            stream = waits ? streams : stream->next; /* the list may have changed meanwhile */
        }
        for (struct cuda_stream *stream = streams; stream != NULL; stream = stream->next)
            if (stream->device == device && stream->failure != 0)
                error = take_failure(&stream->failure);
    }
    return call_leave(ENTRY_device_synchronize, error);
}

int
emulated_launch_host_func(cuda_stream handle, cuda_host_function function, void *data)
{
    int error = call_enter(ENTRY_launch_host_func);
    if (error == CUDA_SUCCESS)
        error = stream_launch(handle, function, data, NULL, 0);
    return call_leave(ENTRY_launch_host_func, error);
}
