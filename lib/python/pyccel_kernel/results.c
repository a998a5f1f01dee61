/* results.c - what a converting call returns (C42 to C44). */
#include "base/errors.h"
#include "work_internal.h"
#include "arrays/to_device.h"
#include "arrays/views.h"

/* A custom is_array decides; without one every numpy.ndarray is an array. */
static int
classify_result(void *visitor, PyObject *object, int *number)
{
    const struct pyccel_kernel *kernel = ((struct work *)visitor)->kernel;
    int is_array = PyArray_Check(object);
    if (kernel->is_array != NULL) {
        PyObject *answer = PyObject_CallOneArg(kernel->is_array, object);
        is_array = answer == NULL ? -1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        if (is_array < 0)
            return -1;
    }
    *number = 0;
    if (is_array)
        return GRAPH_ARRAY;
    if (PyList_Check(object))
        return GRAPH_LIST;
    if (PyTuple_Check(object))
        return GRAPH_TUPLE;
    return PyDict_Check(object) ? GRAPH_DICT : GRAPH_PLAIN;
}

/* C42: the array whose kind new ones get: of the first argument that has one. */
static struct array_model
find_model(const struct work *work)
{
    struct array_model model = {0};
    int root = 0;
    for (int i = 0; i < work->n_arrays; i++) {
        const struct work_array *array = &work->arrays[i];
        if (array->view < 0)
            continue;
        if (model.like != NULL && !model.is_first && work->graph.nodes[array->node].root < root)
            model = (struct array_model){0};
        if (model.like == NULL)
            root = work->graph.nodes[array->node].root;
        model_offer(&model, array->info.object, &array->info);
    }
    return model;
}

/* --- C44: arrays that are the caller's own ------------------------------------------------------------------------ */

/* The converted argument that an array is, or is a part of: by its memory, since compiled functions hand out parts without a base.
 * NULL: none. */
static const struct work_array *
find_argument(const struct work *work, PyObject *object)
{
    for (int i = 0; i < work->n_arrays && PyArray_Check(object); i++) {
        const struct work_array *array = &work->arrays[i];
        if (array->view >= 0
            && (array->host == object || array_lies_in((PyArrayObject *)object, (PyArrayObject *)array->host)))
            return array;
    }
    return NULL;
}

/* What stands for a returned array: the caller's own, a new one, or the array itself where no device could hold it. */
static PyObject *
convert_array(const struct work *work, PyObject *object)
{
    const struct work_array *array = find_argument(work, object);
    if (array != NULL && is_uploaded(work, array)) {
        if (array->host == object)
            return Py_NewRef(array->info.object);
        return view_of_array(array->info.object, &array->info, (PyArrayObject *)array->host, (PyArrayObject *)object,
                             work->kernel->text, "result");
    }
    PyObject *host = PyArray_Check(object) ? Py_NewRef(object) : PyArray_FROM_O(object); /* is_array may choose anything */
    if (host == NULL)
        return NULL;
    struct pyccel_kernel *kernel = work->kernel;
    PyObject *device;
    const struct array_model model = find_model(work);
    if (device_can_hold((PyArrayObject *)host))
        device = device_array_from_host(&model, (PyArrayObject *)host, kernel->text, "result", kernel->state);
    else
        device = Py_NewRef(object);
    Py_DECREF(host);
    return device;
}

static int
convert_arrays(struct work *work)
{
    for (int i = 0; i < work->results.n_nodes; i++) {
        struct graph_node *node = &work->results.nodes[i];
        if (node->kind != GRAPH_ARRAY)
            continue;
        PyObject *converted = convert_array(work, node->object);
        if (converted == NULL)
            return -1;
        node->reaches = converted != node->object;
        if (node->reaches)
            node->copy = converted;
        else
            Py_DECREF(converted);
    }
    graph_mark(&work->results);
    return graph_copy(&work->results);
}

PyObject *
work_convert_result(struct work *work, PyObject *result)
{
    /* What most kernels return. */
    if (work->kernel->is_array == NULL && (result == Py_None || PyFloat_CheckExact(result) || PyLong_CheckExact(result)))
        return result;
    int node;
    graph_init(&work->results, classify_result, work);
    int done = graph_add_root(&work->results, result, &node);
    if (done == 0 && node >= 0)
        done = graph_explore(&work->results) < 0 ? -1 : convert_arrays(work);
    PyObject *converted = NULL;
    if (done == 0)
        converted = Py_NewRef(node >= 0 && work->results.nodes[node].copy != NULL ? work->results.nodes[node].copy : result);
    graph_clear(&work->results);
    Py_DECREF(result);
    return converted;
}
