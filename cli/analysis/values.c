/* values.c - expressions: what their values may point into, and what their evaluation writes. */
#include <string.h>

#include "walk_internal.h"

static const struct tags none;

/* Where something is: a variable, or memory. */
struct location {
    int variable; /* -1: memory */
    struct tags memory;
};

static struct location location_of(struct walk *walk, const struct node *node);

/* --- memory --- */

static struct tags single(int tag)
{
    struct tags tags = none;
    tags_put(&tags, tag);
    return tags;
}

static struct tags joined(struct tags a, struct tags b)
{
    tags_join(&a, &b);
    return a;
}

static bool is_global(const struct walk *walk, int variable)
{
    return variable < walk->body->n_variables && walk->body->variables[variable].is_global;
}

struct tags reach(struct walk *walk, struct tags from)
{
    struct tags all = from;
    bool grows;
    do {
        struct tags more = none;
        for (int t = tags_next(&all, 0); t >= 0; t = tags_next(&all, t + 1)) {
            const struct tag *tag = &walk->summary->tags[t];
            if (tag->variable >= 0)
                tags_join(&more, &walk->now.cells[tag->variable]);
            else
                put_deep_tag(walk->analysis, walk->summary, &more, tag->param, tag->field);
        }
        grows = tags_join(&all, &more);
    } while (grows);
    return all;
}

void escape(struct walk *walk, struct tags tags, struct cause cause)
{
    for (int t = tags_next(&tags, 0); t >= 0; t = tags_next(&tags, t + 1)) {
        struct tag tag = walk->summary->tags[t];
        if (tag.variable < 0) {
            summary_mark(walk->analysis, walk->summary, t, WRITES_MAYBE, cause);
            struct tags deep = none;
            put_deep_tag(walk->analysis, walk->summary, &deep, tag.param, tag.field);
            write_to(walk, deep, WRITES_MAYBE, cause);
        } else if (!walk->escaped[tag.variable]) {
            walk->escaped[tag.variable] = true;
            escape(walk, walk->now.cells[tag.variable], cause);
        }
    }
}

void write_to(struct walk *walk, struct tags tags, enum model_writes state, struct cause cause)
{
    if (tags_count(&tags) > 1)
        state = WRITES_MAYBE;
    for (int t = tags_next(&tags, 0); t >= 0; t = tags_next(&tags, t + 1))
        if (walk->summary->tags[t].variable < 0)
            summary_mark(walk->analysis, walk->summary, t, state, cause);
}

/* What is read from a place. Numbers in memory are taken for numbers, those in variables may be addresses. */
static struct tags load(struct walk *walk, const struct location *location, enum node_type type)
{
    if (type == TYPE_FLOATING)
        return none;
    if (location->variable >= 0)
        return is_global(walk, location->variable) ? none : walk->now.cells[location->variable];
    struct tags loaded = none;
    for (int t = tags_next(&location->memory, 0); t >= 0; t = tags_next(&location->memory, t + 1)) {
        struct tag tag = walk->summary->tags[t];
        if (tag.variable >= 0)
            tags_join(&loaded, &walk->now.cells[tag.variable]);
        else if (type != TYPE_INTEGER)
            put_deep_tag(walk->analysis, walk->summary, &loaded, tag.param, tag.field);
    }
    return loaded;
}

static struct tags address_of(struct walk *walk, const struct location *location)
{
    if (location->variable < 0)
        return location->memory;
    if (is_global(walk, location->variable))
        return none;
    return single(tag_of_variable(walk->analysis, walk->summary, location->variable));
}

static void store_in_variable(struct walk *walk, int variable, struct tags value, bool is_whole, struct cause cause)
{
    if (is_global(walk, variable)) {
        cause.text = arena_printf(walk->analysis->arena, "its address is kept in '%s'", walk->body->variables[variable].name);
        escape(walk, value, cause);
        return;
    }
    if (is_whole && !walk->is_loose)
        walk->now.cells[variable] = value;
    else
        tags_join(&walk->now.cells[variable], &value);
    if (walk->escaped[variable])
        escape(walk, value, cause);
}

