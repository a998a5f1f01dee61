/* cover.c - which arrays are overwritten: on every path, every element is stored before any is read.
 *
 * For one array after the other, the statements are followed in order with a list of regions that are known to be stored. A
 * region is a range in each dimension. After a loop over a range, what its body stores for one value of the variable is
 * stored for all; inside the loop, it is for those before. The array is overwritten once a region is all of it; a read
 * outside of the regions, any other use of its address, or a way out before that, and it is not.
 */
#include "cover_internal.h"

/* --- accesses --- */

/* A way out of the function, or to somewhere else in it. */
static void leave(struct cover *cover)
{
    if (!cover->is_complete)
        cover->has_failed = true;
}

/* Whether the node is one element of the array, and which. */
static bool is_element(const struct cover *cover, const struct node *node, struct region *region)
{
    struct linear subscripts[MOST_DIMS];
    int n = 0;
    if (node->kind == NODE_POINTEE && cover->rank == 1) {
        subscripts[n++] = linear_number(0);
        node = node->child;
    }
    while (node != NULL && node->kind == NODE_INDEX && n < cover->rank) {
        subscripts[n++] = linear_of(&cover->scope, node->child->next);
        node = node->child;
    }
    if (n != cover->rank || node == NULL || node->kind != NODE_VARIABLE || node->variable != cover->variable)
        return false;
    struct linear one = linear_number(1);
    for (int d = 0; d < n; d++) {
        region->low[d] = subscripts[n - 1 - d];
        region->high[d] = linear_add(&region->low[d], &one, 1);
    }
    return true;
}

static bool is_known(const struct cover *cover, const struct region *region)
{
    for (int d = 0; d < cover->rank; d++)
        if (!region->low[d].is_known || !region->high[d].is_known)
            return false;
    return true;
}

static void follow(struct cover *cover, const struct node *node);

static void follow_children(struct cover *cover, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        follow(cover, child);
}

/* The subscripts of an element are expressions of their own. */
static void follow_subscripts(struct cover *cover, const struct node *node)
{
    for (; node != NULL && node->kind == NODE_INDEX; node = node->child)
        follow(cover, node->child->next);
}

static void read_element(struct cover *cover, const struct region *region)
{
    if (!cover->only_collects && !cover->is_complete && !(is_known(cover, region) && is_stored(cover, region)))
        cover->has_failed = true;
}

static void follow_store(struct cover *cover, const struct node *node)
{
    const struct node *target = node->child;
    struct region region;
    follow(cover, target->next);
    if (!is_element(cover, target, &region)) {
        if (target->kind != NODE_VARIABLE)
            follow(cover, target);
        else if (target->variable == cover->variable)
            cover->has_failed = true; /* the pointer itself moves */
        return;
    }
    follow_subscripts(cover, target);
    if (node->kind == NODE_UPDATE)
        read_element(cover, &region);
    if (is_known(cover, &region))
        add_region(cover, &region);
}

/* --- branches --- */

/* Follows a part that may be left out, or that is one of two: what it stores does not count behind it. */
static struct regions follow_branch(struct cover *cover, const struct node *node)
{
    struct regions before = cover->stored;
    if (node != NULL)
        follow(cover, node);
    struct regions after = cover->stored;
    cover->stored = before;
    return after;
}

static void follow_either(struct cover *cover, const struct node *first, const struct node *second)
{
    bool was_complete = cover->is_complete;
    struct regions a = follow_branch(cover, first);
    bool first_complete = cover->is_complete;
    cover->is_complete = was_complete;
    struct regions b = follow_branch(cover, second);
    cover->is_complete = was_complete || (first_complete && cover->is_complete);
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < b.n; j++)
            if (same_region(cover, &a.items[i], &b.items[j])) {
                add_region(cover, &a.items[i]);
                break;
            }
}

static void follow_maybe(struct cover *cover, const struct node *node)
{
    bool was_complete = cover->is_complete;
    follow_branch(cover, node);
    cover->is_complete = was_complete;
}

/* --- loops --- */

static bool has_ways_out(const struct node *node)
{
    switch (node->kind) {
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_GOTO:
    case NODE_LABEL:
    case NODE_SWITCH:
    case NODE_RETURN:
        return true;
    default:
        break;
    }
    for (const struct node *child = node->child; child != NULL; child = child->next)
        if (has_ways_out(child))
            return true;
    return false;
}

/* What one round of the body stores for sure. */
static struct regions collect(struct cover *cover, const struct node *body)
{
    struct regions before = cover->stored;
    bool did_collect = cover->only_collects;
    cover->only_collects = true;
    cover->stored.n = 0;
    follow(cover, body);
    struct regions found = cover->stored;
    cover->stored = before;
    cover->only_collects = did_collect;
    return found;
}

