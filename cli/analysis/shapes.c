/* shapes.c - the extents of array parameters: declared where the body is, or proven by its accesses, when all are to
 * x[0], ..., x[n - 1] and one goes that far.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis_internal.h"
#include "base/diag.h"
#include "linear_internal.h"

/* --- calls --- */

struct linear
extent_at_call(const struct scope *scope, const struct node *call, const struct facts *callee, int d)
{
    struct linear extent = callee->extents[d], sum = linear_number(extent.constant), none = {0};
    for (int i = 0; i < extent.n; i++) {
        const struct node *argument = call->child->next;
        for (int k = 0; argument != NULL && k < extent.terms[i].variable; k++)
            argument = argument->next;
        struct linear value = linear_of(scope, argument);
        sum = linear_add(&sum, &value, extent.terms[i].factor);
    }
    return extent.is_known ? sum : none;
}

bool
passes_array(const struct body *body, const struct node *call, int position, int variable, const struct summary *callee)
{
    const struct node *argument = call->child->next;
    for (int k = 0; argument != NULL && k < position; k++)
        argument = argument->next;
    if (argument == NULL || argument->kind != NODE_VARIABLE || argument->variable != variable
        || position >= callee->body->n_params)
        return false;
    const struct model_type *given = body->variables[variable].declared, *taken = callee->body->variables[position].declared;
    return given->dtype == taken->dtype && given->kind == KIND_ARRAY && taken->kind == KIND_ARRAY;
}

/* --- accesses --- */

/* The search for one pointer. */
struct hull {
    const struct analysis *analysis;
    struct scope scope;
    int variable;
    bool has_any, has_failed;
    struct linear high; /* every subscript is below */
};

/* An access to the elements from `first` to `last`. */
static void
add_access(struct hull *hull, const struct linear *first, const struct linear *last)
{
    struct linear one = linear_number(1), largest = linear_extreme(&hull->scope, *last, true);
    struct linear high = linear_add(&largest, &one, 1), low = linear_extreme(&hull->scope, *first, false);
    struct linear difference = linear_add(&high, &hull->high, -1);
    bool is_ordered = high.is_known && (!hull->has_any || (difference.is_known && difference.n == 0));
    if (!is_ordered || !low.is_known || low.n > 0 || low.constant < 0) {
        hull->has_failed = true;
        return;
    }
    if (!hull->has_any || difference.constant > 0)
        hull->high = high;
    hull->has_any = true;
}

static void follow(struct hull *hull, const struct node *node);

/* Where the pointer itself is an argument, the callee's accesses are some of ours. */
static void
follow_call(struct hull *hull, const struct node *call)
{
    const struct summary *callee = only_summary(hull->analysis, call->function);
    int position = 0;
    for (const struct node *argument = call->child->next; argument != NULL; argument = argument->next, position++) {
        bool is_known = callee != NULL && passes_array(hull->scope.body, call, position, hull->variable, callee)
                        && callee->facts[position].rank == 1;
        if (!is_known) {
            follow(hull, argument);
            continue;
        }
        struct linear extent = extent_at_call(&hull->scope, call, &callee->facts[position], 0), one = linear_number(1);
        struct linear last = linear_add(&extent, &one, -1), zero = linear_number(0);
        add_access(hull, &zero, &last);
    }
}

static bool
is_the_pointer(const struct hull *hull, const struct node *node)
{
    return node != NULL && node->kind == NODE_VARIABLE && node->variable == hull->variable;
}

static void
follow(struct hull *hull, const struct node *node)
{
    if (hull->has_failed)
        return;
    if (is_the_pointer(hull, node)) { /* in any other place than those below */
        hull->has_failed = true;
        return;
    }
    const struct node *child = node->child;
    struct loop loop;
    bool is_loop = node->kind == NODE_FOR && loop_of(&hull->scope, node, &loop);
    if (is_loop) {
        follow(hull, child);
        hull->scope.loops[hull->scope.n_loops++] = loop;
        follow(hull, child->next->next->next);
        hull->scope.n_loops--;
        return;
    }
    if (node->kind == NODE_EACH && each_of(&hull->scope, node, &loop)) {
        follow(hull, child);
        follow(hull, child->next);
        hull->scope.loops[hull->scope.n_loops++] = loop;
        follow(hull, child->next->next);
        hull->scope.n_loops--;
        return;
    }
    if (node->kind == NODE_ADDRESS && child != NULL && (child->kind == NODE_INDEX || child->kind == NODE_POINTEE)
        && is_the_pointer(hull, child->child)) {
        hull->has_failed = true; /* who knows how far from there */
        return;
    }
    if (node->kind == NODE_CALL && child != NULL) {
        follow_call(hull, node);
        return;
    }
    if (node->kind == NODE_INDEX && is_the_pointer(hull, child)) {
        struct linear subscript = linear_of(&hull->scope, child->next);
        add_access(hull, &subscript, &subscript);
        child = child->next;
    } else if (node->kind == NODE_POINTEE && is_the_pointer(hull, child)) {
        struct linear zero = linear_number(0);
        add_access(hull, &zero, &zero);
        return;
    }
    for (; child != NULL; child = child->next)
        follow(hull, child);
}

