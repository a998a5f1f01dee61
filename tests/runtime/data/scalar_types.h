#ifndef SCALAR_TYPES_H
#define SCALAR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

typedef double real;
enum color { RED, GREEN = 5, BLUE };
typedef enum { LOW = -1, HIGH = 1 } level;

/* Each returns what it was given. */
bool same_bool(bool v);
signed char same_schar(signed char v);
int8_t same_i8(int8_t v);
short same_short(short v);
int same_int(int v);
long same_long(long v);
long long same_llong(long long v);
unsigned char same_uchar(unsigned char v);
unsigned short same_ushort(unsigned short v);
unsigned same_unsigned(unsigned v);
unsigned long same_ulong(unsigned long v);
unsigned long long same_ullong(unsigned long long v);
size_t same_size(size_t v);
ssize_t same_ssize(ssize_t v);
ptrdiff_t same_ptrdiff(ptrdiff_t v);
time_t same_time(time_t v);
float same_float(float v);
double same_double(double v);
real same_real(real v);
long double same_ldouble(long double v);
float _Complex same_cfloat(float _Complex v);
double _Complex same_cdouble(double _Complex v);
long double _Complex same_cldouble(long double _Complex v);
enum color same_color(enum color v);
level same_level(level v);
char same_char(char v);
const char *same_string(const char *v);

#endif
