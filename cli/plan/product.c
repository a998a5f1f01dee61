/* product.c - see product.h. */
#include "product.h"

#include "expr.h"

/* A constant and what it is multiplied with: parameters, and expressions that are no products. */
struct factors {
    int64_t constant;
    struct plan_expr *others;
    int n;
};

static bool
is_product(const struct plan_expr *expr)
{
    for (int i = 0; i < expr->n_ops; i++)
        if (expr->ops[i].code != OP_CONST && expr->ops[i].code != OP_PARAM && expr->ops[i].code != OP_MUL)
            return false;
    return true;
}

/* False: free, or more than 64 bits. */
static bool
add_extent(struct factors *factors, struct arena *arena, const struct plan_expr *extent)
{
    int64_t constant;
    if (extent->n_ops == 0)
        return false;
    if (expr_constant(extent, &constant))
        return !__builtin_mul_overflow(factors->constant, constant, &factors->constant);
    if (!is_product(extent)) {
        *ARENA_PUSH(arena, factors->others, factors->n) = *extent;
        return true;
    }
    for (int i = 0; i < extent->n_ops; i++) {
        if (extent->ops[i].code == OP_CONST
            && __builtin_mul_overflow(factors->constant, extent->ops[i].value, &factors->constant))
            return false;
        if (extent->ops[i].code == OP_PARAM)
            *ARENA_PUSH(arena, factors->others, factors->n) = (struct plan_expr){.ops = &extent->ops[i], .n_ops = 1};
    }
    return true;
}

static bool
take_factors(struct factors *factors, struct arena *arena, const struct product *product)
{
    *factors = (struct factors){.constant = product->factor};
    for (int i = 0; i < product->n; i++)
        if (!add_extent(factors, arena, &product->extents[i]))
            return false;
    return true;
}

bool
product_equal(struct arena *arena, const struct product *a, const struct product *b)
{
    struct factors left, right;
    if (!take_factors(&left, arena, a) || !take_factors(&right, arena, b) || left.constant != right.constant
        || left.n != right.n)
        return false;
    for (int i = 0; i < left.n; i++) {
        int k = i;
        while (k < right.n && !expr_equal(&left.others[i], &right.others[k]))
            k++;
        if (k == right.n)
            return false;
        struct plan_expr found = right.others[k];
        right.others[k] = right.others[i];
        right.others[i] = found;
    }
    return true;
}
