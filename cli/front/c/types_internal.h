/* types_internal.h - types of one unit that were described already: equal types need be looked at once. */
#ifndef CLANG_TYPES_H
#define CLANG_TYPES_H

#include "unit_internal.h"

struct type_table;

struct type_table *type_table_make(struct arena *arena);

/* Whether it is an integer type without a sign. */
bool clang_is_unsigned(CXType type);

#endif
