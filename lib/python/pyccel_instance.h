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
    PyArrayObject *inside; /* owned: what the compiled object refers to; one for all pairs of the same caller's array */
    bool part;             /* the attribute is a view of `inside`, with other elements or another shape */
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

/* Among the pairs the one of the same caller's array: *pair shares its host array. */
bool pair_share(const struct pair *pairs, int n_pairs, PyObject *object, struct pair *pair);
/* Do two arrays in the same kind of memory share a byte? Exact, as views_share_bytes is. */
bool infos_share_bytes(const struct array_info *one, const struct array_info *other);
/* ValueError where two of the caller's arrays share memory but not their host copy. 0 or -1. */
int pairs_check_apart(struct pair *pairs, int n_pairs, const char *function);

/* A NumPy array over the staging memory of a view with the elements of `pair->inside`: a new reference, or NULL. */
PyObject *pair_staged(const struct pair *pair, const struct device_view *view);

#endif
