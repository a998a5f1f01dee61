/* flight.h - write-backs that nobody waits for: their blocks come back when their events say that they are over.
 *
 * Thread-safe. No lock is held during a CUDA call, so a thread that waits for the device blocks nobody here. Functions
 * that take a runtime expect the device to be the current one.
 */
#ifndef CORE_FLIGHT_H
#define CORE_FLIGHT_H

#include "block.h"
#include "cuda.h"

enum { MAX_DEVICES_HERE = 64 }; /* device numbers are below */

struct event_link {
    struct event_link *next;
    cuda_event event;
};

/* The uploads of one call on one device. */
struct flight {
    struct flight *next;
    int device;
    bool lost;                    /* some upload has no event: over when the whole device is idle */
    bool told;                    /* a failure that may be its own has been told */
    struct event_link *events;
    struct staging_block *blocks; /* each held once */
    char kernel[48];              /* its name and those of its arguments ("'x' 'y'"), for a failure that shows later */
    char arguments[96];
};

/* An event of the device, from the pool. NULL with *code set (a CUDA error, or CUDA_MEMORY_ALLOCATION). */
struct event_link *event_take(const struct cuda_runtime *runtime, int device, int *code);
void event_return(int device, struct event_link *event);
/* The device's own non-blocking stream, made on first use. A CUDA error code. */
int own_stream(const struct cuda_runtime *runtime, int device, cuda_stream *stream);

/* An empty flight from the pool, or NULL when out of memory. */
struct flight *flight_new(int device);
/* Watches it from now on. */
void flight_launch(struct flight *flight);
/* Waits for its uploads, before it is launched; what fails is kept for flight_failure. */
void flight_wait(const struct cuda_runtime *runtime, struct flight *flight);
/* For a flight that was not launched: its blocks and events are free at once. */
void flight_cancel(struct flight *flight);

/* Lets the blocks go of the flights of the device that are over, whichever they are, as far as a few unfinished ones. With
 * `wait`, waits for the oldest. Returns how many were over. Failures are kept for flight_failure. */
int flights_reap(const struct cuda_runtime *runtime, int device, bool wait);
int flights_under_way(int device);
/* Whether a CUDA error is one of what runs on a device: no copy of ours can cause it, whichever call returns it, and once it is there all
 * calls do. Nor does any tell what had been done before: neither does the event behind a copy. */
bool is_of_earlier_work(int code);
/* Such an error has come up: with flights of the device under way of which that has not been told yet, fills *error
 * (SESSION_EARLIER), naming the oldest, and returns true. */
bool flights_suspected(const struct cuda_runtime *runtime, int device, int code, struct session_error *error);
/* A failure found since the last call: fills *error (SESSION_EARLIER) and returns true. */
bool flight_failure(const struct cuda_runtime *runtime, struct session_error *error);

#endif
