/* pymodel.h - stubs and kernel sources of Pyccel into the model: names and types from the stub (or the annotations), which
 * arguments are written from the source.
 */
#ifndef PYMODEL_H
#define PYMODEL_H

#include "model/model.h"

struct pymodel_request {
    const char *const *files;   /* .pyi and .py, in the order given */
    int n_files;
    const char *python;         /* interpreter that parses them; NULL: python3 */
    const char *const *roots;   /* folders where imports are looked up too; NULL where n_roots is 0 */
    int n_roots;
};

/* True if the name ends in .pyi or .py. */
bool pymodel_reads(const char *file);

/* The dotted name of the compiled module, as far as the stub's path tells it: "sim.push" of "__pyccel__/sim/push.pyi" (which is where
 * `pyccel make` puts it), else the file's own name without its ending. */
const char *pymodel_extension(struct arena *arena, const char *stub);

/* Reads the files and appends their functions, classes, variables and modules to the model, what was read to its
 * dependencies. Kernels are the functions of the stubs; of a source only where no stub of its name is among the files. A stub
 * is analysed with the source of its name: given, or beside it (for __pyccel__/x.pyi: ../x.py). Without a source every array
 * that is not Final may be written.
 *
 * A function that cannot be wrapped has a `reason`. What cannot be parsed is a finding with its place and is left out; the
 * rest is there. EXIT_DONE; EXIT_INPUT after an error; EXIT_ENVIRONMENT where the interpreter cannot be run. */
int pymodel_load(struct model *model, struct diag *diag, const struct pymodel_request *request);

#endif
