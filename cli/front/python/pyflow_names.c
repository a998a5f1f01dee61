/* pyflow_names.c - functions, classes and imports of the modules: what a name means where no local variable hides it. */
#include <string.h>

#include "pyflow_parts_internal.h"

int
flow_bind(struct flow *flow, struct flow_binding binding)
{
    *ARENA_PUSH(flow->arena, flow->bindings, flow->n_bindings) = binding;
    return flow->n_bindings - 1;
}

int
flow_bound_name(const struct flow *flow, int alias)
{
    const struct pytree *tree = flow->tree;
    int name = tree->nodes[alias].name;
    const char *text = tree->strings[name], *dot = strchr(text, '.');
    if (!dot)
        return name;
    for (int i = 0; i < tree->n_strings; i++)
        if (strncmp(tree->strings[i], text, (size_t)(dot - text)) == 0 && tree->strings[i][dot - text] == '\0')
            return i;
    return -2;
}

/* What has not been read is known by its dotted name only. */
static int
bind_module(struct flow *flow, int module, const char *text)
{
    int file = flow->tree->modules[module];
    return flow_bind(flow, (struct flow_binding){.kind = file >= 0 ? BOUND_FILE : BOUND_KNOWN, .index = file, .text = text});
}

int
flow_bind_alias(struct flow *flow, int statement, int alias)
{
    const struct pytree *tree = flow->tree;
    int text = alias + 1;
    const char *full = pytree_name(tree, text);
    int module = tree->nodes[pytree_child(tree, alias, 1)].name;
    if (tree->nodes[statement].kind == PY_IMPORT) {
        const char *bound = pytree_name(tree, alias);
        if (!strchr(bound, '.'))
            return bind_module(flow, module, full);
        /* import a.b.c binds a; which modules lie below it is looked up with the whole dotted name. */
        return flow_bind(flow, (struct flow_binding){.kind = BOUND_KNOWN,
                                                     .index = -1,
                                                     .text = arena_copy_n(flow->arena, bound, strcspn(bound, "."))});
    }
    int submodule = tree->nodes[pytree_child(tree, alias, 2)].name;
    const char *base = pytree_name(tree, statement);
    return flow_bind(flow, (struct flow_binding){.kind = BOUND_FROM,
                                                 .index = module,
                                                 .extra = submodule,
                                                 .name = tree->nodes[text].name,
                                                 .text = arena_printf(flow->arena, "%s.%s", base, full)});
}

static void
bind_name(struct flow *flow, struct flow_scope *scope, int name, int binding)
{
    *ARENA_PUSH(flow->arena, scope->entries, scope->n_entries) = (struct flow_entry){name, binding};
}

static void
bind_imports(struct flow *flow, struct flow_scope *scope, int statement)
{
    const struct pytree *tree = flow->tree;
    PYTREE_EACH(tree, alias, statement) {
        if (strcmp(pytree_name(tree, alias + 1), "*") == 0) {
            int module = tree->nodes[pytree_child(tree, alias, 1)].name;
            *ARENA_PUSH(flow->arena, scope->stars, scope->n_stars) = (struct flow_star){module, pytree_name(tree, statement)};
        } else {
            bind_name(flow, scope, flow_bound_name(flow, alias), flow_bind_alias(flow, statement, alias));
        }
    }
}

static int
add_def(struct flow *flow, int file, int node, int class_index)
{
    struct flow_def *def = ARENA_PUSH(flow->arena, flow->defs, flow->n_defs);
    *def = (struct flow_def){.file = file, .node = node, .name = flow->tree->nodes[node].name, .class_index = class_index};
    flow_slots(flow, def);
    return flow->n_defs - 1;
}

static int
add_class(struct flow *flow, int file, int node)
{
    const struct pytree *tree = flow->tree;
    int index = flow->n_classes;
    struct flow_class *class = ARENA_PUSH(flow->arena, flow->classes, flow->n_classes);
    *class = (struct flow_class){.file = file, .node = node, .name = tree->nodes[node].name};
    class->has_bases = tree->nodes[pytree_child(tree, node, 1)].n_children > 0;
    PYTREE_EACH(tree, statement, pytree_child(tree, node, 3))
        if (tree->nodes[statement].kind == PY_FUNCTION) {
            int def = add_def(flow, file, statement, index);
            *ARENA_PUSH(flow->arena, class->methods, class->n_methods) = def;
        }
    return index;
}

