/* plan.h - what will be generated, everything explicit: the only thing that emission reads.
 *
 * Written by resolve (from the manifest and the model), judged by plan_check, read by emit_c, emit_pyi, inspect (for the
 * `python` field) and build. After plan_check said yes nothing can be refused any more; emission cannot fail. A plan
 * follows the tables of lib/include/pkwrap.h: positions are C positions, kinds and flags have the same meaning. Emission writes
 * them by name, since pkwrap.h needs Python.h; so their numbers need not agree.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "model/model.h"
#include "pkwrap_dtype.h"

enum plan_kind { PLAN_ARRAY, PLAN_SCALAR, PLAN_SIZE, PLAN_VALUE, PLAN_CELL, PLAN_STRING, PLAN_CHAR };

enum plan_op_code { OP_CONST, OP_PARAM, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_NEG };

struct plan_op {
    enum plan_op_code code;
    int64_t value;      /* OP_CONST: the number; OP_PARAM: C position */
    const char *name;   /* OP_CONST: the header's constant to write instead of the number, or NULL; OP_PARAM: its C name */
};

/* Postfix code of an integer expression; n_ops 0 is a free dimension or "no expression". */
struct plan_expr {
    const char *text;
    struct plan_op *ops;
    int n_ops;
};

/* A literal: a default, or the constant of a hidden parameter. */
struct plan_literal {
    enum { LITERAL_NONE, LITERAL_INTEGER, LITERAL_REAL, LITERAL_COMPLEX, LITERAL_STRING, LITERAL_NULL } kind;
    const char *text;     /* as Python shows it in a signature: "1.0", "(1+2j)", "'N'", "None" */
    int64_t integer;      /* values above INT64_MAX wrap; is_unsigned tells */
    bool is_unsigned;
    double real, imaginary;
    const char *string;
};

struct plan_param {
    const char *c_name;       /* valid C identifier; "argN" for an unnamed one */
    const char *name;         /* Python name */
    const char *c_type;       /* element or scalar type as declared: "double", "size_t", "enum CBLAS_TRANSPOSE" */
    struct place place;       /* of the declaration */
    enum plan_kind kind;
    pkw_dtype dtype;
    const char *order;        /* "C" or "F" */
    struct plan_expr *shape;  /* PLAN_ARRAY: rank entries */
    int rank;
    int from_param, from_dim; /* PLAN_SIZE: where it is taken from; from_param -1 while only optional arrays have it */
    struct plan_expr value;   /* PLAN_VALUE of integer type */
    struct plan_literal literal; /* default, or PLAN_VALUE's constant */
    bool written, overwritten, create, scratch, nullable, is_restrict, is_const;
    bool is_void;             /* declared void *: no cast to the element type in the call */
    bool array_of_arrays;     /* declared T a[][M] or (*a)[M]: the call casts through void * */
    bool keyword_only, refuse_empty, read, is_enum;
    bool visible;             /* in the Python signature */
    bool optional;            /* visible and may be left out */
};

/* A number of the generated code that the headers compute; the compiler has to find the same one. */
struct plan_assertion {
    const char *text; /* of an integer constant expression */
    int64_t value;
};

struct plan_kernel {
    const char *c_name;
    const char *name;         /* Python name */
    const char *doc;
    const char *declaration;  /* one line of C */
    struct place place;
    struct plan_param *params;
    int n_params;
    int *visible;             /* C positions in the order of the Python signature */
    int n_visible, n_required, n_positional;
    int *results;             /* C positions returned after the function's own result */
    int n_results;
    struct model_type returns;
    enum { GIL_AUTO, GIL_HOLD, GIL_RELEASE } gil;
    bool thread_safe;
    bool is_static;           /* static inline: no symbol to look for */
    const char *signature;    /* "axpy(a, x, y)": what inspect prints as `python`, with defaults */
};

struct plan {
    struct arena *arena;
    const char *module;
    const char *manifest;     /* path as given */
    const char *directory;    /* of the manifest */
    const char **headers;     /* as the manifest names them, for #include */
    int n_headers;
    const char **macros;      /* names that the headers, or the flags, may define as macros; those of system headers are not among them */
    int n_macros;
    const char **sources;     /* paths, from the current directory */
    int n_sources;
    const char **compile_flags; /* complete, in order: -I, -D, flags, pkg-config's */
    int n_compile_flags;
    struct plan_library {
        const char *name;
        struct place place;
    } *libraries;             /* where the manifest names them, for messages */
    int n_libraries;
    const char **link_flags;  /* complete, in order: -L, -l, flags, pkg-config's */
    int n_link_flags;
    struct plan_kernel *kernels;
    int n_kernels;
    struct plan_assertion *assertions; /* each once */
    int n_assertions;
    int n_others;             /* functions of the headers that the manifest does not list */
    const char **dependencies; /* every file read to make this plan (manifest, headers transitively), as paths that open()
                                  takes; the sources are not among them */
    int n_dependencies;
    struct pyplan *python;    /* pyplan.h: a module of Python kernels, without headers and kernels; NULL: of C kernels */
};

#endif
