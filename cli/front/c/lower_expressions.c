/* lower_expressions.c - bodies of functions from clang's syntax trees: expressions. */
#include <stdlib.h>
#include <string.h>

#include "lower_internal.h"

/* --- operators --- */

/* The first line of what is written there, for people. */
static const char *
source_text(struct builder *builder, CXCursor cursor)
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
static void
locate(struct builder *builder, struct node *node, CXCursor cursor)
{
    unit_place(builder->unit, clang.getCursorLocation(cursor), &node->place, NULL);
    node->text = source_text(builder, cursor);
}

/* Parts of an expression, outermost first, whose own parts are being built. */
struct open_expression {
    CXCursor cursor;
    struct cursors parts;
    int next;
    struct node *first, *last; /* what is built of the parts */
};

/* The node gets all that was built. */
static struct node *
with_children(struct node *node, const struct open_expression *open)
{
    for (struct node *child = open->first, *next; child != NULL; child = next) {
        next = child->next;
        child->next = NULL;
        node_add(node, child);
    }
    return node;
}

/* A store is located if it is not into a plain variable. */
static void
locate_store(struct builder *builder, struct node *store, CXCursor cursor)
{
    if (store->child != NULL && store->child->type == TYPE_ARRAY) /* typeof(parameter) and the like: a pointer in truth */
        builder->body->broken = "it assigns to what clang calls an array";
    if (store->child != NULL && store->child->kind != NODE_VARIABLE)
        locate(builder, store, cursor);
}

/* Long sums and the like become one chain, so that no tree is higher than it may be. */
static struct node *
flatten(struct builder *builder, struct node *node, CXCursor cursor)
{
    enum { HIGH = 100 };
    struct node *left = node->child, *right = left->next;
    if (node->kind != NODE_BINARY || left->height < HIGH)
        return node;
    bool is_logical = node->op == OPERATOR_AND || node->op == OPERATOR_OR;
    bool is_mixed = left->kind == NODE_CHAIN && (left->op == OPERATOR_AND || left->op == OPERATOR_OR) != is_logical;
    left->next = NULL;
    struct node *chain = left;
    if (left->kind != NODE_CHAIN || is_mixed) {
        chain = node_make(builder, NODE_CHAIN, cursor);
        node_add(chain, left);
    }
    chain->type = node->type;
    chain->width = node->width;
    chain->is_signed = node->is_signed;
    chain->op = is_logical ? node->op : OPERATOR_OTHER;
    node_add(chain, right);
    return chain;
}

static struct node *
build_binary(struct builder *builder, const struct open_expression *open, bool is_update)
{
    CXCursor cursor = open->cursor;
    enum CXBinaryOperatorKind kind = clang.getCursorBinaryOperatorKind(cursor);
    enum node_kind node_kind = is_update                         ? NODE_UPDATE
                               : kind == CXBinaryOperator_Assign ? NODE_ASSIGN
                               : kind == CXBinaryOperator_Comma  ? NODE_COMMA
                                                                 : NODE_BINARY;
    struct node *node = with_children(node_make(builder, node_kind, cursor), open);
    node->op = binary_operator(cursor);
    if (node->n_children != 2 || kind == CXBinaryOperator_Invalid)
        node->kind = NODE_UNKNOWN;
    else if (node_kind == NODE_ASSIGN || node_kind == NODE_UPDATE)
        locate_store(builder, node, cursor);
    return node->kind != NODE_UNKNOWN ? flatten(builder, node, cursor) : node;
}

static struct node *
build_increment(struct builder *builder, const struct open_expression *open, enum node_op op)
{
    CXCursor cursor = open->cursor;
    struct node *node = with_children(node_make(builder, NODE_UPDATE, cursor), open);
    node->op = op;
    struct node *one = node_make(builder, NODE_NUMBER, cursor);
    one->value = 1;
    node_add(node, one);
    locate_store(builder, node, cursor);
    return node;
}

