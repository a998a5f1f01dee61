/* call.c - the pipeline of a call that the fast path has not taken:
 *
 *     __host_args__ -> declaration -> scan -> stage -> the kernel -> write back -> results
 */
#include "base/backend.h"
#include "base/errors.h"
#include "base/events.h"
#include "arrays/argument_kind.h"
#include "outputs_internal.h"
#include "work_internal.h"
#include "base/runtime.h"
#include "arrays/staging.h"

/* C23: what a top-level argument stands for; each occurrence is asked. */
static int
resolve_host_args(struct work *work)
{
    for (int i = 0; i < work->n_arguments; i++) {
        if (!(kinds_of(Py_TYPE(work->arguments[i])) & KIND_HOST_ARGS))
            continue;
        work->resolved[i] = PyObject_CallMethodNoArgs(work->arguments[i], name_host_args);
        if (work->resolved[i] == NULL)
            return -1;
        work->arguments[i] = work->resolved[i];
    }
    return 0;
}

static PyObject *
call_kernel_object(const struct work *work)
{
    return PyObject_Vectorcall(work->kernel->callable, work->arguments, (size_t)work->nargs | PY_VECTORCALL_ARGUMENTS_OFFSET,
                               work->kwnames);
}

/* on_error="copy_back": the arrays show how far the kernel came. Its exception is what the caller gets, whatever happens here. */
static void
write_back_after_error(struct work *work)
{
    struct kernel *kernel = work->kernel;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (staging_upload(&work->session, kernel->text, kernel->state) < 0)
        PyErr_WriteUnraisable((PyObject *)kernel);
    PyErr_Restore(type, value, traceback);
}

static int
finish(struct work *work)
{
    struct kernel *kernel = work->kernel;
    if (watching_active && work_watch_after(work) < 0)
        return -1;
    if (!work->in_session)
        return 0;
    if (staging_upload(&work->session, kernel->text, kernel->state) < 0)
        return -1;
    return staging_record_conversion(kernel->text, work->n_device, kernel->state);
}

static PyObject *
run(struct work *work, bool converting)
{
    struct kernel *kernel = work->kernel;
    if (work->n_device > 0 && work_stage(work) < 0)
        return NULL;
    if (watching_active && work_watch_before(work) < 0)
        return NULL;
    PyObject *result = call_kernel_object(work);
    if (result == NULL) {
        if (kernel->copy_back && work->in_session)
            write_back_after_error(work);
        return NULL;
    }
    if (finish(work) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return converting ? work_convert_result(work, result) : result;
}

/* pkwrap.fallback: one warning a kernel, one event a call. */
static int
announce_fallback(struct kernel *kernel, bool first)
{
    if (first && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "kernel '%U' has no version for the device: it runs on the host, with "
                                                           "copies of its arrays", kernel->name) < 0)
        return -1;
    PyObject *description = events_active ? PyUnicode_FromFormat("%U: runs on the host", kernel->name) : NULL;
    int done = description != NULL ? events_record(EVENT_FALLBACK, description, 0) : PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(description);
    return done;
}

PyObject *
kernel_call(struct kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    bool first = kernel->attention & ATTENTION_UNCHECKED;
    struct work *work = work_take(kernel, args, nargs, kwnames);
    if (work == NULL)
        return NULL;
    PyObject *result = NULL;
    if (resolve_host_args(work) < 0)
        goto out;
    bool may_convert = kernel->use_cupy != USE_NEVER;
    if ((may_convert || first || watching_active) && outputs_resolve(kernel, nargs, kwnames, work->written) < 0)
        goto out;
    kernel->attention &= (unsigned char)~ATTENTION_UNCHECKED;
    if (kernel->attention & ATTENTION_FALLBACK && announce_fallback(kernel, first) < 0)
        goto out;
    work->interesting = kernel->interesting | (watching_active ? KIND_NUMPY | KIND_CONTAINER : 0);
    if ((may_convert || watching_active) && work_scan(work) < 0)
        goto out;
    bool forced = kernel->use_cupy == USE_ALWAYS || (kernel->use_cupy == USE_AS_BACKEND && backend_is_cupy());
    result = run(work, may_convert && (work->n_device > 0 || forced));
out:
    work_return(work);
    return result;
}
