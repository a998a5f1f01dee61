/* views.h - a part of a host copy, as the same part of the caller's array.
 *
 * A kernel that was given a host copy of an array may hand out a part of it: a row, every second element, the whole. The copy ends
 * or goes stale; what the caller gets has to be a view of the caller's own memory, or writes to it would be lost.
 */
#ifndef PYTHON_VIEWS_H
#define PYTHON_VIEWS_H

#include "array_info.h"

/* Whether elements of `part` lie among those of `whole`, from the first to the last. False where one has no elements. */
bool array_lies_in(PyArrayObject *part, PyArrayObject *whole);

/* The elements of `owner` that `part` shows of `copy`. `info` describes `owner`, in host memory or on a device; `copy` has its shape and
 * element type, packed in any order or with its very strides, and `part` lies in it. A new reference: a numpy.ndarray, as writable as
 * the owner, or what the owner's library makes of its own array. NULL with an exception set: ValueError that begins with "FUNCTION():
 * WHAT" where there can be no such view. */
PyObject *view_of_array(PyObject *owner, const struct array_info *info, PyArrayObject *copy, PyArrayObject *part,
                        const char *function, const char *what);

#endif
