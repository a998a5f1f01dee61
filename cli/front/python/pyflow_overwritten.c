/* pyflow_overwritten.c - parameters of which every element is stored before any is read, on every path.
 *
 * Proven only for plain shapes: x[:] = v; x.fill(v); nests of "for i in range(n): x[i, ...] = v" where n is the extent of
 * x; a call that passes x on to such a parameter. Any other use of the name that comes first, and any way past the store,
 * and there is no proof; nor is there in a function where names may change in ways that are not looked at.
 */
#include <string.h>

#include "pyflow_parts_internal.h"

enum outcome { NOTHING, STORED, NO_PROOF };

enum { MOST_LOOPS = 12 };

struct proof {
    struct flow *flow;
    int file, def, slot, rank, depth;
    bool is_name; /* in the value of a name */
    struct {
        int slot, dim; /* of a loop variable that runs over dimension `dim` of x; -1: over something else */
    } loops[MOST_LOOPS];
    int n_loops;
};

static const struct pynode *
node_at(const struct proof *p, int node)
{
    return &p->flow->tree->nodes[node];
}

static bool
is_x(const struct proof *p, int node)
{
    return node_at(p, node)->kind == PY_NAME && p->flow->slots[node] == p->slot;
}

/* The dotted name of what is called, if it is a function of Python, NumPy or Numba; else "". */
static const char *
called_name(const struct proof *p, int call)
{
    if (node_at(p, call)->kind != PY_CALL)
        return "";
    int function = call + 1, kind = node_at(p, function)->kind;
    bool is_global = (kind == PY_NAME && p->flow->slots[function] < 0) || kind == PY_ATTRIBUTE;
    if (!is_global || p->flow->globals[function] <= 0)
        return "";
    const struct flow_binding *b = &p->flow->bindings[p->flow->globals[function] - 1];
    return b->kind == BOUND_KNOWN && b->text ? b->text : "";
}

/* True if the builtin or NumPy function `name` is what is called. */
static bool
calls(const struct proof *p, int call, const char *name)
{
    const char *text = called_name(p, call), *dot = strrchr(text, '.');
    bool is_there = strncmp(text, "builtins.", 9) == 0 || strncmp(text, "numpy.", 6) == 0 || strcmp(text, "numba.prange") == 0;
    return is_there && strcmp(dot + 1, strcmp(text, "numba.prange") == 0 && strcmp(name, "range") == 0 ? "prange" : name) == 0;
}

/* --- what binds a variable --- */

struct bindings {
    const struct proof *p;
    int slot, n, last;
};

static void
count_binding(void *data, int node)
{
    struct bindings *bindings = data;
    if (bindings->p->flow->slots[node] == bindings->slot) {
        bindings->n++;
        bindings->last = node;
    }
}

/* What binds a variable below a node, nested functions (which may declare it nonlocal) included. */
static struct bindings
bindings_of(const struct proof *p, int node, int slot)
{
    const struct pytree *tree = p->flow->tree;
    struct bindings bindings = {.p = p, .slot = slot, .last = -1};
    flow_each_bound_here(tree, node, count_binding, &bindings);
    for (int i = node; i < tree->nodes[node].end; i++)
        if (tree->nodes[i].kind == PY_FUNCTION)
            flow_each_bound(tree, pytree_child(tree, i, 4), count_binding, &bindings);
    return bindings;
}

/* x.shape, shape(x) */
static bool
is_shape(const struct proof *p, int node)
{
    return (node_at(p, node)->kind == PY_ATTRIBUTE && strcmp(pytree_name(p->flow->tree, node), "shape") == 0 && is_x(p, node + 1))
           || (calls(p, node, "shape") && node_at(p, node)->n_children == 2 && is_x(p, pytree_child(p->flow->tree, node, 1)));
}

static int extent_of(const struct proof *p, int node);

/* The dimension whose extent a name is that is bound once in the function: n = x.shape[0], or n, m = x.shape; -1: none. */
static int
extent_of_name(const struct proof *p, int slot)
{
    const struct pytree *tree = p->flow->tree;
    const struct flow_def *def = &p->flow->defs[p->def];
    int body = pytree_child(tree, def->node, 4);
    struct bindings bindings = bindings_of(p, body, slot);
    if (slot < def->n_params || def->captured[slot] || bindings.n != 1)
        return -1;
    PYTREE_EACH(tree, s, body) { /* at the top level of the function */
        int kind = tree->nodes[s].kind;
        bool is_plain = (kind == PY_ASSIGN && tree->nodes[s].n_children == 2) || kind == PY_ANN_ASSIGN;
        int target = kind == PY_ASSIGN ? pytree_child(tree, s, 1) : s + 1, k = 0;
        int value = kind == PY_ASSIGN ? s + 1 : pytree_child(tree, s, 2);
        if (!is_plain || bindings.last < target || bindings.last >= tree->nodes[target].end)
            continue;
        if (target == bindings.last)
            return extent_of(p, value);
        if (tree->nodes[target].kind != PY_TUPLE || tree->nodes[target].n_children != p->rank || !is_shape(p, value))
            return -1;
        PYTREE_EACH(tree, part, target) {
            if (part == bindings.last)
                return k;
            k++;
        }
    }
    return -1;
}

