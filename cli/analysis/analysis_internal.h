/* analysis_internal.h - what the files of this room share. */
#ifndef ANALYSE_PARTS_H
#define ANALYSE_PARTS_H

#include "analysis.h"
#include "linear_internal.h"
#include "spots_internal.h"
#include "base/names.h"

/* --- summaries --- */

enum { MOST_DIMS = 6 };

/* What a body does with an array parameter. */
struct facts {
    bool is_unused;      /* it is not mentioned */
    bool is_tested;      /* compared with NULL */
    bool is_single;      /* *p and p[0] are all there is */
    int rank;            /* 0: not known. Else no access is outside of: */
    struct linear extents[MOST_DIMS]; /* sums of the function's parameters, outermost first */
    int proven_size;     /* the parameter that is the extent, where the accesses prove it; else -1 */
    bool is_inside;      /* no access is outside of its extents, whatever they are */
    bool is_overwritten; /* every element is stored before any is read */
};

/* A call of something that a caller of the function has given to it. Who knows what that is, carries it out. */
struct pending {
    const struct node *node;
    const struct called *type; /* NULL: nothing is known of it */
    set callee;
    set *arguments;
    int n_arguments;
    struct cause cause;
};

/* What was found out about a function. */
struct summary {
    const struct body *body;
    struct spots spots;
    set returned;      /* what its value may point into */
    set exposed;       /* whose addresses have become numbers */
    set revealed;      /* whose addresses have been given away in ways that only tell numbers */
    set peeked;        /* of which numbers were read, which may be parts of addresses that a caller has put there */
    bool writes_memory, writes_wild; /* to anything; to where some number says */
    struct pending *pending;
    int n_pending;
    bool *is_cell;             /* of each variable: see walk_internal.h */
    bool *is_copy;             /* of each parameter: a structure passed by value */
    struct facts *facts;       /* of each parameter */
    struct changes *changes;   /* of each variable */
    struct summary *next;      /* of the same name: two files define one, or a static one */
    int *callers, n_callers;   /* numbers of summaries */
    bool is_waiting;           /* to be walked again */
    bool changed;              /* since that was last set to false */
};

/* A program under analysis. */
struct analysis {
    const struct program *program;
    struct arena *arena;
    struct sets sets;
    struct summary *summaries;
    int *order;                /* callees first, as far as there are no circles */
    struct names names;        /* name -> index of the first summary */
    struct names numbers;      /* a name of a field, a function or a global variable -> its number */
    const char **known_names;  /* by number */
    int n_known_names;
    const struct called **taken; /* functions in sight whose address is used as a value */
    int n_taken;
};

/* The summaries of the function that is called: those of its name and, for a static one, file. NULL: no body is known. */
const struct summary *find_summary(const struct analysis *analysis, const struct called *called, const struct summary *after);
/* The summary of a callee, if there is just one and its body is the one that is called. */
const struct summary *only_summary(const struct analysis *analysis, const struct called *called);

/* The number of that name, always the same. */
int number_of_name(struct analysis *analysis, const char *name);

/* Raises a state; the first cause of the strongest state is kept. */
void summary_mark(struct summary *summary, int spot, enum model_writes state, struct cause cause);

/* walk.c: whether something in the body returns twice. */
bool calls_setjmp(const struct node *node);
/* Walks a body until nothing changes, and adds what it finds to its summary. */
void walk_body(struct analysis *analysis, struct summary *summary);
/* report.c: raises the states to what they are if nobody is known who calls the function. */
void walk_report(struct analysis *analysis, struct summary *summary);

/* order.c: fills in analysis->order, the callers of each summary and the functions whose address is taken. */
void order_find(struct analysis *analysis);

/* --- facts, for all parameters of a summary --- */

/* uses.c: is_unused, is_tested, is_single; rank of single ones. */
void uses_find(struct summary *summary);
/* shapes.c: rank and extents, declared where the body is or proven by its accesses. This one and the next: true where
 * that is more than before. */
bool shapes_find(const struct analysis *analysis, struct summary *summary);
/* The variables that are extents by themselves are at least 1: else there is nothing to prove of the array. */
void mark_positive(const struct body *body, const struct facts *facts, bool *is_positive, bool value);
/* cover.c: is_overwritten. */
bool cover_find(const struct analysis *analysis, struct summary *summary);

/* The extent `d` of the callee's parameter in terms of the caller, who passes the call's arguments. */
struct linear extent_at_call(const struct scope *scope, const struct node *call, const struct facts *callee, int d);
/* Whether argument number `position` of the call is the variable itself, of elements of the same type as the callee's. */
bool passes_array(const struct body *body, const struct node *call, int position, int variable, const struct summary *callee);

/* apply.c: enters all that into the model. */
void apply_analysis(struct analysis *analysis, struct model *model);

#endif
