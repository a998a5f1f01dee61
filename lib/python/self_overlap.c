/* self_overlap.c - see prepare.h.
 *
 * Ordinary strided arrays are nested: in the order of their strides, each dimension steps over all that the smaller ones span. Of
 * one that is not (stride tricks), the places of all elements are sorted and compared.
 */
#include <stdlib.h>

#include "prepare.h"

struct dimension {
    int64_t extent, stride; /* stride: its absolute value */
};

static int
compare_strides(const void *left, const void *right)
{
    int64_t a = ((const struct dimension *)left)->stride, b = ((const struct dimension *)right)->stride;
    return (a > b) - (a < b);
}

static int
compare_places(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Places of all elements, in bytes from the lowest. */
static void
list_places(const struct dimension *dimensions, int n, int64_t *places)
{
    int64_t count = 1;
    places[0] = 0;
    for (int i = 0; i < n; i++) {
        for (int64_t k = 1; k < dimensions[i].extent; k++)
            for (int64_t j = 0; j < count; j++)
                places[k * count + j] = places[j] + k * dimensions[i].stride;
        count *= dimensions[i].extent;
    }
}

int
overlaps_itself(const struct array_info *info)
{
    struct dimension dimensions[PKW_MAX_RANK];
    int n = 0;
    int64_t item = PyDataType_ELSIZE(info->descr), count = 1, span = item;
    for (int i = 0; i < info->rank; i++) {
        if (info->shape[i] == 1)
            continue;
        if (info->strides[i] == 0)
            return 1;
        dimensions[n++] = (struct dimension){info->shape[i], llabs(info->strides[i])};
        count *= info->shape[i];
    }
    qsort(dimensions, (size_t)n, sizeof *dimensions, compare_strides);
    bool nested = true;
    for (int i = 0; i < n && nested; i++) {
        nested = dimensions[i].stride >= span;
        span += (dimensions[i].extent - 1) * dimensions[i].stride;
    }
    if (nested)
        return 0;
    int64_t *places = PyMem_Malloc((size_t)count * sizeof *places);
    if (places == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    list_places(dimensions, n, places);
    qsort(places, (size_t)count, sizeof *places, compare_places);
    int overlaps = 0;
    for (int64_t i = 1; i < count && !overlaps; i++)
        overlaps = places[i] - places[i - 1] < item;
    PyMem_Free(places);
    return overlaps;
}
