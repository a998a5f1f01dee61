/* scalars.c - see scalars.h. */
#include "scalars.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/dtypes.h"
#include "base/errors.h"

/* Ranges of the integer types, one row each. */
static const struct integer_range {
    int64_t low;
    uint64_t high;
} ranges[PKW_N_DTYPES] = {
    [PKW_BOOL] = {0, 1},
    [PKW_I8] = {INT8_MIN, INT8_MAX},
    [PKW_I16] = {INT16_MIN, INT16_MAX},
    [PKW_I32] = {INT32_MIN, INT32_MAX},
    [PKW_I64] = {INT64_MIN, INT64_MAX},
    [PKW_U8] = {0, UINT8_MAX},
    [PKW_U16] = {0, UINT16_MAX},
    [PKW_U32] = {0, UINT32_MAX},
    [PKW_U64] = {0, UINT64_MAX},
};

bool
is_integer_dtype(pkw_dtype dtype)
{
    return ranges[dtype].high != 0;
}

/* The low bytes of a two's complement number are its value in every narrower type that can hold it. */
static void
store_bits(pkw_dtype dtype, uint64_t bits, pkw_slot *slot)
{
    switch (dtype_rows[dtype].size) {
    case 1: slot->u8 = (uint8_t)bits; break;
    case 2: slot->u16 = (uint16_t)bits; break;
    case 4: slot->u32 = (uint32_t)bits; break;
    default: slot->u64 = bits; break;
    }
}

bool
store_integer(pkw_dtype dtype, int64_t value, pkw_slot *slot)
{
    const struct integer_range *range = &ranges[dtype];
    if (value < range->low || (value > 0 && (uint64_t)value > range->high))
        return false;
    store_bits(dtype, (uint64_t)value, slot);
    return true;
}

bool
load_integer(pkw_dtype dtype, const pkw_slot *slot, int64_t *value)
{
    switch (dtype) {
    case PKW_BOOL: *value = slot->b; return true;
    case PKW_I8: *value = slot->i8; return true;
    case PKW_I16: *value = slot->i16; return true;
    case PKW_I32: *value = slot->i32; return true;
    case PKW_I64: *value = slot->i64; return true;
    case PKW_U8: *value = slot->u8; return true;
    case PKW_U16: *value = slot->u16; return true;
    case PKW_U32: *value = slot->u32; return true;
    case PKW_U64: *value = (int64_t)slot->u64; return slot->u64 <= INT64_MAX;
    default: return false;
    }
}

int
raise_out_of_range(const char *function, const pkw_param *param)
{
    const struct integer_range *range = &ranges[param->dtype];
    if (range->high == 0)
        return raise_argument_error(PyExc_OverflowError, function, param->name, "is out of range for C type '%s'",
                                    param->c_type);
    return raise_argument_error(PyExc_OverflowError, function, param->name,
                                "is out of range for C type '%s' (%lld to %llu)", param->c_type, (long long)range->low,
                                (unsigned long long)range->high);
}

static int
raise_wrong_type(const char *function, const pkw_param *param, const char *expected, PyObject *object)
{
    if (PyArray_Check(object))
        return raise_argument_error(PyExc_TypeError, function, param->name,
                                    "must be %s (C type '%s'), got an array of %d dimension%s and dtype %S", expected,
                                    param->c_type, PyArray_NDIM((PyArrayObject *)object),
                                    PyArray_NDIM((PyArrayObject *)object) == 1 ? "" : "s",
                                    PyArray_DESCR((PyArrayObject *)object));
    return raise_argument_error(PyExc_TypeError, function, param->name, "must be %s (C type '%s'), not %s", expected,
                                param->c_type, Py_TYPE(object)->tp_name);
}

/* Exceptions of the object's own methods pass; Python's own TypeError, of an object without the method, becomes one that
 * names the argument. */
static int
conversion_failed(const char *function, const pkw_param *param, const char *expected, PyObject *object)
{
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return raise_out_of_range(function, param);
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    PyErr_Clear();
    return raise_wrong_type(function, param, expected, object);
}

