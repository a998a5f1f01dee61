/* array.c - a strided view of emulated memory, and copies between it and the host.
 *
 * The element types are CuPy's: bool, integers, float16 to float64, complex64 and complex128, in native byte order.
 */
#include <string.h>

#include "arrays/array_info.h"
#include "arrays/dtypes.h"
#include "emulated.h"
#include "arrays/type_cache.h"

#include <structmember.h>

static bool
is_element_type(PyArray_Descr *descr)
{
    bool swapped;
    switch (dtype_from_descr(descr, &swapped)) {
    case PKW_NO_DTYPE: return false;
    default: return !swapped && PyDataType_ELSIZE(descr) <= (descr->kind == 'c' ? 16 : 8);
    }
}

/* Tuples of equal length into the array's shape and strides. */
static int
read_extents(struct emulated_array *array, PyObject *shape, PyObject *strides)
{
    Py_ssize_t rank = PyTuple_GET_SIZE(shape);
    if (rank > PKW_MAX_RANK || PyTuple_GET_SIZE(strides) != rank) {
        PyErr_SetString(PyExc_ValueError, "shape and strides must be as long as each other");
        return -1;
    }
    array->rank = (int)rank;
    array->shape = PyMem_Calloc((size_t)rank * 2 + 1, sizeof *array->shape);
    if (array->shape == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    array->strides = array->shape + rank;
    for (Py_ssize_t i = 0; i < rank; i++) {
        array->shape[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
        array->strides[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(strides, i));
    }
    return PyErr_Occurred() ? -1 : 0;
}

static bool
is_empty(const struct emulated_array *array)
{
    for (int i = 0; i < array->rank; i++)
        if (array->shape[i] == 0)
            return true;
    return false;
}

/* Every element lies inside the allocation. */
static int
check_bounds(const struct emulated_array *array, int64_t offset)
{
    int64_t low = offset, high = offset + PyDataType_ELSIZE(array->descr);
    for (int i = 0; i < array->rank; i++) {
        if (array->shape[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
            return -1;
        }
        int64_t reach = (array->shape[i] - 1) * array->strides[i];
        if (reach < 0)
            low += reach;
        else
            high += reach;
    }
    if (is_empty(array) || (low >= 0 && high <= (int64_t)array->memory->size))
        return 0;
    PyErr_SetString(PyExc_ValueError, "the view leaves its memory");
    return -1;
}

static PyObject *
array_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"memory", "offset", "shape", "strides", "dtype", NULL};
    PyObject *memory, *shape, *strides;
    PyArray_Descr *descr;
    long long offset;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!LO!O!O!:Array", names, &emulated_memory_type, &memory, &offset,
                                     &PyTuple_Type, &shape, &PyTuple_Type, &strides, &PyArrayDescr_Type, &descr))
        return NULL;
    if (!is_element_type(descr))
        return PyErr_Format(PyExc_TypeError, "device arrays cannot hold elements of type %R", descr);
    struct emulated_array *array = (struct emulated_array *)type->tp_alloc(type, 0);
    if (array == NULL)
        return NULL;
    array->memory = (struct emulated_memory *)Py_NewRef(memory);
    array->descr = (PyArray_Descr *)Py_NewRef((PyObject *)descr);
    array->pointer = (uintptr_t)array->memory->pointer + (uintptr_t)offset;
    if (read_extents(array, shape, strides) < 0 || check_bounds(array, offset) < 0)
        Py_CLEAR(array);
    return (PyObject *)array;
}

static void
array_dealloc(PyObject *self)
{
    struct emulated_array *array = (struct emulated_array *)self;
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF((PyObject *)array->memory);
    Py_XDECREF((PyObject *)array->descr);
    PyMem_Free(array->shape);
    type->tp_free(self);
}

