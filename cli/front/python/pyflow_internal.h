/* pyflow_internal.h - which arguments Pyccel kernels write, found in their Python source.
 *
 * Abstract execution of each function over its syntax tree: every local variable has a type and the set of memory it may
 * refer to (parameters, attributes of argument objects); a store through such a variable is a write. Flow-sensitive within a
 * function (loops to a fixpoint), a summary per function across functions and modules. What cannot be told counts as written:
 * FLOW_MAYBE. Types come from the annotations.
 */
#ifndef PYFLOW_H
#define PYFLOW_H

#include "model/model.h"
#include "pytree.h"

/* Why a parameter (or attribute) counts as written: a chain of places, the caller's first, the store last. */
struct pyflow_fact {
    const char *path;     /* "x", or "args.markers" */
    enum model_writes writes;
    bool owned;           /* an attribute that its object allocated itself */
    bool overwritten;     /* every element is stored before any is read, on every path */
    struct model_evidence *evidence;
    int n_evidence;
};

struct pyflow_function {
    const char *name;
    const char *class_name; /* of a method, else NULL */
    int file;               /* index into pytree.files */
    int node;               /* PY_FUNCTION */
    struct pyflow_fact *facts; /* of each parameter, in order, then of attributes that are written or owned */
    int n_facts;
    bool *used;             /* of each parameter: the body names it */
    int n_params;
};

struct pyflow_attribute {
    const char *name;
    bool owned;             /* every value it ever gets was allocated there */
    bool aliased;           /* it may refer to an array given by the caller */
    bool is_array, is_scalar; /* what is stored there; neither: something else, or not known */
    int rank;               /* of an array; -1: not known */
    const char *annotation; /* of the constructor's parameter that it is, or of its own declaration; NULL: none known */
};

struct pyflow_class {
    const char *name;
    int file, node;
    struct pyflow_attribute *attributes;
    int n_attributes;
};

struct flow;

struct pyflow {
    struct flow *state; /* of the analysis; private */
    struct pyflow_function *functions; /* top-level functions and methods of every file */
    int n_functions;
    struct pyflow_class *classes;
    int n_classes;
};

/* Analyses everything in the tree whose file is no stub. */
void pyflow_run(struct pyflow *flow, struct arena *arena, const struct pytree *tree);

/* The class that `name` means in a file (its own, or an imported one), or NULL. */
const struct pyflow_class *pyflow_find_class(const struct pyflow *flow, int file, const char *name);

#endif