/* An array of more than no dimensions is never a scalar, not even one with a single element. */
static bool
is_real_array(PyObject *object)
{
    return PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) > 0;
}

static int
integer_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    pkw_dtype dtype = (pkw_dtype)param->dtype;
    PyObject *number = NULL;
    if (dtype == PKW_BOOL && PyArray_IsScalar(object, Bool))
        number = PyLong_FromLong(PyObject_IsTrue(object)); /* numpy.bool has no __index__ */
    else if (dtype == PKW_BOOL && PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) == 0
             && PyArray_TYPE((PyArrayObject *)object) == NPY_BOOL)
        number = PyLong_FromLong(PyObject_IsTrue(object));
    else if (is_real_array(object))
        return raise_wrong_type(function, param, "an integer", object);
    else
        number = PyNumber_Index(object);
    if (number == NULL)
        return conversion_failed(function, param, dtype == PKW_BOOL ? "a bool" : "an integer", object);
    if (dtype == PKW_U64) {
        unsigned long long value = PyLong_AsUnsignedLongLong(number);
        Py_DECREF(number);
        if (value == (unsigned long long)-1 && PyErr_Occurred())
            return conversion_failed(function, param, "an integer", object);
        slot->u64 = value;
        return 0;
    }
    long long value = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (value == -1 && PyErr_Occurred())
        return conversion_failed(function, param, "an integer", object);
    return store_integer(dtype, value, slot) ? 0 : raise_out_of_range(function, param);
}

/* Of Python, NumPy, or a 0-d array: numbers whose __float__ would drop the imaginary part. */
static bool
is_complex_object(PyObject *object)
{
    return PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating)
           || (PyArray_Check(object) && PyArray_ISCOMPLEX((PyArrayObject *)object));
}

static int
store_real(const char *function, const pkw_param *param, double value, pkw_slot *slot)
{
    bool fits = true;
    switch (param->dtype) {
    case PKW_F16:
    case PKW_BF16: fits = double_to_half((pkw_dtype)param->dtype, value, &slot->u16); break;
    case PKW_F32:
        slot->f32 = (float)value;
        fits = !isinf(slot->f32) || isinf(value);
        break;
    case PKW_LD: slot->ld = (long double)value; break;
    default: slot->f64 = value; break;
    }
    return fits ? 0 : raise_out_of_range(function, param);
}

/* numpy.longdouble, as a scalar or a 0-d array, without the way through double. */
static bool
long_double_value(PyObject *object, long double *value)
{
    if (PyArray_IsScalar(object, LongDouble)) {
        PyArray_ScalarAsCtype(object, value);
        return true;
    }
    if (PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) == 0
        && PyArray_TYPE((PyArrayObject *)object) == NPY_LONGDOUBLE && PyArray_ISNOTSWAPPED((PyArrayObject *)object)) {
        memcpy(value, PyArray_DATA((PyArrayObject *)object), sizeof *value);
        return true;
    }
    return false;
}

/* Whether the object's value is an integer, which may have more digits than a double. */
static bool
is_integer_object(PyObject *object)
{
    if (PyArray_Check(object))
        return PyArray_NDIM((PyArrayObject *)object) == 0 && PyArray_ISINTEGER((PyArrayObject *)object);
    return PyIndex_Check(object) && !PyFloat_Check(object) && !PyComplex_Check(object);
}

/* An integer as the nearest long double, through its hexadecimal digits; infinite where it is out of range. 0, or -1 with an exception
 * set. */
static int
long_double_of_integer(PyObject *object, long double *value)
{
    PyObject *digits = PyNumber_ToBase(object, 16);
    const char *text = digits == NULL ? NULL : PyUnicode_AsUTF8(digits);
    if (text != NULL)
        *value = strtold(text, NULL);
    Py_XDECREF(digits);
    return text == NULL ? -1 : 0;
}

