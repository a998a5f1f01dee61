/* pyflow.c - the order of the analysis: each function when a caller needs it, all again until nothing grows. */
#include "pyflow_internal.h"

#include <string.h>

#include "pyflow_parts_internal.h"

/* The type of a parameter at the function's start; `self` is an object of its class. */
static struct flow_value
parameter_type(struct flow *flow, const struct flow_def *def, int argument, int position)
{
    const struct pynode *n = &flow->tree->nodes[argument];
    if (n->kind == PY_ARGUMENT_STAR || n->kind == PY_ARGUMENT_STARS)
        return (struct flow_value){.type = FLOW_CONTAINER, .rank = CONTAINS_ANYTHING};
    struct flow_value value = flow_annotation(flow, def->file, argument + 1);
    if (def->numba != NO_NUMBA && flow->tree->nodes[argument + 1].kind != PY_TEXT)
        value = flow_numba_parameter(flow, def, position);
    if (def->class_index >= 0 && position == 0 && value.type == FLOW_UNKNOWN)
        value = (struct flow_value){.type = FLOW_OBJECT, .which = def->class_index};
    return value;
}

/* Kernels of the files that were asked for: functions with an annotated parameter, or that Numba compiles. */
static bool
is_kernel(const struct flow *flow, const struct flow_def *def)
{
    const struct pytree *tree = flow->tree;
    bool is_meant = def->numba != NO_NUMBA;
    PYTREE_EACH(tree, argument, pytree_child(tree, def->node, 1))
        is_meant |= tree->nodes[argument + 1].kind == PY_TEXT;
    return is_meant && def->file < tree->n_asked;
}

static void
make_roots(struct flow *flow, struct flow_def *def)
{
    int position = 0;
    PYTREE_EACH(flow->tree, argument, pytree_child(flow->tree, def->node, 1)) {
        struct flow_root root = {.kind = ROOT_PARAM, .parent = -1, .name = position};
        root.declared = parameter_type(flow, def, argument, position);
        *ARENA_PUSH(flow->arena, def->roots, def->n_roots) = root;
        position++;
    }
}

void
flow_count(struct flow_run *run, long steps)
{
    enum { MOST_WORK = 20000000, MOST_WORK_OF_ALL = 200000000 };
    run->work += steps;
    run->flow->work += steps;
    if (run->work > MOST_WORK || run->flow->work > MOST_WORK_OF_ALL)
        run->given_up = true;
}

/* A function that is too much work: every argument may be written and come back. */
static void
give_up(struct flow_run *run, struct flow_def *def, const char *why)
{
    const struct flow_set *roots = NULL;
    def->given_up = true;
    for (int i = 0; i < def->n_params; i++)
        if (def->roots[i].declared.type != FLOW_SCALAR)
            roots = flow_set_union(run->flow, roots, flow_set_one(run->flow, i));
    flow_mark_all(run, def->node, why);
    def->result = flow_unknown(roots);
    def->state = DEF_DONE;
}

bool
flow_analyse(struct flow *flow, int index)
{
    struct flow_def *def = &flow->defs[index];
    if (def->given_up)
        return true;
    if (def->class_index >= 0) /* with its class, whose attributes it needs */
        flow_analyse_class(flow, def->class_index);
    if (def->state != DEF_NEW)
        return def->state == DEF_DONE;
    def->state = DEF_RUNNING;
    if (!def->roots)
        make_roots(flow, def);
    for (int i = 0; i < def->n_params; i++)
        if (def->roots[i].declared.type == FLOW_OBJECT)
            flow_analyse_class(flow, def->roots[i].declared.which);
    if (def->decoration == DECORATION_UNKNOWN) {
        struct flow_run run = {.flow = flow, .def = index};
        give_up(&run, def, "what its decorator makes of the function is not known");
        return true;
    }
    struct arena scratch;
    arena_init(&scratch);
    struct flow_run run = {.flow = flow, .def = index, .file = def->file, .n_slots = def->n_slots, .scratch = &scratch};
    run.result = def->result;
    run.ever = arena_take(&scratch, (size_t)def->n_slots, sizeof *run.ever);
    do {
        run.grew = false;
        run.env = (struct flow_env){arena_take(&scratch, (size_t)def->n_slots, sizeof *run.env.values), false};
        for (int i = 0; i < def->n_params; i++) {
            run.env.values[i] = def->roots[i].declared;
            if (def->roots[i].declared.type != FLOW_SCALAR)
                run.env.values[i].roots = flow_set_one(flow, i);
            if (def->captured[i])
                run.ever[i] = flow_join(flow, run.ever[i], run.env.values[i]);
        }
        flow_exec_list(&run, pytree_child(flow->tree, def->node, 4));
        if (flow->round > 0 && (run.grew || !flow_same(def->result, run.result)))
            flow->again = true;
        def->result = run.result;
    } while (run.grew && !run.given_up);
    if (run.given_up)
        give_up(&run, def, "there is too much to follow in this function");
    arena_release(&scratch);
    def->state = DEF_DONE;
    return true;
}

