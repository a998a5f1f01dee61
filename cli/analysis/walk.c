/* walk.c - statements, in the order in which they are executed. */
#include "walk_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* --- states --- */

static size_t
state_bytes(const struct walk *walk)
{
    return (size_t)walk->body->n_variables * sizeof *walk->now.cells;
}

static struct state
state_make(const struct walk *walk)
{
    struct state state = {.cells = calloc((size_t)walk->body->n_variables + 1, sizeof *state.cells)};
    if (state.cells == NULL)
        exit(environment_error("out of memory"));
    return state;
}

struct state
state_copy(const struct walk *walk, const struct state *from)
{
    struct state copy = state_make(walk);
    memcpy(copy.cells, from->cells, state_bytes(walk));
    copy.is_reachable = from->is_reachable;
    return copy;
}

void
state_release(struct state *state)
{
    free(state->cells);
    state->cells = NULL;
}

bool
state_join(const struct walk *walk, struct state *into, const struct state *from)
{
    if (!from->is_reachable)
        return false;
    if (!into->is_reachable) {
        memcpy(into->cells, from->cells, state_bytes(walk));
        into->is_reachable = true;
        return true;
    }
    bool changed = false;
    for (int i = 0; i < walk->body->n_variables; i++) {
        set both = set_join(&walk->analysis->sets, into->cells[i], from->cells[i]);
        changed |= both != into->cells[i];
        into->cells[i] = both;
    }
    return changed;
}

/* --- loops and switches --- */

static void
enter(struct walk *walk, struct exits *exits, bool is_loop)
{
    *exits = (struct exits){
        .broken = state_make(walk), .continued = state_make(walk), .is_loop = is_loop, .outer = walk->exits};
    walk->exits = exits;
}

static void
leave(struct walk *walk, struct exits *exits)
{
    walk->exits = exits->outer;
    state_join(walk, &walk->now, &exits->broken);
    state_release(&exits->broken);
    state_release(&exits->continued);
}

/* A jump to where the state `to` holds (NULL: out of a construct that is not known). */
static void
jump(struct walk *walk, struct state *to)
{
    if (to != NULL)
        state_join(walk, to, &walk->now);
    if (!walk->is_loose)
        walk->now.is_reachable = false;
}

static struct exits *
innermost_loop(const struct walk *walk)
{
    struct exits *exits = walk->exits;
    while (exits != NULL && !exits->is_loop)
        exits = exits->outer;
    return exits;
}

/* Walks a loop again and again, until what holds at the start of a round changes no more. What holds where the condition is
 * checked, at the start of a round or at its end, holds behind the loop. `step`, or NULL, is what comes after the body. */
static void
repeat(struct walk *walk, const struct node *condition, bool is_checked_first, const struct node *body,
       const struct node *step)
{
    struct exits exits;
    struct state start = state_copy(walk, &walk->now), end = state_make(walk);
    enter(walk, &exits, true);
    bool changed;
    do {
        if (is_checked_first) {
            value_of(walk, condition);
            state_join(walk, &end, &walk->now);
        }
        walk_statement(walk, body);
        state_join(walk, &walk->now, &exits.continued);
        if (step != NULL)
            value_of(walk, step);
        if (!is_checked_first) {
            value_of(walk, condition);
            state_join(walk, &end, &walk->now);
        }
        changed = state_join(walk, &start, &walk->now);
        memcpy(walk->now.cells, start.cells, state_bytes(walk));
        walk->now.is_reachable = start.is_reachable;
    } while (changed);
    state_release(&walk->now);
    walk->now = end;
    leave(walk, &exits);
    state_release(&start);
}

/* A loop of which one only knows its parts: each may be left out, and it may end behind each. */
static void
walk_any_loop(struct walk *walk, const struct node *node)
{
    struct exits exits;
    struct state all = state_copy(walk, &walk->now);
    enter(walk, &exits, true);
    bool changed;
    do {
        changed = false;
        for (const struct node *child = node->child; child != NULL; child = child->next) {
            walk_statement(walk, child);
            state_join(walk, &walk->now, &exits.continued);
            changed |= state_join(walk, &all, &walk->now);
            state_join(walk, &walk->now, &all);
        }
    } while (changed);
    leave(walk, &exits);
    state_release(&all);
}

static void
walk_switch(struct walk *walk, const struct node *node)
{
    if (node->child == NULL)
        return;
    value_of(walk, node->child);
    struct exits exits;
    struct state start = state_copy(walk, &walk->now), *outer = walk->switch_start;
    enter(walk, &exits, false);
    walk->switch_start = &start;
    if (!walk->is_loose)
        walk->now.is_reachable = false; /* until the first case */
    if (node->child->next != NULL)
        walk_statement(walk, node->child->next);
    walk->switch_start = outer;
    state_join(walk, &walk->now, &start); /* no case may fit */
    leave(walk, &exits);
    state_release(&start);
}

/* --- the others --- */

