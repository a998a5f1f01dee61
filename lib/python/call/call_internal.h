/* prepare.h - where an array argument's elements are while the kernel runs. */
#ifndef PYTHON_PREPARE_H
#define PYTHON_PREPARE_H

#include "call.h"

/* Whether the kernel can use a host array as it lies. */
bool fits_in_place(const struct call *call, int position);

/* overlap.c. A host array that is about to be packed: 0, or -1 with ValueError set where it is written and several of its elements share
 * bytes, so that values written to it would be ambiguous. */
int check_packing(const struct call *call, int position);

#endif
