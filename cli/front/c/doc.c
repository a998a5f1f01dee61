/* doc.c - finds a declaration's comment and cleans it; doc_marks.c makes Doxygen's commands readable. */
#include "doc_internal.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "doc_marks_internal.h"
#include "base/utf8.h"

/* A piece of a source text. */
struct span {
    const char *start, *end;
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static const char *
line_start(const char *text, const char *at)
{
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

static const char *
skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* --- the comment above --- */

/* Before blanks and at most one line end. NULL after an empty line: what is above that is about something else. */
static const char *
step_back(const char *text, const char *at)
{
    int lines = 0;
    while (at > text && (is_blank(at[-1]) || at[-1] == '\n'))
        lines += *--at == '\n';
    return lines <= 1 ? at : NULL;
}

/* Whether the line that ends at `end` is a // comment and nothing else. */
static bool
is_line_comment(const char *start, const char *end)
{
    start = skip_blanks(start, end);
    return end - start >= 2 && start[0] == '/' && start[1] == '/';
}

/* The run of // lines that ends at `end`. */
static struct span
line_comments(const char *text, const char *end)
{
    const char *start = line_start(text, end);
    while (start > text && is_line_comment(line_start(text, start - 1), start - 1))
        start = line_start(text, start - 1);
    return (struct span){start, end};
}

/* The comment that ends at `end` with its closing mark, unless it stands behind something on its line. */
static struct span
block_comment(const char *text, const char *end)
{
    const struct span none = {NULL, NULL};
    for (const char *at = end - 2; at - text >= 2; at--) {
        if (at[-1] == '/' && at < end - 2 && at[-2] == '*') /* another comment's end: this one has no start */
            return none;
        if (at[-2] == '/' && at[-1] == '*') {
            const char *line = line_start(text, at - 2);
            return skip_blanks(line, at - 2) == at - 2 ? (struct span){at - 2, end} : none;
        }
    }
    return none;
}

/* Before one word, or one word with its arguments, such as MYLIB_EXPORT or __attribute__((cold)). NULL where there is none. */
static const char *
skip_macro(const char *text, const char *at)
{
    if (at > text && at[-1] == ')') {
        int depth = 0;
        do {
            at--;
            depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        } while (at > text && depth > 0 && *at != ';' && *at != '}');
        if (depth != 0)
            return NULL;
        at = step_back(text, at);
        if (at == NULL)
            return NULL;
    }
    const char *end = at;
    while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        at--;
    if (at == end)
        return NULL;
    /* `#endif` and the like are no macros */
    const char *line = skip_blanks(line_start(text, at), at);
    return *line == '#' ? NULL : at;
}

static struct span
comment_above(const char *text, const char *start)
{
    const struct span none = {NULL, NULL};
    enum { MOST_MACROS = 4 };
    const char *at = start;
    for (int macros = 0; macros <= MOST_MACROS; macros++) {
        at = step_back(text, at);
        if (at == NULL || at == text)
            return none;
        if (at - text >= 4 && at[-1] == '/' && at[-2] == '*')
            return block_comment(text, at);
        if (is_line_comment(line_start(text, at), at))
            return line_comments(text, at);
        at = skip_macro(text, at);
        if (at == NULL)
            return none;
    }
    return none;
}

/* --- the comment behind --- */

/* Doxygen's "documents what is before": three or more characters that end in '<'. */
static bool
points_back(const char *at, const char *end)
{
    return end - at >= 4 && at[0] == '/' && (at[1] == '*' || at[1] == '/') && (at[2] == at[1] || at[2] == '!') && at[3] == '<';
}

static struct span
comment_behind(const char *end, const char *text_end)
{
    const char *at = end;
    while (at < text_end && (is_blank(*at) || *at == ';'))
        at++;
    if (!points_back(at, text_end))
        return (struct span){NULL, NULL};
    const char *stop = at[1] == '*' ? memmem(at, (size_t)(text_end - at), "*/", 2) : memchr(at, '\n', (size_t)(text_end - at));
    if (stop == NULL)
        stop = text_end;
    else if (at[1] == '*')
        stop += 2;
    return (struct span){at, stop};
}

/* --- without its marks --- */

/* Lines of stars, dashes and the like around a title are drawing, not text. */
static bool
is_drawing(const char *start, const char *end)
{
    if (end - start < 3 && start != end)
        return false;
    for (const char *at = start; at < end; at++)
        if (strchr("*-=/+~#", *at) == NULL)
            return false;
    return true;
}

/* One line of a comment: [*start, *end) without marks and blanks behind. */
static void
strip_line(struct span *line, bool is_block, bool is_first)
{
    const char *at = skip_blanks(line->start, line->end), *end = line->end;
    while (end > at && is_blank(end[-1]))
        end--;
    bool opens = end - at >= 2 && at[0] == '/' && (at[1] == '*' || at[1] == '/') && (is_first || !is_block);
    if (opens) {
        char mark = at[1];
        at += 2;
        while (at < end && (*at == mark || *at == '!'))
            at++;
        at += at < end && *at == '<';
    } else if (is_block && at < end && *at == '*') {
        while (at < end && *at == '*')
            at++;
        while (end > at && end[-1] == '*') /* the right side of a box */
            end--;
        while (end > at && is_blank(end[-1]))
            end--;
    } else if (is_block && !opens) {
        *line = (struct span){line->start, end}; /* no star: the indentation is the text's own */
        return;
    }
    if (at < end && is_blank(*at))
        at++;
    *line = (struct span){at, end};
}

/* How many columns all lines but the first have in front; lines without text do not count. */
static size_t
common_indent(const struct span *lines, int n)
{
    size_t common = (size_t)-1;
    for (int i = 1; i < n; i++) {
        const char *at = skip_blanks(lines[i].start, lines[i].end);
        if (at < lines[i].end && (size_t)(at - lines[i].start) < common)
            common = (size_t)(at - lines[i].start);
    }
    return common;
}

/* Bytes that are no UTF-8 are taken for Latin-1. */
static void
add_utf8(struct text *out, const char *start, const char *end)
{
    for (const char *at = start; at < end;) {
        unsigned char c = (unsigned char)*at;
        size_t length = utf8_length((const unsigned char *)at, (size_t)(end - at));
        if (length == 0) {
            char pair[2] = {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F))};
            text_add_n(out, pair, 2);
            at++;
            continue;
        }
        bool is_control = (c < ' ' && c != '\t') || c == 0x7F;
        text_add_n(out, is_control ? " " : at, length);
        at += length;
    }
}

