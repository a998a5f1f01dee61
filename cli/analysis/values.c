/* values.c - expressions: what their values may point into, and what their evaluation writes. */
#include "walk_internal.h"

static void store_list(struct walk *walk, set memory, const struct node *list);

struct cause
cause_at(const struct node *node)
{
    return (struct cause){.place = node->place, .text = node->text};
}

bool
is_number(const struct node *node)
{
    return node->type == TYPE_INTEGER || node->type == TYPE_FLOATING;
}

static bool
is_constant(const struct node *node)
{
    while (node->kind == NODE_CONVERT && node->child != NULL)
        node = node->child;
    return node->kind == NODE_NUMBER || node->kind == NODE_OPAQUE;
}

/* What is left of addresses in a number of that type. They have been exposed where they became numbers; this only helps to tell
 * that it is those, and no others. */
static set
in_number(struct walk *walk, const struct node *node, set value)
{
    bool has_room = node->type == TYPE_INTEGER && (node->width == 0 || node->width >= 64);
    return has_room ? set_without(&walk->analysis->sets, value, WILD) : 0;
}

/* A value that is used as an address although it is a number. */
static set
as_address(struct walk *walk, const struct node *node, set value)
{
    return is_number(node) && !is_constant(node) ? joined(walk, value, spot_base(walk, SPOT_WILD, 0, NULL)) : value;
}

/* --- variables --- */

static bool
is_cell(const struct walk *walk, const struct node *node)
{
    return node->kind == NODE_VARIABLE && walk->is_cell[node->variable];
}

static void
store_in_cell(struct walk *walk, int variable, set value)
{
    set *cell = &walk->now.cells[variable];
    *cell = walk->is_loose ? joined(walk, *cell, value) : value;
}

/* --- places --- */

static bool
is_in_place(const struct node *node)
{
    return node->type == TYPE_ARRAY || node->type == TYPE_RECORD; /* vectors are records */
}

/* What libclang calls an array may be a pointer: __auto_type and typeof of a parameter. */
static set
through_pointers(struct walk *walk, set memory)
{
    struct set_items items = set_items(&walk->analysis->sets, memory);
    set all = 0;
    for (int i = 0; i < items.n; i++) {
        const struct spot *spot = spot_at(walk, items.values[i]);
        set here = set_single(&walk->analysis->sets, items.values[i]);
        bool is_pointer = spot->kind == SPOT_LOCAL && walk->body->variables[spot->index].type == TYPE_POINTER;
        all = joined(walk, all, is_pointer ? load(walk, here, false) : here);
    }
    return all;
}

/* What a pointer points to; an array is its own first element. */
static set
pointee(struct walk *walk, const struct node *pointer)
{
    bool is_pointer = is_cell(walk, pointer) || !is_in_place(pointer);
    return is_pointer ? as_address(walk, pointer, value_of(walk, pointer)) : through_pointers(walk, location_of(walk, pointer));
}

/* Whether the subscript may lead out of what the pointer points to, and to what is before it. */
static set
element(struct walk *walk, set memory, const struct node *subscript, bool is_minus)
{
    bool is_zero = subscript->kind == NODE_NUMBER && subscript->value == 0;
    bool is_backward = (subscript->kind == NODE_NUMBER && (subscript->value < 0 || is_minus)) || subscript->kind == NODE_UNARY;
    return is_zero ? memory : moved(walk, memory, is_backward);
}

/* A value without a place, such as a structure that a function returned. */
static set
temporary(struct walk *walk, const struct node *node, set value)
{
    set memory = spot_base(walk, SPOT_SITE, 1, node);
    keep(walk, memory, value);
    return memory;
}

