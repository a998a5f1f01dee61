/* watch.c - PyccelKernel in verify and learn mode: the arrays that it was handed, before and after (C50, C51, C53). */
#include "base/errors.h"
#include "outputs_internal.h"
#include "work_internal.h"
#include "base/runtime.h"
#include "watch/watch.h"

static struct watched_memory
memory_of(const struct work_array *array)
{
    PyArrayObject *host = (PyArrayObject *)array->host;
    return (struct watched_memory){
        .data = PyArray_DATA(host),
        .rank = PyArray_NDIM(host),
        .shape = PyArray_DIMS(host),
        .strides = PyArray_STRIDES(host),
        .item_size = (size_t)PyArray_ITEMSIZE(host),
    };
}

static bool
is_written(const struct work *work, const struct work_array *array)
{
    return work->graph.nodes[array->node].written;
}

/* Objects cannot be compared by their bytes. */
static bool
is_watched(const struct work *work, const struct work_array *array)
{
    if (PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)array->host)))
        return false;
    if (array->info.read_only) /* Python guards it, but not against compiled code */
        return watching_active & WATCH_VERIFY && !is_written(work, array);
    return watching_active & WATCH_LEARN || !is_written(work, array);
}

int
work_watch_before(struct work *work)
{
    if (pyccel_kernel_find_parameters(work->kernel) < 0)
        return -1;
    for (int i = 0; i < work->n_arrays; i++) {
        struct work_array *array = &work->arrays[i];
        array->label = argument_label(work->kernel, work->nargs, work->kwnames, work->graph.nodes[array->node].root, array->digits);
        if (!is_watched(work, array))
            continue;
        struct watched_memory memory = memory_of(array);
        if ((array->before = watch_copy(&memory)) == NULL)
            return -1;
    }
    return 0;
}

/* The bytes of the arrays that are declared as written, to be freed with PyMem_Free; NULL with MemoryError set. */
static struct byte_range *
find_exempt(const struct work *work, int *n)
{
    struct byte_range *ranges = PyMem_Calloc((size_t)work->n_arrays + 1, sizeof *ranges);
    *n = 0;
    for (int i = 0; ranges != NULL && i < work->n_arrays; i++) {
        if (!is_written(work, &work->arrays[i]))
            continue;
        struct watched_memory memory = memory_of(&work->arrays[i]);
        if (PyArray_SIZE((PyArrayObject *)work->arrays[i].host) > 0)
            ranges[(*n)++] = watch_range(&memory);
    }
    if (ranges == NULL)
        PyErr_NoMemory();
    return ranges;
}

/* The array as the kernel could write it: "state['x']", "args[0].data" where the parameter has no name. A new reference, or NULL. */
static PyObject *
path_of(const struct work *work, const struct work_array *array)
{
    PyObject *below = graph_path(&work->graph, array->node);
    bool unnamed = work->graph.nodes[array->node].root < work->nargs && Py_ISDIGIT(array->label[0]);
    PyObject *path = below == NULL ? NULL : PyUnicode_FromFormat(unnamed ? "args[%s]%U" : "%s%U", array->label, below);
    Py_XDECREF(below);
    return path;
}

/* Compares, and raises for a change that is not declared. 0, or -1 with an exception set. */
static int
judge(const struct work *work, struct work_array *array, struct watched_memory *memory)
{
    int64_t index[PKW_MAX_RANK];
    array->changed = watch_find_change(memory, array->before, index);
    if (!array->changed || !(watching_active & WATCH_VERIFY) || is_written(work, array))
        return 0;
    PyObject *path = path_of(work, array);
    const char *text = path == NULL ? NULL : PyUnicode_AsUTF8(path);
    if (text != NULL)
        raise_undeclared_write_inside(work->kernel->text, array->label, text, memory, array->before, index, array->info.descr);
    Py_XDECREF(path);
    return -1;
}

/* Once an argument, whatever number of arrays it has. */
static int
tell_what_changed(const struct work *work)
{
    const struct pyccel_kernel *kernel = work->kernel;
    for (int root = 0; root < work->n_arguments; root++) {
        const char *label = NULL;
        bool changed = false;
        size_t n_bytes = 0;
        for (int i = 0; i < work->n_arrays; i++) {
            const struct work_array *array = &work->arrays[i];
            if (array->before == NULL || work->graph.nodes[array->node].root != root)
                continue;
            label = array->label;
            changed = changed || array->changed;
            n_bytes += (size_t)element_count(&array->info) * (size_t)PyDataType_ELSIZE(array->info.descr);
        }
        if (label != NULL && watch_tell(kernel->module_text, kernel->text, label, changed, n_bytes) < 0)
            return -1;
    }
    return 0;
}

int
work_watch_after(struct work *work)
{
    int n_exempt, done = 0;
    struct byte_range *exempt = find_exempt(work, &n_exempt);
    if (exempt == NULL)
        return -1;
    for (int i = 0; i < work->n_arrays; i++) {
        struct work_array *array = &work->arrays[i];
        if (array->before == NULL)
            continue;
        struct watched_memory memory = memory_of(array);
        if (!is_written(work, array)) {
            memory.exempt = exempt;
            memory.n_exempt = n_exempt;
        }
        if (done == 0)
            done = judge(work, array, &memory);
        /* What was read-only is a copy, or nobody's to write to. */
        if (done < 0 && !is_written(work, array) && !array->info.read_only)
            watch_restore(&memory, array->before);
    }
    PyMem_Free(exempt);
    return done == 0 && watching_active & WATCH_LEARN ? tell_what_changed(work) : done;
}
