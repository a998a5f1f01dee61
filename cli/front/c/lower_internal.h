/* lower_internal.h - between the files that turn clang's syntax trees into bodies. */
#ifndef CLANG_BODY_H
#define CLANG_BODY_H

#include "analysis/analysis.h"
#include "unit_internal.h"

/* Appends the body of the function whose definition that is. */
void body_add(struct program *program, struct unit *unit, CXCursor function);

/* --- between lower.c and lower_expressions.c --- */

struct builder {
    struct unit *unit;
    struct arena *arena;
    struct body *body;
    CXCursor *declarations; /* of the variables, in the same order */
    int *slots;             /* open addressing: an index into `declarations`, or -1 */
    int n_slots;
};

struct node *node_make(struct builder *builder, enum node_kind kind, CXCursor cursor);
void node_add(struct node *parent, struct node *child);
/* The children of a cursor, in order. In the arena. */
struct cursors {
    CXCursor *items;
    int n;
};
struct cursors children_of(struct builder *builder, CXCursor cursor);

struct node *build_statement(struct builder *builder, CXCursor cursor);
/* A node whose children are its parts as statements, in order. */
struct node *build_parts(struct builder *builder, enum node_kind kind, CXCursor cursor, struct cursors parts);
struct node *build_expression(struct builder *builder, CXCursor cursor);
/* The index of a declared variable, which is added if it is new. */
int builder_variable(struct builder *builder, CXCursor declaration);
enum node_type type_class(CXType type);

#endif
