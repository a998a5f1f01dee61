/* dtype.c - the element types' one table in the tool. */
#include "dtype.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

static const struct dtype_row {
    const char *id, *name, *slot, *ctype;
    int size;
    char kind;
} rows[PKW_N_DTYPES] = {
    [PKW_NO_DTYPE] = {"PKW_NO_DTYPE", "", "ptr", "void *", 0, '\0'},
#define TEXT(x) #x
#define X(id, name, kind, size, ctype, slot) [PKW_##id] = {"PKW_" #id, name, #slot, TEXT(ctype), size, kind},
    PKW_DTYPES(X)
#undef X
#undef TEXT
};

/* What does not follow from the columns above. */
static const bool without_reader[PKW_N_DTYPES] = {
    [PKW_NO_DTYPE] = true, [PKW_F16] = true, [PKW_BF16] = true, [PKW_C64] = true, [PKW_CLD] = true};

/* Of integers, by their size in bytes. */
static const struct {
    const char *lowest, *highest, *unsigned_highest;
} bounds[] = {
    [1] = {"INT8_MIN", "INT8_MAX", "UINT8_MAX"},
    [2] = {"INT16_MIN", "INT16_MAX", "UINT16_MAX"},
    [4] = {"INT32_MIN", "INT32_MAX", "UINT32_MAX"},
    [8] = {NULL, NULL, NULL},
};

/* Of types whose numbers end before those of double. */
static const double largest[PKW_N_DTYPES] = {
    [PKW_F16] = 65504, [PKW_BF16] = 0x1.FEp127, [PKW_F32] = FLT_MAX, [PKW_C64] = FLT_MAX};

const char *
dtype_id(pkw_dtype dtype)
{
    return rows[dtype].id;
}

const char *
dtype_name(pkw_dtype dtype)
{
    return rows[dtype].name;
}

const char *
dtype_slot(pkw_dtype dtype)
{
    return rows[dtype].slot;
}

const char *
dtype_ctype(pkw_dtype dtype)
{
    return rows[dtype].ctype;
}

int
dtype_size(pkw_dtype dtype)
{
    return rows[dtype].size;
}

char
dtype_kind(pkw_dtype dtype)
{
    return rows[dtype].kind;
}

pkw_dtype
dtype_from_name(const char *name)
{
    for (int i = PKW_NO_DTYPE + 1; i < PKW_N_DTYPES; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (pkw_dtype)i;
    return PKW_NO_DTYPE;
}

bool
dtype_is_bits(pkw_dtype dtype)
{
    return rows[dtype].size == 2 && (rows[dtype].kind == 'f' || rows[dtype].kind == 'V');
}

bool
dtype_is_numpys(pkw_dtype dtype)
{
    return rows[dtype].kind != 'V';
}

bool
dtype_has_reader(pkw_dtype dtype)
{
    return !without_reader[dtype];
}

const char *
dtype_lowest(pkw_dtype dtype)
{
    char kind = rows[dtype].kind;
    return kind == 'u' ? "0" : kind == 'i' ? bounds[rows[dtype].size].lowest : NULL;
}

const char *
dtype_highest(pkw_dtype dtype)
{
    char kind = rows[dtype].kind;
    return kind == 'u'   ? bounds[rows[dtype].size].unsigned_highest
           : kind == 'i' ? bounds[rows[dtype].size].highest
                         : NULL;
}

double
dtype_largest(pkw_dtype dtype)
{
    return largest[dtype] > 0 ? largest[dtype] : DBL_MAX;
}
