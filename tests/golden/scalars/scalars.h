#ifndef SCALARS_H
#define SCALARS_H

#include <stdbool.h>

typedef enum { LOW = -1, HIGH = 1 } level;

/* One of each kind of scalar; each returns what it was given. */
bool same_bool(bool v);
int same_int(int v);
unsigned same_unsigned(unsigned v);
double same_double(double v);
long double same_ldouble(long double v);
double _Complex same_cdouble(double _Complex v);
level same_level(level v);
char same_char(char v);
const char *same_string(const char *v);

#endif
