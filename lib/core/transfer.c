#include "staged.h"

#include <limits.h>

#include "strided.h"

/* One direction of one group's copies. */
struct transfer {
    struct session *session;
    bool up;
    int view; /* that the next copy is made for */
    cuda_stream stream;
    int code; /* of the first call that failed */
};

static void
note_copy(struct transfer *transfer, int code, size_t bytes)
{
    struct session *session = transfer->session;
    struct device_view *view = &staged_view(session, transfer->view)->view;
    transfer->code = code;
    if (code != CUDA_SUCCESS)
        return;
    if (transfer->up) {
        session->totals.bytes_to_device += bytes;
        session->totals.copies_to_device++;
        view->bytes_up += bytes;
    } else {
        session->totals.bytes_to_host += bytes;
        session->totals.copies_to_host++;
        view->bytes_down += bytes;
    }
}

static void
copy_plain(struct transfer *transfer, char *device, char *host, size_t size)
{
    const struct cuda_runtime *runtime = transfer->session->memory->runtime;
    note_copy(transfer,
              transfer->up ? runtime->memcpy_async(device, host, size, CUDA_HOST_TO_DEVICE, transfer->stream)
                           : runtime->memcpy_async(host, device, size, CUDA_DEVICE_TO_HOST, transfer->stream),
              size);
}

static void
copy_2d(struct transfer *transfer, char *device, char *host, const struct axis *rows, size_t run)
{
    const struct cuda_runtime *runtime = transfer->session->memory->runtime;
    size_t n = (size_t)rows->n, here = (size_t)rows->here, there = (size_t)rows->there;
    note_copy(transfer,
              transfer->up ? runtime->memcpy_2d_async(device, here, host, there, run, n, CUDA_HOST_TO_DEVICE, transfer->stream)
                           : runtime->memcpy_2d_async(host, there, device, here, run, n, CUDA_DEVICE_TO_HOST, transfer->stream),
              run * n);
}

static void
copy_3d(struct transfer *transfer, char *device, char *host, const struct axis *slices, const struct axis *rows, size_t run)
{
    struct cuda_pitched on_device = {device, (size_t)rows->here, run, (size_t)(slices->here / rows->here)};
    struct cuda_pitched on_host = {host, (size_t)rows->there, run, (size_t)(slices->there / rows->there)};
    cuda_memcpy_3d copy = {.from = transfer->up ? on_host : on_device,
                                  .to = transfer->up ? on_device : on_host,
                                  .extent = {run, (size_t)rows->n, (size_t)slices->n},
                                  .kind = transfer->up ? CUDA_HOST_TO_DEVICE : CUDA_DEVICE_TO_HOST};
    note_copy(transfer, transfer->session->memory->runtime->memcpy_3d_async(&copy, transfer->stream),
              run * copy.extent[1] * copy.extent[2]);
}

/* What the copy engines take as a row's distance from the next. */
static bool
is_pitch(int64_t stride, size_t run)
{
    return stride >= (int64_t)run && stride <= INT_MAX;
}

static bool
is_slice_pitch(int64_t slice, const struct axis *rows, int64_t row)
{
    return slice % row == 0 && slice / row >= rows->n;
}

/* As few calls as the axes allow; the outermost are loops. */
static void
copy_axes(struct transfer *transfer, char *device, char *host, const struct axis *axis, int n, size_t run)
{
    if (n == 0) {
        copy_plain(transfer, device, host, run);
        return;
    }
    const struct axis *rows = &axis[n - 1];
    if (n <= 2 && is_pitch(rows->here, run) && is_pitch(rows->there, run)) {
        if (n == 1) {
            copy_2d(transfer, device, host, rows, run);
            return;
        }
        if (is_slice_pitch(axis->here, rows, rows->here) && is_slice_pitch(axis->there, rows, rows->there)) {
            copy_3d(transfer, device, host, axis, rows, run);
            return;
        }
    }
    for (int64_t i = 0; i < axis->n && transfer->code == CUDA_SUCCESS; i++)
        copy_axes(transfer, device + i * axis->here, host + i * axis->there, axis + 1, n - 1, run);
}

static void
copy_elements(struct transfer *transfer, const struct staged_view *staged, char *host, const int64_t *host_strides)
{
    const struct device_view *view = &staged->view;
    struct axes axes;
    axes_init(&axes, view->rank, view->shape, view->item_size, view->strides, host_strides);
    copy_axes(transfer, (char *)view->pointer + axes.here_offset, host + axes.there_offset, axes.axis, axes.n, axes.run);
}

