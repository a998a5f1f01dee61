/* resolve_literals.c - defaults in the signature, and what fills the parameters that the caller does not see. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_internal.h"

/* --- as Python shows them --- */

/* The shortest decimal that reads back as the same double. */
static const char *
real_text(struct arena *arena, double value)
{
    char digits[40];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    return arena_printf(arena, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static const char *
complex_text(struct arena *arena, double real, double imaginary)
{
    const char *sign = signbit(imaginary) ? "" : "+";
    return arena_printf(arena, "(%s%s%sj)", real_text(arena, real), sign, real_text(arena, imaginary));
}

static const char *
string_text(struct arena *arena, const char *string)
{
    struct text text = {0};
    text_add(&text, "'");
    for (const char *at = string; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '\'' || c == '\\')
            text_printf(&text, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            text_printf(&text, "\\x%02x", c);
        else
            text_add_n(&text, at, 1);
    }
    text_add(&text, "'");
    const char *result = arena_copy(arena, text.data);
    text_release(&text);
    return result;
}

/* --- ranges --- */

static bool
integer_fits(pkw_dtype dtype, int64_t value, bool is_unsigned)
{
    int bits = 8 * dtype_size(dtype);
    if (dtype_kind(dtype) == 'u')
        return is_unsigned ? bits == 64 : value >= 0 && (bits == 64 || value < INT64_C(1) << bits);
    return !is_unsigned && (bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1)));
}

static bool
real_fits(pkw_dtype dtype, double value)
{
    return fabs(value) <= dtype_largest(dtype);
}

static struct plan_literal
integer_literal(struct arena *arena, int64_t value, bool is_unsigned)
{
    const char *text = is_unsigned ? arena_printf(arena, "%" PRIu64, (uint64_t)value) : arena_printf(arena, "%" PRId64, value);
    return (struct plan_literal){.kind = LITERAL_INTEGER, .text = text, .integer = value, .is_unsigned = is_unsigned};
}

static struct plan_literal
bool_literal(bool value)
{
    return (struct plan_literal){.kind = LITERAL_INTEGER, .text = value ? "True" : "False", .integer = value};
}

static struct plan_literal
real_literal(struct arena *arena, double value)
{
    return (struct plan_literal){.kind = LITERAL_REAL, .text = real_text(arena, value), .real = value};
}

static struct plan_literal
string_literal(struct arena *arena, const char *string)
{
    return (struct plan_literal){.kind = LITERAL_STRING, .text = string_text(arena, string), .string = string};
}

static bool
is_one_character(const char *string)
{
    return (unsigned char)string[0] < 0x80 && string[0] != '\0' && string[1] == '\0';
}

/* --- defaults --- */

/* A finding about a default or a value that does not fit its parameter. */
static void
does_not_fit(struct resolution *r, int position, enum param_key key, const char *expected)
{
    const struct manifest_param *said = r->said[position];
    refuse(r->diag, "literal", said->given[key]->place, "\"%s\" of \"%s\" is %s; expected %s, since it is %s",
           param_key_names[key], c_name_of(r, position),
           json_excerpt(r->arena, said->given[key]), expected,
           r->function->params[position].type.spelling);
}

/* Constants of the headers that stay in the generated code as a number only. */
static void
assert_constants(struct resolution *r, const struct plan_expr *expr)
{
    for (int i = 0; i < expr->n_ops && r->plan != NULL; i++)
        if (expr->ops[i].code == OP_CONST && expr->ops[i].name != NULL)
            plan_assert(r->plan, expr->ops[i].name, expr->ops[i].value);
}

/* A constant of the headers that is beyond what expressions are worked out in, and stands alone: it is its own number. */
static bool
is_large_constant(struct resolution *r, int position, const char *text)
{
    struct plan_param *out = &r->out->params[position];
    for (int i = 0; i < r->model->n_constants; i++) {
        const struct model_constant *constant = &r->model->constants[i];
        if (!constant->is_large || strcmp(constant->name, text) != 0 || !integer_fits(out->dtype, constant->value, true))
            continue;
        out->literal = integer_literal(r->arena, constant->value, true);
        return true;
    }
    return false;
}

/* A default in quotes for an integer: an expression over the constants of the headers. */
static void
default_constant(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    struct plan_expr expr;
    int64_t value;
    if (is_large_constant(r, position, json->string) || !resolve_expression(r, position, json->string, json, &expr))
        return;
    assert_constants(r, &expr);
    if (!expr_constant(&expr, &value))
        does_not_fit(r, position, PARAM_DEFAULT, "a constant");
    else if (!integer_fits(out->dtype, value, false))
        does_not_fit(r, position, PARAM_DEFAULT, "an integer in its range");
    else
        out->literal = integer_literal(r->arena, value, false);
}

static void
default_integer(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    if (json->kind == JSON_STRING)
        default_constant(r, position, json);
    else if (json->kind != JSON_NUMBER || !json->is_integer)
        does_not_fit(r, position, PARAM_DEFAULT, "an integer");
    else if (!integer_fits(out->dtype, json->integer, json->is_unsigned))
        does_not_fit(r, position, PARAM_DEFAULT, "an integer in its range");
    else
        out->literal = integer_literal(r->arena, json->integer, json->is_unsigned);
}

static void
default_real(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    if (json->kind != JSON_NUMBER)
        does_not_fit(r, position, PARAM_DEFAULT, "a number");
    else if (!real_fits(out->dtype, json->number))
        does_not_fit(r, position, PARAM_DEFAULT, "a number in its range");
    else
        out->literal = real_literal(r->arena, json->number);
}

