/* json_write.h - JSON as text, piece by piece, in order; no tree is built, so thousands of kernels cost no more than their
 * text.
 *
 *     json_begin(w, NULL, '{');
 *     json_text(w, "name", "axpy");
 *     json_begin(w, "shape", '['); json_text(w, NULL, "n"); json_end(w, ']');
 *     json_end(w, '}');
 *
 * `key` is NULL inside arrays and for the outermost value.
 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem.h"

struct json_writer {
    struct text *out;
    int flat_from; /* containers at this depth and deeper stand in one line; set by the user, -1: none */
    int depth;     /* private */
    bool not_first;
};

void json_begin(struct json_writer *writer, const char *key, char bracket);
void json_end(struct json_writer *writer, char bracket);
/* As json_write_string. */
void json_text(struct json_writer *writer, const char *key, const char *value);
void json_integer(struct json_writer *writer, const char *key, int64_t value);
void json_boolean(struct json_writer *writer, const char *key, bool value);
void json_null(struct json_writer *writer, const char *key);
/* A line or a column, which count from 1: null for 0, not known. */
void json_place_number(struct json_writer *writer, const char *key, int number);
/* A value that is JSON already. */
void json_raw(struct json_writer *writer, const char *key, const char *value);

/* Appends the string with its quotes, or null for NULL. What must be escaped is, other UTF-8 stays; bytes that are no UTF-8
 * become U+FFFD. */
void json_write_string(struct text *out, const char *value);

#endif
