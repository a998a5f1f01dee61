/* calls.c - entry points of the emulated runtime as functions of the extension: devices, streams, events. */
#include "emulated.h"

#include "emulator/emulator.h"

enum { N_DEVICES = 16 };

/* 0 stands for the legacy default stream, so that a new thread needs no set-up. */
static _Thread_local uintptr_t current_streams[N_DEVICES];

uintptr_t
emulated_current_stream(int device)
{
    uintptr_t stream = device >= 0 && device < N_DEVICES ? current_streams[device] : 0;
    return stream == 0 ? (uintptr_t)CUDA_STREAM_LEGACY : stream;
}

/* --- what a function gives after its call ------------------------------------------------------------------------- */

static PyObject *
give_none(int code, const char *symbol)
{
    return emulated_check(code, symbol) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Of a query: whether everything is done. */
static PyObject *
give_done(int code, const char *symbol)
{
    if (code == CUDA_NOT_READY)
        Py_RETURN_FALSE;
    return emulated_check(code, symbol) < 0 ? NULL : Py_NewRef(Py_True);
}

static PyObject *
give_number(int code, const char *symbol, int number)
{
    return emulated_check(code, symbol) < 0 ? NULL : PyLong_FromLong(number);
}

static PyObject *
give_handle(int code, const char *symbol, void *handle)
{
    return emulated_check(code, symbol) < 0 ? NULL : PyLong_FromVoidPtr(handle);
}

/* --- functions by the shape of their call ------------------------------------------------------------------------- */

/* Without arguments, giving a number: X(Python name and entry point, symbol, documentation) */
#define NUMBER_FUNCTIONS(X)                                                         \
    X(get_device, cudaGetDevice, "Number of the current emulated device.")          \
    X(get_device_count, cudaGetDeviceCount, "Number of emulated devices.")

#define X(name, symbol, documentation)                                              \
    static PyObject *name(PyObject *self, PyObject *unused)                         \
    {                                                                               \
        (void)self, (void)unused;                                                   \
        int number = 0;                                                             \
        const struct cuda_runtime *runtime = emulated_runtime();                    \
        if (runtime == NULL)                                                        \
            return NULL;                                                            \
        int code = runtime->name(&number);                                          \
        return give_number(code, #symbol, number);                                  \
    }
NUMBER_FUNCTIONS(X)
#undef X

/* Of one stream or event, possibly waiting: X(Python name and entry point, symbol, type, what it gives) */
#define HANDLE_FUNCTIONS(X)                                                         \
    X(stream_destroy, cudaStreamDestroy, cuda_stream, give_none)                    \
    X(stream_synchronize, cudaStreamSynchronize, cuda_stream, give_none)            \
    X(stream_query, cudaStreamQuery, cuda_stream, give_done)                        \
    X(event_destroy, cudaEventDestroy, cuda_event, give_none)                       \
    X(event_synchronize, cudaEventSynchronize, cuda_event, give_none)               \
    X(event_query, cudaEventQuery, cuda_event, give_done)

#define X(name, symbol, type, give)                                                 \
    static PyObject *name(PyObject *self, PyObject *number)                         \
    {                                                                               \
        (void)self;                                                                 \
        type handle = PyLong_AsVoidPtr(number);                                     \
        const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime(); \
        if (runtime == NULL)                                                        \
            return NULL;                                                            \
        int code;                                                                   \
        Py_BEGIN_ALLOW_THREADS                                                      \
        code = runtime->name(handle);                                               \
        Py_END_ALLOW_THREADS                                                        \
        return give(code, #symbol);                                                 \
    }
HANDLE_FUNCTIONS(X)
#undef X

/* Of two handles: X(Python name, symbol, types, call) */
#define PAIR_FUNCTIONS(X)                                                           \
    X(event_record, cudaEventRecord, cuda_event, cuda_stream, runtime->event_record(first, second)) \
    X(stream_wait_event, cudaStreamWaitEvent, cuda_stream, cuda_event, runtime->stream_wait_event(first, second, 0))

#define X(name, symbol, first_type, second_type, call)                              \
    static PyObject *name(PyObject *self, PyObject *args)                           \
    {                                                                               \
        (void)self;                                                                 \
        unsigned long long numbers[2];                                              \
        const struct cuda_runtime *runtime =                                        \
            PyArg_ParseTuple(args, "KK", &numbers[0], &numbers[1]) ? emulated_runtime() : NULL; \
        if (runtime == NULL)                                                        \
            return NULL;                                                            \
        first_type first = (first_type)(uintptr_t)numbers[0];                       \
        second_type second = (second_type)(uintptr_t)numbers[1];                    \
        return give_none(call, #symbol);                                            \
    }
PAIR_FUNCTIONS(X)
#undef X

/* --- the others --------------------------------------------------------------------------------------------------- */

static PyObject *
set_device(PyObject *self, PyObject *number)
{
    (void)self;
    int device = (int)PyLong_AsLong(number);
    const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime();
    return runtime == NULL ? NULL : give_none(runtime->set_device(device), "cudaSetDevice");
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
    cuda_stream stream = NULL;
    if (runtime == NULL)
        return NULL;
    int code = runtime->stream_create_with_flags(&stream, flag ? CUDA_STREAM_NON_BLOCKING : 0);
    return give_handle(code, "cudaStreamCreateWithFlags", stream);
}

static PyObject *
event_create(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    const struct cuda_runtime *runtime = emulated_runtime();
    cuda_event event = NULL;
    if (runtime == NULL)
        return NULL;
    int code = runtime->event_create_with_flags(&event, CUDA_EVENT_DISABLE_TIMING);
    return give_handle(code, "cudaEventCreateWithFlags", event);
}

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
    return give_none(code, "cudaDeviceSynchronize");
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

PyMethodDef emulated_call_methods[] = {
    {"set_device", set_device, METH_O, "set_device(number)\n--\n\nMakes an emulated device current in this thread."},
    {"get_stream", get_stream, METH_O, "get_stream(device)\n--\n\nHandle of this thread's current stream of a device."},
    {"set_stream", set_stream, METH_VARARGS, "set_stream(device, handle)\n--\n\nMakes a stream current; 0 the legacy default one."},
    {"stream_create", stream_create, METH_O, "stream_create(non_blocking)\n--\n\nHandle of a new stream of the current device."},
    {"device_synchronize", device_synchronize, METH_NOARGS, "device_synchronize()\n--\n\nWaits for the current device."},
    {"event_create", event_create, METH_NOARGS, "event_create()\n--\n\nHandle of a new event."},
    {"pointer_attributes", pointer_attributes, METH_O,
     "pointer_attributes(address)\n--\n\nThe pair (type, device) that cudaPointerGetAttributes tells."},
    {"event_record", event_record, METH_VARARGS, "event_record(event, stream)\n--\n\nRecords an event."},
    {"stream_wait_event", stream_wait_event, METH_VARARGS, "stream_wait_event(stream, event)\n--\n\nOrders a stream after an event."},
#define X(name, symbol, documentation) {#name, name, METH_NOARGS, #name "()\n--\n\n" documentation},
    NUMBER_FUNCTIONS(X)
#undef X
#define X(name, symbol, type, give) {#name, name, METH_O, #name "(handle)\n--\n\nCalls " #symbol "."},
    HANDLE_FUNCTIONS(X)
#undef X
    {0},
};