static struct flow_attribute *
attribute_of(struct flow *flow, int class_index, int name)
{
    struct flow_attribute *known = flow_class_attribute(flow, class_index, name);
    if (known)
        return known;
    struct flow_class *class = &flow->classes[class_index];
    known = ARENA_PUSH(flow->arena, class->attributes, class->n_attributes);
    known->name = name;
    return known;
}

/* Attributes that the class body declares. */
static void
declared_attributes(struct flow *flow, int class_index)
{
    const struct pytree *tree = flow->tree;
    const struct flow_class *class = &flow->classes[class_index];
    PYTREE_EACH(tree, s, pytree_child(tree, class->node, 3))
        if (tree->nodes[s].kind == PY_ANN_ASSIGN && tree->nodes[s + 1].kind == PY_NAME) {
            struct flow_attribute *a = attribute_of(flow, class_index, tree->nodes[s + 1].name);
            int text = pytree_child(tree, s, 1);
            a->type = flow_annotation(flow, class->file, text);
            a->declared = true;
            if (tree->nodes[text].kind == PY_TEXT)
                a->annotation = pytree_name(tree, text);
        }
}

/* The annotation of the parameter that an attribute simply is: self.a = a. */
static const char *
annotation_of(const struct flow *flow, const struct flow_def *def, int attribute)
{
    const struct pytree *tree = flow->tree;
    PYTREE_EACH(tree, s, pytree_child(tree, def->node, 4)) {
        if (tree->nodes[s].kind != PY_ASSIGN || tree->nodes[s + 1].kind != PY_NAME)
            continue;
        int target = pytree_child(tree, s, 1), param = flow->slots[s + 1];
        if (tree->nodes[target].kind != PY_ATTRIBUTE || tree->nodes[target].name != attribute
            || tree->nodes[target + 1].kind != PY_NAME || flow->slots[target + 1] != 0 || param < 1 || param >= def->n_params)
            continue;
        int argument = pytree_child(tree, pytree_child(tree, def->node, 1), param);
        return tree->nodes[argument + 1].kind == PY_TEXT ? pytree_name(tree, argument + 1) : NULL;
    }
    return NULL;
}

static void
add_same(struct flow *flow, struct flow_attribute *a, int name)
{
    for (int i = 0; i < a->n_same; i++)
        if (a->same[i] == name)
            return;
    *ARENA_PUSH(flow->arena, a->same, a->n_same) = name;
    flow->again = true;
}

/* Attributes of one object that share memory: both hold the same argument, or one holds the other. */
static void
find_shared(struct flow *flow, int class_index, const struct flow_def *def)
{
    const struct flow_root *self = &def->roots[0];
    for (int i = 0; i < self->n_fields; i++)
        for (int j = 0; j < self->n_fields; j++) {
            const struct flow_field *a = &self->fields[i], *b = &self->fields[j];
            if (i == j)
                continue;
            bool shared = flow_set_has(a->contents, b->root);
            for (int k = 0; a->contents && k < a->contents->n; k++)
                shared |= flow_set_has(b->contents, a->contents->items[k]);
            if (shared) {
                add_same(flow, attribute_of(flow, class_index, a->attribute), b->attribute);
                add_same(flow, attribute_of(flow, class_index, b->attribute), a->attribute);
            }
        }
}

/* True if what is stored in an attribute of self may be memory of somebody else. */
static bool
is_foreign(const struct flow_def *def, const struct flow_field *field)
{
    for (int i = 0; field->contents && i < field->contents->n; i++) {
        const struct flow_root *root = &def->roots[field->contents->items[i]];
        bool own = root->kind == ROOT_FIELD && root->parent == 0;
        if (!own)
            return true;
    }
    return field->stored.type == FLOW_UNKNOWN;
}

static void
learn_attributes(struct flow *flow, int class_index, const struct flow_def *def)
{
    if (def->n_params == 0 || def->roots == NULL) /* a stub's method has no body */
        return;
    const struct flow_root *self = &def->roots[0];
    for (int i = 0; i < self->n_fields; i++) {
        const struct flow_field *field = &self->fields[i];
        if (field->stored.type == FLOW_UNBOUND)
            continue;
        struct flow_attribute *a = attribute_of(flow, class_index, field->attribute);
        struct flow_value type = flow_join(flow, a->type, field->stored);
        type.roots = NULL;
        if (!a->declared)
            a->type = type;
        a->aliased |= is_foreign(def, field);
        a->allocated |= field->stored.type == FLOW_ARRAY && !is_foreign(def, field);
        if (!a->annotation)
            a->annotation = annotation_of(flow, def, field->attribute);
    }
    find_shared(flow, class_index, def);
}

