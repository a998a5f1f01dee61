/* geometry.h - where the bytes of a strided view are; no memory is touched here. */
#ifndef CORE_GEOMETRY_H
#define CORE_GEOMETRY_H

#include "view.h"

enum { MAX_RANK = 64 };

struct geometry {
    uintptr_t low, high;   /* the bytes lie in [low, high); equal when empty */
    size_t bytes;          /* elements times item size */
    bool contiguous_c, contiguous_f; /* both where no axis but one is longer than 1, and for empty views */
};

/* 0, or -1 when shape or strides overflow the address space, or an extent is negative. */
int geometry_init(struct geometry *geometry, const struct device_view *view);

/* Strides (bytes) of a packed array of that shape. */
void strides_packed(int rank, const int64_t *shape, size_t item_size, bool fortran, int64_t *strides);

/* One axis of two arrays of the same shape, for copies between them. */
struct axis {
    int64_t n;      /* at least 2 */
    int64_t here;   /* stride in the array that the axes are sorted by; not negative */
    int64_t there;  /* stride in the other one */
};
struct axes {
    int64_t here_offset, there_offset; /* bytes from the first elements to where the walk starts */
    size_t run;                        /* bytes in one piece in both arrays */
    int n;
    struct axis axis[MAX_RANK];        /* falling strides `here`; neighbours merged where both arrays allow it */
};
/* Axes of two arrays with these strides, both over `shape`. An axis with stride 0 in both is none: it repeats its elements. */
void axes_init(struct axes *axes, int rank, const int64_t *shape, size_t item_size, const int64_t *here,
               const int64_t *there);
/* The bytes of one view, whichever elements share them, with the same strides in both arrays: axes whose elements adjoin or
 * overlap those of the axes inside become one with them. */
void axes_of_bytes(struct axes *axes, const struct device_view *view);
/* Does the first set of bytes hold all of the second, which begins `distance` bytes behind it? Both of axes_of_bytes, and
 * nested. */
bool axes_hold(const struct axes *axes, const struct axes *others, int64_t distance);
/* How many of the innermost axes one call of the runtime takes: 0 (a row), 1 (rows) or 2 (slices of rows). */
int axes_in_one_copy(const struct axes *axes);
/* No two elements `here` share a byte, seen from the nesting of the axes alone (false may still be without overlap). */
bool axes_are_nested(const struct axes *axes, bool there);
/* Pieces of `run` bytes. */
size_t axes_runs(const struct axes *axes);

#endif
