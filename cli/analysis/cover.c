/* cover.c - which arrays are overwritten: on every path, every element is stored before any is read.
 *
 * For one array after the other, the statements are followed in order with a list of regions that are known to be stored. A
 * region is a range in each dimension. After a loop over a range, what its body stores for one value of the variable is
 * stored for all; inside the loop, it is for those before. The array is overwritten once a region is all of it; a read
 * outside of the regions, any other use of its address, or a way out before that, and it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cover_internal.h"

/* --- regions on the heap: branches and loops are nested --- */

static struct regions
regions_copy(const struct regions *from)
{
    struct regions copy = {.items = malloc(MOST_REGIONS * sizeof *copy.items), .n = from->n};
    if (copy.items == NULL)
        exit(environment_error("out of memory"));
    if (from->n > 0) /* before the first region there is no memory for any */
        memcpy(copy.items, from->items, (size_t)from->n * sizeof *copy.items);
    return copy;
}

static void
regions_release(struct regions *regions)
{
    free(regions->items);
    regions->items = NULL;
}

/* What is stored becomes what it was before; what it is now. */
static struct regions
take_back(struct cover *cover, struct regions before)
{
    struct regions now = cover->stored;
    cover->stored = before;
    return now;
}

/* --- accesses --- */

/* A way out of the function, or to somewhere else in it. */
static void
leave(struct cover *cover)
{
    if (!cover->is_complete)
        cover->has_failed = true;
}

/* Whether the node is one element of the array, and which. */
static bool
is_element(const struct cover *cover, const struct node *node, struct region *region)
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

static bool
is_known(const struct cover *cover, const struct region *region)
{
    for (int d = 0; d < cover->rank; d++)
        if (!region->low[d].is_known || !region->high[d].is_known)
            return false;
    return true;
}

static void follow(struct cover *cover, const struct node *node);

static void
follow_children(struct cover *cover, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        follow(cover, child);
}

/* The subscripts of an element are expressions of their own. */
static void
follow_subscripts(struct cover *cover, const struct node *node)
{
    for (; node != NULL && node->kind == NODE_INDEX; node = node->child)
        follow(cover, node->child->next);
}

static void
read_element(struct cover *cover, const struct region *region)
{
    if (!cover->only_collects && !cover->is_complete && !(is_known(cover, region) && is_stored(cover, region)))
        cover->has_failed = true;
}

static void
follow_store(struct cover *cover, const struct node *node)
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

static bool
stores_anything(const struct node *node)
{
    if (node->kind == NODE_ASSIGN || node->kind == NODE_UPDATE || node->kind == NODE_CALL)
        return true;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        if (stores_anything(child))
            return true;
    return false;
}

/* A part that may be left out: what it stores does not count behind it. */
static void
follow_maybe(struct cover *cover, const struct node *node)
{
    if (!stores_anything(node)) {
        follow(cover, node);
        return;
    }
    bool was_complete = cover->is_complete;
    struct regions before = regions_copy(&cover->stored);
    follow(cover, node);
    struct regions after = take_back(cover, before);
    regions_release(&after);
    cover->is_complete = was_complete;
}

/* Of what two ways have stored, what both have. */
static void
add_common(struct cover *cover, const struct regions *a, const struct regions *b)
{
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++)
            if (same_region(cover, &a->items[i], &b->items[j])) {
                add_region(cover, &a->items[i]);
                break;
            }
}

