/* product.h - how much memory a shape is: products of expressions, told equal in whatever order and grouping they are written. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "plan.h"

/* A factor, usually bytes, times the extents. A free one among them makes it equal to nothing. */
struct product {
    int64_t factor;
    const struct plan_expr *extents;
    int n;
};

/* True if both are the same for all values of the parameters: 16 * n and 8 * n * 2. False where that is not seen. */
bool product_equal(struct arena *arena, const struct product *a, const struct product *b);

#endif
