#include "strided.h"

#include <string.h>

#include "geometry.h"

/* One row: n pieces of `run` bytes. Sizes of scalars are worth loops of their own, where each piece is one load and one
 * store; memcpy with a constant size compiles to that, at any alignment. */
static void
copy_row(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n, size_t run)
{
#define ROW(size)                                                        \
    case size:                                                           \
        for (int64_t i = 0; i < n; i++)                                  \
            memcpy(to + i * to_stride, from + i * from_stride, size);    \
        return;
    switch (run) {
        ROW(1)
        ROW(2)
        ROW(4)
        ROW(8)
        ROW(16)
    }
#undef ROW
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, run);
}

/* A block of this many elements a side keeps the lines of both arrays in the first-level cache while it is turned. */
enum { TILE = 32 };

/* The two innermost axes, in tiles: one of the arrays is walked across its rows. */
static void
copy_plane(char *to, const char *from, const struct axis *outer, const struct axis *inner, size_t run)
{
    for (int64_t i = 0; i < outer->n; i += TILE)
        for (int64_t k = 0; k < inner->n; k += TILE) {
            int64_t rows = outer->n - i < TILE ? outer->n - i : TILE;
            int64_t columns = inner->n - k < TILE ? inner->n - k : TILE;
            for (int64_t row = i; row < i + rows; row++)
                copy_row(to + row * outer->here + k * inner->here, inner->here,
                         from + row * outer->there + k * inner->there, inner->there, columns, run);
        }
}

static int64_t
magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static void
copy_axes(char *to, const char *from, const struct axis *axis, int n, size_t run)
{
    if (n == 0) {
        memcpy(to, from, run);
    } else if (n == 1) {
        copy_row(to, axis->here, from, axis->there, axis->n, run);
    } else if (n == 2 && run <= 16 && magnitude(axis[0].there) < magnitude(axis[1].there)) {
        copy_plane(to, from, &axis[0], &axis[1], run);
    } else {
        for (int64_t i = 0; i < axis->n; i++)
            copy_axes(to + i * axis->here, from + i * axis->there, axis + 1, n - 1, run);
    }
}

static int
is_empty(int rank, const int64_t *shape)
{
    for (int i = 0; i < rank; i++)
        if (shape[i] == 0)
            return 1;
    return 0;
}

void
strided_copy(int rank, const int64_t *shape, size_t item_size, void *to, const int64_t *to_strides, const void *from,
             const int64_t *from_strides)
{
    if (is_empty(rank, shape))
        return;
    struct axes axes;
    axes_init(&axes, rank, shape, item_size, to_strides, from_strides);
    copy_axes((char *)to + axes.here_offset, (const char *)from + axes.there_offset, axes.axis, axes.n, axes.run);
}
