/* doc.c - docstrings: what the header's comment says, then parameters and results with their shapes. */
#include <string.h>

#include "emit_internal.h"

/* Python's type for a C scalar, with the C type where Python's says less. */
static void
add_scalar(struct text *out, const struct plan_param *param)
{
    if (param->kind == PLAN_STRING) {
        text_add(out, "str or bytes");
        return;
    }
    if (param->kind == PLAN_CHAR) {
        text_add(out, "str of one character");
        return;
    }
    switch (dtype_kind(param->dtype)) {
    case 'b': text_add(out, "bool"); break;
    case 'c': text_add(out, "complex"); break;
    case 'i':
    case 'u': text_add(out, "int"); break;
    default: text_add(out, "float");
    }
    const char *c_type = param->is_void ? dtype_name(param->dtype) : param->c_type;
    if ((dtype_kind(param->dtype) == 'i' || dtype_kind(param->dtype) == 'u') && strcmp(c_type, "int") != 0)
        text_printf(out, " (%s)", c_type);
}

static void
add_shape(struct text *out, const struct plan_param *param)
{
    text_add(out, "(");
    for (int i = 0; i < param->rank; i++)
        text_printf(out, "%s%s", i ? ", " : "", param->shape[i].n_ops ? param->shape[i].text : ":");
    text_add(out, param->rank == 1 ? ",)" : ")");
}

static void
add_array(struct text *out, const struct plan_param *param)
{
    text_printf(out, "array of %s, shape ", dtype_name(param->dtype));
    add_shape(out, param);
    if (param->rank > 1 && strcmp(param->order, "F") == 0)
        text_add(out, ", Fortran order");
}

static void
add_parameter(struct text *out, const struct plan_param *param)
{
    text_printf(out, "%s : ", param->name);
    if (param->kind == PLAN_ARRAY)
        add_array(out, param);
    else
        add_scalar(out, param);
    if (param->nullable)
        text_add(out, ", or None");
    if (param->scratch)
        text_add(out, ", workspace");
    else if (param->written && param->kind == PLAN_ARRAY)
        text_add(out, param->overwritten ? ", overwritten" : ", written");
    if (param->create)
        text_add(out, "; made when left out");
    else if (param->optional && param->literal.kind != LITERAL_NONE && param->literal.kind != LITERAL_NULL)
        text_printf(out, ", default %s", param->literal.text);
    else if (param->optional && param->kind == PLAN_SIZE)
        text_add(out, "; taken from the arrays when left out");
    text_add(out, "\n");
}

static void
add_heading(struct text *out, const char *heading)
{
    text_printf(out, "%s%s\n%.*s\n", out->length ? "\n" : "", heading, (int)strlen(heading), "----------");
}

static void
add_own_result(struct text *out, const struct model_type *type)
{
    if (type->kind == KIND_STRING || type->is_char) {
        text_add(out, "str\n");
        return;
    }
    struct plan_param like = {.kind = PLAN_SCALAR, .dtype = type->dtype, .c_type = type->element, .is_enum = type->is_enum};
    add_scalar(out, &like);
    text_add(out, "\n");
}

void
emit_doc(struct text *out, const struct plan_kernel *kernel)
{
    struct text doc = {0};
    if (kernel->doc != NULL && kernel->doc[0] != '\0')
        text_printf(&doc, "%s\n", kernel->doc);
    if (kernel->n_visible > 0) {
        add_heading(&doc, "Parameters");
        for (int i = 0; i < kernel->n_visible; i++)
            add_parameter(&doc, &kernel->params[kernel->visible[i]]);
    }
    if (!kernel->returns.is_void || kernel->n_results > 0) {
        add_heading(&doc, "Returns");
        if (!kernel->returns.is_void)
            add_own_result(&doc, &kernel->returns);
        for (int i = 0; i < kernel->n_results; i++) {
            const struct plan_param *param = &kernel->params[kernel->results[i]];
            text_printf(&doc, "%s : ", param->name);
            if (param->kind == PLAN_ARRAY)
                add_array(&doc, param);
            else
                add_scalar(&doc, param);
            text_add(&doc, "\n");
        }
    }
    if (doc.length > 0)
        text_add_n(out, doc.data, doc.length - 1); /* without the last line's end */
    text_release(&doc);
}
