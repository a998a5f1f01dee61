/* doc_internal.h - documentation in comments. */
#ifndef DOC_H
#define DOC_H

#include <stddef.h>

#include "base/mem.h"

/* The text of the comment that documents the declaration which starts at `start` and ends at `end` of the C source `text`:
 * the one directly above it (macros such as MYLIB_EXPORT may stand between), or one of Doxygen's form behind it on its last
 * line. Without comment marks; Doxygen's commands as plain words; valid UTF-8. "" where there is none. */
const char *doc_of_declaration(struct arena *arena, const char *text, size_t length, size_t start, size_t end);

#endif
