/* show.c - see show.h. */
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool with_source, with_color, is_set;

bool
show_set_color(const char *when)
{
    bool always = when != NULL && strcmp(when, "always") == 0, never = when != NULL && strcmp(when, "never") == 0;
    if (when != NULL && !always && !never && strcmp(when, "auto") != 0)
        return false;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool is_plain = (no_color != NULL && *no_color != '\0') || (terminal != NULL && strcmp(terminal, "dumb") == 0);
    with_source = !never && (always || isatty(STDERR_FILENO));
    with_color = with_source && (always || !is_plain);
    is_set = true;
    return true;
}

/* Control sequences (ECMA-48): what clang and cargo use, too. */
#define BOLD "\033[1m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"
static const struct {
    const char *name, *color;
} severities[] = {
    [SEVERITY_NOTE] = {"note", "\033[1;36m"},
    [SEVERITY_WARNING] = {"warning", "\033[1;35m"},
    [SEVERITY_ERROR] = {"error", "\033[1;31m"},
};

static const char *
color(const char *sequence)
{
    return with_color ? sequence : "";
}

static void
show_place(const struct place *place)
{
    if (place->file == NULL)
        fputs("pkwrap:", stderr);
    else
        fprintf(stderr, "%s:", place->file);
    if (place->file != NULL && place->line > 0)
        fprintf(stderr, "%d:", place->line);
    if (place->file != NULL && place->line > 0 && place->column > 0)
        fprintf(stderr, "%d:", place->column);
}

enum { LONGEST_LINE = 160 };

/* Line `number` of a file without its end, if it can be shown: read, not too long, no control characters but tabs. */
static bool
read_line(const char *path, int number, char line[LONGEST_LINE + 1])
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    int at = 1, length = 0, c;
    while (at < number && (c = getc(file)) != EOF)
        at += c == '\n';
    bool shown = at == number;
    while (shown && (c = getc(file)) != EOF && c != '\n') {
        shown = length < LONGEST_LINE && ((unsigned char)c >= ' ' || c == '\t' || c == '\r') && c != 0x7f;
        if (shown)
            line[length++] = (char)c;
    }
    fclose(file);
    while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    line[length] = '\0';
    return shown && length > 0;
}

/* The line of the place, and below it a caret at its column: that counts characters, as a manifest's places do. (libclang's
 * count bytes: beyond letters that are not ASCII the caret stands too far to the right.) */
static void
show_source(const struct place *place)
{
    char line[LONGEST_LINE + 1];
    if (place->file == NULL || place->line < 1 || place->column < 1 || !read_line(place->file, place->line, line)
        || (size_t)place->column > strlen(line) + 1)
        return;
    fprintf(stderr, "%5d | %s\n      | ", place->line, line);
    for (int i = 0, column = 1; column < place->column && line[i] != '\0'; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80) { /* one column for a character of several bytes */
            putc(line[i] == '\t' ? '\t' : ' ', stderr);
            column++;
        }
    fprintf(stderr, "%s^%s\n", color(GREEN), color(PLAIN));
}

void
show_finding(const struct finding *finding)
{
    if (!is_set)
        show_set_color(NULL);
    fputs(color(BOLD), stderr);
    show_place(&finding->place);
    fprintf(stderr, "%s %s%s:%s ", color(PLAIN), color(severities[finding->severity].color), severities[finding->severity].name,
            color(PLAIN));
    /* A remedy begins a line of its own: it comes last, below the source. */
    size_t length = with_source ? strcspn(finding->text, "\n") : strlen(finding->text);
    fprintf(stderr, "%s%.*s%s\n", color(BOLD), (int)length, finding->text, color(PLAIN));
    if (with_source)
        show_source(&finding->place);
    if (finding->text[length] == '\n')
        fprintf(stderr, "%s\n", finding->text + length + 1);
}
