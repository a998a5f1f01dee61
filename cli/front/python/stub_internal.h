/* stub_internal.h - one function, class or variable of a stub (or of kernel source) as the model has it: names, types, defaults. What
 * is written is added by pymodel.c.
 */
#ifndef STUB_H
#define STUB_H

#include "model/model.h"
#include "pytree.h"
#include "model/stub_type.h"

/* Where something is read from. */
struct stub_source {
    struct arena *arena;
    struct diag *diag;
    const struct pytree *tree;
    int file;       /* index into tree->files */
    int module;     /* index into model.modules */
    bool is_stub;
    bool failed;    /* set after an error */
};

struct place stub_place(const struct stub_source *source, int node);

/* Fills `out` from a PY_FUNCTION. Annotations that cannot be read make it a function with a reason, after a finding. */
void stub_function(struct stub_source *source, struct model_function *out, int node, const char *class_name);

/* Fills `type` from an annotation (PY_TEXT) or its absence (PY_NONE_). */
void stub_model_type(struct stub_source *source, struct model_type *type, int node);
/* The same from text that was read already elsewhere in this file; no finding, KIND_OBJECT where it cannot be read. */
void stub_model_type_text(struct stub_source *source, struct model_type *type, const char *text);

/* A docstring without its common indentation. */
const char *stub_doc(const struct stub_source *source, int node);

#endif