static void follow_loop(struct cover *cover, const struct node *node)
{
    const struct node *start = node->child, *condition = start->next, *step = condition->next, *body = step->next;
    struct loop loop;
    follow(cover, start);
    if (has_ways_out(body) || !loop_of(&cover->scope, node, &loop)) {
        follow_maybe(cover, condition);
        follow_maybe(cover, body);
        follow_maybe(cover, step);
        return;
    }
    struct regions before = cover->stored;
    cover->scope.loops[cover->scope.n_loops++] = loop;
    struct regions found = collect(cover, body);
    if (!cover->only_collects) {
        add_earlier_rounds(cover, &loop, &found);
        follow(cover, body);
    }
    cover->scope.n_loops--;
    cover->stored = before;
    add_all_rounds(cover, &loop, &found);
}

/* --- calls --- */

/* Whether the rows of the callee's array are those of ours, so that its elements are. */
static bool same_rows(const struct cover *cover, const struct region *all)
{
    for (int d = 1; d < cover->rank; d++)
        if (!linear_equal(&all->high[d], &cover->extents[d]))
            return false;
    return true;
}

/* The array is argument number `position`: the callee stores or reads all elements up to the extents that it has there. */
static void follow_argument(struct cover *cover, const struct node *call, const struct facts *facts)
{
    struct region all = {0};
    for (int d = 0; d < facts->rank; d++) {
        all.low[d] = linear_number(0);
        all.high[d] = extent_at_call(&cover->scope, call, facts, d);
    }
    if (facts->rank != cover->rank || !is_known(cover, &all) || !same_rows(cover, &all))
        leave(cover);
    else if (facts->is_overwritten)
        add_region(cover, &all);
    else
        read_element(cover, &all);
}

/* Other arguments first, then where the callee may read the array, then where it stores it: the array may be there twice. */
static void follow_call(struct cover *cover, const struct node *call)
{
    enum pass { OTHERS, READ, STORED };
    const struct summary *callee = only_summary(cover->analysis, call->function);
    for (enum pass pass = OTHERS; pass <= STORED; pass++) {
        int position = 0;
        for (const struct node *argument = call->child->next; argument != NULL; argument = argument->next, position++) {
            bool is_array = callee != NULL && passes_array(cover->scope.body, call, position, cover->variable, callee);
            enum pass when = !is_array ? OTHERS : callee->facts[position].is_overwritten ? STORED : READ;
            if (when == pass && is_array)
                follow_argument(cover, call, &callee->facts[position]);
            else if (when == pass)
                follow(cover, argument);
        }
    }
}

/* --- everything --- */

static void follow(struct cover *cover, const struct node *node)
{
    struct region region;
    if (cover->has_failed || cover->is_complete)
        return;
    switch (node->kind) {
    case NODE_ASSIGN:
    case NODE_UPDATE:
        follow_store(cover, node);
        break;
    case NODE_VARIABLE:
        if (node->variable == cover->variable) /* its address goes elsewhere */
            leave(cover);
        break;
    case NODE_INDEX:
    case NODE_POINTEE:
        if (is_element(cover, node, &region)) {
            follow_subscripts(cover, node);
            read_element(cover, &region);
        } else {
            follow_children(cover, node);
        }
        break;
    case NODE_IF:
        follow(cover, node->child);
        follow_either(cover, node->child->next, node->child->next != NULL ? node->child->next->next : NULL);
        break;
    case NODE_CONDITIONAL:
    case NODE_BINARY: /* the right side of && and || may be left out */
    case NODE_COMMA:
        follow(cover, node->child);
        for (const struct node *child = node->child->next; child != NULL; child = child->next)
            follow_maybe(cover, child);
        break;
    case NODE_FOR:
        follow_loop(cover, node);
        break;
    case NODE_CALL:
        if (node->child != NULL)
            follow_call(cover, node);
        break;
    case NODE_LOOP:
    case NODE_DO:
    case NODE_UNKNOWN:
        for (const struct node *child = node->child; child != NULL; child = child->next)
            follow_maybe(cover, child);
        break;
    case NODE_RETURN:
        follow_children(cover, node);
        leave(cover);
        break;
    case NODE_SWITCH:
    case NODE_CASE:
    case NODE_LABEL:
    case NODE_GOTO:
    case NODE_ASSEMBLER:
        leave(cover);
        break;
    default:
        follow_children(cover, node);
        break;
    }
}

/* --- all parameters --- */

bool cover_find(const struct analysis *analysis, struct summary *summary)
{
    const struct body *body = summary->body;
    bool changed = false;
    for (int i = 0; i < body->n_params; i++) {
        struct facts *facts = &summary->facts[i];
        if (facts->rank == 0 || facts->is_overwritten || facts->is_unused || summary->changes[i].n_stores > 0)
            continue;
        struct cover cover = {.analysis = analysis,
                              .scope = {.body = body, .changes = summary->changes},
                              .variable = i,
                              .rank = facts->rank};
        for (int d = 0; d < cover.rank; d++)
            cover.extents[d] = facts->extents[d];
        follow(&cover, body->root);
        facts->is_overwritten = cover.is_complete && !cover.has_failed;
        changed |= facts->is_overwritten;
    }
    return changed;
}
