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
};

static int find(const struct names *names, int name)
{
    for (int i = 0; i < names->n_rows; i++)
        if (names->rows[i].name == name)
            return names->rows[i].slot;
    return -1;
}

static int add(struct collector *c, struct names *names, int name)
{
    int slot = find(names, name);
    if (slot < 0) {
        slot = c->def->n_slots++;
        *ARENA_PUSH(c->flow->arena, names->rows, names->n_rows) = (struct name){name, slot};
    }
    return slot;
}

static void add_target(struct collector *c, struct names *names, int node)
{
    const struct pytree *tree = c->flow->tree;
    switch (tree->nodes[node].kind) {
    case PY_NAME:
        add(c, names, tree->nodes[node].name);
        break;
    case PY_TUPLE:
    case PY_LIST:
    case PY_STARRED:
        PYTREE_EACH(tree, child, node)
            add_target(c, names, child);
        break;
    default:
        break;
    }
}

/* Adds what the nodes below `node` assign; nested functions only their own name. */
static void add_assigned(struct collector *c, struct names *names, int node)
{
    const struct pytree *tree = c->flow->tree;
    PYTREE_EACH(tree, child, node) {
        const struct pynode *n = &tree->nodes[child];
        switch (n->kind) {
        case PY_FUNCTION:
        case PY_CLASS:
            add(c, names, n->name);
            continue;
        case PY_BINDING:
            add(c, names, flow_bound_name(c->flow, child));
            continue;
        case PY_ASSIGN: {
            int k = 0;
            PYTREE_EACH(tree, target, child)
                if (k++ > 0)
                    add_target(c, names, target);
            break;
        }
        case PY_HANDLER:
            if (tree->strings[n->name][0])
                add(c, names, n->name);
            break;
        case PY_AUG_ASSIGN:
        case PY_ANN_ASSIGN:
        case PY_NAMED:
        case PY_FOR:
        case PY_ASYNC_FOR:
        case PY_COMPREHENSION:
            add_target(c, names, child + 1);
            break;
        case PY_WITH_ITEM:
            add_target(c, names, pytree_child(tree, child, 1));
            break;
        case PY_DELETE:
            PYTREE_EACH(tree, target, child)
                add_target(c, names, target);
            break;
        default:
            break;
        }
        add_assigned(c, names, child);
    }
}

/* Takes out what is declared global, or nonlocal (then an outer function has it). */
static void drop_declared(struct collector *c, struct names *names, int node)
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

static void enter(struct collector *c, struct names *outer, int function)
{
    const struct pytree *tree = c->flow->tree;
    struct names names = {.outer = outer};
    PYTREE_EACH(tree, argument, pytree_child(tree, function, 1))
        c->flow->slots[argument] = add(c, &names, tree->nodes[argument].name);
    int body = pytree_child(tree, function, 4);
    add_assigned(c, &names, body);
    drop_declared(c, &names, body);
    resolve(c, &names, body);
}

static int look_up(const struct names *names, int name)
{
    for (; names; names = names->outer) {
        int slot = find(names, name);
        if (slot >= 0)
            return slot;
    }
    return -1;
}

static void resolve(struct collector *c, struct names *names, int node)
{
    const struct pytree *tree = c->flow->tree;
    PYTREE_EACH(tree, child, node) {
        const struct pynode *n = &tree->nodes[child];
        switch (n->kind) {
        case PY_NAME:
        case PY_HANDLER:
            c->flow->slots[child] = look_up(names, n->name);
            break;
        case PY_BINDING:
            c->flow->slots[child] = look_up(names, flow_bound_name(c->flow, child));
            continue;
        case PY_FUNCTION:
            c->flow->slots[child] = look_up(names, n->name);
            enter(c, names, child);
            continue;
        default:
            break;
        }
        resolve(c, names, child);
    }
}

static void mark_used(const struct flow *flow, struct flow_def *def, int node)
{
    PYTREE_EACH(flow->tree, child, node) {
        if (flow->tree->nodes[child].kind == PY_NAME && flow->slots[child] >= 0)
            def->used[flow->slots[child]] = true;
        mark_used(flow, def, child);
    }
}

void flow_slots(struct flow *flow, struct flow_def *def)
{
    struct collector c = {flow, def};
    enter(&c, NULL, def->node);
    def->n_params = flow->tree->nodes[pytree_child(flow->tree, def->node, 1)].n_children;
    def->used = arena_take(flow->arena, (size_t)def->n_slots, sizeof *def->used);
    mark_used(flow, def, pytree_child(flow->tree, def->node, 4));
}
