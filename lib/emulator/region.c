#include "state.h"

#include <string.h>

size_t
region_bytes(const struct region *region)
{
    return region->width * region->height * region->depth;
}

size_t
region_span(const struct region *region)
{
    if (region_bytes(region) == 0)
        return 0;
    return (region->depth - 1) * region->slice + (region->height - 1) * region->row + region->width;
}

static char *
row_at(const struct region *region, size_t slice, size_t row)
{
    return region->base + slice * region->slice + row * region->row;
}

/* Is any byte of [start, end) in the region? */
static bool
interval_overlaps(const struct region *region, const char *start, const char *end)
{
    for (size_t slice = 0; slice < region->depth; slice++) {
        const char *base = region->base + slice * region->slice;
        if (end <= base)
            continue;
        size_t row = 0; /* the first row that ends after start */
        if (start >= base + region->width && region->row > 0)
            row = (size_t)(start - base - region->width) / region->row + 1;
        if (row < region->height && base + row * region->row < end && base + row * region->row + region->width > start)
            return true;
    }
    return false;
}

bool
regions_overlap(const struct region *a, const struct region *b)
{
    const char *end_a = a->base + region_span(a), *end_b = b->base + region_span(b);
    if (region_bytes(a) == 0 || region_bytes(b) == 0 || end_a <= b->base || end_b <= a->base)
        return false;
    for (size_t slice = 0; slice < a->depth; slice++)
        for (size_t row = 0; row < a->height; row++)
            if (interval_overlaps(b, row_at(a, slice, row), row_at(a, slice, row) + a->width))
                return true;
    return false;
}

void
region_copy(const struct region *to, const struct region *from)
{
    for (size_t slice = 0; slice < to->depth; slice++)
        for (size_t row = 0; row < to->height; row++)
            memmove(memory_own(row_at(to, slice, row)), memory_own(row_at(from, slice, row)), to->width);
}

void
region_pack(char *to, const struct region *from)
{
    for (size_t slice = 0; slice < from->depth; slice++)
        for (size_t row = 0; row < from->height; row++, to += from->width)
            memcpy(to, memory_own(row_at(from, slice, row)), from->width);
}

void
region_unpack(const struct region *to, const char *from)
{
    for (size_t slice = 0; slice < to->depth; slice++)
        for (size_t row = 0; row < to->height; row++, from += to->width)
            memcpy(memory_own(row_at(to, slice, row)), from, to->width);
}

void
region_fill(const struct region *region, int value)
{
    for (size_t slice = 0; slice < region->depth; slice++)
        for (size_t row = 0; row < region->height; row++)
            memset(memory_own(row_at(region, slice, row)), value, region->width);
}

bool
region_holds(const struct region *region, int value)
{
    for (size_t slice = 0; slice < region->depth; slice++)
        for (size_t row = 0; row < region->height; row++) {
            const char *at = memory_own(row_at(region, slice, row));
            for (size_t i = 0; i < region->width; i++)
                if (at[i] != (char)value)
                    return false;
        }
    return true;
}

static uint64_t
mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t
region_hash(const struct region *region)
{
    uint64_t hash = region_bytes(region);
    for (size_t slice = 0; slice < region->depth; slice++)
        for (size_t row = 0; row < region->height; row++) {
            const char *at = memory_own(row_at(region, slice, row));
            size_t left = region->width;
            for (uint64_t word; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
                memcpy(&word, at, sizeof(word));
                hash = mix(hash, word);
            }
            uint64_t rest = 0;
            memcpy(&rest, at, left);
            hash = mix(hash, rest);
        }
    return hash;
}
