/* dtypes.c - see dtypes.h. */
#include "dtypes.h"

#include <math.h>
#include <string.h>

const struct dtype_row dtype_rows[PKW_N_DTYPES] = {
#define X(id, name, kind, size, ctype, slot) [PKW_##id] = {name, kind, size},
    PKW_DTYPES(X)
#undef X
};

#define X(id, name, kind, size, ctype, slot) _Static_assert(sizeof(ctype) == size, "size of " name);
PKW_DTYPES(X)
#undef X

static PyObject *native_descrs[PKW_N_DTYPES]; /* owned; NULL: bfloat16, not asked for yet */

int
dtypes_init(PyObject *descr[PKW_N_DTYPES])
{
    for (int dtype = 1; dtype < PKW_N_DTYPES; dtype++) {
        if (dtype == PKW_BF16)
            continue;
        PyObject *name = PyUnicode_FromString(dtype_rows[dtype].name);
        if (name == NULL)
            return -1;
        PyArray_Descr *found = NULL;
        int converted = PyArray_DescrConverter(name, &found);
        Py_DECREF(name);
        if (!converted)
            return -1;
        native_descrs[dtype] = descr[dtype] = (PyObject *)found;
    }
    return 0;
}

pkw_dtype
dtype_from_kind(char kind, size_t size)
{
    for (int dtype = 1; dtype < PKW_N_DTYPES; dtype++)
        if (dtype_rows[dtype].kind == kind && dtype_rows[dtype].size == size && kind != 'V')
            return (pkw_dtype)dtype;
    return PKW_NO_DTYPE;
}

/* ml_dtypes registers bfloat16 with kind 'V' and the scalar type ml_dtypes.bfloat16. */
static bool
is_bfloat16(PyArray_Descr *descr)
{
    if (descr->kind != 'V' || PyDataType_ELSIZE(descr) != 2 || PyDataType_HASFIELDS(descr) || descr->typeobj == NULL)
        return false;
    const char *dot = strrchr(descr->typeobj->tp_name, '.');
    return strcmp(dot ? dot + 1 : descr->typeobj->tp_name, "bfloat16") == 0;
}

pkw_dtype
dtype_from_descr(PyArray_Descr *descr, bool *swapped)
{
    /* What NumPy's own type numbers mean here, filled in as they are met; 0: not met yet, else 1 + the element type. */
    static uint8_t of_type_number[NPY_NTYPES_ABI_COMPATIBLE];
    *swapped = PyDataType_ISBYTESWAPPED(descr);
    if (descr->type_num >= 0 && descr->type_num < NPY_NTYPES_ABI_COMPATIBLE && descr->type_num != NPY_VOID) {
        uint8_t *known = &of_type_number[descr->type_num];
        if (*known == 0)
            *known = (uint8_t)(1 + dtype_from_kind(descr->kind, (size_t)PyDataType_ELSIZE(descr)));
        return (pkw_dtype)(*known - 1);
    }
    if (is_bfloat16(descr))
        return PKW_BF16;
    return dtype_from_kind(descr->kind, (size_t)PyDataType_ELSIZE(descr));
}

static PyArray_Descr *
bfloat16_descr(void)
{
    PyObject *module = PyImport_ImportModule("ml_dtypes");
    if (module == NULL) {
        if (PyErr_ExceptionMatches(PyExc_ImportError))
            PyErr_SetString(PyExc_TypeError, "bfloat16 arrays need the package ml_dtypes, which is not installed");
        return NULL;
    }
    PyObject *type = PyObject_GetAttrString(module, "bfloat16");
    Py_DECREF(module);
    if (type == NULL)
        return NULL;
    PyArray_Descr *descr = NULL;
    int converted = PyArray_DescrConverter(type, &descr);
    Py_DECREF(type);
    return converted ? descr : NULL;
}

bool
dtype_is_canonical(pkw_dtype dtype, PyArray_Descr *descr)
{
    const PyArray_Descr *native = (const PyArray_Descr *)native_descrs[dtype];
    if (descr == native)
        return true;
    return native != NULL && descr->type_num == native->type_num && !PyDataType_ISBYTESWAPPED(descr);
}

