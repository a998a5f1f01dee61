/* spots_internal.h - the pieces of memory that a function's pointers may point into, and what they hold.
 *
 * A spot is a base (what a parameter points to, a variable, memory that a call made, a function) or a part of another spot: a
 * field of it, or what the pointers in it point to. What is known of a spot holds for the whole body, in whatever order its
 * statements run.
 */
#ifndef ANALYSIS_SPOTS_H
#define ANALYSIS_SPOTS_H

#include "model/body.h"
#include "model/model.h"
#include "sets_internal.h"

enum spot_kind {
    SPOT_WILD,     /* memory that some number is the address of */
    SPOT_ANY,      /* all memory there is: beyond the limits */
    SPOT_PARAM,    /* what parameter number `index` points to; of a structure passed by value, the structure itself */
    SPOT_GLOBAL,   /* a variable that outlives the call */
    SPOT_LOCAL,    /* local variable number `index` */
    SPOT_SITE,     /* memory that the node `key` made; index: which of several */
    SPOT_FUNCTION, /* a function; index: number of its name */
    SPOT_FIELD,    /* of the parent; index: number of its name */
    SPOT_BEHIND,   /* what pointers in the parent point to */
    SPOT_BELOW     /* all that can be reached from the parent: beyond the limits */
};

/* These two are the first of every table. */
enum { WILD = 0, ANY = 1 };

/* The first reason for a state. */
struct cause {
    struct place place;
    const char *text;
    const struct summary *callee; /* the chain goes on with this summary's spot, or NULL */
    int callee_spot;
};

struct spot {
    enum spot_kind kind;
    int index;
    const void *key;
    int parent;             /* -1: none */
    int first_field, next_field; /* the parts of a spot that are fields of it; -1: none */
    int depth;              /* steps from its base */
    int base;
    bool is_external;       /* its caller, or anybody, has access: it holds more than what is stored in it here */
    bool is_constant;       /* a global one that only its initializer fills */
    bool is_array;          /* a field that is an array: its elements may be walked through */
    bool is_moved;          /* somebody computed with its address: what is around it may be meant */
    set content;            /* what the pointers that were stored in it may point to */
    set copies;             /* structures that were copied to it: its fields hold what theirs do */
    const struct called *function; /* of SPOT_FUNCTION */
    enum model_writes state;
    struct cause cause, exposed;
};

struct spots {
    struct spot *items;
    int n;
    int *slots; /* open addressing: a number of a spot, -1: free */
    int n_slots;
};

/* The spot with this kind, index, key and parent, made where it is new (*is_new); ANY or one around it beyond the limits. */
int spots_find(struct arena *arena, struct spots *spots, struct spot wanted, bool *is_new);
void spots_init(struct arena *arena, struct spots *spots);

#endif
