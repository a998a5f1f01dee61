/* sets_internal.h - sets of small numbers, each kept once: equal sets are the same number, so that states are copied and compared
 * cheaply.
 */
#ifndef ANALYSIS_SETS_H
#define ANALYSIS_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* A set, by its number in the pool; 0 is the empty one. */
typedef int set;

struct set_items {
    const int *values; /* ascending */
    int n;
};

struct sets {
    struct arena *arena;
    struct set_items *items;
    int n;
    int *scratch;        /* room for one set under way */
    int scratch_room;
    int *slots;          /* open addressing on the items: a number of a set, 0: free */
    int n_slots;
    struct set_union {
        set a, b, both;
    } *unions;           /* what was joined before; a newer pair may take an older one's place */
};

void sets_init(struct sets *sets, struct arena *arena);
/* What is not in the arena; set_items still works. */
void sets_release(struct sets *sets);
struct set_items set_items(const struct sets *sets, set which);
set set_single(struct sets *sets, int value);
set set_join(struct sets *sets, set a, set b);
set set_without(struct sets *sets, set which, int value);
bool set_has(const struct sets *sets, set which, int value);

#endif
