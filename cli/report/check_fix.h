/* check_fix.h - changes to the text of a manifest that keep its formatting and comments.
 *
 * check_writes asks for changes of meaning; fixes_text turns them into changes of the bytes concerned, each written as its
 * neighbours are, and leaves every other byte as it is.
 */
#ifndef CHECK_FIX_H
#define CHECK_FIX_H

#include "manifest/manifest.h"

struct fix {
    enum { FIX_ADD_OUTPUT, FIX_REMOVE_OUTPUT, FIX_OVERWRITTEN } kind;
    const struct manifest_kernel *kernel;
    const char *name;                      /* of the parameter */
    const struct manifest_output *output;  /* FIX_REMOVE_OUTPUT: the entry */
    const struct manifest_param *said;     /* FIX_OVERWRITTEN: what the manifest says of it so far, or NULL */
};

struct fixes {
    struct fix *items;
    int n;
};

/* Appends the document's text with the changes carried out. Kernels whose outputs are to change have a list. */
void fixes_text(struct text *out, struct arena *arena, const struct manifest *manifest, const struct fixes *fixes);

#endif