static void store(struct walk *walk, const struct location *location, struct tags value, const struct node *target,
                  struct cause cause)
{
    if (location->variable >= 0) {
        bool is_whole = target->kind == NODE_VARIABLE && target->type != TYPE_ARRAY && target->type != TYPE_RECORD;
        store_in_variable(walk, location->variable, value, is_whole, cause);
        return;
    }
    write_to(walk, location->memory, WRITES_YES, cause);
    if (tags_is_empty(&value))
        return;
    bool is_local = !tags_is_empty(&location->memory);
    for (int t = tags_next(&location->memory, 0); t >= 0; t = tags_next(&location->memory, t + 1)) {
        int variable = walk->summary->tags[t].variable;
        if (variable >= 0)
            store_in_variable(walk, variable, value, false, cause);
        else
            is_local = false;
    }
    if (!is_local) {
        cause.text = "its address is stored in memory";
        escape(walk, value, cause);
    }
}

/* --- places --- */

/* The same place, narrowed to a field where it is all of what a parameter points to. */
static struct location refine(struct walk *walk, struct location location, const char *field)
{
    struct tags narrowed = none;
    for (int t = tags_next(&location.memory, 0); t >= 0; t = tags_next(&location.memory, t + 1)) {
        struct tag tag = walk->summary->tags[t];
        bool is_whole = tag.variable < 0 && tag.field == NULL && !tag.is_deep && *field != '\0';
        tags_put(&narrowed, is_whole ? tag_of_param(walk->analysis, walk->summary, tag.param, field) : t);
    }
    location.memory = narrowed;
    return location;
}

static struct location in_memory(struct tags tags)
{
    return (struct location){-1, tags};
}

/* Whether all that the location may be are variables that are pointers, whatever clang calls them: see can_be_array. */
static bool holds_pointers(const struct walk *walk, const struct location *location)
{
    const struct variable *variables = walk->body->variables;
    if (location->variable >= 0)
        return location->variable < walk->body->n_variables && variables[location->variable].type == TYPE_POINTER;
    for (int t = tags_next(&location->memory, 0); t >= 0; t = tags_next(&location->memory, t + 1)) {
        int variable = walk->summary->tags[t].variable;
        if (variable >= 0 && variable < walk->body->n_variables && variables[variable].type == TYPE_POINTER)
            return true;
    }
    return false;
}

/* What a pointer points to; an array is its own first element. */
static struct location pointee(struct walk *walk, const struct node *pointer)
{
    if (pointer->type != TYPE_ARRAY)
        return in_memory(value_of(walk, pointer));
    struct location location = location_of(walk, pointer);
    return holds_pointers(walk, &location) ? in_memory(load(walk, &location, TYPE_POINTER)) : location;
}

/* A value without a place, such as a structure that a function returned. */
static struct location temporary(struct walk *walk, struct tags value)
{
    int variable = walk->body->n_variables;
    store_in_variable(walk, variable, value, false, (struct cause){0});
    return (struct location){variable, none};
}

static struct location location_of(struct walk *walk, const struct node *node)
{
    switch (node->kind) {
    case NODE_VARIABLE:
        return (struct location){node->variable, none};
    case NODE_LITERAL:
        store_in_variable(walk, node->variable, node->child != NULL ? value_of(walk, node->child) : none, false,
                          (struct cause){0});
        return (struct location){node->variable, none};
    case NODE_INDEX:
        value_of(walk, node->child->next);
        return pointee(walk, node->child);
    case NODE_POINTEE:
        return node->child != NULL ? pointee(walk, node->child) : in_memory(none);
    case NODE_MEMBER:
        return refine(walk, location_of(walk, node->child), node->name);
    case NODE_ARROW:
        return refine(walk, pointee(walk, node->child), node->name);
    case NODE_UNARY:
        if (node->op == OPERATOR_PART && node->child != NULL)
            return location_of(walk, node->child);
        break;
    case NODE_COMMA:
        value_of(walk, node->child);
        return location_of(walk, node->child->next);
    default:
        break;
    }
    return temporary(walk, value_of(walk, node));
}

/* --- values --- */

static struct cause cause_at(const struct node *node)
{
    return (struct cause){.place = node->place, .text = node->text};
}

static struct tags value_of_children(struct walk *walk, const struct node *node)
{
    struct tags tags = none;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        tags = joined(tags, value_of(walk, child));
    return tags;
}

static struct tags value_of_place(struct walk *walk, const struct node *node)
{
    struct location location = location_of(walk, node);
    return node->type == TYPE_ARRAY ? address_of(walk, &location) : load(walk, &location, node->type);
}

static struct tags value_of_store(struct walk *walk, const struct node *node)
{
    const struct node *target = node->child;
    struct tags value = value_of(walk, target->next);
    struct location location = location_of(walk, target);
    if (node->kind == NODE_UPDATE)
        value = joined(value, load(walk, &location, target->type));
    if (target->type == TYPE_FLOATING)
        value = none;
    store(walk, &location, value, target, cause_at(node));
    return value;
}

