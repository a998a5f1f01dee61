/* expressions.c - postfix code over checked 64-bit integers. */
#include "call.h"
#include "base/errors.h"

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
