/* json_write.h - pieces of JSON appended to a text: what inspect, init and check print. */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include "mem.h"

/* "text" with its quotes; what JSON must escape is escaped, other UTF-8 stays. Bytes that are no UTF-8 become U+FFFD.
 * NULL is written as null. */
void json_write_string(struct text *out, const char *string);

/* `indent` blanks, then "key": - the start of a member on a line of its own. */
void json_write_key(struct text *out, int indent, const char *key);

#endif
