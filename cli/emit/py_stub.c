/* py_stub.c - the stub of a module of Python kernels: Pyccel's annotations in the terms of `typing`, with device arrays
 * accepted wherever arrays are. */
#include <string.h>

#include "emit_internal.h"
#include "py.h"
#include "model/stub_type.h"

struct stub_writer {
    struct text *out;
    const struct plan *plan;
    bool uses[PKW_N_DTYPES]; /* arrays of these dtypes occur */
    bool functions;          /* addresses of functions occur */
};

static void add_parsed(struct stub_writer *w, const struct stub_type *type, bool is_result);

static void
add_parts(struct stub_writer *w, const struct stub_type *type, const char *separator, bool is_result)
{
    for (int i = 0; i < type->n_parts; i++) {
        text_add(w->out, i ? separator : "");
        add_parsed(w, &type->parts[i], is_result);
    }
}

/* Pyccel takes Python's own scalars for these, and NumPy's alone for the others. */
static void
add_scalar(struct stub_writer *w, pkw_dtype dtype)
{
    switch (dtype) {
    case PKW_BOOL: text_add(w->out, "bool"); break;
    case PKW_I64: text_add(w->out, "int"); break;
    case PKW_F64: text_add(w->out, "float"); break;
    case PKW_C128: text_add(w->out, "complex"); break;
    default: text_printf(w->out, "np.%s", dtype_name(dtype));
    }
}

static bool
is_class(const struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->python->n_classes; i++)
        if (strcmp(plan->python->classes[i].name, name) == 0)
            return true;
    return false;
}

static void
add_bracketed(struct stub_writer *w, const char *name, const struct stub_type *type, bool is_result)
{
    text_printf(w->out, "%s[", name);
    add_parts(w, type, ", ", is_result);
    text_add(w->out, type->repeated ? ", ...]" : type->n_parts == 0 ? "()]" : "]");
}

static void
add_parsed(struct stub_writer *w, const struct stub_type *type, bool is_result)
{
    switch (type->kind) {
    case STUB_SCALAR: add_scalar(w, type->dtype); break;
    case STUB_ARRAY:
        /* A made array has the kind of the caller's, which no type can say. */
        if (is_result || type->dtype == PKW_NO_DTYPE) {
            text_add(w->out, "Any");
            break;
        }
        w->uses[type->dtype] = true;
        text_printf(w->out, "_%s_array", dtype_name(type->dtype));
        break;
    case STUB_STRING: text_add(w->out, "str"); break;
    case STUB_NONE: text_add(w->out, "None"); break;
    case STUB_TUPLE: add_bracketed(w, "tuple", type, is_result); break;
    case STUB_LIST: add_bracketed(w, "list", type, is_result); break;
    case STUB_SET: add_bracketed(w, "set", type, is_result); break;
    case STUB_DICT: add_bracketed(w, "dict", type, is_result); break;
    case STUB_FUNCTION:
        w->functions = true;
        text_add(w->out, "Callable[..., Any]");
        break;
    case STUB_NAME: text_add(w->out, is_class(w->plan, type->name) ? type->name : "Any"); break;
    case STUB_UNION: add_parts(w, type, " | ", is_result); break;
    }
}

static void
add_type(struct stub_writer *w, const char *annotation, bool is_result)
{
    struct stub_type type = {0};
    int column;
    if (annotation == NULL || stub_type_parse(&type, w->plan->arena, annotation, &column) != NULL)
        text_add(w->out, "Any");
    else
        add_parsed(w, &type, is_result);
}

