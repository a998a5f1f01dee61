/* arrays.c - the arguments' device arrays: found, staged as one session, shown to the kernel as NumPy arrays. */
#include <string.h>

#include "base/errors.h"
#include "arrays/type_cache.h"
#include "outputs_internal.h"
#include "work_internal.h"
#include "arrays/staging.h"
#include "core/block.h"
#include "base/runtime.h"
#include "watch/watch.h"

/* --- scan --------------------------------------------------------------------------------------------------------- */

/* C21: the class's module begins with an entry of object_modules. 1, 0 or -1. */
static int
is_listed(const struct pyccel_kernel *kernel, PyTypeObject *type)
{
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__");
    if (module == NULL) {
        PyErr_Clear();
        return 0;
    }
    int listed = 0;
    for (Py_ssize_t i = 0; PyUnicode_Check(module) && listed == 0 && i < PyTuple_GET_SIZE(kernel->object_modules); i++)
        listed = (int)PyUnicode_Tailmatch(module, PyTuple_GET_ITEM(kernel->object_modules, i), 0, PY_SSIZE_T_MAX, -1);
    Py_DECREF(module);
    return listed;
}

static struct work_array *
next_array(struct work *work)
{
    if (work->n_arrays == work->array_room) {
        int room = work->array_room == 0 ? 8 : 2 * work->array_room;
        struct work_array *moved = PyMem_RawRealloc(work->arrays, (size_t)room * sizeof *moved);
        if (moved == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        work->arrays = moved;
        work->array_room = room;
    }
    return &work->arrays[work->n_arrays];
}

static bool
is_inside_compiled(const struct graph *graph)
{
    return graph->parent >= 0 && graph->nodes[graph->parent].kind == GRAPH_COMPILED;
}

/* Reads an array with one of the readers into the next place. */
static enum read_answer
add_array(struct work *work, PyObject *object, enum read_answer (*read)(PyObject *, struct array_info *), int *number)
{
    struct work_array *array = next_array(work);
    if (array == NULL)
        return READ_ERROR;
    enum read_answer answer = read(object, &array->info);
    if (answer != READ_DONE)
        return answer;
    array->node = work->graph.n_nodes; /* the one that the graph is about to add */
    array->view = -1;
    array->host = array->info.on_device ? NULL : object;
    array->before = NULL;
    array->is_fixed = is_inside_compiled(&work->graph);
    *number = work->n_arrays++;
    work->n_device += array->info.on_device;
    return READ_DONE;
}

/* Verify and learn mode see through the objects that compiled functions take. Each time it is asked, such an object may make new ones
 * for those that it refers to, so that rings would have no end: no class is looked into below itself. */
static bool
is_seen_through(const struct work *work, PyTypeObject *type)
{
    const struct graph *graph = &work->graph;
    if (!watching_active || !work->kernel->ignores_flags || !is_compiled_class(type))
        return false;
    for (int node = graph->parent; node >= 0;) {
        if (Py_IS_TYPE(graph->nodes[node].object, type))
            return false;
        node = graph->nodes[node].origin < 0 ? -1 : graph->edges[graph->nodes[node].origin].parent;
    }
    return true;
}

static int
classify(void *visitor, PyObject *object, int *number)
{
    struct work *work = visitor;
    unsigned kinds = kinds_of(Py_TYPE(object)) & work->interesting;
    enum read_answer answer = READ_NOT_MINE;
    if (is_inside_compiled(&work->graph))
        kinds &= KIND_NUMPY; /* nothing can be replaced there */
    if (kinds == 0)
        return is_seen_through(work, Py_TYPE(object)) ? GRAPH_COMPILED : GRAPH_PLAIN;
    if (kinds & KIND_DEVICE)
        answer = add_array(work, object, read_device_array, number);
    if (answer == READ_NOT_MINE && kinds & KIND_NUMPY)
        answer = add_array(work, object, read_numpy_array, number);
    if (answer != READ_NOT_MINE)
        return answer == READ_DONE ? GRAPH_ARRAY : -1;
    if (kinds & KIND_LIST)
        return PyList_GET_SIZE(object) > 0 ? GRAPH_LIST : GRAPH_PLAIN;
    if (kinds & KIND_TUPLE)
        return PyTuple_GET_SIZE(object) > 0 ? GRAPH_TUPLE : GRAPH_PLAIN;
    if (kinds & KIND_DICT)
        return PyDict_GET_SIZE(object) > 0 ? GRAPH_DICT : GRAPH_PLAIN;
    if (!(kinds & KIND_INSTANCE))
        return GRAPH_PLAIN;
    int listed = is_listed(work->kernel, Py_TYPE(object));
    return listed > 0 ? GRAPH_OBJECT : listed;
}

/* The arguments that are declared (or those that are not), and all below them. */
static int
scan_arguments(struct work *work, bool written)
{
    work->graph.written = written;
    for (int i = 0; i < work->n_arguments; i++) {
        int node;
        work->graph.root = i;
        if (work->written[i] == written && graph_add_root(&work->graph, work->arguments[i], &node) < 0)
            return -1;
    }
    return graph_explore(&work->graph);
}

/* Puts the name of the argument that was being looked at before the text of the exception. Returns -1. */
static int
name_argument(struct work *work)
{
    PyObject *type, *value, *traceback;
    char digits[12];
    PyErr_Fetch(&type, &value, &traceback);
    if (pyccel_kernel_find_parameters(work->kernel) < 0)
        PyErr_Clear();
    const char *label = argument_label(work->kernel, work->nargs, work->kwnames, work->graph.root, digits);
    PyErr_Restore(type, value, traceback);
    return name_argument_in_error(work->kernel->text, label);
}

int
work_scan(struct work *work)
{
    graph_init(&work->graph, classify, work);
    return scan_arguments(work, true) < 0 || scan_arguments(work, false) < 0 ? name_argument(work) : 0;
}

/* --- stage -------------------------------------------------------------------------------------------------------- */

static int
add_view(struct work *work, struct work_array *array)
{
    const struct graph_node *node = &work->graph.nodes[array->node];
    if (array->info.descr == NULL)
        return raise_argument_error(PyExc_TypeError, work->kernel->text, array->label,
                                    "holds bfloat16 elements; NumPy knows them only where ml_dtypes is installed");
    /* Only what the caller named by itself must be writable: None stands for "may be", and a container for what it has. */
    bool named = work->kernel->outputs != NULL && node->written && work->arguments[node->root] == node->object;
    if (array->info.read_only && named)
        return refuse_read_only_output(work->kernel, array->label);
    bool written = node->written && !array->info.read_only;
    array->view = staging_add(&work->session, &array->info, array->label, STAGE_READ | (written ? STAGE_WRITTEN : 0),
                              LAYOUT_NATURAL);
    return array->view < 0 ? -1 : 0;
}

/* A read-only array in memory that compiled code could write to all the same: the kernel is to get a copy of its own. */
static bool
is_exposed(const struct work *work, const struct work_array *array)
{
    bool is_callers = !array->info.on_device || session_view(&work->session, array->view)->in_place;
    bool is_suspect = work->graph.nodes[array->node].written || watching_active & WATCH_VERIFY;
    return array->info.read_only && !array->is_fixed && is_callers && is_suspect && work->kernel->ignores_flags;
}

PyObject *
copy_for_kernel(PyArrayObject *array)
{
    PyObject *copy = PyArray_NewCopy(array, NPY_KEEPORDER);
    if (copy != NULL)
        PyArray_CLEARFLAGS((PyArrayObject *)copy, NPY_ARRAY_WRITEABLE);
    return copy;
}

/* Exactly numpy.ndarray over the staging memory (C11); without a base: work_keep_memory adds one where it is kept. */
static PyObject *
host_array(const struct work *work, const struct work_array *array)
{
    Py_INCREF((PyObject *)array->info.descr);
    PyObject *host = staged_array(session_view(&work->session, array->view), array->info.descr,
                                  array->info.read_only ? 0 : NPY_ARRAY_WRITEABLE);
    if (host == NULL || !is_exposed(work, array))
        return host;
    PyObject *copy = copy_for_kernel((PyArrayObject *)host);
    Py_DECREF(host);
    return copy;
}

static int
show(struct work *work, struct work_array *array)
{
    struct graph_node *node = &work->graph.nodes[array->node];
    if (array->info.on_device)
        array->host = host_array(work, array);
    else
        array->host = copy_for_kernel((PyArrayObject *)array->info.object);
    node->copy = array->host;
    node->reaches = true;
    return array->host == NULL ? -1 : 0;
}

/* The kernel's arguments: copies where something below them was replaced. */
static void
replace_arguments(struct work *work)
{
    for (int i = 0; i < work->n_arguments; i++)
        for (int node = 0; node < work->graph.n_nodes; node++)
            if (work->graph.nodes[node].object == work->arguments[i] && work->graph.nodes[node].copy != NULL) {
                work->arguments[i] = work->graph.nodes[node].copy;
                break;
            }
}

int
work_stage(struct work *work)
{
    struct pyccel_kernel *kernel = work->kernel;
    if (pyccel_kernel_find_parameters(kernel) < 0)
        return -1;
    session_init(&work->session, kernel->text);
    work->in_session = true;
    for (int i = 0; i < work->n_arrays; i++) {
        struct work_array *array = &work->arrays[i];
        array->label = argument_label(kernel, work->nargs, work->kwnames, work->graph.nodes[array->node].root, array->digits);
        if (array->info.on_device && add_view(work, array) < 0)
            return -1;
    }
    return staging_download(&work->session, kernel->text, kernel->state);
}

int
work_show(struct work *work)
{
    bool replaced = false;
    for (int i = 0; i < work->n_arrays; i++) {
        struct work_array *array = &work->arrays[i];
        if (!array->info.on_device && !is_exposed(work, array))
            continue;
        replaced = true;
        if (show(work, array) < 0)
            return -1;
    }
    if (replaced && work->graph.n_edges > 0) {
        graph_mark(&work->graph);
        if (graph_copy(&work->graph) < 0)
            return -1;
    }
    if (replaced)
        replace_arguments(work);
    return 0;
}

/* --- after the call ----------------------------------------------------------------------------------------------- */

static void
lease_gone(PyObject *capsule)
{
    block_let_go(PyCapsule_GetPointer(capsule, NULL));
}

/* What an array that the kernel keeps refers to, so that its memory stays: a lease on the staging block; for memory that is used in
 * place the caller's array. A new reference, or NULL with an exception set; Py_None: nothing to keep. */
static PyObject *
memory_owner(struct work *work, const struct work_array *array)
{
    const struct device_view *view = session_view(&work->session, array->view);
    if (view->in_place)
        return Py_NewRef(array->info.object);
    struct staging_block *block = session_lease(&work->session, array->view);
    if (block == NULL)
        return Py_NewRef(Py_None);
    PyObject *capsule = PyCapsule_New(block, NULL, lease_gone);
    if (capsule == NULL)
        block_let_go(block);
    return capsule;
}

void
work_keep_memory(struct work *work)
{
    bool kept = false;
    for (int i = 0; i < work->n_arrays; i++) {
        const struct work_array *array = &work->arrays[i];
        if (array->view < 0 || array->host == NULL)
            continue;
        /* Views of it, and buffers on it, refer to it: one reference is the node's alone. */
        bool is_kept = Py_REFCNT(array->host) > 1;
        kept = kept || is_kept;
#ifndef Py_GIL_DISABLED
        if (!is_kept)
            continue;
#endif
        PyObject *owner = memory_owner(work, array);
        if (owner == NULL || PyArray_SetBaseObject((PyArrayObject *)array->host, owner) < 0)
            PyErr_WriteUnraisable((PyObject *)work->kernel);
    }
    if (kept)
        staging_wait(&work->session, work->kernel->state);
}

void
work_clear_arrays(struct work *work)
{
    for (int i = 0; i < work->n_arrays; i++) {
        array_info_release(&work->arrays[i].info);
        PyMem_Free(work->arrays[i].before);
    }
    work->n_arrays = work->n_device = 0;
}
