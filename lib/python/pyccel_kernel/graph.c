/* graph.c - see graph_internal.h. */
#include "graph_internal.h"

#include <string.h>

enum { SMALL = 8 }; /* nodes up to which comparing them all is faster than a table */

void
graph_init(struct graph *graph, int (*classify)(void *, PyObject *, int *), void *visitor)
{
    graph->n_nodes = graph->n_edges = graph->n_explored = graph->root = 0;
    graph->parent = -1;
    graph->written = false;
    graph->classify = classify;
    graph->visitor = visitor;
}

static size_t
slot_of(const struct graph *graph, PyObject *object)
{
    uintptr_t address = (uintptr_t)object;
    return (address >> 4 ^ address >> 13) % (size_t)graph->table_room;
}

static void
table_insert(struct graph *graph, int node)
{
    size_t slot = slot_of(graph, graph->nodes[node].object);
    while (graph->table[slot] >= 0)
        slot = (slot + 1) % (size_t)graph->table_room;
    graph->table[slot] = node;
}

/* Room for twice the nodes there are, filled with them. */
static int
table_build(struct graph *graph)
{
    int room = graph->table_room;
    while (room < 4 * (graph->n_nodes + 1))
        room = room == 0 ? 8 * SMALL : 2 * room;
    if (room != graph->table_room) {
        int *moved = PyMem_RawRealloc(graph->table, (size_t)room * sizeof *moved);
        if (moved == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        graph->table = moved;
        graph->table_room = room;
    }
    memset(graph->table, -1, (size_t)room * sizeof *graph->table);
    for (int i = 0; i < graph->n_nodes; i++)
        table_insert(graph, i);
    return 0;
}

static int
find_node(const struct graph *graph, PyObject *object)
{
    if (graph->n_nodes <= SMALL) {
        for (int i = 0; i < graph->n_nodes; i++)
            if (graph->nodes[i].object == object)
                return i;
        return -1;
    }
    for (size_t slot = slot_of(graph, object); graph->table[slot] >= 0; slot = (slot + 1) % (size_t)graph->table_room)
        if (graph->nodes[graph->table[slot]].object == object)
            return graph->table[slot];
    return -1;
}

/* Room for one more entry. */
static int
reserve(void **entries, int n, int *room, size_t size)
{
    if (n < *room)
        return 0;
    int larger = *room == 0 ? 16 : 2 * *room;
    void *moved = PyMem_RawRealloc(*entries, (size_t)larger * size);
    if (moved == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *entries = moved;
    *room = larger;
    return 0;
}

int
graph_add_root(struct graph *graph, PyObject *object, int *node)
{
    *node = find_node(graph, object);
    if (*node >= 0)
        return 0;
    int array = -1;
    int kind = graph->classify(graph->visitor, object, &array);
    if (kind <= 0)
        return kind;
    if (reserve((void **)&graph->nodes, graph->n_nodes, &graph->node_room, sizeof *graph->nodes) < 0)
        return -1;
    *node = graph->n_nodes++;
    graph->nodes[*node] = (struct graph_node){
        .object = Py_NewRef(object),
        .kind = (enum node_kind)kind,
        .written = graph->written,
        .root = graph->root,
        .origin = -1,
        .array = array,
    };
    if (graph->n_nodes <= SMALL)
        return 0;
    if (graph->n_nodes == SMALL + 1 || 2 * graph->n_nodes > graph->table_room)
        return table_build(graph);
    table_insert(graph, *node);
    return 0;
}

/* key: borrowed, or NULL. */
static int
add_child(struct graph *graph, int parent, PyObject *object, Py_ssize_t index, PyObject *key)
{
    int child, n_known = graph->n_nodes;
    if (graph_add_root(graph, object, &child) < 0)
        return -1;
    if (child < 0)
        return 0;
    if (reserve((void **)&graph->edges, graph->n_edges, &graph->edge_room, sizeof *graph->edges) < 0)
        return -1;
    if (child == n_known)
        graph->nodes[child].origin = graph->n_edges;
    graph->edges[graph->n_edges++] = (struct graph_edge){parent, child, index, Py_XNewRef(key)};
    return 0;
}

struct attribute_visit {
    struct graph *graph;
    int parent;
};

static int
visit_attribute(void *data, PyObject *name, PyObject *value)
{
    struct attribute_visit *visit = data;
    return add_child(visit->graph, visit->parent, value, 0, name);
}

/* Children are held while they are looked at: that may run code which drops them from their container. */
static int
explore_sequence(struct graph *graph, int parent, bool is_list)
{
    PyObject *sequence = graph->nodes[parent].object;
    for (Py_ssize_t i = 0; i < (is_list ? PyList_GET_SIZE(sequence) : PyTuple_GET_SIZE(sequence)); i++) {
        PyObject *item = Py_NewRef(is_list ? PyList_GET_ITEM(sequence, i) : PyTuple_GET_ITEM(sequence, i));
        int done = add_child(graph, parent, item, i, NULL);
        Py_DECREF(item);
        if (done < 0)
            return -1;
    }
    return 0;
}

static int
explore_dict(struct graph *graph, int parent)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(graph->nodes[parent].object, &position, &key, &value)) {
        Py_INCREF(key);
        Py_INCREF(value);
        int done = add_child(graph, parent, value, 0, key);
        Py_DECREF(key);
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
graph_explore(struct graph *graph)
{
    for (; graph->n_explored < graph->n_nodes; graph->n_explored++) {
        int node = graph->n_explored, done = 0;
        graph->parent = node;
        graph->root = graph->nodes[node].root;
        switch (graph->nodes[node].kind) {
        case GRAPH_LIST:
        case GRAPH_TUPLE: done = explore_sequence(graph, node, graph->nodes[node].kind == GRAPH_LIST); break;
        case GRAPH_DICT: done = explore_dict(graph, node); break;
        case GRAPH_OBJECT: {
            struct attribute_visit visit = {graph, node};
            done = visit_attributes(graph->nodes[node].object, visit_attribute, &visit);
            break;
        }
        case GRAPH_COMPILED: {
            struct attribute_visit visit = {graph, node};
            done = visit_getters(graph->nodes[node].object, visit_attribute, &visit);
            break;
        }
        case GRAPH_PLAIN:
        case GRAPH_ARRAY: break;
        }
        graph->parent = -1;
        if (done < 0)
            return -1;
    }
    return 0;
}

void
graph_mark(struct graph *graph)
{
    /* Children mostly have higher numbers than their parents, so that going backwards once is enough, and only what comes back to
     * an earlier node needs another round. */
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = graph->n_edges - 1; i >= 0; i--) {
            const struct graph_edge *edge = &graph->edges[i];
            if (graph->nodes[edge->child].reaches && !graph->nodes[edge->parent].reaches)
                changed = graph->nodes[edge->parent].reaches = true;
        }
    }
}