/* One of the alternatives is executed, the first one being `first`, or none where `may_be_none`. */
static void
follow_either(struct cover *cover, const struct node *first, bool may_be_none)
{
    bool was_complete = cover->is_complete, all_complete = !may_be_none && first != NULL;
    struct regions before = regions_copy(&cover->stored), common = {0};
    for (const struct node *node = first; node != NULL; node = node->next) {
        cover->is_complete = was_complete;
        follow(cover, node);
        bool is_complete = cover->is_complete;
        struct regions after = take_back(cover, regions_copy(&before));
        cover->is_complete = was_complete;
        all_complete = all_complete && is_complete;
        if (node == first) {
            common = after;
        } else if (is_complete) { /* it has stored all that the others have */
            regions_release(&after);
        } else {
            add_common(cover, &common, &after);
            regions_release(&after);
            regions_release(&common);
            common = take_back(cover, regions_copy(&before));
        }
    }
    cover->is_complete = was_complete || all_complete;
    if (common.items != NULL && !may_be_none) {
        struct regions start = take_back(cover, common);
        regions_release(&start);
    } else {
        regions_release(&common);
    }
    regions_release(&before);
}

/* --- loops --- */

static bool
has_ways_out(const struct node *node)
{
    switch (node->kind) {
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_GOTO:
    case NODE_LABEL:
    case NODE_SWITCH:
    case NODE_RETURN:
    case NODE_UNKNOWN:
    case NODE_ASSEMBLER:
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
static struct regions
collect(struct cover *cover, const struct node *body)
{
    struct regions before = cover->stored;
    bool did_collect = cover->only_collects;
    cover->only_collects = true;
    cover->stored = regions_copy(&before);
    cover->stored.n = 0;
    follow(cover, body);
    cover->only_collects = did_collect;
    return take_back(cover, before);
}

/* The body of a loop whose rounds are known. */
static void
follow_rounds(struct cover *cover, const struct loop *loop, const struct node *body)
{
    struct regions before = regions_copy(&cover->stored);
    cover->scope.loops[cover->scope.n_loops++] = *loop;
    struct regions found = collect(cover, body);
    if (!cover->only_collects) {
        add_earlier_rounds(cover, loop, &found);
        follow(cover, body);
    }
    cover->scope.n_loops--;
    struct regions inside = take_back(cover, before);
    regions_release(&inside);
    add_all_rounds(cover, loop, &found);
    regions_release(&found);
}

static void
follow_parts(struct cover *cover, const struct node *node)
{
    for (const struct node *child = node->child; child != NULL; child = child->next)
        follow_maybe(cover, child);
}

static void
follow_loop(struct cover *cover, const struct node *node)
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
    follow_rounds(cover, &loop, body);
}

/* for i in range(low, high): the bounds are evaluated once. */
static void
follow_each(struct cover *cover, const struct node *node)
{
    if (node->n_children != 3) {
        leave(cover);
        return;
    }
    const struct node *low = node->child, *high = low->next, *body = high->next;
    follow(cover, low);
    follow(cover, high);
    struct loop loop;
    if (has_ways_out(body) || !each_of(&cover->scope, node, &loop)) {
        follow_maybe(cover, body);
        return;
    }
    follow_rounds(cover, &loop, body);
}

/* --- calls --- */

/* Whether the rows of the callee's array are those of ours, so that its elements are. */
static bool
same_rows(const struct cover *cover, const struct region *all)
{
    for (int d = 1; d < cover->rank; d++)
        if (!linear_equal(&all->high[d], &cover->extents[d]))
            return false;
    return true;
}

/* The array is argument number `position`: the callee stores or reads all elements up to the extents that it has there. */
static void
follow_argument(struct cover *cover, const struct node *call, const struct facts *facts)
{
    struct region all = {0};
    for (int d = 0; d < facts->rank; d++) {
        all.low[d] = linear_number(0);
        all.high[d] = extent_at_call(&cover->scope, call, facts, d);
    }
    bool is_whole = facts->rank == cover->rank && linear_equal(&all.high[0], &cover->extents[0]);
    if (facts->rank != cover->rank || !is_known(cover, &all) || !same_rows(cover, &all) || (!is_whole && !facts->is_inside))
        leave(cover);
    else if (facts->is_overwritten)
        add_region(cover, &all);
    else
        read_element(cover, &all);
}

/* Whether the call only asks something of its arguments, which are not evaluated. */
static bool
evaluates_nothing(const struct node *call)
{
    static const char *const names[] = {"__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size",
                                        "__builtin_assume"};
    const char *name = call->function != NULL ? call->function->name : NULL;
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Other arguments first, then where the callee may read the array, then where it stores it: the array may be there twice. */
static void
follow_call(struct cover *cover, const struct node *call)
{
    enum pass { OTHERS, READ, STORED };
    const struct summary *callee = only_summary(cover->analysis, call->function);
    if (evaluates_nothing(call)) {
        for (const struct node *argument = call->child->next; argument != NULL; argument = argument->next)
            follow_maybe(cover, argument);
        return;
    }
    if (call->child->kind != NODE_FUNCTION)
        follow(cover, call->child);
    for (enum pass pass = OTHERS; pass <= STORED; pass++) {
        int position = 0;
        for (const struct node *argument = call->child->next; argument != NULL; argument = argument->next, position++) {
            bool is_array = callee != NULL && passes_array(cover->scope.body, call, position, cover->variable, callee);
            enum pass when = !is_array ? OTHERS : callee->facts[position].is_overwritten ? STORED : READ;
            if (when == pass && is_array)
                follow_argument(cover, call, &callee->facts[position]);
            else if (when == pass) /* in whatever order */
                follow_maybe(cover, argument);
        }
    }
}

/* --- everything --- */

static void
follow(struct cover *cover, const struct node *node)
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
        follow_either(cover, node->child->next, node->n_children < 3);
        break;
    case NODE_EITHER:
        follow_either(cover, node->child, false);
        break;
    case NODE_CONDITIONAL:
    case NODE_BINARY: /* the right side of && and || may be left out, and of others it may come first */
    case NODE_CHAIN:
    case NODE_COMMA:
        follow(cover, node->child);
        for (const struct node *child = node->child->next; child != NULL; child = child->next)
            follow_maybe(cover, child);
        break;
    case NODE_FOR:
        follow_loop(cover, node);
        break;
    case NODE_EACH:
        follow_each(cover, node);
        break;
    case NODE_CALL:
        if (node->child != NULL)
            follow_call(cover, node);
        break;
    case NODE_LOOP:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_WEAK:
        follow_parts(cover, node);
        break;
    case NODE_UNKNOWN: /* the rest of the function may be left out */
        follow_parts(cover, node);
        leave(cover);
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

static bool
is_overwritten(const struct analysis *analysis, const struct summary *summary, int i, const bool *is_positive)
{
    const struct facts *facts = &summary->facts[i];
    struct regions none = {0};
    struct cover cover = {.analysis = analysis,
                          .scope = {.body = summary->body, .changes = summary->changes, .is_positive = is_positive},
                          .variable = i,
                          .rank = facts->rank,
                          .stored = regions_copy(&none)};
    for (int d = 0; d < cover.rank; d++)
        cover.extents[d] = facts->extents[d];
    for (int k = 0; k < summary->body->n_params; k++) { /* sizes are code, and come first */
        const struct node *extents = summary->body->variables[k].extents;
        if (extents != NULL)
            follow_children(&cover, extents);
    }
    follow(&cover, summary->body->root);
    regions_release(&cover.stored);
    return cover.is_complete && !cover.has_failed;
}

bool
cover_find(const struct analysis *analysis, struct summary *summary)
{
    const struct body *body = summary->body;
    bool changed = false;
    if (calls_setjmp(body->root))
        return false;
    bool *is_positive = calloc((size_t)body->n_variables + 1, sizeof *is_positive);
    if (is_positive == NULL)
        exit(environment_error("out of memory"));
    for (int i = 0; i < body->n_params; i++) {
        struct facts *facts = &summary->facts[i];
        if (facts->rank == 0 || facts->is_overwritten || facts->is_unused || summary->changes[i].n_stores > 0)
            continue;
        mark_positive(body, facts, is_positive, true);
        facts->is_overwritten = is_overwritten(analysis, summary, i, is_positive);
        mark_positive(body, facts, is_positive, false);
        changed |= facts->is_overwritten;
    }
    free(is_positive);
    return changed;
}
