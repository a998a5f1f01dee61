/* gil.c - the kernel itself, with or without the GIL, and calls of a module that exclude each other.
 *
 * Calls that keep the GIL exclude each other by it. One that releases it counts itself in its module's in_flight, under the
 * GIL, before it lets go; every other call of the module that sees the count waits, without the GIL, until it is 0. The count
 * changes only under the GIL and `lock`, so that those who wait without the GIL may read it under `lock` alone.
 */
#include <pthread.h>

#include "call_internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t landed = PTHREAD_COND_INITIALIZER;

static void
wait_for_flights(const pkw_module_state *state)
{
    while (state->in_flight > 0) {
        Py_BEGIN_ALLOW_THREADS
        pthread_mutex_lock(&lock);
        while (state->in_flight > 0)
            pthread_cond_wait(&landed, &lock);
        pthread_mutex_unlock(&lock);
        Py_END_ALLOW_THREADS
        /* Another thread may have taken off before this one got the GIL back. */
    }
}

static void
count_flight(pkw_module_state *state, int64_t change)
{
    pthread_mutex_lock(&lock);
    state->in_flight += change;
    if (state->in_flight <= 0)
        pthread_cond_broadcast(&landed);
    pthread_mutex_unlock(&lock);
}

void
forget_calls_in_flight(pkw_module_state *state)
{
    /* The lock may have been another thread's, which is gone. */
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&landed, NULL);
    state->in_flight = 0;
}

static bool
should_release(const struct call *call)
{
    switch ((pkw_gil)call->kernel->gil) {
    case PKW_GIL_HOLD: return false;
    case PKW_GIL_RELEASE: return true;
    case PKW_GIL_AUTO: break;
    }
    return call->n_bytes >= PKW_GIL_BYTES;
}

int
run_function(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    bool exclusive = !kernel->thread_safe;
    if (exclusive && kernel->module_state->in_flight > 0)
        wait_for_flights(kernel->module_state);
    pkw_fast_count(kernel->state);
    if (!should_release(call)) {
        kernel->run(&call->result, call->slots);
        return 0;
    }
    if (exclusive)
        count_flight(kernel->module_state, 1);
    Py_BEGIN_ALLOW_THREADS
    kernel->run(&call->result, call->slots);
    Py_END_ALLOW_THREADS
    if (exclusive)
        count_flight(kernel->module_state, -1);
    return 0;
}
