/* pyflow_eval.c - what an expression may refer to. */
#include <string.h>

#include "pyflow_parts_internal.h"

static int
kind_of(const struct flow_run *run, int node)
{
    return run->flow->tree->nodes[node].kind;
}

/* Names that let code see, or replace, what belongs to others. */
static void
look_around(struct flow_run *run, int node, const char *dotted)
{
    static const char *const words[] = {"builtins.exec",    "builtins.eval",       "builtins.locals", "builtins.vars",
                                        "builtins.globals", "builtins.__import__", "builtins.breakpoint", "builtins",
                                        "builtins.__builtins__"};
    static const char *const frames[] = {"sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile",
                                         "inspect.", "gc.", "ctypes.pythonapi", "importlib."};
    struct flow_def *def = &run->flow->defs[run->def];
    bool is_any = false, is_frames = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && dotted; i++)
        is_any |= strcmp(dotted, words[i]) == 0;
    for (size_t i = 0; i < sizeof frames / sizeof *frames && dotted; i++)
        is_frames |= strncmp(dotted, frames[i], strlen(frames[i])) == 0;
    if (is_any || is_frames)
        flow_mark_all(run, node, arena_printf(run->flow->arena, "what the code does that uses %s is not followed",
                                              strncmp(dotted, "builtins.", 9) == 0 ? dotted + 9 : dotted));
    if (is_frames && !def->sees_frames) {
        def->sees_frames = true;
        run->flow->again = true;
    }
}

static struct flow_value
value_of_binding(struct flow_run *run, int node, int which)
{
    static const char *const numbers[] = {"pi", "e", "inf", "nan", "tau"};
    const struct flow_binding *b = &run->flow->bindings[which];
    const char *text = b->kind == BOUND_KNOWN ? b->text : NULL;
    size_t module = text && strncmp(text, "numpy.", 6) == 0 ? 6 : text && strncmp(text, "math.", 5) == 0 ? 5 : 0;
    look_around(run, node, text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && module; i++)
        if (strcmp(text + module, numbers[i]) == 0)
            return flow_scalar();
    return b->kind == BOUND_NUMBER ? flow_scalar() : (struct flow_value){.type = FLOW_NAME, .which = which};
}

static struct flow_value
eval_name(struct flow_run *run, int node)
{
    struct flow *flow = run->flow;
    int slot = flow->slots[node];
    if (slot >= 0) {
        struct flow_value value = run->env.values[slot];
        if (flow->defs[run->def].captured[slot])
            value = flow_join(flow, value, run->ever[slot]);
        return value.type == FLOW_UNBOUND ? flow_unknown(NULL) : value;
    }
    if (flow->globals[node] == 0)
        flow->globals[node] = flow_global(flow, run->file, flow->tree->nodes[node].name) + 1;
    return value_of_binding(run, node, flow->globals[node] - 1);
}

static struct flow_value
array_attribute(struct flow_run *run, struct flow_value base, const char *text, int node)
{
    static const char *const facts[] = {"size", "ndim", "dtype", "itemsize", "nbytes", "flags"};
    if (strcmp(text, "shape") == 0 || strcmp(text, "strides") == 0)
        return (struct flow_value){.type = FLOW_CONTAINER};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(text, facts[i]) == 0)
            return flow_scalar();
    if (strcmp(text, "T") == 0 || strcmp(text, "mT") == 0 || strcmp(text, "real") == 0 || strcmp(text, "imag") == 0)
        return base;
    if (strcmp(text, "flat") == 0)
        return base.type == FLOW_ARRAY ? (struct flow_value){.type = FLOW_ARRAY, .rank = 1, .roots = base.roots} : base;
    /* Addresses, buffers, the array it is a view of, its methods as values. */
    flow_mark(run, base.roots, (struct flow_event){.kind = EVENT_LOST, .writes = WRITES_MAYBE, .node = node,
                               .text = arena_printf(run->flow->arena, "what is done with the attribute '%s' is not followed", text)});
    return flow_unknown(base.roots);
}

static struct flow_value
eval_attribute(struct flow_run *run, int node)
{
    struct flow *flow = run->flow;
    struct flow_value base = flow_eval(run, node + 1);
    int name = flow->tree->nodes[node].name;
    const char *text = flow->tree->strings[name];
    bool is_hidden = strncmp(text, "__", 2) == 0 || strcmp(text, "ctypes") == 0; /* __dict__, __array_interface__, ... */
    if (is_hidden && base.type != FLOW_NAME && base.type != FLOW_SCALAR)
        return array_attribute(run, base, text, node);
    switch (base.type) {
    case FLOW_NAME:
        if (base.roots) /* what a nested function holds */
            return array_attribute(run, base, text, node);
        if (strcmp(text, "__globals__") == 0)
            look_around(run, node, "builtins.globals");
        if (flow->globals[node] == 0 || flow->slots[node] != base.which) {
            flow->globals[node] = flow_attribute_of(flow, base.which, name) + 1;
            flow->slots[node] = base.which;
        }
        return value_of_binding(run, node, flow->globals[node] - 1);
    case FLOW_SCALAR:
        return base;
    case FLOW_ARRAY:
        return array_attribute(run, base, text, node);
    case FLOW_CONTAINER: /* a method, or an attribute of an array of objects */
        if (base.roots)
            return array_attribute(run, base, text, node);
        return flow_unknown(NULL);
    case FLOW_OBJECT: {
        int method = flow_method(flow, base.which, name);
        if (method >= 0)
            return flow_get_property(run, base, method, node);
        if (flow_is_computed(flow, base.which, name, false)) {
            struct flow_value special = flow_special(run, node, NULL, &base, 1);
            if (special.type != FLOW_UNBOUND)
                return special;
            return array_attribute(run, base, text, node);
        }
        return flow_read_field(run, base, name);
    }
    default:
        if (base.which == UNKNOWN_NUMERIC)
            return array_attribute(run, base, text, node);
        return flow_read_field(run, base, name);
    }
}

