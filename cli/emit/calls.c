/* calls.c - the part of the source that sees the headers as their authors wrote them: they come first and alone, and what
 * needs their types and macros stands directly below them. Of a kernel that is NAME__call, which takes what C's own types and
 * void pointers can hold; the rest of the file knows nothing else of it. Below that part the headers' macros are taken back, so
 * that none of them reaches Python's headers, ours, or the wrappers.
 */
#include <ctype.h>
#include <string.h>

#include "base/files.h"
#include "emit_internal.h"

/* --- what is checked: the C types that the tables rely on --- */

struct assertion {
    const char *c_type;
    pkw_dtype dtype;
};

static void
note(struct arena *arena, struct assertion **seen, int *n, const char *c_type, pkw_dtype dtype)
{
    if (dtype == PKW_NO_DTYPE || c_type == NULL)
        return;
    for (int i = 0; i < *n; i++)
        if (strcmp((*seen)[i].c_type, c_type) == 0 && (*seen)[i].dtype == dtype)
            return;
    *ARENA_PUSH(arena, *seen, *n) = (struct assertion){c_type, dtype};
}

/* The C type has the size and kind that the dtype stands for. */
static void
add_assert(struct text *out, const char *c_type, pkw_dtype dtype)
{
    char kind = dtype_kind(dtype);
    text_printf(out, "_Static_assert(sizeof(%s) == %d", c_type, dtype_size(dtype));
    if (strcmp(c_type, "char") == 0)
        ; /* signed on some machines only; its values are characters */
    else if (kind == 'i' || kind == 'u')
        text_printf(out, " && (%s)-1 %s 0", c_type, kind == 'i' ? "<" : ">");
    else if (!dtype_is_bits(dtype))
        text_printf(out, " && _Generic((%s)0, %s: 1, default: 0)", c_type, dtype_ctype(dtype));
    text_printf(out, ", \"%s is not %s\");\n", c_type, dtype_name(dtype));
}

/* What the headers compute is the number that the tables hold. */
static void
add_value_assert(struct text *out, struct arena *arena, const struct plan_assertion *assertion)
{
    text_printf(out, "_Static_assert((%s) == ", assertion->text);
    emit_integer(out, assertion->value);
    text_add(out, ", ");
    emit_string(out, arena_printf(arena, "%s has changed: run pkwrap again", assertion->text), 0);
    text_add(out, ");\n");
}

static void
add_asserts(struct text *out, const struct plan *plan)
{
    struct assertion *seen = NULL;
    int n = 0;
    for (int i = 0; i < plan->n_kernels; i++) {
        const struct plan_kernel *kernel = &plan->kernels[i];
        for (int k = 0; k < kernel->n_params; k++) {
            const struct plan_param *param = &kernel->params[k];
            if (!param->is_void && param->kind != PLAN_STRING && !(param->kind == PLAN_VALUE && param_is_pointer(param)))
                note(plan->arena, &seen, &n, param->c_type, param->dtype);
        }
        if (!kernel->returns.is_void && kernel->returns.kind != KIND_STRING)
            note(plan->arena, &seen, &n, kernel->returns.element, kernel->returns.dtype);
    }
    for (int i = 0; i < n; i++)
        add_assert(out, seen[i].c_type, seen[i].dtype);
    for (int i = 0; i < plan->n_assertions; i++)
        add_value_assert(out, plan->arena, &plan->assertions[i]);
    if (n + plan->n_assertions > 0)
        text_add(out, "\n");
}

/* --- the calls --- */

bool
param_is_pointer(const struct plan_param *param)
{
    if (param->kind == PLAN_VALUE)
        return param->literal.kind == LITERAL_NULL || (param->literal.kind == LITERAL_STRING && param->dtype == PKW_NO_DTYPE);
    return param->kind == PLAN_ARRAY || param->kind == PLAN_CELL || param->kind == PLAN_STRING;
}

/* Whether the type is spelled with C's keywords alone, so that it means the same everywhere. */
static bool
is_plain(const char *c_type)
{
    static const char *const words[] = {"char", "double", "float", "int", "long", "short", "signed", "unsigned"};
    for (const char *at = c_type; *at != '\0';) {
        size_t length = strcspn(at, " "), i = 0;
        while (i < sizeof words / sizeof *words && (strncmp(words[i], at, length) != 0 || words[i][length] != '\0'))
            i++;
        if (i == sizeof words / sizeof *words)
            return false;
        at += length + strspn(at + length, " ");
    }
    return true;
}

static bool
needs_typedef(const struct plan_param *param)
{
    return param->kind == PLAN_CELL && !param->is_void && !is_plain(param->c_type);
}

const char *
cell_type(const struct emission *e, int position)
{
    const struct plan_param *param = &e->kernel->params[position];
    if (needs_typedef(param))
        return arena_printf(e->plan->arena, "%s__type_%d", e->kernel->c_name, position);
    return param->is_void ? dtype_ctype(param->dtype) : param->c_type;
}

/* A parameter of NAME__call: called as the kernel's, behind a prefix that no macro of a header has. */
static void
add_parameter(struct text *out, const struct plan_param *param)
{
    if (!param_is_pointer(param))
        text_printf(out, "%s ", dtype_is_bits(param->dtype) ? "__UINT16_TYPE__" : param->c_type);
    else if (param->is_void || param->array_of_arrays || param->kind == PLAN_VALUE)
        text_add(out, "void *");
    else if (param->kind == PLAN_STRING)
        text_add(out, "const char *");
    else
        text_printf(out, "%s%s *", param->is_const ? "const " : "", param->c_type);
    text_printf(out, "pkw_%s", param->c_name);
}

