/* pyccel_instance.h - an instance of a compiled argument class whose arrays are the caller's device arrays.
 *
 * The compiled object refers to host arrays. Each stays paired with the caller's array for as long as the instance lives: before
 * compiled code may read it, it is refreshed from the caller's array; after compiled code may have written it, it is copied back.
 */
#ifndef PYTHON_PYCCEL_INSTANCE_H
#define PYTHON_PYCCEL_INSTANCE_H

#include "pyccel.h"

struct pair {
    const char *name;      /* of the attribute; NULL: none refers to it */
    PyObject *outside;     /* owned: the caller's array: on a device, or one that the compiled module would read wrong */
    PyArrayObject *inside; /* owned: what the compiled object refers to */
};

struct pyccel_instance {
    PyObject_HEAD
    PyObject *real; /* owned: the compiled object */
    PyObject *weak_references;
    const pkw_py_class *source;
    struct pair *pairs;
    int n_pairs;
};

/* Takes the references of the pairs and the array of them. NULL with an exception set, and nothing taken. */
PyObject *pyccel_instance_new(PyObject *real, const pkw_py_class *source, struct pair *pairs, int n_pairs);

/* Whether a constructor or an attribute needs a pair for the object: 1 with *pair filled, 0, or -1 with an exception set. A 0-d
 * device array is no pair: *scalar is NumPy's scalar of it, a new reference, else NULL. */
int pair_make(PyObject *object, const char *function, const char *name, struct pair *pair, PyObject **scalar);
void pair_clear(struct pair *pair);

/* All pairs at once. 0, or -1 with an exception set. */
int pairs_refresh(struct pair *pairs, int n_pairs, const char *function);
int pairs_collect(struct pair *pairs, int n_pairs, const char *function);

/* A NumPy array over the staging memory of a view with the elements of `pair->inside`: a new reference, or NULL. */
PyObject *pair_staged(const struct pair *pair, const struct device_view *view);

#endif