/* The dimension of x whose extent an expression is: x.shape[k], shape(x)[k], len(x), or a name for one; -1: none. */
static int
extent_of(const struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    if (calls(p, node, "len") && node_at(p, node)->n_children == 2 && is_x(p, pytree_child(tree, node, 1)))
        return 0;
    if (calls(p, node, "size") && node_at(p, node)->n_children == 2 && is_x(p, pytree_child(tree, node, 1)))
        return p->rank == 1 ? 0 : -1;
    if (node_at(p, node)->kind == PY_ATTRIBUTE && strcmp(pytree_name(tree, node), "size") == 0 && is_x(p, node + 1))
        return p->rank == 1 ? 0 : -1;
    if (node_at(p, node)->kind == PY_SUBSCRIPT) {
        int base = node + 1, index = pytree_child(tree, node, 1);
        if (is_shape(p, base) && node_at(p, index)->kind == PY_INTEGER) {
            const char *text = pytree_name(tree, index);
            return text[0] >= '0' && text[0] <= '9' && text[1] == '\0' ? text[0] - '0' : -1;
        }
        return -1;
    }
    if (node_at(p, node)->kind != PY_NAME || p->flow->slots[node] < 0 || p->is_name)
        return -1;
    struct proof inner = *p; /* a name for a name is not looked up */
    inner.is_name = true;
    return extent_of_name(&inner, p->flow->slots[node]);
}

/* --- uses --- */

/* True if x is used below a node in any way but for its extents. */
static bool
uses_x(const struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    if (is_x(p, node))
        return true;
    if (tree->nodes[node].kind == PY_ATTRIBUTE && is_x(p, node + 1)) {
        const char *name = pytree_name(tree, node);
        return strcmp(name, "shape") != 0 && strcmp(name, "size") != 0 && strcmp(name, "ndim") != 0;
    }
    bool extents = (calls(p, node, "len") || calls(p, node, "shape") || calls(p, node, "size")) && node_at(p, node)->n_children == 2;
    PYTREE_EACH(tree, child, node)
        if (!(extents && is_x(p, child)) && uses_x(p, child))
            return true;
    return false;
}

/* True if x is used below a node otherwise than as x[...] = v. */
static bool
reads_x(const struct proof *p, int node)
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
static bool
may_leave(const struct proof *p, int node)
{
    for (int i = node; i < p->flow->tree->nodes[node].end; i++) {
        int kind = p->flow->tree->nodes[i].kind;
        if (kind == PY_FUNCTION) /* what it leaves is itself */
            i = p->flow->tree->nodes[i].end - 1;
        else if (kind == PY_RETURN || kind == PY_BREAK || kind == PY_CONTINUE || kind == PY_RAISE || kind == PY_OTHER)
            return true;
    }
    return false;
}

static bool
is_full_slice(const struct proof *p, int node)
{
    if (node_at(p, node)->kind == PY_ELLIPSIS)
        return true;
    bool full = node_at(p, node)->kind == PY_SLICE;
    PYTREE_EACH(p->flow->tree, part, node)
        full &= node_at(p, part)->kind == PY_NONE_;
    return full;
}

/* True if x[index] with the loops around it covers dimension `dim`; takes the loop out. */
static bool
covers(const struct proof *p, int index, int dim, bool *taken)
{
    if (is_full_slice(p, index))
        return true;
    if (node_at(p, index)->kind != PY_NAME)
        return false;
    for (int i = 0; i < p->n_loops; i++)
        if (!taken[i] && p->loops[i].slot >= 0 && p->loops[i].slot == p->flow->slots[index] && p->loops[i].dim == dim) {
            taken[i] = true;
            return true;
        }
    return false;
}

/* x[...] = v that stores all of x, in all rounds of the loops around it. */
static bool
stores_all(const struct proof *p, int target)
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

static enum outcome
call(struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    int function = node + 1, k = 0, position = -1, uses = 0;
    if (node_at(p, function)->kind == PY_ATTRIBUTE && is_x(p, function + 1))
        return strcmp(pytree_name(tree, function), "fill") == 0 && p->n_loops == 0 && node_at(p, node)->n_children == 2
                       && !uses_x(p, pytree_child(tree, node, 1))
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
    if (uses != 1 || position < 0 || p->n_loops > 0 || binding == 0 || local
        || p->flow->bindings[binding - 1].kind != BOUND_FUNCTION)
        return NO_PROOF;
    int def = p->flow->bindings[binding - 1].index;
    return position < p->flow->defs[def].n_params && flow_is_overwritten(p->flow, def, position, p->depth + 1) ? STORED
                                                                                                                : NO_PROOF;
}

