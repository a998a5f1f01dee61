/* report.c - what a function's own walk leaves open: what its callers might have done, and what numbers may be addresses of. */
#include "walk_internal.h"

static struct set_items
items_of(const struct walk *walk, set which)
{
    return set_items(&walk->analysis->sets, which);
}

/* Calls of what only callers know. */
static void
report_pending(struct walk *walk)
{
    struct summary *summary = walk->summary;
    for (int i = 0; i < summary->n_pending; i++) {
        const struct pending *pending = &summary->pending[i];
        struct call call = {.walk = walk,
                            .node = pending->node,
                            .type = pending->type,
                            .arguments = pending->arguments,
                            .n_arguments = pending->n_arguments,
                            .cause = pending->cause,
                            .most = WRITES_MAYBE};
        no_effect_known(&call, "passed to a function that a caller gives");
    }
}

static void
mark_maybe(struct walk *walk, set memory, const char *text)
{
    struct set_items items = items_of(walk, memory);
    for (int i = 0; i < items.n; i++) {
        const struct spot *spot = spot_at(walk, items.values[i]);
        struct cause cause = spot->exposed;
        if (cause.place.file == NULL)
            cause.place = walk->body->place;
        if (cause.text == NULL || text != NULL)
            cause.text = text != NULL ? text : "its address becomes a number";
        if (spot->is_external)
            summary_mark(walk->summary, items.values[i], WRITES_MAYBE, cause);
    }
}

/* Where addresses of parameters were stored in memory that outlives the call, somebody may write there later. */
static void
report_kept(struct walk *walk)
{
    for (int s = 0; s < walk->summary->spots.n; s++) {
        const struct spot *spot = spot_at(walk, s);
        if (!spot->is_external || spot->content == 0)
            continue;
        set kept = 0;
        int base = spot->base;
        struct set_items items = items_of(walk, spot->content);
        for (int i = 0; i < items.n; i++) {
            const struct spot *at = spot_at(walk, items.values[i]);
            if (spot_at(walk, at->base)->kind == SPOT_PARAM && at->base != base)
                kept = joined(walk, kept, set_single(&walk->analysis->sets, items.values[i]));
        }
        mark_maybe(walk, reach(walk, kept), "its address is stored in memory");
    }
}

void
walk_report(struct analysis *analysis, struct summary *summary)
{
    struct walk walk = {.analysis = analysis,
                        .summary = summary,
                        .body = summary->body,
                        .is_cell = summary->is_cell,
                        .is_copy = summary->is_copy};
    if (summary->body->broken != NULL)
        return;
    report_pending(&walk);
    report_kept(&walk);
    if (summary->writes_memory)
        mark_maybe(&walk, summary->exposed, NULL);
    if (summary->writes_wild)
        mark_maybe(&walk, summary->revealed, "its address may be known as a number");
}
