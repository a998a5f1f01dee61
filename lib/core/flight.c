#include "flight.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct device_flights {
    struct flight *oldest, *newest;
    _Atomic(int) n;
    struct event_link *events; /* recorded by nobody */
    cuda_stream stream;
} devices[MAX_DEVICES_HERE];
static struct flight *spare_flights;
static struct event_link *spare_links; /* without an event */

/* The first failure that no call has reported yet. */
static _Atomic(int) failure;
static char failure_text[160];

static struct device_flights *
flights_of(int device)
{
    return &devices[device];
}

/* --- events and streams ------------------------------------------------------------------------------------------- */

struct event_link *
event_take(const struct cuda_runtime *runtime, int device, int *code)
{
    struct device_flights *own = flights_of(device);
    *code = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    struct event_link *link = own->events;
    if (link != NULL)
        own->events = link->next;
    else if ((link = spare_links) != NULL)
        spare_links = link->next;
    pthread_mutex_unlock(&lock);
    if (link == NULL && (link = calloc(1, sizeof(*link))) == NULL) {
        *code = CUDA_MEMORY_ALLOCATION;
        return NULL;
    }
    if (link->event == NULL)
        *code = runtime->event_create_with_flags(&link->event, CUDA_EVENT_DISABLE_TIMING);
    if (*code == CUDA_SUCCESS)
        return link;
    link->event = NULL;
    event_return(device, link);
    return NULL;
}

void
event_return(int device, struct event_link *link)
{
    struct event_link **list = link->event != NULL ? &flights_of(device)->events : &spare_links;
    pthread_mutex_lock(&lock);
    link->next = *list;
    *list = link;
    pthread_mutex_unlock(&lock);
}

int
own_stream(const struct cuda_runtime *runtime, int device, cuda_stream *stream)
{
    struct device_flights *own = flights_of(device);
    pthread_mutex_lock(&lock);
    *stream = own->stream;
    pthread_mutex_unlock(&lock);
    if (*stream != NULL)
        return CUDA_SUCCESS;
    cuda_stream made;
    int code = runtime->stream_create_with_flags(&made, CUDA_STREAM_NON_BLOCKING);
    if (code != CUDA_SUCCESS)
        return code;
    pthread_mutex_lock(&lock);
    if (own->stream == NULL) {
        own->stream = made;
        made = NULL;
    }
    *stream = own->stream;
    pthread_mutex_unlock(&lock);
    return made != NULL ? runtime->stream_destroy(made) : CUDA_SUCCESS; /* another thread was faster */
}

/* --- flights ------------------------------------------------------------------------------------------------------ */

struct flight *
flight_new(int device)
{
    pthread_mutex_lock(&lock);
    struct flight *flight = spare_flights;
    if (flight != NULL)
        spare_flights = flight->next;
    pthread_mutex_unlock(&lock);
    if (flight == NULL)
        flight = malloc(sizeof(*flight));
    if (flight != NULL) {
        flight->next = NULL;
        flight->device = device;
        flight->lost = flight->told = false;
        flight->events = NULL;
        flight->blocks = NULL;
        flight->kernel[0] = '\0';
        flight->arguments[0] = '\0';
    }
    return flight;
}

void
flight_launch(struct flight *flight)
{
    struct device_flights *own = flights_of(flight->device);
    pthread_mutex_lock(&lock);
    *(own->newest != NULL ? &own->newest->next : &own->oldest) = flight;
    own->newest = flight;
    own->n++;
    pthread_mutex_unlock(&lock);
}

void
flight_cancel(struct flight *flight)
{
    for (struct staging_block *block = flight->blocks, *next; block != NULL; block = next) {
        next = block->next;
        block_let_go(block);
    }
    for (struct event_link *link = flight->events, *next; link != NULL; link = next) {
        next = link->next;
        event_return(flight->device, link);
    }
    pthread_mutex_lock(&lock);
    flight->next = spare_flights;
    spare_flights = flight;
    pthread_mutex_unlock(&lock);
}

static void
describe(const struct flight *flight, char *text, size_t size)
{
    snprintf(text, size, "%s(): argument %s", flight->kernel, flight->arguments);
}

bool
is_of_earlier_work(int code)
{
    return code >= CUDA_ILLEGAL_ADDRESS && code <= CUDA_LAUNCH_FAILURE;
}

/* Of all that are under way: one error has hit them all. Under the lock. */
static void
mark_told(int device)
{
    for (struct flight *flight = flights_of(device)->oldest; flight != NULL; flight = flight->next)
        flight->told = true;
}

static void
keep_failure(struct flight *flight, int code)
{
    pthread_mutex_lock(&lock);
    if (failure == 0 && !flight->told) {
        describe(flight, failure_text, sizeof(failure_text));
        atomic_store(&failure, code);
    }
    flight->told = true;
    pthread_mutex_unlock(&lock);
}

