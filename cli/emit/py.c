/* py.c - the tables that describe a compiled Pyccel module to libpkwrap; lib/include/pkwrap.h says what they mean. */
#include "py.h"

#include <string.h>

#include "emit_internal.h"

static const char *const kinds[] = {
    [PYPLAN_ARRAY] = "PKW_ARRAY",
    [PYPLAN_SCALAR] = "PKW_PY_SCALAR",
    [PYPLAN_CLASS] = "PKW_PY_CLASS",
    [PYPLAN_OBJECT] = "PKW_PY_OBJECT",
};

/* What the names in C of a function's tables begin with: its own name, if that is one in C. `owner`: "module" for the functions of
 * the module, else what those of its class begin with. */
static const char *
prefix(struct arena *arena, const char *owner, const struct pyplan_function *function, int index)
{
    const char *name = pyplan_own_name(function->name);
    if (!is_identifier(name))
        return arena_printf(arena, "%s__function%d", owner, index);
    return strcmp(owner, "module") == 0 ? name : arena_printf(arena, "%s__%s", owner, name);
}

static const char *
class_prefix(struct arena *arena, const struct pyplan_class *class, int index)
{
    return is_identifier(class->name) ? arena_printf(arena, "module__class_%s", class->name)
                                      : arena_printf(arena, "module__class%d", index);
}

/* " | "-joined names of those flags that are set, after `before`; nothing where none is. */
struct flag {
    bool set;
    const char *name;
};

static void
add_flags(struct text *out, const char *before, const struct flag *flags, size_t n)
{
    const char *separator = before;
    for (size_t i = 0; i < n; i++)
        if (flags[i].set) {
            text_printf(out, "%s%s", separator, flags[i].name);
            separator = " | ";
        }
}

/* What a function may do with what its parameters refer to, beyond the call. */
struct role {
    const char *keeps; /* enumerator without its prefix */
    bool keeps_arrays; /* an object may refer to them */
    bool hands_out;    /* memory of them may come back */
    bool sets;         /* the setter of an attribute */
};

static bool
refers(const struct pyplan_class *class)
{
    for (int i = 0; i < class->n_attributes; i++)
        if (class->attributes[i].kind == PYPLAN_CLASS || (class->attributes[i].kind == PYPLAN_ARRAY && class->attributes[i].alias))
            return true;
    return false;
}

/* `class`: whose method it is, or NULL. */
static struct role
role_of(const struct pyplan_function *function, const struct pyplan_class *class, bool sets)
{
    bool makes = function->gives_objects || (class != NULL && function == &class->constructor);
    bool in_self = class != NULL && function != &class->constructor && refers(class);
    bool objects = false;
    for (int v = 0; v < function->n_variants; v++)
        for (int i = 0; i < function->variants[v].n_params; i++)
            objects = objects || function->variants[v].params[i].kind == PYPLAN_CLASS;
    return (struct role){
        .keeps = in_self ? "IN_SELF" : makes ? "IN_RESULT" : "NOTHING",
        .keeps_arrays = in_self || makes || objects,
        .hands_out = in_self || makes || function->gives_views,
        .sets = sets,
    };
}

static void
add_instance(struct text *out, const struct pyplan_param *param)
{
    text_add(out, ",\n     .instance = &(const pkw_py_instance){");
    emit_string(out, param->class_name, 0);
    text_add(out, param->n_attributes == 0 ? ", NULL, 0}" : ", (const pkw_py_attribute[]){");
    for (int i = 0; i < param->n_attributes; i++) {
        const struct pyplan_attribute *attribute = &param->attributes[i];
        const struct flag flags[] = {{attribute->written, "PKW_WRITTEN"}, {attribute->overwritten, "PKW_OVERWRITTEN"}};
        text_add(out, i ? ",\n        {" : "\n        {");
        emit_string(out, attribute->path, 0);
        text_printf(out, ", \"%s.%s\"", param->name, attribute->path); /* identifiers */
        add_flags(out, ", ", flags, 2);
        text_add(out, attribute->written || attribute->overwritten ? "}" : ", 0}");
    }
    if (param->n_attributes > 0)
        text_printf(out, "}, %d}", param->n_attributes);
}

/* Pyccel takes Python's own numbers for "int", and NumPy's for "int64". */
static bool
is_python_number(const struct pyplan_param *param)
{
    return param->kind == PYPLAN_SCALAR && (param->dtype == PKW_I64 || param->dtype == PKW_F64 || param->dtype == PKW_C128)
           && strstr(param->type, dtype_name(param->dtype)) == NULL;
}

