/* pyflow_exec.c - what statements do to the local variables and to memory. */
#include <string.h>

#include "pyflow_parts_internal.h"

static struct flow_env
copy_env(struct flow_run *run, const struct flow_env *env)
{
    struct flow_env copy = {arena_take(run->scratch, (size_t)run->n_slots, sizeof *copy.values), env->dead};
    memcpy(copy.values, env->values, (size_t)run->n_slots * sizeof *copy.values);
    return copy;
}

/* Adds to `into` what `from` knows. True if that added roots or changed a type, so that a loop must be run again. */
static bool
join_env(struct flow_run *run, struct flow_env *into, const struct flow_env *from)
{
    bool grew = false;
    if (from->dead)
        return false;
    if (into->dead) {
        memcpy(into->values, from->values, (size_t)run->n_slots * sizeof *into->values);
        into->dead = false;
        return true;
    }
    for (int i = 0; i < run->n_slots; i++) {
        struct flow_value *old = &into->values[i];
        if (from->values[i].type == FLOW_UNBOUND)
            continue;
        struct flow_value joined = flow_join(run->flow, *old, from->values[i]);
        /* Reading an unbound name gave "unknown, nothing", so a first value without roots adds nothing. */
        grew |= joined.roots != old->roots || (old->type != FLOW_UNBOUND && !flow_same(joined, *old))
                || (old->type == FLOW_UNBOUND && joined.type == FLOW_NAME);
        *old = joined;
    }
    return grew;
}

static void
set_slot(struct flow_run *run, int slot, struct flow_value value)
{
    struct flow_value *old = &run->env.values[slot];
    *old = run->weak ? flow_join(run->flow, *old, value) : value;
    if (run->flow->defs[run->def].captured[slot]) {
        struct flow_value all = flow_join(run->flow, run->ever[slot], value);
        run->grew |= !flow_same(all, run->ever[slot]);
        run->ever[slot] = all;
    }
}

static struct flow_event
event_at(enum flow_event_kind kind, enum model_writes writes, int node)
{
    return (struct flow_event){.kind = kind, .writes = writes, .node = node};
}

static void
assign_subscript(struct flow_run *run, int target, struct flow_value value)
{
    struct flow_value base = flow_eval(run, target + 1);
    struct flow_value all[] = {base, flow_eval(run, pytree_child(run->flow->tree, target, 1)), value};
    if (base.type == FLOW_OBJECT && flow_special(run, target, "__setitem__ __delitem__", all, 3).type != FLOW_UNBOUND)
        return;
    flow_special(run, target, NULL, all, 3);
    flow_mark(run, base.roots, event_at(EVENT_STORE, WRITES_YES, target));
    /* Storing in an array copies; a list keeps what it is given. */
    if (value.roots && !flow_is_array(base) && value.type != FLOW_SCALAR)
        flow_mark(run, value.roots, event_at(EVENT_KEPT, WRITES_MAYBE, target));
}

static void
assign_parts(struct flow_run *run, int target, struct flow_value value, int value_node)
{
    const struct pytree *tree = run->flow->tree;
    int n = tree->nodes[target].n_children;
    bool pairs = value_node >= 0 && (tree->nodes[value_node].kind == PY_TUPLE || tree->nodes[value_node].kind == PY_LIST)
                 && tree->nodes[value_node].n_children == n;
    PYTREE_EACH(tree, part, target)
        pairs &= tree->nodes[part].kind != PY_STARRED;
    if (pairs)
        PYTREE_EACH(tree, part, value_node)
            pairs &= tree->nodes[part].kind != PY_STARRED;
    struct flow_value *values = arena_take(run->scratch, (size_t)n, sizeof *values);
    if (!pairs)
        flow_special(run, target, NULL, &value, 1);
    for (int i = 0; i < n; i++)
        values[i] = pairs ? flow_eval(run, pytree_child(tree, value_node, i)) : flow_element(value);
    for (int i = 0; i < n; i++)
        flow_assign(run, pytree_child(tree, target, i), values[i], -1);
}

