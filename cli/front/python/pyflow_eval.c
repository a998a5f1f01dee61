/* pyflow_eval.c - what an expression may refer to. */
#include <string.h>

#include "pyflow_parts_internal.h"

static int kind_of(const struct flow_run *run, int node)
{
    return run->flow->tree->nodes[node].kind;
}

static struct flow_value eval_name(struct flow_run *run, int node)
{
    struct flow *flow = run->flow;
    int slot = flow->slots[node];
    if (slot >= 0) {
        struct flow_value value = run->env.values[slot];
        return value.type == FLOW_UNBOUND ? flow_unknown(NULL) : value;
    }
    if (flow->globals[node] == 0)
        flow->globals[node] = flow_global(flow, run->file, flow->tree->nodes[node].name) + 1;
    return (struct flow_value){.type = FLOW_NAME, .which = flow->globals[node] - 1};
}

static struct flow_value eval_attribute(struct flow_run *run, int node)
{
    static const char *const facts[] = {"size", "ndim", "dtype", "itemsize", "nbytes"};
    struct flow *flow = run->flow;
    struct flow_value base = flow_eval(run, node + 1);
    int name = flow->tree->nodes[node].name;
    const char *text = flow->tree->strings[name];
    switch (base.type) {
    case FLOW_NAME:
        if (flow->globals[node] == 0 || flow->slots[node] != base.which) {
            flow->globals[node] = flow_attribute_of(flow, base.which, name) + 1;
            flow->slots[node] = base.which;
        }
        return (struct flow_value){.type = FLOW_NAME, .which = flow->globals[node] - 1};
    case FLOW_SCALAR:
        return base;
    case FLOW_ARRAY:
        if (strcmp(text, "shape") == 0 || strcmp(text, "strides") == 0)
            return (struct flow_value){.type = FLOW_CONTAINER};
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
            if (strcmp(text, facts[i]) == 0)
                return flow_scalar();
        if (strcmp(text, "T") != 0 && strcmp(text, "real") != 0 && strcmp(text, "imag") != 0)
            base.rank = -1;
        return base;
    case FLOW_CONTAINER:
        return flow_unknown(base.roots);
    case FLOW_OBJECT: {
        int method = flow_method(flow, base.which, name);
        return method >= 0 ? flow_get_property(run, base, method, node) : flow_read_field(run, base, name);
    }
    default:
        return flow_read_field(run, base, name);
    }
}

/* How one index changes the rank: -1 takes a dimension away, 0 keeps it, 1 adds one. *exact: that is certain. */
static int index_effect(struct flow_run *run, int node, bool *exact, bool *gathers)
{
    switch (kind_of(run, node)) {
    case PY_SLICE:
        flow_eval(run, node);
        return 0;
    case PY_ELLIPSIS:
        *exact = false;
        return 0;
    case PY_NONE_VALUE:
        return 1;
    default: {
        struct flow_value index = flow_eval(run, node);
        bool list = kind_of(run, node) == PY_LIST || kind_of(run, node) == PY_LIST_COMP;
        if (index.type == FLOW_ARRAY || list)
            *gathers = true; /* elements gathered, or a boolean mask: a copy */
        else if (index.type != FLOW_SCALAR)
            *exact = false; /* perhaps a tuple or a slice */
        return -1;
    }
    }
}

static struct flow_value subscript_array(struct flow_run *run, struct flow_value base, int slice)
{
    bool exact = base.rank > 0, gathers = false;
    int change = 0;
    if (kind_of(run, slice) == PY_TUPLE) {
        PYTREE_EACH(run->flow->tree, index, slice)
            change += index_effect(run, index, &exact, &gathers);
    } else {
        change = index_effect(run, slice, &exact, &gathers);
    }
    if (gathers)
        return flow_array(-1);
    if (!exact)
        return change == 0 ? (struct flow_value){.type = FLOW_ARRAY, .rank = -1, .roots = base.roots} : flow_unknown(base.roots);
    base.rank += change;
    return base.rank <= 0 ? flow_scalar() : base;
}

static struct flow_value eval_subscript(struct flow_run *run, int node)
{
    struct flow_value base = flow_eval(run, node + 1);
    int slice = pytree_child(run->flow->tree, node, 1);
    if (base.type == FLOW_ARRAY)
        return subscript_array(run, base, slice);
    flow_eval(run, slice);
    if (base.type == FLOW_SCALAR)
        return base;
    if (base.type == FLOW_CONTAINER && kind_of(run, slice) == PY_SLICE)
        return base;
    return base.type == FLOW_CONTAINER ? flow_element(base) : flow_unknown(base.roots);
}

