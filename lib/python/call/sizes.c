/* sizes.c - expressions over checked 64-bit integers; sizes from dimensions, filled-in values, and every declared dimension checked
 * against what was given.
 */
#include "call_internal.h"
#include "base/errors.h"
#include "scalars.h"

/* --- expressions: postfix code ---------------------------------------------------------------------------------------- */

/* One operation on the two topmost numbers; false on overflow. Division by zero is told apart by the caller. */
static bool
apply(pkw_op_code code, int64_t left, int64_t right, int64_t *result)
{
    switch (code) {
    case PKW_OP_ADD: return !__builtin_add_overflow(left, right, result);
    case PKW_OP_SUB: return !__builtin_sub_overflow(left, right, result);
    case PKW_OP_MUL: return !__builtin_mul_overflow(left, right, result);
    default:
        if (left == INT64_MIN && right == -1) /* the one quotient that does not fit */
            return false;
        *result = code == PKW_OP_DIV ? left / right : left % right;
        return true;
    }
}

static int
raise_overflow(const struct call *call, const pkw_expr *expression)
{
    return raise_call_error(PyExc_ValueError, call->kernel->name, "'%s' overflows 64 bits", expression->text);
}

int
expression_value(struct call *call, const pkw_expr *expression, int64_t *value)
{
    int64_t stack[expression->n_ops + 1]; /* as deep as the code is long, at most */
    int depth = 0;
    for (int i = 0; i < expression->n_ops; i++) {
        const pkw_op *op = &expression->ops[i];
        switch ((pkw_op_code)op->code) {
        case PKW_OP_CONST: stack[depth++] = op->value; break;
        case PKW_OP_PARAM:
            if (integer_parameter(call, (int)op->value, &stack[depth++]) < 0)
                return -1;
            break;
        case PKW_OP_NEG:
            if (__builtin_sub_overflow(INT64_C(0), stack[depth - 1], &stack[depth - 1]))
                return raise_overflow(call, expression);
            break;
        case PKW_OP_ADD:
        case PKW_OP_SUB:
        case PKW_OP_MUL:
        case PKW_OP_DIV:
        case PKW_OP_MOD:
            depth--;
            if ((op->code == PKW_OP_DIV || op->code == PKW_OP_MOD) && stack[depth] == 0)
                return raise_call_error(PyExc_ValueError, call->kernel->name, "'%s' divides by zero", expression->text);
            if (!apply((pkw_op_code)op->code, stack[depth - 1], stack[depth], &stack[depth - 1]))
                return raise_overflow(call, expression);
            break;
        }
    }
    *value = stack[0];
    return 0;
}

/* --- sizes ------------------------------------------------------------------------------------------------------------- */

static bool
is_given(const struct argument *argument)
{
    return argument->given != NULL && argument->given != Py_None;
}

/* Whether the expression is nothing but this parameter. */
static bool
is_parameter(const pkw_expr *expression, int position)
{
    return expression->n_ops == 1 && expression->ops[0].code == PKW_OP_PARAM && expression->ops[0].value == position;
}

int
size_source(const struct call *call, int position, int *dim)
{
    const pkw_kernel *kernel = call->kernel;
    const pkw_param *param = &kernel->params[position];
    if (param->kind == PKW_SIZE && param->from_param >= 0 && is_given(&call->arguments[param->from_param])) {
        *dim = param->from_dim;
        return param->from_param;
    }
    for (int i = 0; i < kernel->n_params; i++) {
        if (kernel->params[i].kind != PKW_ARRAY || !is_given(&call->arguments[i]))
            continue;
        for (int d = 0; d < kernel->params[i].rank; d++)
            if (is_parameter(&kernel->params[i].shape[d], position)) {
                *dim = d;
                return i;
            }
    }
    return -1;
}

static int
size_from_array(struct call *call, int position)
{
    const pkw_kernel *kernel = call->kernel;
    const pkw_param *param = &kernel->params[position];
    int dim;
    int source = size_source(call, position, &dim);
    if (source < 0)
        return raise_call_error(PyExc_TypeError, kernel->name, "nothing tells the size '%s'", param->name);
    int64_t extent = call->arguments[source].info.shape[dim];
    if (!store_integer((pkw_dtype)param->dtype, extent, &call->slots[position]))
        return raise_argument_error(PyExc_OverflowError, kernel->name, kernel->params[source].name,
                                    "has %lld elements in dimension %d, out of range for '%s' of C type '%s'",
                                    (long long)extent, dim, param->name, param->c_type);
    call->arguments[position].is_known = true;
    return 0;
}