static int
bind_kind(struct flow *flow, enum flow_binding_kind kind, int index)
{
    return flow_bind(flow, (struct flow_binding){.kind = kind, .index = index});
}

/* What a module binds, and how it is not: data of a visit. */
struct collector {
    struct flow *flow;
    int file;
};

static void
bind_other(void *data, int node)
{
    struct collector *c = data;
    const struct pynode *n = &c->flow->tree->nodes[node];
    int name = n->kind == PY_BINDING ? flow_bound_name(c->flow, node) : n->name;
    bind_name(c->flow, &c->flow->scopes[c->file], name, bind_kind(c->flow, BOUND_OTHER, -1));
}

static bool
is_number(const struct pytree *tree, int node)
{
    if (tree->nodes[node].kind == PY_UNARY)
        return is_number(tree, node + 1);
    return tree->nodes[node].kind == PY_INTEGER || tree->nodes[node].kind == PY_NUMBER || tree->nodes[node].kind == PY_BOOLEAN;
}

/* Binds what the statements of a module's top level (and its if, try and with blocks) define. */
static void
collect(struct flow *flow, int file, int list, bool conditional)
{
    const struct pytree *tree = flow->tree;
    struct flow_scope *scope = &flow->scopes[file];
    struct collector c = {flow, file};
    PYTREE_EACH(tree, s, list) {
        const struct pynode *n = &tree->nodes[s];
        int value = n->kind == PY_ASSIGN ? s + 1 : n->kind == PY_ANN_ASSIGN ? pytree_child(tree, s, 2) : s;
        int target = n->kind == PY_ASSIGN ? pytree_child(tree, s, 1) : s + 1;
        switch (n->kind) {
        case PY_FUNCTION:
        case PY_CLASS:
            if (conditional)
                bind_name(flow, scope, n->name, bind_kind(flow, BOUND_OTHER, -1));
            else if (n->kind == PY_FUNCTION)
                bind_name(flow, scope, n->name, bind_kind(flow, BOUND_FUNCTION, add_def(flow, file, s, -1)));
            else
                bind_name(flow, scope, n->name, bind_kind(flow, BOUND_CLASS, add_class(flow, file, s)));
            break;
        case PY_IMPORT:
        case PY_IMPORT_FROM:
            bind_imports(flow, scope, s);
            break;
        case PY_IF:
        case PY_TRY:
        case PY_WITH:
            PYTREE_EACH(tree, part, s)
                if (tree->nodes[part].kind == PY_LIST_)
                    collect(flow, file, part, true);
                else
                    flow_each_bound(tree, part, bind_other, &c);
            break;
        case PY_HANDLER:
            collect(flow, file, pytree_child(tree, s, 1), true);
            break;
        case PY_ASSIGN:
        case PY_ANN_ASSIGN:
            if (n->n_children < 4 && tree->nodes[target].kind == PY_NAME && is_number(tree, value)) {
                bind_name(flow, scope, tree->nodes[target].name, bind_kind(flow, BOUND_NUMBER, -1));
                break;
            }
            if (tree->nodes[value].kind == PY_NONE_) /* a type without a value */
                break;
            /* fall through */
        default: /* what it binds may be bound to anything */
            flow_each_bound_here(tree, s, bind_other, &c);
            break;
        }
    }
}

/* Names that functions declare global, and set. */
static void
bind_globals(struct flow *flow, int file)
{
    const struct pytree *tree = flow->tree;
    struct collector c = {flow, file};
    for (int i = tree->files[file]; i < tree->nodes[tree->files[file]].end; i++)
        if (tree->nodes[i].kind == PY_GLOBAL)
            PYTREE_EACH(tree, name, i)
                bind_other(&c, name);
}

