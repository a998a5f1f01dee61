/* uses.c - how a body uses its pointer parameters: not at all, as one scalar, or comparing it with NULL. */
#include "analysis_internal.h"

/* Of one parameter. */
struct uses {
    int variable;
    int all;      /* mentions */
    int as_one;   /* *p, p[0] */
    int compared; /* p == NULL, !p, if (p) */
};

static bool
is_the(const struct uses *uses, const struct node *node)
{
    return node != NULL && node->kind == NODE_VARIABLE && node->variable == uses->variable;
}

static bool
is_zero(const struct node *node)
{
    while (node->kind == NODE_CONVERT && node->child != NULL)
        node = node->child;
    return node->kind == NODE_NUMBER && node->value == 0;
}

/* Whether the node tests the pointer itself. */
static int
tests(const struct uses *uses, const struct node *node)
{
    const struct node *first = node->child;
    if (first == NULL)
        return 0;
    const struct node *second = first->next;
    switch (node->kind) {
    case NODE_IF:
    case NODE_CONDITIONAL:
        return is_the(uses, first);
    case NODE_UNARY:
        return node->op == OPERATOR_NOT && is_the(uses, first);
    case NODE_BINARY:
        if (node->op == OPERATOR_AND || node->op == OPERATOR_OR)
            return is_the(uses, first) + is_the(uses, second);
        if (node->op == OPERATOR_EQUAL || node->op == OPERATOR_NOT_EQUAL)
            return (is_the(uses, first) && is_zero(second)) || (is_the(uses, second) && is_zero(first));
        return 0;
    default:
        return 0;
    }
}

static void
count(struct uses *uses, const struct node *node)
{
    uses->all += is_the(uses, node);
    uses->compared += tests(uses, node);
    if (node->kind == NODE_POINTEE && is_the(uses, node->child))
        uses->as_one++;
    if (node->kind == NODE_INDEX && is_the(uses, node->child) && is_zero(node->child->next))
        uses->as_one++;
    for (const struct node *child = node->child; child != NULL; child = child->next)
        count(uses, child);
}

void
uses_find(struct summary *summary)
{
    const struct body *body = summary->body;
    for (int i = 0; i < body->n_params; i++) {
        struct uses uses = {.variable = i};
        struct facts *facts = &summary->facts[i];
        if (body->variables[i].type != TYPE_POINTER)
            continue;
        count(&uses, body->root);
        facts->is_unused = uses.all == 0;
        facts->is_tested = uses.compared > 0;
        /* One scalar is what the body uses, and nothing but NULL is asked of the pointer itself. */
        bool is_plain = body->variables[i].declared->kind == KIND_ARRAY && body->variables[i].declared->n_dims == 0;
        facts->is_single = is_plain && uses.as_one > 0 && uses.all == uses.as_one + uses.compared;
        if (facts->is_single) {
            facts->rank = 1;
            facts->extents[0] = linear_number(1);
        }
    }
}
