/* json_scan_internal.h - between json.c and json_scan.c: the check of a document's text, and where its values are. */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include "json.h"

/* Bytes of one value: `key_start` is that of its key, or `start`. In the order in which the values begin. */
struct json_span {
    size_t key_start, start, end;
};

struct json_spans {
    struct json_span *items;
    int n;
};

/* Checks the whole text against RFC 8259 and the limits of json.h. False after one finding. */
bool json_scan(const struct json_document *document, struct arena *arena, struct diag *diag, struct json_spans *spans);

#endif