static bool is_comparison(enum node_op op)
{
    return op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL;
}

/* What the distance between two pointers carries: nothing between two into one array; from another base (a null pointer, another
 * array) it can be added to that base again and gives the pointer back. */
static struct tags value_of_distance(const struct tags *from, const struct tags *to)
{
    struct tags both = joined(*from, *to);
    bool same = tags_count(from) == tags_count(to) && tags_count(&both) <= 1;
    return same ? none : both;
}

static struct tags value_of_binary(struct walk *walk, const struct node *node)
{
    const struct node *left = node->child, *right = left->next;
    struct tags a = value_of(walk, left);
    if (node->op == OPERATOR_AND || node->op == OPERATOR_OR) { /* the right side may be left out */
        struct state before = state_copy(walk, &walk->now);
        value_of(walk, right);
        state_join(walk, &walk->now, &before);
        state_release(&before);
        return none;
    }
    struct tags b = value_of(walk, right);
    bool is_distance = node->op == OPERATOR_SUB && node->type == TYPE_INTEGER && left->type != TYPE_INTEGER &&
                       right->type != TYPE_INTEGER;
    if (is_comparison(node->op) || node->type == TYPE_FLOATING)
        return none;
    return is_distance ? value_of_distance(&a, &b) : joined(a, b);
}

static struct tags value_of_conditional(struct walk *walk, const struct node *node)
{
    const struct node *first = node->child->next, *second = first->next;
    value_of(walk, node->child);
    struct state before = state_copy(walk, &walk->now);
    struct tags a = value_of(walk, first);
    struct state after_first = walk->now;
    walk->now = before;
    struct tags b = second != NULL ? value_of(walk, second) : none;
    state_join(walk, &walk->now, &after_first);
    state_release(&after_first);
    return joined(a, b);
}

static struct tags value_of_block(struct walk *walk, const struct node *node)
{
    struct tags value = none;
    const struct node *block = node->child;
    if (block == NULL || block->kind != NODE_BLOCK)
        return value_of_children(walk, node);
    for (const struct node *child = block->child; child != NULL; child = child->next)
        value = value_of(walk, child); /* that of the last statement counts */
    return value;
}

/* Something that is not understood: it may write to all that it is given, and keep it. */
static struct tags value_of_unknown(struct walk *walk, const struct node *node)
{
    struct tags all = reach(walk, value_of_children(walk, node));
    struct cause cause = {.place = walk->body->place, .text = "used in a way that is not understood"};
    write_to(walk, all, WRITES_MAYBE, cause);
    escape(walk, all, cause);
    return all;
}

struct tags value_of(struct walk *walk, const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_OPAQUE:
    case NODE_FUNCTION:
        return none;
    case NODE_VARIABLE:
    case NODE_INDEX:
    case NODE_POINTEE:
    case NODE_MEMBER:
    case NODE_ARROW:
    case NODE_LITERAL:
        return value_of_place(walk, node);
    case NODE_ADDRESS: {
        if (node->child == NULL || node->child->kind == NODE_FUNCTION)
            return none;
        struct location location = location_of(walk, node->child);
        return address_of(walk, &location);
    }
    case NODE_CALL:
        return value_of_call(walk, node);
    case NODE_ASSIGN:
    case NODE_UPDATE:
        return value_of_store(walk, node);
    case NODE_BINARY:
        return value_of_binary(walk, node);
    case NODE_UNARY: {
        struct tags tags = value_of_children(walk, node);
        return node->op == OPERATOR_NOT || node->type == TYPE_FLOATING ? none : tags;
    }
    case NODE_CONDITIONAL:
        return node->n_children >= 2 ? value_of_conditional(walk, node) : value_of_unknown(walk, node);
    case NODE_COMMA:
        value_of(walk, node->child);
        return value_of(walk, node->child->next);
    case NODE_CONVERT: {
        struct tags tags = value_of_children(walk, node);
        return node->type == TYPE_FLOATING ? none : tags;
    }
    case NODE_LIST:
        return value_of_children(walk, node);
    case NODE_BLOCK_VALUE:
        return value_of_block(walk, node);
    case NODE_UNKNOWN:
        return value_of_unknown(walk, node);
    default:
        walk_statement(walk, node);
        return none;
    }
}