/* How one index changes the rank: -1 takes a dimension away, 0 keeps it, 1 adds one. *exact: that is certain. */
static int
index_effect(struct flow_run *run, int node, bool *exact, bool *gathers)
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
        flow_special(run, node, NULL, &index, 1);
        bool list = kind_of(run, node) == PY_LIST || kind_of(run, node) == PY_LIST_COMP;
        if (index.type == FLOW_ARRAY || list)
            *gathers = true; /* elements gathered, or a boolean mask: a copy */
        else if (index.type != FLOW_SCALAR)
            *exact = false; /* perhaps a tuple or a slice */
        return -1;
    }
    }
}

static struct flow_value
subscript_array(struct flow_run *run, struct flow_value base, int slice)
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
        return change == 0 ? (struct flow_value){.type = FLOW_ARRAY, .rank = -1, .roots = base.roots} : flow_numeric(base.roots);
    base.rank += change;
    return base.rank <= 0 ? flow_scalar() : base;
}

static struct flow_value
eval_subscript(struct flow_run *run, int node)
{
    struct flow_value base = flow_eval(run, node + 1);
    int slice = pytree_child(run->flow->tree, node, 1);
    if (base.type == FLOW_ARRAY)
        return subscript_array(run, base, slice);
    struct flow_value both[] = {base, flow_eval(run, slice)};
    flow_special(run, node, NULL, &both[1], 1);
    struct flow_value special = flow_special(run, node, "__getitem__", both, 2);
    if (special.type != FLOW_UNBOUND)
        return special;
    if (base.type == FLOW_SCALAR || (base.type == FLOW_UNKNOWN && base.which == UNKNOWN_NUMERIC))
        return base;
    if (base.type == FLOW_CONTAINER && kind_of(run, slice) == PY_SLICE)
        return base;
    return base.type == FLOW_CONTAINER ? flow_element(base) : flow_unknown(base.roots);
}

/* Arithmetic makes new arrays and numbers; lists (and what may be one) keep referring to their elements. */
static struct flow_value
arithmetic(struct flow_run *run, struct flow_value a, struct flow_value b)
{
    bool plain_a = flow_is_numeric(a), plain_b = flow_is_numeric(b);
    if (plain_a && plain_b) {
        if (a.type == FLOW_SCALAR && b.type == FLOW_SCALAR)
            return flow_scalar();
        if (a.type != FLOW_ARRAY && b.type != FLOW_ARRAY)
            return flow_numeric(NULL);
        int rank_a = a.type == FLOW_SCALAR ? 0 : a.rank, rank_b = b.type == FLOW_SCALAR ? 0 : b.rank;
        return flow_array(rank_a < 0 || rank_b < 0 ? -1 : rank_a > rank_b ? rank_a : rank_b);
    }
    return flow_unknown(flow_set_union(run->flow, plain_a ? NULL : a.roots, plain_b ? NULL : b.roots));
}

/* The chain down the left sides is followed in a loop: a sum is as deep as it is long. */
static struct flow_value
eval_binary(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    int first = node;
    while (tree->nodes[first].kind == PY_BINARY)
        first++;
    struct flow_value value = flow_eval(run, first);
    for (int at = first - 1; at >= node; at--) {
        struct flow_value right = flow_eval(run, tree->nodes[at + 1].end);
        struct flow_value special = flow_operator(run, at, false, value, right);
        value = special.type != FLOW_UNBOUND ? special : arithmetic(run, value, right);
    }
    return value;
}

static struct flow_value
eval_unary(struct flow_run *run, int node)
{
    static const struct {
        const char *op, *method;
    } rows[] = {{"USub", "__neg__"}, {"UAdd", "__pos__"}, {"Invert", "__invert__"}};
    const char *op = pytree_name(run->flow->tree, node), *method = NULL;
    struct flow_value value = flow_eval(run, node + 1);
    if (strcmp(op, "Not") == 0) {
        flow_truth(run, node, value);
        return flow_scalar();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op, op) == 0)
            method = rows[i].method;
    struct flow_value special = flow_special(run, node, method, &value, 1);
    return special.type != FLOW_UNBOUND ? special : arithmetic(run, value, flow_scalar());
}

