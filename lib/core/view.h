/* view.h - one array in device memory, as the engine sees it; plain C. */
#ifndef CORE_VIEW_H
#define CORE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose work a download waits for, and where a write-back is enqueued. */
enum stream_kind {
    STREAM_NONE,    /* the producer asked for no synchronisation (interface version 3, stream: None): downloads are not
                       ordered after anything, and the call waits for its write-back */
    STREAM_UNKNOWN, /* no stream can be named (interface versions 0 to 2): ordered after the default streams, legacy and
                       per-thread, and all blocking ones of the array's device; the call waits for its write-back */
    STREAM_HANDLE   /* .stream is it: 0 or 1 the legacy default stream, 2 the per-thread one, else a cudaStream_t */
};

/* How the kernel wants to see the array on the host. */
enum layout_wish {
    LAYOUT_C,      /* packed, C order, always */
    LAYOUT_F,      /* packed, F order, always */
    LAYOUT_NATURAL /* contiguous stays as it is; other layouts packed in C order unless they overlap another view of the
                      call and one of the two is written: then real strides over the common buffer */
};

struct device_view {
    /* In: filled by the caller; shape, strides and argument are borrowed until session_release. */
    uintptr_t pointer;      /* first element (not the lowest address where a stride is negative); ignored when empty */
    int rank;
    const int64_t *shape;
    const int64_t *strides; /* bytes, any sign; never NULL when rank > 0 */
    size_t item_size;
    enum stream_kind stream_kind;
    uintptr_t stream;
    bool download;          /* false: overwritten or scratch, contents need not come to the host */
    bool written;           /* copied back */
    bool is_restrict;       /* may overlap no other view of the call if either is written */
    enum layout_wish wish;
    const char *argument;   /* name for messages */

    /* Out: valid from session_stage to session_release. */
    void *host;             /* first element on the host */
    int64_t *host_strides;  /* bytes; rank entries, in the session's memory */
    bool in_place;          /* managed or pinned memory: host is the caller's own memory, nothing is copied */
    int device;
    size_t bytes_down, bytes_up; /* copied for this view (a shared union counts once, with its first view) */
};

#endif
