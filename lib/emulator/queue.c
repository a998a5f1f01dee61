#include "state.h"

#include <stdlib.h>
#include <string.h>

/* A queue of all streams in the order of their calls: what an operation needs always stands before it, so one walk
 * backwards marks everything that must be carried out for it, and one walk forwards does so. */
static struct operation *first, *last;
static int n_queued;
static long passes;

/* One thread at a time carries out; others that need something done wait for it. A driver's own queue holds about as
 * many operations before a call has to wait. */
enum { QUEUE_LIMIT = 1024 };
static bool busy;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static _Thread_local bool runs_here;

bool
queue_runs_here(void)
{
    return runs_here;
}

struct operation *
operation_new(enum operation_kind kind, struct cuda_stream *stream)
{
    struct operation *operation = calloc(1, sizeof(*operation));
    if (operation == NULL)
        return NULL;
    operation->kind = kind;
    operation->stream = stream;
    operation->references = 1;
    return operation;
}

void
operation_drop(struct operation *operation)
{
    if (operation == NULL || --operation->references > 0)
        return;
    for (int i = 0; i < operation->n_needs; i++)
        operation_drop(operation->needs[i]);
    free(operation->needs);
    free(operation->staged);
    free(operation->ranges);
    free(operation);
}

/* --- what an operation touches ------------------------------------------------------------------------------------ */

static struct region
range_region(const struct emulator_range *range)
{
    return (struct region){(char *)range->pointer, range->size, 1, 1, range->size, range->size};
}

/* Does it read (or write) a byte of this region? */
static bool
operation_touches(const struct operation *operation, const struct region *region, bool writes)
{
    switch (operation->kind) {
    case OPERATION_MARK:
        return false;
    case OPERATION_COPY:
        return writes ? regions_overlap(&operation->to, region)
                      : operation->staged == NULL && regions_overlap(&operation->from, region);
    case OPERATION_SET:
        return writes && regions_overlap(&operation->to, region);
    case OPERATION_FUNCTION:
        for (int i = 0; i < operation->n_ranges; i++) {
            struct region touched = range_region(&operation->ranges[i]);
            if ((operation->ranges[i].writes || !writes) && regions_overlap(&touched, region))
                return true;
        }
    }
    return false;
}

/* Does b, at the same time as something that reads (or writes) this region, make a race? */
static bool
is_contested(const struct operation *b, const struct region *region, bool written)
{
    return operation_touches(b, region, true) || (written && operation_touches(b, region, false));
}

/* May the two not run at the same time? Where the memory is that both use, or NULL. */
static const void *
find_race(const struct operation *a, const struct operation *b)
{
    if (a->kind == OPERATION_FUNCTION) {
        for (int i = 0; i < a->n_ranges; i++) {
            struct region touched = range_region(&a->ranges[i]);
            if (is_contested(b, &touched, a->ranges[i].writes))
                return touched.base;
        }
        return NULL;
    }
    if (is_contested(b, &a->to, true))
        return a->to.base;
    bool reads = a->kind == OPERATION_COPY && a->staged == NULL;
    return reads && is_contested(b, &a->from, false) ? a->from.base : NULL;
}

struct operation *
queue_find_user(const void *pointer, size_t size)
{
    struct region region = {(char *)pointer, size, 1, 1, size, size};
    for (struct operation *operation = first; operation != NULL; operation = operation->later)
        if (operation_touches(operation, &region, true) || operation_touches(operation, &region, false))
            return operation;
    return NULL;
}

/* --- carrying out ------------------------------------------------------------------------------------------------- */

/* Marks all that the already marked ones of this pass need. */
static void
mark_needs(long pass)
{
    for (struct operation *operation = last; operation != NULL; operation = operation->earlier)
        if (operation->pass == pass)
            for (int i = 0; i < operation->n_needs; i++)
                operation->needs[i]->pass = pass;
}

