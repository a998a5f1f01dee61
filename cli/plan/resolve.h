/* resolve.h - model + manifest -> plan: what the Python functions look like (man/contract.md, its last part).
 *
 * resolve_plan merges what was declared with what the manifest says; plan_check judges what no schema can. Everything
 * that can be refused is refused in one of the two, with its place; emission cannot fail.
 */
#ifndef RESOLVE_H
#define RESOLVE_H

#include "base/diag.h"
#include "manifest/manifest.h"
#include "base/mem.h"
#include "model/model.h"
#include "plan.h"

/* Fills in the kernels of `plan` (whose arena, manifest and headers are set) in the manifest's order, and n_others. EXIT_DONE, or
 * EXIT_INPUT after findings. */
int resolve_plan(struct plan *plan, struct diag *diag, const struct model *model, const struct manifest *manifest);

/* Names in the manifest's expressions that are neither parameters nor model constants: macros, perhaps, which
 * front_constants tells. Appended to *names, each once. */
void resolve_unknown_names(struct arena *arena, const struct model *model, const struct manifest *manifest,
                           const char ***names, int *n);

/* How the headers compute the fixed extents of the manifest's kernels. Appended to *texts, each once. */
void resolve_extent_texts(struct arena *arena, const struct model *model, const struct manifest *manifest, const char ***texts,
                          int *n);
/* Asserts that text is value in the generated code, once. */
void plan_assert(struct plan *plan, const char *text, int64_t value);

/* The plan of one function as it is without a manifest entry: enough for out->signature, and for what it would take to wrap
 * it. Shapes come from the declaration, else from the analysis, else are free (rank 1 for a bare pointer). Reports nothing.
 * EXIT_DONE, or EXIT_INPUT for a function that has a `reason`; then out->signature is NULL. */
int plan_default(struct plan_kernel *out, struct arena *arena, const struct model *model,
                 const struct model_function *function);

/* What a function or a parameter of this name is called in Python where the manifest does not say it: the name itself, "lambda_" for
 * a reserved word; of a function, "dict_" for "__dict__". */
const char *function_python_name(struct arena *arena, const char *name);
const char *param_python_name(struct arena *arena, const char *name);

/* The name by which manifests, inspect and messages call a parameter: "arg3" where C gives none. In the arena or the model. */
const char *param_shown_name(struct arena *arena, const struct model_param *param);

#endif
