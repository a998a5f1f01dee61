/* pyflow_overwritten.c - parameters of which every element is stored before any is read, on every path.
 *
 * Proven only for plain shapes: x[:] = v; x.fill(v); nests of "for i in range(n): x[i, ...] = v" where n is the extent of
 * x; a call that passes x on to such a parameter. Any other use of the name that comes first, and any way past the store,
 * and there is no proof.
 */
#include <string.h>

#include "pyflow_parts_internal.h"

enum outcome { NOTHING, STORED, NO_PROOF };

enum { MOST_LOOPS = 12 };

struct proof {
    struct flow *flow;
    int file, def, slot, rank, depth;
    struct {
        int slot, dim; /* of a loop variable that runs over dimension `dim` of x; -1: over something else */
    } loops[MOST_LOOPS];
    int n_loops;
};

static const struct pynode *node_at(const struct proof *p, int node)
{
    return &p->flow->tree->nodes[node];
}

static bool is_x(const struct proof *p, int node)
{
    return node_at(p, node)->kind == PY_NAME && p->flow->slots[node] == p->slot;
}

/* True if the builtin or NumPy function `name` is what is called. */
static bool calls(const struct proof *p, int call, const char *name)
{
    if (node_at(p, call)->kind != PY_CALL)
        return false;
    int function = call + 1;
    return node_at(p, function)->kind == PY_NAME && p->flow->slots[function] < 0 && p->flow->globals[function] > 0 &&
           p->flow->bindings[p->flow->globals[function] - 1].kind == BOUND_KNOWN &&
           strcmp(pytree_name(p->flow->tree, function), name) == 0;
}

/* The dimension of x whose extent an expression is: x.shape[k], shape(x)[k], len(x), size(x, k); -1: none. */
static int extent_of(const struct proof *p, int node, int depth)
{
    const struct pytree *tree = p->flow->tree;
    if (calls(p, node, "len") && node_at(p, node)->n_children == 2 && is_x(p, pytree_child(tree, node, 1)))
        return 0;
    if (node_at(p, node)->kind == PY_SUBSCRIPT) {
        int base = node + 1, index = pytree_child(tree, node, 1);
        bool shape = (node_at(p, base)->kind == PY_ATTRIBUTE && strcmp(pytree_name(tree, base), "shape") == 0 &&
                      is_x(p, base + 1)) ||
                     (calls(p, base, "shape") && node_at(p, base)->n_children == 2 && is_x(p, pytree_child(tree, base, 1)));
        if (shape && node_at(p, index)->kind == PY_INTEGER) {
            const char *text = pytree_name(tree, index);
            return text[0] >= '0' && text[0] <= '9' && text[1] == '\0' ? text[0] - '0' : -1;
        }
    }
    if (node_at(p, node)->kind != PY_NAME || p->flow->slots[node] < 0 || depth > 3)
        return -1;
    /* A name that is assigned once in the function, at its top level, to such an expression. */
    int body = pytree_child(tree, p->flow->defs[p->def].node, 4), found = -1, n_stores = 0;
    int slot = p->flow->slots[node];
    if (slot < p->flow->defs[p->def].n_params)
        return -1;
    for (int i = body; i < tree->nodes[body].end; i++) {
        int kind = tree->nodes[i].kind;
        bool target = kind == PY_ASSIGN || kind == PY_AUG_ASSIGN || kind == PY_FOR || kind == PY_ANN_ASSIGN ||
                      kind == PY_NAMED || kind == PY_COMPREHENSION || kind == PY_WITH_ITEM || kind == PY_FUNCTION ||
                      kind == PY_GLOBAL || kind == PY_NONLOCAL;
        if (!target)
            continue;
        int first = kind == PY_ASSIGN ? pytree_child(tree, i, 1) : i + 1;
        int last = kind == PY_ASSIGN || kind == PY_FUNCTION ? tree->nodes[i].end : tree->nodes[i + 1].end;
        for (int t = first; t < last; t++)
            n_stores += tree->nodes[t].kind == PY_NAME && p->flow->slots[t] == slot && kind != PY_FUNCTION;
        if (kind == PY_ASSIGN && tree->nodes[first].kind == PY_NAME && p->flow->slots[first] == slot)
            found = i + 1;
    }
    return n_stores == 1 && found >= 0 ? extent_of(p, found, depth + 1) : -1;
}

