/* memory.c - what is where: loads, stores, and what addresses turn into when they become numbers. */
#include "walk_internal.h"

enum { UNION_FIELD = -2 };

/* --- spots --- */

set
joined(struct walk *walk, set a, set b)
{
    return set_join(&walk->analysis->sets, a, b);
}

static struct set_items
items_of(const struct walk *walk, set which)
{
    return set_items(&walk->analysis->sets, which);
}

struct spot *
spot_at(const struct walk *walk, int spot)
{
    return &walk->summary->spots.items[spot];
}

static set
single(struct walk *walk, int spot)
{
    return set_single(&walk->analysis->sets, spot);
}

static int
find(struct walk *walk, struct spot wanted)
{
    bool is_new;
    int spot = spots_find(walk->analysis->arena, &walk->summary->spots, wanted, &is_new);
    walk->summary->changed |= is_new;
    return spot;
}

set
spot_base(struct walk *walk, enum spot_kind kind, int index, const void *key)
{
    bool is_external = kind == SPOT_PARAM || kind == SPOT_GLOBAL;
    struct spot wanted = {.kind = kind, .index = index, .key = key, .parent = -1, .is_external = is_external};
    return single(walk, find(walk, wanted));
}

/* One number for all global variables of that name and unit. */
static int
number_of_global(struct walk *walk, const struct variable *variable)
{
    struct arena *arena = walk->analysis->arena;
    const char *name = arena_printf(arena, "%s %s", variable->unit != NULL ? variable->unit : "", variable->name);
    return number_of_name(walk->analysis, name);
}

set
spot_of_global(struct walk *walk, int number, bool is_constant)
{
    return single(walk, find(walk, (struct spot){.kind = SPOT_GLOBAL,
                                                 .index = number,
                                                 .parent = -1,
                                                 .is_external = true,
                                                 .is_constant = is_constant}));
}

set
spot_of_variable(struct walk *walk, int number)
{
    const struct variable *variable = &walk->body->variables[number];
    if (variable->is_global)
        return spot_of_global(walk, number_of_global(walk, variable), variable->is_constant);
    if (variable->param >= 0 && walk->is_copy[variable->param])
        return spot_base(walk, SPOT_PARAM, variable->param, NULL);
    return spot_base(walk, SPOT_LOCAL, number, NULL);
}

set
spot_of_function(struct walk *walk, const struct called *function)
{
    const char *name = arena_printf(walk->analysis->arena, "%s()%s", function->name, function->unit != NULL ? function->unit : "");
    set found = spot_base(walk, SPOT_FUNCTION, number_of_name(walk->analysis, name), NULL);
    spot_at(walk, items_of(walk, found).values[0])->function = function;
    return found;
}

static int
part_of(struct walk *walk, int parent, enum spot_kind kind, int index)
{
    return parent == WILD || parent == ANY || spot_at(walk, parent)->kind == SPOT_FUNCTION
               ? parent
               : find(walk, (struct spot){.kind = kind, .index = index, .parent = parent});
}

set
field_of(struct walk *walk, int spot, int number, bool is_array)
{
    bool is_in_union = spot_at(walk, spot)->kind == SPOT_FIELD && spot_at(walk, spot)->index == UNION_FIELD;
    int field = is_in_union ? spot : part_of(walk, spot, SPOT_FIELD, number);
    if (field != spot)
        spot_at(walk, field)->is_array |= is_array;
    return single(walk, field);
}

set
fields_of(struct walk *walk, set memory, const char *name, bool is_array)
{
    set fields = 0;
    int number = name != NULL ? number_of_name(walk->analysis, name) : UNION_FIELD;
    for (int i = 0; i < items_of(walk, memory).n; i++)
        fields = joined(walk, fields, field_of(walk, items_of(walk, memory).values[i], number, is_array));
    return fields;
}

set
moved(struct walk *walk, set memory, bool is_backward)
{
    set result = 0;
    for (int i = 0; i < items_of(walk, memory).n; i++) {
        int spot = items_of(walk, memory).values[i];
        struct spot *at = spot_at(walk, spot);
        if (!at->is_moved) {
            at->is_moved = true;
            walk->summary->changed = true;
        }
        if (at->kind == SPOT_FIELD && (is_backward || !at->is_array))
            while (spot_at(walk, spot)->kind == SPOT_FIELD)
                spot = spot_at(walk, spot)->parent;
        result = joined(walk, result, single(walk, spot));
    }
    return result;
}

