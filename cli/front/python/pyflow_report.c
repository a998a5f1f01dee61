/* pyflow_report.c - the facts of the analysis as others read them: paths, answers, evidence. */
#include "pyflow_parts_internal.h"

enum { MOST_SHOWN = 24, LONGEST_CHAIN = 12 };

static const char *
param_name(const struct flow *flow, const struct flow_def *def, int position)
{
    return pytree_name(flow->tree, pytree_child(flow->tree, pytree_child(flow->tree, def->node, 1), position));
}

/* "args.markers" */
static const char *
root_path(const struct flow *flow, const struct flow_def *def, int root)
{
    const struct flow_root *r = &def->roots[root];
    if (r->kind == ROOT_PARAM)
        return param_name(flow, def, r->name);
    if (r->kind == ROOT_SITE)
        return "";
    return arena_printf(flow->arena, "%s.%s", root_path(flow, def, r->parent), flow->tree->strings[r->name]);
}

static struct place
place_of(const struct flow *flow, const struct flow_def *def, int node)
{
    const struct pynode *n = &flow->tree->nodes[node];
    return (struct place){pytree_name(flow->tree, flow->tree->files[def->file]), n->line, n->column + 1};
}

/* The event that shows a write best: a proven one, a store rather than a call. */
static const struct flow_event *
best_event(const struct flow_root *root)
{
    const struct flow_event *best = NULL;
    for (int i = 0; i < root->n_events; i++) {
        const struct flow_event *e = &root->events[i];
        if (!best || (e->writes == WRITES_YES && best->writes != WRITES_YES)
            || (e->writes == best->writes && e->kind != EVENT_CALL && best->kind == EVENT_CALL))
            best = e;
    }
    return best;
}

static const char *
event_text(const struct flow *flow, const struct flow_def *def, int root, const struct flow_event *e)
{
    const char *path = root_path(flow, def, root);
    switch (e->kind) {
    case EVENT_STORE:
        return arena_printf(flow->arena, "'%s' is stored to", path);
    case EVENT_IN_PLACE:
        return arena_printf(flow->arena, e->writes == WRITES_YES ? "'%s' is changed in place" : "'%s' may be changed in place",
                            path);
    case EVENT_SET:
        return arena_printf(flow->arena, "attribute '%s' is set", path);
    case EVENT_METHOD:
        return arena_printf(flow->arena, "'%s' is changed by its method %s()", path, e->text);
    case EVENT_OUT:
        return arena_printf(flow->arena, "'%s' is an output of %s()", path, e->text);
    case EVENT_CALL: {
        const struct flow_def *callee = &flow->defs[e->def];
        return arena_printf(flow->arena, "'%s' is passed to %s() as '%s'", path, flow->tree->strings[callee->name],
                            root_path(flow, callee, e->root));
    }
    case EVENT_UNKNOWN:
        return arena_printf(flow->arena, "'%s' is passed to %s(), which is not known", path, e->text);
    case EVENT_KEPT:
        return arena_printf(flow->arena, "'%s' is kept in a container or a global variable", path);
    case EVENT_LOST:
        return e->text;
    }
    return "";
}

static void
add_evidence(const struct flow *flow, struct pyflow_fact *fact, const struct flow_def *def, int root,
             const struct flow_event *event)
{
    for (int depth = 0; event && depth < LONGEST_CHAIN; depth++) {
        *ARENA_PUSH(flow->arena, fact->evidence, fact->n_evidence) =
            (struct model_evidence){place_of(flow, def, event->node), event_text(flow, def, root, event)};
        if (event->kind != EVENT_CALL)
            break;
        def = &flow->defs[event->def];
        root = event->root;
        event = best_event(&def->roots[root]);
    }
}

/* The proven ones first, each with its whole chain. */
static void
add_events(const struct flow *flow, struct pyflow_fact *fact, const struct flow_def *def, int root)
{
    const struct flow_root *r = &def->roots[root];
    int shown = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < r->n_events && shown < MOST_SHOWN; i++)
            if ((r->events[i].writes == WRITES_YES) == (pass == 0)) {
                add_evidence(flow, fact, def, root, &r->events[i]);
                shown++;
            }
}

static bool
is_owned(struct flow *flow, const struct flow_def *def, const struct flow_root *root)
{
    if (root->kind != ROOT_FIELD)
        return false;
    const struct flow_root *parent = &def->roots[root->parent];
    if (parent->declared.type != FLOW_OBJECT)
        return is_owned(flow, def, parent);
    const struct flow_attribute *a = flow_class_attribute(flow, parent->declared.which, root->name);
    return (a && flow_owns(flow, parent->declared.which, a)) || is_owned(flow, def, parent);
}

