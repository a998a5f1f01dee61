#include "arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flight.h"

/* Blocks that nobody uses, by device, the one used last first: it is the likeliest to fit and to be in a cache. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct staging_block *idle[MAX_DEVICES_HERE];
static size_t idle_bytes, held_bytes; /* page-locked: idle, and all; held_bytes never exceeds the limit */
static size_t pageable_bytes;
static unsigned long n_taken; /* blocks that were asked for */

/* More flights than this on a device, and a call waits for the oldest instead of growing the arena further. */
enum { FLIGHTS_WANTED = 16 };
/* At the limit, a block is given up for another when it has been idle while so many were asked for. Sooner, calls that take
 * turns and do not fit together would page-lock memory each time, which costs more than any copy through pageable memory. */
enum { PATIENCE = 128 };

/* --- the limit ---------------------------------------------------------------------------------------------------- */

static size_t pinned_limit;
static bool limit_is_bad;
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;

static void
read_limit(void)
{
    pinned_limit = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4;
    const char *text = getenv("PKWRAP_PINNED_LIMIT");
    if (text == NULL || *text == '\0')
        return;
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    static const char units[] = "KMG";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;
    limit_is_bad = *text < '0' || *text > '9' || (unit != NULL ? end[1] : end[0]) != '\0' || number > SIZE_MAX >> shift;
    pinned_limit = (size_t)number << shift;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* Small blocks in classes a quarter apart, so that calls with slightly different arrays share them; large ones as asked
 * for, to the page of a large allocation. */
static size_t
block_size(size_t size)
{
    enum { SMALLEST = 4096, LARGE = 1 << 20, GRAIN = 64 * 1024 };
    if (size <= SMALLEST)
        return SMALLEST;
    size_t step = GRAIN;
    if (size < LARGE)
        step = ((size_t)1 << (63 - __builtin_clzll(size - 1))) / 4;
    return (size + step - 1) / step * step;
}

/* A block may be larger than needed, but not so much that one small array keeps a large block busy. */
static bool
fits(const struct staging_block *block, size_t size)
{
    return block->size >= size && block->size / 2 <= size;
}

/* --- idle blocks: under the lock ---------------------------------------------------------------------------------- */

static struct staging_block **
idle_of(int device)
{
    return &idle[device];
}

/* What became free goes among the idle ones, or, pageable, back to the system. */
static void
collect_free(void)
{
    for (struct staging_block *block = block_take_free(), *next; block != NULL; block = next) {
        next = block->next;
        if (block->pinned) {
            block->idle_since = n_taken;
            block->next = *idle_of(block->device);
            *idle_of(block->device) = block;
            idle_bytes += block->size;
        } else {
            pageable_bytes -= block->size;
            free(block->memory);
            free(block);
        }
    }
}

static struct staging_block *
unlink_block(struct staging_block **at)
{
    struct staging_block *block = *at;
    *at = block->next;
    idle_bytes -= block->size;
    return block;
}

/* The smallest that fits; at once one of the very size. */
static struct staging_block *
take_idle(int device, size_t size)
{
    struct staging_block **best = NULL;
    for (struct staging_block **at = idle_of(device); *at != NULL; at = &(*at)->next) {
        if (!fits(*at, size))
            continue;
        if (best == NULL || (*at)->size < (*best)->size)
            best = at;
        if ((*best)->size == size)
            break;
    }
    return best != NULL ? unlink_block(best) : NULL;
}

/* The one that nobody has used for longest, of any device, or NULL. */
static struct staging_block **
oldest_idle(void)
{
    struct staging_block **oldest = NULL;
    for (int device = 0; device < MAX_DEVICES_HERE; device++)
        for (struct staging_block **at = idle_of(device); *at != NULL; at = &(*at)->next)
            if (oldest == NULL || (*at)->idle_since < (*oldest)->idle_since)
                oldest = at;
    return oldest;
}

/* An idle block leaves the arena; freeing it is left for when the lock is not held. */
static void
give_up(struct staging_block **at, struct staging_block **doomed)
{
    struct staging_block *block = unlink_block(at);
    held_bytes -= block->size;
    block->next = *doomed;
    *doomed = block;
}

/* Makes room for `size` more page-locked bytes by giving up idle blocks; they go into *doomed. */
static bool
make_room(size_t size, struct staging_block **doomed)
{
    if (size > pinned_limit || held_bytes - idle_bytes > pinned_limit - size)
        return false;
    while (held_bytes + size > pinned_limit) {
        struct staging_block **oldest = oldest_idle();
        if (n_taken - (*oldest)->idle_since < PATIENCE)
            return false;
        give_up(oldest, doomed);
    }
    held_bytes += size;
    return true;
}

/* --- making and freeing: without the lock ------------------------------------------------------------------------- */

/* Page-locked ones. Returns their bytes. */
static size_t
free_blocks(const struct cuda_runtime *runtime, struct staging_block *blocks)
{
    size_t bytes = 0;
    for (struct staging_block *next; blocks != NULL; blocks = next) {
        next = blocks->next;
        bytes += blocks->size;
        if (runtime->free_host(blocks->memory) != CUDA_SUCCESS)
            runtime->get_last_error(); /* a device that is gone has given it back already */
        free(blocks);
    }
    return bytes;
}

static struct staging_block *
new_block(int device, size_t size, char *memory, bool pinned)
{
    struct staging_block *block = malloc(sizeof(*block));
    if (block != NULL) {
        block->next = NULL;
        block->memory = memory;
        block->size = size;
        block->device = device;
        block->pinned = pinned;
        atomic_init(&block->holders, 1);
    }
    return block;
}

/* `size` bytes of the limit are reserved already. */
static struct staging_block *
make_pinned(const struct cuda_runtime *runtime, int device, size_t size)
{
    void *memory;
    if (runtime->host_alloc(&memory, size, CUDA_HOST_ALLOC_PORTABLE) != CUDA_SUCCESS) {
        runtime->get_last_error();
        return NULL;
    }
    struct staging_block *block = new_block(device, size, memory, true);
    if (block == NULL)
        runtime->free_host(memory);
    return block;
}

static struct staging_block *
make_pageable(int device, size_t size)
{
    enum { ALIGNMENT = 4096 };
    size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *memory = whole >= size ? aligned_alloc(ALIGNMENT, whole) : NULL;
    struct staging_block *block = memory != NULL ? new_block(device, whole, memory, false) : NULL;
    if (block == NULL)
        free(memory);
    return block;
}

/* --- taking ------------------------------------------------------------------------------------------------------- */

struct staging_block *
arena_take(const struct cuda_runtime *runtime, int device, size_t size, struct session_error *error)
{
    pthread_once(&limit_once, read_limit);
    if (limit_is_bad) {
        error_set(error, SESSION_NO_MEMORY, "PKWRAP_PINNED_LIMIT is '%.40s': expected bytes, or a number with K, M or G",
                  getenv("PKWRAP_PINNED_LIMIT"));
        return NULL;
    }
    size = block_size(size);
    struct staging_block *block, *doomed = NULL;
    bool reserved = false;
    for (bool first = true;; first = false) {
        pthread_mutex_lock(&lock);
        n_taken += first;
        collect_free();
        block = take_idle(device, size);
        bool many = block == NULL && flights_under_way(device) >= FLIGHTS_WANTED;
        if (block == NULL && !many)
            reserved = make_room(size, &doomed);
        pthread_mutex_unlock(&lock);
        /* Without room, what is under way may make some, unless there can never be enough. */
        bool hopeless = size > pinned_limit && !many;
        if (block != NULL || reserved || hopeless || flights_reap(runtime, device, true) == 0)
            break;
    }
    free_blocks(runtime, doomed);
    if (block == NULL && reserved) {
        block = make_pinned(runtime, device, size);
        if (block == NULL) {
            pthread_mutex_lock(&lock);
            held_bytes -= size;
            pthread_mutex_unlock(&lock);
        }
    }
    if (block != NULL) {
        atomic_store_explicit(&block->holders, 1, memory_order_relaxed);
        return block;
    }
    block = make_pageable(device, size);
    if (block == NULL) {
        error_set(error, SESSION_NO_MEMORY, "no %zu bytes of host memory for a copy", size);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    pageable_bytes += block->size;
    pthread_mutex_unlock(&lock);
    return block;
}

/* --- session.h ---------------------------------------------------------------------------------------------------- */

/* Waits for all flights of all devices, with each device current in turn and the caller's afterwards. */
static void
land_all(const struct cuda_runtime *runtime)
{
    int current = 0;
    if (runtime->get_device(&current) != CUDA_SUCCESS) {
        runtime->get_last_error();
        return;
    }
    bool moved = false;
    for (int device = 0; device < MAX_DEVICES_HERE; device++) {
        if (flights_under_way(device) == 0)
            continue;
        moved = true;
        if (runtime->set_device(device) != CUDA_SUCCESS)
            runtime->get_last_error();
        while (flights_reap(runtime, device, true) > 0)
            ;
    }
    if (moved && runtime->set_device(current) != CUDA_SUCCESS)
        runtime->get_last_error();
}

/* As session.c does around its calls: nothing of this belongs to a capture. False: *mode and the thread's are what they were. */
static bool
exchange_capture_mode(const struct cuda_runtime *runtime, cuda_capture_mode *mode)
{
    if (runtime->thread_exchange_stream_capture_mode(mode) == CUDA_SUCCESS)
        return true;
    runtime->get_last_error();
    return false;
}

size_t
arena_trim(void)
{
    const struct cuda_runtime *runtime = cuda_runtime_in_use();
    if (runtime == NULL)
        return 0;
    cuda_capture_mode mode = CUDA_CAPTURE_MODE_RELAXED;
    bool relaxed = exchange_capture_mode(runtime, &mode);
    land_all(runtime);
    struct staging_block *doomed = NULL;
    pthread_mutex_lock(&lock);
    collect_free();
    for (int device = 0; device < MAX_DEVICES_HERE; device++)
        while (idle[device] != NULL)
            give_up(&idle[device], &doomed);
    pthread_mutex_unlock(&lock);
    size_t bytes = free_blocks(runtime, doomed);
    for (int attempt = 0; attempt < 2 && relaxed; attempt++)
        relaxed = !exchange_capture_mode(runtime, &mode);
    return bytes;
}

void
arena_usage(size_t *in_use, size_t *unused)
{
    *in_use = *unused = 0;
    if (cuda_runtime_in_use() == NULL) /* before any use; in a forked child, where the lock may be held for ever */
        return;
    pthread_mutex_lock(&lock);
    collect_free();
    *in_use = held_bytes - idle_bytes + pageable_bytes;
    *unused = idle_bytes;
    pthread_mutex_unlock(&lock);
}
