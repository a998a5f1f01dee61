#include "entries.h"

/* What is freed must not be needed by queued work: the real runtime may wait for it, or not. */
static void
settle_users(struct allocation *allocation, bool is_violation)
{
    char *address = allocation->address;
    size_t size = allocation->size;
    struct operation *user = queue_find_user(address, size);
    if (user != NULL && is_violation) {
        char text[160];
        report_violation("%s is freed while a queued operation needs it", memory_text(allocation, text, sizeof(text)));
    }
    for (; user != NULL; user = queue_find_user(address, size))
        queue_carry_out(user, 0);
}

static int
free_memory(enum entry entry, void *pointer, bool host)
{
    int error = call_enter(entry);
    log_detail("%p", pointer);
    if (error == CUDA_SUCCESS && pointer != NULL) {
        struct allocation *allocation = memory_at(pointer);
        if (allocation == NULL || (allocation->type == CUDA_MEMORY_HOST) != host) {
            error = CUDA_INVALID_VALUE;
        } else {
            settle_users(allocation, true);
            memory_free(memory_at(pointer)); /* looked up again: the table may have moved while functions ran */
        }
    }
    return call_leave(entry, error);
}

static int
allocate(enum entry entry, int type, void **pointer, size_t size, bool flags_are_known)
{
    int error = call_enter(entry);
    if (error == CUDA_SUCCESS)
        error = flags_are_known ? memory_allocate(type, call_device(), size, pointer) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *(type == CUDA_MEMORY_HOST ? &emulator.counters.host_allocations : &emulator.counters.device_allocations) += 1;
    log_detail("%zu bytes", size);
    return call_leave(entry, error);
}

int
emulated_malloc(void **pointer, size_t size)
{
    return allocate(ENTRY_malloc, CUDA_MEMORY_DEVICE, pointer, size, true);
}

int
emulated_free(void *pointer)
{
    return free_memory(ENTRY_free, pointer, false);
}

int
emulated_host_alloc(void **pointer, size_t size, unsigned flags)
{
    return allocate(ENTRY_host_alloc, CUDA_MEMORY_HOST, pointer, size, flags <= 7);
}

int
emulated_free_host(void *pointer)
{
    return free_memory(ENTRY_free_host, pointer, true);
}

int
emulated_malloc_managed(void **pointer, size_t size, unsigned flags)
{
    return allocate(ENTRY_malloc_managed, CUDA_MEMORY_MANAGED, pointer, size, flags == CUDA_MANAGED_GLOBAL || flags == 2);
}

static void
describe_pointer(struct cuda_pointer_attributes *out, const void *pointer)
{
    const struct allocation *allocation = memory_find(pointer);
    if (allocation == NULL)
        *out = (struct cuda_pointer_attributes){CUDA_MEMORY_UNREGISTERED, -2, NULL, (void *)pointer};
    else
        *out = (struct cuda_pointer_attributes){allocation->type, allocation->device, (void *)pointer,
                                                allocation->type == CUDA_MEMORY_DEVICE ? NULL : (void *)pointer};
}

int
emulated_pointer_get_attributes(cuda_pointer_buffer *buffer, const void *pointer)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed)) {
        describe_pointer(&buffer->attributes, pointer);
        return CUDA_SUCCESS;
    }
    int error = call_enter(ENTRY_pointer_get_attributes);
    if (error == CUDA_SUCCESS)
        describe_pointer(&buffer->attributes, pointer);
    return call_leave(ENTRY_pointer_get_attributes, error);
}

void
emulator_release(void *pointer)
{
    if (pointer == NULL || atomic_load(&emulator.gone))
        return;
    pthread_mutex_lock(&emulator.lock);
    struct allocation *allocation = memory_at(pointer);
    if (allocation != NULL) {
        settle_users(allocation, false);
        memory_free(memory_at(pointer));
    }
    pthread_mutex_unlock(&emulator.lock);
}
