/* literals.c - constants and text as C. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit_internal.h"

void
emit_string(struct text *out, const char *text, int indent)
{
    text_add(out, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '\n' && at[1] != '\0')
            text_printf(out, "\\n\"\n%*s\"", indent, "");
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c == '?' && at[1] == '?')
            text_add(out, "?\\"); /* no trigraphs: the next one is escaped */
        else if (c < 0x20 || c == 0x7f)
            text_printf(out, "\\%03o", c);
        else
            text_add_n(out, at, 1);
    }
    text_add(out, "\"");
}

void
emit_comment(struct text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*')) {
            text_printf(out, "%c ", *at);
        } else if ((unsigned char)*at < 0x20) {
            text_add(out, " ");
        } else {
            text_add_n(out, at, 1);
        }
    }
}

void
emit_integer(struct text *out, int64_t value)
{
    if (value == INT64_MIN)
        text_add(out, "INT64_MIN");
    else if (value > INT32_MAX || value < -INT32_MAX)
        text_printf(out, "INT64_C(%" PRId64 ")", value);
    else
        text_printf(out, "%" PRId64, value);
}

void
emit_constant(const struct emission *e, struct text *out, const struct plan_op *op)
{
    if (op->name != NULL && !constant_is_taken_back(e->plan, op->name))
        text_add(out, op->name);
    else
        emit_integer(out, op->value);
}

/* The shortest decimal that reads back as the same value. */
static void
emit_real(struct text *out, double value, const char *suffix)
{
    char digits[40];
    if (!isfinite(value)) {
        text_add(out, isnan(value) ? "__builtin_nan(\"\")" : value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_printf(out, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", suffix);
}

/* The bits of a value in a binary format narrower than float, rounded to nearest, ties to even. */
static unsigned
narrow_bits(double value, int exponent_bits, int fraction_bits)
{
    const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    const int lowest = 2 - (1 << (exponent_bits - 1)); /* exponent of normal numbers */
    unsigned sign = signbit(value) ? 1u << (exponent_bits + fraction_bits) : 0, bits;
    int exponent;
    if (isnan(value))
        return infinity | 1u << (fraction_bits - 1);
    if (isinf(value) || value == 0.0)
        return sign | (value == 0.0 ? 0 : infinity);
    frexp(value, &exponent);
    exponent = exponent - 1 < lowest ? lowest : exponent - 1;
    if (exponent > -lowest + 1)
        return sign | infinity;
    /* The implicit bit of a normal number counts the exponent up by one, as does a carry from rounding. */
    bits = ((unsigned)(exponent - lowest) << fraction_bits)
           + (unsigned)nearbyint(ldexp(fabs(value), fraction_bits - exponent));
    return sign | (bits > infinity ? infinity : bits);
}

void
emit_number(struct text *out, pkw_dtype dtype, const struct plan_literal *literal)
{
    double real = literal->kind == LITERAL_INTEGER ? (double)literal->integer : literal->real;
    if (literal->kind == LITERAL_INTEGER && literal->is_unsigned)
        real = (double)(uint64_t)literal->integer;
    const char *suffix = dtype == PKW_LD || dtype == PKW_CLD ? "L" : dtype == PKW_F32 || dtype == PKW_C64 ? "F" : "";
    if (dtype == PKW_F16 || dtype == PKW_BF16) {
        text_printf(out, "0x%04x", dtype == PKW_F16 ? narrow_bits(real, 5, 10) : narrow_bits(real, 8, 7));
        return;
    }
    switch (dtype_kind(dtype)) {
    case 'b':
        text_add(out, literal->integer != 0 ? "true" : "false");
        break;
    case 'u':
        if (literal->is_unsigned || literal->integer > INT32_MAX)
            text_printf(out, "UINT64_C(%" PRIu64 ")", (uint64_t)literal->integer);
        else
            emit_integer(out, literal->integer);
        break;
    case 'c':
        text_add(out, "__builtin_complex(");
        emit_real(out, real, suffix);
        text_add(out, ", ");
        emit_real(out, literal->kind == LITERAL_COMPLEX ? literal->imaginary : 0.0, suffix);
        text_add(out, ")");
        break;
    case 'f':
        emit_real(out, real, suffix);
        break;
    default:
        emit_integer(out, literal->integer);
    }
}