set
location_of(struct walk *walk, const struct node *node)
{
    switch (node->kind) {
    case NODE_VARIABLE:
        return spot_of_variable(walk, node->variable);
    case NODE_LITERAL: {
        set memory = spot_of_variable(walk, node->variable);
        if (node->child != NULL)
            keep(walk, memory, value_of(walk, node->child));
        return memory;
    }
    case NODE_INDEX: {
        set subscript = value_of(walk, node->child->next);
        set memory = element(walk, pointee(walk, node->child), node->child->next, false);
        return joined(walk, memory, subscript);
    }
    case NODE_VIEW: {
        set memory = node->child != NULL ? pointee(walk, node->child) : 0;
        for (const struct node *index = node->child; index != NULL; index = index->next)
            if (index != node->child)
                value_of(walk, index);
        return memory;
    }
    case NODE_POINTEE:
        return node->child != NULL ? pointee(walk, node->child) : 0;
    case NODE_MEMBER:
        return fields_of(walk, location_of(walk, node->child), node->name, node->type == TYPE_ARRAY);
    case NODE_ARROW:
        return fields_of(walk, pointee(walk, node->child), node->name, node->type == TYPE_ARRAY);
    case NODE_UNARY:
        if (node->op == OPERATOR_PART && node->child != NULL && node->child->kind != NODE_CALL)
            return location_of(walk, node->child);
        break;
    case NODE_COMMA:
        value_of(walk, node->child);
        return location_of(walk, node->child->next);
    case NODE_CONDITIONAL:
        if (node->n_children == 3 && is_in_place(node)) {
            value_of(walk, node->child);
            set first = location_of(walk, node->child->next);
            return joined(walk, first, location_of(walk, node->child->next->next));
        }
        break;
    default:
        break;
    }
    return temporary(walk, node, value_of(walk, node));
}

static set
value_of_place(struct walk *walk, const struct node *node)
{
    if (is_cell(walk, node)) {
        set value = walk->now.cells[node->variable];
        return is_number(node) ? in_number(walk, node, value) : value;
    }
    set memory = location_of(walk, node);
    if (node->type == TYPE_ARRAY || node->kind == NODE_VIEW)
        return memory;
    set value = load(walk, memory, is_number(node));
    return is_number(node) ? in_number(walk, node, value) : value;
}

/* --- stores --- */

/* Whether the node is a structure that is somewhere. */
static bool
is_structure(const struct node *node)
{
    return node->type == TYPE_RECORD
           && (node->kind == NODE_VARIABLE || node->kind == NODE_INDEX || node->kind == NODE_POINTEE || node->kind == NODE_MEMBER
            || node->kind == NODE_ARROW || node->kind == NODE_LITERAL);
}

/* Initializers of structures and arrays, into the fields where the lowering names them. */
static void
store_list(struct walk *walk, set memory, const struct node *list)
{
    for (const struct node *value = list->child; value != NULL; value = value->next)
        if (value->kind == NODE_INITIAL)
            store_value(walk, fields_of(walk, memory, value->name, value->child->kind == NODE_LIST), value->child);
        else
            store_value(walk, memory, value);
}

void
store_value(struct walk *walk, set memory, const struct node *node)
{
    if (node->kind == NODE_LIST) {
        store_list(walk, memory, node);
        return;
    }
    if (is_structure(node)) {
        copy_structure(walk, memory, location_of(walk, node));
        return;
    }
    set value = value_of(walk, node);
    bool is_data = is_number(node) && !is_constant(node);
    keep(walk, memory, is_data ? joined(walk, value, spot_base(walk, SPOT_WILD, 0, NULL)) : value);
}

