/* linear.c - see linear_internal.h. */
#include "linear_internal.h"

#include <stddef.h>

/* --- changes of variables --- */

/* The variable that the node assigns to, or -1. */
static int
stored_variable(const struct node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN:
    case NODE_UPDATE:
        return node->child->kind == NODE_VARIABLE ? node->child->variable : -1;
    case NODE_DECLARE:
        return node->child != NULL ? node->variable : -1;
    default:
        return -1;
    }
}

void
count_changes(const struct node *node, struct changes *changes)
{
    int variable = stored_variable(node);
    if (variable >= 0)
        changes[variable].n_stores++;
    if (node->kind == NODE_ADDRESS && node->child != NULL && node->child->kind == NODE_VARIABLE)
        changes[node->child->variable].is_addressed = true;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        count_changes(child, changes);
}

static int
count_stores_to(const struct node *node, int variable)
{
    int n = stored_variable(node) == variable;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        n += count_stores_to(child, variable);
    return n;
}

/* --- sums --- */

static const struct linear unknown;

struct linear
linear_number(int64_t value)
{
    return (struct linear){.is_known = true, .constant = value};
}

static bool
add_term(struct linear *a, int variable, int64_t factor)
{
    for (int i = 0; i < a->n; i++) {
        if (a->terms[i].variable != variable)
            continue;
        if (__builtin_add_overflow(a->terms[i].factor, factor, &a->terms[i].factor))
            return false;
        if (a->terms[i].factor == 0)
            a->terms[i] = a->terms[--a->n];
        return true;
    }
    if (factor == 0)
        return true;
    if (a->n == MOST_TERMS)
        return false;
    a->terms[a->n].variable = variable;
    a->terms[a->n++].factor = factor;
    return true;
}

struct linear
linear_add(const struct linear *a, const struct linear *b, int64_t factor)
{
    struct linear sum = *a;
    int64_t scaled;
    if (!a->is_known || !b->is_known || __builtin_mul_overflow(b->constant, factor, &scaled)
        || __builtin_add_overflow(sum.constant, scaled, &sum.constant))
        return unknown;
    for (int i = 0; i < b->n; i++)
        if (__builtin_mul_overflow(b->terms[i].factor, factor, &scaled) || !add_term(&sum, b->terms[i].variable, scaled))
            return unknown;
    return sum;
}

int64_t
linear_factor(const struct linear *a, int variable)
{
    for (int i = 0; i < a->n; i++)
        if (a->terms[i].variable == variable)
            return a->terms[i].factor;
    return 0;
}

struct linear
linear_variable(int variable)
{
    struct linear sum = linear_number(0);
    add_term(&sum, variable, 1);
    return sum;
}

struct linear
linear_replace(const struct linear *a, int variable, const struct linear *value)
{
    int64_t factor = linear_factor(a, variable);
    struct linear old = linear_variable(variable), without = linear_add(a, &old, -factor);
    return factor != 0 ? linear_add(&without, value, factor) : *a;
}

bool
linear_equal(const struct linear *a, const struct linear *b)
{
    struct linear difference = linear_add(a, b, -1);
    return difference.is_known && difference.n == 0 && difference.constant == 0;
}

/* --- expressions --- */

static bool
is_loop_variable(const struct scope *scope, int variable)
{
    for (int i = 0; i < scope->n_loops; i++)
        if (scope->loops[i].variable == variable)
            return true;
    return false;
}

static struct linear
linear_of_variable(const struct scope *scope, const struct node *node)
{
    const struct variable *variable = &scope->body->variables[node->variable];
    const struct changes *changes = &scope->changes[node->variable];
    bool is_fixed = variable->param >= 0 && changes->n_stores == 0 && !changes->is_addressed;
    if (node->type != TYPE_INTEGER || (!is_fixed && !is_loop_variable(scope, node->variable)))
        return unknown;
    return linear_variable(node->variable);
}

/* Extents of array parameters count as variables behind all others: MOST_EXTENTS of each. */
static struct linear
linear_of_extent(const struct scope *scope, const struct node *node)
{
    bool is_fixed = node->variable >= 0 && scope->changes[node->variable].n_stores == 0
                    && !scope->changes[node->variable].is_addressed && node->value >= 0 && node->value < MOST_EXTENTS;
    return is_fixed ? linear_variable(scope->body->n_variables + node->variable * MOST_EXTENTS + (int)node->value) : unknown;
}

/* Whether the type of `to` has all values that `from` may have. */
static bool
widens(const struct node *to, const struct node *from)
{
    if (to->width == 0 || from->width == 0)
        return to->width == 0 && from->width == 0;
    if (to->is_signed == from->is_signed)
        return to->width >= from->width;
    return to->is_signed && to->width > from->width;
}