/* What is set in a module, a class or a function from outside makes it unknown: `node` is what it is set in. */
static void
patch(struct flow *flow, int file, int node, int attribute)
{
    const struct pytree *tree = flow->tree;
    if (tree->nodes[node].kind != PY_NAME || flow->slots[node] >= 0)
        return;
    int binding = flow_lookup(flow, file, tree->nodes[node].name, 0);
    struct flow_binding b = binding >= 0 ? flow->bindings[binding] : (struct flow_binding){.kind = BOUND_OTHER};
    struct collector c = {flow, file};
    if (b.kind == BOUND_CLASS)
        flow->classes[b.index].is_opaque = true;
    else if (b.kind == BOUND_FUNCTION)
        flow->defs[b.index].decoration = DECORATION_UNKNOWN;
    else if (b.kind == BOUND_FILE && attribute >= 0)
        bind_name(flow, &flow->scopes[b.index], attribute, bind_kind(flow, BOUND_OTHER, -1));
    else if (binding >= 0 && b.kind == BOUND_KNOWN)
        bind_other(&c, node);
}

static void
find_patches(struct flow *flow, int file)
{
    const struct pytree *tree = flow->tree;
    for (int i = tree->files[file]; i < tree->nodes[tree->files[file]].end; i++) {
        int kind = tree->nodes[i].kind, k = 0;
        if (kind == PY_ASSIGN || kind == PY_DELETE) {
            PYTREE_EACH(tree, target, i)
                if ((k++ > 0 || kind == PY_DELETE) && tree->nodes[target].kind == PY_ATTRIBUTE)
                    patch(flow, file, target + 1, tree->nodes[target].name);
        } else if ((kind == PY_ANN_ASSIGN || kind == PY_AUG_ASSIGN || kind == PY_FOR) && tree->nodes[i + 1].kind == PY_ATTRIBUTE) {
            patch(flow, file, i + 2, tree->nodes[i + 1].name);
        } else if (kind == PY_CALL && tree->nodes[i + 1].kind == PY_NAME && tree->nodes[i].n_children > 1) {
            const char *name = pytree_name(tree, i + 1);
            if (strcmp(name, "setattr") == 0 || strcmp(name, "delattr") == 0)
                patch(flow, file, pytree_child(tree, i, 1), -1);
        } else if (kind == PY_NAME && flow->slots[i] < 0) {
            const char *name = pytree_name(tree, i);
            flow->scopes[file].is_dynamic |= strcmp(name, "exec") == 0 || strcmp(name, "globals") == 0;
        }
    }
}

/* A variable is a number where nothing else is ever bound to its name. */
static void
check_numbers(struct flow *flow, struct flow_scope *scope)
{
    for (int i = 0; i < scope->n_entries; i++)
        for (int k = 0; k < scope->n_entries && flow->bindings[scope->entries[i].binding].kind == BOUND_NUMBER; k++)
            if (scope->entries[k].name == scope->entries[i].name && flow->bindings[scope->entries[k].binding].kind != BOUND_NUMBER)
                flow->bindings[scope->entries[i].binding].kind = BOUND_OTHER;
}

void
flow_collect(struct flow *flow)
{
    const struct pytree *tree = flow->tree;
    flow->scopes = arena_take(flow->arena, (size_t)tree->n_files, sizeof *flow->scopes);
    for (int file = 0; file < tree->n_files; file++)
        collect(flow, file, pytree_child(tree, tree->files[file], 1), false);
    for (int file = 0; file < tree->n_files; file++)
        bind_globals(flow, file);
    for (int file = 0; file < tree->n_files; file++)
        find_patches(flow, file);
    for (int file = 0; file < tree->n_files; file++)
        check_numbers(flow, &flow->scopes[file]);
}

int
flow_follow(struct flow *flow, int binding, int depth)
{
    struct flow_binding b = flow->bindings[binding];
    if (b.kind != BOUND_FROM || depth > 20)
        return binding;
    const struct pytree *tree = flow->tree;
    int file = tree->modules[b.index], submodule = tree->modules[b.extra];
    if (file >= 0) {
        int found = flow_lookup(flow, file, b.name, depth + 1);
        if (found >= 0)
            return found;
    }
    b.kind = submodule >= 0 ? BOUND_FILE : BOUND_KNOWN;
    b.index = submodule;
    return flow_bind(flow, b);
}

