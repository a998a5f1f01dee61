/* call_internal.h - the steps of a call, between the files that carry them out. Each returns 0, or -1 with an exception set, but where
 * it says otherwise.
 */
#ifndef PYTHON_CALL_INTERNAL_H
#define PYTHON_CALL_INTERNAL_H

#include "call.h"

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

/* Checked 64-bit arithmetic: ValueError on overflow and division by zero. */
int expression_value(struct call *call, const pkw_expr *expression, int64_t *value);

/* make.c: arrays that the caller left out. */
int make_missing(struct call *call);

/* overlap.c: host arrays; ValueError that names both. Overlaps of device arrays are the engine's. */
int check_overlaps(struct call *call);

/* A host array that is about to be packed: ValueError where it is written and several of its elements share bytes, so that values
 * written to it would be ambiguous. */
int check_packing(const struct call *call, int position);

/* prepare.c */
int prepare_arrays(struct call *call);
/* Whether the kernel can use a host array as it lies. */
bool fits_in_place(const struct call *call, int position);
/* What the kernel wrote goes back to where the caller's arrays are. */
int finish_arrays(struct call *call);

/* gil.c: calls kernel->run, with the GIL released if that pays, and keeps calls of a module apart that may not run at the same
 * time. */
int run_function(struct call *call);
/* Forgets calls in flight: only for a forked child, whose other threads are gone. */
void forget_calls_in_flight(pkw_module_state *state);

/* verify.c: the kernel in verify and learn mode. -1: it may have run, and nothing is to be written back. */
int run_watched(struct call *call);
/* Whether the mode fills the array with a pattern before the call, so that it may not be used in place. */
bool is_poisonable(const pkw_param *param);

#endif
