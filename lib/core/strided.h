/* strided.h - copies between strided arrays in host memory. */
#ifndef CORE_STRIDED_H
#define CORE_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* Copies every element of an array of `shape` from one place to another. Strides in bytes, of any sign; pointers are
 * those of the first elements, neither needs to be aligned. The arrays must not overlap; where elements of `to` share
 * bytes, the last in C order of falling strides wins. Nothing outside the elements is read or written. */
void strided_copy(int rank, const int64_t *shape, size_t item_size, void *to, const int64_t *to_strides, const void *from,
                  const int64_t *from_strides);

#endif
