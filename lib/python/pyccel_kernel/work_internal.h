/* work_internal.h - one call of PyccelKernel on its way through the pipeline; the memory of it is used again by later calls. */
#ifndef PYTHON_WORK_INTERNAL_H
#define PYTHON_WORK_INTERNAL_H

#include "arrays/array_info.h"
#include "pyccel_kernel.h"
#include "graph_internal.h"
#include "core/session.h"

/* An array that is reachable from the arguments, once. On a device, or (while watching) on the host. */
struct work_array {
    struct array_info info;
    int node;
    int view;          /* of the session, -1: host memory */
    PyObject *host;    /* what the kernel gets: borrowed from the node */
    void *before;      /* verify and learn mode: the elements before the call; owned, or NULL */
    bool is_fixed;     /* of an object in which nothing can be replaced */
    bool changed;      /* from then to after it */
    const char *label; /* argument name for messages */
    char digits[12];   /* room for one that is a number */
};

struct work {
    struct work *next; /* while nobody uses it */
    struct pyccel_kernel *kernel;
    unsigned interesting; /* kinds of types that are looked into */
    struct graph graph;   /* of the arguments */
    struct graph results; /* of what the kernel returned */
    struct work_array *arrays;
    int n_arrays, array_room;
    int n_device;         /* arrays on a device */
    PyObject *kwnames;
    Py_ssize_t nargs;
    int n_arguments;      /* positional ones and keywords */
    PyObject **arguments; /* as the kernel gets them; borrowed. One free place before the first one */
    PyObject **resolved;  /* owned: what __host_args__ gave, or NULL; room for n_arguments */
    bool *written;        /* as declared */
    int argument_room;
    struct session session;
    bool in_session;
};

/* Work for a call, its arguments unchanged in `arguments`; NULL with an exception set. */
struct work *work_take(struct pyccel_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* Gives back everything that the call took, in the order that lets arrays that the kernel has kept keep their memory. An exception
 * that is set stays. */
void work_return(struct work *work);

/* arrays.c; each 0, or -1 with an exception set */
int work_scan(struct work *work);  /* arguments to arrays; declared ones first, so that what they share counts as written */
int work_stage(struct work *work); /* device arrays to the host */
int work_show(struct work *work);  /* arguments become what the kernel gets */
/* A copy of a host array, marked read-only as it is: for kernels that do not look. A new reference, or NULL with an exception set. */
PyObject *copy_for_kernel(PyArrayObject *array);
/* Host arrays that are still referred to keep their staging memory, and whoever has them may change it once the copies back are
 * over: they are waited for. Called by work_return. */
void work_keep_memory(struct work *work);
void work_clear_arrays(struct work *work);

static inline bool
is_uploaded(const struct work *work, const struct work_array *array)
{
    return array->view >= 0 && work->graph.nodes[array->node].written && !array->info.read_only;
}

/* watch.c */
int work_watch_before(struct work *work);
int work_watch_after(struct work *work);

/* results.c: the value that the caller gets for what the kernel returned. Steals `result`. A new reference, or NULL with an
 * exception set. */
PyObject *work_convert_result(struct work *work, PyObject *result);

#endif
