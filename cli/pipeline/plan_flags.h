/* plan_flags.h - the compiler's and the linker's options from a manifest. */
#ifndef PLAN_FLAGS_H
#define PLAN_FLAGS_H

#include "base/diag.h"
#include "manifest/manifest.h"
#include "plan/plan.h"

/* Fills in the plan's compile_flags and link_flags; paths in the manifest are joined to its folder. pkg-config is run for each
 * of its packages. EXIT_DONE; EXIT_INPUT after a finding (no such package); EXIT_ENVIRONMENT after a message (no
 * pkg-config). */
int plan_flags(struct plan *plan, struct diag *diag, const struct manifest *manifest);

#endif
