/* walk_internal.h - between the files that follow what a body does: walk.c (statements), values.c (expressions), memory.c (what
 * is where), calls.c and effects.c (calls).
 */
#ifndef ANALYSIS_WALK_H
#define ANALYSIS_WALK_H

#include "analysis_internal.h"

/* What the variables whose address nobody has may point into, at one point of a body; of others the spots know it. */
struct state {
    set *cells;
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
    bool *is_cell;              /* of each variable: it is followed with the flow; else it is memory */
    bool *is_copy;              /* of each parameter: a structure passed by value */
    struct state now;
    struct exits *exits;
    struct state *switch_start; /* what holds where the innermost switch jumps from */
    struct state *weak;         /* what holds anywhere in the innermost try block, or NULL */
    bool is_loose;              /* there are jumps: any statement may follow any other */
};

/* --- walk.c --- */
void walk_statement(struct walk *walk, const struct node *node);
bool state_join(const struct walk *walk, struct state *into, const struct state *from);
struct state state_copy(const struct walk *walk, const struct state *from);
void state_release(struct state *state);
/* Everything that a caller can see may be written. */
void mark_all(struct summary *summary, const char *text);

/* --- memory.c --- */

set joined(struct walk *walk, set a, set b);
struct spot *spot_at(const struct walk *walk, int spot);
/* The spot itself, as a set. */
set spot_base(struct walk *walk, enum spot_kind kind, int index, const void *key);
set spot_of_variable(struct walk *walk, int variable);
/* By the number of its name. */
set spot_of_global(struct walk *walk, int number, bool is_constant);
set field_of(struct walk *walk, int spot, int number, bool is_array);
set spot_of_function(struct walk *walk, const struct called *function);
/* The fields of that name. name NULL: of a union. */
set fields_of(struct walk *walk, set memory, const char *name, bool is_array);
/* Where one may get from there by computing with addresses: all of the structures that the spots are fields of. */
set moved(struct walk *walk, set memory, bool is_backward);
/* What may be read there. Numbers only tell what was stored here; that they were read is noted. */
set load(struct walk *walk, set memory, bool is_number);
void keep(struct walk *walk, set memory, set value);
/* All fields of the source are copied to those of the memory. */
void copy_structure(struct walk *walk, set memory, set source);
/* A write to the memory, of a value that points there; YES if it is one piece, else it may be any of them. */
void write_to(struct walk *walk, set memory, enum model_writes state, struct cause cause);
/* The same, and what was stored is to be found there. */
void store_to(struct walk *walk, set memory, set value, struct cause cause);
/* The addresses have become numbers; from any number, memory may be written. */
void expose(struct walk *walk, set memory, struct cause cause);
void reveal(struct walk *walk, set memory);
/* All that can be reached from there. */
set reach(struct walk *walk, set from);
/* Whether it is a variable that is too small for an address, or holds none by its type. */
bool is_number_variable(const struct walk *walk, const struct spot *spot);
/* Somebody unknown has the addresses: writes there, and in all that can be reached, and may keep them. */
void give_away(struct walk *walk, set memory, struct cause cause);

/* --- values.c --- */

/* What an expression's value may point into; does what its evaluation does. */
set value_of(struct walk *walk, const struct node *node);
/* Puts the value of an expression, or of an initializer with all that is in it, into memory that nobody else has. */
void store_value(struct walk *walk, set memory, const struct node *node);
/* Where something is. */
set location_of(struct walk *walk, const struct node *node);
/* Whether a value of that kind is no address, as far as its type tells. */
bool is_number(const struct node *node);
struct cause cause_at(const struct node *node);

/* --- calls.c --- */
set value_of_call(struct walk *walk, const struct node *call);

/* A call under evaluation. */
struct call {
    struct walk *walk;
    const struct node *node;
    const struct called *type; /* of the callee; NULL: nothing is known of it */
    set *arguments;
    int n_arguments;
    struct cause cause;
    enum model_writes most;    /* MAYBE: one of several that may be called */
    int depth;                 /* how many functions that were passed on are being called around it */
};

/* Functions that call functions that they are given, and so on: f(f) would never end, and many such branch. */
enum { DEEPEST_PENDING = 2 };

/* Calls what these spots stand for. */
set call_any(const struct call *call, set callee);
void no_effect_known(const struct call *call, const char *text);
/* The function may be called, any number of times, with any of what is given. */
void call_back(const struct call *call, const struct called *function, set given);

/* --- effects.c --- */

/* What a body that is known does; its value. */
set call_of_body(const struct call *call, const struct summary *summary);

/* --- known.c --- */

/* What a function of a library does; false: it is in no table. */
bool call_of_library(const struct call *call, const char *name, set *result);

#endif
