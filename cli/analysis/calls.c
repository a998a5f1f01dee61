/* calls.c - calls: who is called, and what a call of somebody unknown may do. */
#include <stdlib.h>

#include "base/diag.h"
#include "walk_internal.h"

static struct set_items
items_of(const struct walk *walk, set which)
{
    return set_items(&walk->analysis->sets, which);
}

/* --- somebody unknown --- */

static set
all_arguments(const struct call *call)
{
    set all = 0;
    for (int i = 0; i < call->n_arguments; i++)
        all = joined(call->walk, all, call->arguments[i]);
    return all;
}

static bool
returns_pointer(const struct call *call)
{
    return call->type == NULL || call->type->returns_pointer;
}

static set
unknown_result(const struct call *call)
{
    set all = reach(call->walk, all_arguments(call));
    return returns_pointer(call) ? joined(call->walk, all, spot_base(call->walk, SPOT_WILD, 0, NULL)) : 0;
}

void
call_back(const struct call *call, const struct called *function, set given)
{
    struct walk *walk = call->walk;
    struct call back = *call;
    back.n_arguments = function->n_params;
    back.arguments = calloc((size_t)function->n_params + 1, sizeof *back.arguments);
    if (back.arguments == NULL)
        exit(environment_error("out of memory"));
    for (int i = 0; i < function->n_params; i++)
        back.arguments[i] = given;
    back.most = WRITES_MAYBE;
    for (const struct summary *s = find_summary(walk->analysis, function, NULL); s != NULL;
         s = find_summary(walk->analysis, function, s))
        call_of_body(&back, s);
    free(back.arguments);
}

void
no_effect_known(const struct call *call, const char *text)
{
    struct walk *walk = call->walk;
    struct cause cause = call->cause;
    cause.text = text;
    set given = 0, all = reach(walk, all_arguments(call));
    for (int i = 0; i < call->n_arguments; i++) {
        bool is_named = call->type != NULL && i < call->type->n_params;
        if (is_named && !call->type->may_write[i])
            reveal(walk, call->arguments[i]);
        else
            given = joined(walk, given, call->arguments[i]);
    }
    if (given != 0)
        give_away(walk, given, cause);
    if (!walk->summary->writes_memory)
        walk->summary->writes_memory = walk->summary->changed = true;
    for (int i = 0; i < items_of(walk, all).n; i++) {
        const struct spot *spot = spot_at(walk, items_of(walk, all).values[i]);
        if (spot->kind != SPOT_FUNCTION)
            continue;
        if (call->depth > DEEPEST_PENDING) {
            give_away(walk, all, cause);
            mark_all(walk->summary, "functions are passed to functions that are passed on, too deep to follow");
            return;
        }
        struct call inner = *call;
        inner.depth++;
        call_back(&inner, spot->function, all);
    }
}

/* --- somebody with a name --- */

static set
call_function(const struct call *call, const struct called *function)
{
    struct walk *walk = call->walk;
    set result = 0;
    struct call named = *call;
    if (named.type == NULL || named.type->name == NULL)
        named.type = function;
    const struct summary *summary = find_summary(walk->analysis, function, NULL);
    bool has_body = summary != NULL;
    for (; summary != NULL; summary = find_summary(walk->analysis, function, summary))
        result = joined(walk, result, call_of_body(&named, summary));
    if (has_body && !function->is_replaceable)
        return result;
    set known = 0;
    if (!has_body && !function->is_replaceable && call_of_library(&named, function->name, &known))
        return known;
    if (function->is_replaceable) /* who knows whose const is kept */
        named.type = NULL;
    const char *text = has_body ? "passed to '%s', which may be another function when it is linked"
                                : "passed to '%s', whose body is not known";
    no_effect_known(&named, arena_printf(walk->analysis->arena, text, function->name));
    return joined(walk, result, unknown_result(&named));
}

/* --- somebody whom a caller knows --- */

/* Whether everything that the call is given is a caller's, or leads to nothing that is. */
static bool
can_wait(const struct call *call)
{
    struct walk *walk = call->walk;
    set all = all_arguments(call);
    for (int i = 0; i < items_of(walk, all).n; i++) {
        int number = items_of(walk, all).values[i];
        enum spot_kind kind = spot_at(walk, number)->kind;
        if (spot_at(walk, number)->is_external || kind == SPOT_FUNCTION)
            continue;
        set held = reach(walk, set_single(&walk->analysis->sets, number));
        for (int k = 0; k < items_of(walk, held).n; k++)
            if (spot_at(walk, items_of(walk, held).values[k])->is_external)
                return false;
    }
    return true;
}

