/* pyflow_slots.c - gives every local variable of a function a slot, by Python's rule: a name that is assigned anywhere in a
 * function is local everywhere in it. Variables of nested functions get slots of the function that holds them.
 */
#include "pyflow_parts_internal.h"

/* The names of one function; the outer ones are those around it. */
struct names {
    struct names *outer;
    struct name {
        int name, slot;
    } *rows;
    int n_rows;
};

struct collector {
    struct flow *flow;
    struct flow_def *def;
    int *captured, n_captured; /* slots that a function or a generator mentions which may run later */
    int lazy;                  /* > 0: inside such a generator */
};

struct scope_of {
    struct collector *c;
    struct names *names;
};

static int
find(const struct names *names, int name)
{
    for (int i = 0; i < names->n_rows; i++)
        if (names->rows[i].name == name)
            return names->rows[i].slot;
    return -1;
}

static int
add(struct collector *c, struct names *names, int name)
{
    int slot = find(names, name);
    if (slot < 0) {
        slot = c->def->n_slots++;
        *ARENA_PUSH(c->flow->arena, names->rows, names->n_rows) = (struct name){name, slot};
    }
    return slot;
}

static void
add_bound(void *data, int node)
{
    struct scope_of *scope = data;
    const struct pynode *n = &scope->c->flow->tree->nodes[node];
    add(scope->c, scope->names, n->kind == PY_BINDING ? flow_bound_name(scope->c->flow, node) : n->name);
}

/* Takes out what is declared global, or nonlocal (then an outer function has it). */
static void
drop_declared(struct collector *c, struct names *names, int node)
{
    const struct pytree *tree = c->flow->tree;
    PYTREE_EACH(tree, child, node) {
        int kind = tree->nodes[child].kind;
        if (kind == PY_GLOBAL || kind == PY_NONLOCAL) {
            PYTREE_EACH(tree, name, child)
                for (int i = 0; i < names->n_rows; i++)
                    if (names->rows[i].name == tree->nodes[name].name)
                        names->rows[i].name = -1;
        } else if (kind != PY_FUNCTION) {
            drop_declared(c, names, child);
        }
    }
}

static void resolve(struct collector *c, struct names *names, int node);

static void
enter(struct collector *c, struct names *outer, int function)
{
    const struct pytree *tree = c->flow->tree;
    struct names names = {.outer = outer};
    PYTREE_EACH(tree, argument, pytree_child(tree, function, 1))
        c->flow->slots[argument] = add(c, &names, tree->nodes[argument].name);
    int body = pytree_child(tree, function, 4);
    struct scope_of scope = {c, &names};
    flow_each_bound(tree, body, add_bound, &scope);
    drop_declared(c, &names, body);
    int lazy = c->lazy;
    c->lazy = 0;
    resolve(c, &names, body);
    c->lazy = lazy;
}

static int
look_up(struct collector *c, const struct names *names, int name)
{
    for (const struct names *at = names; at; at = at->outer) {
        int slot = find(at, name);
        if (slot >= 0 && (at != names || c->lazy > 0))
            *ARENA_PUSH(c->flow->arena, c->captured, c->n_captured) = slot;
        if (slot >= 0)
            return slot;
    }
    return -1;
}

static void
resolve(struct collector *c, struct names *names, int node)
{
    const struct pytree *tree = c->flow->tree;
    PYTREE_EACH(tree, child, node) {
        const struct pynode *n = &tree->nodes[child];
        switch (n->kind) {
        case PY_NAME:
        case PY_HANDLER:
        case PY_CLASS:
            c->flow->slots[child] = look_up(c, names, n->name);
            break;
        case PY_BINDING:
            c->flow->slots[child] = look_up(c, names, flow_bound_name(c->flow, child));
            continue;
        case PY_FUNCTION: /* what is evaluated where it stands belongs to the scope around it */
            c->flow->slots[child] = find(names, n->name);
            resolve(c, names, pytree_child(tree, child, 0));
            resolve(c, names, pytree_child(tree, child, 1));
            resolve(c, names, pytree_child(tree, child, 5));
            enter(c, names, child);
            continue;
        default:
            break;
        }
        c->lazy += n->kind == PY_GENERATOR;
        resolve(c, names, child);
        c->lazy -= n->kind == PY_GENERATOR;
    }
}

static void
mark_used(const struct flow *flow, struct flow_def *def, int node)
{
    for (int i = node; i < flow->tree->nodes[node].end; i++)
        if (flow->tree->nodes[i].kind == PY_NAME && flow->slots[i] >= 0)
            def->used[flow->slots[i]] = true;
}

void
flow_slots(struct flow *flow, struct flow_def *def)
{
    struct collector c = {.flow = flow, .def = def};
    enter(&c, NULL, def->node);
    def->n_params = flow->tree->nodes[pytree_child(flow->tree, def->node, 1)].n_children;
    def->used = arena_take(flow->arena, (size_t)def->n_slots, sizeof *def->used);
    def->captured = arena_take(flow->arena, (size_t)def->n_slots, sizeof *def->captured);
    for (int i = 0; i < c.n_captured; i++)
        def->captured[c.captured[i]] = true;
    mark_used(flow, def, pytree_child(flow->tree, def->node, 4));
}