/* Asks for (or waits for) each event that is left. True when all are over. What fails is kept as the flight's failure;
 * whether its copies are over is then up to the device as a whole. */
static bool
flight_is_over(const struct cuda_runtime *runtime, struct flight *flight, bool wait)
{
    while (flight->events != NULL) {
        struct event_link *link = flight->events;
        int code = wait ? runtime->event_synchronize(link->event) : runtime->event_query(link->event);
        if (code != CUDA_SUCCESS)
            runtime->get_last_error(); /* nobody else's business */
        if (code == CUDA_NOT_READY || code == CUDA_STREAM_CAPTURE_UNSUPPORTED || code == CUDA_STREAM_CAPTURE_IMPLICIT)
            return false; /* it may be over: CUDA does not say so while a stream is being captured */
        if (code != CUDA_SUCCESS) {
            keep_failure(flight, code);
            flight->lost = true;
        }
        flight->events = link->next;
        event_return(flight->device, link);
    }
    if (flight->lost) {
        if (runtime->device_synchronize() != CUDA_SUCCESS) {
            runtime->get_last_error();
            return false;
        }
        flight->lost = false;
    }
    return true;
}

void
flight_wait(const struct cuda_runtime *runtime, struct flight *flight)
{
    flight_is_over(runtime, flight, true);
}

/* Takes all out, so that no two threads look at the same one. */
static struct flight *
take_all(struct device_flights *own)
{
    pthread_mutex_lock(&lock);
    struct flight *flights = own->oldest;
    own->oldest = own->newest = NULL;
    own->n = 0;
    pthread_mutex_unlock(&lock);
    return flights;
}

/* Those that are not over, before what was launched meanwhile. */
static void
put_back(struct device_flights *own, struct flight *first, struct flight *last, int n)
{
    pthread_mutex_lock(&lock);
    last->next = own->oldest;
    own->oldest = first;
    if (own->newest == NULL)
        own->newest = last;
    own->n += n;
    pthread_mutex_unlock(&lock);
}

/* One slow stream must not hold up the blocks of the others behind it; but a call does not ask for ever, either. */
enum { MOST_UNFINISHED = 4 };

int
flights_reap(const struct cuda_runtime *runtime, int device, bool wait)
{
    struct device_flights *own = flights_of(device);
    if (atomic_load_explicit(&own->n, memory_order_relaxed) == 0)
        return 0;
    struct flight *first = NULL, *last = NULL;
    int n_over = 0, n_left = 0;
    bool failed = false;
    for (struct flight *flight = take_all(own), *next; flight != NULL; flight = next) {
        next = flight->next;
        flight->told = flight->told || failed;
        if (n_left < MOST_UNFINISHED && flight_is_over(runtime, flight, wait)) {
            flight_cancel(flight);
            n_over++;
        } else {
            *(last != NULL ? &last->next : &first) = flight;
            last = flight;
            n_left++;
        }
        failed = is_of_earlier_work(atomic_load_explicit(&failure, memory_order_relaxed));
        wait = false;
    }
    if (last != NULL)
        put_back(own, first, last, n_left);
    return n_over;
}

int
flights_under_way(int device)
{
    return atomic_load(&flights_of(device)->n);
}

static void
fill_error(const struct cuda_runtime *runtime, struct session_error *error, const char *what, int code)
{
    error_set(error, SESSION_EARLIER,
              "%s (%s): work that was queued before this call has failed, perhaps the write-back of %s, whose array may then be "
              "incomplete",
              runtime->get_error_name(code), runtime->get_error_string(code), what);
    error->cuda = code;
    error->cuda_name = runtime->get_error_name(code);
}

bool
flight_failure(const struct cuda_runtime *runtime, struct session_error *error)
{
    if (atomic_load_explicit(&failure, memory_order_relaxed) == 0)
        return false;
    char what[sizeof(failure_text)];
    pthread_mutex_lock(&lock);
    int code = atomic_exchange(&failure, 0);
    snprintf(what, sizeof(what), "%s", failure_text);
    pthread_mutex_unlock(&lock);
    if (code == 0)
        return false;
    fill_error(runtime, error, what, code);
    return true;
}

bool
flights_suspected(const struct cuda_runtime *runtime, int device, int code, struct session_error *error)
{
    char what[sizeof(failure_text)];
    pthread_mutex_lock(&lock);
    const struct flight *flight = flights_of(device)->oldest;
    while (flight != NULL && flight->told)
        flight = flight->next;
    if (flight != NULL)
        describe(flight, what, sizeof(what));
    mark_told(device);
    pthread_mutex_unlock(&lock);
    if (flight != NULL)
        fill_error(runtime, error, what, code);
    return flight != NULL;
}
