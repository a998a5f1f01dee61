/* pyplan_internal.h - between the two files that resolve a module of Python kernels. */
#ifndef PYPLAN_PARTS_H
#define PYPLAN_PARTS_H

#include "pyplan.h"

/* Applies what a manifest says of a function: its outputs and parameters, in every variant. Findings point into it. */
void pyplan_apply(struct pyplan_function *function, struct arena *arena, struct diag *diag, const struct manifest_kernel *entry);

/* What it declares as "constant", once it is known what is written. `functions`: all of the module and its classes. */
void pyplan_apply_constant(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct manifest *manifest,
                           struct pyplan_function *const *functions, int n_functions);

#endif
