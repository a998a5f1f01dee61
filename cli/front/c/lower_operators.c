/* lower_operators.c - which operator a binary one is. */
#include "lower_internal.h"

enum node_op
binary_operator(CXCursor cursor)
{
    switch (clang.getCursorBinaryOperatorKind(cursor)) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_AddAssign:
        return OPERATOR_ADD;
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_SubAssign:
        return OPERATOR_SUB;
    case CXBinaryOperator_Mul:
    case CXBinaryOperator_MulAssign:
        return OPERATOR_MUL;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_DivAssign:
        return OPERATOR_DIV;
    case CXBinaryOperator_Rem:
    case CXBinaryOperator_RemAssign:
        return OPERATOR_REM;
    case CXBinaryOperator_LT:
        return OPERATOR_LESS;
    case CXBinaryOperator_LE:
        return OPERATOR_LESS_EQUAL;
    case CXBinaryOperator_GT:
        return OPERATOR_GREATER;
    case CXBinaryOperator_GE:
        return OPERATOR_GREATER_EQUAL;
    case CXBinaryOperator_EQ:
        return OPERATOR_EQUAL;
    case CXBinaryOperator_NE:
        return OPERATOR_NOT_EQUAL;
    case CXBinaryOperator_LAnd:
        return OPERATOR_AND;
    case CXBinaryOperator_LOr:
        return OPERATOR_OR;
    default:
        return OPERATOR_OTHER;
    }
}