static void
copy_now(struct operation *operation)
{
    if (operation->watched && region_hash(&operation->from) != operation->hash)
        report_violation("%zu bytes at %p were changed by the host while a copy from them was queued",
                         region_bytes(&operation->from), (void *)operation->from.base);
    struct allocation *target = memory_find(operation->to.base);
    if (operation->poisoned && target != NULL && target->type == CUDA_MEMORY_HOST
        && !region_holds(&operation->to, EMULATOR_POISON))
        report_violation("%zu bytes at %p were changed by the host while a copy to them was queued",
                         region_bytes(&operation->to), (void *)operation->to.base);
    if (operation->staged != NULL)
        region_unpack(&operation->to, operation->staged);
    else
        region_copy(&operation->to, &operation->from);
}

static void
execute(struct operation *operation)
{
    if (operation->failure != 0) {
        operation->stream->failure = operation->failure;
        log_line("  a queued operation fails: %d", operation->failure);
        return;
    }
    switch (operation->kind) {
    case OPERATION_MARK:
        break;
    case OPERATION_COPY:
        copy_now(operation);
        log_line("  carried out: copy of %zu bytes %p -> %p", region_bytes(&operation->to),
                 (void *)operation->from.base, (void *)operation->to.base);
        break;
    case OPERATION_SET:
        region_fill(&operation->to, operation->value);
        log_line("  carried out: memset of %zu bytes at %p", region_bytes(&operation->to), (void *)operation->to.base);
        break;
    case OPERATION_FUNCTION:
        pthread_mutex_unlock(&emulator.lock);
        runs_here = true;
        operation->function(operation->data);
        runs_here = false;
        pthread_mutex_lock(&emulator.lock);
        log_line("  carried out: function");
        break;
    }
}

static void
finish(struct operation *operation)
{
    operation->done = true;
    *(operation->earlier != NULL ? &operation->earlier->later : &first) = operation->later;
    *(operation->later != NULL ? &operation->later->earlier : &last) = operation->earlier;
    n_queued--;
    for (int i = 0; i < operation->n_needs; i++)
        operation_drop(operation->needs[i]);
    operation->n_needs = 0;
    stream_operation_done(operation->stream, operation);
    operation->stream = NULL;
    operation_drop(operation);
}

/* The first marked operation of a pass, or NULL. */
static struct operation *
first_marked(long pass)
{
    struct operation *operation = first;
    while (operation != NULL && operation->pass != pass)
        operation = operation->later;
    return operation;
}

void
queue_carry_out(struct operation *target, int steps)
{
    target->references++;
    while (busy)
        pthread_cond_wait(&idle, &emulator.lock);
    if (!target->done) {
        busy = true;
        long pass = ++passes;
        target->pass = pass;
        mark_needs(pass);
        struct operation *operation;
        for (int n = 0; (steps == 0 || n < steps) && (operation = first_marked(pass)) != NULL; n++) {
            execute(operation);
            finish(operation);
        }
        busy = false;
        pthread_cond_broadcast(&idle);
    }
    operation_drop(target); /* NOLINT(clang-analyzer-unix.Malloc): the reference taken above is still there */
}

/* The first question finds it unfinished, each further one carries out one operation: late, but nobody polls for
 * ever. */
int
operation_query(struct operation *target, int *queries)
{
    if (target == NULL || target->done)
        return CUDA_SUCCESS;
    if ((*queries)++ > 0)
        queue_carry_out(target, 1);
    return CUDA_NOT_READY;
}

void
queue_carry_out_all(void)
{
    while (last != NULL)
        queue_carry_out(first, 0);
}

/* --- queueing ----------------------------------------------------------------------------------------------------- */

static bool
add_need(struct operation *operation, struct operation *need)
{
    if (need == NULL || need->done)
        return true;
    struct operation **needs = realloc(operation->needs, sizeof(*needs) * (operation->n_needs + 1));
    if (needs == NULL)
        return false;
    operation->needs = needs;
    operation->needs[operation->n_needs++] = need;
    need->references++;
    return true;
}

static void
clear_needs(struct operation *operation)
{
    for (int i = 0; i < operation->n_needs; i++)
        operation_drop(operation->needs[i]);
    operation->n_needs = 0;
}

