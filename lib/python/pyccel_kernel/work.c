/* work.c - see work_internal.h. */
#include "work_internal.h"

#include <string.h>

#include "arrays/staging.h"

#ifndef Py_GIL_DISABLED
static struct work *spare; /* kept apart by the GIL; as many as calls have been nested or in flight at once */
#endif

static struct work *
take_memory(void)
{
#ifndef Py_GIL_DISABLED
    if (spare != NULL) {
        struct work *work = spare;
        spare = work->next;
        return work;
    }
#endif
    return PyMem_RawCalloc(1, sizeof(struct work));
}

static void
return_memory(struct work *work)
{
#ifndef Py_GIL_DISABLED
    work->next = spare;
    spare = work;
#else
    graph_free(&work->graph);
    graph_free(&work->results);
    PyMem_RawFree(work->arrays);
    PyMem_RawFree(work->arguments);
    PyMem_RawFree(work->resolved);
    PyMem_RawFree(work->written);
    PyMem_RawFree(work);
#endif
}

static int
reserve_arguments(struct work *work, int n)
{
    if (n < work->argument_room)
        return 0;
    size_t room = (size_t)n + 16;
    void *arguments = PyMem_RawRealloc(work->arguments, room * sizeof *work->arguments);
    if (arguments != NULL)
        work->arguments = arguments;
    void *resolved = PyMem_RawRealloc(work->resolved, room * sizeof *work->resolved);
    if (resolved != NULL)
        work->resolved = resolved;
    void *written = PyMem_RawRealloc(work->written, room * sizeof *work->written);
    if (written != NULL)
        work->written = written;
    if (arguments == NULL || resolved == NULL || written == NULL)
        return -1;
    work->argument_room = (int)room - 1;
    return 0;
}

struct work *
work_take(struct pyccel_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct work *work = take_memory();
    int n = (int)(nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames)));
    if (work == NULL || reserve_arguments(work, n) < 0) {
        if (work != NULL)
            return_memory(work);
        PyErr_NoMemory();
        return NULL;
    }
    work->kernel = (struct pyccel_kernel *)Py_NewRef((PyObject *)kernel);
    work->kwnames = kwnames;
    work->nargs = nargs;
    work->n_arguments = n;
    work->n_arrays = work->n_device = 0;
    work->in_session = false;
    work->graph.n_nodes = work->graph.n_edges = 0;
    memcpy(work->arguments + 1, args, (size_t)n * sizeof *args);
    work->arguments++; /* undone by work_return */
    memset(work->resolved, 0, (size_t)n * sizeof *work->resolved);
    return work;
}

/* Containers first, so that only what the kernel keeps still refers to an array. */
static void
drop_copies(struct work *work)
{
    for (int i = 0; i < work->graph.n_nodes; i++)
        if (work->graph.nodes[i].kind != GRAPH_ARRAY)
            Py_CLEAR(work->graph.nodes[i].copy);
}

void
work_return(struct work *work)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    drop_copies(work);
    if (work->in_session) {
        work_keep_memory(work);
        staging_release(&work->session);
    }
    graph_clear(&work->graph);
    work_clear_arrays(work);
    for (int i = 0; i < work->n_arguments; i++)
        Py_CLEAR(work->resolved[i]);
    work->arguments--;
    Py_DECREF((PyObject *)work->kernel);
    return_memory(work);
    PyErr_Restore(type, value, traceback);
}
