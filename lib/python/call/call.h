/* call.h - one call of a generated module's kernel on its way through the pipeline.
 *
 *     bind -> read -> sizes -> prepare -> run -> finish -> results
 *
 *   bind     (bind.c)      positional and keyword arguments to parameters
 *   read     (read.c)      each argument by the kind of its parameter: scalars to C values, arrays described and judged
 *   sizes    (sizes.c)     sizes from dimensions, filled-in values, every declared dimension checked
 *   prepare  (prepare.c)   missing arrays made, overlaps judged, host arrays packed, device arrays staged
 *   run      (gil.c)       the C function
 *   finish   (finish.c)    written arrays scattered and uploaded
 *   results  (results.c)   what Python gets
 *
 * Each step returns 0, or -1 with an exception set; call_release (call.c) gives back what any of them took. Nothing the
 * caller sees changes before `run`.
 */
#ifndef PYTHON_CALL_H
#define PYTHON_CALL_H

#include "arrays/array_info.h"
#include "core/session.h"

/* Kinds of parameters of a Python callable (pyccel_module/pyccel_module.h), beside PKW_ARRAY: what becomes of them is in pyccel_module/call.c. */
enum { PARAM_SCALAR = PKW_CHAR + 1, PARAM_CLASS, PARAM_OBJECT };

/* Beside the flags of pkwrap.h: a layout that Pyccel's modules take as it is (pyccel_module/fit.c) need not be packed. */
#define PARAM_PYCCEL (1u << 31)

/* What became of one parameter; entries in C order. */
struct argument {
    PyObject *given;       /* borrowed: as passed; NULL: left out, or None where None means that */
    PyObject *resolved;    /* owned: what __host_args__ of the object that was passed gave (C23): then it is `given` */
    PyObject *made;        /* owned: the array made for a created one */
    PyArrayObject *array;  /* owned: NumPy's view of a host array of another library, or NULL */
    PyArrayObject *packed; /* owned: host memory that the kernel gets in place of the array itself, or NULL */
    PyObject *passed;      /* owned: what a Python callable gets, where that is not what was given */
    int view;              /* of the session, or -1 */
    bool is_null;          /* a nullable one that is NULL */
    bool was_none;         /* given as None where that is allowed */
    bool is_array;         /* info describes it: arrays, and cells given as 0-d arrays */
    bool is_known;         /* slot holds the value of a scalar, size or filled-in value */
    struct array_info info;
};

struct call {
    const pkw_kernel *kernel;
    struct argument *arguments; /* n_params */
    pkw_slot *slots;            /* n_params: what the kernel gets */
    pkw_slot *cells;            /* n_params: memory of scalars behind pointers */
    pkw_slot result;
    struct session session;
    int n_device;               /* arguments in the session; 0: it is not initialised */
    PyObject *target;           /* borrowed: the Python callable that stands for kernel->run, or NULL */
    PyObject *returned;         /* owned: what it returned */
    struct instance_use *uses;  /* of argument objects (pyccel_module/use.c) */
    struct attribute_watch *attribute_watches; /* of the same, in verify and learn mode (pyccel_module/watch.c) */
    int n_converted;            /* those, and the integers that were fetched from a device before */
    int n_made;                 /* created arrays that the caller left out */
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

/* bind.c. CPython's own wording for every wrong call (F44). A size that one of the given arrays tells is not missing. */
int bind_arguments(struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* read.c */
int read_arguments(struct call *call);
/* The value of a 0-d device array given for the parameter, from the host copy of its element. */
int scalar_from_staged(struct call *call, int position, const void *element);
/* Where the C value of a scalar parameter goes: its slot, or the memory that a pointer in it points to. */
pkw_slot *value_slot(struct call *call, int position);

/* read_array.c. `argument->given` as an array of `rank` dimensions of the parameter's element type: TypeError or ValueError
 * otherwise. */
int read_array_argument(struct call *call, int position, int rank);
/* What a subclass of ndarray may carry that the kernel would not see: TypeError. Runs the class's own code. */
int check_subclass(const struct call *call, int position);

/* sizes.c */
/* The array parameter among those given that has the parameter at `position` as a whole dimension, *dim; or -1. */
int size_source(const struct call *call, int position, int *dim);
int find_sizes(struct call *call);
int check_shapes(struct call *call);
/* The integer value of the parameter at a C position, found when it is asked for first. */
int integer_parameter(struct call *call, int position, int64_t *value);

/* expressions.c. Checked 64-bit arithmetic: ValueError on overflow and division by zero. */
int expression_value(struct call *call, const pkw_expr *expression, int64_t *value);

/* make.c: arrays that the caller left out. */
int make_missing(struct call *call);

/* overlap.c: host arrays; ValueError that names both. Overlaps of device arrays are the engine's. */
int check_overlaps(struct call *call);

/* prepare.c */
int prepare_arrays(struct call *call);
/* Adds a device array, or a 0-d device array given for a scalar, to the session. */
int add_to_session(struct call *call, int position, unsigned flags);

/* gil.c: calls kernel->run, with the GIL released if that pays, and keeps calls of a module apart that may not run at the same
 * time; or the Python callable, the only one that can fail. */
int run_kernel(struct call *call);
/* Forgets calls in flight: only for a forked child, whose other threads are gone. */
void forget_calls_in_flight(pkw_module_state *state);

/* verify.c: run_kernel in verify and learn mode. -1 with an exception set: the kernel has run, nothing is to be written
 * back. */
int run_watched(struct call *call);
/* Whether the mode fills the array with a pattern before the call, so that it may not be used in place. */
bool is_poisonable(const pkw_param *param);

/* finish.c */
int finish_arrays(struct call *call);

/* results.c: a new reference, or NULL with an exception set. */
PyObject *build_results(struct call *call);

/* pyccel_module/call.c: the parts of the pipeline that only Python callables need. */
int read_passed(struct call *call, int position);
int pass_arrays(struct call *call);
int run_python(struct call *call);
PyObject *build_python_results(struct call *call);

/* pyccel_module/use.c: the arrays that argument objects refer to. */
/* Reads an argument of a class. */
int use_instance(struct call *call, int position);
/* Where no argument is a model of new arrays: those on a device that argument objects refer to. */
struct array_model;
void offer_instances(const struct call *call, struct array_model *model);
/* Judges them against each other and the arguments, and adds those on a device to the session. */
int stage_instances(struct call *call);
int refresh_instances(struct call *call);
int collect_instances(struct call *call);
void release_instances(struct call *call);

/* pyccel_module/watch.c: arrays of argument objects in verify and learn mode. `written` has room for one range an attribute. */
struct byte_range;
int watch_attributes_begin(struct call *call);
int watch_attributes_count(const struct call *call);
int watch_attributes_written(const struct call *call, struct byte_range *written, int room);
int watch_attributes_judge(struct call *call, const struct byte_range *written, int n_written);
void watch_attributes_release(struct call *call);

/* call.c: the table's `call`. */
PyObject *call_kernel(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* The same with a Python callable in place of kernel->run. */
PyObject *call_target(const pkw_kernel *kernel, PyObject *target, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
