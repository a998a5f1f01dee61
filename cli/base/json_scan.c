/* json_scan.c - whether a text is JSON, and where each of its values is: what cJSON, which accepts more and keeps no places, cannot
 * say. Nothing is decoded here; that is cJSON's job (json.c), and it is given nothing that did not pass. */
#include "json_scan_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

struct scanner {
    const struct json_document *document;
    struct arena *arena;
    struct diag *diag;
    struct json_spans *spans;
    const char *text;
    size_t at, length;
    int depth;
};

/* The one finding about a text: it ends the pass. */
#define REJECT(scanner, offset, code, ...) \
    (refuse((scanner)->diag, code, json_place((scanner)->document, (offset)), __VA_ARGS__), false)

/* The byte at the current position, or 0 at the end. A NUL byte in the text is 0 too, and refused wherever it stands. */
static char
peek(const struct scanner *scanner)
{
    return scanner->at < scanner->length ? scanner->text[scanner->at] : '\0';
}

static void
skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->length && strchr(" \t\r\n", scanner->text[scanner->at]) != NULL
           && scanner->text[scanner->at] != '\0')
        scanner->at++;
}

/* What is at the current position, for messages. */
static const char *
shown(const struct scanner *scanner)
{
    unsigned char c = (unsigned char)peek(scanner);
    if (scanner->at >= scanner->length)
        return "the end of the file";
    if (c <= 0x20 || c >= 0x7F)
        return arena_printf(scanner->arena, "byte 0x%02x", c);
    return arena_printf(scanner->arena, "'%c'", c);
}

/* --- strings --- */

