/* emit_internal.h - what the files of this room share: one kernel under emission, names, literals, docstrings. */
#ifndef EMIT_PARTS_H
#define EMIT_PARTS_H

#include <stdbool.h>

#include "emit.h"
#include "model/dtype.h"

/* A kernel and the names of the wrapper's variables for its parameters. */
struct emission {
    struct text *out;
    const struct plan *plan;
    const struct plan_kernel *kernel;
    const char **locals; /* by C position */
};

/* --- names.c --- */

/* Fills in e->locals, in the plan's arena: the parameter's own name, in lower case if it is all capitals (a macro may have that
 * name), with c_ before it or underscores after it where it means something else in the wrapper. */
void name_locals(struct emission *e);
/* Whether it is a constant of the header that a shape or a value of the kernel has by name. */
bool kernel_names_constant(const struct plan_kernel *kernel, const char *name);
/* The header and line of the kernel as a reader of the manifest knows them: "heat.h:12". In the plan's arena. */
const char *shown_place(const struct plan *plan, struct place place);

/* --- literals.c --- */

/* A C string literal; one piece a line, each indented by `indent` blanks, where the text has several lines. */
void emit_string(struct text *out, const char *text, int indent);
/* Text inside a C comment: comment marks and line ends in it are broken up. */
void emit_comment(struct text *out, const char *text);
/* A constant of the dtype from a plan's literal: "1.0", "INT64_C(3)", "__builtin_complex(1.0, 0.0)". */
void emit_number(struct text *out, pkw_dtype dtype, const struct plan_literal *literal);
void emit_integer(struct text *out, int64_t value);
/* Number `value` of an operation, by the name that the header gives it where there is one that can be used. */
void emit_constant(const struct emission *e, struct text *out, const struct plan_op *op);

/* --- doc.c --- */

/* The docstring's text, without the signature line that a C docstring begins with. */
void emit_doc(struct text *out, const struct plan_kernel *kernel);

/* --- parts of a stub (pyi.c) --- */

/* The protocol of device arrays, and an alias for the arrays of each dtype used: "_float64_array". */
void emit_stub_arrays(struct text *out, const bool uses[PKW_N_DTYPES]);
/* The body of a function or class that is its docstring, indented by four blanks; begins with the line's end. */
void emit_stub_doc(struct text *out, const char *doc);

/* --- parts of the C source --- */

/* tables.c: the constant descriptions that libpkwrap reads. */
void emit_tables(const struct emission *e);
void emit_kernel_table(const struct emission *e);
/* calls.c: the headers, the _Static_asserts of a module, NAME__call of each kernel, and the end of the headers' macros. */
void emit_calls(struct text *out, const struct plan *plan);
/* The #includes of the manifest's headers. */
void emit_headers(struct text *out, const struct plan *plan);
/* The type of the variable behind the pointer of a PLAN_CELL, by a name that means the same in the whole file. */
const char *cell_type(const struct emission *e, int position);
/* A parameter that is a pointer in C. */
bool param_is_pointer(const struct plan_param *param);
/* A constant by whose name nothing can be called below the headers, since it is a macro that is taken back. */
bool constant_is_taken_back(const struct plan *plan, const char *name);
/* run.c: NAME__run. */
void emit_run(const struct emission *e);
/* fast.c: NAME__wrapper. */
void emit_wrapper(const struct emission *e);

#endif
