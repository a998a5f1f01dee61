/* emulated.c - memory, streams and devices of the emulator as Python sees them. */
#include "emulated.h"

#include "emulator.h"
#include "errors.h"

enum { N_DEVICES = 16 };

/* 0 stands for the legacy default stream, so that a new thread needs no set-up. */
static _Thread_local uintptr_t current_streams[N_DEVICES];

const struct cuda_runtime *
emulated_runtime(void)
{
    struct session_error error = {.kind = SESSION_OK};
    const struct cuda_runtime *runtime;
    Py_BEGIN_ALLOW_THREADS
    runtime = cuda_runtime(&error);
    Py_END_ALLOW_THREADS
    if (runtime == NULL)
        PyErr_SetString(PyExc_RuntimeError, error.text);
    else if (!runtime->is_emulator) {
        PyErr_Format(PyExc_RuntimeError, "the emulator is not in use: this process has loaded %s", runtime->origin);
        runtime = NULL;
    }
    return runtime;
}

int
emulated_check(int code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return 0;
    const struct cuda_runtime *runtime = cuda_runtime_in_use();
    if (runtime != NULL)
        runtime->get_last_error(); /* told here, so not left for a later call */
    PyErr_Format(cuda_error, "%s: %s", what, runtime == NULL ? "no runtime" : runtime->get_error_name(code));
    return -1;
}

uintptr_t
emulated_current_stream(int device)
{
    uintptr_t stream = device >= 0 && device < N_DEVICES ? current_streams[device] : 0;
    return stream == 0 ? (uintptr_t)CUDA_STREAM_LEGACY : stream;
}

int
emulated_enter_device(const struct cuda_runtime *runtime, int device, int *before)
{
    if (emulated_check(runtime->get_device(before), "cudaGetDevice") < 0)
        return -1;
    return *before == device ? 0 : emulated_check(runtime->set_device(device), "cudaSetDevice");
}

void
emulated_leave_device(const struct cuda_runtime *runtime, int before)
{
    int now;
    if (runtime->get_device(&now) == CUDA_SUCCESS && now != before)
        runtime->set_device(before);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static int
allocate(const struct cuda_runtime *runtime, struct emulated_memory *memory)
{
    int code = CUDA_SUCCESS;
    Py_BEGIN_ALLOW_THREADS
    switch (memory->kind) {
    case EMULATED_DEVICE: code = runtime->malloc(&memory->pointer, memory->size); break;
    case EMULATED_MANAGED: code = runtime->malloc_managed(&memory->pointer, memory->size, CUDA_MANAGED_GLOBAL); break;
    case EMULATED_PINNED: code = runtime->host_alloc(&memory->pointer, memory->size, CUDA_HOST_ALLOC_PORTABLE); break;
    }
    Py_END_ALLOW_THREADS
    if (code == CUDA_MEMORY_ALLOCATION) {
        runtime->get_last_error();
        PyErr_Format(PyExc_MemoryError, "%zu bytes cannot be allocated on emulated device %d", memory->size, memory->device);
        return -1;
    }
    return emulated_check(code, "allocation");
}

static PyObject *
memory_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"size", "kind", NULL};
    Py_ssize_t size;
    int kind = EMULATED_DEVICE, device;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "n|i:Memory", names, &size, &kind))
        return NULL;
    if (size < 0 || kind < EMULATED_DEVICE || kind > EMULATED_PINNED)
        return PyErr_Format(PyExc_ValueError, "no such memory: %zd bytes of kind %d", size, kind);
    const struct cuda_runtime *runtime = emulated_runtime();
    if (runtime == NULL || emulated_check(runtime->get_device(&device), "cudaGetDevice") < 0)
        return NULL;
    struct emulated_memory *memory = (struct emulated_memory *)type->tp_alloc(type, 0);
    if (memory == NULL)
        return NULL;
    memory->size = (size_t)size;
    memory->device = device;
    memory->kind = (enum emulated_kind)kind;
    if (size > 0 && allocate(runtime, memory) < 0) {
        memory->pointer = NULL;
        Py_CLEAR(memory);
    }
    return (PyObject *)memory;
}

