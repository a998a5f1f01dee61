#include "entries.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Rows that follow each other without a gap are one row. */
static struct region
make_region(const void *base, size_t width, size_t height, size_t depth, size_t row, size_t slice)
{
    struct region region = {(char *)base, width, height, depth, row, slice};
    if (region.height == 1 || region.row == region.width) {
        region.width *= region.height;
        region.height = 1;
        region.row = region.width;
    }
    if (region.height == 1 && (region.depth == 1 || region.slice == region.width)) {
        region.width *= region.depth;
        region.depth = 1;
        region.slice = region.width;
    }
    return region;
}

/* Both regions cut alike, so that their rows correspond. */
static void
make_regions(struct region *to, struct region *from, const size_t extent[3])
{
    struct region whole_to = make_region(to->base, extent[0], extent[1], extent[2], to->row, to->slice);
    struct region whole_from = make_region(from->base, extent[0], extent[1], extent[2], from->row, from->slice);
    if (whole_to.height == whole_from.height && whole_to.depth == whole_from.depth) {
        *to = whole_to;
        *from = whole_from;
        return;
    }
    to->width = from->width = extent[0];
    to->height = from->height = extent[1];
    to->depth = from->depth = extent[2];
}

/* The type of memory (CUDA_MEMORY_UNREGISTERED: pageable), or -1 with a violation where the region leaves its allocation. */
static int
memory_type(const struct region *region)
{
    const struct allocation *allocation = memory_find(region->base);
    if (allocation == NULL)
        return emulator_address(region->base) == NULL ? CUDA_MEMORY_UNREGISTERED : -1;
    if (region->base + region_span(region) > allocation->address + allocation->size) {
        char text[160];
        report_violation("a copy of %zu bytes from %p on leaves %s", region_span(region), (void *)region->base,
                         memory_text(allocation, text, sizeof(text)));
        return -1;
    }
    return allocation->type;
}

static bool
kind_fits(int kind, int to, int from)
{
    bool to_host = kind == CUDA_HOST_TO_HOST || kind == CUDA_DEVICE_TO_HOST;
    bool from_host = kind == CUDA_HOST_TO_HOST || kind == CUDA_HOST_TO_DEVICE;
    if (kind == CUDA_DEFAULT_KIND)
        return true;
    return (to_host ? to != CUDA_MEMORY_DEVICE : to == CUDA_MEMORY_DEVICE || to == CUDA_MEMORY_MANAGED)
           && (from_host ? from != CUDA_MEMORY_DEVICE : from == CUDA_MEMORY_DEVICE || from == CUDA_MEMORY_MANAGED);
}

static void
count_copy(int to, int from, size_t bytes)
{
    struct emulator_counters *counters = &emulator.counters;
    bool to_host = to == CUDA_MEMORY_UNREGISTERED || to == CUDA_MEMORY_HOST;
    bool from_host = from == CUDA_MEMORY_UNREGISTERED || from == CUDA_MEMORY_HOST;
    if (to_host && !from_host) {
        counters->copies_to_host++;
        counters->bytes_to_host += bytes;
    } else if (!to_host && from_host) {
        counters->copies_to_device++;
        counters->bytes_to_device += bytes;
    } else {
        counters->copies_on_device++;
        counters->bytes_on_device += bytes;
    }
}

static int
queue_copy(struct region to, struct region from, const size_t extent[3], int kind, cuda_stream handle)
{
    struct cuda_stream *stream;
    int error = stream_usable(handle, &stream);
    if (error != CUDA_SUCCESS || extent[0] * extent[1] * extent[2] == 0)
        return error;
    make_regions(&to, &from, extent);
    int to_type = memory_type(&to), from_type = memory_type(&from);
    if (to_type < 0 || from_type < 0 || !kind_fits(kind, to_type, from_type))
        return CUDA_INVALID_VALUE;
    count_copy(to_type, from_type, region_bytes(&to));
    struct operation *operation = operation_new(OPERATION_COPY, stream);
    if (operation == NULL)
        return CUDA_MEMORY_ALLOCATION;
    operation->to = to;
    operation->from = from;
    if (from_type == CUDA_MEMORY_UNREGISTERED) {
        operation->staged = malloc(region_bytes(&from));
        if (operation->staged == NULL) {
            operation_drop(operation);
            return CUDA_MEMORY_ALLOCATION;
        }
        region_pack(operation->staged, &from);
    }
    operation = queue_add(operation, NULL);
    if (operation == NULL)
        return CUDA_MEMORY_ALLOCATION;
    if (to_type == CUDA_MEMORY_UNREGISTERED)
        queue_carry_out(operation, 0);
    return CUDA_SUCCESS;
}

int
emulated_memcpy_async(void *to, const void *from, size_t size, cuda_copy_kind kind, cuda_stream stream)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_memcpy_async);
    log_detail("%p, %p, %zu, kind %d, stream %p", to, from, size, kind, (void *)stream);
    if (error == CUDA_SUCCESS)
        error = queue_copy((struct region){.base = to, .row = size, .slice = size},
                           (struct region){.base = (char *)from, .row = size, .slice = size},
                           (const size_t[3]){size, 1, 1}, kind, stream);
    return call_leave(ENTRY_memcpy_async, error);
}