/* Everything below an object that went to something unknown. */
static void
add_attributes(struct flow *flow, struct pyflow_function *out, const struct flow_def *def, int root)
{
    const struct flow_root *object = &def->roots[root];
    const struct flow_class *class = &flow->classes[object->declared.which];
    for (int i = 0; i < class->n_attributes; i++) {
        const struct flow_attribute *a = &class->attributes[i];
        bool seen = a->type.type == FLOW_SCALAR;
        for (int k = 0; k < object->n_fields; k++)
            seen |= object->fields[k].attribute == a->name && def->roots[object->fields[k].root].writes != WRITES_NO;
        if (seen)
            continue;
        struct pyflow_fact *fact = ARENA_PUSH(flow->arena, out->facts, out->n_facts);
        fact->path = arena_printf(flow->arena, "%s.%s", root_path(flow, def, root), flow->tree->strings[a->name]);
        fact->writes = WRITES_MAYBE;
        fact->owned = flow_owns(flow, object->declared.which, a);
        add_events(flow, fact, def, root);
    }
}

/* What no kernel calls and has no annotation is not analysed. */
static void
report_not_analysed(const struct flow *flow, struct pyflow_function *out, const struct flow_def *def)
{
    for (int i = 0; i < def->n_params; i++) {
        struct pyflow_fact *fact = ARENA_PUSH(flow->arena, out->facts, out->n_facts);
        fact->path = param_name(flow, def, i);
        fact->writes = WRITES_MAYBE;
        *ARENA_PUSH(flow->arena, fact->evidence, fact->n_evidence) =
            (struct model_evidence){place_of(flow, def, def->node), "none of its parameters is annotated"};
    }
}

static void
report_def(struct flow *flow, struct pyflow_function *out, int index)
{
    const struct flow_def *def = &flow->defs[index];
    const struct pytree *tree = flow->tree;
    *out = (struct pyflow_function){.name = tree->strings[def->name], .file = def->file, .node = def->node};
    out->class_name = def->class_index >= 0 ? tree->strings[flow->classes[def->class_index].name] : NULL;
    out->n_params = def->n_params;
    out->used = def->used;
    if (!def->roots)
        report_not_analysed(flow, out, def);
    for (int i = 0; i < def->n_roots; i++) {
        const struct flow_root *root = &def->roots[i];
        if (root->kind == ROOT_SITE || (root->kind == ROOT_FIELD && root->writes == WRITES_NO))
            continue;
        struct pyflow_fact *fact = ARENA_PUSH(flow->arena, out->facts, out->n_facts);
        fact->path = root_path(flow, def, i);
        fact->writes = root->writes;
        fact->owned = is_owned(flow, def, root);
        fact->overwritten = root->kind == ROOT_PARAM && root->writes == WRITES_YES && flow_is_overwritten(flow, index, i, 0);
        add_events(flow, fact, def, i);
    }
    for (int i = 0; i < def->n_roots; i++)
        if (def->roots[i].declared.type == FLOW_OBJECT && def->roots[i].kind != ROOT_SITE
            && def->roots[i].writes != WRITES_NO)
            add_attributes(flow, out, def, i);
}

static void
report_class(struct flow *flow, struct pyflow_class *out, int index)
{
    const struct flow_class *class = &flow->classes[index];
    const struct pytree *tree = flow->tree;
    *out = (struct pyflow_class){.name = tree->strings[class->name], .file = class->file, .node = class->node};
    for (int i = 0; i < class->n_attributes; i++) {
        const struct flow_attribute *a = &class->attributes[i];
        *ARENA_PUSH(flow->arena, out->attributes, out->n_attributes) = (struct pyflow_attribute){
            .name = tree->strings[a->name],
            .owned = flow_owns(flow, index, a),
            .aliased = a->aliased,
            .is_array = a->type.type == FLOW_ARRAY,
            .is_scalar = a->type.type == FLOW_SCALAR,
            .rank = a->type.rank,
            .annotation = a->annotation,
        };
    }
}

void
flow_report(struct pyflow *result, struct flow *flow)
{
    result->functions = arena_take(flow->arena, (size_t)flow->n_defs, sizeof *result->functions);
    result->n_functions = flow->n_defs;
    for (int i = 0; i < flow->n_defs; i++)
        report_def(flow, &result->functions[i], i);
    result->classes = arena_take(flow->arena, (size_t)flow->n_classes, sizeof *result->classes);
    result->n_classes = flow->n_classes;
    for (int i = 0; i < flow->n_classes; i++)
        report_class(flow, &result->classes[i], i);
}