static set
value_of_store(struct walk *walk, const struct node *node)
{
    const struct node *target = node->child, *source = target->next;
    if (is_cell(walk, target)) {
        set value = value_of(walk, source);
        if (node->kind == NODE_UPDATE) {
            set old = walk->now.cells[target->variable];
            value = joined(walk, value, is_number(target) ? old : moved(walk, old, node->op == OPERATOR_SUB));
        }
        store_in_cell(walk, target->variable, is_number(target) ? in_number(walk, target, value) : value);
        return value;
    }
    if (target->type == TYPE_RECORD && is_structure(source)) {
        set from = location_of(walk, source), memory = location_of(walk, target);
        write_to(walk, memory, WRITES_YES, cause_at(node));
        copy_structure(walk, memory, from);
        return load(walk, from, false);
    }
    set value = value_of(walk, source), memory = location_of(walk, target);
    if (node->kind == NODE_UPDATE) {
        set old = load(walk, memory, is_number(target));
        value = joined(walk, value, is_number(target) ? old : moved(walk, old, node->op == OPERATOR_SUB));
    }
    if (is_number(target))
        value = in_number(walk, target, value);
    if (is_number(target) && !is_constant(source))
        store_to(walk, memory, joined(walk, value, spot_base(walk, SPOT_WILD, 0, NULL)), cause_at(node));
    else
        store_to(walk, memory, value, cause_at(node));
    return value;
}

/* --- operators --- */

static set
value_of_children(struct walk *walk, const struct node *node)
{
    set all = 0;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        all = joined(walk, all, value_of(walk, child));
    return all;
}

static bool
is_comparison(enum node_op op)
{
    return op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL;
}

/* The distance between two pointers into the same array says nothing of where that is. From another base (a null pointer, another
 * array) it can be added to that again and gives the pointer back. */
static set
value_of_distance(struct walk *walk, const struct node *node, set from, set to)
{
    if (from == to && set_items(&walk->analysis->sets, from).n <= 1)
        return 0;
    set both = joined(walk, from, to);
    expose(walk, both, (struct cause){.place = walk->body->place, .text = "the distance to other memory is computed"});
    return in_number(walk, node, both);
}

static set
value_of_binary(struct walk *walk, const struct node *node)
{
    const struct node *left = node->child, *right = left->next;
    set a = value_of(walk, left);
    if (node->op == OPERATOR_AND || node->op == OPERATOR_OR) { /* the right side may be left out */
        struct state before = state_copy(walk, &walk->now);
        value_of(walk, right);
        state_join(walk, &walk->now, &before);
        state_release(&before);
        return 0;
    }
    set b = value_of(walk, right);
    if (is_comparison(node->op))
        return 0;
    bool left_points = !is_number(left), right_points = !is_number(right);
    if (node->op == OPERATOR_SUB && left_points && right_points)
        return value_of_distance(walk, node, a, b);
    if (is_number(node)) {
        if (left_points || right_points) /* not C, but it may be another language's */
            expose(walk, joined(walk, left_points ? a : 0, right_points ? b : 0),
                   (struct cause){.place = walk->body->place, .text = "computed with"});
        return in_number(walk, node, joined(walk, a, b));
    }
    bool is_minus = node->op == OPERATOR_SUB;
    if (left_points)
        return joined(walk, element(walk, a, right, is_minus), b);
    return joined(walk, element(walk, b, left, is_minus), a);
}

/* Any but the first operand of && and || may be left out. */
static set
value_of_chain(struct walk *walk, const struct node *node)
{
    bool is_optional = node->op == OPERATOR_AND || node->op == OPERATOR_OR;
    set all = 0;
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        struct state before = state_copy(walk, &walk->now);
        all = joined(walk, all, value_of(walk, child));
        if (is_optional && child != node->child)
            state_join(walk, &walk->now, &before);
        state_release(&before);
    }
    if (is_optional)
        return 0;
    return is_number(node) ? in_number(walk, node, all) : moved(walk, all, true);
}

static set
value_of_conditional(struct walk *walk, const struct node *node)
{
    const struct node *first = node->child->next, *second = first->next;
    set condition = value_of(walk, node->child);
    struct state before = state_copy(walk, &walk->now);
    set a = as_address(walk, node, value_of(walk, first));
    struct state after_first = walk->now;
    walk->now = before;
    set b = second != NULL ? value_of(walk, second) : condition; /* a ?: b */
    state_join(walk, &walk->now, &after_first);
    state_release(&after_first);
    a = joined(walk, a, b);
    return is_number(node) ? in_number(walk, node, a) : a;
}

