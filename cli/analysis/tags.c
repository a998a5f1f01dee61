/* tags.c - sets of tags, and the summaries that own them. */
#include <string.h>

#include "analysis_internal.h"

/* --- sets --- */

bool tags_is_empty(const struct tags *tags)
{
    for (int i = 0; i < TAG_WORDS; i++)
        if (tags->bits[i] != 0)
            return false;
    return true;
}

int tags_count(const struct tags *tags)
{
    int count = 0;
    for (int i = 0; i < TAG_WORDS; i++)
        count += __builtin_popcountll(tags->bits[i]);
    return count;
}

bool tags_has(const struct tags *tags, int tag)
{
    return tags->bits[tag / 64] >> tag % 64 & 1;
}

void tags_put(struct tags *tags, int tag)
{
    tags->bits[tag / 64] |= UINT64_C(1) << tag % 64;
}

bool tags_join(struct tags *into, const struct tags *from)
{
    uint64_t added = 0;
    for (int i = 0; i < TAG_WORDS; i++) {
        added |= from->bits[i] & ~into->bits[i];
        into->bits[i] |= from->bits[i];
    }
    return added != 0;
}

int tags_next(const struct tags *tags, int from)
{
    for (int word = from / 64; word < TAG_WORDS; word++) {
        uint64_t rest = tags->bits[word];
        if (word == from / 64)
            rest &= ~UINT64_C(0) << from % 64;
        if (rest != 0)
            return 64 * word + __builtin_ctzll(rest);
    }
    return -1;
}

/* --- what they stand for --- */

static bool same_tag(const struct tag *a, const struct tag *b)
{
    bool same_field = a->field == b->field || (a->field != NULL && b->field != NULL && strcmp(a->field, b->field) == 0);
    return a->variable == b->variable && a->param == b->param && a->is_deep == b->is_deep && same_field;
}

/* -1 where there is no room. */
static int find_or_make(struct analysis *analysis, struct summary *summary, struct tag tag)
{
    for (int i = 0; i < summary->n_tags; i++)
        if (same_tag(&summary->tags[i], &tag))
            return i;
    if (summary->n_tags == MOST_TAGS)
        return -1;
    summary->tags[summary->n_tags] = tag;
    analysis->changed = true;
    return summary->n_tags++;
}

static int find_or_share(struct analysis *analysis, struct summary *summary, int param, const char *field, bool is_deep)
{
    int tag = find_or_make(analysis, summary, (struct tag){-1, param, field, is_deep});
    if (tag < 0) /* all fields are one then; these tags were made first */
        tag = find_or_make(analysis, summary, (struct tag){-1, param, NULL, is_deep});
    return tag;
}

int tag_of_param(struct analysis *analysis, struct summary *summary, int param, const char *field)
{
    return find_or_share(analysis, summary, param, field, false);
}

void put_deep_tag(struct analysis *analysis, struct summary *summary, struct tags *tags, int param, const char *field)
{
    if (!summary->body->variables[param].is_flat)
        tags_put(tags, find_or_share(analysis, summary, param, field, true));
}

/* Where there is no room for each variable, the last tag is that of the variable `n_variables`, which stands for them all. */
int tag_of_variable(struct analysis *analysis, struct summary *summary, int variable)
{
    enum { ROOM_FOR_FIELDS = 64 };
    int n = summary->body->n_variables;
    if (summary->n_tags < MOST_TAGS - ROOM_FOR_FIELDS)
        return find_or_make(analysis, summary, (struct tag){variable, -1, NULL, false});
    for (int i = 0; i < summary->n_tags; i++)
        if (summary->tags[i].variable == variable)
            return i;
    return find_or_make(analysis, summary, (struct tag){n, -1, NULL, false});
}

/* --- summaries --- */

void summary_mark(struct analysis *analysis, struct summary *summary, int tag, enum model_writes state, struct cause cause)
{
    static const int strength[] = {[WRITES_NO] = 0, [WRITES_MAYBE] = 1, [WRITES_YES] = 2};
    if (strength[state] <= strength[summary->states[tag]])
        return;
    summary->states[tag] = state;
    summary->causes[tag] = cause;
    analysis->changed = true;
}

const struct summary *find_summary(const struct analysis *analysis, const struct called *called, const struct summary *after)
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

const struct summary *only_summary(const struct analysis *analysis, const struct called *called)
{
    const struct summary *summary = called != NULL ? find_summary(analysis, called, NULL) : NULL;
    return summary != NULL && find_summary(analysis, called, summary) == NULL ? summary : NULL;
}
