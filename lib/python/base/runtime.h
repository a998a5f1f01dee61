/* runtime.h - starting libpkwrap inside an interpreter. */
#ifndef PYTHON_RUNTIME_H
#define PYTHON_RUNTIME_H

#include "python.h"

/* Imports NumPy and makes everything the library needs, once; later calls do nothing. 0, or -1 with ImportError or what else
 * went wrong set. Also what the package's extension calls first. */
int runtime_init(void);

/* Where this library was loaded from: a path, or its plain name where the loader does not tell. */
const char *library_path(void);

/* Non-zero while verify or learn mode is on: generated modules then take no fast path (C50 to C53). */
extern int watching_active; /* bits of watch.h; PKWRAP_VERIFY=1 in the environment sets one at the start */

#endif
