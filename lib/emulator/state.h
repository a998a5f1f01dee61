/* state.h - what the emulator's files share. Everything here is under emulator.lock unless said otherwise. */
#ifndef EMULATOR_STATE_H
#define EMULATOR_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "emulator.h"

enum { MAX_DEVICES = 16 };
enum { CUDA_NOT_PERMITTED = 800 };

/* --- memory.c: allocations ------------------------------------------------------------------------------------------ */

struct allocation {
    char *address;  /* as the program knows it */
    size_t size;
    int type;       /* CUDA_MEMORY_DEVICE, _MANAGED or _HOST (pinned) */
    int device;     /* for pinned memory: the one that was current */
    long number;    /* how many allocations there were before it */
    char name[32];
};

/* Reserves the addresses. 0, or -1. */
int memory_open(int n_devices);
/* A CUDA error code. size 0 gives NULL. */
int memory_allocate(int type, int device, size_t size, void **pointer);
void memory_free(struct allocation *allocation);
/* The allocation that holds this address, or NULL. */
struct allocation *memory_find(const void *pointer);
/* The one that starts there, or NULL. */
struct allocation *memory_at(const void *pointer);
/* The emulator's own address of the same byte. */
char *memory_own(const void *pointer);
/* Safe in a signal handler, without the lock: the nearest allocation at or below an address of device memory; false when the
 * address is none. *found may be NULL. */
bool memory_describe(const void *pointer, const struct allocation **found);
/* "allocation 3 'x' (80 bytes on device 0)" */
const char *memory_text(const struct allocation *allocation, char *buffer, size_t size);

/* --- region.c: three-dimensional pieces of memory --------------------------------------------------------------- */

struct region {
    char *base;        /* as the program knows it */
    size_t width;      /* bytes of a row */
    size_t height, depth;
    size_t row, slice; /* bytes from row to row, from slice to slice */
};

size_t region_bytes(const struct region *region);
/* One past the last byte, as an offset from the base. */
size_t region_span(const struct region *region);
bool regions_overlap(const struct region *a, const struct region *b);
void region_copy(const struct region *to, const struct region *from);
/* Packs into, or reads from, contiguous bytes. */
void region_pack(char *to, const struct region *from);
void region_unpack(const struct region *to, const char *from);
void region_fill(const struct region *region, int value);
bool region_holds(const struct region *region, int value);
uint64_t region_hash(const struct region *region);

/* --- queue.c: operations ------------------------------------------------------------------------------------------ */

enum operation_kind { OPERATION_MARK, OPERATION_COPY, OPERATION_SET, OPERATION_FUNCTION };

struct operation {
    struct operation *earlier, *later; /* in the queue of all streams */
    struct cuda_stream *stream;
    struct operation **needs;          /* what must be done before; references */
    int n_needs;
    int references;
    bool done;
    long pass;                         /* of the walk that marked it last */

    enum operation_kind kind;
    struct region to, from;
    char *staged;                      /* COPY: the source's bytes, taken from pageable memory; owned */
    int value;                         /* SET */
    cuda_host_function function;
    void *data;
    struct emulator_range *ranges;     /* FUNCTION; owned */
    int n_ranges;
    int failure;                       /* an error: it is not carried out, its stream reports this */
    bool poisoned;                     /* the destination was, when it was queued */
    bool watched;                      /* COPY from pinned memory: hash is that of the source when it was queued */
    uint64_t hash;
};

/* Puts an operation into its stream, after carrying out what it would disturb. It takes the operation, whose kind,
 * stream and contents are filled; `event` is what else it waits for, or NULL. The operation, still referenced by the
 * queue until it is done. */
struct operation *queue_add(struct operation *operation, struct operation *event);
struct operation *operation_new(enum operation_kind kind, struct cuda_stream *stream);
void operation_drop(struct operation *operation);
/* Carries out an operation (not NULL, not done) and all that it needs; with `steps` > 0 at most so many. Releases the
 * lock while functions run. */
void queue_carry_out(struct operation *operation, int steps);
void queue_carry_out_all(void);
/* CUDA_SUCCESS when it is done (or NULL), else CUDA_NOT_READY; *queries counts the questions in a row. */
int operation_query(struct operation *target, int *queries);
/* The first queued operation that touches this memory, or NULL. */
struct operation *queue_find_user(const void *pointer, size_t size);
/* True in a thread that is running a queued function. Needs no lock. */
bool queue_runs_here(void);

/* --- streams.c ------------------------------------------------------------------------------------------------------ */

struct cuda_stream {
    struct cuda_stream *next;
    int device;
    bool legacy, non_blocking;
    bool destroyed;             /* lives until its operations are done */
    bool capturing, global;     /* in the strictest mode */
    bool spoiled;               /* the capture, by a call that it forbids */
    int n_queued;
    int queries;                /* in a row that found it unfinished */
    int failure;                /* of an operation, not yet reported */
    struct operation *last;     /* queued last and not done, or NULL */
};

struct cuda_event {
    struct cuda_event *next;
    int device;
    int queries;
    int failure;                /* of a stream that is gone */
    struct cuda_stream *stream; /* the one it was last recorded on, or NULL */
    struct operation *target;   /* reference, or NULL */
};

/* The stream of a handle, for the current device; NULL: no such stream. */
struct cuda_stream *stream_find(cuda_stream handle);
struct cuda_stream *stream_list(void);
/* After an operation of it is done: frees it when it was destroyed before. */
void stream_operation_done(struct cuda_stream *stream, struct operation *operation);

/* --- calls.c: entering and leaving ------------------------------------------------------------------------------- */

enum entry {
#define X(field, symbol, parameters) ENTRY_##field,
    CUDA_ENTRY_POINTS(X)
#undef X
    N_ENTRIES
};

struct emulator_state {
    pthread_mutex_t lock;
    int n_devices;          /* 0: not in use */
    size_t device_memory;
    atomic_bool bare;       /* without the lock */
    atomic_bool gone;       /* a forked child; without the lock */
    bool logging;
    struct emulator_counters counters;
    long calls[N_ENTRIES];
    long fail_operation;    /* counts down to the operation that fails */
    int fail_operation_error;
};
extern struct emulator_state emulator;

/* Takes the lock and counts; 0, or the error that this call returns, for call_leave in either case. */
int call_enter(enum entry entry);
/* Releases the lock, keeps the error as the thread's last. Returns it. */
int call_leave(enum entry entry, int error);
/* The thread's current device. */
int call_device(void);
/* streams.c: a call that captures in the strictest mode forbid: spoils them. False where there are none. */
bool spoil_captures(void);

/* --- log.c ---------------------------------------------------------------------------------------------------------- */

/* What the entry point is about, for its line in the log. */
__attribute__((format(printf, 1, 2))) void log_detail(const char *format, ...);
void log_call(const char *symbol, int error);
__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);
__attribute__((format(printf, 1, 2))) void report_violation(const char *format, ...);

/* --- fault.c -------------------------------------------------------------------------------------------------------- */

/* Puts the handler of SIGSEGV and SIGBUS in front of the one there is. */
void fault_watch(void);

#endif