void
mark_all(struct summary *summary, const char *text)
{
    for (int i = 0; i < summary->spots.n; i++)
        if (summary->spots.items[i].is_external)
            summary_mark(summary, i, WRITES_MAYBE, (struct cause){summary->body->place, text, NULL, 0});
    if (!summary->writes_memory || !summary->writes_wild)
        summary->writes_memory = summary->writes_wild = summary->changed = true;
}

static void
walk_if(struct walk *walk, const struct node *node)
{
    const struct node *condition = node->child;
    if (condition == NULL || condition->next == NULL)
        return;
    value_of(walk, condition);
    struct state before = state_copy(walk, &walk->now);
    walk_statement(walk, condition->next);
    struct state after_then = walk->now;
    walk->now = before;
    if (condition->next->next != NULL)
        walk_statement(walk, condition->next->next);
    state_join(walk, &walk->now, &after_then);
    state_release(&after_then);
}

static void
walk_declaration(struct walk *walk, const struct node *node)
{
    if (node->child == NULL || walk->body->variables[node->variable].is_global)
        return; /* a static variable's initializer is a constant */
    if (walk->is_cell[node->variable]) {
        set value = value_of(walk, node->child), *cell = &walk->now.cells[node->variable];
        *cell = walk->is_loose ? joined(walk, *cell, value) : value;
    } else {
        store_value(walk, spot_of_variable(walk, node->variable), node->child);
    }
}

static void
walk_return(struct walk *walk, const struct node *node)
{
    if (node->child != NULL) {
        set value = value_of(walk, node->child), returned = joined(walk, walk->summary->returned, value);
        walk->summary->changed |= returned != walk->summary->returned;
        walk->summary->returned = returned;
    }
    if (!walk->is_loose)
        walk->now.is_reachable = false;
}

/* Assembler sees all memory and every variable. */
static void
walk_assembler(struct walk *walk, const struct node *node)
{
    set all = 0;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        all = joined(walk, all, value_of(walk, child));
    give_away(walk, all, (struct cause){walk->body->place, "there is assembler code", NULL, 0});
    mark_all(walk->summary, "there is assembler code");
}

/* What holds behind any of the statements may hold behind all. */
static void
walk_weak(struct walk *walk, const struct node *node)
{
    struct state any = state_copy(walk, &walk->now), *outer = walk->weak;
    walk->weak = &any;
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        walk_statement(walk, child);
        state_join(walk, &any, &walk->now);
    }
    walk->weak = outer;
    if (outer != NULL)
        state_join(walk, outer, &any);
    state_join(walk, &walk->now, &any);
    state_release(&any);
}

static void
walk_either(struct walk *walk, const struct node *node)
{
    struct state before = state_copy(walk, &walk->now), after = state_make(walk);
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        memcpy(walk->now.cells, before.cells, state_bytes(walk));
        walk->now.is_reachable = before.is_reachable;
        walk_statement(walk, child);
        state_join(walk, &after, &walk->now);
    }
    state_release(&before);
    if (node->child != NULL) {
        state_release(&walk->now);
        walk->now = after;
    } else {
        state_release(&after);
    }
}

static void
walk_children(struct walk *walk, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        walk_statement(walk, child);
}

static bool
is_setjmp(const struct node *node)
{
    const char *name = node->kind == NODE_FUNCTION && node->function != NULL ? node->function->name : NULL;
    return name != NULL && (strstr(name, "setjmp") != NULL || strcmp(name, "vfork") == 0 || strcmp(name, "getcontext") == 0);
}

/* Whether something in it returns twice. */
bool
calls_setjmp(const struct node *node)
{
    if (is_setjmp(node))
        return true;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        if (calls_setjmp(child))
            return true;
    return false;
}

void
walk_statement(struct walk *walk, const struct node *node)
{
    if (node->kind == NODE_CASE && walk->switch_start != NULL)
        state_join(walk, &walk->now, walk->switch_start);
    /* What cannot be reached does nothing; but there may be a case in it. */
    if (!walk->now.is_reachable && node->kind != NODE_BLOCK && node->kind != NODE_CASE)
        return;
    switch (node->kind) {
    case NODE_BLOCK:
    case NODE_CASE:
    case NODE_LABEL:
        walk_children(walk, node);
        break;
    case NODE_DECLARE:
        walk_declaration(walk, node);
        break;
    case NODE_IF:
        walk_if(walk, node);
        break;
    case NODE_FOR: {
        const struct node *start = node->child, *condition = start->next, *step = condition->next;
        walk_statement(walk, start);
        repeat(walk, condition, true, step->next, step);
        break;
    }
    case NODE_EACH:
        if (node->n_children == 3) {
            value_of(walk, node->child);
            value_of(walk, node->child->next);
        }
        walk_any_loop(walk, node);
        break;
    case NODE_WHILE:
        if (node->n_children == 2)
            repeat(walk, node->child, true, node->child->next, NULL);
        else
            walk_any_loop(walk, node);
        break;
    case NODE_WEAK:
        walk_weak(walk, node);
        break;
    case NODE_EITHER:
        walk_either(walk, node);
        break;
    case NODE_LOOP:
        walk_any_loop(walk, node);
        break;
    case NODE_DO:
        if (node->n_children == 2)
            repeat(walk, node->child->next, false, node->child, NULL);
        else
            walk_any_loop(walk, node);
        break;
    case NODE_SWITCH:
        walk_switch(walk, node);
        break;
    case NODE_GOTO:
        break; /* the body is walked loosely */
    case NODE_BREAK:
        jump(walk, walk->exits != NULL ? &walk->exits->broken : NULL);
        break;
    case NODE_CONTINUE: {
        struct exits *loop = innermost_loop(walk);
        jump(walk, loop != NULL ? &loop->continued : NULL);
        break;
    }
    case NODE_RETURN:
        walk_return(walk, node);
        break;
    case NODE_ASSEMBLER:
        walk_assembler(walk, node);
        break;
    default:
        value_of(walk, node);
        break;
    }
    if (walk->weak != NULL)
        state_join(walk, walk->weak, &walk->now);
}

