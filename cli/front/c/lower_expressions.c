/* lower_expressions.c - bodies of functions from clang's syntax trees: expressions. */
#include <string.h>

#include "lower_internal.h"

/* --- operators --- */

static enum node_op binary_operator(CXCursor cursor)
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

/* The first line of what is written there, for people. */
static const char *source_text(struct builder *builder, CXCursor cursor)
{
    enum { LONGEST = 60 };
    struct unit *unit = builder->unit;
    CXSourceRange extent = clang.getCursorExtent(cursor);
    CXFile file;
    unsigned start, end;
    clang.getExpansionLocation(clang.getRangeStart(extent), &file, NULL, NULL, &start);
    clang.getFileLocation(clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
    size_t length = 0;
    const char *bytes = file != NULL ? clang.getFileContents(unit->tu, file, &length) : NULL;
    if (bytes == NULL || start >= end || end > length)
        return "";
    struct text text = {0};
    int open = 0; /* where the last word comes out of a macro, the macro's parenthesis is still open */
    for (const char *at = bytes + start; at < bytes + length && text.length < LONGEST; at++) {
        if (at >= bytes + end && open <= 0)
            break;
        open += (*at == '(') - (*at == ')');
        bool is_space = *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
        if (!is_space)
            text_add_n(&text, at, 1);
        else if (text.length > 0 && text.data[text.length - 1] != ' ')
            text_add_n(&text, " ", 1);
    }
    if (text.length == LONGEST)
        text_add(&text, "...");
    const char *copy = arena_copy_n(builder->arena, text.data, text.length);
    text_release(&text);
    return copy;
}

/* Place and text of something that is evidence. */
static void locate(struct builder *builder, struct node *node, CXCursor cursor)
{
    unit_place(builder->unit, clang.getCursorLocation(cursor), &node->place, NULL);
    node->text = source_text(builder, cursor);
}

static struct node *build_children(struct builder *builder, struct node *node, struct cursors parts)
{
    for (int i = 0; i < parts.n; i++)
        if (clang.isExpression(clang.getCursorKind(parts.items[i])))
            node_add(node, build_expression(builder, parts.items[i]));
    return node;
}

/* A store is located if it is not into a plain variable. */
static void locate_store(struct builder *builder, struct node *store, CXCursor cursor)
{
    if (store->child != NULL && store->child->type == TYPE_ARRAY) /* typeof(parameter) and the like: a pointer in truth */
        builder->body->broken = "it assigns to what clang calls an array";
    if (store->child != NULL && store->child->kind != NODE_VARIABLE)
        locate(builder, store, cursor);
}

static struct node *build_binary(struct builder *builder, CXCursor cursor, struct cursors parts, bool is_update)
{
    enum CXBinaryOperatorKind kind = clang.getCursorBinaryOperatorKind(cursor);
    enum node_kind node_kind = is_update                         ? NODE_UPDATE
                               : kind == CXBinaryOperator_Assign ? NODE_ASSIGN
                               : kind == CXBinaryOperator_Comma  ? NODE_COMMA
                                                                 : NODE_BINARY;
    struct node *node = build_children(builder, node_make(builder, node_kind, cursor), parts);
    node->op = binary_operator(cursor);
    if (node->n_children != 2 || kind == CXBinaryOperator_Invalid)
        node->kind = NODE_UNKNOWN;
    else if (node_kind == NODE_ASSIGN || node_kind == NODE_UPDATE)
        locate_store(builder, node, cursor);
    return node;
}

static struct node *build_increment(struct builder *builder, CXCursor cursor, struct cursors parts, enum node_op op)
{
    struct node *node = build_children(builder, node_make(builder, NODE_UPDATE, cursor), parts);
    node->op = op;
    struct node *one = node_make(builder, NODE_NUMBER, cursor);
    one->value = 1;
    node_add(node, one);
    locate_store(builder, node, cursor);
    return node;
}

static struct node *build_unary(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    enum node_kind kind = NODE_UNARY;
    enum node_op op = OPERATOR_OTHER;
    switch (clang.getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PreInc:
        return build_increment(builder, cursor, parts, OPERATOR_ADD);
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreDec:
        return build_increment(builder, cursor, parts, OPERATOR_SUB);
    case CXUnaryOperator_AddrOf:
        kind = NODE_ADDRESS;
        break;
    case CXUnaryOperator_Deref:
        kind = NODE_POINTEE;
        break;
    case CXUnaryOperator_Minus:
        op = OPERATOR_MINUS;
        break;
    case CXUnaryOperator_LNot:
        op = OPERATOR_NOT;
        break;
    case CXUnaryOperator_Real:
    case CXUnaryOperator_Imag:
        op = OPERATOR_PART;
        break;
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_Extension:
        break;
    default:
        kind = NODE_UNKNOWN;
        break;
    }
    struct node *node = build_children(builder, node_make(builder, kind, cursor), parts);
    node->op = op;
    return node;
}

/* --- names --- */

/* What a function's type says. Without a prototype it takes any arguments. */
static struct called *describe_type(struct builder *builder, CXType type)
{
    struct called *called = arena_take(builder->arena, 1, sizeof *called);
    int n = clang.getNumArgTypes(type);
    called->n_params = n > 0 ? n : 0;
    called->is_variadic = clang.isFunctionTypeVariadic(type) != 0;
    enum node_type result = type_class(clang.getResultType(type));
    called->returns_pointer = result != TYPE_FLOATING && result != TYPE_OTHER;
    called->may_write = arena_take(builder->arena, called->n_params, sizeof *called->may_write);
    for (int i = 0; i < called->n_params; i++) {
        struct model_type described;
        CXType param = clang.getArgType(type, (unsigned)i);
        type_describe(builder->unit, param, false, &described);
        called->may_write[i] = type_class(param) != TYPE_FLOATING && !type_is_read_only(&described);
    }
    return called;
}

static const struct called *describe_function(struct builder *builder, CXCursor function)
{
    struct called *called = describe_type(builder, clang.getCanonicalType(clang.getCursorType(function)));
    called->name = clang_take_string(builder->arena, clang.getCursorSpelling(function));
    called->unit = clang.getCursorLinkage(function) == CXLinkage_External ? NULL : builder->unit->path;
    return called;
}

/* Of a call through a pointer: what the pointer's type says of the function, or NULL. */
static const struct called *describe_pointer(struct builder *builder, CXCursor callee)
{
    CXType type = clang.getCanonicalType(clang.getCursorType(callee));
    if (type.kind == CXType_Pointer)
        type = clang.getCanonicalType(clang.getPointeeType(type));
    return type.kind == CXType_FunctionProto ? describe_type(builder, type) : NULL;
}

static struct node *build_name(struct builder *builder, CXCursor cursor)
{
    CXCursor meant = clang.getCursorReferenced(cursor);
    struct node *node = node_make(builder, NODE_UNKNOWN, cursor);
    switch ((int)clang.getCursorKind(meant)) {
    case CXCursor_ParmDecl:
    case CXCursor_VarDecl:
        node->kind = NODE_VARIABLE;
        node->variable = builder_variable(builder, meant);
        if (builder->body->variables[node->variable].param >= 0 && node->type == TYPE_ARRAY)
            node->type = TYPE_POINTER; /* whatever it is declared as */
        break;
    case CXCursor_FunctionDecl:
        node->kind = NODE_FUNCTION;
        node->function = describe_function(builder, meant);
        break;
    case CXCursor_EnumConstantDecl:
        node->kind = NODE_NUMBER;
        node->value = clang.getEnumConstantDeclValue(meant);
        break;
    default:
        break;
    }
    return node;
}

static struct node *build_member(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = build_children(builder, node_make(builder, NODE_UNKNOWN, cursor), parts);
    if (node->n_children != 1)
        return node;
    node->kind = node->child->type == TYPE_POINTER ? NODE_ARROW : NODE_MEMBER;
    node->name = clang_take_string(builder->arena, clang.getCursorSpelling(cursor));
    return node;
}

/* Pointer first, whichever way it is written. */
static struct node *build_index(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = build_children(builder, node_make(builder, NODE_INDEX, cursor), parts);
    if (node->n_children != 2) {
        node->kind = NODE_UNKNOWN;
        return node;
    }
    struct node *first = node->child, *second = first->next;
    if (first->type == TYPE_INTEGER) {
        node->child = second;
        second->next = first;
        first->next = NULL;
    }
    return node;
}

static struct node *build_call(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = build_children(builder, node_make(builder, NODE_CALL, cursor), parts);
    if (node->n_children == 0)
        node->kind = NODE_UNKNOWN;
    else
        node->function = node->child->kind == NODE_FUNCTION ? node->child->function : describe_pointer(builder, parts.items[0]);
    locate(builder, node, cursor);
    return node;
}

/* --- constants --- */

static struct node *build_number(struct builder *builder, CXCursor cursor)
{
    struct node *node = node_make(builder, NODE_OPAQUE, cursor);
    CXEvalResult result = clang.Cursor_Evaluate(cursor);
    if (result == NULL)
        return node;
    if (clang.EvalResult_getKind(result) == CXEval_Int) {
        node->kind = NODE_NUMBER;
        node->value = clang.EvalResult_getAsLongLong(result);
    }
    clang.EvalResult_dispose(result);
    return node;
}

/* --- all of them --- */

/* A node that adds nothing to its one operand: parentheses, and conversions that clang inserts. An array that becomes a
 * pointer stays an array here. */
static struct node *build_transparent(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = build_children(builder, node_make(builder, NODE_UNKNOWN, cursor), parts);
    return node->n_children == 1 ? node->child : node;
}

static struct node *build_literal(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = build_children(builder, node_make(builder, NODE_LITERAL, cursor), parts);
    struct body *body = builder->body;
    node->variable = builder_variable(builder, cursor); /* a variable without a name */
    body->variables[node->variable].type = node->type;
    body->variables[node->variable].is_global = false;
    return node;
}

static struct node *build_any(struct builder *builder, CXCursor cursor)
{
    enum CXCursorKind kind = clang.getCursorKind(cursor);
    switch ((int)kind) { /* without a look at their children */
    case CXCursor_DeclRefExpr:
        return build_name(builder, cursor);
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr: /* sizeof */
        return build_number(builder, cursor);
    case CXCursor_FloatingLiteral:
    case CXCursor_ImaginaryLiteral:
    case CXCursor_AddrLabelExpr:
        return node_make(builder, NODE_OPAQUE, cursor);
    case CXCursor_StringLiteral: {
        struct node *node = node_make(builder, NODE_OPAQUE, cursor);
        node->name = clang_take_string(builder->arena, clang.getCursorSpelling(cursor));
        return node;
    }
    default:
        break;
    }
    struct cursors parts = children_of(builder, cursor);
    switch ((int)kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return build_transparent(builder, cursor, parts);
    case CXCursor_CStyleCastExpr: {
        struct node *node = build_children(builder, node_make(builder, NODE_CONVERT, cursor), parts);
        node->value = clang.Type_getSizeOf(clang.getCursorType(cursor));
        return node;
    }
    case CXCursor_ArraySubscriptExpr:
        return build_index(builder, cursor, parts);
    case CXCursor_MemberRefExpr:
        return build_member(builder, cursor, parts);
    case CXCursor_CallExpr:
        return build_call(builder, cursor, parts);
    case CXCursor_BinaryOperator:
        return build_binary(builder, cursor, parts, false);
    case CXCursor_CompoundAssignOperator:
        return build_binary(builder, cursor, parts, true);
    case CXCursor_UnaryOperator:
        return build_unary(builder, cursor, parts);
    case CXCursor_ConditionalOperator:
        return build_children(builder, node_make(builder, NODE_CONDITIONAL, cursor), parts);
    case CXCursor_InitListExpr:
        return build_children(builder, node_make(builder, NODE_LIST, cursor), parts);
    case CXCursor_CompoundLiteralExpr:
        return build_literal(builder, cursor, parts);
    case CXCursor_StmtExpr:
        return build_parts(builder, NODE_BLOCK_VALUE, cursor, parts);
    default:
        return build_children(builder, node_make(builder, NODE_UNKNOWN, cursor), parts);
    }
}

/* Whether an expression of that kind can be an array, not just the address of one. libclang calls a parameter, and everything
 * computed from it, by the array type that the parameter was declared with. */
static bool can_be_array(enum node_kind kind)
{
    return kind == NODE_VARIABLE || kind == NODE_INDEX || kind == NODE_POINTEE || kind == NODE_MEMBER || kind == NODE_ARROW ||
           kind == NODE_LITERAL;
}

struct node *build_expression(struct builder *builder, CXCursor cursor)
{
    struct node *node = build_any(builder, cursor);
    if (node->type == TYPE_ARRAY && !can_be_array(node->kind))
        node->type = TYPE_POINTER;
    return node;
}
