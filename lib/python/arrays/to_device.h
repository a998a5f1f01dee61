/* to_device.h - new device arrays of the caller's kind (C42).
 *
 * `like` is a device array of the call whose kind is wanted, or NULL for CuPy. The maker is the `empty` function of
 * the library that `like` comes from (the module that defines its type, or the outermost package of it): cupy.empty,
 * torch.empty on like's device, numba.cuda.device_array, pkwrap.emulator.empty. A library without one gets CuPy arrays where CuPy
 * can be imported, else the call is a TypeError.
 */
#ifndef PYTHON_TO_DEVICE_H
#define PYTHON_TO_DEVICE_H

#include "array_info.h"

/* An uninitialised device array: a new reference, or NULL with an exception set. */
PyObject *device_array_new(PyObject *like, int rank, const npy_intp *shape, PyArray_Descr *descr, bool fortran);

/* Whether there are device arrays with such elements, in native byte order: not of objects, strings, dates, records and long
 * doubles. */
bool device_can_hold(PyArray_Descr *descr);

/* A device array with the contents of `host` (any layout; F order is kept, all else becomes C order; bytes in native order): a new
 * reference, or NULL with an exception set. The transfer is counted as `function`'s, and described as its `what` ("result"). */
PyObject *device_array_from_host(PyObject *like, PyArrayObject *host, const char *function, const char *what,
                                 pkw_kernel_state *state);

#endif
