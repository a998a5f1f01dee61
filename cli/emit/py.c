/* py.c - the tables that describe a compiled Pyccel module to libpkwrap; lib/include/pkwrap.h says what they mean. */
#include "py.h"

#include <string.h>

#include "emit_internal.h"

static const char *const kinds[] = {
    [PYPLAN_ARRAY] = "PKW_PY_ARRAY",
    [PYPLAN_SCALAR] = "PKW_PY_SCALAR",
    [PYPLAN_CLASS] = "PKW_PY_CLASS",
    [PYPLAN_OBJECT] = "PKW_PY_OBJECT",
};

/* What the names in C of a function's tables begin with: its own name, if that is one in C. `owner`: "module" for the functions of
 * the module, else what those of its class begin with. */
static const char *prefix(struct arena *arena, const char *owner, const struct pyplan_function *function, int index)
{
    const char *name = pyplan_own_name(function->name);
    if (!is_identifier(name))
        return arena_printf(arena, "%s__function%d", owner, index);
    return strcmp(owner, "module") == 0 ? name : arena_printf(arena, "%s__%s", owner, name);
}

static const char *class_prefix(struct arena *arena, const struct pyplan_class *class, int index)
{
    return is_identifier(class->name) ? arena_printf(arena, "module__class_%s", class->name)
                                      : arena_printf(arena, "module__class%d", index);
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
        {param->alias, "PKW_ALIAS"},
        {param->late, "PKW_SET_LATE"},
        {param->constant, "PKW_CONSTANT"},
        {param->nested_known, "PKW_NESTED_KNOWN"},
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

static void add_doc(struct text *out, const char *name, const struct pyplan_function *function)
{
    struct text doc = {0};
    emit_py_signature(&doc, function);
    text_add(&doc, "\n--\n\n");
    emit_py_doc(&doc, function);
    text_printf(out, "PyDoc_STRVAR(%s__doc,\n    ", name);
    emit_string(out, doc.data, 4);
    text_add(out, ");\n\n");
    text_release(&doc);
}

static void add_params(struct text *out, const char *name, const struct pyplan_param *params, int n)
{
    if (n == 0)
        return;
    text_printf(out, "static const pkw_py_param %s[] = {\n", name);
    for (int i = 0; i < n; i++)
        add_param(out, &params[i]);
    text_add(out, "};\n\n");
}

/* What one row of a table of functions refers to. */
static void add_function(struct text *out, struct arena *arena, const char *name, const struct pyplan_function *function)
{
    for (int i = 0; i < function->n_variants; i++)
        add_params(out, arena_printf(arena, "%s__params_%d", name, i), function->variants[i].params,
                   function->variants[i].n_params);
    text_printf(out, "static const pkw_py_variant %s__variants[] = {\n", name);
    for (int i = 0; i < function->n_variants; i++)
        if (function->variants[i].n_params > 0)
            text_printf(out, "    {%s__params_%d, %d},\n", name, i, function->variants[i].n_params);
        else
            text_add(out, "    {NULL, 0},\n");
    text_printf(out, "};\n\nstatic pkw_kernel_state %s__state;\n\n", name);
    add_doc(out, name, function);
}

/* The row itself. */
static void add_row(struct text *out, const char *indent, const char *name, const struct pyplan_function *function)
{
    text_printf(out, "%s{", indent);
    emit_string(out, function->name, 0);
    text_printf(out, ", %s__doc, %s__variants, &%s__state, %d, %s, %s}", name, name, name, function->n_variants,
                function->gives_objects ? "true" : "false", function->gives_views ? "true" : "false");
}

/* A table of functions, called OWNER__LIST. */
static void add_functions(struct text *out, struct arena *arena, const char *owner, const char *list,
                          const struct pyplan_function *functions, int n)
{
    for (int i = 0; i < n; i++)
        add_function(out, arena, prefix(arena, owner, &functions[i], i), &functions[i]);
    if (n == 0)
        return;
    text_printf(out, "static const pkw_py_function %s__%s[] = {\n", owner, list);
    for (int i = 0; i < n; i++) {
        add_row(out, "    ", prefix(arena, owner, &functions[i], i), &functions[i]);
        text_add(out, ",\n");
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

/* The initializer of a table that is a member. */
static void add_table_part(struct text *out, const char *indent, const char *owner, const char *member, int n)
{
    if (n > 0)
        text_printf(out, "%s.%s = %s__%s,\n%s.n_%s = %d,\n", indent, member, owner, member, indent, member, n);
}

/* What the row of a class refers to. */
static void add_class(struct text *out, struct arena *arena, const char *name, const struct pyplan_class *class)
{
    const struct pyplan_function *constructor = &class->constructor;
    if (constructor->n_variants > 0) {
        add_function(out, arena, name, constructor);
        text_printf(out, "static const pkw_py_function %s__constructor =\n", name);
        add_row(out, "    ", name, constructor);
        text_add(out, ";\n\n");
    }
    add_functions(out, arena, name, "methods", class->methods, class->n_methods);
    add_functions(out, arena, name, "properties", class->properties, class->n_properties);
    add_params(out, arena_printf(arena, "%s__attributes", name), class->attributes, class->n_attributes);
}

static void add_classes(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    if (python->n_classes == 0)
        return;
    for (int i = 0; i < python->n_classes; i++)
        add_class(out, plan->arena, class_prefix(plan->arena, &python->classes[i], i), &python->classes[i]);
    text_add(out, "static const pkw_py_class module__classes[] = {\n");
    for (int i = 0; i < python->n_classes; i++) {
        const struct pyplan_class *class = &python->classes[i];
        const char *name = class_prefix(plan->arena, class, i);
        text_add(out, "    {.name = ");
        emit_string(out, class->name, 0);
        text_add(out, ", .doc = ");
        emit_string(out, class->doc, 4);
        if (class->constructor.n_variants > 0)
            text_printf(out, ",\n     .constructor = &%s__constructor", name);
        text_add(out, ",\n");
        add_table_part(out, "     ", name, "methods", class->n_methods);
        add_table_part(out, "     ", name, "properties", class->n_properties);
        add_table_part(out, "     ", name, "attributes", class->n_attributes);
        text_add(out, "    },\n");
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

void emit_py_tables(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    text_add(out, "static const pkw_api *pkwrap;\n\n");
    add_functions(out, plan->arena, "module", "functions", python->functions, python->n_functions);
    add_classes(out, plan);
    add_variables(out, python);
    text_add(out, "static const pkw_py_module module__table = {\n    .name = ");
    emit_string(out, plan->module, 0);
    text_add(out, ",\n    .extension = ");
    emit_string(out, python->extension, 0);
    text_add(out, ",\n    .stub = ");
    emit_string(out, python->stub, 0);
    text_add(out, ",\n");
    add_table_part(out, "    ", "module", "functions", python->n_functions);
    add_table_part(out, "    ", "module", "classes", python->n_classes);
    add_table_part(out, "    ", "module", "variables", python->n_variables);
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
