/* pyflow_set.c - sets of roots, and what is known of a value on two paths. */
#include "pyflow_parts_internal.h"

static struct flow_set *
take_set(struct flow *flow, int n)
{
    struct flow_set *set = arena_take(flow->arena, 1, sizeof *set + (size_t)n * sizeof set->items[0]);
    set->n = n;
    return set;
}

const struct flow_set *
flow_set_one(struct flow *flow, int root)
{
    struct flow_set *set = take_set(flow, 1);
    set->items[0] = root;
    return set;
}

bool
flow_set_has(const struct flow_set *set, int root)
{
    for (int i = 0; set && i < set->n; i++)
        if (set->items[i] == root)
            return true;
    return false;
}

static bool
includes(const struct flow_set *all, const struct flow_set *some)
{
    int i = 0;
    for (int k = 0; k < some->n; k++, i++) {
        while (i < all->n && all->items[i] < some->items[k])
            i++;
        if (i == all->n || all->items[i] != some->items[k])
            return false;
    }
    return true;
}

const struct flow_set *
flow_set_union(struct flow *flow, const struct flow_set *a, const struct flow_set *b)
{
    /* The first one wherever it is enough: who adds to a set sees by its address that nothing was new. */
    if (!b || a == b)
        return a;
    if (!a)
        return b;
    if (includes(a, b))
        return a;
    if (includes(b, a))
        return b;
    struct flow_set *set = take_set(flow, a->n + b->n);
    int n = 0;
    for (int i = 0, j = 0; i < a->n || j < b->n;) {
        if (j == b->n || (i < a->n && a->items[i] <= b->items[j])) {
            j += j < b->n && a->items[i] == b->items[j];
            set->items[n++] = a->items[i++];
        } else {
            set->items[n++] = b->items[j++];
        }
    }
    set->n = n;
    return set;
}

struct flow_value
flow_unknown(const struct flow_set *roots)
{
    return (struct flow_value){.type = FLOW_UNKNOWN, .rank = -1, .roots = roots};
}

/* What operators may do to either of two values. */
static int
join_unknown(const struct flow *flow, struct flow_value a, struct flow_value b)
{
    const struct flow_value both[] = {a, b};
    for (int i = 0; i < 2; i++)
        if ((both[i].type == FLOW_UNKNOWN && both[i].which == UNKNOWN_FOREIGN)
            || (both[i].type == FLOW_OBJECT && flow->classes[both[i].which].has_bases))
            return UNKNOWN_FOREIGN;
    return flow_is_numeric(a) && flow_is_numeric(b) ? UNKNOWN_NUMERIC : UNKNOWN_ANY;
}

struct flow_value
flow_join(struct flow *flow, struct flow_value a, struct flow_value b)
{
    if (a.type == FLOW_UNBOUND)
        return b;
    if (b.type == FLOW_UNBOUND)
        return a;
    const struct flow_set *roots = flow_set_union(flow, a.roots, b.roots);
    if (a.type != b.type || a.type == FLOW_UNKNOWN || (a.type >= FLOW_OBJECT && a.which != b.which)) {
        struct flow_value unknown = flow_unknown(roots);
        unknown.which = join_unknown(flow, a, b);
        return unknown;
    }
    if (a.type == FLOW_SCALAR && b.which > a.which)
        a.which = b.which;
    if (a.type == FLOW_CONTAINER && a.rank != b.rank)
        a.rank = a.rank == CONTAINS_ANYTHING || b.rank == CONTAINS_ANYTHING ? CONTAINS_ANYTHING : CONTAINS_ARRAYS;
    else if (a.rank != b.rank)
        a.rank = -1;
    a.roots = roots;
    return a;
}

bool
flow_same(struct flow_value a, struct flow_value b)
{
    return a.type == b.type && a.rank == b.rank && a.which == b.which && a.roots == b.roots;
}

int
flow_contents_of(struct flow_value element)
{
    if (element.type == FLOW_CONTAINER)
        return element.rank;
    if (element.type == FLOW_SCALAR)
        return element.which == SCALAR_NUMBER ? CONTAINS_NUMBERS : CONTAINS_ANYTHING;
    return flow_is_array(element) ? CONTAINS_ARRAYS : CONTAINS_ANYTHING;
}

struct flow_value
flow_element(struct flow_value value)
{
    switch (value.type) {
    case FLOW_SCALAR:
        return value;
    case FLOW_ARRAY:
        if (value.rank == 1)
            return flow_scalar();
        if (value.rank > 1) {
            value.rank--;
            return value;
        }
        return flow_numeric(value.roots);
    case FLOW_CONTAINER: /* numbers may be in lists in it */
        return value.rank == CONTAINS_NUMBERS  ? flow_scalar()
               : value.rank == CONTAINS_ARRAYS ? flow_numeric(value.roots)
                                               : flow_unknown(value.roots);
    case FLOW_UNKNOWN:
        return value;
    default:
        return flow_unknown(value.roots);
    }
}