static void
memory_dealloc(PyObject *self)
{
    void *pointer = ((struct emulated_memory *)self)->pointer;
    PyTypeObject *type = Py_TYPE(self);
    /* An exception may be on its way while the last array goes; freeing may run Python functions that are queued. */
    PyObject *error_type, *value, *traceback;
    PyErr_Fetch(&error_type, &value, &traceback);
    Py_BEGIN_ALLOW_THREADS
    emulator_release(pointer);
    Py_END_ALLOW_THREADS
    PyErr_Restore(error_type, value, traceback);
    type->tp_free(self);
}

static int
memory_buffer(PyObject *self, Py_buffer *buffer, int flags)
{
    struct emulated_memory *memory = (struct emulated_memory *)self;
    if (memory->kind == EMULATED_DEVICE) {
        PyErr_SetString(PyExc_BufferError, "device memory cannot be touched by the host");
        buffer->obj = NULL;
        return -1;
    }
    return PyBuffer_FillInfo(buffer, self, memory->pointer, (Py_ssize_t)memory->size, 0, flags);
}

static PyBufferProcs memory_as_buffer = {.bf_getbuffer = memory_buffer};

static PyObject *
memory_get_pointer(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromVoidPtr(((struct emulated_memory *)self)->pointer);
}

static PyObject *
memory_get_size(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(((struct emulated_memory *)self)->size);
}

static PyObject *
memory_get_device(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(((struct emulated_memory *)self)->device);
}

static PyGetSetDef memory_getset[] = {
    {"ptr", memory_get_pointer, NULL, "Address of the first byte; 0 where there are none.", NULL},
    {"size", memory_get_size, NULL, "Number of bytes.", NULL},
    {"device_id", memory_get_device, NULL, "Number of the device.", NULL},
    {0},
};

PyTypeObject emulated_memory_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pkwrap._pkwrap.Memory",
    .tp_doc = "Memory(size, kind=0)\n--\n\nAn allocation of `size` bytes on the current emulated device: device memory (0), managed "
              "(1) or pinned host memory (2). The latter two offer their bytes by the buffer protocol.",
    .tp_basicsize = sizeof(struct emulated_memory),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = memory_new,
    .tp_dealloc = memory_dealloc,
    .tp_as_buffer = &memory_as_buffer,
    .tp_getset = memory_getset,
};

/* --- devices and streams ------------------------------------------------------------------------------------------ */

static PyObject *
get_device(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    int device;
    const struct cuda_runtime *runtime = emulated_runtime();
    if (runtime == NULL || emulated_check(runtime->get_device(&device), "cudaGetDevice") < 0)
        return NULL;
    return PyLong_FromLong(device);
}