/* --- what they hold --- */

static void
grow(struct walk *walk, set *into, set more)
{
    set both = joined(walk, *into, more);
    walk->summary->changed |= both != *into;
    *into = both;
}

/* What was stored in the spot, in its fields, and theirs. Fields are no deeper than spots_internal.h says. */
static set
content_of(struct walk *walk, int spot)
{
    set content = spot_at(walk, spot)->content;
    for (int field = spot_at(walk, spot)->first_field; field >= 0; field = spot_at(walk, field)->next_field)
        content = joined(walk, content, content_of(walk, field));
    return content;
}

/* The same, and what was stored in structures that it is a field of. */
static set
content_around(struct walk *walk, int spot)
{
    set content = content_of(walk, spot);
    while (spot_at(walk, spot)->kind == SPOT_FIELD) {
        spot = spot_at(walk, spot)->parent;
        content = joined(walk, content, spot_at(walk, spot)->content);
    }
    return content;
}

/* Where the spot's content comes from if a structure around it was copied: the same field there. */
static set
sources_of(struct walk *walk, int spot)
{
    int path[16], n = 0;
    set sources = 0;
    for (int around = spot;; around = spot_at(walk, around)->parent) {
        set copies = spot_at(walk, around)->copies;
        if (n == 0)
            sources = joined(walk, sources, copies);
        for (int i = 0; n > 0 && i < items_of(walk, copies).n; i++) {
            int source = items_of(walk, copies).values[i];
            for (int k = n - 1; k >= 0; k--)
                source = part_of(walk, source, SPOT_FIELD, path[k]);
            if (!set_has(&walk->analysis->sets, sources, source))
                sources = joined(walk, sources, single(walk, source));
        }
        if (spot_at(walk, around)->kind != SPOT_FIELD || n == 16)
            break;
        path[n++] = spot_at(walk, around)->index;
    }
    for (int field = spot_at(walk, spot)->first_field; field >= 0; field = spot_at(walk, field)->next_field)
        sources = joined(walk, sources, spot_at(walk, field)->copies);
    return sources;
}

static set
load_pointer(struct walk *walk, int spot)
{
    enum spot_kind kind = spot_at(walk, spot)->kind;
    set loaded = content_around(walk, spot);
    if (kind == SPOT_WILD || kind == SPOT_ANY || kind == SPOT_FUNCTION || kind == SPOT_BELOW)
        return joined(walk, loaded, single(walk, spot));
    if (spot_at(walk, spot)->is_external && !spot_at(walk, spot)->is_constant)
        loaded = joined(walk, loaded, single(walk, part_of(walk, spot, SPOT_BEHIND, 0)));
    return loaded;
}

static set
load_number(struct walk *walk, int spot)
{
    const struct spot *at = spot_at(walk, spot);
    bool is_own = at->kind == SPOT_FIELD && at->index != UNION_FIELD;
    set content = is_own ? content_of(walk, spot) : content_around(walk, spot);
    grow(walk, &walk->summary->peeked, single(walk, spot));
    content = set_without(&walk->analysis->sets, content, WILD);
    if (content != 0)
        expose(walk, content, (struct cause){walk->body->place, "its address is read as numbers", NULL, 0});
    return content;
}

set
load(struct walk *walk, set memory, bool reads_number)
{
    set loaded = 0, done = 0, all = memory;
    while (done != all) { /* what was copied comes from elsewhere */
        struct set_items items = items_of(walk, all);
        set before = done;
        done = all;
        for (int i = 0; i < items.n; i++) {
            int spot = items.values[i];
            if (set_has(&walk->analysis->sets, before, spot))
                continue;
            loaded = joined(walk, loaded, reads_number ? load_number(walk, spot) : load_pointer(walk, spot));
            all = joined(walk, all, sources_of(walk, spot));
        }
    }
    return loaded;
}

void
copy_structure(struct walk *walk, set memory, set source)
{
    for (int i = 0; i < items_of(walk, memory).n; i++) {
        int spot = items_of(walk, memory).values[i];
        if (spot_at(walk, spot)->kind != SPOT_FUNCTION)
            grow(walk, &spot_at(walk, spot)->copies, source);
    }
}

