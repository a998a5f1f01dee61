/* count.h - the totals of a kernel: added to by calls in any thread, with the GIL held where there is one. */
#ifndef PYTHON_COUNT_H
#define PYTHON_COUNT_H

#include "python.h"

static inline void
count_add(uint64_t *total, uint64_t n)
{
#ifdef Py_GIL_DISABLED
    __atomic_fetch_add(total, n, __ATOMIC_RELAXED);
#else
    *total += n;
#endif
}

#endif
