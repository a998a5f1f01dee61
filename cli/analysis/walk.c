/* walk.c - statements, in the order in which they are executed. */
#include "walk_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* --- states --- */

static size_t state_bytes(const struct walk *walk)
{
    return (size_t)walk->n_cells * sizeof *walk->now.cells;
}

static struct state state_make(const struct walk *walk)
{
    struct state state = {.cells = calloc((size_t)walk->n_cells, sizeof *state.cells)};
    if (state.cells == NULL)
        exit(environment_error("out of memory"));
    return state;
}

struct state state_copy(const struct walk *walk, const struct state *from)
{
    struct state copy = state_make(walk);
    memcpy(copy.cells, from->cells, state_bytes(walk));
    copy.is_reachable = from->is_reachable;
    return copy;
}

void state_release(struct state *state)
{
    free(state->cells);
    state->cells = NULL;
}

bool state_join(const struct walk *walk, struct state *into, const struct state *from)
{
    if (!from->is_reachable)
        return false;
    if (!into->is_reachable) {
        memcpy(into->cells, from->cells, state_bytes(walk));
        into->is_reachable = true;
        return true;
    }
    bool changed = false;
    for (int i = 0; i < walk->n_cells; i++)
        changed |= tags_join(&into->cells[i], &from->cells[i]);
    return changed;
}

/* --- loops and switches --- */

static void enter(struct walk *walk, struct exits *exits, bool is_loop)
{
    *exits = (struct exits){
        .broken = state_make(walk), .continued = state_make(walk), .is_loop = is_loop, .outer = walk->exits};
    walk->exits = exits;
}

static void leave(struct walk *walk, struct exits *exits)
{
    walk->exits = exits->outer;
    state_join(walk, &walk->now, &exits->broken);
    state_release(&exits->broken);
    state_release(&exits->continued);
}

/* A jump to where the state `to` holds (NULL: out of a construct that is not known). */
static void jump(struct walk *walk, struct state *to)
{
    if (to != NULL)
        state_join(walk, to, &walk->now);
    if (!walk->is_loose)
        walk->now.is_reachable = false;
}

static struct exits *innermost_loop(const struct walk *walk)
{
    struct exits *exits = walk->exits;
    while (exits != NULL && !exits->is_loop)
        exits = exits->outer;
    return exits;
}

/* Walks a loop again and again, until what holds at the start of a round changes no more. What holds where the condition is
 * checked, at the start of a round or at its end, holds behind the loop. `step`, or NULL, is what comes after the body. */
static void repeat(struct walk *walk, const struct node *condition, bool is_checked_first, const struct node *body,
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
static void walk_any_loop(struct walk *walk, const struct node *node)
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

static void walk_switch(struct walk *walk, const struct node *node)
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

/* Whether memory can be reached from a parameter of that type. */
static bool leads_to_memory(const struct variable *variable)
{
    return variable->type == TYPE_POINTER || variable->type == TYPE_RECORD;
}

/* Everything may be written. */
static void mark_all(struct walk *walk, const char *text)
{
    for (int t = 0; t < walk->summary->n_tags; t++) {
        const struct tag *tag = &walk->summary->tags[t];
        if (tag->variable < 0 && leads_to_memory(&walk->body->variables[tag->param]))
            summary_mark(walk->analysis, walk->summary, t, WRITES_MAYBE, (struct cause){walk->body->place, text, NULL, 0});
    }
}

static void walk_if(struct walk *walk, const struct node *node)
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

static void walk_declaration(struct walk *walk, const struct node *node)
{
    if (node->child == NULL)
        return;
    /* As an assignment to it; a static variable's initializer is a constant. */
    struct tags value = value_of(walk, node->child);
    const struct variable *variable = &walk->body->variables[node->variable];
    if (variable->is_global)
        return;
    if (walk->is_loose || variable->type == TYPE_ARRAY || variable->type == TYPE_RECORD)
        tags_join(&walk->now.cells[node->variable], &value);
    else
        walk->now.cells[node->variable] = variable->type == TYPE_FLOATING ? (struct tags){0} : value;
    if (walk->escaped[node->variable])
        escape(walk, value, (struct cause){.place = node->place, .text = "its address is kept"});
}

static void walk_return(struct walk *walk, const struct node *node)
{
    if (node->child != NULL) {
        struct tags value = value_of(walk, node->child), locals = {0};
        for (int t = tags_next(&value, 0); t >= 0; t = tags_next(&value, t + 1))
            if (walk->summary->tags[t].variable >= 0)
                tags_put(&locals, t);
        struct tags held = reach(walk, locals); /* of local variables what they hold goes out */
        tags_join(&value, &held);
        for (int t = tags_next(&value, 0); t >= 0; t = tags_next(&value, t + 1))
            if (walk->summary->tags[t].variable < 0 && !tags_has(&walk->summary->returned, t)) {
                tags_put(&walk->summary->returned, t);
                walk->analysis->changed = true;
            }
    }
    if (!walk->is_loose)
        walk->now.is_reachable = false;
}

static void walk_assembler(struct walk *walk, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        walk_statement(walk, child);
    mark_all(walk, "there is assembler code");
}

static void walk_children(struct walk *walk, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        walk_statement(walk, child);
}

void walk_statement(struct walk *walk, const struct node *node)
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
}

/* --- bodies --- */

/* Whether control may go elsewhere than the statements say: goto, or a case inside a loop or a branch inside its switch. */
static bool has_jumps(const struct node *node, bool is_switch_body)
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

void walk_body(struct analysis *analysis, struct summary *summary)
{
    const struct body *body = summary->body;
    struct walk walk = {.analysis = analysis, .summary = summary, .body = body, .n_cells = body->n_variables + 1};
    enum { MOST_PARAMS = 60 }; /* two tags each, and room for their fields and for variables */
    if (body->broken != NULL || body->n_params > MOST_PARAMS) {
        mark_all(&walk, body->broken != NULL ? body->broken : "the function has too many parameters to follow");
        return;
    }
    walk.is_loose = has_jumps(body->root, false);
    walk.now = state_make(&walk);
    walk.now.is_reachable = true;
    walk.escaped = arena_take(analysis->arena, walk.n_cells, sizeof *walk.escaped);
    for (int i = 0; i < body->n_params; i++)
        if (leads_to_memory(&body->variables[i]))
            tags_put(&walk.now.cells[i], tag_of_param(analysis, summary, i, NULL));
    struct state before = state_copy(&walk, &walk.now);
    bool again;
    do { /* once, but for jumps and for addresses that turn out to have been kept */
        walk_statement(&walk, body->root);
        walk.now.is_reachable = true;
        again = state_join(&walk, &before, &walk.now) && walk.is_loose;
        state_join(&walk, &walk.now, &before);
    } while (again);
    state_release(&before);
    state_release(&walk.now);
}
