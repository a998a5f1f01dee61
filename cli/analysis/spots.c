/* spots.c - see spots_internal.h. */
#include "spots_internal.h"

#include <string.h>

enum { FIRST_SLOTS = 64, DEEPEST = 6, MOST_SPOTS = 1000, MOST_PARTS = 64 };

static unsigned
hash(const struct spot *spot)
{
    uintptr_t key = (uintptr_t)spot->key;
    return ((unsigned)spot->kind * 31u + (unsigned)spot->index) * 2654435761u ^ (unsigned)(key >> 4) * 40503u ^
           (unsigned)spot->parent * 2246822519u;
}

static int *
find_slot(const struct spots *spots, const struct spot *wanted)
{
    for (unsigned i = hash(wanted);; i++) {
        int *slot = &spots->slots[i & (unsigned)(spots->n_slots - 1)];
        if (*slot < 0)
            return slot;
        const struct spot *spot = &spots->items[*slot];
        if (spot->kind == wanted->kind && spot->index == wanted->index && spot->key == wanted->key
            && spot->parent == wanted->parent)
            return slot;
    }
}

static void
make_slots(struct arena *arena, struct spots *spots, int n)
{
    spots->n_slots = n;
    spots->slots = arena_take(arena, (size_t)n, sizeof *spots->slots);
    memset(spots->slots, 0xFF, (size_t)n * sizeof *spots->slots);
    for (int i = 0; i < spots->n; i++)
        *find_slot(spots, &spots->items[i]) = i;
}

void
spots_init(struct arena *arena, struct spots *spots)
{
    bool is_new;
    *spots = (struct spots){0};
    make_slots(arena, spots, FIRST_SLOTS);
    spots_find(arena, spots, (struct spot){.kind = SPOT_WILD, .parent = -1, .is_external = true}, &is_new);
    spots_find(arena, spots, (struct spot){.kind = SPOT_ANY, .parent = -1, .is_external = true}, &is_new);
}

/* What stands for a part that there is no room for. */
static struct spot
coarser(const struct spots *spots, struct spot wanted)
{
    const struct spot *parent = &spots->items[wanted.parent];
    if (wanted.kind == SPOT_FIELD || parent->kind == SPOT_BELOW)
        return *parent;
    wanted.kind = SPOT_BELOW;
    return wanted;
}

int
spots_find(struct arena *arena, struct spots *spots, struct spot wanted, bool *is_new)
{
    *is_new = false;
    int *slot = find_slot(spots, &wanted);
    if (*slot >= 0)
        return *slot;
    if (wanted.parent >= 0) {
        bool is_too_much = spots->items[wanted.parent].depth >= DEEPEST || spots->n >= MOST_PARTS;
        if (spots->items[wanted.parent].kind == SPOT_BELOW || is_too_much) {
            wanted = coarser(spots, wanted);
            slot = find_slot(spots, &wanted);
            if (*slot >= 0)
                return *slot;
        }
    }
    if (spots->n >= MOST_SPOTS)
        return ANY;
    int number = spots->n;
    *slot = number;
    wanted.first_field = wanted.next_field = -1;
    wanted.base = number;
    if (wanted.parent >= 0) {
        struct spot *parent = &spots->items[wanted.parent];
        wanted.depth = parent->depth + 1;
        wanted.base = parent->base;
        wanted.is_external = parent->is_external;
        wanted.is_constant = wanted.kind == SPOT_FIELD && parent->is_constant;
        if (wanted.kind == SPOT_FIELD) {
            wanted.next_field = parent->first_field;
            parent->first_field = number;
        }
    }
    *ARENA_PUSH(arena, spots->items, spots->n) = wanted;
    if (2 * spots->n > spots->n_slots)
        make_slots(arena, spots, 2 * spots->n_slots);
    *is_new = true;
    return number;
}
