/* backend.h - which library makes arrays when a call does not tell (C9). backend.py decides; this keeps what it decided
 * where a call finds it at the cost of one look. */
#ifndef PYTHON_BACKEND_H
#define PYTHON_BACKEND_H

#include <stdbool.h>

#include "python.h"

/* Whether the backend is CuPy now: one look at a flag. With the GIL held; never raises. */
bool backend_is_cupy(void);

/* The module that stands for CuPy: what backend.py chose (CuPy, the one cunumpy uses, the emulator's), else cupy itself.
 * A new reference, or NULL with ImportError set. */
PyObject *backend_cupy(void);

/* backend_select(is_cupy, module), for backend.py; ended by a null row. */
extern PyMethodDef backend_functions[];

#endif
