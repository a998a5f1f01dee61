#include "geometry.h"

#include <limits.h>
#include <string.h>

static bool
is_fortran(const struct device_view *view)
{
    int64_t expected = (int64_t)view->item_size;
    for (int i = 0; i < view->rank; i++) {
        if (view->shape[i] != 1 && view->strides[i] != expected)
            return false;
        expected *= view->shape[i];
    }
    return true;
}

int
geometry_init(struct geometry *geometry, const struct device_view *view)
{
    uintptr_t low = view->pointer, high = view->pointer;
    size_t bytes = view->item_size;
    bool empty = bytes == 0, possible = true, contiguous = true;
    for (int i = view->rank - 1; i >= 0; i--) {
        int64_t n = view->shape[i], stride = view->strides[i];
        if (n == 1)
            continue;
        if (n <= 0) {
            if (n < 0)
                return -1;
            empty = true;
            continue;
        }
        /* Contiguous so far: the stride is the number of bytes of the axes inside. */
        contiguous = contiguous && stride == (int64_t)bytes;
        int64_t reach;
        possible = possible && !__builtin_mul_overflow(stride, n - 1, &reach)
                   && !__builtin_mul_overflow(bytes, (size_t)n, &bytes)
                   && !(reach < 0 ? __builtin_sub_overflow(low, (uintptr_t)-reach, &low)
                               : __builtin_add_overflow(high, (uintptr_t)reach, &high));
    }
    if (empty) { /* whatever its other extents and strides are */
        *geometry = (struct geometry){view->pointer, view->pointer, 0, true, true};
        return 0;
    }
    if (!possible || __builtin_add_overflow(high, view->item_size, &high) || bytes > PTRDIFF_MAX || high - low > PTRDIFF_MAX)
        return -1;
    *geometry = (struct geometry){low, high, bytes, contiguous, view->rank < 2 ? contiguous : is_fortran(view)};
    return 0;
}

void
strides_packed(int rank, const int64_t *shape, size_t item_size, bool fortran, int64_t *strides)
{
    int64_t stride = (int64_t)item_size;
    for (int i = 0; i < rank; i++) {
        int axis = fortran ? i : rank - 1 - i;
        strides[axis] = stride;
        stride *= shape[axis] > 1 ? shape[axis] : 1;
    }
}

/* --- axes of a copy ----------------------------------------------------------------------------------------------- */

static void
insert_axis(struct axes *axes, struct axis axis)
{
    int at = axes->n++;
    for (; at > 0 && axes->axis[at - 1].here < axis.here; at--)
        axes->axis[at] = axes->axis[at - 1];
    axes->axis[at] = axis;
}

static void
remove_axis(struct axes *axes, int i)
{
    axes->n--;
    memmove(&axes->axis[i], &axes->axis[i + 1], sizeof(axes->axis[0]) * (size_t)(axes->n - i));
}

/* From the innermost axis outwards: what continues the run, and what continues its inner neighbour, disappears. */
static void
merge_axes(struct axes *axes)
{
    struct axis *axis = axes->axis;
    while (axes->n > 0 && axis[axes->n - 1].here == (int64_t)axes->run && axis[axes->n - 1].there == (int64_t)axes->run)
        axes->run *= (size_t)axis[--axes->n].n;
    for (int i = axes->n - 2; i >= 0; i--)
        if (axis[i].here == axis[i + 1].here * axis[i + 1].n && axis[i].there == axis[i + 1].there * axis[i + 1].n) {
            axis[i + 1].n *= axis[i].n;
            remove_axis(axes, i);
        }
}

void
axes_init(struct axes *axes, int rank, const int64_t *shape, size_t item_size, const int64_t *here, const int64_t *there)
{
    axes->here_offset = axes->there_offset = 0;
    axes->run = item_size;
    axes->n = 0;
    for (int i = 0; i < rank; i++) {
        struct axis axis = {shape[i], here[i], there[i]};
        if (axis.n == 1 || (axis.here == 0 && axis.there == 0))
            continue;
        if (axis.here < 0) { /* walked from its other end */
            axes->here_offset += axis.here * (axis.n - 1);
            axes->there_offset += axis.there * (axis.n - 1);
            axis.here = -axis.here;
            axis.there = -axis.there;
        }
        insert_axis(axes, axis);
    }
    merge_axes(axes);
}

/* An axis outside another whose steps are whole steps of that one, without a gap behind it, makes it longer. */
static bool
continues(const struct axis *outer, const struct axis *inner)
{
    return outer->here % inner->here == 0 && outer->here / inner->here <= inner->n;
}

void
axes_of_bytes(struct axes *axes, const struct device_view *view)
{
    axes_init(axes, view->rank, view->shape, view->item_size, view->strides, view->strides);
    while (axes->n > 0 && axes->axis[axes->n - 1].here <= (int64_t)axes->run) {
        axes->n--;
        axes->run += (size_t)(axes->axis[axes->n].here * (axes->axis[axes->n].n - 1));
    }
    for (int i = axes->n - 2; i >= 0; i--) {
        struct axis *inner = &axes->axis[i + 1];
        if (continues(&axes->axis[i], inner)) {
            inner->n += axes->axis[i].here / inner->here * (axes->axis[i].n - 1);
            remove_axis(axes, i);
        }
    }
}

bool
axes_hold(const struct axes *axes, const struct axes *others, int64_t distance)
{
    int matched = 0;
    for (int i = 0; i < axes->n; i++) {
        const struct axis *axis = &axes->axis[i];
        bool same = matched < others->n && others->axis[matched].here == axis->here;
        int64_t n = same ? others->axis[matched++].n : 1;
        if (distance < 0 || distance / axis->here + n > axis->n)
            return false;
        distance %= axis->here;
    }
    return matched == others->n && distance >= 0 && distance + (int64_t)others->run <= (int64_t)axes->run;
}

/* What the copy engines take as a row's distance from the next. */
static bool
is_pitch(int64_t stride, size_t run)
{
    return stride >= (int64_t)run && stride <= INT_MAX;
}

static bool
is_slice_pitch(int64_t slice, int64_t row, int64_t n_rows)
{
    return slice % row == 0 && slice / row >= n_rows;
}

int
axes_in_one_copy(const struct axes *axes)
{
    if (axes->n == 0)
        return 0;
    const struct axis *rows = &axes->axis[axes->n - 1];
    if (!is_pitch(rows->here, axes->run) || !is_pitch(rows->there, axes->run))
        return 0;
    if (axes->n == 1)
        return 1;
    const struct axis *slices = rows - 1;
    bool sliced = is_slice_pitch(slices->here, rows->here, rows->n) && is_slice_pitch(slices->there, rows->there, rows->n);
    return sliced ? 2 : 1;
}

bool
axes_are_nested(const struct axes *axes, bool there)
{
    int64_t extent = (int64_t)axes->run;
    for (int i = axes->n - 1; i >= 0; i--) {
        int64_t stride = there ? axes->axis[i].there : axes->axis[i].here;
        if (stride < extent)
            return false;
        extent += stride * (axes->axis[i].n - 1);
    }
    return true;
}

size_t
axes_runs(const struct axes *axes)
{
    size_t runs = 1;
    for (int i = 0; i < axes->n; i++)
        runs *= (size_t)axes->axis[i].n;
    return runs;
}
