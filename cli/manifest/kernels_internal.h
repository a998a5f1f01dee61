/* kernels_internal.h - the part of a manifest below "kernels". */
#ifndef MANIFEST_KERNELS_H
#define MANIFEST_KERNELS_H

#include "types_internal.h"

/* The value of "kernels"; its member is the whole struct manifest. */
extern const struct manifest_type type_kernels;

#endif
