/* extents.c - the extents of array parameters, as expressions over parameters and constants.
 *
 * libclang does not tell the extent of a variable length array from its type, but the expressions are children of the
 * parameter's declaration: a[n][2*m+1] has 2*m+1, then n.
 */
#include <stdint.h>
#include <ctype.h>
#include <string.h>

#include "unit_internal.h"

/* --- an expression, written as a manifest would --- */

/* A node's children; more than three is nothing that an extent may hold. */
enum { MOST_CHILDREN = 3 };
struct children {
    CXCursor nodes[MOST_CHILDREN];
    int n;
};

static enum CXChildVisitResult
collect_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct children *children = data;
    if (children->n < MOST_CHILDREN)
        children->nodes[children->n] = cursor;
    children->n++;
    return CXChildVisit_Continue;
}

static bool write_expression(struct unit *unit, CXCursor node, struct text *out);

/* Extents are worked out in 64 bits, so a conversion to a narrower type than int would change them. */
static bool
write_conversion(struct unit *unit, CXCursor node, CXCursor operand, struct text *out)
{
    return clang.Type_getSizeOf(clang.getCursorType(node)) >= (long long)sizeof(int) && write_expression(unit, operand, out);
}

static bool
is_literal(CXCursor node, long long value)
{
    if (clang.getCursorKind(node) != CXCursor_IntegerLiteral)
        return false;
    CXEvalResult result = clang.Cursor_Evaluate(node);
    if (result == NULL)
        return false;
    bool is_equal = clang.EvalResult_getKind(result) == CXEval_Int && clang.EvalResult_getAsLongLong(result) == value;
    clang.EvalResult_dispose(result);
    return is_equal;
}

static bool
write_binary(struct unit *unit, CXCursor node, const struct children *operands, struct text *out)
{
    static const struct {
        enum CXBinaryOperatorKind kind;
        const char *sign;
        long long neutral; /* on the right side this changes nothing; -1: there is none, and no literal is negative */
    } operators[] = {{CXBinaryOperator_Add, "+", 0},
                     {CXBinaryOperator_Sub, "-", 0},
                     {CXBinaryOperator_Mul, "*", 1},
                     {CXBinaryOperator_Div, "/", 1},
                     {CXBinaryOperator_Rem, "%", -1}};
    enum CXBinaryOperatorKind kind = clang.getCursorBinaryOperatorKind(node);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (operators[i].kind != kind)
            continue;
        if (!write_expression(unit, operands->nodes[0], out))
            return false;
        if (is_literal(operands->nodes[1], operators[i].neutral)) /* padding, n + PAD: an n by itself says more */
            return true;
        text_add(out, operators[i].sign);
        return write_expression(unit, operands->nodes[1], out);
    }
    return false;
}

static bool
write_name(CXCursor node, struct text *out, struct arena *arena)
{
    CXCursor meant = clang.getCursorReferenced(node);
    enum CXCursorKind kind = clang.getCursorKind(meant);
    if (kind != CXCursor_ParmDecl && kind != CXCursor_EnumConstantDecl)
        return false;
    text_add(out, clang_take_string(arena, clang.getCursorSpelling(meant)));
    return true;
}

/* The value of a constant. */
static bool
write_value(CXCursor node, struct text *out)
{
    CXEvalResult result = clang.Cursor_Evaluate(node);
    if (result == NULL)
        return false;
    bool is_integer = clang.EvalResult_getKind(result) == CXEval_Int;
    if (is_integer)
        text_printf(out, "%lld", clang.EvalResult_getAsLongLong(result));
    clang.EvalResult_dispose(result);
    return is_integer;
}

/* Appends the expression with the parentheses it was written with; false where it has parts that a manifest's expressions
 * lack. */
static bool
write_expression(struct unit *unit, CXCursor node, struct text *out)
{
    struct children operands = {.n = 0};
    clang.visitChildren(node, collect_child, &operands);
    switch ((int)clang.getCursorKind(node)) {
    case CXCursor_DeclRefExpr:
        return write_name(node, out, unit->front->arena);
    case CXCursor_ParenExpr: {
        if (operands.n != 1)
            return false;
        text_add(out, "(");
        bool written = write_expression(unit, operands.nodes[0], out);
        text_add(out, ")");
        return written;
    }
    case CXCursor_UnexposedExpr: /* an implicit conversion */
    case CXCursor_CStyleCastExpr: {
        int last = operands.n - 1; /* a cast's first child may be the name of its type */
        if (operands.n < 1 || operands.n > MOST_CHILDREN || !clang.isExpression(clang.getCursorKind(operands.nodes[last])))
            return false;
        return write_conversion(unit, node, operands.nodes[last], out);
    }
    case CXCursor_BinaryOperator:
        return operands.n == 2 && write_binary(unit, node, &operands, out);
    case CXCursor_UnaryOperator:
        if (operands.n != 1 || clang.getCursorUnaryOperatorKind(node) != CXUnaryOperator_Minus)
            return false;
        text_add(out, "-");
        return write_expression(unit, operands.nodes[0], out);
    default:
        return write_value(node, out); /* literals, sizeof */
    }
}