static PyObject *
set_device(PyObject *self, PyObject *number)
{
    (void)self;
    int device = (int)PyLong_AsLong(number);
    const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime();
    if (runtime == NULL || emulated_check(runtime->set_device(device), "cudaSetDevice") < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
get_device_count(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    int count;
    const struct cuda_runtime *runtime = emulated_runtime();
    if (runtime == NULL || emulated_check(runtime->get_device_count(&count), "cudaGetDeviceCount") < 0)
        return NULL;
    return PyLong_FromLong(count);
}

static PyObject *
get_stream(PyObject *self, PyObject *number)
{
    (void)self;
    long device = PyLong_AsLong(number);
    if (device == -1 && PyErr_Occurred())
        return NULL;
    return PyLong_FromUnsignedLongLong(emulated_current_stream((int)device));
}

static PyObject *
set_stream(PyObject *self, PyObject *args)
{
    (void)self;
    int device;
    unsigned long long stream;
    if (!PyArg_ParseTuple(args, "iK", &device, &stream))
        return NULL;
    if (device < 0 || device >= N_DEVICES)
        return PyErr_Format(PyExc_ValueError, "no emulated device %d", device);
    current_streams[device] = (uintptr_t)stream;
    Py_RETURN_NONE;
}

static PyObject *
stream_create(PyObject *self, PyObject *non_blocking)
{
    (void)self;
    int flag = PyObject_IsTrue(non_blocking);
    const struct cuda_runtime *runtime = flag < 0 ? NULL : emulated_runtime();
    cuda_stream stream;
    if (runtime == NULL
        || emulated_check(runtime->stream_create_with_flags(&stream, flag ? CUDA_STREAM_NON_BLOCKING : 0),
                          "cudaStreamCreateWithFlags") < 0)
        return NULL;
    return PyLong_FromVoidPtr(stream);
}

/* Functions of one stream or event: X(Python name, entry point, symbol) */
#define HANDLE_FUNCTIONS(X)                                                 \
    X(stream_destroy, stream_destroy, cudaStreamDestroy, cuda_stream)       \
    X(stream_synchronize, stream_synchronize, cudaStreamSynchronize, cuda_stream) \
    X(event_destroy, event_destroy, cudaEventDestroy, cuda_event)           \
    X(event_synchronize, event_synchronize, cudaEventSynchronize, cuda_event)

#define X(name, entry, symbol, type)                                        \
    static PyObject *name(PyObject *self, PyObject *number)                 \
    {                                                                       \
        (void)self;                                                         \
        type handle = PyLong_AsVoidPtr(number);                             \
        const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime(); \
        if (runtime == NULL)                                                \
            return NULL;                                                    \
        int code;                                                           \
        Py_BEGIN_ALLOW_THREADS                                              \
        code = runtime->entry(handle);                                      \
        Py_END_ALLOW_THREADS                                                \
        if (emulated_check(code, #symbol) < 0)                              \
            return NULL;                                                    \
        Py_RETURN_NONE;                                                     \
    }
HANDLE_FUNCTIONS(X)
#undef X

/* Queries: True when everything is done. */
#define QUERY_FUNCTIONS(X)                                  \
    X(stream_query, stream_query, cudaStreamQuery, cuda_stream) \
    X(event_query, event_query, cudaEventQuery, cuda_event)

#define X(name, entry, symbol, type)                                        \
    static PyObject *name(PyObject *self, PyObject *number)                 \
    {                                                                       \
        (void)self;                                                         \
        type handle = PyLong_AsVoidPtr(number);                             \
        const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime(); \
        if (runtime == NULL)                                                \
            return NULL;                                                    \
        int code;                                                           \
        Py_BEGIN_ALLOW_THREADS                                              \
        code = runtime->entry(handle);                                      \
        Py_END_ALLOW_THREADS                                                \
        if (code == CUDA_NOT_READY)                                         \
            Py_RETURN_FALSE;                                                \
        if (emulated_check(code, #symbol) < 0)                              \
            return NULL;                                                    \
        Py_RETURN_TRUE;                                                     \
    }
QUERY_FUNCTIONS(X)
#undef X

static PyObject *
device_synchronize(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    const struct cuda_runtime *runtime = emulated_runtime();
    if (runtime == NULL)
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = runtime->device_synchronize();
    Py_END_ALLOW_THREADS
    if (emulated_check(code, "cudaDeviceSynchronize") < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
event_create(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    const struct cuda_runtime *runtime = emulated_runtime();
    cuda_event event;
    if (runtime == NULL
        || emulated_check(runtime->event_create_with_flags(&event, CUDA_EVENT_DISABLE_TIMING), "cudaEventCreateWithFlags") < 0)
        return NULL;
    return PyLong_FromVoidPtr(event);
}

/* event_record(event, stream), stream_wait_event(stream, event) */
static PyObject *
event_record(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned long long event, stream;
    const struct cuda_runtime *runtime = PyArg_ParseTuple(args, "KK", &event, &stream) ? emulated_runtime() : NULL;
    if (runtime == NULL
        || emulated_check(runtime->event_record((cuda_event)(uintptr_t)event, (cuda_stream)(uintptr_t)stream),
                          "cudaEventRecord") < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
stream_wait_event(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned long long event, stream;
    const struct cuda_runtime *runtime = PyArg_ParseTuple(args, "KK", &stream, &event) ? emulated_runtime() : NULL;
    if (runtime == NULL
        || emulated_check(runtime->stream_wait_event((cuda_stream)(uintptr_t)stream, (cuda_event)(uintptr_t)event, 0),
                          "cudaStreamWaitEvent") < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
pointer_attributes(PyObject *self, PyObject *number)
{
    (void)self;
    void *pointer = PyLong_AsVoidPtr(number);
    const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime();
    union cuda_pointer_buffer buffer = {.room = {0}};
    if (runtime == NULL
        || emulated_check(runtime->pointer_get_attributes(&buffer, pointer), "cudaPointerGetAttributes") < 0)
        return NULL;
    return Py_BuildValue("(ii)", buffer.attributes.type, buffer.attributes.device);
}

static PyMethodDef functions[] = {
    {"get_device", get_device, METH_NOARGS, "get_device()\n--\n\nNumber of the current emulated device."},
    {"set_device", set_device, METH_O, "set_device(number)\n--\n\nMakes an emulated device current in this thread."},
    {"get_device_count", get_device_count, METH_NOARGS, "get_device_count()\n--\n\nNumber of emulated devices."},
    {"get_stream", get_stream, METH_O, "get_stream(device)\n--\n\nHandle of this thread's current stream of a device."},
    {"set_stream", set_stream, METH_VARARGS, "set_stream(device, handle)\n--\n\nMakes a stream current; 0 the legacy default one."},
    {"stream_create", stream_create, METH_O, "stream_create(non_blocking)\n--\n\nHandle of a new stream of the current device."},
    {"device_synchronize", device_synchronize, METH_NOARGS, "device_synchronize()\n--\n\nWaits for the current device."},
    {"event_create", event_create, METH_NOARGS, "event_create()\n--\n\nHandle of a new event."},
    {"event_record", event_record, METH_VARARGS, "event_record(event, stream)\n--\n\nRecords an event."},
    {"stream_wait_event", stream_wait_event, METH_VARARGS, "stream_wait_event(stream, event)\n--\n\nOrders a stream after an event."},
    {"pointer_attributes", pointer_attributes, METH_O,
     "pointer_attributes(address)\n--\n\nThe pair (type, device) that cudaPointerGetAttributes tells."},
#define X(name, entry, symbol, type) {#name, name, METH_O, #name "(handle)\n--\n\nCalls " #symbol "."},
    HANDLE_FUNCTIONS(X)
    QUERY_FUNCTIONS(X)
#undef X
    {0},
};

int
emulated_add(PyObject *module)
{
    PyObject *emulator = PyModule_New("pkwrap._pkwrap.emulator");
    if (emulator == NULL)
        return -1;
    if (PyModule_AddFunctions(emulator, functions) < 0 || PyModule_AddFunctions(emulator, emulated_control_methods) < 0
        || PyType_Ready(&emulated_memory_type) < 0 || PyType_Ready(&emulated_array_type) < 0 || emulated_dlpack_init() < 0
        || PyModule_AddObjectRef(emulator, "Memory", (PyObject *)&emulated_memory_type) < 0
        || PyModule_AddObjectRef(emulator, "Array", (PyObject *)&emulated_array_type) < 0
        || PyModule_AddObjectRef(module, "emulator", emulator) < 0) {
        Py_DECREF(emulator);
        return -1;
    }
    Py_DECREF(emulator);
    return 0;
}
