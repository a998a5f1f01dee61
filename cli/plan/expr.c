/* expr.c - see expr.h. */
#include "expr.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolve.h"

/* Deepest nesting of parentheses and signs, and longest code: far beyond any size, and enough to keep the evaluators of
 * generated modules, which take their stack from the machine's, safe. */
enum { DEEPEST = 50, LONGEST = 200 };

struct parser {
    struct plan_expr *out;
    struct arena *arena;
    const struct expr_scope *scope;
    struct expr_error *error;
    const char *text;
    size_t at;
    int depth;
};

static bool
fail(struct parser *parser, size_t offset, const char *code, const char *text)
{
    *parser->error = (struct expr_error){code, text, offset};
    return false;
}

static char
peek(struct parser *parser)
{
    while (parser->text[parser->at] == ' ' || parser->text[parser->at] == '\t')
        parser->at++;
    return parser->text[parser->at];
}

static bool
push(struct parser *parser, struct plan_op op)
{
    if (parser->out->n_ops == LONGEST)
        return fail(parser, parser->at, "expression-length", "the expression is too long");
    *ARENA_PUSH(parser->arena, parser->out->ops, parser->out->n_ops) = op;
    return true;
}

/* --- operands --- */

static bool
parse_number(struct parser *parser)
{
    size_t start = parser->at, length = strspn(parser->text + start, "0123456789");
    char after = parser->text[start + length];
    if (isalpha((unsigned char)after) || after == '_' || after == '.')
        return fail(parser, start, "expression-number", "only whole decimal numbers can stand in an expression");
    if (length > 1 && parser->text[start] == '0')
        return fail(parser, start, "expression-number", "a number cannot begin with 0 and more digits: C would read it as octal");
    errno = 0;
    long long value = strtoll(parser->text + start, NULL, 10);
    if (errno != 0)
        return fail(parser, start, "expression-range", "the number does not fit 64 bits with sign");
    parser->at += length;
    return push(parser, (struct plan_op){OP_CONST, value, NULL});
}

static int
find_parameter(const struct expr_scope *scope, struct arena *arena, const char *name)
{
    for (int i = 0; scope->function != NULL && i < scope->function->n_params; i++)
        if (strcmp(param_shown_name(arena, &scope->function->params[i]), name) == 0)
            return i;
    return -1;
}

static const struct model_constant *
find_constant(const struct expr_scope *scope, const char *name)
{
    for (int i = 0; i < scope->n_constants; i++)
        if (strcmp(scope->constants[i].name, name) == 0)
            return &scope->constants[i];
    return NULL;
}

static bool
unknown_name(struct parser *parser, size_t start, const char *name)
{
    const struct expr_scope *scope = parser->scope;
    int n = 0, n_params = scope->function ? scope->function->n_params : 0;
    const char **names = arena_take(parser->arena, (size_t)n_params + (size_t)scope->n_constants, sizeof *names);
    for (int i = 0; i < n_params; i++)
        names[n++] = param_shown_name(parser->arena, &scope->function->params[i]);
    for (int i = 0; i < scope->n_constants; i++)
        names[n++] = scope->constants[i].name;
    const char *nearest = diag_nearest(name, names, n);
    const char *hint = nearest ? arena_printf(parser->arena, "; did you mean '%s'?", nearest) : "";
    return fail(parser, start, "expression-name",
                arena_printf(parser->arena, "'%s' is neither a parameter nor an integer constant of the headers%s", name, hint));
}

static size_t
name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static bool
parse_name(struct parser *parser)
{
    size_t start = parser->at, length = name_length(parser->text + start);
    char *name = arena_copy_n(parser->arena, parser->text + start, length);
    int position = find_parameter(parser->scope, parser->arena, name);
    parser->at += length;
    if (position >= 0) {
        const char *reason = parser->scope->usable ? parser->scope->usable(parser->scope->context, position) : NULL;
        if (reason != NULL)
            return fail(parser, start, "expression-operand", arena_printf(parser->arena, "'%s' %s", name, reason));
        return push(parser, (struct plan_op){OP_PARAM, position, name});
    }
    const struct model_constant *constant = find_constant(parser->scope, name);
    if (constant == NULL)
        return unknown_name(parser, start, name);
    if (constant->is_large)
        return fail(parser, start, "expression-range",
                    arena_printf(parser->arena, "'%s' is %" PRIu64 ", which does not fit 64 bits with sign", name,
                                 (uint64_t)constant->value));
    return push(parser, (struct plan_op){OP_CONST, constant->value, constant->is_variable ? NULL : name});
}

/* --- the grammar --- */

static bool parse_sum(struct parser *parser);

static bool
parse_factor(struct parser *parser)
{
    char c = peek(parser);
    size_t start = parser->at;
    if (c >= '0' && c <= '9')
        return parse_number(parser);
    if (isalpha((unsigned char)c) || c == '_')
        return parse_name(parser);
    if (c == '\0')
        return fail(parser, start, "expression-operand-missing",
                    parser->out->n_ops == 0 ? "the expression is empty" : "the expression ends where a number or a name belongs");
    if (c != '-' && c != '(')
        return fail(parser, start, "expression-character",
                    arena_printf(parser->arena, "'%c' where a number, a name or '(' belongs", c));
    if (++parser->depth > DEEPEST)
        return fail(parser, start, "expression-depth", "the expression is nested too deep");
    parser->at++;
    if (c == '-') {
        if (!parse_factor(parser) || !push(parser, (struct plan_op){OP_NEG, 0, NULL}))
            return false;
    } else {
        if (!parse_sum(parser))
            return false;
        if (peek(parser) != ')')
            return fail(parser, start, "expression-parenthesis", "this '(' is never closed");
        parser->at++;
    }
    parser->depth--;
    return true;
}