/* A number in another type: the same, or nobody knows. */
static struct linear
linear_of_conversion(const struct scope *scope, const struct node *node)
{
    const struct node *child = node->child;
    if (node->type != TYPE_INTEGER || child == NULL || child->type != TYPE_INTEGER)
        return unknown;
    struct linear value = linear_of(scope, child);
    if (widens(node, child))
        return value;
    /* A number without a sign that is no extent may be anything; one that is, is less than half of the address space. */
    bool keeps_natural = child->width > 0 && node->width >= child->width && (child->is_signed || child->width >= 64);
    return keeps_natural && linear_is_natural(scope, value) ? value : unknown;
}

/* A difference, which is never below zero where it has no sign. */
static struct linear
difference(const struct scope *scope, const struct node *node, const struct linear *a, const struct linear *b)
{
    struct linear result = linear_add(a, b, -1);
    bool may_wrap = node->width > 0 && !node->is_signed;
    return may_wrap && !linear_is_natural(scope, result) ? unknown : result;
}

struct linear
linear_of(const struct scope *scope, const struct node *node)
{
    if (node == NULL)
        return unknown;
    const struct node *first = node->child;
    struct linear zero = linear_number(0);
    switch (node->kind) {
    case NODE_NUMBER:
        return linear_number(node->value);
    case NODE_VARIABLE:
        return linear_of_variable(scope, node);
    case NODE_EXTENT:
        return linear_of_extent(scope, node);
    case NODE_CONVERT:
        return linear_of_conversion(scope, node);
    case NODE_UNARY: {
        struct linear operand = linear_of(scope, first);
        return node->op == OPERATOR_MINUS ? difference(scope, node, &zero, &operand) : unknown;
    }
    case NODE_BINARY:
        break;
    default:
        return unknown;
    }
    struct linear a = linear_of(scope, first), b = linear_of(scope, first->next);
    if (!a.is_known || !b.is_known || node->type != TYPE_INTEGER)
        return unknown;
    switch (node->op) {
    case OPERATOR_ADD:
        return linear_add(&a, &b, 1);
    case OPERATOR_SUB:
        return difference(scope, node, &a, &b);
    case OPERATOR_MUL:
        if (b.n == 0)
            return linear_add(&zero, &a, b.constant);
        return a.n == 0 ? linear_add(&zero, &b, a.constant) : unknown;
    default:
        return unknown;
    }
}

/* --- loops --- */

/* Extents of the array in question: where one is 0, there is nothing to prove. */
static bool
is_positive(const struct scope *scope, int variable)
{
    return variable >= scope->body->n_variables || (scope->is_positive != NULL && scope->is_positive[variable]);
}

/* It is where each loop variable is at that end of its range which makes the sum small or large; the inner loops' ends depend on
 * the outer variables, so they are replaced first. */
struct linear
linear_extreme(const struct scope *scope, struct linear a, bool is_largest)
{
    for (int i = scope->n_loops - 1; a.is_known && i >= 0; i--) {
        const struct loop *loop = &scope->loops[i];
        int64_t factor = linear_factor(&a, loop->variable);
        if (factor == 0)
            continue;
        struct linear one = linear_number(1), last = linear_add(&loop->high, &one, -1);
        a = linear_replace(&a, loop->variable, (factor > 0) == is_largest ? &last : &loop->low);
    }
    return a;
}

bool
linear_is_natural(const struct scope *scope, struct linear a)
{
    a = linear_extreme(scope, a, false);
    for (int i = 0; a.is_known && i < a.n;) { /* at least 1 each */
        if (a.terms[i].factor < 0 || !is_positive(scope, a.terms[i].variable))
            return false;
        struct linear one = linear_number(1);
        a = linear_replace(&a, a.terms[i].variable, &one);
    }
    return a.is_known && a.constant >= 0;
}

/* `int v = e` or `v = e`: the variable and the value. */
static bool
read_start(const struct node *node, int *variable, const struct node **value)
{
    if (node->kind == NODE_BLOCK && node->n_children == 1)
        node = node->child;
    if (node->kind == NODE_DECLARE && node->child != NULL) {
        *variable = node->variable;
        *value = node->child;
        return true;
    }
    if (node->kind == NODE_ASSIGN && node->child->kind == NODE_VARIABLE) {
        *variable = node->child->variable;
        *value = node->child->next;
        return true;
    }
    return false;
}

static bool
is_variable(const struct node *node, int variable)
{
    return node != NULL && node->kind == NODE_VARIABLE && node->variable == variable;
}

