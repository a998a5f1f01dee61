/* pyflow_roots.c - what a function does to memory: stores through sets of roots, attributes of objects. */
#include "pyflow_parts_internal.h"

/* Beyond these an attribute counts as the memory of its object: untyped objects could make roots without end. */
enum { DEEPEST_PATH = 4, MOST_ROOTS = 300 };
enum { MOST_EVENTS = 64 };

static struct flow_root *
root_of(struct flow_run *run, int root)
{
    return &run->flow->defs[run->def].roots[root];
}

static int
add_root(struct flow_run *run, struct flow_root root)
{
    struct flow_def *def = &run->flow->defs[run->def];
    *ARENA_PUSH(run->flow->arena, def->roots, def->n_roots) = root;
    return def->n_roots - 1;
}

struct flow_attribute *
flow_class_attribute(struct flow *flow, int class_index, int name)
{
    struct flow_class *class = &flow->classes[class_index];
    for (int i = 0; i < class->n_attributes; i++)
        if (class->attributes[i].name == name)
            return &class->attributes[i];
    return NULL;
}

bool
flow_owns(struct flow *flow, int class_index, const struct flow_attribute *attribute)
{
    bool owned = attribute->allocated && !attribute->aliased;
    for (int i = 0; i < attribute->n_same && owned; i++) {
        const struct flow_attribute *other = flow_class_attribute(flow, class_index, attribute->same[i]);
        owned = other && !other->aliased;
    }
    return owned;
}

/* Attributes are followed where they may belong to an object; those of an array (x.T, x.real) are the array's memory. */
static bool
has_field(struct flow_run *run, int index, int attribute)
{
    const struct flow_root *root = root_of(run, index);
    if (root->kind != ROOT_SITE && root->declared.type != FLOW_OBJECT && root->declared.type != FLOW_UNKNOWN)
        return false;
    for (int i = 0; i < root->n_fields; i++)
        if (root->fields[i].attribute == attribute)
            return true;
    return root->kind == ROOT_SITE || (root->depth < DEEPEST_PATH && run->flow->defs[run->def].n_roots < MOST_ROOTS);
}

struct flow_field *
flow_field_of(struct flow_run *run, int index, int attribute)
{
    struct flow_root *root = root_of(run, index);
    for (int i = 0; i < root->n_fields; i++)
        if (root->fields[i].attribute == attribute)
            return &root->fields[i];
    struct flow_field field = {.attribute = attribute, .root = -1};
    if (root->kind != ROOT_SITE) {
        struct flow_root added = {.kind = ROOT_FIELD, .parent = index, .name = attribute, .depth = root->depth + 1};
        added.declared = flow_unknown(NULL);
        if (root->declared.type == FLOW_OBJECT) {
            const struct flow_attribute *known = flow_class_attribute(run->flow, root->declared.which, attribute);
            if (known && known->type.type != FLOW_UNBOUND)
                added.declared = known->type;
        }
        field.root = add_root(run, added);
        root = root_of(run, index);
    }
    struct flow_field *slot = ARENA_PUSH(run->flow->arena, root->fields, root->n_fields);
    *slot = field;
    return slot;
}

/* True in __init__. */
static bool
constructs(const struct flow_run *run)
{
    const struct flow_def *def = &run->flow->defs[run->def];
    return def->class_index >= 0 && def->name == run->flow->s_init;
}

/* The value of one root's attribute. */
static struct flow_value
read_one(struct flow_run *run, int index, int attribute)
{
    if (!has_field(run, index, attribute))
        return flow_unknown(flow_set_one(run->flow, index));
    struct flow_field *field = flow_field_of(run, index, attribute);
    struct flow_value value = field->stored;
    value.roots = field->contents;
    if (field->root < 0) /* of an object made here: what was stored */
        return value.type == FLOW_UNBOUND ? flow_unknown(value.roots) : value;
    struct flow_value own = root_of(run, field->root)->declared;
    if (constructs(run) && index == 0 && own.type == FLOW_UNKNOWN && value.type != FLOW_UNBOUND)
        own = field->stored; /* a constructor's object has only what was stored in it */
    if (own.type != FLOW_SCALAR)
        own.roots = flow_set_one(run->flow, field->root);
    return flow_join(run->flow, own, value);
}

struct flow_value
flow_read_field(struct flow_run *run, struct flow_value object, int attribute)
{
    struct flow_value value = {0};
    flow_count(run, object.roots ? object.roots->n : 0);
    for (int i = 0; object.roots && i < object.roots->n; i++)
        value = flow_join(run->flow, value, read_one(run, object.roots->items[i], attribute));
    return value.type == FLOW_UNBOUND ? flow_unknown(NULL) : value;
}

static bool
same_event(const struct flow_event *a, const struct flow_event *b)
{
    return a->node == b->node && a->kind == b->kind && a->def == b->def && a->root == b->root;
}

static void
mark_one(struct flow_run *run, int index, struct flow_event event)
{
    struct flow_root *root = root_of(run, index);
    for (int i = 0; i < root->n_events; i++)
        if (same_event(&root->events[i], &event)) {
            if (root->events[i].writes != event.writes && event.writes == WRITES_YES) {
                root->events[i].writes = WRITES_YES;
                root->writes = WRITES_YES;
                run->grew = true;
            }
            return;
        }
    if (root->n_events >= MOST_EVENTS && (root->writes == WRITES_YES || event.writes == WRITES_MAYBE))
        return;
    if (root->writes == WRITES_NO || (root->writes == WRITES_MAYBE && event.writes == WRITES_YES)) {
        root->writes = event.writes;
        run->grew = true;
    }
    *ARENA_PUSH(run->flow->arena, root->events, root->n_events) = event;
}