void
flow_assign(struct flow_run *run, int target, struct flow_value value, int value_node)
{
    const struct pytree *tree = run->flow->tree;
    switch (tree->nodes[target].kind) {
    case PY_NAME:
        if (run->flow->slots[target] >= 0)
            set_slot(run, run->flow->slots[target], value);
        else if (value.roots) /* a global variable */
            flow_mark(run, value.roots, event_at(EVENT_KEPT, WRITES_MAYBE, target));
        break;
    case PY_TUPLE:
    case PY_LIST:
        assign_parts(run, target, value, value_node);
        break;
    case PY_STARRED:
        flow_assign(run, target + 1,
                    (struct flow_value){.type = FLOW_CONTAINER, .rank = CONTAINS_ANYTHING, .roots = value.roots}, -1);
        break;
    case PY_SUBSCRIPT:
        assign_subscript(run, target, value);
        break;
    case PY_ATTRIBUTE: {
        struct flow_value object = flow_eval(run, target + 1);
        flow_store_field(run, object, tree->nodes[target].name, value, target);
        break;
    }
    default:
        flow_mark_all(run, target, "an assignment to an expression of this kind is not followed");
        break;
    }
}

static void
augmented(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    int target = node + 1;
    struct flow_value value = flow_eval(run, pytree_child(tree, node, 1));
    if (tree->nodes[target].kind == PY_SUBSCRIPT) {
        struct flow_value old = flow_eval(run, target);
        const struct flow_set *base = flow_eval(run, target + 1).roots;
        struct flow_value special = flow_operator(run, node, true, old, value);
        assign_subscript(run, target, special.type != FLOW_UNBOUND ? special : value);
        if (old.type != FLOW_SCALAR && flow_set_union(run->flow, base, old.roots) != base) /* an element of a list */
            flow_mark(run, old.roots, event_at(EVENT_IN_PLACE, WRITES_YES, target));
        return;
    }
    struct flow_value old = flow_eval(run, target);
    struct flow_value special = flow_operator(run, node, true, old, value);
    if (special.type != FLOW_UNBOUND) {
        flow_assign(run, target, flow_join(run->flow, special, old), -1);
        return;
    }
    bool in_place = old.type == FLOW_ARRAY || old.type == FLOW_CONTAINER;
    if (old.type != FLOW_SCALAR)
        flow_mark(run, old.roots, event_at(EVENT_IN_PLACE, in_place ? WRITES_YES : WRITES_MAYBE, node));
    if (!flow_is_numeric(old) || !flow_is_numeric(value)) { /* a list takes over the elements, under all its names */
        struct flow_value elements = flow_element(value);
        if (elements.type == FLOW_SCALAR)
            elements.roots = NULL;
        if (old.type != FLOW_ARRAY)
            flow_mark(run, elements.roots, event_at(EVENT_KEPT, WRITES_MAYBE, node));
        if (old.type == FLOW_CONTAINER)
            old.rank = flow_join(run->flow, old, (struct flow_value){FLOW_CONTAINER, flow_contents_of(elements), 0, NULL}).rank;
        old.roots = flow_set_union(run->flow, old.roots, elements.roots);
    }
    if (old.type == FLOW_SCALAR && value.type != FLOW_SCALAR) /* a number and an array make a new array */
        old = value.type == FLOW_ARRAY ? flow_array(value.rank)
              : flow_is_numeric(value) ? flow_numeric(NULL)
                                       : flow_unknown(value.roots);
    if (old.type == FLOW_ARRAY && tree->nodes[target].kind == PY_ATTRIBUTE)
        return;
    flow_assign(run, target, old, -1);
}

/* "for target in enumerate(zip(a, b))" gives each part its own element. */
static void
assign_element_of(struct flow_run *run, int target, int iterable, int depth)
{
    const struct pytree *tree = run->flow->tree;
    const struct pynode *call = &tree->nodes[iterable];
    const char *name = "";
    if (call->kind == PY_CALL && tree->nodes[iterable + 1].kind == PY_NAME && depth < 10) {
        struct flow_value function = flow_eval(run, iterable + 1);
        const struct flow_binding *b = function.type == FLOW_NAME ? &run->flow->bindings[function.which] : NULL;
        if (b && b->kind == BOUND_KNOWN && b->text && strncmp(b->text, "builtins.", 9) == 0)
            name = b->text + 9;
    }
    bool parts = tree->nodes[target].kind == PY_TUPLE;
    if (strcmp(name, "enumerate") == 0 && parts && tree->nodes[target].n_children == 2 && call->n_children >= 2) {
        flow_assign(run, target + 1, flow_scalar(), -1);
        assign_element_of(run, pytree_child(tree, target, 1), pytree_child(tree, iterable, 1), depth + 1);
    } else if (strcmp(name, "zip") == 0 && parts && tree->nodes[target].n_children == call->n_children - 1) {
        for (int i = 0; i < tree->nodes[target].n_children; i++)
            assign_element_of(run, pytree_child(tree, target, i), pytree_child(tree, iterable, i + 1), depth + 1);
    } else if (strcmp(name, "reversed") == 0 && call->n_children == 2) {
        assign_element_of(run, target, pytree_child(tree, iterable, 1), depth + 1);
    } else {
        struct flow_value all = flow_eval(run, iterable);
        struct flow_value special = flow_special(run, iterable, NULL, &all, 1);
        flow_assign(run, target, special.type != FLOW_UNBOUND ? special : flow_element(all), -1);
    }
}