int
flow_lookup(struct flow *flow, int file, int name, int depth)
{
    const struct flow_scope *scope = &flow->scopes[file];
    for (int i = scope->n_entries - 1; i >= 0; i--) /* the last one counts */
        if (scope->entries[i].name == name)
            return scope->is_dynamic ? bind_kind(flow, BOUND_OTHER, -1) : flow_follow(flow, scope->entries[i].binding, depth);
    for (int i = scope->n_stars - 1; i >= 0 && depth < 20; i--) {
        int star = flow->tree->modules[scope->stars[i].module];
        int found = star >= 0 ? flow_lookup(flow, star, name, depth + 1) : -1;
        if (found >= 0)
            return found;
    }
    return -1;
}

int
flow_global(struct flow *flow, int file, int name)
{
    const struct flow_scope *scope = &flow->scopes[file];
    const char *text = flow->tree->strings[name];
    int binding = flow_lookup(flow, file, name, 0);
    for (int i = scope->n_stars - 1; i >= 0 && binding < 0; i--) {
        const struct flow_star *star = &scope->stars[i];
        const char *dotted = arena_printf(flow->arena, "%s.%s", star->text, text);
        if (flow->tree->modules[star->module] >= 0)
            continue;
        /* What is not known may define any name, builtins' too. */
        if (known_function(dotted) || known_fortran(dotted) || flow_is_decorator(dotted) || strcmp(dotted, "numba.prange") == 0)
            return flow_bind(flow, (struct flow_binding){.kind = BOUND_KNOWN, .index = -1, .text = dotted});
        if (!known_module(star->text))
            return flow_bind(flow, (struct flow_binding){.kind = BOUND_OTHER});
    }
    if (binding >= 0)
        return binding;
    const char *dotted = arena_printf(flow->arena, "builtins.%s", text);
    return flow_bind(flow, (struct flow_binding){.kind = BOUND_KNOWN, .index = -1, .text = dotted});
}

/* The module that any import in the files calls by this dotted name; -1: none, or none that was read. */
static int
dotted_module(const struct flow *flow, const char *dotted)
{
    const struct pytree *tree = flow->tree;
    for (int i = 0; i < tree->n_nodes; i++)
        if (tree->nodes[i].kind == PY_IMPORT)
            PYTREE_EACH(tree, alias, i)
                if (strcmp(pytree_name(tree, alias + 1), dotted) == 0)
                    return tree->modules[tree->nodes[pytree_child(tree, alias, 1)].name];
    return -1;
}

int
flow_attribute_of(struct flow *flow, int binding, int name)
{
    struct flow_binding b = flow->bindings[binding];
    const char *text = flow->tree->strings[name];
    if (b.kind == BOUND_FILE) {
        int found = flow_lookup(flow, b.index, name, 0);
        if (found >= 0)
            return found;
    }
    if ((b.kind != BOUND_FILE && b.kind != BOUND_KNOWN) || !b.text)
        return flow_bind(flow, (struct flow_binding){.kind = BOUND_OTHER});
    const char *dotted = arena_printf(flow->arena, "%s.%s", b.text, text);
    bool shipped = strncmp(dotted, "numpy.", 6) == 0 || strncmp(dotted, "math.", 5) == 0;
    int file = shipped ? -1 : dotted_module(flow, dotted);
    return flow_bind(flow, (struct flow_binding){.kind = file >= 0 ? BOUND_FILE : BOUND_KNOWN, .index = file, .text = dotted});
}

static struct flow_value value_of_type(struct flow *flow, int file, const struct stub_type *type, int depth);

