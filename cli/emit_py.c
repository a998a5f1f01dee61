/* emit_py.c - the tables that describe a compiled Pyccel module to libpkwrap; lib/include/pkwrap.h says what they mean. */
#include "emit_py.h"

#include <string.h>

#include "emit_parts.h"

static const char *const kinds[] = {
    [PYPLAN_ARRAY] = "PKW_PY_ARRAY",
    [PYPLAN_SCALAR] = "PKW_PY_SCALAR",
    [PYPLAN_CLASS] = "PKW_PY_CLASS",
    [PYPLAN_OBJECT] = "PKW_PY_OBJECT",
};

/* What the names in C of a function's or class's tables begin with: its own name, if that is one in C. */
static const char *prefix(struct arena *arena, const char *name, const char *kind, int index)
{
    return is_identifier(name) ? name : arena_printf(arena, "%s%d", kind, index);
}

/* " | "-joined names of those flags that are set, after `before`; nothing where none is. */
struct flag {
    bool set;
    const char *name;
};

static void add_flags(struct text *out, const char *before, const struct flag *flags, size_t n)
{
    const char *separator = before;
    for (size_t i = 0; i < n; i++)
        if (flags[i].set) {
            text_printf(out, "%s%s", separator, flags[i].name);
            separator = " | ";
        }
}

static void add_attributes(struct text *out, const struct pyplan_param *param)
{
    if (param->n_attributes == 0)
        return;
    text_add(out, ",\n     .attributes = (const pkw_py_attribute[]){");
    for (int i = 0; i < param->n_attributes; i++) {
        const struct pyplan_attribute *attribute = &param->attributes[i];
        const struct flag flags[] = {{attribute->written, "PKW_WRITTEN"}, {attribute->overwritten, "PKW_OVERWRITTEN"}};
        text_add(out, i ? ", {" : "{");
        emit_string(out, attribute->name, 0);
        add_flags(out, ", ", flags, 2);
        text_add(out, attribute->written || attribute->overwritten ? "}" : ", 0}");
    }
    text_printf(out, "}, .n_attributes = %d", param->n_attributes);
}

static void add_param(struct text *out, const struct pyplan_param *param)
{
    const struct flag flags[] = {
        {param->written, "PKW_WRITTEN"},
        {param->overwritten, "PKW_OVERWRITTEN"},
        {param->nullable, "PKW_NULLABLE"},
        {param->default_text != NULL, "PKW_HAS_DEFAULT"},
        {param->keyword_only, "PKW_KEYWORD_ONLY"},
        {param->positional_only, "PKW_POSITIONAL_ONLY"},
    };
    text_add(out, "    {.name = ");
    emit_string(out, param->name, 0);
    text_add(out, ", .type = ");
    emit_string(out, param->type, 0);
    text_printf(out, ", .kind = %s", kinds[param->kind]);
    if (param->kind == PYPLAN_ARRAY || param->kind == PYPLAN_SCALAR)
        text_printf(out, ", .dtype = %s", dtype_id(param->dtype));
    if (param->kind == PYPLAN_ARRAY)
        text_printf(out, ", .rank = %d", param->rank);
    if (param->order != 0)
        text_printf(out, ", .order = '%c'", param->order);
    add_flags(out, ",\n     .flags = ", flags, sizeof flags / sizeof *flags);
    if (param->kind == PYPLAN_CLASS) {
        text_add(out, ",\n     .class_name = ");
        emit_string(out, param->class_name, 0);
        add_attributes(out, param);
    }
    text_add(out, "},\n");
}

static void add_function(struct text *out, const char *name, const struct pyplan_function *function)
{
    struct text doc = {0};
    for (int i = 0; i < function->n_variants; i++) {
        const struct pyplan_variant *variant = &function->variants[i];
        if (variant->n_params == 0)
            continue;
        text_printf(out, "static const pkw_py_param %s__params_%d[] = {\n", name, i);
        for (int k = 0; k < variant->n_params; k++)
            add_param(out, &variant->params[k]);
        text_add(out, "};\n\n");
    }
    text_printf(out, "static const pkw_py_variant %s__variants[] = {\n", name);
    for (int i = 0; i < function->n_variants; i++)
        if (function->variants[i].n_params > 0)
            text_printf(out, "    {%s__params_%d, %d},\n", name, i, function->variants[i].n_params);
        else
            text_add(out, "    {NULL, 0},\n");
    text_printf(out, "};\n\nstatic pkw_kernel_state %s__state;\n\n", name);
    emit_py_signature(&doc, function);
    text_add(&doc, "\n--\n\n");
    emit_py_doc(&doc, function);
    text_printf(out, "PyDoc_STRVAR(%s__doc,\n    ", name);
    emit_string(out, doc.data, 4);
    text_add(out, ");\n\n");
    text_release(&doc);
}