static int
real_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    if (PyFloat_CheckExact(object))
        return store_real(function, param, PyFloat_AS_DOUBLE(object), slot);
    if (param->dtype == PKW_LD && long_double_value(object, &slot->ld))
        return 0;
    if (param->dtype == PKW_LD && is_integer_object(object)) {
        if (long_double_of_integer(object, &slot->ld) < 0)
            return conversion_failed(function, param, "a real number", object);
        return isinf(slot->ld) ? raise_out_of_range(function, param) : 0;
    }
    if (is_real_array(object) || is_complex_object(object))
        return raise_wrong_type(function, param, "a real number", object);
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred())
        return conversion_failed(function, param, "a real number", object);
    return store_real(function, param, value, slot);
}

static int
complex_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    if (param->dtype == PKW_CLD && PyArray_IsScalar(object, CLongDouble)) {
        PyArray_ScalarAsCtype(object, &slot->cld);
        return 0;
    }
    long double real;
    if (param->dtype == PKW_CLD && long_double_value(object, &real)) {
        slot->cld = real;
        return 0;
    }
    if (param->dtype == PKW_CLD && is_integer_object(object)) {
        if (long_double_of_integer(object, &real) < 0)
            return conversion_failed(function, param, "a complex number", object);
        slot->cld = real;
        return isinf(real) ? raise_out_of_range(function, param) : 0;
    }
    if (is_real_array(object))
        return raise_wrong_type(function, param, "a complex number", object);
    Py_complex value = PyComplex_AsCComplex(object);
    if (value.real == -1.0 && PyErr_Occurred())
        return conversion_failed(function, param, "a complex number", object);
    /* Part by part: a complex product or sum of them would turn an infinite part into a NaN. */
    if (param->dtype == PKW_C64) {
        __real__ slot->c64 = (float)value.real;
        __imag__ slot->c64 = (float)value.imag;
        bool fits = (!isinf(__real__ slot->c64) || isinf(value.real)) && (!isinf(__imag__ slot->c64) || isinf(value.imag));
        return fits ? 0 : raise_out_of_range(function, param);
    }
    if (param->dtype == PKW_CLD) {
        __real__ slot->cld = (long double)value.real;
        __imag__ slot->cld = (long double)value.imag;
    } else {
        __real__ slot->c128 = value.real;
        __imag__ slot->c128 = value.imag;
    }
    return 0;
}

int
scalar_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    if (is_integer_dtype((pkw_dtype)param->dtype))
        return integer_from_object(function, param, object, slot);
    if (dtype_rows[param->dtype].kind == 'c')
        return complex_from_object(function, param, object, slot);
    return real_from_object(function, param, object, slot);
}

int
string_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    const char *text;
    Py_ssize_t length;
    if (PyUnicode_Check(object)) {
        text = PyUnicode_AsUTF8AndSize(object, &length);
        if (text == NULL)
            return name_argument_in_error(function, param->name);
    } else if (PyBytes_Check(object)) {
        text = PyBytes_AS_STRING(object);
        length = PyBytes_GET_SIZE(object);
    } else {
        return raise_argument_error(PyExc_TypeError, function, param->name, "must be str or bytes, not %s",
                                    Py_TYPE(object)->tp_name);
    }
    if (strlen(text) != (size_t)length)
        return raise_argument_error(PyExc_ValueError, function, param->name, "contains a null character");
    slot->ptr = (void *)(uintptr_t)text; /* a const char * parameter */
    return 0;
}

int
char_from_object(const char *function, const pkw_param *param, PyObject *object, pkw_slot *slot)
{
    if (PyBytes_Check(object) && PyBytes_GET_SIZE(object) == 1) {
        slot->i8 = (int8_t)PyBytes_AS_STRING(object)[0];
        return 0;
    }
    if (!PyUnicode_Check(object) || PyUnicode_GetLength(object) != 1)
        return raise_argument_error(PyExc_TypeError, function, param->name, "must be a str of one character, not %s%s",
                                    Py_TYPE(object)->tp_name,
                                    PyUnicode_Check(object) || PyBytes_Check(object) ? " of another length" : "");
    Py_UCS4 character = PyUnicode_ReadChar(object, 0);
    if (character > UINT8_MAX)
        return raise_argument_error(PyExc_OverflowError, function, param->name, "is out of range for C type 'char'");
    slot->u8 = (uint8_t)character;
    return 0;
}