static struct pending *
find_pending(struct summary *summary, const struct node *node)
{
    for (int i = 0; i < summary->n_pending; i++)
        if (summary->pending[i].node == node)
            return &summary->pending[i];
    return NULL;
}

static bool
join_into(const struct call *call, set *into, set more)
{
    set both = joined(call->walk, *into, more);
    bool changed = both != *into;
    *into = both;
    return changed;
}

/* The callers will call it. Local variables that it is given may hold anything then. */
static set
wait(const struct call *call, set callee)
{
    struct walk *walk = call->walk;
    struct summary *summary = walk->summary;
    struct pending *pending = find_pending(summary, call->node);
    if (pending == NULL) {
        pending = ARENA_PUSH(walk->analysis->arena, summary->pending, summary->n_pending);
        *pending = (struct pending){.node = call->node,
                                    .type = call->type,
                                    .arguments = arena_take(walk->analysis->arena, (size_t)call->n_arguments + 1, sizeof(set)),
                                    .n_arguments = call->n_arguments,
                                    .cause = call->cause};
        summary->changed = true;
    }
    summary->changed |= join_into(call, &pending->callee, callee);
    for (int i = 0; i < pending->n_arguments && i < call->n_arguments; i++)
        summary->changed |= join_into(call, &pending->arguments[i], call->arguments[i]);
    set all = reach(walk, all_arguments(call));
    for (int i = 0; i < items_of(walk, all).n; i++) {
        int spot = items_of(walk, all).values[i];
        if (!spot_at(walk, spot)->is_external && !is_number_variable(walk, spot_at(walk, spot)))
            keep(walk, set_single(&walk->analysis->sets, spot), all);
    }
    return unknown_result(call);
}

/* Whoever is called through a pointer that comes from nobody knows where, may be any function whose address is taken. */
static set
call_anybody(const struct call *call)
{
    struct walk *walk = call->walk;
    struct call other = *call;
    other.most = WRITES_MAYBE;
    other.depth += 2; /* any of many, each of which may have been given others */
    set result = 0;
    for (int i = 0; i < walk->analysis->n_taken; i++) {
        const struct called *function = walk->analysis->taken[i];
        if (function->n_params != call->n_arguments)
            continue;
        for (const struct summary *s = find_summary(walk->analysis, function, NULL); s != NULL;
             s = find_summary(walk->analysis, function, s))
            result = joined(walk, result, call_of_body(&other, s));
    }
    no_effect_known(call, "passed to a function that is only known through a pointer");
    return joined(walk, result, unknown_result(call));
}

set
call_any(const struct call *call, set callee)
{
    enum { MOST_PENDING = 256 };
    struct walk *walk = call->walk;
    struct set_items items = items_of(walk, callee);
    bool is_anybody = items.n == 0, is_callers = false;
    set result = 0;
    for (int i = 0; i < items.n; i++) {
        const struct spot *spot = spot_at(walk, items.values[i]);
        if (spot->kind == SPOT_FUNCTION)
            result = joined(walk, result, call_function(call, spot->function));
        else if (spot->is_external && spot_at(walk, spot->base)->kind == SPOT_PARAM)
            is_callers = true;
        else
            is_anybody = true;
    }
    if (is_callers && (walk->summary->n_pending >= MOST_PENDING || !can_wait(call)))
        is_anybody = true;
    else if (is_callers)
        result = joined(walk, result, wait(call, callee));
    return is_anybody ? joined(walk, result, call_anybody(call)) : result;
}

/* --- the expression --- */

set
value_of_call(struct walk *walk, const struct node *node)
{
    if (node->child == NULL)
        return 0;
    struct call call = {.walk = walk, .node = node, .type = node->function, .cause = cause_at(node), .most = WRITES_YES};
    bool is_direct = node->child->kind == NODE_FUNCTION && node->function != NULL && node->function->name != NULL;
    set callee = is_direct ? 0 : value_of(walk, node->child);
    call.arguments = calloc((size_t)node->n_children, sizeof *call.arguments);
    if (call.arguments == NULL)
        exit(environment_error("out of memory"));
    for (const struct node *argument = node->child->next; argument != NULL; argument = argument->next) {
        bool is_structure = argument->type == TYPE_RECORD;
        call.arguments[call.n_arguments++] = is_structure ? location_of(walk, argument) : value_of(walk, argument);
    }
    set result = is_direct ? call_function(&call, node->function) : call_any(&call, callee);
    free(call.arguments);
    return result;
}
