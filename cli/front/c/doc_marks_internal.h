/* doc_marks_internal.h - Doxygen's commands as plain words. */
#ifndef DOC_MARKS_H
#define DOC_MARKS_H

#include "base/mem.h"

/* The text (lines that end with '\n') with "@param[in] x the field" as "x: the field", "\return" as "Returns:", "\p x" as x;
 * without empty lines at its ends or several in a row, and without a line end at its end. */
const char *doc_marks_readable(struct arena *arena, const char *text);

#endif