static void
add_param(struct text *out, const struct plan *plan, const struct role *role, const struct pyplan_param *param)
{
    bool is_array = param->kind == PYPLAN_ARRAY;
    const struct flag flags[] = {
        {param->written, "PKW_WRITTEN"},
        {param->overwritten, "PKW_OVERWRITTEN"},
        {param->nullable, "PKW_NULLABLE"},
        {param->default_text != NULL, "PKW_DEFAULT_NONE"},
        {param->keyword_only, "PKW_KEYWORD_ONLY"},
        {param->positional_only, "PKW_POSITIONAL_ONLY"},
        {param->alias, "PKW_ALIAS"},
        {param->late, "PKW_SET_LATE"},
        {param->constant, "PKW_CONSTANT"},
        {param->nested_known, "PKW_NESTED_KNOWN"},
        {is_array && param->order == 'F', "PKW_FORTRAN"},
        {is_array && plan->python->refuses_empty, "PKW_REFUSE_EMPTY"},
        {is_array && role->keeps_arrays, "PKW_KEPT"},
        {is_array && role->hands_out, "PKW_CONTIGUOUS"},
        {is_python_number(param), "PKW_PYTHON_NUMBER"},
        {role->sets && param->kind == PYPLAN_CLASS && param->n_attributes == 0 && strcmp(param->name, "self") == 0,
         "PKW_NOT_LOOKED_INTO"},
    };
    text_add(out, "    {.name = ");
    emit_string(out, param->name, 0);
    text_add(out, ", .c_type = ");
    emit_string(out, param->type, 0);
    text_printf(out, ", .kind = %s", kinds[param->kind]);
    if (is_array || param->kind == PYPLAN_SCALAR)
        text_printf(out, ", .dtype = %s", dtype_id(param->dtype));
    if (is_array)
        text_printf(out, ", .rank = %d", param->rank);
    add_flags(out, ",\n     .flags = ", flags, sizeof flags / sizeof *flags);
    if (param->kind == PYPLAN_CLASS)
        add_instance(out, param);
    text_add(out, "},\n");
}

static void
add_doc(struct text *out, const char *name, const struct pyplan_function *function)
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

static void
add_params(struct text *out, const struct plan *plan, const struct role *role, const char *name,
           const struct pyplan_variant *variant)
{
    if (variant->n_params == 0)
        return;
    text_printf(out, "static const pkw_param %s[] = {\n", name);
    for (int i = 0; i < variant->n_params; i++)
        add_param(out, plan, role, &variant->params[i]);
    text_add(out, "};\n\n");
}

/* The counts that a table of parameters implies. */
static void
add_variant(struct text *out, const struct plan *plan, const char *name, const struct pyplan_function *function, int index)
{
    const struct pyplan_variant *variant = &function->variants[index];
    int n_required = 0, n_positional = 0, n_needed = 0, n_objects = 0;
    for (int i = 0; i < variant->n_params; i++) {
        const struct pyplan_param *param = &variant->params[i];
        n_positional += !param->keyword_only;
        n_needed += param->default_text == NULL;
        n_required += param->default_text == NULL && !param->keyword_only;
        n_objects += param->kind == PYPLAN_CLASS;
    }
    text_add(out, "    {{.name = ");
    emit_string(out, function->name, 0);
    text_add(out, ", .module = ");
    emit_string(out, plan->module, 0);
    if (variant->n_params > 0)
        text_printf(out, ",\n      .params = %s__params_%d, .visible = module__positions, .n_params = %d, .n_visible = %d", name, index,
                    variant->n_params, variant->n_params);
    text_printf(out, ",\n      .n_required = %d, .n_positional = %d, .gil = PKW_GIL_HOLD, .state = &%s__state},\n", n_required,
                n_positional, name);
    text_printf(out, "     .n_needed = %d, .n_objects = %d},\n", n_needed, n_objects);
}

/* What one row of a table of functions refers to. */
static void
add_function(struct text *out, const struct plan *plan, const struct role *role, const char *name,
             const struct pyplan_function *function)
{
    for (int i = 0; i < function->n_variants; i++)
        add_params(out, plan, role, arena_printf(plan->arena, "%s__params_%d", name, i), &function->variants[i]);
    text_printf(out, "static pkw_kernel_state %s__state;\n\nstatic const pkw_py_variant %s__variants[] = {\n", name, name);
    for (int i = 0; i < function->n_variants; i++)
        add_variant(out, plan, name, function, i);
    text_add(out, "};\n\n");
    if (!role->sets)
        add_doc(out, name, function);
}

/* The row itself. */
static void
add_row(struct text *out, const char *indent, const struct role *role, const char *name,
        const struct pyplan_function *function)
{
    text_printf(out, "%s{", indent);
    emit_string(out, function->name, 0);
    text_printf(out, ", %s%s, %s__variants, %d, PKW_KEEPS_%s, %s}", role->sets ? "NULL" : name, role->sets ? "" : "__doc", name,
                function->n_variants, role->keeps, function->gives_objects ? "true" : "false");
}

