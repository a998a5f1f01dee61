#include "scalars.h"

#define SAME(type, name) \
    type name(type v)   \
    {                   \
        return v;       \
    }

SAME(bool, same_bool)
SAME(int, same_int)
SAME(unsigned, same_unsigned)
SAME(double, same_double)
SAME(long double, same_ldouble)
SAME(double _Complex, same_cdouble)
SAME(level, same_level)
SAME(char, same_char)
SAME(const char *, same_string)
