#include "session_internal.h"

/* Buffers up to this size share one block of their device: one visit to the arena for all small arrays of a call. Larger
 * ones have their own, which a call with other arrays can reuse. */
enum { SHARED_SIZE = 64 * 1024, ALIGNMENT = 256 };

static size_t
aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct staging_block *
take_block(struct session *session, int device, size_t size, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    if (session_set_device(session, device, error) != 0)
        return NULL;
    struct staging_block *block = arena_take(memory->runtime, device, size, error);
    if (block != NULL) {
        block->next = memory->blocks;
        memory->blocks = block;
    }
    return block;
}

/* All small buffers of the device of buffer `first`, which is the first of them. */
static int
take_shared(struct session *session, int first, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int device = memory->buffers[first].device;
    size_t size = 0;
    for (int i = first; i < memory->n_buffers; i++)
        if (memory->buffers[i].device == device && memory->buffers[i].size <= SHARED_SIZE) {
            memory->buffers[i].offset = size;
            size += aligned(memory->buffers[i].size);
        }
    struct staging_block *block = take_block(session, device, size, error);
    if (block == NULL)
        return -1;
    for (int i = first; i < memory->n_buffers; i++)
        if (memory->buffers[i].device == device && memory->buffers[i].size <= SHARED_SIZE)
            memory->buffers[i].block = block;
    return 0;
}

int
session_take_buffers(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int reaped = -1;
    for (int i = 0; i < memory->n_buffers; i++) {
        struct buffer *buffer = &memory->buffers[i];
        if (buffer->device != reaped) {
            if (session_set_device(session, buffer->device, error) != 0)
                return -1;
            flights_reap(memory->runtime, buffer->device, false);
            reaped = buffer->device;
        }
        if (buffer->block != NULL)
            continue;
        if (buffer->size <= SHARED_SIZE) {
            if (take_shared(session, i, error) != 0)
                return -1;
        } else {
            buffer->offset = 0;
            buffer->block = take_block(session, buffer->device, buffer->size, error);
            if (buffer->block == NULL)
                return -1;
        }
    }
    return flight_failure(memory->runtime, error) ? -1 : 0;
}