/* Gives the array another shape and strides, over the same elements or fewer. DLPack's consumers have copies of their own. */
static PyObject *
array_set_extents(PyObject *self, PyObject *args)
{
    struct emulated_array *array = (struct emulated_array *)self;
    PyObject *shape, *strides;
    if (!PyArg_ParseTuple(args, "O!O!:_set_extents", &PyTuple_Type, &shape, &PyTuple_Type, &strides))
        return NULL;
    struct emulated_array other = {.memory = array->memory, .descr = array->descr};
    int64_t offset = (int64_t)(array->pointer - (uintptr_t)array->memory->pointer);
    if (read_extents(&other, shape, strides) < 0 || check_bounds(&other, offset) < 0) {
        PyMem_Free(other.shape);
        return NULL;
    }
    PyMem_Free(array->shape);
    array->rank = other.rank;
    array->shape = other.shape;
    array->strides = other.strides;
    Py_RETURN_NONE;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static PyObject *
get_shape(PyObject *self, void *closure)
{
    (void)closure;
    const struct emulated_array *array = (const struct emulated_array *)self;
    return tuple_of_integers(array->shape, array->rank);
}

static PyObject *
get_strides(PyObject *self, void *closure)
{
    (void)closure;
    const struct emulated_array *array = (const struct emulated_array *)self;
    return tuple_of_integers(array->strides, array->rank);
}

static PyObject *
get_offset(PyObject *self, void *closure)
{
    (void)closure;
    const struct emulated_array *array = (const struct emulated_array *)self;
    return PyLong_FromLongLong((long long)(array->pointer - (uintptr_t)array->memory->pointer));
}

static PyObject *
get_interface(PyObject *self, void *closure)
{
    (void)closure;
    const struct emulated_array *array = (const struct emulated_array *)self;
    char typestr[24];
    PyOS_snprintf(typestr, sizeof typestr, "%c%c%d", PyDataType_ELSIZE(array->descr) == 1 ? '|' : PY_LITTLE_ENDIAN ? '<' : '>',
                  array->descr->kind, (int)PyDataType_ELSIZE(array->descr));
    return Py_BuildValue("{s:N,s:s,s:(KO),s:i,s:N,s:K}", "shape", get_shape(self, NULL), "typestr", typestr, "data",
                         (unsigned long long)(is_empty(array) ? 0 : array->pointer), Py_False, "version", 3, "strides",
                         get_strides(self, NULL), "stream",
                         (unsigned long long)emulated_current_stream(array->memory->device));
}

static PyMemberDef array_members[] = {
    {"dtype", T_OBJECT, offsetof(struct emulated_array, descr), READONLY, "The element type, a numpy.dtype."},
    {"memory", T_OBJECT, offsetof(struct emulated_array, memory), READONLY, "The Memory that the elements are in."},
    {0},
};

static PyGetSetDef array_getset[] = {
    {"shape", get_shape, NULL, "Extents, a tuple.", NULL},
    {"strides", get_strides, NULL, "Bytes from one element to the next, a dimension each; a tuple.", NULL},
    {"offset", get_offset, NULL, "Bytes from the start of the memory to the first element.", NULL},
    {"__cuda_array_interface__", get_interface, NULL,
     "Version 3 of the interface; its stream is the calling thread's current one of the array's device.", NULL},
    {0},
};

/* What read_cupy_array does for CuPy's arrays: the fields, and the current stream. */
enum read_answer
read_emulated_array(PyObject *object, struct array_info *info)
{
    const struct emulated_array *array = (const struct emulated_array *)object;
    info->object = object;
    info->keep = NULL;
    info->pointer = array->pointer;
    info->rank = array->rank;
    for (int i = 0; i < array->rank; i++) {
        info->shape[i] = array->shape[i];
        info->strides[i] = array->strides[i];
    }
    info->descr = (PyArray_Descr *)Py_NewRef((PyObject *)array->descr);
    info->dtype = dtype_from_descr(info->descr, &info->swapped);
    info->read_only = false;
    info->on_device = true;
    info->stream_kind = STREAM_HANDLE;
    info->stream = emulated_current_stream(array->memory->device);
    return READ_DONE;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* One copy a stretch of elements that lie side by side, so that no byte between them is touched. */
struct transfer {
    const struct cuda_runtime *runtime;
    const struct emulated_array *array;
    cuda_stream stream;
    char *host; /* packed in C order */
    bool to_host;
    int n_inner; /* trailing dimensions that lie side by side */
    size_t run;  /* bytes of those */
    int code;
};

static void
transfer_from(struct transfer *transfer, int dim, uintptr_t device)
{
    const struct emulated_array *array = transfer->array;
    if (dim < array->rank - transfer->n_inner) {
        for (int64_t i = 0; i < array->shape[dim] && transfer->code == CUDA_SUCCESS; i++)
            transfer_from(transfer, dim + 1, device + (uintptr_t)(i * array->strides[dim]));
        return;
    }
    void *to = transfer->to_host ? transfer->host : (char *)device;
    const void *from = transfer->to_host ? (char *)device : transfer->host;
    transfer->code = transfer->runtime->memcpy_async(to, from, transfer->run,
                                                     transfer->to_host ? CUDA_DEVICE_TO_HOST : CUDA_HOST_TO_DEVICE,
                                                     transfer->stream);
    transfer->host += transfer->run;
}

static int
copy(PyObject *self, void *host, bool to_host)
{
    const struct emulated_array *array = (const struct emulated_array *)self;
    struct transfer transfer = {.runtime = emulated_runtime(), .array = array, .host = host, .to_host = to_host};
    int before;
    if (transfer.runtime == NULL || emulated_enter_device(transfer.runtime, array->memory->device, &before) < 0)
        return -1;
    transfer.stream = (cuda_stream)emulated_current_stream(array->memory->device);
    transfer.run = (size_t)PyDataType_ELSIZE(array->descr);
    for (int i = array->rank - 1; i >= 0 && array->strides[i] == (int64_t)transfer.run; i--) {
        transfer.run *= (size_t)array->shape[i];
        transfer.n_inner++;
    }
    Py_BEGIN_ALLOW_THREADS
    transfer_from(&transfer, 0, array->pointer);
    /* As with CuPy nothing waits for an upload: pageable memory is read before the copy is queued. */
    if (to_host && transfer.code == CUDA_SUCCESS)
        transfer.code = transfer.runtime->stream_synchronize(transfer.stream);
    emulated_leave_device(transfer.runtime, before);
    Py_END_ALLOW_THREADS
    return emulated_check(transfer.code, "cudaMemcpyAsync");
}

static PyObject *
array_get(PyObject *self, PyObject *unused)
{
    (void)unused;
    const struct emulated_array *array = (const struct emulated_array *)self;
    npy_intp shape[PKW_MAX_RANK];
    for (int i = 0; i < array->rank; i++)
        shape[i] = array->shape[i];
    Py_INCREF((PyObject *)array->descr);
    PyObject *host = PyArray_SimpleNewFromDescr(array->rank, shape, array->descr);
    if (host != NULL && !is_empty(array) && copy(self, PyArray_DATA((PyArrayObject *)host), true) < 0)
        Py_CLEAR(host);
    return host;
}

static PyObject *
array_set(PyObject *self, PyObject *values)
{
    const struct emulated_array *array = (const struct emulated_array *)self;
    if (!PyArray_Check(values) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)values)
        || !PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)values), array->descr)
        || PyArray_NDIM((PyArrayObject *)values) != array->rank)
        return PyErr_Format(PyExc_TypeError, "a C-contiguous array of the same type and shape is needed");
    for (int i = 0; i < array->rank; i++)
        if (PyArray_DIM((PyArrayObject *)values, i) != array->shape[i])
            return PyErr_Format(PyExc_ValueError, "shapes differ in dimension %d", i);
    if (!is_empty(array) && copy(self, PyArray_DATA((PyArrayObject *)values), false) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef array_methods[] = {
    {"_get", array_get, METH_NOARGS,
     "_get()\n--\n\nA C-contiguous numpy.ndarray with the elements, after what the current stream has queued."},
    {"_set", array_set, METH_O, "_set(values)\n--\n\nCopies a C-contiguous numpy.ndarray of the same shape and dtype into it."},
    {"_set_extents", array_set_extents, METH_VARARGS,
     "_set_extents(shape, strides)\n--\n\nGives the array another shape and strides, tuples of ints."},
    {"__dlpack__", (PyCFunction)(void (*)(void))emulated_dlpack, METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None)\n--\n\nA DLPack capsule, ordered before the consumer's stream."},
    {"__dlpack_device__", emulated_dlpack_device, METH_NOARGS, "__dlpack_device__()\n--\n\nThe pair (device type, number)."},
    {0},
};

PyTypeObject emulated_array_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pkwrap._pkwrap.Array",
    .tp_doc = "Array(memory, offset, shape, strides, dtype)\n--\n\nElements of a Memory: `offset` and `strides` in bytes, `shape` and "
              "`strides` tuples of ints, `dtype` a native numpy.dtype.",
    .tp_basicsize = sizeof(struct emulated_array),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = array_new,
    .tp_dealloc = array_dealloc,
    .tp_methods = array_methods,
    .tp_members = array_members,
    .tp_getset = array_getset,
};
