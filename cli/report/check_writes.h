/* check_writes.h - what a manifest declares as written, held against what the code does. */
#ifndef CHECK_WRITES_H
#define CHECK_WRITES_H

#include "check_fix.h"
#include "base/diag.h"
#include "manifest/manifest.h"
#include "model/model.h"

/* One finding for each disagreement; `code` in brackets:
 *   error    [missing-output]   proven to be written, declared neither output nor scratch
 *   warning  [unneeded-output]  a declared output that is never written, with the bytes it costs
 *   warning  [cannot-tell]      a list is declared, a parameter is not in it, and nothing shows that it is not written
 *   warning  [narrower]         every element is overwritten before any is read, and the manifest does not say so
 * What mends those that the analysis proves is appended to `fixes`, where not NULL: the first, the second and the last.
 * Errors that keep a plan from being made (a declared output that is const, a kernel that is gone, an array without a
 * shape) are resolve's and plan_check's. */
void check_writes(struct diag *diag, const struct manifest *manifest, const struct model *model,
                  struct fixes *fixes);

/* The errors among them alone: what keeps a manifest from being built. EXIT_DONE, or EXIT_INPUT after findings. */
int check_proven_writes(struct diag *diag, const struct manifest *manifest, const struct model *model);

#endif