void
flow_assign_elements(struct flow_run *run, int target, int iterable)
{
    assign_element_of(run, target, iterable, 0);
}

/* A loop to its fixpoint: `head` is what is known before each round. */
static void
exec_loop(struct flow_run *run, int node, bool is_for)
{
    const struct pytree *tree = run->flow->tree;
    int body = pytree_child(tree, node, is_for ? 2 : 1), otherwise = pytree_child(tree, node, is_for ? 3 : 2);
    struct flow_loop loop, *outer = run->loop;
    struct flow_env head = copy_env(run, &run->env);
    loop.breaks = (struct flow_env){arena_take(run->scratch, (size_t)run->n_slots, sizeof *head.values), true};
    loop.continues = (struct flow_env){arena_take(run->scratch, (size_t)run->n_slots, sizeof *head.values), true};
    run->loop = &loop;
    bool again = true;
    while (again && !run->given_up) {
        memcpy(run->env.values, head.values, (size_t)run->n_slots * sizeof *head.values);
        run->env.dead = head.dead;
        if (is_for)
            flow_assign_elements(run, node + 1, pytree_child(tree, node, 1));
        else
            flow_truth(run, node, flow_eval(run, node + 1));
        flow_exec_list(run, body);
        flow_count(run, run->n_slots);
        again = join_env(run, &head, &run->env);
        again |= join_env(run, &head, &loop.continues);
        loop.continues.dead = true;
    }
    run->loop = outer;
    run->env = head;
    flow_exec_list(run, otherwise);
    join_env(run, &run->env, &loop.breaks);
}

static void
exec_if(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    flow_truth(run, node, flow_eval(run, node + 1));
    struct flow_env other = copy_env(run, &run->env);
    flow_exec_list(run, pytree_child(tree, node, 1));
    struct flow_env first = run->env;
    run->env = other;
    flow_exec_list(run, pytree_child(tree, node, 2));
    join_env(run, &run->env, &first);
}

/* Inside try any statement may be the last one, so nothing that was known is forgotten and nothing ends a path. */
static void
exec_try(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    run->weak++;
    flow_exec_list(run, pytree_child(tree, node, 0));
    PYTREE_EACH(tree, handler, pytree_child(tree, node, 1)) {
        if (tree->nodes[handler].kind != PY_HANDLER) {
            flow_mark_all(run, handler, "a clause of a 'try' of this kind is not followed");
            continue;
        }
        flow_eval(run, handler + 1);
        if (run->flow->slots[handler] >= 0)
            set_slot(run, run->flow->slots[handler], flow_unknown(NULL));
        flow_exec_list(run, pytree_child(tree, handler, 1));
    }
    flow_exec_list(run, pytree_child(tree, node, 2));
    flow_exec_list(run, pytree_child(tree, node, 3));
    run->weak--;
}

/* What leaves the block may be swallowed behind it, so any statement in it may be the last one. */
static void
exec_with(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    run->weak++;
    PYTREE_EACH(tree, item, node + 1) {
        if (tree->nodes[item].kind != PY_WITH_ITEM) {
            flow_mark_all(run, item, "a 'with' of this kind is not followed");
            continue;
        }
        struct flow_value manager = flow_eval(run, item + 1), value = flow_unknown(manager.roots);
        struct flow_value parts[] = {manager, flow_unknown(NULL), flow_unknown(NULL), flow_unknown(NULL)};
        struct flow_value entered = flow_special(run, item, "__enter__ __aenter__", parts, 1);
        flow_special(run, item, "__exit__ __aexit__", parts, 4);
        if (entered.type != FLOW_UNBOUND)
            value = entered;
        int target = pytree_child(tree, item, 1);
        if (tree->nodes[target].kind != PY_NONE_)
            flow_assign(run, target, value, -1);
    }
    flow_exec_list(run, pytree_child(tree, node, 1));
    run->weak--;
}

