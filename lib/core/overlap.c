#include "overlap.h"

/* Two views share a byte when  sum(c_i * x_i) = target  has a solution with integers 0 <= x_i <= n_i: the x_i are indexes
 * into both (those into b counted from the other end, which makes every c_i positive) and positions of a byte in each
 * element. Solved by depth first search: largest coefficient first, only values that the rest can make up for, and
 * only those that the greatest common divisor of the rest divides. */
struct term {
    uint64_t coefficient, limit;
};
struct problem {
    int n;
    struct term terms[2 * MAX_RANK + 2];
    uint64_t rest_sum[2 * MAX_RANK + 3]; /* the most that terms i.. can make up */
    uint64_t rest_gcd[2 * MAX_RANK + 3];
    long steps_left;
};

/* Enough for any arrangement of a few regular views; an adversary's may have more. */
enum { MAX_STEPS = 20000 };

static void
add_term(struct problem *problem, uint64_t coefficient, uint64_t limit)
{
    if (limit == 0 || coefficient == 0)
        return;
    int at = problem->n++;
    for (; at > 0 && problem->terms[at - 1].coefficient < coefficient; at--)
        problem->terms[at] = problem->terms[at - 1];
    if (at > 0 && problem->terms[at - 1].coefficient == coefficient) { /* x + y is one unknown */
        problem->terms[at - 1].limit += limit;
        for (problem->n--; at < problem->n; at++)
            problem->terms[at] = problem->terms[at + 1];
        return;
    }
    problem->terms[at] = (struct term){coefficient, limit};
}

static uint64_t
magnitude(int64_t stride)
{
    return (uint64_t)(stride < 0 ? -stride : stride);
}

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* True also when the steps are used up. */
static bool
solvable(struct problem *problem, int i, uint64_t target)
{
    if (target == 0)
        return true;
    if (i == problem->n || target > problem->rest_sum[i] || target % problem->rest_gcd[i] != 0)
        return false;
    const struct term *term = &problem->terms[i];
    uint64_t rest = problem->rest_sum[i + 1];
    uint64_t first = target > rest ? (target - rest + term->coefficient - 1) / term->coefficient : 0;
    uint64_t last = target / term->coefficient;
    if (last > term->limit)
        last = term->limit;
    for (uint64_t x = first; x <= last; x++) {
        if (--problem->steps_left <= 0)
            return true;
        if (solvable(problem, i + 1, target - x * term->coefficient))
            return true;
    }
    return false;
}

static void
add_view(struct problem *problem, const struct device_view *view)
{
    for (int i = 0; i < view->rank; i++) {
        add_term(problem, magnitude(view->strides[i]), (uint64_t)(view->shape[i] - 1));
    }
    add_term(problem, 1, view->item_size - 1);
}

static bool
solve(struct problem *problem, uint64_t target)
{
    problem->rest_sum[problem->n] = problem->rest_gcd[problem->n] = 0;
    for (int i = problem->n - 1; i >= 0; i--) {
        problem->rest_sum[i] = problem->rest_sum[i + 1] + problem->terms[i].coefficient * problem->terms[i].limit;
        problem->rest_gcd[i] = greatest_common_divisor(problem->terms[i].coefficient, problem->rest_gcd[i + 1]);
    }
    return solvable(problem, 0, target);
}

bool
views_share_bytes(const struct device_view *a, const struct geometry *ga, const struct device_view *b,
                  const struct geometry *gb)
{
    if (ga->low >= gb->high || gb->low >= ga->high)
        return false;
    /* One that fills its range is met by whatever begins or ends inside it... */
    bool a_is_whole = ga->high - ga->low == ga->bytes && (ga->contiguous_c || ga->contiguous_f);
    bool b_is_whole = gb->high - gb->low == gb->bytes && (gb->contiguous_c || gb->contiguous_f);
    if (a_is_whole && b_is_whole)
        return true;
    /* ...but a gap of one may hold all of the other. A byte of a at low_a + A, of b at high_b - 1 - B: equal when
     * A + B = high_b - 1 - low_a. */
    struct problem problem = {.n = 0, .steps_left = MAX_STEPS};
    add_view(&problem, a);
    add_view(&problem, b);
    return solve(&problem, gb->high - 1 - ga->low);
}

/* Two elements whose indexes differ first in this axis, by at least one, and in any way in those behind it: with the
 * differences counted from their least values, again a sum of positive terms. */
static bool
repeats_from_axis(const struct device_view *view, int axis)
{
    struct problem problem = {.n = 0, .steps_left = MAX_STEPS};
    uint64_t reach = view->item_size - 1;
    add_term(&problem, 1, 2 * (view->item_size - 1));
    for (int i = axis + 1; i < view->rank; i++) {
        add_term(&problem, magnitude(view->strides[i]), 2 * (uint64_t)(view->shape[i] - 1));
        reach += magnitude(view->strides[i]) * (uint64_t)(view->shape[i] - 1);
    }
    add_term(&problem, magnitude(view->strides[axis]), (uint64_t)(view->shape[axis] - 2));
    return reach >= magnitude(view->strides[axis]) && solve(&problem, reach - magnitude(view->strides[axis]));
}

bool
view_overlaps_itself(const struct device_view *view)
{
    for (int i = 0; i < view->rank; i++)
        if (view->strides[i] == 0 && view->shape[i] > 1)
            return true;
    struct axes axes;
    axes_init(&axes, view->rank, view->shape, view->item_size, view->strides, view->strides);
    if (axes_are_nested(&axes, false))
        return false;
    for (int i = 0; i < view->rank; i++)
        if (view->shape[i] > 1 && repeats_from_axis(view, i))
            return true;
    return false;
}
