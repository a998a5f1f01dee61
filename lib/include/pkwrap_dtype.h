/* pkwrap_dtype.h - the element types that pkwrap knows, one row each.
 *
 * Used by the command line tool, by libpkwrap and by generated modules; includes neither Python.h nor NumPy.
 *
 * PKW_DTYPES(X) expands X(ID, name, kind, size, ctype, slot):
 *   ID     suffix of the enumerator PKW_ID
 *   name   NumPy's name of the type, as manifests and `pkwrap inspect` write it
 *   kind   NumPy's kind character ('V' for bfloat16, which NumPy itself does not have)
 *   size   item size in bytes on the supported platforms (x86-64 and aarch64 Linux, LP64)
 *   ctype  the C type that has this representation
 *   slot   the member of union pkw_slot that holds one value of it
 */
#ifndef PKWRAP_DTYPE_H
#define PKWRAP_DTYPE_H

#include <stdint.h>

#define PKW_DTYPES(X)                                                   \
    X(BOOL, "bool", 'b', 1, _Bool, b)                                   \
    X(I8, "int8", 'i', 1, int8_t, i8)                                   \
    X(I16, "int16", 'i', 2, int16_t, i16)                               \
    X(I32, "int32", 'i', 4, int32_t, i32)                               \
    X(I64, "int64", 'i', 8, int64_t, i64)                               \
    X(U8, "uint8", 'u', 1, uint8_t, u8)                                 \
    X(U16, "uint16", 'u', 2, uint16_t, u16)                             \
    X(U32, "uint32", 'u', 4, uint32_t, u32)                             \
    X(U64, "uint64", 'u', 8, uint64_t, u64)                             \
    X(F16, "float16", 'f', 2, uint16_t, u16)                            \
    X(BF16, "bfloat16", 'V', 2, uint16_t, u16)                          \
    X(F32, "float32", 'f', 4, float, f32)                               \
    X(F64, "float64", 'f', 8, double, f64)                              \
    X(LD, "longdouble", 'f', 16, long double, ld)                       \
    X(C64, "complex64", 'c', 8, float _Complex, c64)                    \
    X(C128, "complex128", 'c', 16, double _Complex, c128)               \
    X(CLD, "clongdouble", 'c', 32, long double _Complex, cld)

typedef enum {
    PKW_NO_DTYPE = 0, /* not known, or not an element type */
#define X(id, name, kind, size, ctype, slot) PKW_##id,
    PKW_DTYPES(X)
#undef X
    PKW_N_DTYPES
} pkw_dtype;

/* One C value of any wrappable type: an argument or a result on its way to or from a kernel. */
typedef union {
    _Bool b;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    long double ld;
    float _Complex c64;
    double _Complex c128;
    long double _Complex cld;
    void *ptr;
} pkw_slot;

#endif
