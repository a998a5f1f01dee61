/* pyflow_set.c - sets of roots, and what is known of a value on two paths. */
#include "pyflow_parts_internal.h"

static struct flow_set *take_set(struct flow *flow, int n)
{
    struct flow_set *set = arena_take(flow->arena, 1, sizeof *set + (size_t)n * sizeof set->items[0]);
    set->n = n;
    return set;
}

const struct flow_set *flow_set_one(struct flow *flow, int root)
{
    struct flow_set *set = take_set(flow, 1);
    set->items[0] = root;
    return set;
}

bool flow_set_has(const struct flow_set *set, int root)
{
    for (int i = 0; set && i < set->n; i++)
        if (set->items[i] == root)
            return true;
    return false;
}

static bool includes(const struct flow_set *all, const struct flow_set *some)
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

const struct flow_set *flow_set_union(struct flow *flow, const struct flow_set *a, const struct flow_set *b)
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

struct flow_value flow_unknown(const struct flow_set *roots)
{
    return (struct flow_value){.type = FLOW_UNKNOWN, .rank = -1, .roots = roots};
}

struct flow_value flow_join(struct flow *flow, struct flow_value a, struct flow_value b)
{
    if (a.type == FLOW_UNBOUND)
        return b;
    if (b.type == FLOW_UNBOUND)
        return a;
    const struct flow_set *roots = flow_set_union(flow, a.roots, b.roots);
    if (a.type != b.type || (a.type >= FLOW_OBJECT && a.which != b.which))
        return flow_unknown(roots);
    if (a.rank != b.rank)
        a.rank = -1;
    a.roots = roots;
    return a;
}

bool flow_same(struct flow_value a, struct flow_value b)
{
    return a.type == b.type && a.rank == b.rank && a.which == b.which && a.roots == b.roots;
}

struct flow_value flow_element(struct flow_value value)
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
        return flow_unknown(value.roots);
    case FLOW_CONTAINER:
        return value.rank == 0 ? flow_scalar() : flow_unknown(value.roots);
    default:
        return flow_unknown(value.roots);
    }
}