static void add_functions(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    for (int i = 0; i < python->n_functions; i++)
        add_function(out, prefix(plan->arena, python->functions[i].name, "function", i), &python->functions[i]);
    if (python->n_functions == 0)
        return;
    text_add(out, "static const pkw_py_function module__functions[] = {\n");
    for (int i = 0; i < python->n_functions; i++) {
        const struct pyplan_function *function = &python->functions[i];
        const char *name = prefix(plan->arena, function->name, "function", i);
        text_add(out, "    {");
        emit_string(out, function->name, 0);
        text_printf(out, ", %s__doc, %s__variants, %d, &%s__state},\n", name, name, function->n_variants, name);
    }
    text_add(out, "};\n\n");
}

static void add_names(struct text *out, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        text_add(out, i ? ", " : "");
        emit_string(out, names[i], 0);
    }
}

static void add_classes(struct text *out, const struct pyplan *python)
{
    if (python->n_classes == 0)
        return;
    text_add(out, "static const pkw_py_class module__classes[] = {\n");
    for (int i = 0; i < python->n_classes; i++) {
        const struct pyplan_class *class = &python->classes[i];
        text_add(out, "    {");
        emit_string(out, class->name, 0);
        if (class->n_aliases > 0) {
            text_add(out, ", (const char *const[]){");
            add_names(out, class->aliases, class->n_aliases);
            text_printf(out, "}, %d},\n", class->n_aliases);
        } else {
            text_add(out, ", NULL, 0},\n");
        }
    }
    text_add(out, "};\n\n");
}

static void add_variables(struct text *out, const struct pyplan *python)
{
    if (python->n_variables == 0)
        return;
    text_add(out, "static const char *const module__variables[] = {");
    for (int i = 0; i < python->n_variables; i++) {
        text_add(out, i ? ", " : "");
        emit_string(out, python->variables[i].name, 0);
    }
    text_add(out, "};\n\n");
}

static void add_object_modules(struct text *out, const struct pyplan *python)
{
    if (python->n_object_modules == 0)
        return;
    text_add(out, "    .object_modules = (const char *const[]){");
    add_names(out, python->object_modules, python->n_object_modules);
    text_printf(out, "},\n    .n_object_modules = %d,\n", python->n_object_modules);
}

static void add_table_part(struct text *out, const char *member, int n)
{
    if (n > 0)
        text_printf(out, "    .%s = module__%s,\n    .n_%s = %d,\n", member, member, member, n);
}

void emit_py_tables(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    text_add(out, "static const pkw_api *pkwrap;\n\n");
    add_functions(out, plan);
    add_classes(out, python);
    add_variables(out, python);
    text_add(out, "static const pkw_py_module module__table = {\n    .name = ");
    emit_string(out, plan->module, 0);
    text_add(out, ",\n    .extension = ");
    emit_string(out, python->extension, 0);
    text_add(out, ",\n    .stub = ");
    emit_string(out, python->stub, 0);
    text_add(out, ",\n");
    add_table_part(out, "functions", python->n_functions);
    add_table_part(out, "classes", python->n_classes);
    add_table_part(out, "variables", python->n_variables);
    if (python->refuses_empty)
        text_add(out, "    .refuses_empty = true,\n");
    add_object_modules(out, python);
    text_add(out, "};\n\n"
                  "static int\n"
                  "module__exec(PyObject *module)\n"
                  "{\n"
                  "    pkwrap = pkw_get_api(PKW_ABI);\n"
                  "    if (pkwrap == NULL)\n"
                  "        return -1;\n"
                  "    return pkwrap->add_python_kernels(module, &module__table);\n"
                  "}\n\n");
}
