/* manifest.h - what manifest.json says, checked as far as one can without looking at a header.
 *
 * Every value keeps its JSON value, hence its place: findings of later stages point into the manifest, and `check --fix`
 * rewrites it there. The keys are rows of MANIFEST_KEYS, KERNEL_KEYS and PARAM_KEYS; nothing else lists them.
 */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>

#include "base/json.h"
#include "pkwrap_dtype.h"

/* Texts with their places. All zero: not given. */
struct manifest_text {
    const char *text;
    struct place place;
};

struct manifest_list {
    struct manifest_text *items;
    int n;
};

struct manifest_define {
    const char *name, *value;
    struct place place;
};

struct manifest_defines {
    struct manifest_define *items;
    int n;
};

/* X(ID, key): keys of a parameter. */
#define PARAM_KEYS(X)                                                                                                  \
    X(SHAPE, "shape") X(ORDER, "order") X(VALUE, "value") X(DEFAULT, "default") X(DTYPE, "dtype") X(NAME, "name")      \
    X(KEYWORD_ONLY, "keyword_only") X(CREATE, "create") X(OVERWRITTEN, "overwritten") X(SCRATCH, "scratch")            \
    X(NULLABLE, "nullable") X(EMPTY, "empty") X(READ_ONLY, "read_only") X(WRITTEN, "written")

enum param_key {
#define X(id, key) PARAM_##id,
    PARAM_KEYS(X)
#undef X
    N_PARAM_KEYS
};

extern const char *const param_key_names[N_PARAM_KEYS];

struct manifest_param {
    const char *name;                /* as in C or in the stub, dotted for an attribute */
    struct place place;              /* of that key; of the kernel's key where the manifest does not name the parameter */
    const struct json_value *json;   /* the object; NULL where the manifest does not name it */
    const struct json_value *given[N_PARAM_KEYS]; /* the value of a key, NULL where left out. What `false` says is not given */
    const char **shape;              /* an expression, or NULL for a free dimension; with given[PARAM_SHAPE] */
    int n_shape;
    const char *order;               /* "C" or "F"; NULL: left out */
    const char *value;               /* expression or constant; NULL: left out */
    pkw_dtype dtype;                 /* PKW_NO_DTYPE: left out */
    const char *python_name;         /* NULL: left out */
    const char *read_only, *written; /* the reasons */
    bool keyword_only, create, overwritten, scratch, nullable, refuse_empty;
};

enum outputs_kind { OUTPUTS_AUTO, OUTPUTS_LIST };

/* One entry of `outputs`: a name or a position. */
struct manifest_output {
    const char *name; /* NULL: a position */
    int position;     /* as given, so that -1 is the last parameter */
    struct place place;
    const struct json_value *json;
};

enum manifest_gil { MANIFEST_GIL_AUTO, MANIFEST_GIL_HOLD, MANIFEST_GIL_RELEASE };

struct manifest_kernel {
    const char *c_name;
    struct place place;            /* of the key */
    const struct json_value *json; /* the object */
    enum outputs_kind outputs_kind; /* OUTPUTS_AUTO where left out */
    const struct json_value *outputs_json; /* NULL: left out */
    struct manifest_output *outputs;
    int n_outputs;
    struct manifest_text python_name; /* text NULL: left out */
    struct manifest_text doc;
    enum manifest_gil gil;
    bool thread_safe;
    const struct json_value *params_json; /* NULL: left out */
    struct manifest_param *params;
    int n_params;
};

struct manifest {
    struct arena *arena;
    struct json_document document;
    const char *path;              /* as given */
    const char *directory;         /* of the manifest: "." or a path without the last slash */
    struct manifest_text module;
    struct manifest_list headers;  /* as written */
    struct manifest_list sources;
    struct manifest_list include_dirs, compile_flags, pkg_config;
    struct manifest_defines defines;
    struct manifest_list libraries, library_dirs, link_flags;
    struct manifest_list stubs, kernel_sources, object_modules, constant; /* for Pyccel */
    struct manifest_text extension;
    struct manifest_kernel *kernels;
    int n_kernels;
};

/* Reads and checks the file. EXIT_DONE, or EXIT_INPUT after findings; then `manifest` is not to be used. */
int manifest_read(struct manifest *manifest, struct arena *arena, struct diag *diag, const char *path);

/* The same for a document that was parsed. */
int manifest_check(struct manifest *manifest, struct arena *arena, struct diag *diag, const char *path,
                   const struct json_document *document);

/* What the manifest says of a parameter, or NULL. */
const struct manifest_param *manifest_param(const struct manifest_kernel *kernel, const char *name);

/* True for a name that Python and C take: ASCII letters, digits and underscores, no digit first. */
bool is_identifier(const char *name);
/* A word that Python reserves ("lambda", "None"). */
bool is_python_keyword(const char *name);
/* A module of this name would stand in the way of one that it needs. */
bool is_taken_module_name(const char *name);

#endif
