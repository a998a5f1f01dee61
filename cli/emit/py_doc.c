/* py_doc.c - signatures and docstrings of Python kernels. */
#include <string.h>

#include "py.h"

void
emit_py_signature(struct text *out, const struct pyplan_function *function)
{
    const struct pyplan_variant *variant = &function->variants[0];
    text_printf(out, "%s(", pyplan_own_name(function->name));
    for (int i = 0; i < variant->n_params; i++) {
        const struct pyplan_param *param = &variant->params[i];
        bool after_positional = i > 0 && variant->params[i - 1].positional_only && !param->positional_only;
        bool first_keyword = param->keyword_only && (i == 0 || !variant->params[i - 1].keyword_only);
        text_printf(out, "%s%s%s%s", i ? ", " : "", after_positional ? "/, " : "", first_keyword ? "*, " : "", param->name);
        if (param->default_text != NULL)
            text_printf(out, "=%s", param->default_text);
    }
    if (variant->n_params > 0 && variant->params[variant->n_params - 1].positional_only)
        text_add(out, ", /");
    if (function->takes_constant)
        text_printf(out, "%s%sconstant=()", variant->n_params > 0 ? ", " : "", pyplan_ends_in_keywords(variant) ? "" : "*, ");
    text_add(out, ")");
}

static void
add_parameter(struct text *out, const struct pyplan_param *param)
{
    text_printf(out, "\n%s : %s", param->name, param->type);
    if (param->written && param->kind == PYPLAN_ARRAY)
        text_add(out, param->overwritten ? ", overwritten" : ", written");
    for (int i = 0, n = 0; i < param->n_attributes; i++)
        if (param->attributes[i].written)
            text_printf(out, "%s%s", n++ ? ", " : "; written: ", param->attributes[i].path);
    if (param->default_text != NULL)
        text_printf(out, ", default %s", param->default_text);
}

/* The docstring's own list of parameters, in whatever style, is better than one of types. */
static bool
lists_parameters(const char *doc)
{
    return strstr(doc, "Parameters") != NULL || strstr(doc, "Args:") != NULL || strstr(doc, ":param") != NULL;
}

/* A method's self goes without saying. */
static int
first_told(const struct pyplan_function *function)
{
    return strchr(function->name, '.') != NULL;
}

void
emit_py_doc(struct text *out, const struct pyplan_function *function)
{
    const struct pyplan_variant *variant = &function->variants[0];
    int first = first_told(function);
    text_add(out, function->doc);
    if (variant->n_params <= first || lists_parameters(function->doc))
        return;
    text_printf(out, "%sParameters\n----------", function->doc[0] ? "\n\n" : "");
    for (int i = first; i < variant->n_params; i++)
        add_parameter(out, &variant->params[i]);
}
