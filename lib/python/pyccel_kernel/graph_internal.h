/* graph_internal.h - what is reachable from the arguments of a call (or from its result), each object once, as flat lists.
 *
 *   graph_add_root     an argument; then graph_explore visits what is below, to any depth, without recursion
 *   graph_mark         which containers lie on a way to something that is replaced
 *   graph_copy         copies those, so that the caller's are left alone, and puts the replacements in
 *
 * Identity is kept: an object that is met twice, or that contains itself, is one node (C20, C24). Visiting runs other people's
 * code (properties), so that nodes own what they refer to.
 */
#ifndef PYTHON_GRAPH_INTERNAL_H
#define PYTHON_GRAPH_INTERNAL_H

#include "base/python.h"

enum node_kind { GRAPH_PLAIN, GRAPH_ARRAY, GRAPH_LIST, GRAPH_TUPLE, GRAPH_DICT, GRAPH_OBJECT, GRAPH_COMPILED };

struct graph_node {
    PyObject *object; /* owned */
    PyObject *copy;   /* owned: what stands for it; NULL: itself */
    enum node_kind kind;
    bool reaches;     /* is replaced, or contains what is */
    bool written;     /* of arguments: declared as written */
    int root;         /* argument below which it was met first */
    int origin;       /* edge by which it was met first; -1: it is the argument */
    int array;        /* GRAPH_ARRAY: the visitor's own number */
};

/* Where a node is in its parent: an index, or a key or attribute name. */
struct graph_edge {
    int parent, child;
    Py_ssize_t index;
    PyObject *key; /* owned, or NULL */
};

struct graph {
    struct graph_node *nodes;
    struct graph_edge *edges;
    int *table; /* nodes by identity, open addressing; -1: empty */
    int n_nodes, n_edges, node_room, edge_room, table_room;
    int n_explored;
    int root;   /* given to new nodes */
    int parent; /* node whose children are being looked at; -1: arguments are */
    bool written;
    /* What an object is: a kind of node, or -1 with an exception set; GRAPH_PLAIN is not kept. For GRAPH_ARRAY the visitor stores its
     * own number in *array. */
    int (*classify)(void *visitor, PyObject *object, int *array);
    void *visitor;
};

/* Empty, with the room it had. */
void graph_init(struct graph *graph, int (*classify)(void *, PyObject *, int *), void *visitor);

/* The node of an object, added where it is new; *node is -1 for plain ones. 0, or -1 with an exception set. */
int graph_add_root(struct graph *graph, PyObject *object, int *node);
int graph_explore(struct graph *graph);

void graph_mark(struct graph *graph);
/* Arrays that are replaced have their copy already. 0, or -1 with an exception set. */
int graph_copy(struct graph *graph);

/* The way from a node's argument to it, as Python writes it: "['x'].data[0]"; empty for the argument itself. A new reference, or NULL
 * with an exception set. */
PyObject *graph_path(const struct graph *graph, int node);

/* Gives back what the nodes own; the room stays. */
void graph_clear(struct graph *graph);
void graph_free(struct graph *graph);

/* copy.c: a shallow copy of a node's object, of the same class: a new reference, or NULL with an exception set. */
PyObject *copy_node(const struct graph_node *node);
/* Puts `value` where the edge says, in a copy. 0, or -1 with an exception set. */
int copy_replace(PyObject *copy, const struct graph_node *parent, const struct graph_edge *edge, PyObject *value);
/* Calls visit(data, name, value) for each attribute of an object: its dictionary, and the __slots__ of its classes. 0, or -1 with an
 * exception set. */
int visit_attributes(PyObject *object, int (*visit)(void *data, PyObject *name, PyObject *value), void *data);
/* The __slots__ alone. */
int visit_slots(PyObject *object, int (*visit)(void *data, PyObject *name, PyObject *value), void *data);

/* compiled.c: whether instances of a type keep their attributes in a compiled structure, as those of the classes that Pyccel compiles. */
bool is_compiled_class(PyTypeObject *type);
/* Calls visit(data, name, value) for each such attribute; those that cannot be read now are left out. 0, or -1 with an exception set. */
int visit_getters(PyObject *object, int (*visit)(void *data, PyObject *name, PyObject *value), void *data);

#endif
