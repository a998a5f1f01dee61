/* json_write.c - see json_write.h. */
#include "json_write.h"

#include <inttypes.h>
#include <string.h>

/* Length of the UTF-8 character at `at`, or 0. The text ends with NUL, so that no byte behind its end is looked at. */
static int utf8_length(const unsigned char *at)
{
    int more = at[0] < 0x80 ? 0 : at[0] >= 0xC2 && at[0] < 0xE0 ? 1 : at[0] >= 0xE0 && at[0] < 0xF0 ? 2 : at[0] >= 0xF0 && at[0] < 0xF5 ? 3 : -1;
    if (more < 0)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    bool wrong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90) ||
                 (at[0] == 0xF4 && at[1] > 0x8F);
    return wrong ? 0 : more + 1;
}

static void add_escaped(struct text *out, unsigned char c)
{
    static const char letters[][3] = {['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    if (c == '"' || c == '\\')
        text_printf(out, "\\%c", c);
    else if (c < sizeof letters / sizeof *letters && letters[c][0] != '\0')
        text_add(out, letters[c]);
    else
        text_printf(out, "\\u%04x", c);
}

void json_write_string(struct text *out, const char *value)
{
    if (value == NULL) {
        text_add(out, "null");
        return;
    }
    text_add_n(out, "\"", 1);
    const char *plain = value; /* start of what needs no escape */
    const char *at = value;
    while (*at != '\0') {
        unsigned char c = (unsigned char)*at;
        int length = c < 0x80 ? 1 : utf8_length((const unsigned char *)at);
        if (length > 0 && c >= ' ' && c != '"' && c != '\\' && c != 0x7F) {
            at += length;
            continue;
        }
        text_add_n(out, plain, (size_t)(at - plain));
        if (length == 0)
            text_add(out, "\\ufffd");
        else
            add_escaped(out, c);
        plain = ++at;
    }
    text_add_n(out, plain, (size_t)(at - plain));
    text_add_n(out, "\"", 1);
}

static bool is_flat(const struct json_writer *writer)
{
    return writer->flat_from >= 0 && writer->depth >= writer->flat_from;
}

static void new_line(struct json_writer *writer)
{
    static const char blanks[] = "\n                                ";
    int indent = 2 * writer->depth < (int)sizeof blanks - 2 ? 2 * writer->depth : (int)sizeof blanks - 2;
    text_add_n(writer->out, blanks, (size_t)indent + 1);
}

/* What comes before a value: comma, line, key. */
static void start_value(struct json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        if (writer->not_first)
            text_add(writer->out, is_flat(writer) ? ", " : ",");
        if (!is_flat(writer))
            new_line(writer);
    }
    writer->not_first = true;
    if (key != NULL) {
        json_write_string(writer->out, key);
        text_add(writer->out, ": ");
    }
}

void json_begin(struct json_writer *writer, const char *key, char bracket)
{
    start_value(writer, key);
    text_add_n(writer->out, &bracket, 1);
    writer->depth++;
    writer->not_first = false;
}

void json_end(struct json_writer *writer, char bracket)
{
    bool flat = is_flat(writer) || !writer->not_first;
    writer->depth--;
    if (!flat)
        new_line(writer);
    text_add_n(writer->out, &bracket, 1);
    writer->not_first = true;
}

void json_raw(struct json_writer *writer, const char *key, const char *value)
{
    start_value(writer, key);
    text_add(writer->out, value);
}

void json_text(struct json_writer *writer, const char *key, const char *value)
{
    start_value(writer, key);
    json_write_string(writer->out, value);
}

void json_integer(struct json_writer *writer, const char *key, int64_t value)
{
    start_value(writer, key);
    text_printf(writer->out, "%" PRId64, value);
}

void json_boolean(struct json_writer *writer, const char *key, bool value)
{
    json_raw(writer, key, value ? "true" : "false");
}

void json_null(struct json_writer *writer, const char *key)
{
    json_raw(writer, key, "null");
}
