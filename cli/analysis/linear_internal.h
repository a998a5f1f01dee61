/* linear_internal.h - subscripts and extents as sums of integer variables, and what loops say of those variables.
 *
 * What is proven here holds for every call that does not overflow its integers. Conversions that change a number, and unsigned
 * differences below zero, are no overflow: they do what C says.
 */
#ifndef ANALYSE_LINEAR_H
#define ANALYSE_LINEAR_H

#include "model/body.h"

enum { MOST_TERMS = 6, DEEPEST_LOOP = 12, MOST_EXTENTS = 8 };

/* constant + sum of factor * variable; no variable twice, no factor 0. */
struct linear {
    bool is_known; /* false: not such a sum */
    int n;
    struct {
        int variable;
        int64_t factor;
    } terms[MOST_TERMS];
    int64_t constant;
};

/* A loop `for (v = ...)` that is being looked at: variable v takes every value from `low` to `high` - 1. */
struct loop {
    int variable;
    struct linear low, high;
    bool is_descending;
};

/* What may change a variable. */
struct changes {
    int n_stores;      /* assignments, and declarations with a value */
    bool is_addressed; /* its address is taken: there may be more */
};

/* A body, and the loops around the place in it that is looked at, outermost first. */
struct scope {
    const struct body *body;
    const struct changes *changes; /* of each variable */
    const bool *is_positive;       /* of each variable: it may be taken for 1 at least; NULL: none of them */
    struct loop loops[DEEPEST_LOOP];
    int n_loops;
};

/* Adds what that part of a body does to the elements of `changes`, one for each variable. */
void count_changes(const struct node *node, struct changes *changes);

/* The expression as a sum of loop variables and of parameters that are never assigned to. */
struct linear linear_of(const struct scope *scope, const struct node *node);
struct linear linear_number(int64_t value);
struct linear linear_variable(int variable);
struct linear linear_add(const struct linear *a, const struct linear *b, int64_t factor); /* a + factor * b */
int64_t linear_factor(const struct linear *a, int variable);
/* `a` with `value` in place of the variable. */
struct linear linear_replace(const struct linear *a, int variable, const struct linear *value);
bool linear_equal(const struct linear *a, const struct linear *b);
/* The largest or the smallest value where the scope's loops are. */
struct linear linear_extreme(const struct scope *scope, struct linear a, bool is_largest);
/* Whether it is never negative where the scope's loops are. */
bool linear_is_natural(const struct scope *scope, struct linear a);

/* Whether the `for` is a loop over a range, and which; its body must not assign to its variable. */
bool loop_of(const struct scope *scope, const struct node *node, struct loop *loop);
/* The same of a NODE_EACH. */
bool each_of(const struct scope *scope, const struct node *node, struct loop *loop);

#endif
