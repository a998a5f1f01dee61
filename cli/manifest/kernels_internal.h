/* kernels_internal.h - the part of a manifest below "kernels". */
#ifndef MANIFEST_KERNELS_H
#define MANIFEST_KERNELS_H

#include "types_internal.h"

/* The value of "kernels"; its member is the whole struct manifest. */
extern const struct manifest_type type_kernels;

/* Keys of one parameter that contradict each other, whatever the header says. */
void check_combinations(struct reader *reader, const struct manifest_param *param);

#endif
