/* analysis.c - the functions of a program, again and again until nothing new is found. */
#include "analysis_internal.h"

/* --- all functions --- */

static void start_summary(struct analysis *analysis, struct summary *summary, const struct body *body)
{
    struct arena *arena = analysis->arena;
    *summary = (struct summary){.body = body};
    summary->tags = arena_take(arena, MOST_TAGS, sizeof *summary->tags);
    summary->states = arena_take(arena, MOST_TAGS, sizeof *summary->states);
    summary->causes = arena_take(arena, MOST_TAGS, sizeof *summary->causes);
    summary->facts = arena_take(arena, body->n_params, sizeof *summary->facts);
    summary->changes = arena_take(arena, body->n_variables, sizeof *summary->changes);
    for (int i = 0; i < body->n_params; i++)
        summary->facts[i].proven_size = -1;
    for (int i = 0; i < body->n_params && 2 * i + 1 < MOST_TAGS; i++) {
        struct tags made = {0};
        tag_of_param(analysis, summary, i, NULL);
        put_deep_tag(analysis, summary, &made, i, NULL);
    }
}

static void start(struct analysis *analysis)
{
    const struct program *program = analysis->program;
    analysis->summaries = arena_take(analysis->arena, program->n_bodies, sizeof *analysis->summaries);
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
static void find_facts(struct analysis *analysis)
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

static void run(struct analysis *analysis)
{
    do {
        analysis->changed = false;
        for (int i = 0; i < analysis->program->n_bodies; i++)
            walk_body(analysis, &analysis->summaries[i]);
    } while (analysis->changed);
}

void analyse_program(const struct program *program, struct model *model)
{
    struct analysis analysis = {.program = program, .arena = model->arena};
    start(&analysis);
    run(&analysis);
    find_facts(&analysis);
    apply_analysis(&analysis, model);
}