/* for i in range(extent): ... */
static enum outcome
loop(struct proof *p, int node)
{
    const struct pytree *tree = p->flow->tree;
    int target = node + 1, iterable = pytree_child(tree, node, 1), body = pytree_child(tree, node, 2);
    if (!uses_x(p, node))
        return NOTHING;
    bool plain = calls(p, iterable, "range") && node_at(p, target)->kind == PY_NAME && p->n_loops < MOST_LOOPS
                 && !may_leave(p, body);
    if (!plain)
        return NO_PROOF;
    int n = node_at(p, iterable)->n_children, stop = pytree_child(tree, iterable, n == 2 ? 1 : 2);
    bool from_zero = n == 2 || (n == 3 && node_at(p, iterable + 1)->kind == PY_NAME
                                && node_at(p, pytree_child(tree, iterable, 1))->kind == PY_INTEGER
                                && strcmp(pytree_name(tree, pytree_child(tree, iterable, 1)), "0") == 0);
    int dim = from_zero ? extent_of(p, stop) : -1;
    int slot = p->flow->slots[target];
    if (slot < 0 || p->flow->defs[p->def].captured[slot] || bindings_of(p, body, slot).n > 0) /* it must stay what it is */
        dim = -1;
    p->loops[p->n_loops].slot = slot;
    p->loops[p->n_loops++].dim = dim;
    enum outcome outcome = block(p, body);
    p->n_loops--;
    /* An earlier round may not read what a later one stores. */
    return outcome == STORED && reads_x(p, body) ? NO_PROOF : outcome;
}

static enum outcome
statement(struct proof *p, int node)
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

static enum outcome
block(struct proof *p, int list)
{
    PYTREE_EACH(p->flow->tree, s, list) {
        enum outcome outcome = statement(p, s);
        if (outcome != NOTHING)
            return outcome;
    }
    return NOTHING;
}

/* x.shape = ..., also as a part of a target */
static bool
sets_attribute(const struct proof *p, int target)
{
    int kind = node_at(p, target)->kind;
    if (kind == PY_TUPLE || kind == PY_LIST || kind == PY_STARRED)
        PYTREE_EACH(p->flow->tree, part, target)
            if (sets_attribute(p, part))
                return true;
    return kind == PY_ATTRIBUTE && is_x(p, target + 1);
}

/* True if nothing happens in the function that is not looked at: no generator or coroutine, whose body runs later or never; no
 * decorator that is not known; x stays what it is; no code that sees variables without naming them. */
static bool
is_plain(const struct proof *p)
{
    static const char *const words[] = {"eval", "exec", "locals", "vars", "globals", "__import__", "breakpoint", "_getframe"};
    const struct pytree *tree = p->flow->tree;
    const struct flow_def *def = &p->flow->defs[p->def];
    int body = pytree_child(tree, def->node, 4), decorators = pytree_child(tree, def->node, 0);
    if (def->decoration == DECORATION_UNKNOWN || def->given_up || def->sees_frames || def->captured[p->slot])
        return false;
    PYTREE_EACH(tree, decorator, decorators)
        if (tree->nodes[decorator].kind == PY_NAME && strcmp(pytree_name(tree, decorator), "async") == 0)
            return false;
    for (int i = body; i < tree->nodes[body].end; i++) {
        const struct pynode *n = &tree->nodes[i];
        if (n->kind == PY_OTHER || n->kind == PY_ASYNC_FOR || n->kind == PY_ASYNC_WITH)
            return false;
        for (size_t w = 0; w < sizeof words / sizeof *words && (n->kind == PY_NAME || n->kind == PY_ATTRIBUTE); w++)
            if (strcmp(tree->strings[n->name], words[w]) == 0)
                return false;
        int k = 0;
        if (n->kind == PY_ASSIGN)
            PYTREE_EACH(tree, target, i)
                if (k++ > 0 && sets_attribute(p, target))
                    return false;
        bool has_target = n->kind == PY_AUG_ASSIGN || n->kind == PY_ANN_ASSIGN || n->kind == PY_FOR || n->kind == PY_COMPREHENSION;
        if ((has_target && sets_attribute(p, i + 1)) || n->kind == PY_WITH || n->kind == PY_DELETE)
            return false;
    }
    return bindings_of(p, body, p->slot).n == 0;
}

bool
flow_is_overwritten(struct flow *flow, int index, int param, int depth)
{
    const struct flow_def *def = &flow->defs[index];
    if (depth > 8 || !def->roots || def->roots[param].declared.type != FLOW_ARRAY || !def->used[param])
        return false;
    struct proof p = {.flow = flow, .file = def->file, .def = index, .slot = param, .depth = depth};
    p.rank = def->roots[param].declared.rank;
    return is_plain(&p) && block(&p, pytree_child(flow->tree, def->node, 4)) == STORED;
}