static void
add_argument(struct text *out, const struct plan_param *param)
{
    if (!param_is_pointer(param) && dtype_is_bits(param->dtype))
        text_printf(out, "(union {__UINT16_TYPE__ pkw_bits; %s pkw_value;}){pkw_%s}.pkw_value", param->c_type, param->c_name);
    else
        text_printf(out, "pkw_%s", param->c_name);
}

static void
add_call(struct text *out, const struct plan_kernel *kernel)
{
    const struct model_type *returns = &kernel->returns;
    bool string = returns->kind == KIND_STRING, bits = !returns->is_void && !string && dtype_is_bits(returns->dtype);
    const char *type = returns->is_void ? "void" : string ? "const void *" : bits ? "__UINT16_TYPE__" : returns->element;
    text_printf(out, "static inline %s\n%s__call(", type, kernel->c_name);
    for (int i = 0; i < kernel->n_params; i++) {
        text_add(out, i ? ", " : "");
        add_parameter(out, &kernel->params[i]);
    }
    text_printf(out, "%s)\n{\n    %s", kernel->n_params == 0 ? "void" : "", returns->is_void ? "" : "return ");
    if (bits)
        text_printf(out, "(union {%s pkw_value; __UINT16_TYPE__ pkw_bits;}){", returns->element);
    text_printf(out, "%s(", kernel->c_name);
    for (int i = 0; i < kernel->n_params; i++) {
        text_add(out, i ? ", " : "");
        add_argument(out, &kernel->params[i]);
    }
    text_printf(out, ")%s;\n}\n\n", bits ? "}.pkw_bits" : "");
}

static void
add_kernel(struct text *out, const struct plan *plan, const struct plan_kernel *kernel)
{
    const struct emission e = {.out = out, .plan = plan, .kernel = kernel};
    text_add(out, "/* ");
    emit_comment(out, shown_place(plan, kernel->place));
    text_add(out, ": ");
    emit_comment(out, kernel->declaration);
    text_add(out, " */\n\n");
    for (int i = 0; i < kernel->n_params; i++)
        if (needs_typedef(&kernel->params[i]))
            text_printf(out, "typedef %s %s;\n\n", kernel->params[i].c_type, cell_type(&e, i));
    add_call(out, kernel);
}

/* --- the headers, and the end of their macros --- */

void
emit_headers(struct text *out, const struct plan *plan)
{
    for (int i = 0; i < plan->n_headers; i++)
        /* An absolute path stays out of the file; build searches its folder. */
        text_printf(out, "#include \"%s\"\n", plan->headers[i][0] == '/' ? path_name(plan->headers[i]) : plan->headers[i]);
}

static bool
is_all_capitals(const char *name)
{
    for (; *name != '\0'; name++)
        if (islower((unsigned char)*name))
            return false;
    return true;
}

/* A constant that the tables are to have by its name, so that the compiler says what it is. */
static bool
is_constant(const struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->n_kernels; i++)
        if (kernel_names_constant(&plan->kernels[i], name))
            return true;
    return false;
}

/* A macro that what follows could be taken for. Python's headers and ours have no names of their own that are capitals only and
 * longer than two, but for those that begin with their own prefixes. */
static bool
is_taken_back(const struct plan *plan, const char *name)
{
    return !is_all_capitals(name) || (strlen(name) <= 2 && !is_constant(plan, name));
}

bool
constant_is_taken_back(const struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->n_macros && !is_all_capitals(name); i++)
        if (strcmp(plan->macros[i], name) == 0)
            return true;
    return false;
}

/* A constant whose macro is taken back stands as a number in the tables: it must be the one. */
static void
add_constant_assert(const struct emission *e, const struct plan_op *op)
{
    if (op->code != OP_CONST || op->name == NULL || !constant_is_taken_back(e->plan, op->name))
        return;
    text_printf(e->out, "_Static_assert((%s) == ", op->name);
    emit_integer(e->out, op->value);
    text_printf(e->out, ", \"%s has changed: run pkwrap again\");\n", op->name);
}

static void
add_constant_asserts(struct text *out, const struct plan *plan)
{
    size_t length = out->length;
    for (int i = 0; i < plan->n_kernels; i++) {
        const struct emission e = {.out = out, .plan = plan, .kernel = &plan->kernels[i]};
        for (int k = 0; k < e.kernel->n_params; k++) {
            const struct plan_param *param = &e.kernel->params[k];
            for (int d = 0; d < param->rank; d++)
                for (int o = 0; o < param->shape[d].n_ops; o++)
                    add_constant_assert(&e, &param->shape[d].ops[o]);
            for (int o = 0; o < param->value.n_ops; o++)
                add_constant_assert(&e, &param->value.ops[o]);
        }
    }
    text_add(out, out->length > length ? "\n" : "");
}

static void
add_ends(struct text *out, const struct plan *plan)
{
    bool any = false;
    for (int i = 0; i < plan->n_macros; i++)
        if (is_taken_back(plan, plan->macros[i])) {
            text_add(out, any ? "" : "/* Macros of the headers end here. */\n");
            text_printf(out, "#undef %s\n", plan->macros[i]);
            any = true;
        }
    text_add(out, any ? "\n" : "");
}

void
emit_calls(struct text *out, const struct plan *plan)
{
    emit_headers(out, plan);
    text_add(out, "\n");
    add_asserts(out, plan);
    add_constant_asserts(out, plan);
    for (int i = 0; i < plan->n_kernels; i++)
        add_kernel(out, plan, &plan->kernels[i]);
    add_ends(out, plan);
}