static const char *
clean(struct arena *arena, struct span comment)
{
    struct span *lines = NULL;
    int n = 0;
    bool is_block = false, first = true;
    const char *end = comment.end;
    const char *start = skip_blanks(comment.start, end);
    if (end - start >= 4 && start[1] == '*') {
        is_block = true;
        if (end[-1] == '/' && end[-2] == '*')
            end -= 2;
    }
    while (start < end || first) {
        const char *stop = memchr(start, '\n', (size_t)(end - start));
        if (stop == NULL)
            stop = end;
        struct span line = {start, stop};
        strip_line(&line, is_block, first);
        if (is_drawing(skip_blanks(line.start, line.end), line.end))
            line.start = line.end;
        *ARENA_PUSH(arena, lines, n) = line;
        first = false;
        start = stop < end ? stop + 1 : end;
    }
    size_t indent = common_indent(lines, n);
    struct text text = {0};
    for (int i = 0; i < n; i++) {
        const char *at = lines[i].start;
        if (i > 0 && (size_t)(lines[i].end - at) >= indent)
            at += indent;
        add_utf8(&text, i > 0 ? at : skip_blanks(at, lines[i].end), lines[i].end);
        text_add(&text, "\n");
    }
    const char *doc = doc_marks_readable(arena, text.data);
    text_release(&text);
    return doc;
}

const char *
doc_of_declaration(struct arena *arena, const char *text, size_t length, size_t start, size_t end)
{
    struct span comment = comment_above(text, text + start);
    if (comment.start == NULL)
        comment = comment_behind(text + end, text + length);
    return comment.start != NULL ? clean(arena, comment) : "";
}