/* Takes over what the base classes have. One that is not known stays marked by has_bases. */
static void
inherit(struct flow *flow, int class_index)
{
    const struct pytree *tree = flow->tree;
    struct flow_class *class = &flow->classes[class_index];
    class->has_bases = class->is_opaque;
    PYTREE_EACH(tree, base, pytree_child(tree, class->node, 1)) {
        int binding = tree->nodes[base].kind == PY_NAME ? flow_global(flow, class->file, tree->nodes[base].name) : -1;
        const struct flow_binding *b = binding >= 0 ? &flow->bindings[binding] : NULL;
        if (b && b->kind == BOUND_KNOWN && strcmp(b->text, "builtins.object") == 0)
            continue;
        if (!b || b->kind != BOUND_CLASS || flow->classes[b->index].state == CLASS_RUNNING) {
            class->has_bases = true;
            continue;
        }
        int parent = b->index;
        flow_analyse_class(flow, parent);
        const struct flow_class *from = &flow->classes[parent];
        class->has_bases |= from->has_bases;
        class->is_special |= from->is_special;
        for (int i = 0; i < from->n_computed && !class->inherited; i++)
            *ARENA_PUSH(flow->arena, class->computed, class->n_computed) = from->computed[i];
        for (int i = 0; i < from->n_methods && !class->inherited; i++)
            *ARENA_PUSH(flow->arena, class->methods, class->n_methods) = from->methods[i];
        for (int i = 0; i < from->n_attributes; i++)
            if (!flow_class_attribute(flow, class_index, from->attributes[i].name))
                *ARENA_PUSH(flow->arena, class->attributes, class->n_attributes) = from->attributes[i];
    }
    class->inherited = true;
}

void
flow_analyse_class(struct flow *flow, int class_index)
{
    struct flow_class *class = &flow->classes[class_index];
    if (class->state != CLASS_NEW)
        return;
    class->state = CLASS_RUNNING;
    inherit(flow, class_index);
    declared_attributes(flow, class_index);
    for (int i = 0; i < class->n_methods; i++) {
        if (flow_analyse(flow, class->methods[i])) /* an inherited one sets attributes of this class too */
            learn_attributes(flow, class_index, &flow->defs[class->methods[i]]);
        else if (flow->round == 0)
            flow->again = true;
    }
    class->state = CLASS_DONE;
}

static bool
is_stub(const struct pytree *tree, int file)
{
    const char *path = pytree_name(tree, tree->files[file]);
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".pyi") == 0;
}

void
pyflow_run(struct pyflow *result, struct arena *arena, const struct pytree *tree)
{
    enum { MOST_ROUNDS = 50 };
    struct flow *flow = arena_take(arena, 1, sizeof *flow);
    size_t n = (size_t)tree->n_nodes;
    *flow = (struct flow){.arena = arena, .tree = tree};
    flow->slots = arena_take(arena, n, sizeof *flow->slots);
    flow->globals = arena_take(arena, n, sizeof *flow->globals);
    memset(flow->slots, -1, n * sizeof *flow->slots);
    flow->s_init = pytree_string(tree, "__init__");
    flow_collect(flow);
    flow_find_special(flow);
    for (int i = 0; i < flow->n_defs; i++)
        flow->defs[i].is_kernel = is_kernel(flow, &flow->defs[i]);
    do {
        flow->again = false;
        for (int i = 0; i < flow->n_defs; i++)
            flow->defs[i].state = is_stub(tree, flow->defs[i].file) ? DEF_DONE : DEF_NEW;
        for (int i = 0; i < flow->n_classes; i++)
            flow->classes[i].state = CLASS_NEW;
        for (int i = 0; i < flow->n_defs; i++) /* others when they are needed */
            if (flow->defs[i].is_kernel)
                flow_analyse(flow, i);
    } while (flow->again && ++flow->round < MOST_ROUNDS);
    for (int i = 0; i < flow->n_defs; i++) {
        struct flow_run run = {.flow = flow, .def = i};
        if (flow->again && flow->defs[i].roots)
            give_up(&run, &flow->defs[i], "the analysis did not come to an end");
    }
    *result = (struct pyflow){.state = flow};
    flow_report(result, flow);
}

const struct pyflow_class *
pyflow_find_class(const struct pyflow *result, int file, const char *name)
{
    struct flow *flow = result->state;
    int binding = flow_lookup(flow, file, pytree_string(flow->tree, name), 0);
    if (binding < 0 || flow->bindings[binding].kind != BOUND_CLASS)
        return NULL;
    return &result->classes[flow->bindings[binding].index];
}
