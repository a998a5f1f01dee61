#include "entries.h"

#include <stdlib.h>

static struct cuda_event *events;

void
events_forget_stream(const struct cuda_stream *stream)
{
    for (struct cuda_event *event = events; event != NULL; event = event->next)
        if (event->stream == stream) {
            event->failure = stream->failure;
            event->stream = NULL;
        }
}

static struct cuda_event *
event_find(cuda_event handle)
{
    struct cuda_event *event = events;
    while (event != NULL && event != handle)
        event = event->next;
    return event;
}

int
emulated_event_create_with_flags(cuda_event *handle, unsigned flags)
{
    int error = call_enter(ENTRY_event_create_with_flags);
    if (error == CUDA_SUCCESS) {
        struct cuda_event *event = flags > 7 ? NULL : calloc(1, sizeof(*event));
        *handle = event;
        if (event != NULL) {
            event->device = call_device();
            event->next = events;
            events = event;
        } else {
            error = flags > 7 ? CUDA_INVALID_VALUE : CUDA_MEMORY_ALLOCATION;
        }
    }
    return call_leave(ENTRY_event_create_with_flags, error);
}

int
emulated_event_destroy(cuda_event handle)
{
    int error = call_enter(ENTRY_event_destroy);
    if (error == CUDA_SUCCESS) {
        struct cuda_event **at = &events;
        while (*at != NULL && *at != handle)
            at = &(*at)->next;
        if (*at == NULL) {
            error = CUDA_INVALID_RESOURCE_HANDLE;
        } else {
            *at = handle->next;
            operation_drop(handle->target);
            free(handle);
        }
    }
    return call_leave(ENTRY_event_destroy, error);
}

int
emulated_event_record(cuda_event handle, cuda_stream stream_handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_event_record);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS && (error = stream_usable(stream_handle, &stream)) == CUDA_SUCCESS) {
        struct cuda_event *event = event_find(handle);
        struct operation *mark = NULL;
        if (event == NULL || event->device != stream->device)
            error = CUDA_INVALID_RESOURCE_HANDLE;
        else if ((mark = operation_new(OPERATION_MARK, stream)) == NULL || (mark = queue_add(mark, NULL)) == NULL)
            error = CUDA_MEMORY_ALLOCATION;
        if (error == CUDA_SUCCESS) {
            operation_drop(event->target);
            event->target = mark;
            mark->references++;
            event->stream = stream;
            event->queries = event->failure = 0;
        }
    }
    return call_leave(ENTRY_event_record, error);
}

static int
event_failure(struct cuda_event *event)
{
    return take_failure(event->stream != NULL ? &event->stream->failure : &event->failure);
}

int
emulated_event_query(cuda_event handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_event_query);
    if (error == CUDA_SUCCESS) {
        struct cuda_event *event = event_find(handle);
        if (event == NULL)
            error = CUDA_INVALID_RESOURCE_HANDLE;
        else if ((error = operation_query(event->target, &event->queries)) == CUDA_SUCCESS)
            error = event_failure(event);
    }
    return call_leave(ENTRY_event_query, error);
}

int
emulated_event_synchronize(cuda_event handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_event_synchronize);
    if (error == CUDA_SUCCESS) {
        struct cuda_event *event = event_find(handle);
        emulator.counters.waits++;
        if (event == NULL) {
            error = CUDA_INVALID_RESOURCE_HANDLE;
        } else {
            if (event->target != NULL && !event->target->done)
                queue_carry_out(event->target, 0);
            error = event_failure(event);
        }
    }
    return call_leave(ENTRY_event_synchronize, error);
}

int
emulated_stream_wait_event(cuda_stream stream_handle, cuda_event handle, unsigned flags)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_stream_wait_event);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS && (error = stream_usable(stream_handle, &stream)) == CUDA_SUCCESS) {
        struct cuda_event *event = event_find(handle);
        struct operation *mark;
        if (event == NULL || flags != 0)
            error = event == NULL ? CUDA_INVALID_RESOURCE_HANDLE : CUDA_INVALID_VALUE;
        else if (event->target != NULL && !event->target->done
                 && ((mark = operation_new(OPERATION_MARK, stream)) == NULL || queue_add(mark, event->target) == NULL))
            error = CUDA_MEMORY_ALLOCATION;
    }
    return call_leave(ENTRY_stream_wait_event, error);
}