/* What a name in an annotation means: a class, a TypeVar, a type alias. */
static struct flow_value
value_of_name(struct flow *flow, int file, const char *name, int depth)
{
    const struct pytree *tree = flow->tree;
    int binding = flow_lookup(flow, file, pytree_string(tree, name), 0);
    if (binding >= 0 && flow->bindings[binding].kind == BOUND_CLASS)
        return (struct flow_value){.type = FLOW_OBJECT, .which = flow->bindings[binding].index};
    PYTREE_EACH(tree, s, pytree_child(tree, tree->files[file], 1)) {
        if (tree->nodes[s].kind != PY_ASSIGN || tree->nodes[s + 1].kind != PY_CALL)
            continue;
        int target = pytree_child(tree, s, 1), call = s + 1;
        if (tree->nodes[target].kind != PY_NAME || strcmp(pytree_name(tree, target), name) != 0
            || tree->nodes[call + 1].kind != PY_NAME || strcmp(pytree_name(tree, call + 1), "TypeVar") != 0)
            continue;
        struct flow_value value = {0};
        for (int k = 2; k < tree->nodes[call].n_children; k++) {
            int part = pytree_child(tree, call, k), column;
            struct stub_type type;
            const char *text = tree->nodes[part].kind == PY_STRING || tree->nodes[part].kind == PY_NAME ? pytree_name(tree, part)
                                                                                                         : "?";
            if (stub_type_parse(&type, flow->arena, text, &column))
                return flow_unknown(NULL);
            value = flow_join(flow, value, value_of_type(flow, file, &type, depth + 1));
        }
        return value.type == FLOW_UNBOUND ? flow_unknown(NULL) : value;
    }
    const char *text = binding >= 0 && flow->bindings[binding].kind == BOUND_KNOWN ? flow->bindings[binding].text : name;
    if (strcmp(text, "numpy.ndarray") == 0 || strcmp(text, "ndarray") == 0)
        return flow_array(-1);
    struct flow_value foreign = flow_unknown(NULL);
    foreign.which = UNKNOWN_FOREIGN;
    return foreign;
}

static struct flow_value
value_of_type(struct flow *flow, int file, const struct stub_type *type, int depth)
{
    struct flow_value value = flow_unknown(NULL);
    if (depth > 10)
        return value;
    switch (type->kind) {
    case STUB_SCALAR:
    case STUB_STRING:
    case STUB_NONE:
    case STUB_FUNCTION: /* an address: nothing can be stored through it */
        return flow_scalar();
    case STUB_ARRAY:
        if (type->dtype != PKW_NO_DTYPE)
            return flow_array(type->rank);
        /* The type that a TypeVar stands for may be an array itself. */
        value = type->name ? value_of_name(flow, file, type->name, depth + 1) : value;
        return flow_array(value.type == FLOW_SCALAR ? type->rank : -1);
    case STUB_TUPLE:
    case STUB_LIST:
    case STUB_SET:
    case STUB_DICT:
        value = (struct flow_value){.type = FLOW_CONTAINER, .rank = type->n_parts > 0 ? CONTAINS_NUMBERS : CONTAINS_ANYTHING};
        for (int i = 0; i < type->n_parts; i++) {
            struct flow_value part = value_of_type(flow, file, &type->parts[i], depth + 1);
            int contents = part.type == FLOW_CONTAINER ? CONTAINS_ANYTHING : flow_contents_of(part);
            value = flow_join(flow, value, (struct flow_value){.type = FLOW_CONTAINER, .rank = contents});
        }
        return value;
    case STUB_UNION:
        value = (struct flow_value){0};
        for (int i = 0; i < type->n_parts; i++)
            if (type->parts[i].kind != STUB_NONE)
                value = flow_join(flow, value, value_of_type(flow, file, &type->parts[i], depth + 1));
        return value.type == FLOW_UNBOUND ? flow_scalar() : value;
    case STUB_NAME:
        return value_of_name(flow, file, type->name, depth + 1);
    }
    return value;
}

struct flow_value
flow_annotation(struct flow *flow, int file, int node)
{
    struct stub_type type;
    int column;
    if (flow->tree->nodes[node].kind != PY_TEXT || stub_type_parse(&type, flow->arena, pytree_name(flow->tree, node), &column))
        return flow_unknown(NULL);
    return value_of_type(flow, file, &type, 0);
}
