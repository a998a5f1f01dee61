/* observed.h - what learn mode saw while a program ran: which arguments of which kernel changed (pkwrap.learn(), PKWRAP_LEARN).
 *
 * Observations only add writes. What was never seen to change stays what the analysis says of it.
 */
#ifndef OBSERVED_H
#define OBSERVED_H

#include "base/diag.h"
#include "manifest/manifest.h"
#include "model/model.h"

/* One argument, over all calls in which it was an array. */
struct observed_argument {
    const char *name;        /* as Python calls it, dotted for an attribute */
    int64_t calls, changed;  /* changed: calls in which some element did */
    int64_t unchanged_bytes; /* sum of its sizes in the calls in which none did */
};

struct observed_kernel {
    const char *module, *name; /* as Python calls them */
    struct observed_argument *arguments;
    int n_arguments;
};

struct observed {
    const char *file;
    struct observed_kernel *kernels;
    int n_kernels;
};

/* Reads the file. EXIT_DONE, or EXIT_INPUT after findings. */
int observed_read(struct observed *observed, struct arena *arena, struct diag *diag, const char *file);

/* Makes every parameter and attribute of the model's functions that was seen to change a write, with the observation as
 * evidence. `manifest` tells what Python calls them, and its module's name has to be the observed one; NULL: the names are
 * those of the model, whatever the module. */
void observed_apply(const struct observed *observed, struct model *model, const struct manifest *manifest);

/* Appends a table to `out`: each observed argument of the manifest's kernels, whether it is declared, found and observed to be
 * written, and the bytes that were copied to the device in vain. Before observed_apply. */
void observed_report(struct text *out, const struct observed *observed, const struct model *model,
                     const struct manifest *manifest);

#endif
