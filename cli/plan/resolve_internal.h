/* resolve_internal.h - what the resolve_*.c files share: one kernel on its way from declaration and manifest to plan.
 *
 *     match -> kinds -> shapes -> sizes -> literals -> signature -> check
 *
 * Each step needs those before it. Findings point into the manifest; `quiet` resolutions (plan_default) keep theirs to
 * themselves and take free shapes where a real one would have to be declared.
 */
#ifndef RESOLVE_PARTS_H
#define RESOLVE_PARTS_H

#include "expr.h"
#include "model/dtype.h"
#include "resolve.h"

struct resolution {
    struct arena *arena;
    struct diag *diag;
    const struct model *model;
    const struct model_function *function;
    const struct manifest_kernel *entry;
    struct plan_kernel *out;
    const struct manifest_param **said;      /* by C position; never NULL: an empty one where the manifest says nothing */
    const struct manifest_output **listed;   /* by C position: its entry in "outputs", or NULL */
    struct declared_dims {                   /* by C position, in elements of the manifest's dtype */
        struct model_dim *dims;
        int n;
    } *declared;
    struct plan *plan;                       /* NULL where `lenient` */
    bool lenient;                            /* shapes may be unknown */
};

/* Where a finding about a key of a parameter belongs: the key, else the parameter, else the kernel. */
struct place said_place(const struct resolution *r, int position, enum param_key key);
const char *c_name_of(const struct resolution *r, int position);
/* The C position of the parameter with this shown name, or -1. */
int find_param(const struct resolution *r, const char *name);
/* A scalar, size or readable cell of integer type: NULL; else why an expression cannot use it. */
const char *why_not_operand(void *resolution, int position);
/* Reads an expression of the manifest (`json` the string it stands in) or of the declaration (`json` NULL). False after a
 * finding. */
bool resolve_expression(struct resolution *r, int position, const char *text, const struct json_value *json,
                        struct plan_expr *out);

/* resolve_match.c: parameters and outputs of the manifest to C positions. */
void match_names(struct resolution *r);
/* resolve_kinds.c: kind, dtype and what may be written. */
void resolve_kinds(struct resolution *r);
/* resolve_shapes.c */
void resolve_shapes(struct resolution *r);
void resolve_sizes(struct resolution *r);
/* resolve_literals.c: defaults and filled-in values. */
void resolve_literals(struct resolution *r);
/* resolve_signature.c: order of parameters and results, signature text. */
void resolve_signature(struct resolution *r);
/* check.c: what is wrong with the whole. */
void plan_check_kernel(struct resolution *r);

#endif