PyArray_Descr *
dtype_descr(pkw_dtype dtype)
{
    if (dtype == PKW_BF16 && native_descrs[dtype] == NULL)
        native_descrs[dtype] = (PyObject *)bfloat16_descr();
    return (PyArray_Descr *)Py_XNewRef(native_descrs[dtype]);
}

/* Significand bits after the leading one, and the largest binary exponent. */
static void
half_format(pkw_dtype dtype, int *fraction_bits, int *max_exponent)
{
    *fraction_bits = dtype == PKW_F16 ? 10 : 7;
    *max_exponent = dtype == PKW_F16 ? 15 : 127;
}

double
half_to_double(pkw_dtype dtype, uint16_t bits)
{
    int fraction_bits, max_exponent;
    half_format(dtype, &fraction_bits, &max_exponent);
    int fraction = bits & ((1 << fraction_bits) - 1);
    int exponent = (bits & 0x7fff) >> fraction_bits;
    double value;
    if (exponent == 2 * max_exponent + 1)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - max_exponent - fraction_bits);
    else
        value = ldexp(fraction + (1 << fraction_bits), exponent - max_exponent - fraction_bits);
    return bits & 0x8000 ? -value : value;
}

bool
double_to_half(pkw_dtype dtype, double value, uint16_t *bits)
{
    int fraction_bits, max_exponent;
    half_format(dtype, &fraction_bits, &max_exponent);
    unsigned sign = signbit(value) ? 0x8000 : 0;
    unsigned infinity = (unsigned)(2 * max_exponent + 1) << fraction_bits;
    double magnitude = fabs(value);
    if (isnan(value)) {
        *bits = (uint16_t)(sign | infinity | 1u << (fraction_bits - 1));
        return true;
    }
    if (isinf(value)) {
        *bits = (uint16_t)(sign | infinity);
        return true;
    }
    int exponent = 1 - max_exponent; /* of the smallest normal number, and of the subnormal ones */
    if (magnitude >= ldexp(1, exponent))
        exponent = ilogb(magnitude);
    if (exponent > max_exponent)
        return false;
    /* Round half to even, which rint does, in units of the last place. A carry into the next binade, or from the
     * subnormal numbers to the normal ones, comes out right by plain addition. */
    unsigned units = (unsigned)rint(ldexp(magnitude, fraction_bits - exponent));
    unsigned encoded = ((unsigned)(exponent + max_exponent - 1) << fraction_bits) + units;
    if (encoded >= infinity)
        return false;
    *bits = (uint16_t)(sign | encoded);
    return true;
}

static PyObject *
numpy_scalar(pkw_dtype dtype, const pkw_slot *value)
{
    PyArray_Descr *descr = dtype_descr(dtype);
    if (descr == NULL)
        return NULL;
    pkw_slot copy = *value;
    PyObject *scalar = PyArray_Scalar(&copy, descr, NULL);
    Py_DECREF(descr);
    return scalar;
}

PyObject *
slot_to_object(pkw_dtype dtype, const pkw_slot *value)
{
    switch (dtype) {
    case PKW_BOOL: return PyBool_FromLong(value->b);
    case PKW_I8: return PyLong_FromLong(value->i8);
    case PKW_I16: return PyLong_FromLong(value->i16);
    case PKW_I32: return PyLong_FromLong(value->i32);
    case PKW_I64: return PyLong_FromLongLong(value->i64);
    case PKW_U8: return PyLong_FromLong(value->u8);
    case PKW_U16: return PyLong_FromLong(value->u16);
    case PKW_U32: return PyLong_FromUnsignedLong(value->u32);
    case PKW_U64: return PyLong_FromUnsignedLongLong(value->u64);
    case PKW_F16:
    case PKW_BF16: return PyFloat_FromDouble(half_to_double(dtype, value->u16));
    case PKW_F32: return PyFloat_FromDouble((double)value->f32);
    case PKW_F64: return PyFloat_FromDouble(value->f64);
    case PKW_C64: return PyComplex_FromDoubles((double)__real__ value->c64, (double)__imag__ value->c64);
    case PKW_C128: return PyComplex_FromDoubles(__real__ value->c128, __imag__ value->c128);
    case PKW_LD:
    case PKW_CLD: return numpy_scalar(dtype, value);
    case PKW_NO_DTYPE:
    case PKW_N_DTYPES: break;
    }
    PyErr_Format(PyExc_SystemError, "no element type %d", (int)dtype);
    return NULL;
}
