/* pyflow_binds.c - what binds a name: assignments of every form, loops, imports, definitions, handlers, patterns. */
#include "pyflow_parts_internal.h"

static void
each_target(const struct pytree *tree, int node, flow_visit *visit, void *data)
{
    switch (tree->nodes[node].kind) {
    case PY_NAME:
        visit(data, node);
        break;
    case PY_TUPLE:
    case PY_LIST:
    case PY_STARRED:
        PYTREE_EACH(tree, child, node)
            each_target(tree, child, visit, data);
        break;
    default:
        break;
    }
}

void
flow_each_bound(const struct pytree *tree, int node, flow_visit *visit, void *data)
{
    PYTREE_EACH(tree, child, node)
        flow_each_bound_here(tree, child, visit, data);
}

void
flow_each_bound_here(const struct pytree *tree, int node, flow_visit *visit, void *data)
{
    const struct pynode *n = &tree->nodes[node];
    int k = 0;
    switch (n->kind) {
    case PY_FUNCTION: /* its body is another scope; what is evaluated where it stands is not */
    case PY_CLASS:
        if (tree->strings[n->name][0])
            visit(data, node);
        PYTREE_EACH(tree, part, node) {
            bool is_here = n->kind == PY_CLASS ? k < 2 : k < 2 || k == 5;
            if (is_here)
                flow_each_bound(tree, part, visit, data);
            k++;
        }
        return;
    case PY_BINDING:
        visit(data, node);
        return;
    case PY_ASSIGN:
        PYTREE_EACH(tree, target, node)
            if (k++ > 0)
                each_target(tree, target, visit, data);
        break;
    case PY_HANDLER:
        if (tree->strings[n->name][0])
            visit(data, node);
        break;
    case PY_AUG_ASSIGN:
    case PY_ANN_ASSIGN:
    case PY_NAMED:
    case PY_FOR:
    case PY_ASYNC_FOR:
    case PY_COMPREHENSION:
        each_target(tree, node + 1, visit, data);
        break;
    case PY_WITH_ITEM:
        each_target(tree, pytree_child(tree, node, 1), visit, data);
        break;
    case PY_DELETE:
        PYTREE_EACH(tree, target, node)
            each_target(tree, target, visit, data);
        break;
    case PY_OTHER: /* patterns and the like: pytree.py gives the names that they bind as names without a place */
        PYTREE_EACH(tree, name, node)
            if (tree->nodes[name].kind == PY_NAME && tree->nodes[name].line == 0)
                visit(data, name);
        break;
    default:
        break;
    }
    flow_each_bound(tree, node, visit, data);
}
