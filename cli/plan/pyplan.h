/* pyplan.h - what will be generated for a compiled Pyccel module: the counterpart of plan.h for kernels that are Python
 * callables. Mirrors the tables of lib/include/pkwrap.h ("kernels that are Python callables").
 *
 * Written by pyplan_resolve from what the stub declares (the model), what the analysis of the kernels' source found, and
 * what the manifest says; read by emit_py and emit_py_pyi.
 */
#ifndef PYPLAN_H
#define PYPLAN_H

#include <stdbool.h>

#include "base/diag.h"
#include "manifest/manifest.h"
#include "base/mem.h"
#include "model/model.h"
#include "pkwrap_dtype.h"

enum pyplan_kind { PYPLAN_ARRAY, PYPLAN_SCALAR, PYPLAN_CLASS, PYPLAN_OBJECT };

/* An array that an argument object refers to. */
struct pyplan_attribute {
    const char *path; /* from the parameter: "markers"; of an object that it refers to: "grid.nodes" */
    bool written, overwritten;
};

struct pyplan_param {
    const char *name;
    const char *type;       /* annotation as the stub has it */
    const char *class_name; /* PYPLAN_CLASS */
    struct pyplan_attribute *attributes;
    int n_attributes;
    enum pyplan_kind kind;
    pkw_dtype dtype;
    int rank;
    char order;             /* 'C', 'F' or 0 */
    bool written, overwritten, is_const, nullable, keyword_only, positional_only;
    bool nested_known;      /* of a class: arrays of objects that it refers to are listed if they are written */
    bool alias;             /* of a class's attribute: it refers to what the caller gave */
    bool constant;          /* of a class's attribute: nobody changes its elements while an object refers to them */
    bool late;              /* of a class's attribute: the constructor does not set it */
    const char *default_text; /* as the stub has it; NULL: none */
};

/* One signature; overloads, TypeVars and unions have several. */
struct pyplan_variant {
    struct pyplan_param *params;
    int n_params;
    const char *returns;    /* annotation; NULL: none given */
};

struct pyplan_function {
    const char *name;
    const char *doc;        /* "" where there is none */
    struct place place;
    struct pyplan_variant *variants;
    int n_variants;
    bool gives_objects;     /* objects of classes are among its results */
    bool gives_views;       /* memory of its arguments is */
    bool takes_constant;    /* a constructor: the keyword `constant` names attributes whose arrays are constant */
};

struct pyplan_member {
    const char *name;
    const char *type; /* annotation */
};

/* An argument class, re-exported. Functions are called "Class.name", and `self` is their first parameter, but the constructor's. */
struct pyplan_class {
    const char *name;
    const char *doc;
    struct pyplan_param *attributes;
    int n_attributes;
    struct pyplan_function constructor; /* called "Class"; no variants where the stub declares none */
    struct pyplan_function *methods;    /* special ones among them */
    int n_methods;
    struct pyplan_function *properties;
    int n_properties;
};

struct pyplan {
    const char *extension;  /* dotted name of the compiled module */
    const char *stub;       /* path as the manifest has it */
    const char *doc;
    struct pyplan_function *functions;
    int n_functions;
    struct pyplan_class *classes;
    int n_classes;
    struct pyplan_member *variables;
    int n_variables;
    bool refuses_empty;     /* the C target dies of arrays of size zero */
    const char **object_modules;
    int n_object_modules;
};

/* "move" of "Grid.move". Points into it. */
const char *pyplan_own_name(const char *name);

/* The last parameter is keyword-only. */
static inline bool
pyplan_ends_in_keywords(const struct pyplan_variant *variant)
{
    return variant->n_params > 0 && variant->params[variant->n_params - 1].keyword_only;
}

/* A function that the compiled module has: not an inlined one, nor a module's own __init__ and __del__. */
bool pyplan_is_exported(const struct model_function *function);

struct plan;
struct plan_request;

/* The part of plan_load for a manifest with stubs: reads them and the kernels' sources, and fills in plan->python and the
 * plan's dependencies. EXIT_DONE, EXIT_INPUT after findings, EXIT_ENVIRONMENT after a message. */
int pyplan_load(struct plan *plan, struct diag *diag, const struct plan_request *request, const struct manifest *manifest,
                struct model *model);

/* Fills in `plan`. EXIT_DONE, or EXIT_INPUT after findings that point into the manifest. */
int pyplan_resolve(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct model *model,
                   const struct manifest *manifest);

#endif
