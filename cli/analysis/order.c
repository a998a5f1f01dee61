/* order.c - who calls whom: callees come first, so that most functions are walked once. */
#include <stdlib.h>
#include <string.h>

#include "analysis_internal.h"
#include "base/diag.h"

/* --- what a body mentions --- */

struct mentions {
    struct analysis *analysis;
    int caller;
    int *callees; /* of all bodies, one after the other */
    int n;
};

static void
add_callees(struct mentions *mentions, const struct called *function)
{
    struct analysis *analysis = mentions->analysis;
    for (const struct summary *s = find_summary(analysis, function, NULL); s != NULL; s = find_summary(analysis, function, s)) {
        int callee = (int)(s - analysis->summaries);
        *ARENA_PUSH(analysis->arena, mentions->callees, mentions->n) = callee;
        struct summary *summary = &analysis->summaries[callee];
        bool is_known = summary->n_callers > 0 && summary->callers[summary->n_callers - 1] == mentions->caller;
        if (!is_known)
            *ARENA_PUSH(analysis->arena, summary->callers, summary->n_callers) = mentions->caller;
    }
}

static void
add_taken(struct analysis *analysis, const struct called *function)
{
    if (find_summary(analysis, function, NULL) == NULL)
        return;
    for (int i = 0; i < analysis->n_taken; i++)
        if (analysis->taken[i] == function
            || (strcmp(analysis->taken[i]->name, function->name) == 0 && analysis->taken[i]->unit == function->unit))
            return;
    *ARENA_PUSH(analysis->arena, analysis->taken, analysis->n_taken) = function;
}

static void
find_mentions(struct mentions *mentions, const struct node *node, bool is_callee)
{
    if (node->kind == NODE_FUNCTION && node->function != NULL && node->function->name != NULL) {
        add_callees(mentions, node->function);
        if (!is_callee)
            add_taken(mentions->analysis, node->function);
    }
    for (const struct node *child = node->child; child != NULL; child = child->next)
        find_mentions(mentions, child, node->kind == NODE_CALL && child == node->child);
}

/* --- depth first --- */

struct visit {
    int summary, next;
};

static void *
take(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);
    if (memory == NULL)
        exit(environment_error("out of memory"));
    return memory;
}

void
order_find(struct analysis *analysis)
{
    int n = analysis->program->n_bodies, n_order = 0, depth = 0;
    int *first = take((size_t)n + 1, sizeof *first);
    bool *is_seen = take((size_t)n, sizeof *is_seen);
    struct visit *stack = take((size_t)n, sizeof *stack);
    struct mentions mentions = {.analysis = analysis};
    for (int i = 0; i < n; i++) {
        const struct body *body = analysis->summaries[i].body;
        first[i] = mentions.n;
        mentions.caller = i;
        if (body->root != NULL)
            find_mentions(&mentions, body->root, false);
        for (int v = 0; v < body->n_variables; v++)
            if (body->variables[v].initial != NULL)
                find_mentions(&mentions, body->variables[v].initial, false);
    }
    first[n] = mentions.n;
    analysis->order = arena_take(analysis->arena, (size_t)n + 1, sizeof *analysis->order);
    for (int root = 0; root < n; root++) {
        if (is_seen[root])
            continue;
        is_seen[root] = true;
        stack[depth++] = (struct visit){root, first[root]};
        while (depth > 0) {
            struct visit *top = &stack[depth - 1];
            if (top->next == first[top->summary + 1]) {
                analysis->order[n_order++] = top->summary;
                depth--;
                continue;
            }
            int callee = mentions.callees[top->next++];
            if (!is_seen[callee]) {
                is_seen[callee] = true;
                stack[depth++] = (struct visit){callee, first[callee]};
            }
        }
    }
    free(first);
    free(is_seen);
    free(stack);
}
