/* analysis_internal.h - what the files of this room share. */
#ifndef ANALYSE_PARTS_H
#define ANALYSE_PARTS_H

#include "analysis.h"
#include "linear_internal.h"
#include "base/names.h"

/* --- tags --- */

enum { MOST_TAGS = 256, TAG_WORDS = MOST_TAGS / 64 };

/* A set of tags of one function. */
struct tags {
    uint64_t bits[TAG_WORDS];
};

bool tags_is_empty(const struct tags *tags);
int tags_count(const struct tags *tags);
bool tags_has(const struct tags *tags, int tag);
void tags_put(struct tags *tags, int tag);
/* True if that changed `into`. */
bool tags_join(struct tags *into, const struct tags *from);
/* The first tag at or after `from`, or -1. */
int tags_next(const struct tags *tags, int from);

/* What a tag stands for. */
struct tag {
    int variable;      /* a local variable; -1: memory of a parameter */
    int param;
    const char *field; /* of the structure that the parameter points to; NULL: all of it, or it is none */
    bool is_deep;      /* not that memory itself, but what the pointers in it point to */
};

/* --- summaries --- */

/* The first reason for a state. */
struct cause {
    struct place place;
    const char *text;
    const struct summary *callee; /* the chain goes on with this summary's tag, or NULL */
    int callee_tag;
};

enum { MOST_DIMS = 6 };

/* What a body does with an array parameter. */
struct facts {
    bool is_unused;      /* it is not mentioned */
    bool is_tested;      /* compared with NULL */
    bool is_single;      /* *p and p[0] are all there is */
    int rank;            /* 0: not known. Else no access is outside of: */
    struct linear extents[MOST_DIMS]; /* sums of the function's parameters, outermost first */
    int proven_size;     /* the parameter that is the extent, where the accesses prove it; else -1 */
    bool is_overwritten; /* every element is stored before any is read */
};

/* What was found out about a function, by its own tags. */
struct summary {
    const struct body *body;
    struct tag *tags;
    int n_tags;
    enum model_writes *states; /* of each tag */
    struct cause *causes;
    struct tags returned;      /* what its value may point into */
    struct facts *facts;       /* of each parameter */
    struct changes *changes;   /* of each variable */
    struct summary *next;      /* of the same name: two files define one, or a static one */
};

/* A program under analysis. */
struct analysis {
    const struct program *program;
    struct arena *arena;
    struct summary *summaries;
    struct names names;        /* name -> index of the first summary */
    bool changed;
};

/* The summaries of the function that is called: those of its name and, for a static one, file. NULL: no body is known. */
const struct summary *find_summary(const struct analysis *analysis, const struct called *called, const struct summary *after);

/* The tag for that memory in a summary; made where it is new. Beyond MOST_TAGS one for more memory is returned. */
int tag_of_param(struct analysis *analysis, struct summary *summary, int param, const char *field);
/* Puts the tag for what the pointers in that memory point to; nothing where it holds none. */
void put_deep_tag(struct analysis *analysis, struct summary *summary, struct tags *tags, int param, const char *field);
int tag_of_variable(struct analysis *analysis, struct summary *summary, int variable);

/* Raises a state; the first cause of the strongest state is kept. */
void summary_mark(struct analysis *analysis, struct summary *summary, int tag, enum model_writes state, struct cause cause);

/* walk.c: walks a body once and adds what it finds to its summary. */
void walk_body(struct analysis *analysis, struct summary *summary);

/* --- library.c: functions without a body --- */

enum library_kind {
    LIBRARY_UNKNOWN,      /* may write through any pointer that is not const */
    LIBRARY_CONST_TELLS,  /* writes through the pointers that are not const, and through no others */
    LIBRARY_READS,        /* writes nothing that a caller can see */
    LIBRARY_PRINTS        /* reads, but for %n */
};
enum library_kind library_kind(const char *name);

/* The summary of a callee, if there is just one. */
const struct summary *only_summary(const struct analysis *analysis, const struct called *called);

/* --- facts, for all parameters of a summary --- */

/* uses.c: is_unused, is_tested, is_single; rank of single ones. */
void uses_find(struct summary *summary);
/* shapes.c: rank and extents, declared where the body is or proven by its accesses. This one and the next: true where
 * that is more than before. */
bool shapes_find(const struct analysis *analysis, struct summary *summary);
/* cover.c: is_overwritten. */
bool cover_find(const struct analysis *analysis, struct summary *summary);

/* The extent `d` of the callee's parameter in terms of the caller, who passes the call's arguments. */
struct linear extent_at_call(const struct scope *scope, const struct node *call, const struct facts *callee, int d);
/* Whether argument number `position` of the call is the variable itself, of elements of the same type as the callee's. */
bool passes_array(const struct body *body, const struct node *call, int position, int variable, const struct summary *callee);

/* apply.c: enters all that into the model. */
void apply_analysis(struct analysis *analysis, struct model *model);

#endif