static void
exec_import(struct flow_run *run, int node)
{
    PYTREE_EACH(run->flow->tree, alias, node)
        if (run->flow->slots[alias] >= 0) {
            int binding = flow_follow(run->flow, flow_bind_alias(run->flow, node, alias), 0);
            set_slot(run, run->flow->slots[alias], (struct flow_value){.type = FLOW_NAME, .which = binding});
        }
}

/* The end of a path: break, continue, return, raise. */
static void
leave(struct flow_run *run, struct flow_env *to)
{
    if (to)
        join_env(run, to, &run->env);
    if (!run->weak)
        run->env.dead = true;
}

struct flow_value
flow_call_nested(struct flow_run *run, int function, const struct flow_value *given)
{
    const struct pytree *tree = run->flow->tree;
    struct flow_value saved_result = run->result;
    struct flow_loop *saved_loop = run->loop;
    struct flow_env before = copy_env(run, &run->env);
    int i = 0, weak = run->weak;
    run->result = (struct flow_value){0};
    run->loop = NULL;
    run->weak = 0;
    run->nesting++;
    PYTREE_EACH(tree, argument, pytree_child(tree, function, 1)) {
        int slot = run->flow->slots[argument];
        struct flow_value value = given ? given[i] : flow_unknown(NULL);
        struct flow_value declared = flow_annotation(run->flow, run->file, argument + 1);
        if (value.type == FLOW_UNBOUND || !given)
            value = flow_join(run->flow, value, run->ever[slot]); /* its default */
        if (declared.type == FLOW_SCALAR && value.type == FLOW_UNKNOWN)
            value = declared;
        set_slot(run, slot, value.type == FLOW_UNBOUND ? flow_unknown(NULL) : value);
        i++;
    }
    flow_exec_list(run, pytree_child(tree, function, 4));
    join_env(run, &before, &run->env);
    run->env = before;
    run->nesting--;
    run->loop = saved_loop;
    run->weak = weak;
    struct flow_value result = run->result;
    run->result = saved_result;
    return result.type == FLOW_UNBOUND ? flow_scalar() : result;
}

/* What is evaluated where a nested function stands: its decorators, defaults and annotations. */
static void
evaluate_definition(struct flow_run *run, int node)
{
    struct flow *flow = run->flow;
    const struct pytree *tree = flow->tree;
    PYTREE_EACH(tree, decorator, pytree_child(tree, node, 0)) {
        flow_eval(run, decorator);
        flow_mark_all(run, decorator, "what a decorator makes of a nested function is not followed");
    }
    PYTREE_EACH(tree, argument, pytree_child(tree, node, 1)) {
        int slot = flow->slots[argument], expression = pytree_child(tree, argument, 2);
        if (tree->nodes[expression].kind == PY_NONE_)
            continue;
        struct flow_value all = flow_join(flow, run->ever[slot], flow_eval(run, expression));
        run->grew |= !flow_same(all, run->ever[slot]);
        run->ever[slot] = all;
    }
    PYTREE_EACH(tree, annotation, pytree_child(tree, node, 5))
        flow_eval(run, annotation);
}

/* What code that is called some time may refer to: all that its variables ever hold. */
static const struct flow_set *
captured_roots(struct flow_run *run, int node)
{
    const struct flow *flow = run->flow;
    const struct flow_set *roots = NULL;
    for (int i = node; i < flow->tree->nodes[node].end; i++)
        if (flow->tree->nodes[i].kind == PY_NAME && flow->slots[i] >= 0 && flow->defs[run->def].captured[flow->slots[i]])
            roots = flow_set_union(run->flow, roots, run->ever[flow->slots[i]].roots);
    return roots;
}

struct flow_value
flow_define(struct flow_run *run, int node)
{
    enum { DEEPEST = 4 };
    struct flow *flow = run->flow;
    evaluate_definition(run, node);
    if (flow->globals[node] == 0)
        flow->globals[node] = flow_bind(flow, (struct flow_binding){.kind = BOUND_NESTED, .index = node}) + 1;
    struct flow_value value = {.type = FLOW_NAME, .which = flow->globals[node] - 1};
    if (run->nesting < DEEPEST) /* it may be called from anywhere: what it does to what it captures happens */
        value.roots = flow_call_nested(run, node, NULL).roots;
    else
        flow_mark_all(run, node, "functions inside functions inside functions are not followed that deep");
    value.roots = flow_set_union(flow, value.roots, captured_roots(run, node));
    return value;
}

