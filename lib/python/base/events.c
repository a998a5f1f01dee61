/* events.c - see events.h. */
#include "events.h"

#include <frameobject.h> /* PyFrame_GetBack, in CPython 3.10 */
#include <string.h>

#include "runtime.h"

enum { MAX_COUNTERS = 64 }; /* active at one time */

struct counter {
    PyObject *record; /* owned */
    unsigned long thread; /* 0: every thread's */
    int times;
};

int events_active;
static struct counter counters[MAX_COUNTERS];

static const char *const kind_names[] = {
    [EVENT_TO_HOST] = "to_host",
    [EVENT_TO_DEVICE] = "to_device",
    [EVENT_KERNEL_CONVERSION] = "kernel_conversion",
    [EVENT_FALLBACK] = "fallback",
};

int
events_add(PyObject *record, bool this_thread)
{
    unsigned long thread = this_thread ? PyThread_get_thread_ident() : 0;
    for (int i = 0; i < events_active; i++)
        if (counters[i].record == record && counters[i].thread == thread) {
            counters[i].times++;
            return 0;
        }
    if (events_active == MAX_COUNTERS) {
        PyErr_SetString(PyExc_RuntimeError, "too many transfer counters are active");
        return -1;
    }
    counters[events_active++] = (struct counter){Py_NewRef(record), thread, 1};
    return 0;
}

int
events_remove(PyObject *record)
{
    for (int i = events_active - 1; i >= 0; i--) {
        if (counters[i].record != record || --counters[i].times > 0)
            continue;
        memmove(&counters[i], &counters[i + 1], (size_t)(events_active - i - 1) * sizeof *counters);
        events_active--;
        Py_DECREF(record);
        break;
    }
    return 0;
}

/* Whether code of this file is the package's: it lies in the folder of the library. */
static bool
is_own_file(PyObject *file)
{
    const char *path = PyUnicode_AsUTF8(file);
    if (path == NULL) {
        PyErr_Clear();
        return false;
    }
    const char *library = library_path();
    const char *slash = strrchr(library, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - library) + 1;
    return length > 0 && strncmp(path, library, length) == 0;
}

PyObject *
events_where(void)
{
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef((PyObject *)PyEval_GetFrame());
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyObject *where = is_own_file(code->co_filename)
                              ? NULL
                              : PyUnicode_FromFormat("%U:%d", code->co_filename, PyFrame_GetLineNumber(frame));
        PyFrameObject *outer = where == NULL ? PyFrame_GetBack(frame) : NULL;
        Py_DECREF((PyObject *)code);
        Py_DECREF((PyObject *)frame);
        if (where != NULL || PyErr_Occurred()) {
            Py_XDECREF((PyObject *)outer);
            return where;
        }
        frame = outer;
    }
    return PyUnicode_FromString("<unknown>");
}

static int
call_counters(PyObject *const *records, int n, PyObject *arguments)
{
    for (int i = 0; i < n; i++) {
        PyObject *done = PyObject_Call(records[i], arguments, NULL);
        if (done == NULL)
            return -1;
        Py_DECREF(done);
    }
    return 0;
}

int
events_record(enum event_kind kind, PyObject *description, size_t n_bytes)
{
    PyObject *where = events_where();
    if (where == NULL)
        return -1;
    bool has_bytes = kind == EVENT_TO_HOST || kind == EVENT_TO_DEVICE;
    PyObject *size = has_bytes ? PyLong_FromSize_t(n_bytes) : Py_NewRef(Py_None);
    PyObject *arguments = size == NULL ? NULL : Py_BuildValue("(sOOO)", kind_names[kind], description, where, size);
    Py_XDECREF(size);
    Py_DECREF(where);
    if (arguments == NULL)
        return -1;
    /* A copy: the counters' own code may let other threads add and remove some. */
    PyObject *records[MAX_COUNTERS];
    int n = 0;
    unsigned long thread = PyThread_get_thread_ident();
    for (int i = 0; i < events_active; i++)
        if (counters[i].thread == 0 || counters[i].thread == thread)
            records[n++] = Py_NewRef(counters[i].record);
    int done = call_counters(records, n, arguments);
    for (int i = 0; i < n; i++)
        Py_DECREF(records[i]);
    Py_DECREF(arguments);
    return done;
}
