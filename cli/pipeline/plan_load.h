/* plan_load.h - from the path of a manifest to a plan that can be emitted: the steps that build, generate and check share. */
#ifndef PLAN_LOAD_H
#define PLAN_LOAD_H

#include "base/diag.h"
#include "manifest/manifest.h"
#include "base/mem.h"
#include "model/model.h"
#include "base/options.h"
#include "plan/plan.h"

struct plan_request {
    const char *manifest;
    const struct options *options; /* database, libclang, resource_dir, verbose are used */
    const char *compiler;          /* words as process_split reads them; NULL: $CC, else cc */
    bool leave_writes;             /* the caller runs check_writes itself: proven writes that are not declared are no error here */
    /* Where the caller wants what the plan was made from; NULL: not wanted. Filled in as far as it went, also when the
     * result is EXIT_INPUT: `check` has more to say of it. All zero before the call. */
    struct manifest *manifest_out;
    struct model *model_out;
};

/* Reads the manifest, parses its headers, resolves and judges. `plan` is all zero; its parts live in `arena`. EXIT_DONE;
 * EXIT_INPUT with findings in `diag`; EXIT_ENVIRONMENT after a message. */
int plan_load(struct plan *plan, struct arena *arena, struct diag *diag, const struct plan_request *request);

#endif
