/* headers_internal.h - the files that one unit reads its kernels from: the headers that were named, and what they include of the
 * same library.
 */
#ifndef CLANG_HEADERS_H
#define CLANG_HEADERS_H

#include "unit_internal.h"

/* A header as it was named. */
struct named_header {
    const char *name;  /* as the user has it */
    const char *path;  /* as open() takes it */
    bool declares;     /* a function was found in it */
    CXFile file;       /* of the unit that is being read */
};

/* A file of a unit, other than a source. */
struct unit_file {
    CXFile file;
    const char *path, *shown, *text;
    size_t length;
    struct named_header *header; /* which it is, or which includes it */
    bool is_named;               /* it is the header itself */
    bool is_related;             /* it belongs to the header's library */
    bool is_list;                /* related, and no header: declarations by way of macros (#include "list.def") */
};

struct unit_files {
    struct unit_file *items;
    int n;
    int last;                    /* of the last look-up: declarations stand in a row */
};

/* Appends the headers of its folder that include a header, sorted. */
void headers_that_include(struct arena *arena, const char *path, const char ***paths, int *n);
/* The text of a file that includes the headers, in order, a line each. */
void headers_text(struct text *text, const struct named_header *headers, int n);
/* Lists the files of a unit that was parsed from headers[0] alone (n 1) or from headers_text. */
void headers_list_files(struct unit_files *files, struct unit *unit, struct named_header *headers, int n);
/* The file in which something stands, or NULL. */
struct unit_file *headers_file(struct unit_files *files, CXSourceLocation location);
/* What of the unit is described next stands in this file. */
void headers_enter(struct unit *unit, struct unit_file *file);

#endif
