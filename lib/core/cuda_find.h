/* cuda_find.h - the CUDA Runtime's library: where it may be, which of several fits the driver, its entry points. */
#ifndef CORE_CUDA_FIND_H
#define CORE_CUDA_FIND_H

#include "cuda.h"

/* Fills *runtime from the first library that is whole and that the driver is new enough for: the one that PKWRAP_CUDA_RUNTIME
 * names and no other; else one that is loaded already, "nvidia/PACKAGE/lib" in a folder of `python_folders` (separated by ':';
 * NULL: none), the versioned names, "lib64" in CUDA_PATH, CUDA_HOME and /usr/local/cuda. Where the driver is too old for all, or
 * there is none, the first that is whole: its calls tell. 0, or -1 with *error filled (SESSION_NO_RUNTIME, naming every place).
 * Libraries are never closed. */
int cuda_find(const char *python_folders, struct cuda_runtime *runtime, struct session_error *error);

#endif
