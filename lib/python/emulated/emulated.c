/* emulated.c - memory of the emulator as Python sees it, and what all objects and functions over it share. */
#include "emulated.h"

#include <structmember.h>

#include "arrays/type_cache.h"
#include "emulator/emulator.h"
#include "base/errors.h"

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
    PyObject_ClearWeakRefs(self);
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

static PyMemberDef memory_members[] = {
    {"ptr", T_ULONGLONG, offsetof(struct emulated_memory, pointer), READONLY, "Address of the first byte; 0 where there are none."},
    {"size", T_PYSSIZET, offsetof(struct emulated_memory, size), READONLY, "Number of bytes."},
    {"device_id", T_INT, offsetof(struct emulated_memory, device), READONLY, "Number of the device."},
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
    .tp_weaklistoffset = offsetof(struct emulated_memory, weak_references),
    .tp_as_buffer = &memory_as_buffer,
    .tp_members = memory_members,
};

/* --- the module ---------------------------------------------------------------------------------------------------- */

int
emulated_add(PyObject *module)
{
    PyObject *emulator = PyModule_New("pkwrap._pkwrap.emulator");
    if (emulator == NULL)
        return -1;
    if (PyModule_AddFunctions(emulator, emulated_call_methods) < 0 || PyModule_AddFunctions(emulator, emulated_control_methods) < 0
        || PyType_Ready(&emulated_memory_type) < 0 || PyType_Ready(&emulated_array_type) < 0 || emulated_dlpack_init() < 0
        || PyModule_AddObjectRef(emulator, "Memory", (PyObject *)&emulated_memory_type) < 0
        || PyModule_AddObjectRef(emulator, "Array", (PyObject *)&emulated_array_type) < 0
        || PyModule_AddObjectRef(module, "emulator", emulator) < 0) {
        Py_DECREF(emulator);
        return -1;
    }
    register_array_type(&emulated_array_type, read_emulated_array, "pkwrap.emulator");
    Py_DECREF(emulator);
    return 0;
}