static struct flow_value
eval_compare(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    struct flow_value *values = arena_take(run->scratch, (size_t)tree->nodes[node].n_children, sizeof *values);
    bool scalar = true, array = false;
    int n = 0;
    PYTREE_EACH(tree, child, node) {
        values[n] = flow_eval(run, child);
        scalar &= values[n].type == FLOW_SCALAR;
        array |= values[n].type == FLOW_ARRAY;
        n++;
    }
    struct flow_value special = flow_special(run, node, NULL, values, n);
    if (special.type != FLOW_UNBOUND)
        return special;
    return scalar ? flow_scalar() : array ? flow_array(-1) : flow_numeric(NULL);
}

static struct flow_value
eval_boolean(struct flow_run *run, int node)
{
    struct flow_value value = {0};
    PYTREE_EACH(run->flow->tree, child, node) {
        struct flow_value part = flow_eval(run, child);
        flow_truth(run, node, part);
        value = flow_join(run->flow, value, part);
    }
    return value;
}

/* All that the children of a node may refer to; and their special methods are called, if there are any. */
static struct flow_value
eval_children(struct flow_run *run, int node)
{
    struct flow_value value = {0};
    PYTREE_EACH(run->flow->tree, child, node) {
        struct flow_value part = flow_eval(run, child);
        flow_special(run, node, NULL, &part, 1);
        value = flow_join(run->flow, value, part);
    }
    return value.type == FLOW_UNBOUND ? flow_scalar() : value;
}

static void
add_element(struct flow_run *run, struct flow_value *container, struct flow_value element)
{
    struct flow_value contents = {.type = FLOW_CONTAINER, .rank = flow_contents_of(element)};
    const struct flow_set *roots = flow_set_union(run->flow, container->roots, element.type == FLOW_SCALAR ? NULL : element.roots);
    *container = flow_join(run->flow, *container, contents);
    container->roots = roots;
}

static struct flow_value
eval_container(struct flow_run *run, int node)
{
    struct flow_value container = {.type = FLOW_CONTAINER};
    bool hashes = kind_of(run, node) == PY_SET || kind_of(run, node) == PY_DICT;
    PYTREE_EACH(run->flow->tree, child, node) {
        struct flow_value element = flow_eval(run, child);
        if (hashes)
            flow_special(run, node, NULL, &element, 1);
        add_element(run, &container, element);
    }
    if (hashes) /* no array is made of it, but one of objects */
        container.rank = CONTAINS_ANYTHING;
    return container;
}

static struct flow_value
eval_comprehension(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    int n_results = tree->nodes[node].kind == PY_DICT_COMP ? 2 : 1, k = 0;
    struct flow_value container = {.type = FLOW_CONTAINER};
    run->weak++; /* its variables are its own: those of the same name around it keep what they have */
    PYTREE_EACH(tree, child, node)
        if (k++ >= n_results) {
            if (tree->nodes[child].kind != PY_COMPREHENSION) {
                flow_eval(run, child);
                continue;
            }
            flow_assign_elements(run, child + 1, pytree_child(tree, child, 1));
            for (int i = 2; i < tree->nodes[child].n_children; i++)
                flow_truth(run, child, flow_eval(run, pytree_child(tree, child, i)));
        }
    run->weak--;
    for (k = 0; k < n_results; k++)
        add_element(run, &container, flow_eval(run, pytree_child(tree, node, k)));
    return container;
}

/* yield and await: whoever runs the function may give anything back. What else there may be is not followed. */
static struct flow_value
eval_other(struct flow_run *run, int node)
{
    struct flow_value value = eval_children(run, node);
    const char *name = pytree_name(run->flow->tree, node);
    if (strncmp(name, "Yield", 5) == 0)
        run->result = flow_join(run->flow, run->result, flow_unknown(value.roots));
    else if (strcmp(name, "Await") != 0)
        flow_mark_all(run, node, arena_printf(run->flow->arena, "an expression of kind '%s' is not followed", name));
    return flow_unknown(value.roots);
}

struct flow_value
flow_eval(struct flow_run *run, int node)
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
    case PY_BINARY:
        return eval_binary(run, node);
    case PY_UNARY:
        return eval_unary(run, node);
    case PY_COMPARE:
        return eval_compare(run, node);
    case PY_BOOL_OP:
        return eval_boolean(run, node);
    case PY_IF_EXP: {
        flow_truth(run, node, flow_eval(run, node + 1));
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
    case PY_STARRED: {
        struct flow_value value = flow_eval(run, node + 1);
        flow_special(run, node, NULL, &value, 1);
        return flow_element(value);
    }
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
    case PY_FUNCTION:
        return flow_define(run, node);
    case PY_INTEGER:
    case PY_NUMBER:
    case PY_STRING:
    case PY_BOOLEAN:
    case PY_NONE_:
        return flow_scalar();
    case PY_NONE_VALUE:
    case PY_ELLIPSIS:
        return (struct flow_value){.type = FLOW_SCALAR, .which = SCALAR_OTHER};
    default:
        return eval_other(run, node);
    }
}