static void
default_complex(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    bool pair = json->kind == JSON_ARRAY;
    double real = pair ? json->child->number : json->number, imaginary = pair ? json->child->next->number : 0.0;
    if (!pair && json->kind != JSON_NUMBER)
        does_not_fit(r, position, PARAM_DEFAULT, "a number or [real, imaginary]");
    else if (!real_fits(out->dtype, real) || !real_fits(out->dtype, imaginary))
        does_not_fit(r, position, PARAM_DEFAULT, "numbers in its range");
    else
        out->literal = (struct plan_literal){.kind = LITERAL_COMPLEX,
                                             .text = complex_text(r->arena, real, imaginary),
                                             .real = real,
                                             .imaginary = imaginary};
}

static void
default_bool(struct resolution *r, int position, const struct json_value *json)
{
    if (json->kind == JSON_BOOL)
        r->out->params[position].literal = bool_literal(json->boolean);
    else
        does_not_fit(r, position, PARAM_DEFAULT, "true or false");
}

static void
resolve_default(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    bool pointer = out->kind == PLAN_ARRAY || out->kind == PLAN_CELL || out->kind == PLAN_STRING;
    if (json->kind == JSON_NULL && pointer && out->nullable) {
        out->literal = (struct plan_literal){.kind = LITERAL_NULL, .text = "None"};
    } else if (json->kind == JSON_NULL) {
        does_not_fit(r, position, PARAM_DEFAULT,
                     pointer ? "\"nullable\": true beside null" : "a value (only a pointer can be null)");
    } else if (out->kind == PLAN_ARRAY) {
        does_not_fit(r, position, PARAM_DEFAULT, "null beside \"nullable\": true");
    } else if (out->kind == PLAN_CHAR) {
        if (json->kind == JSON_STRING && is_one_character(json->string))
            out->literal = string_literal(r->arena, json->string);
        else
            does_not_fit(r, position, PARAM_DEFAULT, "a string of one ASCII character");
    } else if (out->kind == PLAN_STRING) {
        if (json->kind == JSON_STRING)
            out->literal = string_literal(r->arena, json->string);
        else
            does_not_fit(r, position, PARAM_DEFAULT, "a string");
    } else {
        switch (dtype_kind(out->dtype)) {
        case 'b': default_bool(r, position, json); break;
        case 'i':
        case 'u': default_integer(r, position, json); break;
        case 'c': default_complex(r, position, json); break;
        default: default_real(r, position, json);
        }
    }
}

/* --- values --- */

/* A decimal number, as JSON or Python write it, and nothing else. */
static bool
read_real(const char *text, double *value)
{
    char *end;
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static void
value_integer(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    int64_t value;
    if (is_large_constant(r, position, json->string) || !resolve_expression(r, position, json->string, json, &out->value))
        return;
    if (expr_constant(&out->value, &value) && !integer_fits(out->dtype, value, false))
        does_not_fit(r, position, PARAM_VALUE, "an integer in its range");
}

static void
value_real(struct resolution *r, int position, const struct json_value *json)
{
    struct plan_param *out = &r->out->params[position];
    struct plan_expr expr;
    double value;
    int64_t integer;
    if (!read_real(json->string, &value)) {
        if (!resolve_expression(r, position, json->string, json, &expr))
            return;
        if (!expr_constant(&expr, &integer)) {
            does_not_fit(r, position, PARAM_VALUE, "a constant");
            return;
        }
        assert_constants(r, &expr);
        value = (double)integer;
    }
    if (real_fits(out->dtype, value))
        out->literal = real_literal(r->arena, value);
    else
        does_not_fit(r, position, PARAM_VALUE, "a number in its range");
}

static void
value_bool(struct resolution *r, int position, const struct json_value *json)
{
    if (strcmp(json->string, "true") == 0 || strcmp(json->string, "1") == 0)
        r->out->params[position].literal = bool_literal(true);
    else if (strcmp(json->string, "false") == 0 || strcmp(json->string, "0") == 0)
        r->out->params[position].literal = bool_literal(false);
    else
        does_not_fit(r, position, PARAM_VALUE, "\"true\" or \"false\"");
}

static void
resolve_value(struct resolution *r, int position, const struct json_value *json)
{
    const struct model_type *type = &r->function->params[position].type;
    struct plan_param *out = &r->out->params[position];
    if (type->kind == KIND_STRING || type->kind == KIND_ARRAY)
        out->dtype = PKW_NO_DTYPE; /* a pointer */
    if (type->kind != KIND_SCALAR && strcmp(json->string, "NULL") == 0) {
        out->literal = (struct plan_literal){.kind = LITERAL_NULL, .text = "None"};
    } else if (type->kind == KIND_STRING) {
        out->literal = string_literal(r->arena, json->string);
    } else if (type->kind != KIND_SCALAR) {
        does_not_fit(r, position, PARAM_VALUE, "\"NULL\", the only constant pointer");
    } else if (type->is_char) {
        if (is_one_character(json->string))
            out->literal = string_literal(r->arena, json->string);
        else
            does_not_fit(r, position, PARAM_VALUE, "one ASCII character");
    } else {
        switch (dtype_kind(out->dtype)) {
        case 'b': value_bool(r, position, json); break;
        case 'i':
        case 'u': value_integer(r, position, json); break;
        default: value_real(r, position, json);
        }
    }
}

void
resolve_literals(struct resolution *r)
{
    for (int i = 0; i < r->out->n_params; i++) {
        const struct manifest_param *said = r->said[i];
        if (said->given[PARAM_VALUE] != NULL)
            resolve_value(r, i, said->given[PARAM_VALUE]);
        else if (said->given[PARAM_DEFAULT] != NULL)
            resolve_default(r, i, said->given[PARAM_DEFAULT]);
    }
}
