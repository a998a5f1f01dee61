/* packages.h - which of pkg-config's packages has what a link lacks. Asked when a build has failed, to say what would mend it. */
#ifndef PACKAGES_H
#define PACKAGES_H

#include "base/mem.h"

/* The names of packages, in quotes, `"gsl"` or `"blas" or "openblas"`: those that link -lNAME, or those with a shared library that defines
 * `symbol`. NULL: none that pkg-config knows. In the arena. */
const char *packages_with_library(struct arena *arena, const char *name);
const char *packages_with_symbol(struct arena *arena, const char *symbol);

#endif
