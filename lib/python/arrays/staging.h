/* staging.h - a session of the engine, driven from Python: arrays in, the GIL released around it, errors as exceptions,
 * what was copied counted. Shared by the calls of generated modules and by PyccelKernel.
 *
 *     session_init(&session, name);
 *     index = staging_add(&session, &info, argument, flags, wish);   one for each distinct array object
 *     staging_download(&session, name, state)                         session_stage without the GIL, then to_host events
 *     ... kernel ...
 *     staging_upload(&session, name, state)                           session_write_back without the GIL, to_device events
 *     staging_release(&session)                                       always
 */
#ifndef PYTHON_STAGING_H
#define PYTHON_STAGING_H

#include "array_info.h"
#include "core/session.h"

enum staging_flags {
    STAGE_READ = 1,     /* contents come to the host */
    STAGE_WRITTEN = 2,  /* and go back */
    STAGE_RESTRICT = 4  /* may overlap no other view if either is written */
};

/* Adds a device array. info and argument are borrowed until staging_release (info's shape and strides are used where they
 * are). The view's index, or -1 with an exception set. */
int staging_add(struct session *session, const struct array_info *info, const char *argument, unsigned flags,
                enum layout_wish wish);

/* 0, or -1 with an exception set that names `function`. Bytes and waits are added to *state, and each copied array is an
 * event where transfers are counted. */
int staging_download(struct session *session, const char *function, pkw_kernel_state *state);
int staging_upload(struct session *session, const char *function, pkw_kernel_state *state);

/* The session of one array: begun, and downloaded. The view; NULL with an exception set. staging_release is owed either way. */
const struct device_view *staging_open(struct session *session, const struct array_info *info, const char *argument, unsigned flags,
                                       enum layout_wish wish, const char *function, pkw_kernel_state *state);

/* A numpy.ndarray over the host memory of a view, without a base: valid until the session is released. `flags`: NPY_ARRAY_WRITEABLE
 * or 0. Takes the reference of the descriptor, which may be NULL with an exception set. A new reference, or NULL. */
PyObject *staged_array(const struct device_view *view, PyArray_Descr *descr, int flags);

/* Waits for what staging_upload has queued: before somebody else than the call may change the host memory of an array. */
void staging_wait(struct session *session, pkw_kernel_state *state);

void staging_release(struct session *session);

/* The kernel_conversion event of C46, after the kernel has run. 0, or -1 with an exception set. */
int staging_record_conversion(const char *function, int n_arrays, pkw_kernel_state *state);

#endif