/* A nested function where its variables are not known: only what it may refer to. */
struct flow_value
flow_no_closure(const struct flow *flow, struct flow_value value)
{
    bool is_nested = value.type == FLOW_NAME && flow->bindings[value.which].kind == BOUND_NESTED;
    return is_nested ? flow_unknown(value.roots) : value;
}

static void
exec(struct flow_run *run, int node)
{
    struct flow *flow = run->flow;
    const struct pytree *tree = flow->tree;
    const struct pynode *n = &tree->nodes[node];
    switch (n->kind) {
    case PY_EXPR:
        flow_eval(run, node + 1);
        break;
    case PY_ASSIGN: {
        struct flow_value value = flow_eval(run, node + 1);
        for (int i = 1; i < n->n_children; i++)
            flow_assign(run, pytree_child(tree, node, i), value, node + 1);
        break;
    }
    case PY_ANN_ASSIGN: {
        int source = pytree_child(tree, node, 2);
        if (tree->nodes[source].kind == PY_NONE_)
            break;
        struct flow_value value = flow_eval(run, source);
        struct flow_value declared = flow_annotation(run->flow, run->file, pytree_child(tree, node, 1));
        if (value.type == FLOW_UNKNOWN && declared.type != FLOW_UNKNOWN) {
            declared.roots = declared.type == FLOW_SCALAR ? NULL : value.roots;
            value = declared;
        }
        flow_assign(run, node + 1, value, source);
        break;
    }
    case PY_AUG_ASSIGN:
        augmented(run, node);
        break;
    case PY_FOR:
    case PY_ASYNC_FOR:
        exec_loop(run, node, true);
        break;
    case PY_WHILE:
        exec_loop(run, node, false);
        break;
    case PY_IF:
        exec_if(run, node);
        break;
    case PY_WITH:
    case PY_ASYNC_WITH:
        exec_with(run, node);
        break;
    case PY_TRY:
    case PY_TRY_STAR:
        exec_try(run, node);
        break;
    case PY_IMPORT:
    case PY_IMPORT_FROM:
        exec_import(run, node);
        break;
    case PY_RETURN:
        if (tree->nodes[node + 1].kind != PY_NONE_)
            run->result = flow_join(run->flow, run->result, flow_eval(run, node + 1));
        leave(run, NULL);
        break;
    case PY_RAISE:
        flow_eval(run, node + 1);
        flow_eval(run, pytree_child(tree, node, 1));
        leave(run, NULL);
        break;
    case PY_BREAK:
        leave(run, run->loop ? &run->loop->breaks : NULL);
        break;
    case PY_CONTINUE:
        leave(run, run->loop ? &run->loop->continues : NULL);
        break;
    case PY_ASSERT: {
        flow_truth(run, node, flow_eval(run, node + 1));
        struct flow_value message = flow_eval(run, pytree_child(tree, node, 1));
        flow_mark(run, message.roots, event_at(EVENT_KEPT, WRITES_MAYBE, node));
        break;
    }
    case PY_DELETE:
        PYTREE_EACH(tree, target, node)
            if (tree->nodes[target].kind != PY_NAME)
                flow_assign(run, target, flow_scalar(), -1);
        break;
    case PY_FUNCTION: {
        struct flow_value function = flow_define(run, node);
        if (flow->slots[node] >= 0)
            set_slot(run, flow->slots[node], function);
        else /* global */
            flow_mark(run, function.roots, event_at(EVENT_KEPT, WRITES_MAYBE, node));
        break;
    }
    case PY_GLOBAL:
    case PY_NONLOCAL:
    case PY_PASS:
        break;
    case PY_CLASS:
        flow_mark_all(run, node, "a class inside a function is not followed");
        break;
    default:
        flow_mark_all(run, node, arena_printf(run->flow->arena, "a statement of kind '%s' is not followed",
                                              n->kind == PY_OTHER ? pytree_name(tree, node) : "?"));
        break;
    }
}

void
flow_exec_list(struct flow_run *run, int list)
{
    PYTREE_EACH(run->flow->tree, statement, list) {
        if (run->env.dead || run->given_up)
            return;
        exec(run, statement);
    }
}
