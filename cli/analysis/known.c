/* known.c - calls of functions of libraries, by the program's table. */
#include <string.h>

#include "walk_internal.h"

/* --- the table --- */

/* Whether the pattern, which ends where `end` is, is one for that name. One * at most. */
static bool
matches(const char *pattern, const char *end, const char *name)
{
    for (; pattern < end && *pattern != '*'; pattern++, name++)
        if (*name == '\0' || (*pattern == '?' ? strchr("sdcz", *name) == NULL : *pattern != *name))
            return false;
    if (pattern == end)
        return *name == '\0';
    size_t rest = (size_t)(end - pattern - 1), length = strlen(name);
    return length >= rest && memcmp(name + length - rest, pattern + 1, rest) == 0;
}

static bool
has_name(const struct library_row *row, const char *name)
{
    for (const char *at = row->names; *at != '\0'; at += strspn(at, " ")) {
        const char *end = at + strcspn(at, " ");
        if (matches(at, end, name))
            return true;
        at = end;
    }
    return false;
}

static const struct library_row *
find_row(const struct analysis *analysis, const char *name)
{
    for (int i = 0; i < analysis->program->n_library; i++)
        if (has_name(&analysis->program->library[i], name))
            return &analysis->program->library[i];
    return NULL;
}

static char
letter_of(const struct library_row *row, int position)
{
    size_t n = strlen(row->arguments), at = (size_t)position < n ? (size_t)position : n - 1;
    return row->arguments[at];
}

/* --- formats --- */

/* Whether the format is a plain string without %n, whatever is between the two. */
static bool
prints_only(const struct call *call)
{
    int position = 0, wanted = call->type != NULL ? call->type->n_params - 1 : 0;
    for (const struct node *node = call->node->child->next; node != NULL; node = node->next, position++) {
        if (position != wanted)
            continue;
        if (node->kind != NODE_OPAQUE || node->name == NULL)
            return false;
        for (const char *at = strchr(node->name, '%'); at != NULL; at = strchr(at + 1, '%')) {
            at += 1 + strspn(at + 1, "0123456789.*$'-+ #IhlqLjzZtw");
            if (*at == 'n' || *at == '\0' || *at == '\\')
                return false;
        }
        return true;
    }
    return false;
}

/* --- effects --- */

static void
as_type_tells(const struct call *call, int i, struct cause cause)
{
    struct walk *walk = call->walk;
    bool is_named = call->type != NULL && i < call->type->n_params;
    set given = call->arguments[i];
    if (!is_named) {
        give_away(walk, given, cause);
    } else if (call->type->may_write[i] && call->type->is_flat[i]) {
        cause.text = call->cause.text;
        write_to(walk, moved(walk, given, false), call->most, cause);
    } else if (call->type->may_write[i]) {
        give_away(walk, given, cause);
    }
}

static void
call_functions(const struct call *call)
{
    struct walk *walk = call->walk;
    set all = 0;
    for (int i = 0; i < call->n_arguments; i++)
        all = set_join(&walk->analysis->sets, all, call->arguments[i]);
    all = reach(walk, all);
    struct set_items items = set_items(&walk->analysis->sets, all);
    for (int i = 0; i < items.n; i++) {
        const struct spot *spot = spot_at(walk, items.values[i]);
        if (spot->kind == SPOT_FUNCTION)
            call_back(call, spot->function, all);
    }
}

static void
apply_argument(const struct call *call, int i, char letter, const char *text)
{
    struct walk *walk = call->walk;
    set memory = call->arguments[i];
    struct cause unknown = call->cause;
    unknown.text = text;
    switch (letter) {
    case 'w':
    case 'k':
    case 'n':
        memory = moved(walk, memory, false);
        write_to(walk, memory, call->most, call->cause);
        if (letter == 'k')
            keep(walk, memory, call->arguments[0]);
        else if (letter == 'n')
            keep(walk, memory, spot_base(walk, SPOT_SITE, 2, call->node));
        break;
    case 'a':
        give_away(walk, memory, unknown);
        break;
    case 't':
        as_type_tells(call, i, unknown);
        break;
    case 'f':
        call_functions(call);
        break;
    default:
        break;
    }
}

static set
result_of(const struct call *call, char result)
{
    struct walk *walk = call->walk;
    set new = spot_base(walk, SPOT_SITE, 2, call->node);
    switch (result) {
    case 'm':
        return new;
    case 'b':
        if (call->n_arguments > 0)
            copy_structure(walk, new, call->arguments[0]);
        return call->n_arguments > 0 ? joined(walk, new, call->arguments[0]) : new;
    case '.':
        return 0;
    default:
        return result - '0' < call->n_arguments ? call->arguments[result - '0'] : 0;
    }
}

bool
call_of_library(const struct call *call, const char *name, set *result)
{
    struct walk *walk = call->walk;
    const struct library_row *row = find_row(walk->analysis, name);
    if (row == NULL)
        return false;
    const char *text = arena_printf(walk->analysis->arena, "passed to '%s', which may write there", name);
    bool is_plain = row->extra != LIBRARY_PRINTS || prints_only(call);
    for (int i = 0; i < call->n_arguments; i++) {
        bool is_named = call->type != NULL && i < call->type->n_params;
        char letter = letter_of(row, i);
        if (row->extra == LIBRARY_SCANS && !is_named) {
            letter = 'w';
            keep(walk, call->arguments[i], spot_base(walk, SPOT_WILD, 0, NULL)); /* %p */
        } else if (row->extra == LIBRARY_PRINTS && !is_named) {
            letter = is_plain ? 'r' : 'a';
            reveal(walk, call->arguments[i]);
        }
        apply_argument(call, i, letter, text);
    }
    if (row->extra == LIBRARY_COPIES && call->n_arguments >= 2) {
        set from = moved(walk, call->arguments[1], false), to = moved(walk, call->arguments[0], false);
        copy_structure(walk, to, from);
    }
    *result = result_of(call, row->result);
    return true;
}
