/* doc_marks.c - see doc_marks_internal.h. */
#include "doc_marks_internal.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* What becomes of a command. */
enum mark {
    DROP,      /* the word goes, the text stays */
    DROP_LINE, /* the line goes: a bracket around a listing, or a name we know already */
    TITLE,     /* replaced by `shown` */
    PARAM      /* [direction] NAME text: "NAME: text" */
};

static const struct command {
    const char *name;
    enum mark mark;
    const char *shown;
} commands[] = {
    {"brief", DROP, NULL},          {"short", DROP, NULL},
    {"details", DROP, NULL},        {"par", DROP, NULL},
    {"p", DROP, NULL},              {"c", DROP, NULL},
    {"a", DROP, NULL},              {"e", DROP, NULL},
    {"em", DROP, NULL},             {"b", DROP, NULL},
    {"ref", DROP, NULL},            {"li", TITLE, "-"},
    {"code", DROP_LINE, NULL},      {"endcode", DROP_LINE, NULL},
    {"verbatim", DROP_LINE, NULL},  {"endverbatim", DROP_LINE, NULL},
    {"fn", DROP_LINE, NULL},        {"ingroup", DROP_LINE, NULL},
    {"param", PARAM, NULL},         {"tparam", PARAM, NULL},
    {"retval", PARAM, NULL},        {"return", TITLE, "Returns:"},
    {"returns", TITLE, "Returns:"}, {"result", TITLE, "Returns:"},
    {"note", TITLE, "Note:"},       {"warning", TITLE, "Warning:"},
    {"attention", TITLE, "Attention:"}, {"pre", TITLE, "Before:"},
    {"post", TITLE, "After:"},      {"see", TITLE, "See:"},
    {"sa", TITLE, "See:"},          {"deprecated", TITLE, "Deprecated:"},
    {"since", TITLE, "Since:"},     {"todo", TITLE, "To do:"},
};

/* The command whose mark (@ or \) is at `at`, or NULL; *after: what follows its name. */
static const struct command *
find_command(const char *at, const char *line, const char **after)
{
    /* "user@host" and "C:\new" are none */
    if ((*at != '@' && *at != '\\') || (at > line && !isspace((unsigned char)at[-1]) && at[-1] != '('))
        return NULL;
    size_t length = 0;
    while (isalpha((unsigned char)at[1 + length]))
        length++;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strlen(commands[i].name) == length && strncmp(at + 1, commands[i].name, length) == 0) {
            *after = at + 1 + length;
            return &commands[i];
        }
    return NULL;
}

static const char *
skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* "[in,out] x the field" as "x (in, out): the field"; what is left from the returned place on is ordinary text. */
static const char *
write_param(struct text *out, const char *at, const char *end)
{
    at = skip_blanks(at, end);
    const char *direction = at + 1;
    const char *direction_end = at < end && *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
    if (direction_end != NULL)
        at = skip_blanks(direction_end + 1, end);
    const char *name = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    text_add_n(out, name, (size_t)(at - name));
    if (direction_end != NULL && strncmp(direction, "in]", 3) != 0)
        text_printf(out, " (%.*s)", (int)(direction_end - direction), direction);
    at = skip_blanks(at, end);
    if (at < end)
        text_add(out, ": ");
    return at;
}

/* One line. False: it goes altogether. */
static bool
write_line(struct text *out, const char *line, const char *end)
{
    const char *done = line;
    for (const char *at = line; at < end; at++) {
        const char *after;
        const struct command *command = find_command(at, line, &after);
        if (command == NULL)
            continue;
        if (command->mark == DROP_LINE)
            return false;
        text_add_n(out, done, (size_t)(at - done));
        if (command->mark == TITLE)
            text_add(out, command->shown);
        done = command->mark == PARAM ? write_param(out, after, end) : command->mark == DROP ? skip_blanks(after, end) : after;
        at = done > at ? done - 1 : at;
    }
    text_add_n(out, done, (size_t)(end - done));
    return true;
}

const char *
doc_marks_readable(struct arena *arena, const char *text)
{
    struct text out = {0};
    bool gap = false; /* an empty line waits until something follows it */
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        struct text shown = {0};
        bool kept = write_line(&shown, line, end);
        while (shown.length > 0 && shown.data[shown.length - 1] == ' ')
            shown.length--;
        if (kept && shown.length == 0) {
            gap = out.length > 0;
        } else if (kept) {
            if (out.length > 0)
                text_add(&out, gap ? "\n\n" : "\n");
            text_add_n(&out, shown.data, shown.length);
            gap = false;
        }
        text_release(&shown);
        line = end + 1;
    }
    const char *copy = out.length > 0 ? arena_copy_n(arena, out.data, out.length) : "";
    text_release(&out);
    return copy;
}
