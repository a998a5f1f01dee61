/* expr.h - integer expressions of manifests and declarations: read token by token, to postfix code.
 *
 *     sum  = term { ("+" | "-") term }        term = factor { ("*" | "/" | "%") factor }
 *     factor = "-" factor | "(" sum ")" | decimal number | name
 *
 * A name is an integer parameter of the kernel, or an integer constant of the headers. What is not in this grammar is
 * refused, so nothing of a manifest reaches generated code but names and numbers that were understood.
 */
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/mem.h"
#include "model/model.h"
#include "plan.h"

/* What names mean. `usable` decides about a parameter that has the name: NULL if an expression may use it, else why not
 * ("is not an integer"). */
struct expr_scope {
    const struct model_function *function; /* NULL: no parameters */
    const struct model_constant *constants;
    int n_constants;
    const char *(*usable)(void *context, int position);
    void *context;
};

/* What is wrong with an expression, and where: `offset` counts bytes of its text. */
struct expr_error {
    const char *code;
    const char *text;
    size_t offset;
};

/* Reads `text` into `out`, whose text it becomes. False with *error filled in. */
bool expr_parse(struct plan_expr *out, struct arena *arena, const char *text, const struct expr_scope *scope,
                struct expr_error *error);

/* The names in `text` that the scope does not know as parameters: what has to be asked of the headers. Appends to *names. */
void expr_unknown_names(const char *text, struct arena *arena, const struct expr_scope *scope, const char ***names, int *n);

/* The number that an expression without parameters is: true, and *value. */
bool expr_constant(const struct plan_expr *expr, int64_t *value);

/* Both compute the same from the same parameters, in the same way. */
bool expr_equal(const struct plan_expr *a, const struct plan_expr *b);

/* The C position if the expression is a parameter and nothing else, else -1. */
int expr_parameter(const struct plan_expr *expr);

#endif
