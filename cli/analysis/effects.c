/* effects.c - what a callee's summary means for its caller. */
#include <stdlib.h>

#include "base/diag.h"
#include "walk_internal.h"

/* A summary in terms of a caller: what each of its spots is there. */
struct translation {
    const struct call *call;
    const struct summary *callee;
    set *spots;
};

static set
translated(const struct translation *translation, set from)
{
    struct walk *walk = translation->call->walk;
    struct set_items items = set_items(&walk->analysis->sets, from);
    set to = 0;
    for (int i = 0; i < items.n; i++)
        to = joined(walk, to, translation->spots[items.values[i]]);
    return to;
}

static set
fields_like(struct walk *walk, set memory, const struct spot *field)
{
    struct set_items items = set_items(&walk->analysis->sets, memory);
    set all = 0;
    for (int i = 0; i < items.n; i++)
        all = joined(walk, all, field_of(walk, items.values[i], field->index, field->is_array));
    return all;
}

static set
translate_spot(const struct translation *translation, int number)
{
    const struct call *call = translation->call;
    struct walk *walk = call->walk;
    const struct spot *spot = &translation->callee->spots.items[number];
    set parent = spot->parent >= 0 ? translation->spots[spot->parent] : 0;
    switch (spot->kind) {
    case SPOT_WILD:
    case SPOT_ANY:
        return set_single(&walk->analysis->sets, number);
    case SPOT_PARAM: {
        set memory = spot->index < call->n_arguments ? call->arguments[spot->index] : 0;
        return spot->is_moved ? moved(walk, memory, true) : memory;
    }
    case SPOT_GLOBAL:
        return spot_of_global(walk, spot->index, spot->is_constant);
    case SPOT_LOCAL:
        return 0;
    case SPOT_SITE:
        return spot_base(walk, SPOT_SITE, 0, call->node);
    case SPOT_FUNCTION:
        return spot_of_function(walk, spot->function);
    case SPOT_FIELD:
        return fields_like(walk, parent, spot);
    case SPOT_BEHIND:
        return load(walk, parent, false);
    case SPOT_BELOW:
        return reach(walk, load(walk, parent, false));
    }
    return 0;
}

static void
apply_contents(const struct translation *translation)
{
    struct walk *walk = translation->call->walk;
    for (int s = 0; s < translation->callee->spots.n; s++) {
        const struct spot *spot = &translation->callee->spots.items[s];
        if (translation->spots[s] == 0)
            continue;
        keep(walk, translation->spots[s], translated(translation, spot->content));
        copy_structure(walk, translation->spots[s], translated(translation, spot->copies));
    }
}

static void
apply_writes(const struct translation *translation)
{
    const struct call *call = translation->call;
    struct walk *walk = call->walk;
    const struct summary *callee = translation->callee;
    for (int s = 0; s < callee->spots.n; s++) {
        enum model_writes state = callee->spots.items[s].state;
        if (state == WRITES_NO || translation->spots[s] == 0)
            continue;
        struct cause cause = call->cause;
        cause.callee = callee;
        cause.callee_spot = s;
        write_to(walk, translation->spots[s], call->most == WRITES_MAYBE ? WRITES_MAYBE : state, cause);
    }
    if (callee->writes_memory && !walk->summary->writes_memory)
        walk->summary->writes_memory = walk->summary->changed = true;
    if (callee->writes_wild && !walk->summary->writes_wild)
        walk->summary->writes_wild = walk->summary->changed = true;
}

static void
apply_pending(const struct translation *translation)
{
    const struct call *call = translation->call;
    for (int i = 0; i < translation->callee->n_pending; i++) {
        const struct pending *pending = &translation->callee->pending[i];
        set *arguments = calloc((size_t)pending->n_arguments + 1, sizeof *arguments);
        if (arguments == NULL)
            exit(environment_error("out of memory"));
        for (int k = 0; k < pending->n_arguments; k++)
            arguments[k] = translated(translation, pending->arguments[k]);
        struct call later = {.walk = call->walk,
                             .node = pending->node,
                             .type = pending->type,
                             .arguments = arguments,
                             .n_arguments = pending->n_arguments,
                             .cause = call->cause,
                             .most = call->most,
                             .depth = call->depth + 1};
        if (later.depth <= DEEPEST_PENDING)
            call_any(&later, translated(translation, pending->callee));
        else
            no_effect_known(&later, "passed to a function that was passed on");
        free(arguments);
    }
}

set
call_of_body(const struct call *call, const struct summary *summary)
{
    struct walk *walk = call->walk;
    int n = summary->spots.n; /* it may grow, where the function calls itself */
    struct translation translation = {.call = call, .callee = summary, .spots = calloc((size_t)n, sizeof(set))};
    if (translation.spots == NULL)
        exit(environment_error("out of memory"));
    for (int s = 0; s < n; s++)
        translation.spots[s] = translate_spot(&translation, s);
    if (summary == walk->summary && summary->spots.n > n) { /* the new ones mean nothing yet: the body is walked again */
        set *more = calloc((size_t)summary->spots.n, sizeof(set));
        if (more == NULL)
            exit(environment_error("out of memory"));
        for (int s = 0; s < n; s++)
            more[s] = translation.spots[s];
        free(translation.spots);
        translation.spots = more;
    }
    struct translation *all = &translation;
    apply_contents(all);
    apply_writes(all);
    expose(walk, translated(all, summary->exposed), call->cause);
    reveal(walk, translated(all, summary->revealed));
    load(walk, translated(all, summary->peeked), true);
    apply_pending(all);
    for (int i = summary->body->n_params; i < call->n_arguments; i++) { /* va_arg */
        struct cause cause = call->cause;
        cause.text = "passed behind the named parameters";
        give_away(walk, call->arguments[i], cause);
    }
    set result = translated(all, summary->returned);
    free(translation.spots);
    return result;
}