/* --- the image: each of its bytes once ---------------------------------------------------------------------------- */

static bool
is_range(enum route route)
{
    return route == ROUTE_WHOLE || route == ROUTE_SPAN;
}

static enum route
route_of(const struct transfer *transfer, const struct staged_view *staged)
{
    return transfer->up ? staged->up : staged->down;
}

/* The first stretch at or behind *start that range copies cover without a gap; false: none. */
static bool
next_stretch(const struct transfer *transfer, const struct group *group, uintptr_t *start, uintptr_t *end)
{
    const struct session_memory *memory = transfer->session->memory;
    uintptr_t from = UINTPTR_MAX;
    for (int i = group->first; i >= 0; i = memory->views[i].next) {
        const struct staged_view *staged = &memory->views[i];
        uintptr_t low = staged->geometry.low > *start ? staged->geometry.low : *start;
        if (is_range(route_of(transfer, staged)) && staged->geometry.high > *start && low < from)
            from = low;
    }
    if (from == UINTPTR_MAX)
        return false;
    uintptr_t to = from;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = group->first; i >= 0; i = memory->views[i].next) {
            const struct staged_view *staged = &memory->views[i];
            if (is_range(route_of(transfer, staged)) && staged->geometry.low <= to && staged->geometry.high > to) {
                to = staged->geometry.high;
                grown = true;
            }
        }
    }
    *start = from;
    *end = to;
    return true;
}

/* The stretches, each as one copy, counted for the first view that travels so. */
static void
copy_stretches(struct transfer *transfer, const struct group *group)
{
    const struct session_memory *memory = transfer->session->memory;
    transfer->view = group->first;
    while (!is_range(route_of(transfer, &memory->views[transfer->view])))
        if ((transfer->view = memory->views[transfer->view].next) < 0)
            return;
    uintptr_t start = group->low, end;
    for (; transfer->code == CUDA_SUCCESS && next_stretch(transfer, group, &start, &end); start = end)
        copy_plain(transfer, (char *)start, group->image + (start - group->low), end - start);
}

static bool
is_covered(const struct transfer *transfer, const struct group *group, const struct staged_view *staged)
{
    uintptr_t start = staged->geometry.low, end;
    return next_stretch(transfer, group, &start, &end) && start == staged->geometry.low && end >= staged->geometry.high;
}

static int
copy_group(struct transfer *transfer, const struct group *group, struct session_error *error)
{
    struct session_memory *memory = transfer->session->memory;
    if (group->many)
        copy_stretches(transfer, group);
    else if (is_range(route_of(transfer, &memory->views[group->first])))
        copy_plain(transfer, (char *)group->low, group->image, group->high - group->low);
    for (int i = group->first; i >= 0 && transfer->code == CUDA_SUCCESS; i = memory->views[i].next) {
        struct staged_view *staged = &memory->views[i];
        transfer->view = i;
        switch (route_of(transfer, staged)) {
        case ROUTE_STRIDED:
            if (!is_covered(transfer, group, staged))
                copy_elements(transfer, staged, group->image + (staged->view.pointer - group->low), staged->view.strides);
            break;
        case ROUTE_DIRECT:
            copy_elements(transfer, staged, staged->view.host, staged->view.host_strides);
            break;
        case ROUTE_COMPACT:
            copy_elements(transfer, staged, staged_raw(memory, staged), staged->raw_strides);
            break;
        case ROUTE_NONE:
        case ROUTE_WHOLE:
        case ROUTE_SPAN:
        case ROUTE_IN_PLACE:
            break;
        }
    }
    if (transfer->code == CUDA_SUCCESS)
        return 0;
    return session_cuda_failed(transfer->session, error, transfer->code, transfer->view,
                               transfer->up ? "copying back" : "copying to the host");
}

static int
transfer_group(struct session *session, struct group *group, bool up, struct session_error *error)
{
    struct lane *lane = &session->memory->lanes[group->lane];
    if (session_set_device(session, group->device, error) != 0)
        return -1;
    lane->working = true;
    struct transfer transfer = {session, up, group->first, lane->stream, CUDA_SUCCESS};
    return copy_group(&transfer, group, error);
}

int
transfer_down(struct session *session, struct group *group, struct session_error *error)
{
    return transfer_group(session, group, false, error);
}

int
transfer_up(struct session *session, struct group *group, struct session_error *error)
{
    return transfer_group(session, group, true, error);
}
