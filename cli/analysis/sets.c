/* sets.c - see sets_internal.h. */
#include "sets_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

enum { FIRST_SLOTS = 256, UNIONS = 1 << 12 };

void
sets_init(struct sets *sets, struct arena *arena)
{
    *sets = (struct sets){.arena = arena, .n_slots = FIRST_SLOTS};
    sets->slots = arena_take(arena, FIRST_SLOTS, sizeof *sets->slots);
    sets->unions = arena_take(arena, UNIONS, sizeof *sets->unions);
    (void)ARENA_PUSH(arena, sets->items, sets->n); /* the empty one */
}

void
sets_release(struct sets *sets)
{
    free(sets->scratch);
    sets->scratch = NULL;
    sets->scratch_room = 0;
}

/* Room for `n` values until the next call: most sets that are put together are known already, and cost nothing. */
static int *
scratch(struct sets *sets, int n)
{
    if (n > sets->scratch_room) {
        int *more = realloc(sets->scratch, 2 * (size_t)n * sizeof *more);
        if (more == NULL)
            exit(environment_error("out of memory"));
        sets->scratch = more;
        sets->scratch_room = 2 * n;
    }
    return sets->scratch;
}

struct set_items
set_items(const struct sets *sets, set which)
{
    return sets->items[which];
}

static unsigned
hash(const int *values, int n)
{
    unsigned sum = 2166136261u;
    for (int i = 0; i < n; i++)
        sum = (sum ^ (unsigned)values[i]) * 16777619u;
    return sum;
}

static int *
find_slot(const struct sets *sets, const int *values, int n)
{
    for (unsigned i = hash(values, n);; i++) {
        int *slot = &sets->slots[i & (unsigned)(sets->n_slots - 1)];
        const struct set_items *found = &sets->items[*slot];
        if (*slot == 0 || (found->n == n && memcmp(found->values, values, (size_t)n * sizeof *values) == 0))
            return slot;
    }
}

static void
grow_slots(struct sets *sets)
{
    sets->n_slots *= 2;
    sets->slots = arena_take(sets->arena, (size_t)sets->n_slots, sizeof *sets->slots);
    for (int i = 1; i < sets->n; i++)
        *find_slot(sets, sets->items[i].values, sets->items[i].n) = i;
}

/* The set of these values, which are copied if it is new. */
static set
intern(struct sets *sets, const int *values, int n)
{
    int *slot = find_slot(sets, values, n);
    if (*slot != 0)
        return *slot;
    int *copy = arena_take(sets->arena, (size_t)n, sizeof *copy), number = sets->n;
    memcpy(copy, values, (size_t)n * sizeof *copy);
    *slot = number;
    *ARENA_PUSH(sets->arena, sets->items, sets->n) = (struct set_items){copy, n};
    if (2 * sets->n > sets->n_slots)
        grow_slots(sets);
    return number;
}

set
set_single(struct sets *sets, int value)
{
    return intern(sets, &value, 1);
}

static set
merge(struct sets *sets, struct set_items a, struct set_items b)
{
    int *values = scratch(sets, a.n + b.n), n = 0, i = 0, j = 0;
    while (i < a.n || j < b.n) {
        bool from_a = j == b.n || (i < a.n && a.values[i] <= b.values[j]);
        int value = from_a ? a.values[i++] : b.values[j++];
        if (n == 0 || values[n - 1] != value)
            values[n++] = value;
    }
    return intern(sets, values, n);
}

set
set_join(struct sets *sets, set a, set b)
{
    if (a == b || b == 0)
        return a;
    if (a == 0)
        return b;
    struct set_union *known = &sets->unions[((unsigned)a * 31u + (unsigned)b) & (UNIONS - 1)];
    if (known->a != a || known->b != b)
        *known = (struct set_union){a, b, merge(sets, sets->items[a], sets->items[b])};
    return known->both;
}

bool
set_has(const struct sets *sets, set which, int value)
{
    struct set_items items = sets->items[which];
    int low = 0, high = items.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (items.values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < items.n && items.values[low] == value;
}

set
set_without(struct sets *sets, set which, int value)
{
    if (!set_has(sets, which, value))
        return which;
    struct set_items items = sets->items[which];
    int *rest = scratch(sets, items.n), n = 0;
    for (int i = 0; i < items.n; i++)
        if (items.values[i] != value)
            rest[n++] = items.values[i];
    return n > 0 ? intern(sets, rest, n) : 0;
}
