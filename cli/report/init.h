/* init.h - a first manifest from a model: everything that could be found out, and placeholders that build refuses. */
#ifndef INIT_H
#define INIT_H

#include "front/c/clang.h"
#include "base/mem.h"
#include "model/model.h"

/* What init writes besides the kernels. Paths are relative to the manifest's folder. */
struct init_paths {
    const char *module;
    const char **headers, **sources, **include_dirs, **includes;
    int n_headers, n_sources, n_include_dirs, n_includes;
    const char *const *defines; /* NAME or NAME=VALUE */
    int n_defines;
};

/* The manifest's text. Functions that cannot be wrapped are left out. */
void init_manifest(struct text *out, const struct model *model, const struct init_paths *paths);

/* What init writes for stubs. Paths are relative to the manifest's folder. */
struct init_python {
    const char *module;    /* of the wrapper: "kernels_pkwrap" */
    const char *extension; /* dotted name of the compiled module */
    const char **stubs, **kernel_sources;
    int n_stubs, n_kernel_sources;
};

/* The manifest of a compiled Pyccel module. Functions that cannot be wrapped and inlined ones are left out. */
void init_python_manifest(struct text *out, const struct model *model, const struct init_python *paths);

/* A module's name from a header's or a source's: "my-lib.h" is my_lib. In the arena. */
const char *init_module_name(struct arena *arena, const char *file);

#endif
