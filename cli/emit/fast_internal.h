/* fast_internal.h - between the files that write a wrapper's fast path. */
#ifndef EMIT_FAST_H
#define EMIT_FAST_H

#include "emit_internal.h"

/* What the parts of a wrapper say of a kind of parameter: kinds.c. */
struct kind_row {
    const char *table; /* of its row in the kernel's table: "PKW_ARRAY" */
    bool (*is_fast)(const struct plan_kernel *kernel, int position); /* the fast path can take it; NULL: always */
    void (*declare)(const struct emission *e, int position);         /* its variable; NULL: none */
    /* The condition that fills the variable from args[argument]; NULL: it is never visible. */
    void (*take)(const struct emission *e, struct text *out, int position, int argument);
    void (*pass)(const struct emission *e, int position); /* the argument of the call */
};
extern const struct kind_row kind_rows[]; /* by enum plan_kind */

/* Text of the checks, each a chain of conditions joined by &&. */
struct fast_checks {
    struct text arguments;  /* on the arguments, one by one; they fill in the wrapper's variables */
    struct text statements; /* then: variables that follow from those */
    struct text sizes;      /* then: what must hold between them; empty: nothing */
    bool uses_bad;          /* private: an expression can overflow */
};

/* For a call with `least` to n_positional arguments. The kernel must have a fast path. */
void fast_checks_make(struct fast_checks *checks, const struct emission *e, int least);
void fast_checks_release(struct fast_checks *checks);

/* Where the size at C position `position` can be read from in every fast call: an array, and which of its dimensions.
 * False: nowhere. */
bool fast_size_source(const struct plan_kernel *kernel, int position, int *array, int *dim);

#endif