static bool
parse_term(struct parser *parser)
{
    if (!parse_factor(parser))
        return false;
    for (char c = peek(parser); c == '*' || c == '/' || c == '%'; c = peek(parser)) {
        parser->at++;
        if (!parse_factor(parser)
            || !push(parser, (struct plan_op){c == '*' ? OP_MUL : c == '/' ? OP_DIV : OP_MOD, 0, NULL}))
            return false;
    }
    return true;
}

static bool
parse_sum(struct parser *parser)
{
    if (!parse_term(parser))
        return false;
    for (char c = peek(parser); c == '+' || c == '-'; c = peek(parser)) {
        parser->at++;
        if (!parse_term(parser) || !push(parser, (struct plan_op){c == '+' ? OP_ADD : OP_SUB, 0, NULL}))
            return false;
    }
    return true;
}

/* --- values that are known now --- */

/* A number on the stack of an evaluation, if it is known before the call. */
struct number {
    bool known;
    int64_t value;
};

/* False: overflow, or *by_zero. */
static bool
apply(enum plan_op_code code, int64_t left, int64_t right, int64_t *result, bool *by_zero)
{
    switch (code) {
    case OP_ADD: return !__builtin_add_overflow(left, right, result);
    case OP_SUB: return !__builtin_sub_overflow(left, right, result);
    case OP_MUL: return !__builtin_mul_overflow(left, right, result);
    default:
        *by_zero = right == 0;
        if (right == 0 || (left == INT64_MIN && right == -1))
            return false;
        *result = code == OP_DIV ? left / right : left % right;
        return true;
    }
}

/* What can be computed without the parameters. False: that overflows, or *by_zero. */
static bool
evaluate(const struct plan_expr *expr, struct number *result, bool *by_zero)
{
    struct number stack[LONGEST];
    int n = 0;
    *by_zero = false;
    for (int i = 0; i < expr->n_ops; i++) {
        const struct plan_op *op = &expr->ops[i];
        if (op->code == OP_CONST || op->code == OP_PARAM) {
            stack[n++] = (struct number){op->code == OP_CONST, op->value};
        } else if (op->code == OP_NEG) {
            if (stack[n - 1].known && __builtin_sub_overflow(INT64_C(0), stack[n - 1].value, &stack[n - 1].value))
                return false;
        } else {
            struct number *left = &stack[n - 2], *right = &stack[n - 1];
            bool divides = op->code == OP_DIV || op->code == OP_MOD;
            if (divides && right->known && right->value == 0)
                return *by_zero = true, false;
            if (left->known && right->known && !apply(op->code, left->value, right->value, &left->value, by_zero))
                return false;
            left->known = left->known && right->known;
            n--;
        }
    }
    *result = stack[0];
    return true;
}

bool
expr_parse(struct plan_expr *out, struct arena *arena, const char *text, const struct expr_scope *scope,
           struct expr_error *error)
{
    struct parser parser = {out, arena, scope, error, text, 0, 0};
    struct number result;
    bool by_zero;
    *out = (struct plan_expr){.text = text};
    if (!parse_sum(&parser))
        return false;
    char rest = peek(&parser);
    if (rest != '\0')
        return fail(&parser, parser.at, "expression-character",
                    (unsigned char)rest < 0x80
                        ? arena_printf(arena, "'%c' where an operator or the end belongs; operators are + - * / %%", rest)
                        : "a character that no expression can have");
    if (!evaluate(out, &result, &by_zero))
        return by_zero ? fail(&parser, 0, "expression-division", "the expression divides by zero")
                       : fail(&parser, 0, "expression-overflow", "the expression overflows 64 bits");
    return true;
}

void
expr_unknown_names(const char *text, struct arena *arena, const struct expr_scope *scope, const char ***names, int *n)
{
    for (size_t at = 0; text[at] != '\0';) {
        size_t length = name_length(text + at);
        bool is_name = length > 0 && !isdigit((unsigned char)text[at]);
        const char *name = is_name ? arena_copy_n(arena, text + at, length) : NULL;
        at += length > 0 ? length : 1;
        if (name == NULL || find_parameter(scope, arena, name) >= 0 || find_constant(scope, name) != NULL)
            continue;
        bool seen = false;
        for (int i = 0; i < *n; i++)
            seen = seen || strcmp((*names)[i], name) == 0;
        if (!seen)
            *ARENA_PUSH(arena, *names, *n) = name;
    }
}

bool
expr_constant(const struct plan_expr *expr, int64_t *value)
{
    struct number result = {false, 0};
    bool by_zero;
    if (expr->n_ops == 0 || !evaluate(expr, &result, &by_zero) || !result.known)
        return false;
    *value = result.value;
    return true;
}

bool
expr_equal(const struct plan_expr *a, const struct plan_expr *b)
{
    int64_t left, right;
    if (expr_constant(a, &left) && expr_constant(b, &right))
        return left == right;
    if (a->n_ops != b->n_ops)
        return false;
    for (int i = 0; i < a->n_ops; i++)
        if (a->ops[i].code != b->ops[i].code || a->ops[i].value != b->ops[i].value)
            return false;
    return true;
}

int
expr_parameter(const struct plan_expr *expr)
{
    return expr->n_ops == 1 && expr->ops[0].code == OP_PARAM ? (int)expr->ops[0].value : -1;
}
