/* json.h - JSON read strictly, with a place for every key and value. The only user of cJSON.
 *
 * cJSON decodes the text; a pass of ours over the same text refuses what cJSON lets through ([01], [1.], 1e999, control
 * characters, bad UTF-8, \u0000, lone surrogates, duplicate keys, a byte order mark, trailing text) and knows where
 * everything is. Integers are read from the text itself, since cJSON has only doubles.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "mem.h"

/* Deepest nesting of arrays and objects. */
enum { JSON_DEPTH = 64 };

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value and, in an object, its key. Offsets are bytes of the document's text; strings include their quotes. */
struct json_value {
    enum json_kind kind;
    const char *key;              /* decoded; NULL outside objects */
    size_t key_start, start, end; /* `key_start` is `start` where there is no key; `end` is the byte after the value */
    const char *text;             /* of the whole document, for the offsets */
    struct place place;           /* of the value */
    struct place key_place;       /* of the key; of the value where there is none */
    bool boolean;
    bool is_integer;              /* a number without fraction and exponent that fits 64 bits */
    bool is_unsigned;             /* ... above INT64_MAX: `integer` holds the bits of the uint64_t */
    int64_t integer;
    double number;
    const char *string;           /* decoded UTF-8, without NUL bytes */
    struct json_value *parent;
    struct json_value *child;     /* first element or member, in the order of the text */
    struct json_value *next;
    int n_children;
};

struct json_document {
    const char *file;             /* as messages name it */
    const char *text;
    size_t length;
    struct json_value *root;
};

/* Parses `length` bytes; `text[length]` is NUL. Everything is taken from the arena and borrows `file` and `text`. EXIT_DONE, or
 * EXIT_INPUT after one finding at the place of the first mistake (of every duplicate key). */
int json_parse(struct json_document *document, struct arena *arena, struct diag *diag, const char *file, const char *text,
               size_t length);

/* Reads the file first. EXIT_INPUT too where it cannot be read. */
int json_read(struct json_document *document, struct arena *arena, struct diag *diag, const char *file);

/* Member `key` of an object, or NULL; NULL for anything that is not an object. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* Line and column, both from 1, of a byte of the document. Columns count characters. */
struct place json_place(const struct json_document *document, size_t offset);

/* The place of byte `offset` of a decoded string; that of the string where escapes make it unclear. */
struct place json_place_in(const struct json_value *string, size_t offset);

/* What kind of value it is, for messages: "a number", "an object". */
const char *json_kind_name(const struct json_value *value);

/* The value as the text has it, cut after some 40 bytes, for messages. In the arena. */
const char *json_excerpt(struct arena *arena, const struct json_value *value);

#endif
