/* model.h - what was declared: the functions of C headers (and of stubs), before anybody decided how to wrap them.
 *
 * Written by the front ends (clang.c; later stub.c), read by inspect, init, resolve and check. Plain data in one arena;
 * no decision about Python lives here. Field for field it is also what `pkwrap inspect --json` prints.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "pkwrap_dtype.h"

enum model_kind {
    KIND_ARRAY,       /* pointer or array parameter with elements of a known type, or void * */
    KIND_SCALAR,
    KIND_CLASS,       /* Pyccel argument class */
    KIND_STRUCT,
    KIND_STRING,      /* const char * */
    KIND_OBJECT,      /* any other Python object (stubs: lists, dicts, functions) */
    KIND_UNSUPPORTED  /* see reason */
};

enum model_writes { WRITES_NO, WRITES_YES, WRITES_MAYBE };

/* Why something is said of a parameter: the store, the call chain, the const. */
struct model_evidence {
    struct place place;
    const char *text;
};

/* One declared dimension of an array parameter, outermost first. */
struct model_dim {
    enum { DIM_FREE, DIM_FIXED, DIM_EXPRESSION } kind;
    int64_t size;     /* DIM_FIXED */
    const char *text; /* as declared ("N", "2*n+1"); "" for DIM_FREE. A DIM_EXPRESSION names parameters of the function */
    const char *source; /* DIM_FIXED: what C may compute it from behind the headers, unless that is only the number; else NULL */
};

struct model_type {
    const char *spelling;  /* as declared, for messages and `inspect`: "const double *restrict" */
    const char *element;   /* C spelling to cast with: the pointee of an array ("double", "my_real"), the scalar itself */
    enum model_kind kind;
    pkw_dtype dtype;       /* of the scalar or element; PKW_NO_DTYPE for void and what has none */
    const char *reason;    /* KIND_UNSUPPORTED: why, else NULL */
    bool is_void;          /* KIND_ARRAY: void pointer, the manifest must give a dtype; returns: void */
    bool is_const;         /* KIND_ARRAY: the elements are const */
    bool is_restrict;
    bool is_enum;
    bool is_char;          /* plain char, the element or the scalar */
    bool is_pointer;       /* declared with *, [] or an array typedef */
    struct model_dim *dims; /* KIND_ARRAY: declared extents. `T *p`: none (n_dims 0) */
    int n_dims;
    const char *class_name;    /* KIND_CLASS: the class, else NULL */
    const struct stub_type *annotation; /* stubs: the whole type, parsed (stub_type.h); NULL for C and where it cannot be read */
};

struct model_param {
    const char *name;      /* "" for an unnamed C parameter */
    const char *shown;     /* of an unnamed one, what manifests and inspect call it: "arg3", with underscores behind where another
                              parameter is called that; NULL for others */
    int position;
    struct place place;
    struct model_type type;
    const char *order;     /* "C", "F" or NULL where a stub does not say */
    const char *default_text; /* stubs: the default as written, else NULL */
    bool positional_only, keyword_only;
    bool nullable;         /* the body compares it with NULL, or a stub says = None */
    bool unused;           /* the body never uses it */
    bool single;           /* the body uses *p and nothing else */

    enum model_writes writes;
    struct model_evidence *evidence;
    int n_evidence;
    bool overwritten;      /* every element is stored before any is read, on every path */
    bool owned;            /* written, but memory of the argument object itself */
    const char **proven_shape; /* one expression a dimension that the body proves, else NULL */
    int n_proven_shape;

    struct model_param *attributes; /* of a class or struct; names dotted */
    int n_attributes;
    bool nested_known;     /* of a class: what is written through objects that it refers to is among the attributes */
    bool alias;            /* an attribute that refers to an array of the caller: Annotated[..., "alias"], or found in the source */
};

struct model_function {
    const char *name;
    struct place place;    /* file as to be shown: "<cblas.h>" for a system header, else relative */
    const char *header;    /* index-free name of the header it was asked for in, as given by the user */
    const char *declaration; /* one line of C, for comments in generated code */
    const char *doc;       /* the comment above it, cleaned of comment marks; "" where none */
    struct model_param *params;
    int n_params;
    struct model_type returns;
    bool is_static;        /* static inline: no symbol to link */
    bool is_inline;        /* C99 inline without static */
    bool is_variadic;
    bool has_body;         /* a body was seen (header or source) */
    const char *reason;    /* why it cannot be wrapped at all, else NULL */
    const struct model_python *python; /* what only Python functions have; NULL for C */
};

/* A function of a stub or of kernel source. Each @overload is a model_function of its own, in the order of the file. */
struct model_python {
    int module;              /* index into model.modules */
    const char *class_name;  /* of a method, else NULL */
    const char *low_level;   /* name in the object file, or NULL */
    const char *signature;   /* "blend(src, wgt, dst, n=2)", with the real places of / and * */
    bool is_pure, is_inline, is_overload, is_property;
};

/* A name that an expression of a manifest may use: an enumerator or an integer macro of the headers. */
struct model_constant {
    const char *name;
    int64_t value;      /* wraps where it is large */
    bool is_large;      /* more than INT64_MAX */
    bool is_variable;   /* or an expression with one (static const int N = 6): C does not take it where a constant has to be */
};

/* A class of a stub: an argument class whose objects kernels take. */
struct model_class {
    const char *name;
    struct place place;
    const char *doc;
    int module;
    bool is_imported;     /* from a stub that those asked for take it from */
    struct model_param *attributes; /* names not dotted */
    int n_attributes;
    struct model_function *methods; /* __init__ and __del__ among them */
    int n_methods;
};

/* A variable of a stub's module. */
struct model_variable {
    const char *name;
    struct place place;
    int module;
    struct model_type type;
};

/* A stub or kernel source that was read. */
struct model_module {
    const char *file;   /* as shown */
    const char *stem;   /* file name without folder and ending */
    const char *doc;    /* of the module; "" where none */
    bool is_stub;
    struct model_metavar {
        const char *name, *value;
    } *metavars;        /* #$ header metavar NAME="VALUE" */
    int n_metavars;
};

/* A C header that was asked for. */
struct model_header {
    const char *name;   /* as the user has it, the functions' `header` */
    const char *shown;  /* as places are shown */
};

struct model {
    struct arena *arena;
    struct model_header *headers;
    int n_headers;
    int n_static;               /* static functions of sources that are no kernels, since no header can declare them */
    struct model_function *functions;
    int n_functions;
    const char **dependencies;  /* every file that was read, transitively, as paths that open() takes */
    int n_dependencies;
    struct model_constant *constants; /* enumerators of the headers and of what they include */
    int n_constants;
    struct model_class *classes;      /* of stubs and kernel sources; their methods are there, not among the functions */
    int n_classes;
    struct model_variable *variables;
    int n_variables;
    struct model_module *modules;
    int n_modules;
};

/* Whether nothing can be written through a pointer of this type: its elements are const and hold no pointers themselves. */
bool type_is_read_only(const struct model_type *type);
/* The function called `name`, or NULL. */
const struct model_function *model_find(const struct model *model, const char *name);
/* Position of the parameter called `name`, or -1. */
int model_param_position(const struct model_function *function, const char *name);

#endif
