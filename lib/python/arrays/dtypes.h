/* dtypes.h - between NumPy's descriptors, pkw_dtype and C values.
 *
 * A descriptor is known by kind and item size, never by its type number: long and long long are the same element
 * type here (F23).
 */
#ifndef PYTHON_DTYPES_H
#define PYTHON_DTYPES_H

#include "base/python.h"

struct dtype_row {
    const char *name; /* NumPy's */
    char kind;
    uint8_t size; /* bytes */
};

/* Indexed by pkw_dtype; row 0 is empty. */
extern const struct dtype_row dtype_rows[PKW_N_DTYPES];

/* Fills NumPy's canonical native descriptors in, bfloat16 excepted. 0, or -1 with an exception set. */
int dtypes_init(PyObject *descr[PKW_N_DTYPES]);

/* The element type with this kind and size, or PKW_NO_DTYPE. Never bfloat16. */
pkw_dtype dtype_from_kind(char kind, size_t size);

/* The element type of a descriptor, or PKW_NO_DTYPE (structured, object, strings, dates). *swapped: not native byte
 * order. */
pkw_dtype dtype_from_descr(PyArray_Descr *descr, bool *swapped);

/* The native descriptor: a new reference, or NULL with an exception set. bfloat16 comes from ml_dtypes: TypeError that
 * says so where that is not installed. */
PyArray_Descr *dtype_descr(pkw_dtype dtype);

/* Whether the descriptor is, to code that goes by NumPy's type numbers, the native one of the element type: 'q' is not int64 there,
 * though its elements are the same. */
bool dtype_is_canonical(pkw_dtype dtype, PyArray_Descr *descr);

/* Python object of one C value: bool, int, float, complex, or NumPy's scalar for the long double types. A new
 * reference, or NULL with an exception set. */
PyObject *slot_to_object(pkw_dtype dtype, const pkw_slot *value);

/* float16 and bfloat16 as bits. The second answers false when a finite value is out of range. */
double half_to_double(pkw_dtype dtype, uint16_t bits);
bool double_to_half(pkw_dtype dtype, double value, uint16_t *bits);

#endif
