/* pytree.h - syntax trees of Python files, from the interpreter's own `ast`.
 *
 * One child process of the interpreter runs a program of ours (pytree.py, part of the executable) that parses the files and
 * writes their trees as a flat stream; nothing of the user's is imported or executed. The nodes lie in preorder in one array:
 * the first child of node i is i + 1, and what follows a node and all below it is `end`.
 */
#ifndef PYTREE_H
#define PYTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/* Node kinds: X(ID, name in Python, fields). A name of `ast` gets its emitter in pytree.py from the fields: @x the node's
 * string, !x the names of the operators, x a child, *x a child of kind PY_LIST_, +x the elements as last children. Rows without a class of that name in `ast`
 * are emitted by functions of pytree.py, with children as listed:
 *   File        errors and headers (list), statements (list); string: path
 *   FunctionDef decorators (list), arguments (list), result Text|None_, doc Text|None_, body (list), annotations that may do
 *               something where they are evaluated: inside a function (list). Lambdas, too: no name, the body a return
 *   Argument... annotation Text|None_, default Text|None_; inside a function, or of a lambda: default as an expression|None_
 *   ClassDef    decorators (list), bases and keywords (list), doc Text|None_, body (list)
 *   AnnAssign   target, annotation Text, value
 *   Call        function, arguments, keywords; number: how many arguments come before the keywords
 *   Import      Bindings: Text (module), Module      ImportFrom  Bindings: Text (name), Module, Module (submodule)
 *   Module      number: index into pytree.modules    Other       children of what has no row, Names for the names that it may
 *               bind; string: its class in `ast` */
#define PYTREE_KINDS(X)                                       \
    X(NONE_, "None_", "")                                     \
    X(LIST_, "List_", "")                                     \
    X(FILE, "File", "")                                       \
    X(ERROR, "Error", "")                                     \
    X(HEADER, "Header", "")                                   \
    X(TEXT, "Text", "")                                       \
    X(OTHER, "Other", "")                                     \
    X(FUNCTION, "FunctionDef", "")                            \
    X(ARGUMENT, "Argument", "")                               \
    X(ARGUMENT_POSITIONAL, "ArgumentPositional", "")          \
    X(ARGUMENT_KEYWORD, "ArgumentKeyword", "")                \
    X(ARGUMENT_STAR, "ArgumentStar", "")                      \
    X(ARGUMENT_STARS, "ArgumentStars", "")                    \
    X(CLASS, "ClassDef", "")                                  \
    X(IMPORT, "Import", "")                                   \
    X(IMPORT_FROM, "ImportFrom", "")                          \
    X(BINDING, "Binding", "")                                 \
    X(MODULE, "Module", "")                                   \
    X(INTEGER, "Integer", "")                                 \
    X(NUMBER, "Number", "")                                   \
    X(STRING, "String", "")                                   \
    X(BOOLEAN, "Boolean", "")                                 \
    X(NONE_VALUE, "NoneValue", "")                            \
    X(ELLIPSIS, "EllipsisValue", "")                          \
    X(CALL, "Call", "")                                       \
    X(EXPR, "Expr", "")                                       \
    X(ANN_ASSIGN, "AnnAssign", "")                            \
    X(KEYWORD, "keyword", "@arg value")                       \
    X(NAME, "Name", "@id")                                    \
    X(ATTRIBUTE, "Attribute", "@attr value")                  \
    X(SUBSCRIPT, "Subscript", "value slice")                  \
    X(SLICE, "Slice", "lower upper step")                     \
    X(STARRED, "Starred", "value")                            \
    X(BINARY, "BinOp", "!op left right")                          \
    X(UNARY, "UnaryOp", "!op operand")                            \
    X(BOOL_OP, "BoolOp", "+values")                           \
    X(COMPARE, "Compare", "!ops left +comparators")                \
    X(IF_EXP, "IfExp", "test body orelse")                    \
    X(NAMED, "NamedExpr", "target value")                     \
    X(TUPLE, "Tuple", "+elts")                                \
    X(LIST, "List", "+elts")                                  \
    X(SET, "Set", "+elts")                                    \
    X(DICT, "Dict", "*keys *values")                          \
    X(LIST_COMP, "ListComp", "elt +generators")               \
    X(SET_COMP, "SetComp", "elt +generators")                 \
    X(GENERATOR, "GeneratorExp", "elt +generators")           \
    X(DICT_COMP, "DictComp", "key value +generators")         \
    X(COMPREHENSION, "comprehension", "target iter +ifs")     \
    X(JOINED, "JoinedStr", "+values")                         \
    X(FORMATTED, "FormattedValue", "value format_spec")                   \
    X(ASSIGN, "Assign", "value +targets")                     \
    X(AUG_ASSIGN, "AugAssign", "!op target value")                \
    X(FOR, "For", "target iter *body *orelse")                \
    X(ASYNC_FOR, "AsyncFor", "target iter *body *orelse")     \
    X(WHILE, "While", "test *body *orelse")                   \
    X(IF, "If", "test *body *orelse")                         \
    X(WITH, "With", "*items *body")                           \
    X(ASYNC_WITH, "AsyncWith", "*items *body")                \
    X(WITH_ITEM, "withitem", "context_expr optional_vars")    \
    X(TRY, "Try", "*body *handlers *orelse *finalbody")       \
    X(TRY_STAR, "TryStar", "*body *handlers *orelse *finalbody") \
    X(HANDLER, "ExceptHandler", "@name type *body")           \
    X(RAISE, "Raise", "exc cause")                            \
    X(ASSERT, "Assert", "test msg")                           \
    X(DELETE, "Delete", "+targets")                           \
    X(RETURN, "Return", "value")                              \
    X(GLOBAL, "Global", "")                                   \
    X(NONLOCAL, "Nonlocal", "")                               \
    X(PASS, "Pass", "")                                       \
    X(BREAK, "Break", "")                                     \
    X(CONTINUE, "Continue", "")

