#include "scalar_types.h"

#define SAME(type, name) \
    type name(type v)   \
    {                   \
        return v;       \
    }

SAME(bool, same_bool)
SAME(signed char, same_schar)
SAME(int8_t, same_i8)
SAME(short, same_short)
SAME(int, same_int)
SAME(long, same_long)
SAME(long long, same_llong)
SAME(unsigned char, same_uchar)
SAME(unsigned short, same_ushort)
SAME(unsigned, same_unsigned)
SAME(unsigned long, same_ulong)
SAME(unsigned long long, same_ullong)
SAME(size_t, same_size)
SAME(ssize_t, same_ssize)
SAME(ptrdiff_t, same_ptrdiff)
SAME(time_t, same_time)
SAME(float, same_float)
SAME(double, same_double)
SAME(real, same_real)
SAME(long double, same_ldouble)
SAME(float _Complex, same_cfloat)
SAME(double _Complex, same_cdouble)
SAME(long double _Complex, same_cldouble)
SAME(enum color, same_color)
SAME(level, same_level)
SAME(char, same_char)
SAME(const char *, same_string)
