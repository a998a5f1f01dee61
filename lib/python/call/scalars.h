/* scalars.h - Python objects to C values, with C's ranges. */
#ifndef PYTHON_SCALARS_H
#define PYTHON_SCALARS_H

#include "base/python.h"

/* One host object (a Python or NumPy scalar, a 0-d array, anything with __index__, __float__ or __complex__) as a value of
 * the parameter's type. TypeError, or OverflowError where it is out of range (F25), both naming function, argument and
 * C type. 0 or -1. */
int scalar_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot);

/* An integer as a value of an integer type: false when it is out of range. */
bool store_integer(pkw_dtype dtype, int64_t value, pkw_slot *slot);
/* The value of an integer or bool slot: false when it is above 2**63 - 1. */
bool load_integer(pkw_dtype dtype, const pkw_slot *slot, int64_t *value);
bool is_integer_dtype(pkw_dtype dtype); /* bool counts */

/* OverflowError: the value of `argument` does not fit. Returns -1. */
int raise_out_of_range(const char *function, const pkw_param *param);

/* const char *: UTF-8 of a str or the contents of a bytes object, borrowed from it; no NUL inside. char: one character
 * of Latin-1, as str or bytes. */
int string_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot);
int char_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot);

#endif
