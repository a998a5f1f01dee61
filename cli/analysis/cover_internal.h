/* cover_internal.h - between cover.c, which follows the statements, and regions.c, which keeps the account of
 * what they store.
 */
#ifndef ANALYSE_COVER_H
#define ANALYSE_COVER_H

#include "analysis_internal.h"

enum { MOST_REGIONS = 24 };

struct region {
    struct linear low[MOST_DIMS], high[MOST_DIMS]; /* low <= subscript < high */
};

struct regions {
    struct region *items; /* MOST_REGIONS of them; malloc'd */
    int n;
};

/* The search for one array. */
struct cover {
    const struct analysis *analysis;
    struct scope scope;
    int variable, rank;
    struct linear extents[MOST_DIMS];
    struct regions stored;
    bool only_collects; /* stores are of interest, reads are not */
    bool is_complete;
    bool has_failed;
};

/* Whether the region is in one of those stored. */
bool is_stored(const struct cover *cover, const struct region *region);
/* Whether both are the same ranges. */
bool same_region(const struct cover *cover, const struct region *a, const struct region *b);
/* The region is stored, too. The search is complete if that makes all of the array. */
void add_region(struct cover *cover, const struct region *region);
/* Inside the loop, whose rounds store `found` each: what earlier rounds have stored. */
void add_earlier_rounds(struct cover *cover, const struct loop *loop, const struct regions *found);
/* Behind the loop: what all rounds have stored; where that does not depend on the variable, if there was one. */
void add_all_rounds(struct cover *cover, const struct loop *loop, const struct regions *found);

#endif