/* True if x is used below a node in any way but for its extents. */
static bool uses_x(const struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    if (is_x(p, node))
        return true;
    if (tree->nodes[node].kind == PY_ATTRIBUTE && is_x(p, node + 1)) {
        const char *name = pytree_name(tree, node);
        return strcmp(name, "shape") != 0 && strcmp(name, "size") != 0 && strcmp(name, "ndim") != 0;
    }
    bool extents = calls(p, node, "len") || calls(p, node, "shape") || calls(p, node, "size");
    PYTREE_EACH(tree, child, node)
        if (!(extents && is_x(p, child)) && uses_x(p, child))
            return true;
    return false;
}

/* True if x is used below a node otherwise than as x[...] = v. */
static bool reads_x(const struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    bool stores = tree->nodes[node].kind == PY_ASSIGN;
    if (is_x(p, node))
        return true;
    if (!stores && tree->nodes[node].kind != PY_LIST_ && tree->nodes[node].kind != PY_FOR && tree->nodes[node].kind != PY_IF)
        return uses_x(p, node);
    int k = 0;
    PYTREE_EACH(tree, child, node) {
        bool element = stores && k++ > 0 && tree->nodes[child].kind == PY_SUBSCRIPT && is_x(p, child + 1);
        if (element ? uses_x(p, pytree_child(tree, child, 1)) : reads_x(p, child))
            return true;
    }
    return false;
}

/* True if control may leave the block below a node otherwise than at its end. */
static bool may_leave(const struct proof *p, int node)
{
    for (int i = node; i < p->flow->tree->nodes[node].end; i++) {
        int kind = p->flow->tree->nodes[i].kind;
        if (kind == PY_RETURN || kind == PY_BREAK || kind == PY_CONTINUE || kind == PY_RAISE || kind == PY_OTHER)
            return true;
    }
    return false;
}

static bool is_full_slice(const struct proof *p, int node)
{
    if (node_at(p, node)->kind == PY_ELLIPSIS)
        return true;
    bool full = node_at(p, node)->kind == PY_SLICE;
    PYTREE_EACH(p->flow->tree, part, node)
        full &= node_at(p, part)->kind == PY_NONE_;
    return full;
}

/* True if x[index] with the loops around it covers dimension `dim`; takes the loop out. */
static bool covers(const struct proof *p, int index, int dim, bool *taken)
{
    if (is_full_slice(p, index))
        return true;
    if (node_at(p, index)->kind != PY_NAME)
        return false;
    for (int i = 0; i < p->n_loops; i++)
        if (!taken[i] && p->loops[i].slot == p->flow->slots[index] && p->loops[i].dim == dim) {
            taken[i] = true;
            return true;
        }
    return false;
}

/* x[...] = v that stores all of x, in all rounds of the loops around it. */
static bool stores_all(const struct proof *p, int target)
{
    const struct pytree *tree = p->flow->tree;
    bool taken[MOST_LOOPS] = {false};
    if (node_at(p, target)->kind != PY_SUBSCRIPT || !is_x(p, target + 1) || p->rank < 1)
        return false;
    int index = pytree_child(tree, target, 1), dim = 0;
    bool all = true;
    if (node_at(p, index)->kind == PY_TUPLE) {
        if (node_at(p, index)->n_children > p->rank)
            return false;
        PYTREE_EACH(tree, part, index) {
            all &= covers(p, part, dim++, taken) && node_at(p, part)->kind != PY_ELLIPSIS;
        }
    } else {
        all = covers(p, index, 0, taken);
    }
    /* A loop that does not index x must not matter: it would only have to run at all. */
    for (int i = 0; i < p->n_loops; i++)
        all &= taken[i];
    return all;
}

static enum outcome block(struct proof *p, int list);

static enum outcome call(struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    int function = node + 1, k = 0, position = -1, uses = 0;
    if (node_at(p, function)->kind == PY_ATTRIBUTE && is_x(p, function + 1))
        return strcmp(pytree_name(tree, function), "fill") == 0 && p->n_loops == 0 && node_at(p, node)->n_children == 2 &&
                       !uses_x(p, pytree_child(tree, node, 1))
                   ? STORED
                   : NO_PROOF;
    PYTREE_EACH(tree, argument, node) {
        if (k > 0 && uses_x(p, argument)) {
            uses++;
            if (is_x(p, argument))
                position = k - 1;
        }
        if (node_at(p, argument)->kind == PY_STARRED)
            return NO_PROOF;
        k++;
    }
    if (uses == 0)
        return uses_x(p, function) ? NO_PROOF : NOTHING;
    int binding = p->flow->globals[function];
    bool local = node_at(p, function)->kind == PY_NAME && p->flow->slots[function] >= 0;
    if (uses != 1 || position < 0 || p->n_loops > 0 || binding == 0 || local ||
        p->flow->bindings[binding - 1].kind != BOUND_FUNCTION)
        return NO_PROOF;
    int def = p->flow->bindings[binding - 1].index;
    return position < p->flow->defs[def].n_params && flow_is_overwritten(p->flow, def, position, p->depth + 1) ? STORED
                                                                                                                : NO_PROOF;
}