static int
fill_value(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    pkw_slot *slot = &call->slots[position];
    call->arguments[position].is_known = true;
    if (param->value.n_ops == 0) {
        *slot = param->preset;
        if (param->preset_text != NULL)
            slot->ptr = (void *)(uintptr_t)param->preset_text; /* a const char * parameter */
        return 0;
    }
    int64_t value;
    if (expression_value(call, &param->value, &value) < 0)
        return -1;
    if (!store_integer((pkw_dtype)param->dtype, value, slot))
        return raise_call_error(PyExc_OverflowError, call->kernel->name,
                                "'%s' = %s = %lld is out of range for C type '%s'", param->name, param->value.text,
                                (long long)value, param->c_type);
    return 0;
}

static int
make_known(struct call *call, int position)
{
    if (call->kernel->params[position].kind == PKW_VALUE)
        return fill_value(call, position);
    return size_from_array(call, position);
}

int
integer_parameter(struct call *call, int position, int64_t *value)
{
    const pkw_param *param = &call->kernel->params[position];
    if (!call->arguments[position].is_known && make_known(call, position) < 0)
        return -1;
    if (!load_integer((pkw_dtype)param->dtype, value_slot(call, position), value))
        return raise_argument_error(PyExc_OverflowError, call->kernel->name, param->name,
                                    "is too large for a size: above %lld", (long long)INT64_MAX);
    return 0;
}

int
find_sizes(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        uint8_t kind = call->kernel->params[i].kind;
        if ((kind == PKW_SIZE || kind == PKW_VALUE) && !call->arguments[i].is_known && make_known(call, i) < 0)
            return -1;
    }
    return 0;
}

/* "n = 4 is dimension 0 of argument 'x'; m = 3" for the parameters of an expression. */
static PyObject *
describe_terms(struct call *call, const pkw_expr *expression)
{
    PyObject *text = PyUnicode_FromString("");
    for (int i = 0; text != NULL && i < expression->n_ops; i++) {
        int position = (int)expression->ops[i].value, dim;
        int64_t value;
        if (expression->ops[i].code != PKW_OP_PARAM || integer_parameter(call, position, &value) < 0)
            continue;
        const pkw_param *param = &call->kernel->params[position];
        const char *separator = PyUnicode_GET_LENGTH(text) == 0 ? ", where " : "; ";
        int source = param->kind == PKW_SIZE && !is_given(&call->arguments[position])
                         ? size_source(call, position, &dim)
                         : -1;
        PyObject *longer =
            source < 0 ? PyUnicode_FromFormat("%U%s%s = %lld", text, separator, param->name, (long long)value)
                       : PyUnicode_FromFormat("%U%s%s = %lld is dimension %d of argument '%s'", text, separator,
                                              param->name, (long long)value, dim, call->kernel->params[source].name);
        Py_DECREF(text);
        text = longer;
    }
    return text;
}

static int
raise_wrong_shape(struct call *call, int position, int dim, int64_t expected)
{
    const pkw_param *param = &call->kernel->params[position];
    const pkw_expr *expression = &param->shape[dim];
    PyObject *terms = describe_terms(call, expression);
    if (terms == NULL)
        return -1;
    bool compound = expression->n_ops > 1; /* else its text is the number or the parameter itself */
    raise_argument_error(PyExc_ValueError, call->kernel->name, param->name,
                         "has %lld elements in dimension %d, expected %s%s%lld%U",
                         (long long)call->arguments[position].info.shape[dim], dim, compound ? expression->text : "",
                         compound ? " = " : "", (long long)expected, terms);
    Py_DECREF(terms);
    return -1;
}

int
check_shapes(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        if (kernel->params[i].kind != PKW_ARRAY || kernel->params[i].shape == NULL || !call->arguments[i].is_array)
            continue;
        for (int dim = 0; dim < kernel->params[i].rank; dim++) {
            const pkw_expr *expression = &kernel->params[i].shape[dim];
            int64_t expected;
            if (expression->n_ops == 0)
                continue;
            if (expression_value(call, expression, &expected) < 0)
                return -1;
            if (expected != call->arguments[i].info.shape[dim])
                return raise_wrong_shape(call, i, dim, expected);
        }
    }
    return 0;
}