/* A pitch is at least a row, and at most what the hardware's copy engines take. */
static bool
pitch_is_good(size_t pitch, size_t width)
{
    return pitch >= width && pitch <= INT_MAX;
}

int
emulated_memcpy_2d_async(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cuda_copy_kind kind, cuda_stream stream)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_memcpy_2d_async);
    log_detail("%p, %zu, %p, %zu, %zu x %zu, kind %d, stream %p", to, to_pitch, from, from_pitch, width, height, kind,
               (void *)stream);
    if (error == CUDA_SUCCESS)
        error = !pitch_is_good(to_pitch, width) || !pitch_is_good(from_pitch, width)
                    ? CUDA_INVALID_VALUE
                    : queue_copy((struct region){.base = to, .row = to_pitch, .slice = to_pitch * height},
                                 (struct region){.base = (char *)from, .row = from_pitch, .slice = from_pitch * height},
                                 (const size_t[3]){width, height, 1}, kind, stream);
    return call_leave(ENTRY_memcpy_2d_async, error);
}

static struct region
pitched_region(const struct cuda_pitched *pitched, const size_t position[3])
{
    size_t slice = pitched->pitch * pitched->y_size;
    return (struct region){.base = (char *)pitched->pointer + position[2] * slice + position[1] * pitched->pitch +
                                   position[0],
                           .row = pitched->pitch,
                           .slice = slice};
}

int
emulated_memcpy_3d_async(const cuda_memcpy_3d *copy, cuda_stream stream)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_memcpy_3d_async);
    const size_t *extent = copy->extent;
    log_detail("%p, %p, %zu x %zu x %zu, kind %d, stream %p", copy->to.pointer, copy->from.pointer, extent[0], extent[1],
               extent[2], copy->kind, (void *)stream);
    bool good = copy->from_array == NULL && copy->to_array == NULL && pitch_is_good(copy->to.pitch, extent[0])
                && pitch_is_good(copy->from.pitch, extent[0]) && copy->to.y_size >= extent[1]
                && copy->from.y_size >= extent[1];
    if (error == CUDA_SUCCESS)
        error = good ? queue_copy(pitched_region(&copy->to, copy->to_position),
                                  pitched_region(&copy->from, copy->from_position), extent, copy->kind, stream)
                     : CUDA_INVALID_VALUE;
    return call_leave(ENTRY_memcpy_3d_async, error);
}

int
emulated_memset_async(void *to, int value, size_t size, cuda_stream handle)
{
    if (atomic_load_explicit(&emulator.bare, memory_order_relaxed))
        return CUDA_SUCCESS;
    int error = call_enter(ENTRY_memset_async);
    log_detail("%p, %d, %zu, stream %p", to, value, size, (void *)handle);
    struct cuda_stream *stream;
    if (error == CUDA_SUCCESS && (error = stream_usable(handle, &stream)) == CUDA_SUCCESS && size > 0) {
        struct region region = {to, size, 1, 1, size, size};
        struct operation *operation = NULL;
        if (memory_type(&region) <= CUDA_MEMORY_UNREGISTERED)
            error = CUDA_INVALID_VALUE;
        else if ((operation = operation_new(OPERATION_SET, stream)) == NULL)
            error = CUDA_MEMORY_ALLOCATION;
        if (error == CUDA_SUCCESS) {
            operation->to = region;
            operation->value = value;
            error = queue_add(operation, NULL) != NULL ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
        }
    }
    return call_leave(ENTRY_memset_async, error);
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

int
stream_launch(cuda_stream handle, cuda_host_function function, void *data, const struct emulator_range *ranges,
              int n_ranges)
{
    struct cuda_stream *stream;
    int error = stream_usable(handle, &stream);
    if (error != CUDA_SUCCESS)
        return error;
    struct operation *operation = operation_new(OPERATION_FUNCTION, stream);
    if (operation == NULL)
        return CUDA_MEMORY_ALLOCATION;
    operation->function = function;
    operation->data = data;
    if (n_ranges > 0) {
        operation->ranges = malloc(sizeof(*ranges) * n_ranges);
        if (operation->ranges == NULL) {
            operation_drop(operation);
            return CUDA_MEMORY_ALLOCATION;
        }
        memcpy(operation->ranges, ranges, sizeof(*ranges) * n_ranges);
        operation->n_ranges = n_ranges;
    }
    return queue_add(operation, NULL) != NULL ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

int
emulator_launch(cuda_stream stream, cuda_host_function function, void *data, const struct emulator_range *ranges,
                int n_ranges)
{
    int error = call_enter(ENTRY_launch_host_func);
    if (error == CUDA_SUCCESS)
        error = stream_launch(stream, function, data, ranges, n_ranges);
    return call_leave(ENTRY_launch_host_func, error);
}