/* --- the expressions of one parameter --- */

enum { MOST_EXTENTS = 32 };
struct extents {
    struct unit *unit;
    CXCursor nodes[MOST_EXTENTS]; /* innermost first */
    int n;
};

/* Expressions that are children of the parameter; those of the parameters of a function pointer are not. */
static enum CXChildVisitResult
collect_extent(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct extents *extents = data;
    if (clang.isExpression(clang.getCursorKind(cursor)) && extents->n < MOST_EXTENTS)
        extents->nodes[extents->n++] = cursor;
    return CXChildVisit_Continue;
}

static bool
file_range(struct unit *unit, CXCursor cursor, unsigned *start, unsigned *end)
{
    CXSourceRange range = clang.getCursorExtent(cursor);
    CXFile file;
    clang.getFileLocation(clang.getRangeEnd(range), &file, NULL, NULL, end);
    clang.getFileLocation(clang.getRangeStart(range), &file, NULL, NULL, start);
    return file != NULL && clang.File_isEqual(file, unit->file) && *start < *end && *end <= unit->length;
}

/* How a fixed extent is written in the file, with its line ends as blanks; NULL where that is not known. */
static const char *
written_extent(struct unit *unit, CXCursor param, CXCursor extent)
{
    unsigned start, end, param_start, param_end;
    if (!file_range(unit, extent, &start, &end) || !file_range(unit, param, &param_start, &param_end)
        || start == param_start) /* all of it comes out of one macro */
        return NULL;
    char *text = arena_copy_n(unit->front->arena, unit->text + start, end - start);
    for (char *at = text; *at != '\0'; at++)
        if (isspace((unsigned char)*at))
            *at = ' ';
    return text;
}

static bool
is_name(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

/* --- extents inside a typedef: typedef double vec[N] --- */

/* The typedef that the spelling of a type consists of, besides qualifiers, a pointer and extents; NULL where it has none. */
static const char *
typedef_name(struct arena *arena, const char *spelling)
{
    static const char *const qualifiers[] = {"const", "volatile", "restrict"};
    const char *found = NULL;
    for (const char *at = spelling; isalpha((unsigned char)*at) || *at == '_'; at += strspn(at, " ")) {
        const char *word = at;
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        char *name = arena_copy_n(arena, word, (size_t)(at - word));
        bool qualifies = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            qualifies = qualifies || strcmp(name, qualifiers[i]) == 0;
        if (qualifies)
            continue;
        if (found != NULL) /* two words: unsigned int, struct x */
            return NULL;
        found = name;
    }
    return found;
}

/* The extent number `depth` of the typedef, computed by the compiler. */
static const char *
extent_of_typedef(struct arena *arena, const char *name, int depth)
{
    const char *stars = "*";
    for (int i = 0; i < depth; i++)
        stars = arena_printf(arena, "%s*", stars);
    return arena_printf(arena, "sizeof(%s(%s *)0) / sizeof(*%s(%s *)0)", stars, name, stars, name);
}

static const char *
expression_text(struct unit *unit, CXCursor extent)
{
    struct text text = {0};
    bool written = write_expression(unit, extent, &text);
    const char *copy = written ? arena_copy_n(unit->front->arena, text.data, text.length) : NULL;
    text_release(&text);
    return copy;
}

static void
no_expression(struct model_type *type)
{
    type->kind = KIND_UNSUPPORTED;
    type->reason = "its extents are no expressions over integer parameters and constants";
}

void
extents_fill(struct unit *unit, CXCursor param, struct model_type *type)
{
    struct extents extents = {.unit = unit, .n = 0};
    clang.visitChildren(param, collect_extent, &extents);
    /* The description may be shared with other parameters of this type; the texts are this one's. */
    type->dims = arena_grow(unit->front->arena, type->dims, type->n_dims, type->n_dims, sizeof *type->dims);
    int next = extents.n; /* extents inside a typedef, always innermost, have no expression here */
    int depth = 0;
    const char *name = typedef_name(unit->front->arena, type->spelling);
    for (int i = 0; i < type->n_dims; i++) {
        struct model_dim *dim = &type->dims[i];
        if (dim->kind == DIM_FREE)
            continue;
        bool told = next > 0;
        CXCursor extent = told ? extents.nodes[--next] : param;
        if (dim->kind == DIM_FIXED && told) {
            const char *text = written_extent(unit, param, extent);
            if (text != NULL && strspn(text, "0123456789") != strlen(text))
                dim->source = text;
            if (text != NULL && is_name(text))
                dim->text = text;
        } else if (dim->kind == DIM_FIXED) {
            dim->source = name != NULL ? extent_of_typedef(unit->front->arena, name, depth++) : NULL;
        } else if (!told && i == 0) { /* a[*] */
            *dim = (struct model_dim){.kind = DIM_FREE, .text = ""};
        } else {
            dim->text = told ? expression_text(unit, extent) : NULL;
            if (dim->text == NULL) {
                dim->text = "?";
                no_expression(type);
            }
        }
    }
}
