/* pyccel_kernel.h - pkwrap.PyccelKernel: any callable that takes NumPy arrays, called with device arrays as well.
 *
 * A call goes as far along this line as its arguments need:
 *
 *   pyccel_kernel.c  the type; the fast path: one look at the type of each argument, then the callable itself
 *   make.c     __init__, pickle and copy; deferred.c: callables that would do their work later
 *   call.c     the pipeline of all other calls
 *   graph.c    what is reachable from the arguments: arrays, and the containers and objects on the way to them
 *   outputs.c  which arguments the declaration calls written
 *   arrays.c   device arrays to host arrays over staging memory, and back
 *   watch.c    verify and learn mode
 *   results.c  returned host arrays become arrays of the caller's kind
 *
 * With the GIL held throughout, but for what staging.h does.
 */
#ifndef PYTHON_PYCCEL_KERNEL_H
#define PYTHON_PYCCEL_KERNEL_H

#include "base/python.h"

enum use_cupy { USE_AS_BACKEND = -1, USE_NEVER, USE_ALWAYS };

/* Why a call cannot take the fast path, whatever its arguments are. */
enum { ATTENTION_UNCHECKED = 1 }; /* the declaration of outputs has not been held against a call yet (C31) */

/* The parameters of the callable, as far as they can be known. */
struct known_parameters {
    PyObject *names;    /* tuple of str: by position first, then keyword-only, without *args and **kwargs; owned */
    int n_positional;   /* those that a position can reach */
    bool has_more;      /* *args: positions without a name */
};

struct pyccel_kernel {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *callable, *name, *module; /* name and module: str */
    PyObject *object_modules;      /* tuple of str */
    PyObject *is_array;            /* callable, or NULL */
    PyObject *outputs;             /* tuple of int and str, or NULL */
    PyObject *parameters;          /* as given: tuple of str, a callable, or NULL */
    PyObject *dictionary, *weak_references;
    const char *text, *module_text; /* of name and module, UTF-8; owned by them */
    pkw_kernel_state *state;       /* lives as long as the process */
    struct known_parameters known; /* found when first needed */
    bool looked_for_parameters;
    bool copy_back;                /* on_error="copy_back" */
    signed char use_cupy;          /* enum use_cupy */
    unsigned char attention;
    bool is_fallback, has_warned;  /* pkwrap.fallback; has said so */
    bool ignores_flags;            /* compiled code, which writes to arrays that are marked read-only, too */
    unsigned interesting;          /* kinds of types (arrays/type_cache.h) that its calls must look into */
    unsigned guarded;              /* kinds whose read-only instances are looked at: KIND_NUMPY, or 0 where Python guards them */
    PyObject *former;              /* what a kernel that was made anew was made of; owned, or NULL */
};

extern PyTypeObject pyccel_kernel_type;

/* Adds PyccelKernel and fallback() to the package's extension. 0, or -1 with an exception set. */
int pyccel_kernel_add(PyObject *module);

/* call.c: a call that the fast path has not taken; the vectorcall convention without PY_VECTORCALL_ARGUMENTS_OFFSET. */
PyObject *pyccel_kernel_call(struct pyccel_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
