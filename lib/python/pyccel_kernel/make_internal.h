/* make_internal.h - making a PyccelKernel: what __init__ and pickle do, and which callables are refused. */
#ifndef PYTHON_MAKE_INTERNAL_H
#define PYTHON_MAKE_INTERNAL_H

#include "pyccel_kernel.h"

/* __init__: all or nothing. 0, or -1 with an exception set. Running it again changes the kernel; calls that are under way end as
 * they began. */
int pyccel_kernel_fill(struct pyccel_kernel *kernel, PyObject *args, PyObject *keywords);

/* What copy and pickle keep: the arguments of __init__, and attributes of the kernel's own. A new tuple, or NULL with an exception
 * set. */
PyObject *pyccel_kernel_getstate(struct pyccel_kernel *kernel);
int pyccel_kernel_setstate(struct pyccel_kernel *kernel, PyObject *state);

/* deferred.c: callables that do not do their work when they are called, but hand out something that will: coroutine functions and
 * generators. Looks through partials, methods, classes' __call__ and what decorators wrap. 0, or -1 with TypeError set. */
int refuse_deferred(PyObject *callable);
/* The same of what a call returned: closes it. 0, or -1 with TypeError set. */
int refuse_deferred_result(const char *function, PyObject *result);

#endif