static set
value_of_block(struct walk *walk, const struct node *node)
{
    set value = 0;
    const struct node *block = node->child;
    if (block == NULL || block->kind != NODE_BLOCK)
        return value_of_children(walk, node);
    for (const struct node *child = block->child; child != NULL; child = child->next)
        value = value_of(walk, child); /* that of the last statement counts */
    return value;
}

static set
value_of_conversion(struct walk *walk, const struct node *node)
{
    const struct node *child = node->child;
    if (child == NULL)
        return 0;
    set value = value_of(walk, child);
    if (is_number(node)) {
        if (!is_number(child) && value != 0)
            expose(walk, value,
                   (struct cause){.place = node->place.file != NULL ? node->place : walk->body->place,
                                  .text = "its address becomes a number"});
        return in_number(walk, node, value);
    }
    return as_address(walk, child, value);
}

/* Something that is not understood: it may write to all that it is given, and keep it. */
static set
value_of_unknown(struct walk *walk, const struct node *node)
{
    set all = 0;
    for (const struct node *child = node->child; child != NULL; child = child->next) {
        bool has_place = is_in_place(child) || (child->kind == NODE_VARIABLE && !walk->is_cell[child->variable]);
        set value = has_place ? location_of(walk, child) : value_of(walk, child);
        all = joined(walk, all, value);
    }
    struct cause cause = {.place = node->place.file != NULL ? node->place : walk->body->place,
                          .text = "used in a way that is not understood"};
    give_away(walk, all, cause);
    for (const struct node *child = node->child; child != NULL; child = child->next)
        if (is_cell(walk, child)) /* it may be assigned to */
            walk->now.cells[child->variable] = joined(walk, walk->now.cells[child->variable], all);
    return joined(walk, reach(walk, all), spot_base(walk, SPOT_WILD, 0, NULL));
}

set
value_of(struct walk *walk, const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_OPAQUE:
    case NODE_EXTENT:
        return 0;
    case NODE_FUNCTION:
        return node->function != NULL && node->function->name != NULL ? spot_of_function(walk, node->function) : 0;
    case NODE_VARIABLE:
    case NODE_INDEX:
    case NODE_VIEW:
    case NODE_POINTEE:
    case NODE_MEMBER:
    case NODE_ARROW:
    case NODE_LITERAL:
        return value_of_place(walk, node);
    case NODE_ADDRESS:
        if (node->child == NULL)
            return 0;
        return node->child->kind == NODE_FUNCTION ? value_of(walk, node->child) : location_of(walk, node->child);
    case NODE_CALL:
        return value_of_call(walk, node);
    case NODE_ASSIGN:
    case NODE_UPDATE:
        return value_of_store(walk, node);
    case NODE_BINARY:
        return value_of_binary(walk, node);
    case NODE_CHAIN:
        return value_of_chain(walk, node);
    case NODE_UNARY: {
        set value = value_of_children(walk, node);
        return node->op == OPERATOR_NOT ? 0 : is_number(node) ? in_number(walk, node, value) : value;
    }
    case NODE_CONDITIONAL:
        return node->n_children >= 2 ? value_of_conditional(walk, node) : value_of_unknown(walk, node);
    case NODE_COMMA:
        value_of(walk, node->child);
        return value_of(walk, node->child->next);
    case NODE_CONVERT:
        return value_of_conversion(walk, node);
    case NODE_LIST:
    case NODE_INITIAL:
        return value_of_children(walk, node);
    case NODE_NEW:
        return temporary(walk, node, value_of_children(walk, node));
    case NODE_BLOCK_VALUE:
        return value_of_block(walk, node);
    case NODE_UNKNOWN:
        return value_of_unknown(walk, node);
    default:
        walk_statement(walk, node);
        return 0;
    }
}
