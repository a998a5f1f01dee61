/* body.h - the intermediate form: the bodies of functions as small trees, the same for every language.
 *
 * Written by the lowerings (front/c/lower*.c), read by analysis/. What a lowering does not know is NODE_UNKNOWN, anywhere: it
 * may do anything to whatever its children lead to. Implicit conversions, parentheses and casts that keep a value are gone; what
 * they did to an array shows in the types: an expression of array type whose value is used is its address.
 *
 * Readers may recurse over a body: no tree is higher than HIGHEST_TREE, which lowerings see to with NODE_CHAIN and, where that
 * does not help, by calling the body broken.
 */
#ifndef BODY_H
#define BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "model.h"

enum { HIGHEST_TREE = 1000 };

enum node_kind {
    /* expressions */
    NODE_NUMBER,      /* an integer constant: value */
    NODE_VARIABLE,    /* variable >= 0 */
    NODE_FUNCTION,    /* a function's name used as a value */
    NODE_INDEX,       /* pointer or array, index */
    NODE_POINTEE,     /* *pointer */
    NODE_ADDRESS,     /* &place */
    NODE_MEMBER,      /* place.name; name NULL: of a union, whose members are one another */
    NODE_ARROW,       /* pointer->name; the same */
    NODE_VIEW,        /* base, indices...: a part of the memory that the base refers to, or a reference into it */
    NODE_NEW,         /* memory that nobody else has, holding its children's values */
    NODE_CALL,        /* callee, arguments... */
    NODE_ASSIGN,      /* place, value */
    NODE_UPDATE,      /* place op= value; place++ and the like have the value 1 */
    NODE_BINARY,      /* left, right */
    NODE_UNARY,       /* operand */
    NODE_CONDITIONAL, /* condition, then, else; a ?: b has two children */
    NODE_COMMA,       /* left, right */
    NODE_CHAIN,       /* the operands of a long expression, in order: its value is made of theirs; AND, OR: any but the first
                         may be left out */
    NODE_CONVERT,     /* an explicit cast, or one that may change an integer; width, is_signed: those of its type */
    NODE_LIST,        /* values of an initializer, or NODE_INITIAL */
    NODE_INITIAL,     /* the value of the field `name`, or of one of a union's (NULL) */
    NODE_LITERAL,     /* (type){...}: variable, list */
    NODE_BLOCK_VALUE, /* ({ ... }) */
    NODE_OPAQUE,      /* a constant of no interest: strings, floating point numbers, sizeof */
    NODE_EXTENT,      /* extent number `value` of the array parameter `variable`: never negative, never changes */
    NODE_UNKNOWN,     /* anything else; may do anything to what its children lead to, and may leave the function */
    /* statements */
    NODE_BLOCK,       /* statements... */
    NODE_DECLARE,     /* variable, initializer or nothing */
    NODE_IF,          /* condition, then, else or nothing */
    NODE_EITHER,      /* alternatives: one of them is executed */
    NODE_FOR,         /* start, condition, step, body: all four there */
    NODE_EACH,        /* low, high, body: `variable` is low, ..., high - 1 in turn; the bounds are evaluated once, and what the
                         body does to the variable does not count for the next round; value -1: high - 1 down to low */
    NODE_WHILE,       /* condition, body */
    NODE_LOOP,        /* any other loop: expressions and statements that are executed any number of times, in this order */
    NODE_DO,          /* body, condition */
    NODE_SWITCH,      /* value, body */
    NODE_CASE,        /* statement; default too */
    NODE_LABEL,       /* statement */
    NODE_GOTO,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,      /* value or nothing */
    NODE_WEAK,        /* statements, any of which may be the last (a try block); then what is behind it */
    NODE_ASSEMBLER    /* operands */
};

enum node_op { OPERATOR_ADD, OPERATOR_SUB, OPERATOR_MUL, OPERATOR_DIV, OPERATOR_REM, OPERATOR_LESS, OPERATOR_LESS_EQUAL,
               OPERATOR_GREATER, OPERATOR_GREATER_EQUAL, OPERATOR_EQUAL, OPERATOR_NOT_EQUAL, OPERATOR_AND, OPERATOR_OR,
               OPERATOR_NOT, OPERATOR_MINUS, OPERATOR_PART, /* __real__, __imag__ */
               OPERATOR_OTHER };

enum node_type {
    TYPE_INTEGER,  /* numbers; any number may have been made from an address */
    TYPE_FLOATING, /* floating point numbers, bool, structures of numbers */
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_RECORD,   /* structure or union with pointers in it */
    TYPE_OTHER
};

struct node {
    enum node_kind kind;
    enum node_op op;
    enum node_type type;
    int width;                  /* of an integer, in bits; 0: it has no bounds, or its type is not known */
    bool is_signed;
    int variable;               /* in body->variables, or -1 */
    int64_t value;
    const char *name;           /* of a field; NODE_OPAQUE: the characters of a string, else NULL */
    const struct called *function; /* NODE_CALL (NULL where not even its type is known), NODE_FUNCTION */
    struct place place;
    const char *text;           /* of a store, as written */
    struct node *child, *next;
    struct node *last;          /* child; while the tree is built */
    int n_children;
    int height;                 /* 1 + the highest child's */
};

/* A function as a caller sees it. */
struct called {
    const char *name;           /* NULL: it is called through a pointer, and only its type is known */
    const char *unit;           /* of a static function: the file it is in; NULL: external */
    bool *may_write;            /* for each parameter: its type lets the function write through it */
    bool *is_flat;              /* for each parameter: it points to numbers, or to void */
    int n_params;
    bool is_variadic;
    bool returns_pointer;       /* or a structure */
    bool is_replaceable;        /* weak, an alias, another symbol: the body in sight may not be the one that is called */
};

struct variable {
    const char *name;
    enum node_type type;
    int width;                  /* of an integer, as in a node */
    bool is_signed;
    int param;                  /* position, or -1 */
    bool is_flat;               /* a pointer to what can hold no addresses: numbers */
    bool is_global;             /* or static: it outlives the call */
    bool is_constant;           /* a global one that is never assigned to: it holds what its initializer says */
    const char *unit;           /* of a global one: what tells it from others of its name; NULL: nothing, it is external */
    struct node *initial;       /* of a global one: its initializer, or NULL */
    const struct model_type *declared; /* of a parameter: what it is declared as here, where the body is */
    struct node *extents;       /* an array parameter's, outermost first, as children; NODE_UNKNOWN where it has none */
};

struct body {
    const char *name;
    const char *unit;           /* of a static function, else NULL */
    bool is_replaceable;        /* as in struct called */
    struct place place;
    int last_line;
    struct variable *variables; /* parameters first, in order */
    int n_variables, n_params;
    struct node *root;          /* NODE_BLOCK */
    const char *broken;         /* why nothing in it can be relied on (clang found an error in it), or NULL */
};

#endif
