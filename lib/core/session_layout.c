#include "session_internal.h"

#include <stdlib.h>
#include <string.h>

/* What a strided copy costs, in bytes that a plain one moves in the same time. Estimates for a bus of 25 GB/s: a row of a 2-D
 * copy is a transfer of its own, some 5 ns beside its bytes; a call costs the host some 2.5 us; a host gathers scattered
 * elements at about 6 GB/s. `make bench-gpu` prints what a machine measures, in the form of this list; what the costs decide
 * between is never wrong, only slower. */
#ifndef PKWRAP_COPY_COSTS
#define PKWRAP_COPY_COSTS ROW_COST = 128, CALL_COST = 64 * 1024, PACK_COST = 4
#endif
enum { PKWRAP_COPY_COSTS };
enum { BUFFER_ALIGNMENT = 64 };

static int
new_buffer(struct session_memory *memory, int device, size_t size)
{
    memory->buffers[memory->n_buffers] = (struct buffer){.size = size, .device = device};
    return memory->n_buffers++;
}

/* Can 2-D and 3-D copies put the elements where these axes say? Both sides must be walked in the same order, and each
 * element comes from its own place. */
static bool
copies_can_reach(const struct axes *axes)
{
    if (!axes_are_nested(axes, true))
        return false;
    for (int i = 0; i < axes->n; i++)
        if (axes->axis[i].here <= 0 || axes->axis[i].there <= 0)
            return false;
    return true;
}

static double
strided_cost(const struct axes *axes)
{
    double rows = (double)axes_runs(axes), calls = 1;
    for (int i = 0; i < axes->n - axes_in_one_copy(axes); i++)
        calls *= (double)axes->axis[i].n;
    return rows * ((double)axes->run + ROW_COST) + calls * CALL_COST;
}

/* Strides of the raw buffer: packed in the order in which the elements lie on the device, a broadcast one once. Returns its
 * size. */
static size_t
strides_like(const struct device_view *view, int64_t *strides)
{
    bool done[MAX_RANK] = {false};
    int64_t stride = (int64_t)view->item_size;
    for (int count = 0; count < view->rank; count++) {
        int innermost = -1;
        for (int i = view->rank - 1; i >= 0; i--)
            if (!done[i] && (innermost < 0 || llabs(view->strides[i]) < llabs(view->strides[innermost])))
                innermost = i;
        done[innermost] = true;
        int64_t direction = (view->strides[innermost] > 0) - (view->strides[innermost] < 0);
        strides[innermost] = direction * stride;
        stride *= direction != 0 ? view->shape[innermost] : 1;
    }
    return (size_t)stride;
}

/* Strides of the packed form, in a buffer of its own. */
static void
pack(struct session_memory *memory, struct staged_view *staged)
{
    struct device_view *view = &staged->view;
    staged->packed = true;
    memory->n_packed++;
    staged->packed_buffer = new_buffer(memory, staged->view.device, staged->geometry.bytes);
    strides_packed(view->rank, view->shape, view->item_size, view->wish == LAYOUT_F, view->host_strides);
}

static void
add_image(struct session_memory *memory, struct group *group)
{
    group->has_image = true;
    if (!group->on_host)
        group->image_buffer =
            new_buffer(memory, group->device, group->high - group->low + (group->many ? BUFFER_ALIGNMENT : 0));
}

/* All bytes from the first to the last element, as one copy. */
static double
span_cost(const struct staged_view *staged)
{
    return (double)(staged->geometry.high - staged->geometry.low) + CALL_COST;
}

/* Into, and from, the image. */
static void
choose_routes(struct staged_view *staged, bool on_host)
{
    const struct device_view *view = &staged->view;
    enum route down = ROUTE_WHOLE, up = ROUTE_WHOLE;
    if (on_host) {
        down = up = ROUTE_IN_PLACE;
    } else if (!is_contiguous(staged)) {
        struct axes axes;
        axes_of_bytes(&axes, view);
        down = span_cost(staged) <= strided_cost(&axes) ? ROUTE_SPAN : ROUTE_STRIDED;
        up = ROUTE_STRIDED;
    }
    staged->down = view->download ? down : ROUTE_NONE;
    staged->up = view->written ? up : ROUTE_NONE;
}

