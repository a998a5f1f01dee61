/* session.h - one converting call: every byte once, one wait a device.
 *
 *     struct session session;
 *     session_init(&session);
 *     i = session_add(&session, &view);  ...        one for each distinct array object
 *     session_stage(&session, &error)               plan, take memory, enqueue the downloads, wait      (no GIL)
 *     ... the kernel runs on session_view(i)->host ...
 *     session_write_back(&session, &error)          enqueue the uploads, wait only where no stream is named  (no GIL)
 *     session_release(&session)                     always; staging memory goes back, in use until its copies are over
 *
 * Plain C: no Python.h. Nothing here takes the GIL; stage and write_back are called without it, release makes no CUDA call.
 * A session is used by one thread. Nothing allocates in the steady state.
 *
 * Not writing back (the kernel raised) is: stage, then release.
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "error.h"
#include "view.h"

struct session_totals {
    size_t bytes_to_host, bytes_to_device;
    int copies_to_host, copies_to_device;
    int waits;
};

struct session {
    struct session_memory *memory; /* pooled: views, groups, strides; private */
    const char *kernel;            /* name for messages of later failures; borrowed until session_release */
    int n_views;
    struct session_totals totals;
};

void session_init(struct session *session, const char *kernel);
/* Copies *view. Returns its index, or -1 when out of memory. */
int session_add(struct session *session, const struct device_view *view);
struct device_view *session_view(const struct session *session, int index);
/* 0, or -1 with *error filled; then nothing on a device has changed and session_release is still owed. */
int session_stage(struct session *session, struct session_error *error);
int session_write_back(struct session *session, struct session_error *error);
/* Waits for the write-backs, where session_write_back has not (no GIL): until then nobody may change the host memory of the
 * views. A failure is told by a later call. */
void session_wait(struct session *session);
void session_release(struct session *session);

/* A kernel may keep an array over staging memory alive: a lease on the block behind view `index` keeps it from being
 * reused until it is given back (from any thread, with or without the GIL). NULL for in_place and empty views. */
struct staging_block *session_lease(struct session *session, int index);

#endif
