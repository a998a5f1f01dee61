/* to_device.h - new device arrays of the caller's kind (C42).
 *
 * The maker is the `empty` function of the library that the model comes from (the module that defines its type, or the outermost
 * package of it): cupy.empty, torch.empty, numba.cuda.device_array, pkwrap.emulator.empty. A library without one gets CuPy arrays
 * where CuPy can be imported, else the call is a TypeError.
 */
#ifndef PYTHON_TO_DEVICE_H
#define PYTHON_TO_DEVICE_H

#include "array_info.h"

/* The device array of a call whose kind new ones get, and on whose device. All zero: CuPy's, on the current device. */
struct array_model {
    PyObject *like;    /* borrowed; NULL: none */
    uintptr_t pointer; /* in its memory; 0: it has none */
    bool is_first;     /* CuPy's comes first, wherever it stands: no other will do */
};

/* Takes the array for the model if there is none yet, or a lesser one. Those in host memory are none. */
void model_offer(struct array_model *model, PyObject *array, const struct array_info *info);

/* An uninitialised device array: a new reference, or NULL with an exception set. */
PyObject *device_array_new(const struct array_model *model, int rank, const npy_intp *shape, PyArray_Descr *descr, bool fortran);

/* Reads an array that device_array_new has made. 0, or -1 with TypeError set: it is no device array, or its library has made another one
 * than was asked for. `what` names it ("argument 'out'", "result"). */
int read_new_device_array(PyObject *array, int rank, const npy_intp *shape, pkw_dtype dtype, const char *function, const char *what,
                          struct array_info *info);

/* Whether a device array can have all that a host array has. Not the elements of arrays of objects, strings, dates, records and long
 * doubles; and not what a subclass of numpy.ndarray keeps beside its elements: a mask, a unit. */
bool device_can_hold(PyArrayObject *array);

/* A device array with the contents of `host` (any layout; F order is kept, all else becomes C order; bytes in native order): a new
 * reference, or NULL with an exception set. The transfer is counted as `function`'s, and described as its `what` ("result"). */
PyObject *device_array_from_host(const struct array_model *model, PyArrayObject *host, const char *function, const char *what,
                                 pkw_kernel_state *state);

#endif