/* --- bodies --- */

/* Whether control may go elsewhere than the statements say: goto, or a case inside a loop or a branch inside its switch. */
static bool
has_jumps(const struct node *node, bool is_switch_body)
{
    if (node->kind == NODE_GOTO || node->kind == NODE_LABEL)
        return true;
    if (node->kind == NODE_CASE && !is_switch_body)
        return true;
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        bool inside = node->kind == NODE_SWITCH || (is_switch_body && (node->kind == NODE_BLOCK || node->kind == NODE_CASE));
        if (has_jumps(child, inside))
            return true;
    }
    return false;
}

/* --- which variables are followed with the flow --- */

static void
find_memory(const struct node *node, bool *is_cell)
{
    bool is_inside = node->kind == NODE_ADDRESS || node->kind == NODE_MEMBER
                     || (node->kind == NODE_UNARY && node->op == OPERATOR_PART);
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        if (is_inside && child->kind == NODE_VARIABLE)
            is_cell[child->variable] = false;
        find_memory(child, is_cell);
    }
}

static void
start_walk(struct walk *walk)
{
    const struct body *body = walk->body;
    for (int i = 0; i < body->n_variables; i++) {
        enum node_type type = body->variables[i].type;
        walk->is_cell[i] = type != TYPE_ARRAY && type != TYPE_RECORD && !body->variables[i].is_global;
    }
    for (int i = 0; i < body->n_params; i++)
        walk->is_copy[i] = body->variables[i].type == TYPE_RECORD;
    find_memory(body->root, walk->is_cell);
    walk->is_loose = has_jumps(body->root, false) || calls_setjmp(body->root);
}

/* What holds when the function is called. */
static void
enter_body(struct walk *walk)
{
    const struct body *body = walk->body;
    for (int i = 0; i < body->n_variables; i++) {
        const struct variable *variable = &body->variables[i];
        set value = 0;
        if (variable->param >= 0 && (variable->type == TYPE_POINTER || variable->type == TYPE_OTHER))
            value = spot_base(walk, SPOT_PARAM, variable->param, NULL);
        walk->now.cells[i] = walk->is_cell[i] ? value : 0;
        if (!walk->is_cell[i] && variable->type != TYPE_RECORD)
            keep(walk, value != 0 ? spot_of_variable(walk, i) : 0, value);
        if (variable->is_global && variable->initial != NULL)
            store_value(walk, spot_of_variable(walk, i), variable->initial);
    }
    walk->now.is_reachable = true;
    for (int i = 0; i < body->n_params; i++) /* sizes are code */
        for (const struct node *extent = body->variables[i].extents != NULL ? body->variables[i].extents->child : NULL;
             extent != NULL; extent = extent->next)
            value_of(walk, extent);
}

void
walk_body(struct analysis *analysis, struct summary *summary)
{
    const struct body *body = summary->body;
    struct walk walk = {
        .analysis = analysis, .summary = summary, .body = body, .is_cell = summary->is_cell, .is_copy = summary->is_copy};
    if (body->broken != NULL) {
        for (int i = 0; i < body->n_params; i++)
            give_away(&walk, spot_base(&walk, SPOT_PARAM, i, NULL), (struct cause){body->place, body->broken, NULL, 0});
        mark_all(summary, body->broken);
        summary->returned = reach(&walk, summary->exposed);
        return;
    }
    start_walk(&walk);
    walk.now = state_make(&walk);
    bool was_changed = summary->changed, again;
    do {
        summary->changed = false;
        enter_body(&walk);
        struct state before = state_copy(&walk, &walk.now);
        bool more;
        do { /* once, but for jumps */
            walk_statement(&walk, body->root);
            walk.now.is_reachable = true;
            more = state_join(&walk, &before, &walk.now) && walk.is_loose;
            state_join(&walk, &walk.now, &before);
        } while (more);
        state_release(&before);
        again = summary->changed;
        was_changed |= again;
    } while (again);
    summary->changed = was_changed;
    state_release(&walk.now);
}
