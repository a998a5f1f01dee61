/* call.h - one call of a generated module's kernel on its way through the pipeline.
 *
 *     bind -> read -> sizes -> prepare -> run -> finish -> results
 *
 *   bind     (bind.c)      positional and keyword arguments to parameters
 *   read     (read.c)      each argument by the kind of its parameter: scalars to C values, arrays described and judged
 *   sizes    (sizes.c)     sizes from dimensions, filled-in values, every declared dimension checked
 *   prepare  (prepare.c)   missing arrays made, overlaps judged, host arrays packed, device arrays staged
 *   run      (gil.c)       the C function
 *   finish   (prepare.c)   written arrays scattered and uploaded
 *   results  (results.c)   what Python gets
 *
 * Each step returns 0, or -1 with an exception set; call_release (call.c) gives back what any of them took. Nothing the
 * caller sees changes before `run`.
 *
 * What a kernel that is no C function does its own way is in a table of operations.
 */
#ifndef PYTHON_CALL_H
#define PYTHON_CALL_H

#include "arrays/array_info.h"
#include "core/session.h"

/* What became of one parameter; entries in C order. */
struct argument {
    PyObject *given;       /* borrowed: as passed; NULL: left out, or None where None means that */
    PyObject *resolved;    /* owned: what __host_args__ of the object that was passed gave (C23): then it is `given` */
    PyObject *made;        /* owned: the array made for a created one */
    PyArrayObject *array;  /* owned: NumPy's view of a host array of another library, or NULL */
    PyArrayObject *packed; /* owned: host memory that the kernel gets in place of the array itself, or NULL */
    PyObject *passed;      /* owned: what a kernel that gets objects gets, where that is not what was given */
    int view;              /* of the session, or -1 */
    bool is_null;          /* a nullable one that is NULL */
    bool was_none;         /* given as None where that is allowed */
    bool is_array;         /* info describes it: arrays, and cells given as 0-d arrays */
    bool is_known;         /* slot holds the value of a scalar, size or filled-in value */
    struct array_info info;
};

struct call;

/* Kinds of kernels. Each but `fits` and `release` returns 0, or -1 with an exception set; NULL: nothing is to be done. */
struct call_operations {
    /* Whether the kernel can use a host array as it lies; native byte order is seen to. */
    bool (*fits)(const pkw_param *param, PyArrayObject *array);
    /* Reads an argument of a kind that only such kernels have. */
    int (*read)(struct call *call, int position);
    /* Adds what is behind the arguments to the session, when their own arrays are there. */
    int (*stage)(struct call *call);
    /* When everything is in host memory: makes of it what the kernel gets. */
    int (*pass)(struct call *call);
    /* The kernel itself. */
    int (*run)(struct call *call);
    /* Before the session is written back: what the kernel has written behind the arguments. */
    int (*collect)(struct call *call);
    /* What the call returns: a new reference, or NULL with an exception set. */
    PyObject *(*results)(struct call *call);
    /* Gives back what the operations took, on every way out. */
    void (*release)(struct call *call);
    /* Verify and learn mode: tells of further arrays by watch_further. */
    int (*watch)(struct call *call);
};

struct call {
    const pkw_kernel *kernel;
    const struct call_operations *operations;
    struct argument *arguments; /* n_params */
    pkw_slot *slots;            /* n_params: what the kernel gets */
    pkw_slot *cells;            /* n_params: memory of scalars behind pointers */
    pkw_slot result;
    struct session session;
    int n_device;               /* arguments in the session; 0: it is not initialised */
    struct further_array *further; /* owned list: arrays beside the arguments that verify and learn mode look at */
    int n_converted;            /* those, and the integers that were fetched from a device before */
    int n_made;                 /* arrays that their libraries have made */
    size_t n_bytes;             /* of all arrays */
};

/* Bits of a parameter that several steps ask for. */
static inline bool
is_written(const pkw_param *param)
{
    return (param->flags & PKW_WRITTEN) != 0;
}

/* Arrays whose contents before the call nobody reads. */
static inline bool
is_write_only(const pkw_param *param)
{
    return (param->flags & (PKW_OVERWRITTEN | PKW_SCRATCH)) != 0;
}

/* The NumPy array behind an argument in host memory; borrowed. */
static inline PyArrayObject *
host_array(const struct argument *argument)
{
    if (argument->array != NULL)
        return argument->array;
    return (PyArrayObject *)(argument->given != NULL ? argument->given : argument->made);
}

/* Carries out a call whose kernel and operations are set; all else of it is zero. A new reference, or NULL with an exception set. */
PyObject *carry_out(struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* The table's `call`: of a C function. */
PyObject *call_function(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* For the operation `watch`: adds an array that the kernel reaches beside the arguments, under a name that outlives the call; one
 * without elements is left out. 0, or -1 with an exception set. */
int watch_further(struct call *call, const char *name, PyArrayObject *array, bool written);

#endif