/* The same in a wider type; *is_unsigned: only if it is not negative. */
static const struct node *
without_widening(const struct node *node, bool *is_unsigned)
{
    while (node->kind == NODE_CONVERT && node->type == TYPE_INTEGER && node->child != NULL && node->child->type == TYPE_INTEGER) {
        if (!widens(node, node->child)) {
            if (!node->child->is_signed || node->width < node->child->width)
                break;
            *is_unsigned = true;
        }
        node = node->child;
    }
    return node;
}

static bool
is_one(const struct node *node)
{
    return node != NULL && node->kind == NODE_NUMBER && node->value == 1;
}

/* v++, v += 1, v = v + 1: 1; the same downwards: -1; anything else: 0. */
static int
read_step(const struct node *node, int variable)
{
    const struct node *change = node;
    if (node->kind == NODE_ASSIGN && is_variable(node->child, variable) && node->child->next->kind == NODE_BINARY
        && is_variable(node->child->next->child, variable))
        change = node->child->next;
    else if (node->kind != NODE_UPDATE || !is_variable(node->child, variable))
        return 0;
    if (!is_one(change->child->next))
        return 0;
    return change->op == OPERATOR_ADD ? 1 : change->op == OPERATOR_SUB ? -1 : 0;
}

static enum node_op
mirrored(enum node_op op)
{
    switch (op) {
    case OPERATOR_LESS:
        return OPERATOR_GREATER;
    case OPERATOR_LESS_EQUAL:
        return OPERATOR_GREATER_EQUAL;
    case OPERATOR_GREATER:
        return OPERATOR_LESS;
    case OPERATOR_GREATER_EQUAL:
        return OPERATOR_LESS_EQUAL;
    default:
        return OPERATOR_OTHER;
    }
}

/* `v < e` and the like, either way round: the operator as if v stood left, and e. */
static enum node_op
read_condition(const struct node *node, int variable, const struct node **end, bool *is_unsigned)
{
    if (node->kind != NODE_BINARY)
        return OPERATOR_OTHER;
    const struct node *left = node->child, *right = left->next;
    if (is_variable(without_widening(left, is_unsigned), variable)) {
        *end = right;
        return mirrored(mirrored(node->op));
    }
    *end = left;
    *is_unsigned = false;
    return is_variable(without_widening(right, is_unsigned), variable) ? mirrored(node->op) : OPERATOR_OTHER;
}

bool
loop_of(const struct scope *scope, const struct node *node, struct loop *loop)
{
    const struct node *start = node->child, *condition = start->next, *step = condition->next, *body = step->next;
    const struct node *value = NULL, *end = NULL;
    int variable = -1;
    if (scope->n_loops == DEEPEST_LOOP || !read_start(start, &variable, &value))
        return false;
    bool is_unsigned = false;
    enum node_op op = read_condition(condition, variable, &end, &is_unsigned);
    int direction = read_step(step, variable);
    bool is_rising = direction == 1 && (op == OPERATOR_LESS || op == OPERATOR_LESS_EQUAL);
    bool is_falling = direction == -1 && (op == OPERATOR_GREATER || op == OPERATOR_GREATER_EQUAL);
    if ((!is_rising && !is_falling) || is_loop_variable(scope, variable)
        || scope->body->variables[variable].is_global || scope->changes[variable].is_addressed
        || scope->body->variables[variable].type != TYPE_INTEGER || count_stores_to(body, variable) > 0)
        return false;
    struct linear first = linear_of(scope, value), last = linear_of(scope, end), one = linear_number(1);
    if (is_unsigned && !(is_rising && linear_is_natural(scope, first)))
        return false; /* compared as a number without a sign */
    *loop = (struct loop){.variable = variable, .is_descending = is_falling};
    if (is_rising) {
        loop->low = first;
        loop->high = op == OPERATOR_LESS ? last : linear_add(&last, &one, 1);
    } else {
        loop->low = op == OPERATOR_GREATER_EQUAL ? last : linear_add(&last, &one, 1);
        loop->high = linear_add(&first, &one, 1);
    }
    return loop->low.is_known && loop->high.is_known;
}

bool
each_of(const struct scope *scope, const struct node *node, struct loop *loop)
{
    const struct node *low = node->child, *high = low->next, *body = high->next;
    int variable = node->variable;
    if (scope->n_loops == DEEPEST_LOOP || variable < 0 || is_loop_variable(scope, variable)
        || scope->body->variables[variable].is_global || scope->changes[variable].is_addressed
        || scope->body->variables[variable].type != TYPE_INTEGER || count_stores_to(body, variable) > 0)
        return false;
    *loop = (struct loop){.variable = variable,
                          .low = linear_of(scope, low),
                          .high = linear_of(scope, high),
                          .is_descending = node->value < 0};
    return loop->low.is_known && loop->high.is_known;
}
