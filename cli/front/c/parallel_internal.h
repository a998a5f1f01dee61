/* parallel_internal.h - sources parsed ahead of the one that is read, by several threads.
 *
 * Only libclang's parser runs in them, each source with an index of its own; all else is the caller's, in the order of the
 * sources. No more than a few parsed sources wait at a time, however many there are.
 */
#ifndef CLANG_PARALLEL_H
#define CLANG_PARALLEL_H

#include "unit_internal.h"

struct parallel;

/* Starts to parse; `jobs` at a time, 0: as many as there are processors. Waits for parallel_end. */
struct parallel *parallel_start(struct front *front, const char *const *paths, int n, int jobs);
/* The parsed source number i, in increasing order: it is the caller's, as is its index. NULL: clang cannot parse it. */
CXTranslationUnit parallel_take(struct parallel *parallel, int i, CXIndex *index);
void parallel_end(struct parallel *parallel);

#endif