/* `name`: as it is defined. `first`: 1 where the first parameter is the function's own self; `self`: it has one. */
static void
add_variant(struct stub_writer *w, const char *name, const struct pyplan_variant *variant, bool takes_constant, bool self,
            int first)
{
    text_printf(w->out, "def %s(%s", name, self ? "self" : "");
    for (int i = first; i < variant->n_params; i++) {
        const struct pyplan_param *param = &variant->params[i];
        bool first_keyword = param->keyword_only && (i == 0 || !variant->params[i - 1].keyword_only);
        bool positional_ends = param->positional_only
                               && (i + 1 == variant->n_params || !variant->params[i + 1].positional_only);
        text_printf(w->out, "%s%s%s: ", i > first || self ? ", " : "", first_keyword ? "*, " : "", param->name);
        add_type(w, param->type, false);
        if (param->nullable && (param->default_text == NULL || strcmp(param->default_text, "None") == 0))
            text_add(w->out, " | None");
        if (param->default_text != NULL)
            text_printf(w->out, " = %s", param->default_text);
        if (positional_ends)
            text_add(w->out, ", /");
    }
    if (takes_constant)
        text_printf(w->out, ", %sconstant: tuple[str, ...] | bool = ()", pyplan_ends_in_keywords(variant) ? "" : "*, ");
    text_add(w->out, ") -> ");
    if (variant->returns == NULL || strcmp(variant->returns, "None") == 0)
        text_add(w->out, "None");
    else
        add_type(w, variant->returns, true);
    text_add(w->out, ":");
}

static void
add_function(struct stub_writer *w, const struct pyplan_function *function)
{
    struct text doc = {0};
    emit_py_doc(&doc, function);
    for (int i = 0; i < function->n_variants; i++) {
        text_add(w->out, function->n_variants > 1 ? "\n@overload\n" : "\n");
        add_variant(w, function->name, &function->variants[i], false, false, 0);
        if (i == 0 && doc.length > 0)
            emit_stub_doc(w->out, doc.data);
        else
            text_add(w->out, " ...\n");
    }
    text_release(&doc);
}

static void
add_method(struct stub_writer *w, const struct pyplan_function *function, const char *decorator, const char *name,
           int first)
{
    for (int i = 0; i < function->n_variants; i++) {
        text_printf(w->out, "\n%s    ", function->n_variants > 1 ? "    @overload\n" : decorator);
        add_variant(w, name, &function->variants[i], function->takes_constant, true, first);
        text_add(w->out, " ...\n");
    }
}

static void
add_class(struct stub_writer *w, const struct pyplan_class *class)
{
    int n = class->n_attributes + class->constructor.n_variants + class->n_methods + class->n_properties;
    text_printf(w->out, "\nclass %s:", class->name);
    if (class->doc[0] != '\0')
        emit_stub_doc(w->out, class->doc);
    else
        text_add(w->out, n > 0 ? "\n" : " ...\n");
    for (int i = 0; i < class->n_attributes; i++) {
        text_printf(w->out, "    %s: ", class->attributes[i].name);
        add_type(w, class->attributes[i].type, false);
        text_add(w->out, "\n");
    }
    add_method(w, &class->constructor, "", "__init__", 0);
    for (int i = 0; i < class->n_methods; i++)
        add_method(w, &class->methods[i], "", pyplan_own_name(class->methods[i].name), 1);
    for (int i = 0; i < class->n_properties; i++)
        add_method(w, &class->properties[i], "    @property\n", pyplan_own_name(class->properties[i].name), 1);
}

void
emit_py_stub(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    struct text body = {0};
    struct stub_writer w = {.out = &body, .plan = plan};
    for (int i = 0; i < python->n_variables; i++) {
        text_printf(&body, "%s%s: ", i ? "" : "\n", python->variables[i].name);
        add_type(&w, python->variables[i].type, false);
        text_add(&body, "\n");
    }
    for (int i = 0; i < python->n_classes; i++)
        add_class(&w, &python->classes[i]);
    for (int i = 0; i < python->n_functions; i++)
        add_function(&w, &python->functions[i]);
    text_add(out, w.functions ? "from collections.abc import Callable\n" : "");
    text_add(out, "from typing import Any, Protocol, TypeAlias, overload\n\n"
                  "import numpy as np\nimport numpy.typing as npt\n\n");
    emit_stub_arrays(out, w.uses);
    text_add_n(out, body.data ? body.data : "", body.length);
    text_release(&body);
}
