#include "session_internal.h"

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

/* As few calls as the axes allow, `in_one` of the innermost in each; the outer ones are loops. */
static void
copy_axes(struct transfer *transfer, char *device, char *host, const struct axis *axis, int n, int in_one, size_t run)
{
    if (n > in_one)
        for (int64_t i = 0; i < axis->n && transfer->code == CUDA_SUCCESS; i++)
            copy_axes(transfer, device + i * axis->here, host + i * axis->there, axis + 1, n - 1, in_one, run);
    else if (n == 0)
        copy_plain(transfer, device, host, run);
    else if (n == 1)
        copy_2d(transfer, device, host, axis, run);
    else
        copy_3d(transfer, device, host, &axis[0], &axis[1], run);
}

static void
copy_elements(struct transfer *transfer, const struct staged_view *staged, const struct axes *axes, char *host)
{
    copy_axes(transfer, (char *)staged->view.pointer + axes->here_offset, host + axes->there_offset, axes->axis, axes->n,
              axes_in_one_copy(axes), axes->run);
}

static void
copy_to_strides(struct transfer *transfer, const struct staged_view *staged, char *host, const int64_t *host_strides)
{
    const struct device_view *view = &staged->view;
    struct axes axes;
    axes_init(&axes, view->rank, view->shape, view->item_size, view->strides, host_strides);
    copy_elements(transfer, staged, &axes, host);
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

/* Does another view that travels in the same way hold all bytes of this one? Of two that hold each other, the first does. */
static bool
is_held(const struct transfer *transfer, const struct group *group, const struct staged_view *staged, const struct axes *axes)
{
    struct session_memory *memory = transfer->session->memory;
    bool before = true;
    for (int i = group->first; i >= 0; i = memory->views[i].next) {
        const struct staged_view *other = &memory->views[i];
        struct axes others;
        if (other == staged)
            before = false;
        if (other == staged || route_of(transfer, other) != ROUTE_STRIDED)
            continue;
        axes_of_bytes(&others, &other->view);
        int64_t distance = (int64_t)(staged->geometry.low - other->geometry.low);
        if (axes_are_nested(axes, false) && axes_are_nested(&others, false) && axes_hold(&others, axes, distance)
            && (before || !axes_hold(axes, &others, -distance)))
            return true;
    }
    return false;
}

static bool
is_covered(const struct transfer *transfer, const struct group *group, const struct staged_view *staged)
{
    uintptr_t start = staged->geometry.low, end;
    return next_stretch(transfer, group, &start, &end) && start == staged->geometry.low && end >= staged->geometry.high;
}

/* To or from the same bytes of the image, those that nothing else brings. */
static void
copy_strided(struct transfer *transfer, const struct group *group, const struct staged_view *staged)
{
    struct axes axes;
    axes_of_bytes(&axes, &staged->view);
    if (!group->many || (!is_covered(transfer, group, staged) && !is_held(transfer, group, staged, &axes)))
        copy_elements(transfer, staged, &axes, group->image + (staged->view.pointer - group->low));
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
            copy_strided(transfer, group, staged);
            break;
        case ROUTE_DIRECT:
            copy_to_strides(transfer, staged, staged->view.host, staged->view.host_strides);
            break;
        case ROUTE_COMPACT:
            copy_to_strides(transfer, staged, staged_raw(memory, staged), staged->raw_strides);
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
