/* body.h - the bodies of C functions as small trees: what an analysis needs of them, without libclang.
 *
 * Written by front/c/lower*.c, read by analysis/. Implicit conversions, parentheses and casts that keep a value are gone; what
 * they did to an array shows in the types: an expression of array type whose value is used is its address.
 */
#ifndef BODY_H
#define BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "model.h"

enum node_kind {
    /* expressions */
    NODE_NUMBER,      /* an integer constant: value */
    NODE_VARIABLE,    /* variable >= 0 */
    NODE_FUNCTION,    /* a function's name used as a value */
    NODE_INDEX,       /* pointer or array, index */
    NODE_POINTEE,     /* *pointer */
    NODE_ADDRESS,     /* &place */
    NODE_MEMBER,      /* place.name */
    NODE_ARROW,       /* pointer->name */
    NODE_CALL,        /* callee, arguments... */
    NODE_ASSIGN,      /* place, value */
    NODE_UPDATE,      /* place op= value; place++ and the like have the value 1 */
    NODE_BINARY,      /* left, right */
    NODE_UNARY,       /* operand */
    NODE_CONDITIONAL, /* condition, then, else; a ?: b has two children */
    NODE_COMMA,       /* left, right */
    NODE_CONVERT,     /* an explicit cast; value: size of its type */
    NODE_LIST,        /* values of an initializer */
    NODE_LITERAL,     /* (type){...}: variable, list */
    NODE_BLOCK_VALUE, /* ({ ... }) */
    NODE_OPAQUE,      /* a constant of no interest: strings, floating point numbers, sizeof */
    NODE_UNKNOWN,     /* anything else; may do anything to what its children point to */
    /* statements */
    NODE_BLOCK,       /* statements... */
    NODE_DECLARE,     /* variable, initializer or nothing */
    NODE_IF,          /* condition, then, else or nothing */
    NODE_FOR,         /* start, condition, step, body: all four there */
    NODE_LOOP,        /* any other loop: expressions and statements that are executed any number of times, in this order */
    NODE_DO,          /* body, condition */
    NODE_SWITCH,      /* value, body */
    NODE_CASE,        /* statement; default too */
    NODE_LABEL,       /* statement */
    NODE_GOTO,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,      /* value or nothing */
    NODE_ASSEMBLER    /* operands */
};

enum node_op { OPERATOR_ADD, OPERATOR_SUB, OPERATOR_MUL, OPERATOR_DIV, OPERATOR_REM, OPERATOR_LESS, OPERATOR_LESS_EQUAL,
               OPERATOR_GREATER, OPERATOR_GREATER_EQUAL, OPERATOR_EQUAL, OPERATOR_NOT_EQUAL, OPERATOR_AND, OPERATOR_OR,
               OPERATOR_NOT, OPERATOR_MINUS, OPERATOR_PART, /* __real__, __imag__ */
               OPERATOR_OTHER };

enum node_type {
    TYPE_INTEGER,  /* may have been made from an address */
    TYPE_FLOATING, /* can hold no address: floating point numbers, bool, structures without pointers */
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_RECORD,   /* structure or union with pointers in it */
    TYPE_OTHER
};

struct node {
    enum node_kind kind;
    enum node_op op;
    enum node_type type;
    int variable;               /* in body->variables, or -1 */
    int64_t value;
    const char *name;           /* of a field; NODE_OPAQUE: the characters of a string, else NULL */
    const struct called *function; /* NODE_CALL (NULL where not even its type is known), NODE_FUNCTION */
    struct place place;
    const char *text;           /* of a store, as written */
    struct node *child, *next;
    struct node *last;          /* child; while the tree is built */
    int n_children;
};

/* A function as a caller sees it. */
struct called {
    const char *name;           /* NULL: it is called through a pointer, and only its type is known */
    const char *unit;           /* of a static function: the file it is in; NULL: external */
    bool *may_write;            /* for each parameter: its type lets the function write through it */
    int n_params;
    bool is_variadic;
    bool returns_pointer;
};

struct variable {
    const char *name;
    enum node_type type;
    int param;                  /* position, or -1 */
    bool is_flat;               /* a pointer to what can hold no addresses: numbers */
    bool is_global;             /* or static: it outlives the call */
    const struct model_type *declared; /* of a parameter: what it is declared as here, where the body is */
    struct node *extents;       /* an array parameter's, outermost first, as children; NODE_UNKNOWN where it has none */
};

struct body {
    const char *name;
    const char *unit;           /* of a static function, else NULL */
    struct place place;
    int last_line;
    struct variable *variables; /* parameters first, in order */
    int n_variables, n_params;
    struct node *root;          /* NODE_BLOCK */
    const char *broken;         /* why nothing in it can be relied on (clang found an error in it), or NULL */
};

#endif
