/* run.c - the function that calls a kernel from slots, and the checks of the C types that the tables rely on. */
#include <string.h>

#include "emit_internal.h"

/* A scalar whose slot holds its bits, since the slot's type is another one. */
static bool is_bits(pkw_dtype dtype)
{
    return dtype == PKW_F16 || dtype == PKW_BF16;
}

static bool is_pointer(const struct plan_param *param)
{
    if (param->kind == PLAN_VALUE)
        return param->literal.kind == LITERAL_NULL || (param->literal.kind == LITERAL_STRING && param->dtype != PKW_I8);
    return param->kind == PLAN_ARRAY || param->kind == PLAN_CELL || param->kind == PLAN_STRING;
}

static void add_argument(struct text *out, const struct plan_param *param, int position)
{
    if (is_pointer(param))
        text_printf(out, "s[%d].ptr", position); /* void * becomes any pointer */
    else if (is_bits(param->dtype))
        text_printf(out, "(union {uint16_t bits; %s value;}){s[%d].u16}.value", param->c_type, position);
    else if (param->is_enum)
        text_printf(out, "(%s)s[%d].%s", param->c_type, position, dtype_slot(param->dtype));
    else
        text_printf(out, "s[%d].%s", position, dtype_slot(param->dtype));
}

void emit_run(const struct emission *e)
{
    const struct plan_kernel *kernel = e->kernel;
    const struct model_type *returns = &kernel->returns;
    struct text *out = e->out;
    text_printf(out, "static void\n%s__run(pkw_slot *result, const pkw_slot *s)\n{\n", kernel->c_name);
    if (returns->is_void)
        text_add(out, "    (void)result;\n");
    if (kernel->n_params == 0)
        text_add(out, "    (void)s;\n");
    text_add(out, "    ");
    if (returns->kind == KIND_STRING)
        text_add(out, "result->ptr = (void *)");
    else if (!returns->is_void && is_bits(returns->dtype))
        text_printf(out, "result->u16 = (union {%s value; uint16_t bits;}){", returns->element);
    else if (!returns->is_void)
        text_printf(out, "result->%s = (%s)", dtype_slot(returns->dtype), dtype_ctype(returns->dtype));
    text_printf(out, "%s(", kernel->c_name);
    for (int i = 0; i < kernel->n_params; i++) {
        text_add(out, i ? ", " : "");
        add_argument(out, &kernel->params[i], i);
    }
    text_add(out, ")");
    if (!returns->is_void && returns->kind != KIND_STRING && is_bits(returns->dtype))
        text_add(out, "}.bits");
    text_add(out, ";\n}\n\n");
}

/* The C type has the size and kind that the dtype stands for. */
static void add_assert(struct text *out, const char *c_type, pkw_dtype dtype)
{
    char kind = dtype_kind(dtype);
    text_printf(out, "_Static_assert(sizeof(%s) == %d", c_type, dtype_size(dtype));
    if (strcmp(c_type, "char") == 0)
        ; /* signed on some machines only; its values are characters */
    else if (kind == 'i' || kind == 'u')
        text_printf(out, " && (%s)-1 %s 0", c_type, kind == 'i' ? "<" : ">");
    else if (!is_bits(dtype))
        text_printf(out, " && _Generic((%s)0, %s: 1, default: 0)", c_type, dtype_ctype(dtype));
    text_printf(out, ", \"%s is not %s\");\n", c_type, dtype_name(dtype));
}

struct assertion {
    const char *c_type;
    pkw_dtype dtype;
};

static void note(struct arena *arena, struct assertion **seen, int *n, const char *c_type, pkw_dtype dtype)
{
    if (dtype == PKW_NO_DTYPE || c_type == NULL)
        return;
    for (int i = 0; i < *n; i++)
        if (strcmp((*seen)[i].c_type, c_type) == 0 && (*seen)[i].dtype == dtype)
            return;
    *ARENA_PUSH(arena, *seen, *n) = (struct assertion){c_type, dtype};
}

void emit_asserts(struct text *out, const struct plan *plan)
{
    struct assertion *seen = NULL;
    int n = 0;
    for (int i = 0; i < plan->n_kernels; i++) {
        const struct plan_kernel *kernel = &plan->kernels[i];
        for (int k = 0; k < kernel->n_params; k++) {
            const struct plan_param *param = &kernel->params[k];
            if (!param->is_void && param->kind != PLAN_STRING && !(param->kind == PLAN_VALUE && is_pointer(param)))
                note(plan->arena, &seen, &n, param->c_type, param->dtype);
        }
        if (!kernel->returns.is_void && kernel->returns.kind != KIND_STRING)
            note(plan->arena, &seen, &n, kernel->returns.element, kernel->returns.dtype);
    }
    for (int i = 0; i < n; i++)
        add_assert(out, seen[i].c_type, seen[i].dtype);
    if (n > 0)
        text_add(out, "\n");
}
