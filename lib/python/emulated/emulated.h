/* emulated.h - Python objects over the emulator's memory: what pkwrap.emulator is built of.
 *
 *     Memory      one allocation: device, managed or pinned
 *     Array       a strided view of an allocation, exported by __cuda_array_interface__ and DLPack
 *     functions   streams, copies, and everything of emulator.h
 *
 * No CUDA call is made with the GIL held: the emulator carries queued host functions out while something waits, and those may
 * be Python's.
 */
#ifndef PYTHON_EMULATED_H
#define PYTHON_EMULATED_H

#include "arrays/array_info.h"
#include "core/cuda.h"

enum emulated_kind { EMULATED_DEVICE, EMULATED_MANAGED, EMULATED_PINNED };

struct emulated_memory {
    PyObject_HEAD
    void *pointer; /* NULL: no bytes */
    size_t size;   /* bytes */
    int device;
    enum emulated_kind kind;
    PyObject *weak_references;
};

struct emulated_array {
    PyObject_HEAD
    struct emulated_memory *memory; /* owned */
    uintptr_t pointer;              /* first element */
    int rank;
    int64_t *shape, *strides;       /* one allocation; strides in bytes */
    PyArray_Descr *descr;           /* owned */
};

extern PyTypeObject emulated_memory_type, emulated_array_type;

/* array.c: the reader of emulated arrays, which read_device_array finds by their type. */
enum read_answer read_emulated_array(PyObject *object, struct array_info *info);

/* The emulator's entry points, or NULL with RuntimeError set: it is not selected, or the process was forked. */
const struct cuda_runtime *emulated_runtime(void);
/* 0, or -1 with pkwrap.CudaError set when `code` is an error of the call `what`. */
int emulated_check(int code, const char *what);

/* The calling thread's current stream of a device: 1 the legacy default stream, 2 the per-thread one, or a handle. */
uintptr_t emulated_current_stream(int device);

/* Makes the calling thread use a device while something is done there. 0, or -1 with an exception set. */
int emulated_enter_device(const struct cuda_runtime *runtime, int device, int *before);
void emulated_leave_device(const struct cuda_runtime *runtime, int before);

/* Adds types and functions to the package's extension. 0, or -1 with an exception set. */
int emulated_add(PyObject *module);

/* dlpack.c */
PyObject *emulated_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *emulated_dlpack_device(PyObject *self, PyObject *unused);
/* Sets __dlpack_c_exchange_api__ of the array type. 0, or -1 with an exception set. */
int emulated_dlpack_init(void);

/* calls.c: entry points of the runtime; control.c: the functions of emulator.h. */
extern PyMethodDef emulated_call_methods[], emulated_control_methods[];

#endif
