/* dlpack.c - emulated arrays as DLPack gives them out: the method and the type's C table. */
#include "arrays/dlpack.h"
#include "arrays/dtypes.h"
#include "emulated.h"

/* What a managed tensor keeps: the array, and extents of its own, since the array may be given another shape meanwhile. */
struct exported {
    union {
        struct dlpack_managed plain;
        struct dlpack_versioned versioned;
    } managed;
    PyObject *array; /* owned */
    int64_t extents[]; /* shape, then strides in elements */
};

static int
device_type_of_memory(const struct emulated_memory *memory)
{
    switch (memory->kind) {
    case EMULATED_MANAGED: return DLPACK_CUDA_MANAGED;
    case EMULATED_PINNED: return DLPACK_CUDA_HOST;
    case EMULATED_DEVICE: break;
    }
    return DLPACK_CUDA;
}

static uint8_t
type_code(char kind)
{
    switch (kind) {
    case 'b': return DLPACK_BOOL;
    case 'i': return DLPACK_INT;
    case 'u': return DLPACK_UINT;
    case 'c': return DLPACK_COMPLEX;
    default: return DLPACK_FLOAT;
    }
}

/* extents: room for twice the rank. */
static void
fill_tensor(const struct emulated_array *array, int64_t *extents, struct dlpack_tensor *tensor)
{
    int64_t item_size = PyDataType_ELSIZE(array->descr);
    int64_t *shape = extents, *strides = extents + array->rank;
    for (int i = 0; i < array->rank; i++) {
        shape[i] = array->shape[i];
        strides[i] = array->strides[i] / item_size;
    }
    *tensor = (struct dlpack_tensor){
        .data = (void *)array->pointer,
        .device_type = device_type_of_memory(array->memory),
        .device_id = array->memory->device,
        .rank = array->rank,
        .code = type_code(array->descr->kind),
        .bits = (uint8_t)(8 * item_size),
        .lanes = 1,
        .shape = shape,
        .strides = strides,
    };
}

static struct exported *
export(PyObject *self)
{
    const struct emulated_array *array = (const struct emulated_array *)self;
    for (int i = 0; i < array->rank; i++)
        if (array->strides[i] % PyDataType_ELSIZE(array->descr) != 0) {
            PyErr_SetString(PyExc_BufferError, "DLPack cannot express strides that are no multiple of the element's size");
            return NULL;
        }
    struct exported *exported = PyMem_RawCalloc(1, sizeof *exported + 2 * (size_t)array->rank * sizeof(int64_t));
    if (exported == NULL)
        PyErr_NoMemory();
    else
        exported->array = Py_NewRef(self);
    return exported;
}

/* Deleters are called from anywhere, with or without the GIL. */
static void
drop(struct exported *exported)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(exported->array);
    PyGILState_Release(state);
    PyMem_RawFree(exported);
}

static void
delete_plain(struct dlpack_managed *managed)
{
    drop(managed->context);
}

static void
delete_versioned(struct dlpack_versioned *managed)
{
    drop(managed->context);
}

static struct dlpack_versioned *
export_versioned(PyObject *self)
{
    struct exported *exported = export(self);
    if (exported == NULL)
        return NULL;
    exported->managed.versioned =
        (struct dlpack_versioned){.version = {DLPACK_MAJOR, 0}, .context = exported, .deleter = delete_versioned};
    fill_tensor((const struct emulated_array *)self, exported->extents, &exported->managed.versioned.tensor);
    return &exported->managed.versioned;
}

static struct dlpack_managed *
export_plain(PyObject *self)
{
    struct exported *exported = export(self);
    if (exported == NULL)
        return NULL;
    exported->managed.plain = (struct dlpack_managed){.context = exported, .deleter = delete_plain};
    fill_tensor((const struct emulated_array *)self, exported->extents, &exported->managed.plain.tensor);
    return &exported->managed.plain;
}

