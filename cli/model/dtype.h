/* dtype.h - what is known of element types: the columns of lib/include/pkwrap_dtype.h, and what follows from them. */
#ifndef DTYPE_H
#define DTYPE_H

#include <stdbool.h>

#include "pkwrap_dtype.h"

const char *dtype_id(pkw_dtype dtype);    /* "PKW_F64" */
const char *dtype_name(pkw_dtype dtype);  /* "float64" */
const char *dtype_slot(pkw_dtype dtype);  /* member of pkw_slot: "f64" */
const char *dtype_ctype(pkw_dtype dtype); /* "double" */
int dtype_size(pkw_dtype dtype);
char dtype_kind(pkw_dtype dtype);         /* NumPy's: 'f'; '\0' of none */
/* The element type that has NumPy's name, else PKW_NO_DTYPE. */
pkw_dtype dtype_from_name(const char *name);

/* A scalar whose slot holds its bits, since C has no type of its own for it everywhere. */
bool dtype_is_bits(pkw_dtype dtype);
/* NumPy has it: arrays of it can be made, and are what NumPy's types say. */
bool dtype_is_numpys(pkw_dtype dtype);
/* pkwrap.h has a pkw_fast_ reader for its scalars. */
bool dtype_has_reader(pkw_dtype dtype);
/* C's names of the bounds of an integer type, "INT8_MIN" and "INT8_MAX"; NULL where a 64-bit number with sign cannot be beyond. */
const char *dtype_lowest(pkw_dtype dtype);
const char *dtype_highest(pkw_dtype dtype);
/* The largest finite number of a real type, or of the parts of a complex one, as far as a double can say it. */
double dtype_largest(pkw_dtype dtype);

#endif