/* A view alone in its group, of device memory, that the kernel takes packed and that is not so. */
static void
lay_out_strided(struct session_memory *memory, struct group *group, struct staged_view *staged)
{
    const struct device_view *view = &staged->view;
    pack(memory, staged);
    size_t raw_size = 0;
    struct axes axes;
    axes_init(&axes, view->rank, view->shape, view->item_size, view->strides, view->host_strides);
    if (!copies_can_reach(&axes)) {
        raw_size = strides_like(view, staged->raw_strides);
        axes_init(&axes, view->rank, view->shape, view->item_size, view->strides, staged->raw_strides);
        if (!copies_can_reach(&axes)) { /* elements that share bytes; only read, or it would be tied */
            add_image(memory, group);
            choose_routes(staged, false);
            return;
        }
    }
    enum route route = raw_size > 0 ? ROUTE_COMPACT : ROUTE_DIRECT;
    if (view->download) {
        double packing = route == ROUTE_DIRECT ? PACK_COST * (double)staged->geometry.bytes : 0;
        staged->down = span_cost(staged) + packing < strided_cost(&axes) ? ROUTE_SPAN : route;
    }
    staged->up = view->written ? route : ROUTE_NONE;
    if (staged->down == ROUTE_SPAN)
        add_image(memory, group);
    if (staged->down == ROUTE_COMPACT || staged->up == ROUTE_COMPACT)
        staged->raw_buffer = new_buffer(memory, staged->view.device, raw_size);
}

void
session_lay_out(struct session *session)
{
    struct session_memory *memory = session->memory;
    memory->n_buffers = memory->n_packed = 0;
    for (int i = 0; i < memory->n_groups; i++) {
        struct group *group = &memory->groups[i];
        struct staged_view *first = &memory->views[group->first];
        if (!group->many && !group->on_host && !first->tied && !is_as_wished(first)) {
            lay_out_strided(memory, group, first);
            continue;
        }
        add_image(memory, group);
        for (int k = group->first; k >= 0; k = memory->views[k].next) {
            struct staged_view *staged = &memory->views[k];
            choose_routes(staged, group->on_host);
            if (!staged->tied && !is_as_wished(staged))
                pack(memory, staged);
        }
    }
}

/* --- after the buffers have their memory -------------------------------------------------------------------------- */

static char *
buffer_at(const struct session_memory *memory, int buffer)
{
    return memory->buffers[buffer].block->memory + memory->buffers[buffer].offset;
}

/* Where several views share an image, each must be as aligned in it as on the device. */
static void
place_image(struct session_memory *memory, struct group *group)
{
    if (group->image_buffer >= 0)
        group->image = buffer_at(memory, group->image_buffer) + (group->many ? group->low % BUFFER_ALIGNMENT : 0);
}

static void
place_view(struct session_memory *memory, const struct group *group, struct staged_view *staged)
{
    struct device_view *view = &staged->view;
    if (staged->packed) {
        view->host = buffer_at(memory, staged->packed_buffer);
        return;
    }
    view->host = group->image + (view->pointer - group->low);
    view->in_place = group->on_host;
    if (is_contiguous(staged)) { /* length-1 axes get the strides that belong to the order */
        bool fortran = view->wish == LAYOUT_F || (view->wish == LAYOUT_NATURAL && !staged->geometry.contiguous_c);
        strides_packed(view->rank, view->shape, view->item_size, fortran, view->host_strides);
    } else {
        memcpy(view->host_strides, view->strides, sizeof(*view->strides) * view->rank);
    }
}

void
session_place(struct session *session)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_groups; i++) {
        struct group *group = &memory->groups[i];
        place_image(memory, group);
        for (int k = group->first; k >= 0; k = memory->views[k].next)
            place_view(memory, group, &memory->views[k]);
    }
}

char *
staged_raw(const struct session_memory *memory, const struct staged_view *staged)
{
    const struct device_view *view = &staged->view;
    char *raw = buffer_at(memory, staged->raw_buffer);
    for (int i = 0; i < view->rank; i++)
        if (staged->raw_strides[i] < 0)
            raw -= staged->raw_strides[i] * (view->shape[i] - 1);
    return raw;
}
