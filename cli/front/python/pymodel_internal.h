/* pymodel_internal.h - what the files pymodel*.c share. */
#ifndef PYMODEL_PARTS_H
#define PYMODEL_PARTS_H

#include "pyflow_internal.h"
#include "pymodel.h"
#include "stub_internal.h"

struct loader {
    struct model *model;
    struct diag *diag;
    struct pytree tree;
    struct pyflow flow;
    bool failed;
};

/* The analysis of a function of a file (class_name NULL), or of a method; NULL: none. file -1: no source was read. */
const struct pyflow_function *pymodel_find_flow(const struct loader *loader, int file, const char *name,
                                                const char *class_name);

/* Fills in what is written of each parameter of `out`. `flow_file`: the source in whose terms classes are named, or -1; without
 * a `function` everything that is not Final may be written, for the reason `why`. */
void pymodel_set_writes(struct loader *loader, struct stub_source *source, struct model_function *out,
                        const struct pyflow_function *function, int flow_file, const char *why);

#endif
