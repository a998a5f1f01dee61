/* backend.h - which library makes arrays when a call does not tell (C9). */
#ifndef PYTHON_BACKEND_H
#define PYTHON_BACKEND_H

#include <stdbool.h>

/* Whether the backend is CuPy now: one look at a flag. With the GIL held; never raises. */
bool backend_is_cupy(void);

#endif