static struct node *
build_unary(struct builder *builder, const struct open_expression *open)
{
    CXCursor cursor = open->cursor;
    enum node_kind kind = NODE_UNARY;
    enum node_op op = OPERATOR_OTHER;
    switch (clang.getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PreInc:
        return build_increment(builder, open, OPERATOR_ADD);
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreDec:
        return build_increment(builder, open, OPERATOR_SUB);
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
    struct node *node = with_children(node_make(builder, kind, cursor), open);
    node->op = op;
    return node;
}

/* --- names --- */

static struct node *
build_name(struct builder *builder, CXCursor cursor)
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

/* Members of a union are one another; so is whatever has no name. */
static struct node *
build_member(struct builder *builder, const struct open_expression *open)
{
    CXCursor cursor = open->cursor, field = clang.getCursorReferenced(cursor);
    struct node *node = with_children(node_make(builder, NODE_UNKNOWN, cursor), open);
    if (node->n_children != 1)
        return node;
    node->kind = node->child->type == TYPE_POINTER ? NODE_ARROW : NODE_MEMBER;
    const char *name = clang_take_string(builder->arena, clang.getCursorSpelling(cursor));
    bool is_in_struct = clang.getCursorKind(clang.getCursorSemanticParent(field)) == CXCursor_StructDecl;
    node->name = is_in_struct && *name != '\0' ? name : NULL;
    return node;
}

/* Pointer first, whichever way it is written. */
static struct node *
build_index(struct builder *builder, const struct open_expression *open)
{
    struct node *node = with_children(node_make(builder, NODE_INDEX, open->cursor), open);
    if (node->n_children != 2) {
        node->kind = NODE_UNKNOWN;
        return node;
    }
    struct node *first = node->child, *second = first->next;
    if (first->type == TYPE_INTEGER) {
        node->child = second;
        second->next = first;
        first->next = NULL;
        node->last = first;
    }
    return node;
}

static struct node *
build_call(struct builder *builder, const struct open_expression *open)
{
    CXCursor cursor = open->cursor;
    struct node *node = with_children(node_make(builder, NODE_CALL, cursor), open);
    if (node->n_children == 0 || open->parts.n == 0)
        node->kind = NODE_UNKNOWN;
    else
        node->function = node->child->kind == NODE_FUNCTION ? node->child->function
                                                            : describe_pointer(builder, open->parts.items[0]);
    locate(builder, node, cursor);
    return node;
}

/* --- constants --- */

static struct node *
build_number(struct builder *builder, CXCursor cursor)
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

/* A conversion that may change a number, or makes an address of one or the other way round. */
static bool
converts(const struct node *node, const struct node *child)
{
    bool was_number = child->type == TYPE_INTEGER || child->type == TYPE_FLOATING;
    bool is_number = node->type == TYPE_INTEGER || node->type == TYPE_FLOATING;
    if (was_number != is_number)
        return node->type != TYPE_OTHER;
    return is_number && (node->type != child->type || node->width != child->width || node->is_signed != child->is_signed);
}

static struct node *
convert(struct node *node, struct node *child)
{
    bool keeps_number = child->kind == NODE_NUMBER && node->type == TYPE_INTEGER
                        && (node->width > child->width || (node->width == child->width && child->value >= 0))
                        && (child->value >= 0 || node->is_signed);
    if (keeps_number || child->kind == NODE_CHAIN) {
        child->type = node->type;
        child->width = node->width;
        child->is_signed = node->is_signed;
        return child;
    }
    node->kind = NODE_CONVERT;
    node->child = NULL;
    node->last = NULL;
    node->n_children = 0;
    node_add(node, child);
    return node;
}

/* A node that adds nothing to its one operand: parentheses, and conversions that clang inserts. An array that becomes a
 * pointer stays an array here. */
static struct node *
build_transparent(struct builder *builder, const struct open_expression *open)
{
    struct node *node = with_children(node_make(builder, NODE_UNKNOWN, open->cursor), open);
    if (node->n_children != 1 || open->parts.n != 1)
        return node;
    return converts(node, node->child) ? convert(node, node->child) : node->child;
}

/* In the type of a cast there may be sizes of arrays, which are evaluated before. */
static struct node *
build_cast(struct builder *builder, const struct open_expression *open)
{
    struct node *all = with_children(node_make(builder, NODE_COMMA, open->cursor), open), *value = all->last;
    if (value == NULL)
        return node_make(builder, NODE_UNKNOWN, open->cursor);
    struct node *node = node_make(builder, NODE_CONVERT, open->cursor);
    locate(builder, node, open->cursor);
    if (all->n_children == 1) {
        node_add(node, value);
        return node;
    }
    struct node *sizes = node_make(builder, NODE_CHAIN, open->cursor), *both = node_make(builder, NODE_COMMA, open->cursor);
    sizes->type = TYPE_INTEGER;
    for (struct node *size = all->child, *next; size != value; size = next) {
        next = size->next;
        size->next = NULL;
        node_add(sizes, size);
    }
    node_add(node, value);
    node_add(both, sizes);
    node_add(both, node);
    return both;
}

/* sizeof and its like evaluate nothing but the sizes of variable length arrays; then they are no constants. */
static struct node *
build_size(struct builder *builder, const struct open_expression *open)
{
    struct node *number = build_number(builder, open->cursor);
    if (number->kind == NODE_NUMBER)
        return number;
    struct node *sizes = with_children(node_make(builder, NODE_CHAIN, open->cursor), open);
    sizes->op = OPERATOR_AND; /* nobody knows which of them */
    return sizes;
}

static struct node *
build_literal(struct builder *builder, const struct open_expression *open)
{
    struct node *node = with_children(node_make(builder, NODE_LITERAL, open->cursor), open);
    struct body *body = builder->body;
    node->variable = builder_variable(builder, open->cursor); /* a variable without a name */
    body->variables[node->variable].type = node->type;
    body->variables[node->variable].is_global = false;
    return node;
}

/* --- initializers --- */

struct field_list {
    struct arena *arena;
    CXCursor *fields;
    int n;
};

static enum CXVisitorResult
add_field(CXCursor field, CXClientData data)
{
    struct field_list *list = data;
    *ARENA_PUSH(list->arena, list->fields, list->n) = field;
    return CXVisit_Continue;
}

/* Whether an initializer of that kind may be meant for the field: without braces, values of an inner structure look like ours. */
static bool
fits(CXCursor field, const struct node *value)
{
    enum node_type type = type_class(clang.getCursorType(field));
    bool has_parts = type == TYPE_ARRAY || type == TYPE_RECORD
                     || clang.getCanonicalType(clang.getCursorType(field)).kind == CXType_Record;
    return !has_parts || value->kind == NODE_LIST || (value->kind == NODE_OPAQUE && value->name != NULL);
}

/* Each value of a structure's initializer is given its field, if they are in order and nothing is left to be guessed. */
static struct node *
build_list(struct builder *builder, const struct open_expression *open)
{
    struct node *node = with_children(node_make(builder, NODE_LIST, open->cursor), open);
    CXType type = clang.getCanonicalType(clang.getCursorType(open->cursor));
    struct field_list list = {.arena = builder->arena};
    if (type.kind != CXType_Record || clang.getCursorKind(clang.getTypeDeclaration(type)) != CXCursor_StructDecl)
        return node;
    clang.Type_visitFields(type, add_field, &list);
    int i = 0;
    for (const struct node *value = node->child; value != NULL; value = value->next, i++)
        if (i >= list.n || !fits(list.fields[i], value) || value->kind == NODE_UNKNOWN)
            return node;
    struct node *named = node_make(builder, NODE_LIST, open->cursor);
    i = 0;
    for (struct node *value = node->child, *next; value != NULL; value = next, i++) {
        next = value->next;
        value->next = NULL;
        const char *name = clang_take_string(builder->arena, clang.getCursorSpelling(list.fields[i]));
        struct node *initial = node_make(builder, NODE_INITIAL, open->cursor);
        initial->name = name;
        initial->type = value->type;
        node_add(initial, value);
        node_add(named, *name != '\0' ? initial : value);
    }
    return named;
}

/* --- one after the other --- */

static struct node *
build_string(struct builder *builder, CXCursor cursor)
{
    struct node *node = node_make(builder, NODE_OPAQUE, cursor);
    node->name = clang_take_string(builder->arena, clang.getCursorSpelling(cursor));
    return node;
}

/* An expression that has no parts of interest, or NULL. */
static struct node *
build_leaf(struct builder *builder, CXCursor cursor)
{
    switch ((int)clang.getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
        return build_name(builder, cursor);
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
        return build_number(builder, cursor);
    case CXCursor_FloatingLiteral:
    case CXCursor_ImaginaryLiteral:
    case CXCursor_AddrLabelExpr:
        return node_make(builder, NODE_OPAQUE, cursor);
    case CXCursor_StringLiteral:
        return build_string(builder, cursor);
    default:
        return NULL;
    }
}

/* The expression, all of whose parts are built. What is of no kind below is not known. */
static struct node *
build_closed(struct builder *builder, const struct open_expression *open)
{
    CXCursor cursor = open->cursor;
    switch ((int)clang.getCursorKind(cursor)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return build_transparent(builder, open);
    case CXCursor_UnaryExpr:
        return build_size(builder, open);
    case CXCursor_CStyleCastExpr:
        return build_cast(builder, open);
    case CXCursor_ArraySubscriptExpr:
        return build_index(builder, open);
    case CXCursor_MemberRefExpr:
        return build_member(builder, open);
    case CXCursor_CallExpr:
        return build_call(builder, open);
    case CXCursor_BinaryOperator:
        return build_binary(builder, open, false);
    case CXCursor_CompoundAssignOperator:
        return build_binary(builder, open, true);
    case CXCursor_UnaryOperator:
        return build_unary(builder, open);
    case CXCursor_ConditionalOperator:
        return with_children(node_make(builder, NODE_CONDITIONAL, cursor), open);
    case CXCursor_InitListExpr:
        return build_list(builder, open);
    case CXCursor_CompoundLiteralExpr:
        return build_literal(builder, open);
    case CXCursor_StmtExpr:
        return with_children(node_make(builder, NODE_BLOCK_VALUE, cursor), open);
    default:
        return with_children(node_make(builder, NODE_UNKNOWN, cursor), open);
    }
}

static struct open_expression *
grow_stack(struct open_expression *stack, int *room)
{
    *room = *room > 0 ? 2 * *room : 64;
    stack = realloc(stack, (size_t)*room * sizeof *stack);
    if (stack == NULL)
        exit(environment_error("out of memory"));
    return stack;
}

/* Whether an expression of that kind can be an array, not just the address of one. libclang calls a parameter, and everything
 * computed from it, by the array type that the parameter was declared with. */
static bool
can_be_array(enum node_kind kind)
{
    return kind == NODE_VARIABLE || kind == NODE_INDEX || kind == NODE_POINTEE || kind == NODE_MEMBER || kind == NODE_ARROW
           || kind == NODE_LITERAL;
}

static struct node *
settled(struct node *node)
{
    if (node->type == TYPE_ARRAY && !can_be_array(node->kind))
        node->type = TYPE_POINTER;
    return node;
}

static void
add_built(struct open_expression *open, struct node *node)
{
    if (open->last != NULL)
        open->last->next = node;
    else
        open->first = node;
    open->last = node;
}

/* A part of an expression that is none itself: statements are built, names of types and members say nothing, and what is neither
 * is not understood. */
static void
add_part(struct builder *builder, struct open_expression *open, CXCursor part)
{
    enum CXCursorKind kind = clang.getCursorKind(part);
    if (clang.isStatement(kind))
        add_built(open, build_statement(builder, part));
    else if (!clang.isReference(kind))
        builder->body->broken = "there is an expression in it that is not understood";
}

struct node *
build_expression(struct builder *builder, CXCursor cursor)
{
    struct open_expression *stack = NULL;
    int n = 0, room = 0;
    struct node *built = build_leaf(builder, cursor);
    if (built != NULL)
        return settled(built);
    for (CXCursor next = cursor;;) {
        if (n == room)
            stack = grow_stack(stack, &room);
        stack[n++] = (struct open_expression){.cursor = next, .parts = children_of(builder, next)};
        for (;;) { /* until a part has parts of its own */
            struct open_expression *top = &stack[n - 1];
            if (top->next < top->parts.n) {
                CXCursor part = top->parts.items[top->next++];
                built = clang.isExpression(clang.getCursorKind(part)) ? build_leaf(builder, part) : NULL;
                if (built != NULL) {
                    add_built(top, settled(built));
                } else if (clang.isExpression(clang.getCursorKind(part))) {
                    next = part;
                    break;
                } else {
                    add_part(builder, top, part);
                }
                continue;
            }
            built = settled(build_closed(builder, top));
            if (--n == 0) {
                free(stack);
                return built;
            }
            add_built(&stack[n - 1], built);
        }
    }
}
