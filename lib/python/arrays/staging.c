/* staging.c - see staging.h. */
#include "staging.h"

#include "base/count.h"
#include "base/errors.h"
#include "base/events.h"

int
staging_add(struct session *session, const struct array_info *info, const char *argument, unsigned flags,
            enum layout_wish wish)
{
    struct device_view view = array_info_view(info);
    view.download = (flags & STAGE_READ) != 0;
    view.written = (flags & STAGE_WRITTEN) != 0;
    view.is_restrict = (flags & STAGE_RESTRICT) != 0;
    view.wish = wish;
    view.argument = argument;
    int index = session_add(session, &view);
    if (index < 0)
        PyErr_NoMemory();
    return index;
}

/* One event for each array that was copied in one direction. */
static int
record_copies(const struct session *session, const char *function, enum event_kind kind)
{
    for (int i = 0; i < session->n_views; i++) {
        const struct device_view *view = session_view(session, i);
        size_t n_bytes = kind == EVENT_TO_HOST ? view->bytes_down : view->bytes_up;
        if (n_bytes == 0)
            continue;
        PyObject *description = PyUnicode_FromFormat("%s: argument '%s'", function, view->argument);
        int done = description == NULL ? -1 : events_record(kind, description, n_bytes);
        Py_XDECREF(description);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
staging_download(struct session *session, const char *function, pkw_kernel_state *state)
{
    struct session_error error = {.kind = SESSION_OK};
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = session_stage(session, &error);
    Py_END_ALLOW_THREADS
    count_add(&state->bytes_to_host, session->totals.bytes_to_host);
    count_add(&state->waits, (uint64_t)session->totals.waits);
    if (done < 0)
        return raise_session_error(function, &error);
    return events_active ? record_copies(session, function, EVENT_TO_HOST) : 0;
}

int
staging_upload(struct session *session, const char *function, pkw_kernel_state *state)
{
    struct session_error error = {.kind = SESSION_OK};
    int waits = session->totals.waits;
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = session_write_back(session, &error);
    Py_END_ALLOW_THREADS
    count_add(&state->bytes_to_device, session->totals.bytes_to_device);
    count_add(&state->waits, (uint64_t)(session->totals.waits - waits));
    if (done < 0)
        return raise_session_error(function, &error);
    return events_active ? record_copies(session, function, EVENT_TO_DEVICE) : 0;
}

const struct device_view *
staging_open(struct session *session, const struct array_info *info, const char *argument, unsigned flags, enum layout_wish wish,
             const char *function, pkw_kernel_state *state)
{
    session_init(session, function);
    int index = staging_add(session, info, argument, flags, wish);
    return index < 0 || staging_download(session, function, state) < 0 ? NULL : session_view(session, index);
}

PyObject *
staged_array(const struct device_view *view, PyArray_Descr *descr, int flags)
{
    bool empty = false;
    for (int i = 0; i < view->rank; i++)
        empty = empty || view->shape[i] == 0;
    if (descr == NULL)
        return NULL;
    /* Without elements it needs no memory of the session's. */
    return PyArray_NewFromDescr(&PyArray_Type, descr, view->rank, (npy_intp *)view->shape,
                                empty ? NULL : (npy_intp *)view->host_strides, empty ? NULL : view->host, empty ? 0 : flags, NULL);
}

void
staging_wait(struct session *session, pkw_kernel_state *state)
{
    int waits = session->totals.waits;
    Py_BEGIN_ALLOW_THREADS
    session_wait(session);
    Py_END_ALLOW_THREADS
    count_add(&state->waits, (uint64_t)(session->totals.waits - waits));
}

void
staging_release(struct session *session)
{
    session_release(session); /* makes no CUDA call, so the GIL may stay (C41) */
}

int
staging_record_conversion(const char *function, int n_arrays, pkw_kernel_state *state)
{
    count_add(&state->conversions, 1);
    if (!events_active)
        return 0;
    PyObject *description =
        PyUnicode_FromFormat("%s: %d array%s converted", function, n_arrays, n_arrays == 1 ? "" : "s");
    int done = description == NULL ? -1 : events_record(EVENT_KERNEL_CONVERSION, description, 0);
    Py_XDECREF(description);
    return done;
}
