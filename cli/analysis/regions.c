/* regions.c - which ranges of an array are stored. */
#include "cover_internal.h"

/* Whether a - b >= 0 wherever we are. */
static bool
at_least(const struct cover *cover, const struct linear *a, const struct linear *b)
{
    return linear_is_natural(&cover->scope, linear_add(a, b, -1));
}

static bool
contains(const struct cover *cover, const struct region *outer, const struct region *inner)
{
    for (int d = 0; d < cover->rank; d++)
        if (!at_least(cover, &inner->low[d], &outer->low[d]) || !at_least(cover, &outer->high[d], &inner->high[d]))
            return false;
    return true;
}

bool
is_stored(const struct cover *cover, const struct region *region)
{
    for (int i = 0; i < cover->stored.n; i++)
        if (contains(cover, &cover->stored.items[i], region))
            return true;
    return false;
}

bool
same_region(const struct cover *cover, const struct region *a, const struct region *b)
{
    for (int d = 0; d < cover->rank; d++)
        if (!linear_equal(&a->low[d], &b->low[d]) || !linear_equal(&a->high[d], &b->high[d]))
            return false;
    return true;
}

/* Makes `a` the union of both if they differ in one dimension only, where one begins where the other ends. That holds for
 * empty ranges, too: the union is never more than both. */
static bool
merge(const struct cover *cover, struct region *a, const struct region *b)
{
    int different = -1;
    for (int d = 0; d < cover->rank; d++) {
        if (linear_equal(&a->low[d], &b->low[d]) && linear_equal(&a->high[d], &b->high[d]))
            continue;
        if (different >= 0)
            return false;
        different = d;
    }
    if (different < 0)
        return true;
    if (linear_equal(&a->high[different], &b->low[different]))
        a->high[different] = b->high[different];
    else if (linear_equal(&b->high[different], &a->low[different]))
        a->low[different] = b->low[different];
    else
        return false;
    return true;
}

static void
push_region(struct regions *stored, const struct region *region)
{
    if (stored->n < MOST_REGIONS) /* one that is forgotten proves nothing */
        stored->items[stored->n++] = *region;
}

void
add_region(struct cover *cover, const struct region *region)
{
    struct region whole = *region, all = {0};
    struct regions *stored = &cover->stored;
    bool is_merged = false;
    for (int i = 0; i < stored->n; i++)
        if (merge(cover, &whole, &stored->items[i])) {
            stored->items[i] = stored->items[--stored->n];
            i = -1; /* it may fit to others now */
            is_merged = true;
        }
    push_region(stored, &whole);
    if (is_merged && cover->only_collects) /* by itself it may say more of the loop around */
        push_region(stored, region);
    for (int d = 0; d < cover->rank; d++) {
        all.low[d] = linear_number(0);
        all.high[d] = cover->extents[d];
    }
    if (cover->scope.n_loops == 0 && !cover->only_collects && contains(cover, &whole, &all))
        cover->is_complete = true;
}

/* --- rounds of a loop --- */

/* The one dimension in which the region is [v + c, v + c + 1), if it depends on v nowhere else; -1: nowhere at all; -2: in
 * another way. */
static int
moving_dimension(const struct cover *cover, const struct region *region, int variable)
{
    int moving = -1;
    struct linear one = linear_number(1);
    for (int d = 0; d < cover->rank; d++) {
        int64_t low = linear_factor(&region->low[d], variable), high = linear_factor(&region->high[d], variable);
        if (low == 0 && high == 0)
            continue;
        struct linear next = linear_add(&region->low[d], &one, 1);
        if (moving >= 0 || low != 1 || !linear_equal(&next, &region->high[d]))
            return -2;
        moving = d;
    }
    return moving;
}

/* What is stored when the variable has gone through [low, high). */
static struct region
swept(const struct region *region, int d, int variable, const struct linear *low,
      const struct linear *high)
{
    struct region all = *region;
    all.low[d] = linear_replace(&region->low[d], variable, low);
    all.high[d] = linear_replace(&region->low[d], variable, high);
    return all;
}

void
add_earlier_rounds(struct cover *cover, const struct loop *loop, const struct regions *found)
{
    struct linear here = linear_variable(loop->variable), one = linear_number(1);
    struct linear after = linear_add(&here, &one, 1);
    for (int i = 0; i < found->n; i++) {
        int d = moving_dimension(cover, &found->items[i], loop->variable);
        if (d < 0)
            continue;
        struct region earlier = loop->is_descending ? swept(&found->items[i], d, loop->variable, &after, &loop->high)
                                                    : swept(&found->items[i], d, loop->variable, &loop->low, &here);
        add_region(cover, &earlier);
    }
}

void
add_all_rounds(struct cover *cover, const struct loop *loop, const struct regions *found)
{
    struct linear one = linear_number(1), rounds = linear_add(&loop->high, &loop->low, -1);
    bool is_entered = linear_is_natural(&cover->scope, linear_add(&rounds, &one, -1));
    for (int i = 0; i < found->n; i++) {
        int d = moving_dimension(cover, &found->items[i], loop->variable);
        if (d >= 0) {
            struct region all = swept(&found->items[i], d, loop->variable, &loop->low, &loop->high);
            add_region(cover, &all);
        } else if (d == -1 && is_entered) {
            add_region(cover, &found->items[i]);
        }
    }
}
