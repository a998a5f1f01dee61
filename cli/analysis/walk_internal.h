/* walk_internal.h - between walk.c (statements), values.c (expressions) and calls.c. */
#ifndef ANALYSE_WALK_H
#define ANALYSE_WALK_H

#include "analysis_internal.h"

/* What the variables hold at one point of a body. One more cell than variables: for values without a name. */
struct state {
    struct tags *cells;
    bool is_reachable;
};

/* A loop or a switch that is being walked: what holds where it is left by break, and where continue goes on. */
struct exits {
    struct state broken, continued;
    bool is_loop;
    struct exits *outer;
};

struct walk {
    struct analysis *analysis;
    struct summary *summary;
    const struct body *body;
    int n_cells;
    struct state now;
    struct exits *exits;
    struct state *switch_start; /* what holds where the innermost switch jumps from */
    bool is_loose;              /* there are jumps: any statement may follow any other */
    bool *escaped;              /* variables whose address somebody may have kept */
};

/* --- walk.c --- */
void walk_statement(struct walk *walk, const struct node *node);
bool state_join(const struct walk *walk, struct state *into, const struct state *from);
struct state state_copy(const struct walk *walk, const struct state *from);
void state_release(struct state *state);

/* --- values.c --- */

/* What an expression's value may point into; does what its evaluation does. */
struct tags value_of(struct walk *walk, const struct node *node);
/* All that can be reached from there: through local variables, and through pointers in the memory of parameters. */
struct tags reach(struct walk *walk, struct tags from);
/* Somebody may keep these addresses and write there later. */
void escape(struct walk *walk, struct tags tags, struct cause cause);
/* A write to the memory that the tags stand for; `state` if it is one piece, else it may be any of them. */
void write_to(struct walk *walk, struct tags tags, enum model_writes state, struct cause cause);

/* --- calls.c --- */
struct tags value_of_call(struct walk *walk, const struct node *call);

#endif
