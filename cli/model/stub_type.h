/* stub_type.h - the types that Pyccel's annotations name, from their text: stubs and kernel sources alike. */
#ifndef STUB_TYPE_H
#define STUB_TYPE_H

#include <stdbool.h>

#include "base/mem.h"
#include "pkwrap_dtype.h"

enum stub_kind {
    STUB_SCALAR,
    STUB_ARRAY,
    STUB_STRING,   /* str */
    STUB_NONE,     /* None */
    STUB_TUPLE,    /* parts: the elements' types; `repeated`: tuple[T, ...] */
    STUB_LIST,
    STUB_SET,
    STUB_DICT,     /* parts: key, value */
    STUB_FUNCTION, /* '(res)(a, b)': the address of a function */
    STUB_NAME,     /* a class or a TypeVar: name */
    STUB_UNION     /* parts: the cases */
};

struct stub_type {
    enum stub_kind kind;
    pkw_dtype dtype;        /* STUB_SCALAR, STUB_ARRAY; PKW_NO_DTYPE: elements of the type `name` (a TypeVar) */
    int rank;               /* STUB_ARRAY */
    const char *order;      /* STUB_ARRAY: "C" or "F"; NULL where it does not say */
    const char *name;       /* STUB_NAME, and arrays of a named type */
    bool is_final;          /* Final[T]: the author's word that it is not written */
    bool is_alias;          /* Annotated[T, "alias"]: refers to memory of somebody else */
    bool is_stack;
    bool repeated;
    struct stub_type *parts;
    int n_parts;
};

/* Reads one annotation. NULL, or what is wrong with it ("expected ']' ..."), with *column (from 0) in the text. */
const char *stub_type_parse(struct stub_type *type, struct arena *arena, const char *text, int *column);

#endif
