/* lower_internal.h - between the files that turn clang's syntax trees into bodies. */
#ifndef CLANG_BODY_H
#define CLANG_BODY_H

#include "analysis/analysis.h"
#include "unit_internal.h"

/* Appends the body of the function whose definition that is. */
void body_add(struct program *program, struct unit *unit, CXCursor function);

/* library.c: what is known of functions without a body. */
const struct library_row *library_rows(int *n);

/* --- between lower.c and lower_expressions.c --- */

struct builder {
    struct unit *unit;
    struct arena *arena;
    struct body *body;
    CXCursor *declarations; /* of the variables, in the same order */
    int depth;              /* of the statement that is being built */
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
/* Width in bits and sign of an integer type; 0 for any other. */
int integer_width(CXType type, bool *is_signed);
/* What is known of a function by its declarations. */
const struct called *describe_function(struct builder *builder, CXCursor function);
/* Of a call through a pointer: what the pointer's type says of the function, or NULL. */
const struct called *describe_pointer(struct builder *builder, CXCursor callee);

/* lower_operators.c: what is computed; OPERATOR_OTHER for most. */
enum node_op binary_operator(CXCursor cursor);

/* --- attributes.c --- */

/* Whether a declaration has attributes that may change which code is executed. */
bool has_attribute_of_effect(struct builder *builder, CXCursor declaration);

#endif