/* for i in range(extent): ... */
static enum outcome loop(struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    int target = node + 1, iterable = pytree_child(tree, node, 1), body = pytree_child(tree, node, 2);
    if (!uses_x(p, node))
        return NOTHING;
    bool plain = calls(p, iterable, "range") && node_at(p, target)->kind == PY_NAME && p->n_loops < MOST_LOOPS &&
                 !may_leave(p, body);
    if (!plain)
        return NO_PROOF;
    int n = node_at(p, iterable)->n_children, stop = pytree_child(tree, iterable, n == 2 ? 1 : 2);
    bool from_zero = n == 2 || (n == 3 && node_at(p, iterable + 1)->kind == PY_NAME &&
                                node_at(p, pytree_child(tree, iterable, 1))->kind == PY_INTEGER &&
                                strcmp(pytree_name(tree, pytree_child(tree, iterable, 1)), "0") == 0);
    int dim = from_zero ? extent_of(p, stop, 0) : -1;
    int slot = p->flow->slots[target];
    for (int i = body; i < node_at(p, body)->end && dim >= 0; i++) { /* the loop variable must stay what it is */
        int kind = tree->nodes[i].kind;
        if ((kind == PY_ASSIGN || kind == PY_AUG_ASSIGN || kind == PY_FOR) &&
            node_at(p, kind == PY_ASSIGN ? pytree_child(tree, i, 1) : i + 1)->kind == PY_NAME &&
            p->flow->slots[kind == PY_ASSIGN ? pytree_child(tree, i, 1) : i + 1] == slot)
            dim = -1;
    }
    p->loops[p->n_loops].slot = slot;
    p->loops[p->n_loops++].dim = dim;
    enum outcome outcome = block(p, body);
    p->n_loops--;
    /* An earlier round may not read what a later one stores. */
    return outcome == STORED && reads_x(p, body) ? NO_PROOF : outcome;
}

static enum outcome statement(struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    switch (node_at(p, node)->kind) {
    case PY_ASSIGN:
        if (uses_x(p, node + 1))
            return NO_PROOF;
        if (node_at(p, node)->n_children == 2) {
            int target = pytree_child(tree, node, 1);
            bool element = node_at(p, target)->kind == PY_SUBSCRIPT && is_x(p, target + 1);
            if (element && !uses_x(p, pytree_child(tree, target, 1)))
                return stores_all(p, target) ? STORED : NOTHING;
        }
        break;
    case PY_EXPR:
        if (node_at(p, node + 1)->kind == PY_CALL)
            return call(p, node + 1);
        break;
    case PY_FOR:
        return loop(p, node);
    case PY_IF: {
        if (uses_x(p, node + 1))
            return NO_PROOF;
        enum outcome yes = block(p, pytree_child(tree, node, 1)), no = block(p, pytree_child(tree, node, 2));
        if (yes == no)
            return yes;
        /* Stored on one path only: the other must go on to a store of its own, so nothing is shown yet. */
        return yes == NO_PROOF || no == NO_PROOF || may_leave(p, node) ? NO_PROOF : NOTHING;
    }
    default:
        break;
    }
    return uses_x(p, node) || may_leave(p, node) ? NO_PROOF : NOTHING;
}

static enum outcome block(struct proof *p, int list)
{
    PYTREE_EACH(p->flow->tree, s, list) {
        enum outcome outcome = statement(p, s);
        if (outcome != NOTHING)
            return outcome;
    }
    return NOTHING;
}

bool flow_is_overwritten(struct flow *flow, int index, int param, int depth)
{
    const struct flow_def *def = &flow->defs[index];
    if (depth > 8 || def->roots[param].declared.type != FLOW_ARRAY || !def->used[param])
        return false;
    struct proof p = {.flow = flow, .file = def->file, .def = index, .slot = param, .depth = depth};
    p.rank = def->roots[param].declared.rank;
    return block(&p, pytree_child(flow->tree, def->node, 4)) == STORED;
}
