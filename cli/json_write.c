/* json_write.c - see json_write.h. */
#include "json_write.h"

#include <stdbool.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 sequence at `s`, 0 if there is none (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF). */
static size_t sequence_length(const unsigned char *s)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        length = 2;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        length = 3;
        low = s[0] == 0xE0 ? 0xA0 : low;
        high = s[0] == 0xED ? 0x9F : high;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        length = 4;
        low = s[0] == 0xF0 ? 0x90 : low;
        high = s[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

static void write_ascii(struct text *out, unsigned char c)
{
    switch (c) {
    case '"': text_add(out, "\\\""); break;
    case '\\': text_add(out, "\\\\"); break;
    case '\n': text_add(out, "\\n"); break;
    case '\t': text_add(out, "\\t"); break;
    case '\r': text_add(out, "\\r"); break;
    default:
        if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\u%04x", c);
        else
            text_add_n(out, (const char *)&c, 1);
    }
}

void json_write_string(struct text *out, const char *string)
{
    if (string == NULL) {
        text_add(out, "null");
        return;
    }
    text_add(out, "\"");
    for (const unsigned char *s = (const unsigned char *)string; *s != '\0';) {
        size_t length = sequence_length(s);
        if (length == 1)
            write_ascii(out, *s);
        else if (length > 1)
            text_add_n(out, (const char *)s, length);
        else
            text_add(out, "\xEF\xBF\xBD");
        s += length > 0 ? length : 1;
    }
    text_add(out, "\"");
}

void json_write_key(struct text *out, int indent, const char *key)
{
    text_printf(out, "%*s", indent, "");
    json_write_string(out, key);
    text_add(out, ": ");
}