void
keep(struct walk *walk, set memory, set value)
{
    if (value == 0)
        return;
    for (int i = 0; i < items_of(walk, memory).n; i++) {
        struct spot *spot = spot_at(walk, items_of(walk, memory).values[i]);
        if (spot->kind != SPOT_FUNCTION)
            grow(walk, &spot->content, value);
    }
}

/* --- writes --- */

static bool
is_visible(const struct walk *walk, int number)
{
    const struct spot *spot = spot_at(walk, number), *base = spot_at(walk, spot->base);
    if (!spot->is_external)
        return false;
    bool is_copy = base->kind == SPOT_PARAM && base->index < walk->body->n_params && walk->is_copy[base->index];
    if (!is_copy)
        return true;
    while (spot->parent >= 0 && spot->kind == SPOT_FIELD)
        spot = spot_at(walk, spot->parent);
    return spot != base;
}

void
write_to(struct walk *walk, set memory, enum model_writes state, struct cause cause)
{
    struct set_items items = items_of(walk, memory);
    struct summary *summary = walk->summary;
    int n_pieces = 0;
    for (int i = 0; i < items.n; i++)
        n_pieces += items.values[i] != WILD;
    if (n_pieces > 1)
        state = WRITES_MAYBE;
    if (!summary->writes_memory)
        summary->writes_memory = summary->changed = true;
    for (int i = 0; i < items.n; i++) {
        int spot = items.values[i];
        bool is_part = spot_at(walk, spot)->kind == SPOT_BELOW;
        if ((spot == WILD || spot == ANY) && !summary->writes_wild)
            summary->writes_wild = summary->changed = true;
        if (spot == ANY)
            mark_all(summary, "there is too much memory to tell apart");
        else if (is_visible(walk, spot))
            summary_mark(summary, spot, is_part ? WRITES_MAYBE : state, cause);
    }
}

void
store_to(struct walk *walk, set memory, set value, struct cause cause)
{
    write_to(walk, memory, WRITES_YES, cause);
    keep(walk, memory, value);
}

void
expose(struct walk *walk, set memory, struct cause cause)
{
    struct set_items items = items_of(walk, memory);
    for (int i = 0; i < items.n; i++) {
        struct spot *spot = spot_at(walk, items.values[i]);
        if (spot->exposed.text == NULL)
            spot->exposed = cause;
    }
    grow(walk, &walk->summary->exposed, memory);
}

void
reveal(struct walk *walk, set memory)
{
    grow(walk, &walk->summary->revealed, memory);
}

set
reach(struct walk *walk, set from)
{
    set all = from, done = 0;
    while (done != all) {
        struct set_items items = items_of(walk, all);
        set before = done;
        done = all;
        for (int i = 0; i < items.n; i++) {
            int spot = items.values[i];
            if (set_has(&walk->analysis->sets, before, spot))
                continue;
            const struct spot *at = spot_at(walk, spot);
            bool has_more = at->is_external && !at->is_constant && at->kind != SPOT_BELOW;
            all = joined(walk, all, joined(walk, content_around(walk, spot), sources_of(walk, spot)));
            if (has_more)
                all = joined(walk, all, single(walk, part_of(walk, spot, SPOT_BELOW, 0)));
        }
    }
    return all;
}

bool
is_number_variable(const struct walk *walk, const struct spot *spot)
{
    if (spot->kind != SPOT_LOCAL || spot->index >= walk->body->n_variables)
        return false;
    enum node_type type = walk->body->variables[spot->index].type;
    return type == TYPE_INTEGER || type == TYPE_FLOATING;
}

void
give_away(struct walk *walk, set memory, struct cause cause)
{
    set all = reach(walk, memory);
    if (!set_has(&walk->analysis->sets, memory, WILD)) /* numbers that can be reached are taken for numbers */
        all = set_without(&walk->analysis->sets, all, WILD);
    write_to(walk, all, WRITES_MAYBE, cause);
    keep(walk, single(walk, WILD), all);
    expose(walk, all, cause);
    set anything = joined(walk, all, single(walk, WILD));
    for (int i = 0; i < items_of(walk, all).n; i++) { /* whatever can be reached may be stored wherever that is */
        struct spot *spot = spot_at(walk, items_of(walk, all).values[i]);
        if (spot->kind != SPOT_FUNCTION && !is_number_variable(walk, spot))
            grow(walk, &spot->content, anything);
    }
}
