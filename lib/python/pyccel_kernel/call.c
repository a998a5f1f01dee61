/* call.c - the pipeline of a call that the fast path has not taken:
 *
 *     __host_args__ -> declaration -> scan -> stage -> the kernel -> write back -> results
 */
#include "base/backend.h"
#include "base/errors.h"
#include "base/events.h"
#include "arrays/type_cache.h"
#include "make_internal.h"
#include "outputs_internal.h"
#include "work_internal.h"
#include "base/runtime.h"
#include "arrays/staging.h"

/* C23: what a top-level argument stands for; each occurrence is asked. */
static int
resolve_host_args(struct work *work)
{
    for (int i = 0; i < work->n_arguments; i++) {
        if (host_args_of(work->arguments[i], &work->resolved[i]) < 0)
            return -1;
        if (work->resolved[i] != NULL)
            work->arguments[i] = work->resolved[i];
    }
    return 0;
}

static PyObject *
call_callable(const struct work *work)
{
    return PyObject_Vectorcall(work->kernel->callable, work->arguments, (size_t)work->nargs | PY_VECTORCALL_ARGUMENTS_OFFSET,
                               work->kwnames);
}

/* on_error="copy_back": the arrays show how far the kernel came. Its exception is what the caller gets, whatever happens here. */
static void
write_back_after_error(struct work *work)
{
    struct pyccel_kernel *kernel = work->kernel;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (staging_upload(&work->session, kernel->text, kernel->state) < 0)
        PyErr_WriteUnraisable((PyObject *)kernel);
    PyErr_Restore(type, value, traceback);
}

static int
finish(struct work *work, bool watched)
{
    struct pyccel_kernel *kernel = work->kernel;
    if (watched && work_watch_after(work) < 0)
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
    struct pyccel_kernel *kernel = work->kernel;
    bool watching = watching_active != 0;
    if (work->n_device > 0 && work_stage(work) < 0)
        return NULL;
    if ((work->n_device > 0 || watching) && work_show(work) < 0)
        return NULL;
    if (watching && work_watch_before(work) < 0)
        return NULL;
    PyObject *result = call_callable(work);
    if (result == NULL) {
        if (kernel->copy_back && work->in_session)
            write_back_after_error(work);
        return NULL;
    }
    if (((work->in_session || watching) && refuse_deferred_result(kernel->text, result) < 0) || finish(work, watching) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return converting ? work_convert_result(work, result) : result;
}

/* pkwrap.fallback, where a version for the device would have run: one warning a kernel, one event a call. */
static int
announce_fallback(struct pyccel_kernel *kernel)
{
    if (!kernel->has_warned && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "kernel '%U' has no version for the device: it runs on the "
                                                                         "host, with copies of its arrays", kernel->name) < 0)
        return -1;
    kernel->has_warned = true;
    PyObject *description = events_active ? PyUnicode_FromFormat("%U: runs on the host", kernel->name) : NULL;
    int done = description != NULL ? events_record(EVENT_FALLBACK, description, 0) : PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(description);
    return done;
}

/* Read-only host arrays. What is declared as written must be writable; what may be written, and would be by compiled code, is a copy
 * that nobody else has. */
static int
guard_read_only(struct work *work)
{
    struct pyccel_kernel *kernel = work->kernel;
    for (int i = 0; i < work->n_arguments; i++) {
        PyObject *given = work->arguments[i];
        if (!work->written[i] || !PyArray_Check(given) || PyArray_ISWRITEABLE((PyArrayObject *)given))
            continue;
        if (kernel->outputs != NULL) {
            char digits[12];
            if (pyccel_kernel_find_parameters(kernel) < 0)
                return -1;
            return refuse_read_only_output(kernel, argument_label(kernel, work->nargs, work->kwnames, i, digits));
        }
        PyObject *copy = copy_for_kernel((PyArrayObject *)given);
        if (copy == NULL)
            return -1;
        work->arguments[i] = copy;
        Py_XSETREF(work->resolved[i], copy);
    }
    return 0;
}

PyObject *
pyccel_kernel_call(struct pyccel_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    bool first = kernel->attention & ATTENTION_UNCHECKED;
    struct work *work = work_take(kernel, args, nargs, kwnames);
    if (work == NULL)
        return NULL;
    PyObject *result = NULL;
    if (resolve_host_args(work) < 0)
        goto out;
    bool may_convert = kernel->use_cupy != USE_NEVER;
    if ((may_convert || first || kernel->guarded || watching_active) && outputs_resolve(kernel, nargs, kwnames, work->written) < 0)
        goto out;
    kernel->attention &= (unsigned char)~ATTENTION_UNCHECKED;
    if (kernel->guarded && guard_read_only(work) < 0)
        goto out;
    work->interesting = kernel->interesting | (watching_active ? KIND_NUMPY | KIND_CONTAINER : 0);
    if ((may_convert || watching_active) && work_scan(work) < 0)
        goto out;
    bool forced = kernel->use_cupy == USE_ALWAYS || (kernel->use_cupy == USE_AS_BACKEND && backend_is_cupy());
    bool converting = may_convert && (work->n_device > 0 || forced);
    if (kernel->is_fallback && converting && announce_fallback(kernel) < 0)
        goto out;
    result = run(work, converting);
out:
    work_return(work);
    return result;
}