/* A capsule that nobody took deletes its tensor. */
static void
capsule_gone(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
        delete_versioned(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    else if (PyCapsule_IsValid(capsule, "dltensor"))
        delete_plain(PyCapsule_GetPointer(capsule, "dltensor"));
}

/* What is queued on the producer's current stream comes before what the consumer queues on its own from now on. */
static int
order_streams(const struct emulated_array *array, cuda_stream consumer)
{
    cuda_stream producer = (cuda_stream)emulated_current_stream(array->memory->device);
    if (producer == consumer)
        return 0;
    const struct cuda_runtime *runtime = emulated_runtime();
    int before;
    cuda_event event;
    if (runtime == NULL || emulated_enter_device(runtime, array->memory->device, &before) < 0)
        return -1;
    int code = runtime->event_create_with_flags(&event, CUDA_EVENT_DISABLE_TIMING);
    if (code == CUDA_SUCCESS) {
        code = runtime->event_record(event, producer);
        if (code == CUDA_SUCCESS)
            code = runtime->stream_wait_event(consumer, event, 0);
        runtime->event_destroy(event);
    }
    emulated_leave_device(runtime, before);
    return emulated_check(code, "ordering of streams for DLPack");
}

/* stream: None (the legacy default stream), 1, 2 or a handle; -1: no ordering; 0 is refused. */
static int
order_before(PyObject *self, PyObject *stream)
{
    const struct emulated_array *array = (const struct emulated_array *)self;
    if (stream == NULL || stream == Py_None)
        return order_streams(array, CUDA_STREAM_LEGACY);
    long long handle = PyLong_AsLongLong(stream);
    if (handle == -1)
        return PyErr_Occurred() ? -1 : 0;
    if (handle == 0) {
        PyErr_SetString(PyExc_ValueError, "stream 0 is ambiguous: pass 1 for the legacy default stream, 2 for the per-thread one");
        return -1;
    }
    return order_streams(array, (cuda_stream)(uintptr_t)handle);
}

PyObject *
emulated_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *stream = NULL, *max_version = NULL;
    if (nargs > 0)
        return PyErr_Format(PyExc_TypeError, "__dlpack__() takes keyword arguments only");
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, i);
        if (PyUnicode_CompareWithASCIIString(name, "stream") == 0)
            stream = args[i];
        else if (PyUnicode_CompareWithASCIIString(name, "max_version") == 0)
            max_version = args[i];
        else
            return PyErr_Format(PyExc_TypeError, "__dlpack__() got an unexpected keyword argument '%U'", name);
    }
    if (order_before(self, stream) < 0)
        return NULL;
    bool versioned = false;
    if (max_version != NULL && PyTuple_Check(max_version) && PyTuple_GET_SIZE(max_version) > 0)
        versioned = PyLong_AsLong(PyTuple_GET_ITEM(max_version, 0)) >= 1;
    void *managed = PyErr_Occurred() ? NULL : versioned ? (void *)export_versioned(self) : (void *)export_plain(self);
    return managed == NULL ? NULL : PyCapsule_New(managed, versioned ? "dltensor_versioned" : "dltensor", capsule_gone);
}

PyObject *
emulated_dlpack_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    const struct emulated_memory *memory = ((const struct emulated_array *)self)->memory;
    return Py_BuildValue("(ii)", device_type_of_memory(memory), memory->device);
}

/* --- the C table -------------------------------------------------------------------------------------------------- */

static int
managed_from_object(void *object, struct dlpack_versioned **managed)
{
    *managed = export_versioned(object);
    return *managed == NULL ? -1 : 0;
}

static int
current_work_stream(int device_type, int32_t device_id, void **stream)
{
    (void)device_type;
    *stream = (void *)emulated_current_stream(device_id);
    return 0;
}

/* No borrowing entry: strides in elements have to be kept somewhere. */
static struct dlpack_exchange_api exchange = {
    .header = {.version = {DLPACK_MAJOR, 3}},
    .managed_from_object = managed_from_object,
    .current_work_stream = current_work_stream,
};

int
emulated_dlpack_init(void)
{
    PyObject *capsule = PyCapsule_New(&exchange, "dlpack_exchange_api", NULL);
    if (capsule == NULL)
        return -1;
    int done = PyDict_SetItemString(emulated_array_type.tp_dict, "__dlpack_c_exchange_api__", capsule);
    Py_DECREF(capsule);
    PyType_Modified(&emulated_array_type);
    return done;
}