/* Attributes that share memory are written together; where the class is not known, any two may. */
static void
mark_shared(struct flow_run *run, const struct flow_root *field, struct flow_event event)
{
    struct flow_root parent = *root_of(run, field->parent);
    bool is_known = parent.declared.type == FLOW_OBJECT && !run->flow->classes[parent.declared.which].has_bases;
    const struct flow_attribute *known =
        is_known ? flow_class_attribute(run->flow, parent.declared.which, field->name) : NULL;
    for (int i = 0; known && i < known->n_same; i++)
        mark_one(run, flow_field_of(run, field->parent, known->same[i])->root, event);
    if (is_known || event.kind == EVENT_SET)
        return;
    event.kind = EVENT_LOST;
    event.writes = WRITES_MAYBE;
    event.text = "it may share memory with an attribute that is written, since the class is not known";
    for (int i = 0; i < parent.n_fields; i++)
        if (parent.fields[i].attribute != field->name && root_of(run, parent.fields[i].root)->declared.type != FLOW_SCALAR)
            mark_one(run, parent.fields[i].root, event);
}

void
flow_mark(struct flow_run *run, const struct flow_set *roots, struct flow_event event)
{
    flow_count(run, roots ? roots->n : 0);
    for (int i = 0; roots && i < roots->n; i++) {
        int index = roots->items[i];
        mark_one(run, index, event);
        struct flow_root root = *root_of(run, index);
        if (root.kind == ROOT_SITE) /* an object made here: what it refers to */
            for (int k = 0; k < root.n_fields; k++)
                if (root.fields[k].contents && !flow_set_has(root.fields[k].contents, index))
                    flow_mark(run, root.fields[k].contents, event);
        if (root.kind == ROOT_FIELD)
            mark_shared(run, &root, event);
    }
}

void
flow_mark_all(struct flow_run *run, int node, const char *text)
{
    const struct flow_def *def = &run->flow->defs[run->def];
    for (int i = 0; i < def->n_params; i++)
        if (def->roots[i].declared.type != FLOW_SCALAR)
            mark_one(run, i, (struct flow_event){.kind = EVENT_LOST, .writes = WRITES_MAYBE, .node = node, .text = text});
}

/* What other functions must know of a class when one of its attributes is set from outside. */
static void
note_alias(struct flow *flow, int class_index, int attribute)
{
    struct flow_attribute *known = flow_class_attribute(flow, class_index, attribute);
    if (known && !known->aliased) {
        known->aliased = true;
        flow->again = true;
    }
}

void
flow_store_field(struct flow_run *run, struct flow_value object, int attribute, struct flow_value value, int node)
{
    value = flow_no_closure(run->flow, value);
    for (int i = 0; object.roots && i < object.roots->n; i++) {
        int index = object.roots->items[i];
        const struct flow_root *root = root_of(run, index);
        if (!has_field(run, index, attribute)) {
            flow_mark(run, flow_set_one(run->flow, index),
                      (struct flow_event){.kind = EVENT_SET, .writes = WRITES_YES, .node = node});
            flow_mark(run, value.roots, (struct flow_event){.kind = EVENT_KEPT, .writes = WRITES_MAYBE, .node = node});
            continue;
        }
        int class_index = root->declared.type == FLOW_OBJECT ? root->declared.which : -1;
        if (class_index >= 0 && (flow_method(run->flow, class_index, attribute) >= 0 || /* a setter may do anything */
                                 flow_is_computed(run->flow, class_index, attribute, true))) {
            struct flow_event event = {.kind = EVENT_UNKNOWN, .writes = WRITES_MAYBE, .node = node, .text = "a setter"};
            flow_mark(run, flow_set_union(run->flow, flow_set_one(run->flow, index), value.roots), event);
            continue;
        }
        struct flow_field *field = flow_field_of(run, index, attribute);
        struct flow_value stored = flow_join(run->flow, field->stored, value);
        stored.roots = NULL;
        const struct flow_set *contents = flow_set_union(run->flow, field->contents, value.roots);
        if (contents != field->contents || !flow_same(stored, field->stored))
            run->grew = true;
        field->contents = contents;
        field->stored = stored;
        if (field->root < 0)
            continue;
        flow_mark(run, flow_set_one(run->flow, field->root),
                  (struct flow_event){.kind = EVENT_SET, .writes = WRITES_YES, .node = node});
        if (class_index >= 0 && value.roots && !constructs(run))
            note_alias(run->flow, class_index, attribute);
    }
    if (!object.roots && value.roots)
        flow_mark(run, value.roots, (struct flow_event){.kind = EVENT_KEPT, .writes = WRITES_MAYBE, .node = node});
}

int
flow_site(struct flow_run *run, int node, int class_index)
{
    const struct flow_def *def = &run->flow->defs[run->def];
    for (int i = 0; i < def->n_roots; i++)
        if (def->roots[i].kind == ROOT_SITE && def->roots[i].parent == node)
            return i;
    struct flow_root root = {.kind = ROOT_SITE, .parent = node, .declared = {.type = FLOW_OBJECT, .which = class_index}};
    return add_root(run, root);
}
