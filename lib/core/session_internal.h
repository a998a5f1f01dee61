/* session_internal.h - what a session knows while it runs; shared by its files, in the order in which they work:
 *
 *     session_groups.c    views that share bytes become one group; overlaps that the kernel could not see are refused
 *     session_locate.c    the device, or the host, that each group's memory belongs to; its streams
 *     session_layout.c    where each view will be on the host, which buffers that takes, what is copied how
 *     session_buffers.c   the buffers' places in staging blocks
 *     session_lanes.c     streams: who waits for whom, and the one wait of the host
 *     session_transfer.c  the copies themselves
 *     session_failed.c    errors of CUDA, told
 *     session.c           the steps; session_memory.c what they work in
 */
#ifndef CORE_SESSION_INTERNAL_H
#define CORE_SESSION_INTERNAL_H

#include "arena.h"
#include "flight.h"
#include "geometry.h"
#include "session.h"

/* How the elements of a view travel. The image of a group is its bytes on the host, from the first to the last. */
enum route {
    ROUTE_NONE,
    ROUTE_WHOLE,   /* contiguous: one copy to or from the same bytes of the image */
    ROUTE_SPAN,    /* download only: all bytes from the first to the last, gaps included, into the image */
    ROUTE_STRIDED, /* element by element (2-D and 3-D copies) to or from the same bytes of the image */
    ROUTE_DIRECT,  /* element by element, to or from where the kernel sees them, packed */
    ROUTE_COMPACT, /* element by element, to or from the raw buffer: packed in the order of device memory */
    ROUTE_IN_PLACE /* the image is the caller's memory: no copy, but the packed form is made from it and put back */
};

struct buffer {
    size_t size, offset;
    int device;
    struct staging_block *block;
};

struct staged_view {
    struct device_view view;
    struct geometry geometry;
    int group;
    int next;            /* of the group, -1: last */
    int lane;
    bool tied;           /* shares bytes that are written: must lie in the image with its real strides */
    bool packed;         /* host is a buffer of its own, not the image */
    enum route down, up;
    int packed_buffer, raw_buffer; /* -1: none */
    int64_t *raw_strides;          /* of the raw buffer */
};

/* Views that share bytes, and the bytes from the first to the last of them. */
struct group {
    int first, last;     /* views, linked by next */
    uintptr_t low, high;
    bool written, many;
    bool on_host;        /* managed or pinned: the image is the memory itself */
    bool has_image;
    bool mixed;          /* its views have several lanes */
    int device;
    int lane;            /* that its copies are queued on */
    int image_buffer;    /* -1: none */
    char *image;         /* host address of the byte at low */
};

/* A stream of a device that copies of this session are queued on. */
struct lane {
    int device;
    cuda_stream stream;
    bool working;        /* has copies, or producers that must be waited for, that the host has not waited for */
    bool host_waits;     /* its uploads: nobody else could be told to */
    struct event_link *event; /* for the uploads that nobody waits for */
};

struct session_memory {
    struct session_memory *next; /* in the cache of its thread */
    struct staged_view *views;
    struct group *groups;
    struct lane *lanes;
    struct buffer *buffers;      /* room for 3 a view */
    int *order;                  /* views by address */
    int64_t *strides;            /* 2 ranks a view */
    int view_room, stride_room, n_strides;
    int n_groups, n_lanes, n_buffers;
    int n_packed;                /* views that are: 0, and the steps for them have nothing to look for */
    const struct cuda_runtime *runtime; /* NULL: nothing on a device */
    int device;                  /* the caller's current one */
    int current;                 /* the one that is current now */
    cuda_capture_mode capture_mode; /* the caller's thread's */
    struct staging_block *blocks;
    struct flight *flights;      /* one for each device with uploads that nobody waits for */
};

/* --- session_groups.c: 0, or -1 with *error filled */
int session_group(struct session *session, struct session_error *error);

/* --- session_locate.c */
int session_locate(struct session *session, struct session_error *error);

/* --- session_layout.c */
void session_lay_out(struct session *session);
/* After the buffers have their memory: host pointers and strides. */
void session_place(struct session *session);

/* First element in the raw buffer. */
char *staged_raw(const struct session_memory *memory, const struct staged_view *staged);

/* --- session_buffers.c */
int session_take_buffers(struct session *session, struct session_error *error);

/* --- session_transfer.c: the copies of a group, queued on its lane; they are counted */
int transfer_down(struct session *session, struct group *group, struct session_error *error);
int transfer_up(struct session *session, struct group *group, struct session_error *error);

/* --- session_lanes.c */
/* Before the copies of a group: after the work of all its views' producers. */
int lanes_order(struct session *session, struct group *group, struct session_error *error);
/* After the uploads of a group: before what its views' streams do next. */
int lanes_publish(struct session *session, struct group *group, struct session_error *error);
/* One wait a device for all lanes that are working (and, with `uploads`, that the host waits for). */
int lanes_wait(struct session *session, bool uploads, struct session_error *error);
/* Events for the uploads that nobody will wait for: taken before the kernel runs, recorded after the uploads. */
int lanes_reserve(struct session *session, struct session_error *error);
int lanes_record(struct session *session, struct session_error *error);
/* After a failure: waits for whatever is under way, as far as the device still answers. */
void lanes_settle(struct session *session);

/* --- session_failed.c: reports a CUDA error of this session; clears it for whoever comes next. Returns -1. */
int session_cuda_failed(struct session *session, struct session_error *error, int code, int view, const char *doing);
/* Makes another device current. */
int session_change_device(struct session *session, int device, struct session_error *error);

/* --- session_memory.c */
int memory_reserve_strides(struct session *session); /* -1: out of memory */
void memory_return(struct session_memory *memory);

/* Makes a device current. */
static inline int
session_set_device(struct session *session, int device, struct session_error *error)
{
    return session->memory->current == device ? 0 : session_change_device(session, device, error);
}

static inline struct staged_view *
staged_view(const struct session *session, int index)
{
    return &session->memory->views[index];
}

static inline bool
is_contiguous(const struct staged_view *staged)
{
    return staged->geometry.contiguous_c || staged->geometry.contiguous_f;
}

/* Is the layout that the view has in memory the one that the kernel gets when nothing overlaps? */
static inline bool
is_as_wished(const struct staged_view *staged)
{
    switch (staged->view.wish) {
    case LAYOUT_C:
        return staged->geometry.contiguous_c;
    case LAYOUT_F:
        return staged->geometry.contiguous_f;
    case LAYOUT_NATURAL:
        return is_contiguous(staged);
    }
    return false;
}

/* For messages. */
static inline const char *
view_name(const struct staged_view *staged)
{
    return staged->view.argument != NULL ? staged->view.argument : "?";
}

#endif
