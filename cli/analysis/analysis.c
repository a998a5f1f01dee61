/* analysis.c - the functions of a program, again and again until nothing new is found. */
#include "analysis_internal.h"

#include <string.h>

/* --- all functions --- */

void
summary_mark(struct summary *summary, int spot, enum model_writes state, struct cause cause)
{
    static const int strength[] = {[WRITES_NO] = 0, [WRITES_MAYBE] = 1, [WRITES_YES] = 2};
    struct spot *at = &summary->spots.items[spot];
    if (strength[state] <= strength[at->state])
        return;
    at->state = state;
    at->cause = cause;
    summary->changed = true;
}

int
number_of_name(struct analysis *analysis, const char *name)
{
    int known = names_add(analysis->arena, &analysis->numbers, name, analysis->n_known_names);
    if (known >= 0)
        return known;
    *ARENA_PUSH(analysis->arena, analysis->known_names, analysis->n_known_names) = name;
    return analysis->n_known_names - 1;
}

const struct summary *
find_summary(const struct analysis *analysis, const struct called *called, const struct summary *after)
{
    const struct summary *summary;
    if (called->name == NULL)
        return NULL;
    if (after != NULL) {
        summary = after->next;
    } else {
        int first = names_find(&analysis->names, called->name);
        summary = first >= 0 ? &analysis->summaries[first] : NULL;
    }
    for (; summary != NULL; summary = summary->next) {
        const char *unit = summary->body->unit;
        if (called->unit == NULL ? unit == NULL : unit != NULL && strcmp(unit, called->unit) == 0)
            return summary;
    }
    return NULL;
}

const struct summary *
only_summary(const struct analysis *analysis, const struct called *called)
{
    if (called == NULL || called->is_replaceable)
        return NULL;
    const struct summary *summary = find_summary(analysis, called, NULL);
    return summary != NULL && find_summary(analysis, called, summary) == NULL ? summary : NULL;
}

static void
start_summary(struct analysis *analysis, struct summary *summary, const struct body *body)
{
    struct arena *arena = analysis->arena;
    *summary = (struct summary){.body = body};
    spots_init(arena, &summary->spots);
    summary->is_cell = arena_take(arena, (size_t)body->n_variables + 1, sizeof *summary->is_cell);
    summary->is_copy = arena_take(arena, (size_t)body->n_params + 1, sizeof *summary->is_copy);
    summary->facts = arena_take(arena, (size_t)body->n_params + 1, sizeof *summary->facts);
    summary->changes = arena_take(arena, (size_t)body->n_variables + 1, sizeof *summary->changes);
    for (int i = 0; i < body->n_params; i++)
        summary->facts[i].proven_size = -1;
}

static void
start(struct analysis *analysis)
{
    const struct program *program = analysis->program;
    analysis->summaries = arena_take(analysis->arena, (size_t)program->n_bodies + 1, sizeof *analysis->summaries);
    for (int i = 0; i < program->n_bodies; i++) {
        struct summary *summary = &analysis->summaries[i];
        start_summary(analysis, summary, &program->bodies[i]);
        int first = names_add(analysis->arena, &analysis->names, summary->body->name, i);
        if (first >= 0) {
            summary->next = analysis->summaries[first].next;
            analysis->summaries[first].next = summary;
        }
    }
}

/* Facts only grow, and what is said of a callee is said of it alone, so that starting from nothing is right. */
static void
find_facts(struct analysis *analysis)
{
    bool changed;
    for (int i = 0; i < analysis->program->n_bodies; i++) {
        struct summary *summary = &analysis->summaries[i];
        if (summary->body->broken == NULL) {
            count_changes(summary->body->root, summary->changes);
            uses_find(summary);
        }
    }
    do {
        changed = false;
        for (int i = 0; i < analysis->program->n_bodies; i++) {
            struct summary *summary = &analysis->summaries[i];
            if (summary->body->broken != NULL)
                continue;
            changed = shapes_find(analysis, summary) || changed;
            changed = cover_find(analysis, summary) || changed;
        }
    } while (changed);
}

/* Callees first; who calls one that has changed, waits for another round. */
static void
run(struct analysis *analysis)
{
    int n = analysis->program->n_bodies;
    bool again;
    for (int i = 0; i < n; i++)
        analysis->summaries[i].is_waiting = true;
    do {
        again = false;
        for (int i = 0; i < n; i++) {
            struct summary *summary = &analysis->summaries[analysis->order[i]];
            if (!summary->is_waiting)
                continue;
            summary->is_waiting = summary->changed = false;
            walk_body(analysis, summary);
            for (int k = 0; summary->changed && k < summary->n_callers; k++) {
                analysis->summaries[summary->callers[k]].is_waiting = true;
                again = true;
            }
        }
    } while (again);
}

void
analyse_program(const struct program *program, struct model *model)
{
    struct analysis analysis = {.program = program, .arena = model->arena};
    sets_init(&analysis.sets, model->arena);
    start(&analysis);
    order_find(&analysis);
    run(&analysis);
    for (int i = 0; i < program->n_bodies; i++)
        walk_report(&analysis, &analysis.summaries[i]);
    find_facts(&analysis);
    apply_analysis(&analysis, model);
    sets_release(&analysis.sets);
}
