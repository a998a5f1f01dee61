/* json_write.c - see json_write.h. */
#include "json_write.h"

#include <string.h>

#include "utf8.h"

static void
add_escaped(struct text *out, unsigned char c)
{
    static const char letters[][3] = {['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    if (c == '"' || c == '\\')
        text_printf(out, "\\%c", c);
    else if (c < sizeof letters / sizeof *letters && letters[c][0] != '\0')
        text_add(out, letters[c]);
    else
        text_printf(out, "\\u%04x", c);
}

/* Whether a byte stands for itself inside a string. */
static bool
is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

void
json_write_string(struct text *out, const char *value)
{
    if (value == NULL) {
        text_add_n(out, "null", 4);
        return;
    }
    text_add_n(out, "\"", 1);
    const char *plain = value; /* start of what needs no escape */
    const char *at = value;
    for (;;) {
        while (is_plain((unsigned char)*at))
            at++;
        size_t length = (unsigned char)*at < 0x80 ? 0 : utf8_length((const unsigned char *)at, 4 /* the NUL ends it */);
        if (length > 0) {
            at += length;
            continue;
        }
        text_add_n(out, plain, (size_t)(at - plain));
        if (*at == '\0')
            break;
        if ((unsigned char)*at < 0x80)
            add_escaped(out, (unsigned char)*at);
        else
            text_add(out, "\\ufffd");
        plain = ++at;
    }
    text_add_n(out, "\"", 1);
}

static bool
is_flat(const struct json_writer *writer)
{
    return writer->flat_from >= 0 && writer->depth >= writer->flat_from;
}

enum { DEEPEST = 32, LONGEST_KEY = 32 };

/* `length` bytes to where `at` points. */
static char *
append(char *at, const char *piece, size_t length)
{
    memcpy(at, piece, length);
    return at + length;
}

/* A line end and the indentation. */
static char *
append_line(char *at, int depth)
{
    int indent = 2 * (depth < DEEPEST ? depth : DEEPEST);
    *at++ = '\n';
    memset(at, ' ', (size_t)indent);
    return at + indent;
}

/* What comes before a value: comma, line, key. In one piece, since a big header has a million of them; only a key that is longer
 * than any word of ours is a name of the user's. */
static void
start_value(struct json_writer *writer, const char *key)
{
    char buffer[2 + 1 + 2 * DEEPEST + LONGEST_KEY + 4], *at = buffer;
    bool flat = is_flat(writer);
    if (writer->not_first)
        at = append(at, ", ", flat ? 2 : 1);
    if (writer->depth > 0 && !flat)
        at = append_line(at, writer->depth);
    writer->not_first = true;
    size_t length = key != NULL ? strlen(key) : 0;
    if (key != NULL && length <= LONGEST_KEY) {
        *at++ = '"';
        at = append(append(at, key, length), "\": ", 3);
    }
    text_add_n(writer->out, buffer, (size_t)(at - buffer));
    if (length > LONGEST_KEY) {
        json_write_string(writer->out, key);
        text_add(writer->out, ": ");
    }
}

void
json_begin(struct json_writer *writer, const char *key, char bracket)
{
    start_value(writer, key);
    text_add_n(writer->out, &bracket, 1);
    writer->depth++;
    writer->not_first = false;
}

void
json_end(struct json_writer *writer, char bracket)
{
    bool flat = is_flat(writer) || !writer->not_first;
    writer->depth--;
    char buffer[1 + 2 * DEEPEST + 1], *at = flat ? buffer : append_line(buffer, writer->depth);
    *at++ = bracket;
    text_add_n(writer->out, buffer, (size_t)(at - buffer));
    writer->not_first = true;
}

void
json_raw(struct json_writer *writer, const char *key, const char *value)
{
    start_value(writer, key);
    text_add(writer->out, value);
}

void
json_text(struct json_writer *writer, const char *key, const char *value)
{
    start_value(writer, key);
    json_write_string(writer->out, value);
}

void
json_integer(struct json_writer *writer, const char *key, int64_t value)
{
    char buffer[24], *at = buffer + sizeof buffer;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        *--at = '-';
    start_value(writer, key);
    text_add_n(writer->out, at, (size_t)(buffer + sizeof buffer - at));
}

void
json_boolean(struct json_writer *writer, const char *key, bool value)
{
    json_raw(writer, key, value ? "true" : "false");
}

void
json_null(struct json_writer *writer, const char *key)
{
    json_raw(writer, key, "null");
}

void
json_place_number(struct json_writer *writer, const char *key, int number)
{
    if (number > 0)
        json_integer(writer, key, number);
    else
        json_null(writer, key);
}
