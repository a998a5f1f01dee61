/* generated.h - the two generated files of a module: writing them, and telling whether they are up to date. */
#ifndef GENERATED_H
#define GENERATED_H

#include "base/diag.h"
#include "plan/plan.h"

/* Where a module's files go: `output` (-o), else the manifest's own folder. */
const char *output_folder(struct arena *arena, const char *output, const char *manifest);
/* OUTPUT/MODULE_wrap.c, OUTPUT/MODULE.pyi, OUTPUT/.pkwrap/MODULE. Not MODULE.c: the kernels may be in that. */
const char *generated_c_path(struct arena *arena, const char *folder, const char *module);
const char *generated_pyi_path(struct arena *arena, const char *folder, const char *module);
const char *private_folder(struct arena *arena, const char *output, const char *module);

/* Writes one of them where it differs; *changed as in file_write. A file that pkwrap did not write is left alone: EXIT_INPUT
 * with a finding. EXIT_ENVIRONMENT after a message. */
int generated_write_c(const struct plan *plan, struct diag *diag, const char *path, bool *changed);
int generated_write_pyi(const struct plan *plan, struct diag *diag, const char *path, bool *changed);

/* For `check`: a finding with the code "stale" for each file that `build` or `generate` wrote into `output` and would write
 * differently now. Files that are not there are not missed: they may not be kept under version control. */
void generated_check(const struct plan *plan, struct diag *diag, const char *output);

#endif