/* --- all parameters --- */

static bool
declared_extents(const struct scope *scope, const struct variable *variable, struct facts *facts)
{
    const struct node *extents = variable->extents;
    if (extents == NULL || extents->n_children != variable->declared->n_dims || extents->n_children > MOST_DIMS)
        return false;
    int rank = 0;
    for (const struct node *extent = extents->child; extent != NULL; extent = extent->next) {
        facts->extents[rank] = linear_of(scope, extent);
        if (!facts->extents[rank++].is_known)
            return false;
    }
    facts->rank = rank;
    return rank > 0;
}

void
mark_positive(const struct body *body, const struct facts *facts, bool *is_positive, bool value)
{
    for (int d = 0; d < facts->rank; d++) {
        const struct linear *extent = &facts->extents[d];
        if (extent->n == 1 && extent->constant == 0 && extent->terms[0].factor == 1
            && extent->terms[0].variable < body->n_variables)
            is_positive[extent->terms[0].variable] = value;
    }
}

/* The one parameter that all accesses are below, or -1. A plain size only: x[1], ..., x[n - 2] leaves open what is around. */
static int
find_size(const struct analysis *analysis, const struct scope *scope, int i, const bool *is_positive)
{
    struct hull hull = {.analysis = analysis, .scope = *scope, .variable = i};
    hull.scope.is_positive = is_positive;
    follow(&hull, scope->body->root);
    bool is_size = hull.has_any && !hull.has_failed && hull.high.n == 1 && hull.high.constant == 0
                   && hull.high.terms[0].factor == 1 && hull.high.terms[0].variable < scope->body->n_params;
    return is_size ? hull.high.terms[0].variable : -1;
}

/* Which one it is must hold if only that one is known to be no less than 1. */
static bool
prove_extent(const struct analysis *analysis, const struct scope *scope, int i, struct facts *facts)
{
    int n = scope->body->n_variables;
    bool *is_positive = calloc((size_t)n + 1, sizeof *is_positive);
    if (is_positive == NULL)
        exit(environment_error("out of memory"));
    memset(is_positive, true, (size_t)n);
    int size = find_size(analysis, scope, i, is_positive);
    if (size >= 0) {
        memset(is_positive, false, (size_t)n);
        is_positive[size] = true;
        size = find_size(analysis, scope, i, is_positive);
    }
    free(is_positive);
    if (size < 0)
        return false;
    facts->rank = 1;
    facts->extents[0] = linear_variable(size);
    facts->proven_size = size;
    facts->is_inside = true;
    return true;
}

bool
shapes_find(const struct analysis *analysis, struct summary *summary)
{
    const struct body *body = summary->body;
    struct scope scope = {.body = body, .changes = summary->changes};
    bool changed = false;
    for (int i = 0; i < body->n_params; i++) {
        const struct variable *variable = &body->variables[i];
        struct facts *facts = &summary->facts[i];
        const struct model_type *declared = variable->declared;
        bool is_array = variable->type == TYPE_POINTER && declared->kind == KIND_ARRAY && !declared->is_void;
        if (facts->rank > 0 || !is_array || summary->changes[i].n_stores > 0)
            continue;
        bool is_declared = declared->n_dims > 1 || (variable->extents != NULL && variable->extents->n_children > 0);
        if (is_declared && declared_extents(&scope, variable, facts)) {
            struct facts proven = {0};
            facts->is_inside = facts->rank == 1 && prove_extent(analysis, &scope, i, &proven)
                               && linear_equal(&facts->extents[0], &proven.extents[0]);
            changed = true;
        } else if (!is_declared) {
            changed |= prove_extent(analysis, &scope, i, facts);
        }
    }
    return changed;
}