int
graph_copy(struct graph *graph)
{
    for (int i = 0; i < graph->n_nodes; i++) {
        struct graph_node *node = &graph->nodes[i];
        if (node->reaches && node->copy == NULL && (node->copy = copy_node(node)) == NULL)
            return -1;
    }
    for (int i = 0; i < graph->n_edges; i++) {
        const struct graph_edge *edge = &graph->edges[i];
        PyObject *value = graph->nodes[edge->child].copy;
        const struct graph_node *parent = &graph->nodes[edge->parent];
        if (value != NULL && copy_replace(parent->copy, parent, edge, value) < 0)
            return -1;
    }
    return 0;
}

PyObject *
graph_path(const struct graph *graph, int node)
{
    PyObject *path = PyUnicode_FromString("");
    while (path != NULL && graph->nodes[node].origin >= 0) {
        const struct graph_edge *edge = &graph->edges[graph->nodes[node].origin];
        PyObject *longer;
        if (edge->key == NULL)
            longer = PyUnicode_FromFormat("[%zd]%U", edge->index, path);
        else if (graph->nodes[edge->parent].kind == GRAPH_DICT)
            longer = PyUnicode_FromFormat("[%R]%U", edge->key, path);
        else
            longer = PyUnicode_FromFormat(".%S%U", edge->key, path);
        Py_DECREF(path);
        path = longer;
        node = edge->parent;
    }
    return path;
}

void
graph_clear(struct graph *graph)
{
    for (int i = 0; i < graph->n_edges; i++)
        Py_CLEAR(graph->edges[i].key);
    for (int i = 0; i < graph->n_nodes; i++) {
        Py_CLEAR(graph->nodes[i].copy);
        Py_CLEAR(graph->nodes[i].object);
    }
    graph->n_edges = graph->n_nodes = graph->n_explored = 0;
}

void
graph_free(struct graph *graph)
{
    PyMem_RawFree(graph->nodes);
    PyMem_RawFree(graph->edges);
    PyMem_RawFree(graph->table);
}
