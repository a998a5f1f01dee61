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
/* The oldest flight of the device, as "kernel(): argument 'x'": what a failure of work queued earlier has hit. False when
 * none is under way. */
bool flight_oldest(int device, char *text, size_t size);
/* A failure found since the last call: fills *error (SESSION_EARLIER) and returns true. */
bool flight_failure(const struct cuda_runtime *runtime, struct session_error *error);
/* That error: `what` failed with `code`. Returns -1. */
int flight_error(const struct cuda_runtime *runtime, struct session_error *error, const char *what, int code);

#endif