/* A table of functions, called OWNER__LIST. `class`: whose they are, or NULL. */
static void
add_functions(struct text *out, const struct plan *plan, const struct pyplan_class *class, const char *owner,
              const char *list, const struct pyplan_function *functions, int n)
{
    bool sets = strcmp(list, "attributes") == 0;
    for (int i = 0; i < n; i++) {
        const struct role role = role_of(&functions[i], class, sets);
        add_function(out, plan, &role, prefix(plan->arena, owner, &functions[i], i), &functions[i]);
    }
    if (n == 0)
        return;
    text_printf(out, "static const pkw_py_function %s__%s[] = {\n", owner, list);
    for (int i = 0; i < n; i++) {
        const struct role role = role_of(&functions[i], class, sets);
        add_row(out, "    ", &role, prefix(plan->arena, owner, &functions[i], i), &functions[i]);
        text_add(out, ",\n");
    }
    text_add(out, "};\n\n");
}

/* The functions that set a class's attributes, of the object and the value. */
static struct pyplan_function *
setters_of(struct arena *arena, const struct pyplan_class *class)
{
    struct pyplan_function *setters = arena_take(arena, (size_t)class->n_attributes + 1, sizeof *setters);
    for (int i = 0; i < class->n_attributes; i++) {
        struct pyplan_param *params = arena_take(arena, 2, sizeof *params);
        params[0] = (struct pyplan_param){.name = "self", .type = class->name, .class_name = class->name, .kind = PYPLAN_CLASS};
        params[1] = class->attributes[i];
        params[1].nested_known = false; /* what the object that is set refers to is not looked at */
        struct pyplan_variant *variant = arena_take(arena, 1, sizeof *variant);
        *variant = (struct pyplan_variant){.params = params, .n_params = 2};
        setters[i] = (struct pyplan_function){
            .name = arena_printf(arena, "%s.%s", class->name, class->attributes[i].name), .variants = variant, .n_variants = 1};
    }
    return setters;
}

/* The initializer of a table that is a member. */
static void
add_table_part(struct text *out, const char *indent, const char *owner, const char *member, int n)
{
    if (n > 0)
        text_printf(out, "%s.%s = %s__%s,\n%s.n_%s = %d,\n", indent, member, owner, member, indent, member, n);
}

/* What the row of a class refers to. */
static void
add_class(struct text *out, const struct plan *plan, const char *name, const struct pyplan_class *class)
{
    const struct pyplan_function *constructor = &class->constructor;
    if (constructor->n_variants > 0) {
        const struct role role = role_of(constructor, class, false);
        add_function(out, plan, &role, name, constructor);
        text_printf(out, "static const pkw_py_function %s__constructor =\n", name);
        add_row(out, "    ", &role, name, constructor);
        text_add(out, ";\n\n");
    }
    add_functions(out, plan, class, name, "methods", class->methods, class->n_methods);
    add_functions(out, plan, class, name, "properties", class->properties, class->n_properties);
    add_functions(out, plan, class, name, "attributes", setters_of(plan->arena, class), class->n_attributes);
}

static void
add_classes(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    if (python->n_classes == 0)
        return;
    for (int i = 0; i < python->n_classes; i++)
        add_class(out, plan, class_prefix(plan->arena, &python->classes[i], i), &python->classes[i]);
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

static void
add_variables(struct text *out, const struct pyplan *python)
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

/* The positions of parameters, of which every function has a beginning. */
static int
longest_signature(const struct pyplan_function *functions, int n, int longest)
{
    for (int i = 0; i < n; i++)
        for (int v = 0; v < functions[i].n_variants; v++)
            longest = functions[i].variants[v].n_params > longest ? functions[i].variants[v].n_params : longest;
    return longest;
}

static void
add_positions(struct text *out, const struct pyplan *python)
{
    int n = longest_signature(python->functions, python->n_functions, python->n_classes > 0 ? 2 : 0); /* of setters: 2 */
    for (int i = 0; i < python->n_classes; i++) {
        const struct pyplan_class *class = &python->classes[i];
        n = longest_signature(&class->constructor, 1, n);
        n = longest_signature(class->methods, class->n_methods, n);
        n = longest_signature(class->properties, class->n_properties, n);
    }
    text_add(out, n > 0 ? "static const int16_t module__positions[] = {" : "");
    for (int i = 0; i < n; i++)
        text_printf(out, "%s%d", i ? ", " : "", i);
    text_add(out, n > 0 ? "};\n\n" : "");
}

void
emit_py_tables(struct text *out, const struct plan *plan)
{
    const struct pyplan *python = plan->python;
    text_add(out, "static const pkw_api *pkwrap;\n\n");
    add_positions(out, python);
    add_functions(out, plan, NULL, "module", "functions", python->functions, python->n_functions);
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