/* The four digits after \u as a number, or -1. */
static int
hex4(const struct scanner *scanner, size_t at)
{
    int value = 0;
    if (at + 4 > scanner->length)
        return -1;
    for (size_t i = at; i < at + 4; i++) {
        char c = scanner->text[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

static bool
is_high_surrogate(int unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool
is_low_surrogate(int unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* At a backslash. */
static bool
scan_escape(struct scanner *scanner)
{
    size_t start = scanner->at++;
    char letter = peek(scanner);
    if (letter != '\0' && strchr("\"\\/bfnrt", letter) != NULL) {
        scanner->at++;
        return true;
    }
    if (letter != 'u')
        return REJECT(scanner, start, "json-escape", "a backslash is followed by %s; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
                      shown(scanner));
    int unit = hex4(scanner, scanner->at + 1);
    if (unit < 0)
        return REJECT(scanner, start, "json-unicode-escape", "\\u needs four hexadecimal digits");
    if (unit == 0)
        return REJECT(scanner, start, "json-nul", "\\u0000: a NUL character cannot be in any text here");
    scanner->at += 5;
    if (is_high_surrogate(unit) && scanner->at + 6 <= scanner->length && scanner->text[scanner->at] == '\\'
        && scanner->text[scanner->at + 1] == 'u' && is_low_surrogate(hex4(scanner, scanner->at + 2))) {
        scanner->at += 6;
        return true;
    }
    if (is_high_surrogate(unit) || is_low_surrogate(unit))
        return REJECT(scanner, start, "json-surrogate", "\\u%04x is half of a surrogate pair and stands alone", unit);
    return true;
}

/* At a quote. */
static bool
scan_string(struct scanner *scanner)
{
    size_t start = scanner->at++;
    for (;;) {
        unsigned char c = (unsigned char)peek(scanner);
        if (scanner->at >= scanner->length)
            return REJECT(scanner, start, "json-open-string", "the string that begins here has no end");
        if (c == '"') {
            scanner->at++;
            return true;
        }
        if (c == '\n' || c == '\r')
            return REJECT(scanner, start, "json-open-string", "the string that begins here has no end in its line");
        if (c < 0x20)
            return REJECT(scanner, scanner->at, "json-control", "control character 0x%02x in a string; write \\u%04x", c, c);
        if (c == '\\') {
            if (!scan_escape(scanner))
                return false;
            continue;
        }
        size_t length = utf8_length((const unsigned char *)scanner->text + scanner->at, scanner->length - scanner->at);
        if (length == 0)
            return REJECT(scanner, scanner->at, "json-utf8", "byte 0x%02x: not UTF-8", c);
        scanner->at += length;
    }
}

/* --- numbers and words --- */

static size_t
skip_digits(struct scanner *scanner)
{
    size_t start = scanner->at;
    while (peek(scanner) >= '0' && peek(scanner) <= '9')
        scanner->at++;
    return scanner->at - start;
}

static bool
scan_number(struct scanner *scanner)
{
    size_t start = scanner->at;
    scanner->at += peek(scanner) == '-';
    bool leading_zero = peek(scanner) == '0';
    size_t digits = skip_digits(scanner);
    if (digits == 0)
        return REJECT(scanner, start, "json-number", "a number needs a digit after '-', not %s", shown(scanner));
    if (leading_zero && digits > 1)
        return REJECT(scanner, start, "json-leading-zero", "a number cannot begin with 0 and more digits");
    if (peek(scanner) == '.') {
        scanner->at++;
        if (skip_digits(scanner) == 0)
            return REJECT(scanner, start, "json-number", "a number needs a digit after '.', not %s", shown(scanner));
    }
    if (peek(scanner) == 'e' || peek(scanner) == 'E') {
        scanner->at++;
        scanner->at += peek(scanner) == '+' || peek(scanner) == '-';
        if (skip_digits(scanner) == 0)
            return REJECT(scanner, start, "json-number", "a number needs a digit in its exponent, not %s", shown(scanner));
    }
    if (!isfinite(strtod(scanner->text + start, NULL)))
        return REJECT(scanner, start, "json-range", "the number is beyond the range of a double");
    return true;
}

static bool
scan_word(struct scanner *scanner)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t length = 0;
    while (scanner->at + length < scanner->length && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
                                                            scanner->text[scanner->at + length]) != NULL
           && scanner->text[scanner->at + length] != '\0')
        length++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(scanner->text + scanner->at, words[i], length) == 0) {
            scanner->at += length;
            return true;
        }
    if (length > 0)
        return REJECT(scanner, scanner->at, "json-word", "'%.*s' is no JSON value; text needs quotes", (int)length,
                      scanner->text + scanner->at);
    return REJECT(scanner, scanner->at, "json-value", "expected a value, found %s", shown(scanner));
}

/* --- values --- */

static bool scan_value(struct scanner *scanner, size_t key_start);

/* After an element: at a comma (true: another one has to follow) or at the closing character. */
static bool
scan_separator(struct scanner *scanner, size_t opened, char close, bool *more)
{
    skip_blanks(scanner);
    char c = peek(scanner);
    if (scanner->at >= scanner->length)
        return REJECT(scanner, opened, "json-open", "this '%c' is never closed", scanner->text[opened]);
    if (c != ',' && c != close)
        return REJECT(scanner, scanner->at, "json-separator", "expected ',' or '%c', found %s", close, shown(scanner));
    scanner->at++;
    *more = c == ',';
    if (*more)
        skip_blanks(scanner);
    if (*more && peek(scanner) == close)
        return REJECT(scanner, scanner->at, "json-trailing-comma", "a ',' before '%c' is not JSON", close);
    return true;
}

static bool
scan_key(struct scanner *scanner)
{
    if (peek(scanner) != '"')
        return REJECT(scanner, scanner->at, "json-key", "expected a key in quotes, found %s", shown(scanner));
    if (!scan_string(scanner))
        return false;
    skip_blanks(scanner);
    if (peek(scanner) != ':')
        return REJECT(scanner, scanner->at, "json-colon", "expected ':' after a key, found %s", shown(scanner));
    scanner->at++;
    skip_blanks(scanner);
    return true;
}

/* At '[' or '{'. */
static bool
scan_container(struct scanner *scanner)
{
    size_t opened = scanner->at;
    bool object = peek(scanner) == '{';
    char close = object ? '}' : ']';
    if (++scanner->depth > JSON_DEPTH)
        return REJECT(scanner, opened, "json-depth", "nested deeper than %d", JSON_DEPTH);
    scanner->at++;
    skip_blanks(scanner);
    bool more = peek(scanner) != close;
    if (!more)
        scanner->at++;
    if (more && scanner->at >= scanner->length)
        return REJECT(scanner, opened, "json-open", "this '%c' is never closed", scanner->text[opened]);
    while (more) {
        size_t start = scanner->at;
        if ((object && !scan_key(scanner)) || !scan_value(scanner, start) || !scan_separator(scanner, opened, close, &more))
            return false;
    }
    scanner->depth--;
    return true;
}

static bool
scan_value(struct scanner *scanner, size_t key_start)
{
    size_t start = scanner->at;
    bool is_key = key_start != start;
    int index = scanner->spans->n;
    *ARENA_PUSH(scanner->arena, scanner->spans->items, scanner->spans->n) =
        (struct json_span){is_key ? key_start : start, start, 0};
    char c = peek(scanner);
    bool good = c == '{' || c == '[' ? scan_container(scanner)
                : c == '"'           ? scan_string(scanner)
                : c == '-' || (c >= '0' && c <= '9') ? scan_number(scanner)
                                                     : scan_word(scanner);
    scanner->spans->items[index].end = scanner->at;
    return good;
}

bool
json_scan(const struct json_document *document, struct arena *arena, struct diag *diag, struct json_spans *spans)
{
    struct scanner scanner = {document, arena, diag, spans, document->text, 0, document->length, 0};
    if (document->length >= 3 && memcmp(document->text, "\xEF\xBB\xBF", 3) == 0)
        return REJECT(&scanner, 0, "json-bom", "the file begins with a byte order mark; save it as UTF-8 without one");
    skip_blanks(&scanner);
    if (scanner.at >= scanner.length)
        return REJECT(&scanner, scanner.at, "json-empty", "the file is empty");
    if (!scan_value(&scanner, scanner.at))
        return false;
    skip_blanks(&scanner);
    if (scanner.at < scanner.length)
        return REJECT(&scanner, scanner.at, "json-trailing", "%s after the end of the document", shown(&scanner));
    return true;
}