/* Arithmetic makes new arrays and numbers; lists (and what may be one) keep referring to their elements. */
static struct flow_value arithmetic(struct flow_run *run, struct flow_value a, struct flow_value b)
{
    bool plain_a = a.type == FLOW_SCALAR || a.type == FLOW_ARRAY, plain_b = b.type == FLOW_SCALAR || b.type == FLOW_ARRAY;
    if (plain_a && plain_b) {
        if (a.type == FLOW_SCALAR && b.type == FLOW_SCALAR)
            return a;
        int rank_a = a.type == FLOW_ARRAY ? a.rank : 0, rank_b = b.type == FLOW_ARRAY ? b.rank : 0;
        return flow_array(rank_a < 0 || rank_b < 0 ? -1 : rank_a > rank_b ? rank_a : rank_b);
    }
    return flow_unknown(flow_set_union(run->flow, plain_a ? NULL : a.roots, plain_b ? NULL : b.roots));
}

static struct flow_value eval_children(struct flow_run *run, int node)
{
    struct flow_value value = {0};
    PYTREE_EACH(run->flow->tree, child, node)
        value = flow_join(run->flow, value, flow_eval(run, child));
    return value.type == FLOW_UNBOUND ? flow_scalar() : value;
}

static struct flow_value eval_container(struct flow_run *run, int node)
{
    struct flow_value container = {.type = FLOW_CONTAINER};
    PYTREE_EACH(run->flow->tree, child, node) {
        struct flow_value element = flow_eval(run, child);
        if (element.type != FLOW_SCALAR)
            container.rank = -1;
        container.roots = flow_set_union(run->flow, container.roots, element.roots);
    }
    return container;
}

static struct flow_value eval_comprehension(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    int n_results = tree->nodes[node].kind == PY_DICT_COMP ? 2 : 1, k = 0;
    struct flow_value container = {.type = FLOW_CONTAINER};
    run->weak++; /* its variables are its own: those of the same name around it keep what they have */
    PYTREE_EACH(tree, child, node)
        if (k++ >= n_results) {
            flow_assign_elements(run, child + 1, pytree_child(tree, child, 1));
            for (int i = 2; i < tree->nodes[child].n_children; i++)
                flow_eval(run, pytree_child(tree, child, i));
        }
    run->weak--;
    for (k = 0; k < n_results; k++) {
        struct flow_value element = flow_eval(run, pytree_child(tree, node, k));
        if (element.type != FLOW_SCALAR)
            container.rank = -1;
        container.roots = flow_set_union(run->flow, container.roots, element.roots);
    }
    return container;
}

static struct flow_value eval_other(struct flow_run *run, int node)
{
    struct flow_value value = eval_children(run, node);
    const char *name = pytree_name(run->flow->tree, node);
    if (strncmp(name, "Yield", 5) == 0)
        run->result = flow_join(run->flow, run->result, flow_unknown(value.roots));
    return flow_unknown(value.roots);
}

struct flow_value flow_eval(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    flow_count(run, 1);
    switch (kind_of(run, node)) {
    case PY_NAME:
        return eval_name(run, node);
    case PY_ATTRIBUTE:
        return eval_attribute(run, node);
    case PY_SUBSCRIPT:
        return eval_subscript(run, node);
    case PY_CALL:
        return flow_call(run, node);
    case PY_BINARY: {
        struct flow_value left = flow_eval(run, node + 1);
        return arithmetic(run, left, flow_eval(run, tree->nodes[node + 1].end));
    }
    case PY_UNARY:
        return arithmetic(run, flow_eval(run, node + 1), flow_scalar());
    case PY_COMPARE: {
        bool scalar = true, array = false;
        PYTREE_EACH(tree, child, node) {
            enum flow_type type = flow_eval(run, child).type;
            scalar &= type == FLOW_SCALAR;
            array |= type == FLOW_ARRAY;
        }
        return scalar ? flow_scalar() : array ? flow_array(-1) : flow_unknown(NULL);
    }
    case PY_BOOL_OP:
        return eval_children(run, node);
    case PY_IF_EXP: {
        flow_eval(run, node + 1);
        struct flow_value value = flow_eval(run, pytree_child(tree, node, 1));
        return flow_join(run->flow, value, flow_eval(run, pytree_child(tree, node, 2)));
    }
    case PY_NAMED: {
        int source = pytree_child(tree, node, 1);
        struct flow_value value = flow_eval(run, source);
        flow_assign(run, node + 1, value, source);
        return value;
    }
    case PY_TUPLE:
    case PY_LIST:
    case PY_SET:
    case PY_DICT:
    case PY_LIST_:
        return eval_container(run, node);
    case PY_STARRED:
        return flow_element(flow_eval(run, node + 1));
    case PY_LIST_COMP:
    case PY_SET_COMP:
    case PY_GENERATOR:
    case PY_DICT_COMP:
        return eval_comprehension(run, node);
    case PY_SLICE:
    case PY_JOINED:
    case PY_FORMATTED:
        eval_children(run, node);
        return flow_scalar();
    case PY_LAMBDA: /* its body and its defaults: what it may give back or write when it is called */
        return flow_unknown(eval_children(run, node).roots);
    case PY_INTEGER:
    case PY_NUMBER:
    case PY_STRING:
    case PY_BOOLEAN:
    case PY_NONE_VALUE:
    case PY_ELLIPSIS:
    case PY_NONE_:
        return flow_scalar();
    default:
        return eval_other(run, node);
    }
}