/* Stream order; the legacy default stream before and after all blocking streams of its device; an event. */
static bool
collect_needs(struct operation *operation, struct operation *event)
{
    struct cuda_stream *stream = operation->stream;
    clear_needs(operation);
    bool whole = add_need(operation, stream->last) && add_need(operation, event);
    if (!stream->non_blocking)
        for (struct cuda_stream *other = stream_list(); other != NULL; other = other->next)
            if (other != stream && other->device == stream->device && !other->non_blocking
                && (stream->legacy || other->legacy))
                whole = whole && add_need(operation, other->last);
    return whole;
}

static bool
is_host_memory(const void *pointer)
{
    struct allocation *allocation = memory_find(pointer);
    return allocation == NULL || allocation->type != CUDA_MEMORY_DEVICE;
}

static void
report_race(const void *pointer)
{
    struct allocation *allocation = memory_find(pointer);
    char text[160] = "pageable memory";
    if (allocation != NULL)
        memory_text(allocation, text, sizeof(text));
    report_violation("two queued operations use %s, one of them writes, and they are not ordered", text);
}

/* What must be carried out before the new operation's destination is poisoned: the last of those that use it and are
 * ordered before it, or NULL. Those that conflict and are not ordered are races. */
static struct operation *
find_conflict(struct operation *operation, bool report)
{
    if (operation->kind == OPERATION_MARK)
        return NULL;
    struct operation *found = NULL;
    long pass = ++passes;
    for (int i = 0; i < operation->n_needs; i++)
        operation->needs[i]->pass = pass;
    mark_needs(pass);
    bool poisons = operation->kind != OPERATION_FUNCTION;
    bool to_host = poisons && is_host_memory(operation->to.base);
    for (struct operation *other = first; other != NULL; other = other->later) {
        bool ordered = other->pass == pass;
        const void *contested = !ordered && report ? find_race(operation, other) : NULL;
        if (contested != NULL)
            report_race(contested);
        /* A host function may use whatever host memory it likes, as far as it is ordered. */
        bool unknown = to_host && other->kind == OPERATION_FUNCTION && other->n_ranges == 0;
        if (ordered && poisons
            && (unknown || operation_touches(other, &operation->to, true) || operation_touches(other, &operation->to, false)))
            found = other;
    }
    return found;
}

/* A copy's source in pinned memory must not change until it is carried out, unless the device itself changes it. */
static void
watch_source(struct operation *operation)
{
    struct allocation *source = memory_find(operation->from.base);
    if (operation->staged != NULL || source == NULL || source->type != CUDA_MEMORY_HOST)
        return;
    for (struct operation *other = first; other != NULL; other = other->later)
        if ((other->kind == OPERATION_FUNCTION && other->n_ranges == 0)
            || operation_touches(other, &operation->from, true))
            return;
    operation->watched = true;
    operation->hash = region_hash(&operation->from);
}

struct operation *
queue_add(struct operation *operation, struct operation *event)
{
    if (n_queued >= QUEUE_LIMIT)
        queue_carry_out(first, 0);
    struct operation *conflict;
    for (bool report = true;; report = false) {
        if (!collect_needs(operation, event)) {
            operation_drop(operation);
            return NULL;
        }
        conflict = find_conflict(operation, report);
        if (conflict == NULL)
            break;
        /* Functions may run without the lock meanwhile: afterwards, what is queued is another queue. */
        queue_carry_out(conflict, 0);
    }
    if (operation->kind == OPERATION_COPY)
        watch_source(operation);
    if (operation->kind == OPERATION_COPY || operation->kind == OPERATION_SET) {
        operation->poisoned = operation->staged != NULL || operation->kind == OPERATION_SET
                              || !regions_overlap(&operation->to, &operation->from);
        if (operation->poisoned)
            region_fill(&operation->to, EMULATOR_POISON);
        if (emulator.fail_operation > 0 && --emulator.fail_operation == 0)
            operation->failure = emulator.fail_operation_error;
    }
    operation->earlier = last;
    operation->later = NULL;
    *(last != NULL ? &last->later : &first) = operation;
    last = operation;
    operation->stream->last = operation;
    operation->stream->n_queued++;
    operation->stream->queries = 0;
    n_queued++;
    return operation;
}