enum pytree_kind {
#define X(id, name, fields) PY_##id,
    PYTREE_KINDS(X)
#undef X
    PY_N_KINDS
};

struct pynode {
    int kind;         /* enum pytree_kind */
    int n_children;
    int line, column; /* of its first character, line from 1, column from 0 (bytes); 0, 0: not recorded */
    int name;         /* index into strings, or the number that the kind says */
    int end;          /* index of the first node that is not below this one */
};

struct pytree {
    struct pynode *nodes;
    int n_nodes;
    int *files;            /* nodes of kind PY_FILE: the files asked for, in their order, then those found through imports */
    int n_files, n_asked;
    const char **strings;  /* UTF-8; equal strings have equal indexes */
    int n_strings;
    int *modules;          /* index into files of each module that an import names; -1: not found, or no kernel needs it */
    int n_modules;
    int depth;             /* of the deepest node: what recursion over the tree needs */
};

struct pytree_request {
    const char *python;             /* interpreter; NULL: python3 */
    const char *const *files;
    int n_files;
    const char *const *roots;       /* folders for absolute imports, besides those around the importing file */
    int n_roots;
};

/* Parses the files. EXIT_DONE also where a file has errors: they are PY_ERROR nodes. EXIT_ENVIRONMENT after a message where
 * the interpreter cannot be run. */
int pytree_read(struct pytree *tree, struct arena *arena, const struct pytree_request *request);

/* The k-th child of a node; it has that many. */
int pytree_child(const struct pytree *tree, int node, int k);
/* The index of a string, or -1 where it occurs nowhere in the files. */
int pytree_string(const struct pytree *tree, const char *text);
/* The string of a node. */
const char *pytree_name(const struct pytree *tree, int node);
/* Runs `child` over the children of a node. */
#define PYTREE_EACH(tree, child, node) \
    for (int child = (node) + 1; child < (tree)->nodes[node].end; child = (tree)->nodes[child].end)

#endif
