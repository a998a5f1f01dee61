#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "session_internal.h"
#include "strided.h"

/* Where the host address of an empty array points: never read or written, but not NULL and aligned for any type. */
static _Alignas(64) char nowhere[64];

/* --- stage -------------------------------------------------------------------------------------------------------- */

static int
measure_views(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int64_t *strides = memory->strides;
    for (int i = 0; i < session->n_views; i++) {
        struct staged_view *staged = &memory->views[i];
        struct device_view *view = &staged->view;
        if (view->rank > MAX_RANK || geometry_init(&staged->geometry, view) != 0) {
            error_set(error, SESSION_BAD_VIEW, "argument '%s' has a shape or strides that no memory can have",
                      view_name(staged));
            error->first = i;
            return -1;
        }
        view->host_strides = strides;
        staged->raw_strides = strides + view->rank;
        strides += 2 * view->rank;
        if (staged->geometry.bytes == 0) {
            view->host = nowhere;
            strides_packed(view->rank, view->shape, view->item_size, view->wish == LAYOUT_F, view->host_strides);
        }
    }
    return 0;
}

/* An error that is there before we have done anything is not ours; it is told once. That something was not ready when it was
 * asked is kept as the last error too, but is none. */
static int
check_stale(const struct cuda_runtime *runtime, struct session_error *error)
{
    int code = runtime->peek_at_last_error();
    if (code == CUDA_SUCCESS || code == CUDA_NOT_READY)
        return 0;
    runtime->get_last_error();
    error_set(error, SESSION_STALE_ERROR, "%s (%s): an error of earlier CUDA calls, found before this call did anything",
              runtime->get_error_name(code), runtime->get_error_string(code));
    error->cuda = code;
    error->cuda_name = runtime->get_error_name(code);
    return -1;
}

/* Into the packed form, from where the elements have arrived. */
static void
pack_views(struct session *session)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < session->n_views && memory->n_packed > 0; i++) {
        struct staged_view *staged = &memory->views[i];
        struct device_view *view = &staged->view;
        if (!staged->packed || staged->down == ROUTE_NONE || staged->down == ROUTE_DIRECT)
            continue;
        const struct group *group = &memory->groups[staged->group];
        bool compact = staged->down == ROUTE_COMPACT;
        strided_copy(view->rank, view->shape, view->item_size, view->host, view->host_strides,
                     compact ? staged_raw(memory, staged) : group->image + (view->pointer - group->low),
                     compact ? staged->raw_strides : view->strides);
    }
}

static bool
group_arrives(const struct session_memory *memory, const struct group *group)
{
    for (int i = group->first; i >= 0; i = memory->views[i].next)
        if (memory->views[i].down != ROUTE_NONE)
            return true;
    return false;
}

/* The steps that may queue something. */
static int
download(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_groups; i++) {
        struct group *group = &memory->groups[i];
        if (!group->on_host && !group_arrives(memory, group))
            continue;
        if (lanes_order(session, group, error) != 0)
            return -1;
        if (!group->on_host && transfer_down(session, group, error) != 0)
            return -1;
    }
    return lanes_wait(session, false, error);
}

static int
stage_on_device(struct session *session, struct session_error *error)
{
    if (session_locate(session, error) != 0)
        return -1;
    session_lay_out(session);
    if (session_take_buffers(session, error) != 0 || lanes_reserve(session, error) != 0)
        return -1;
    session_place(session);
    if (download(session, error) != 0) {
        lanes_settle(session);
        return -1;
    }
    pack_views(session);
    return 0;
}

/* Remembers the caller's device; and says that what we do belongs to no capture. Otherwise, while another thread captures some
 * stream in CUDA's strictest mode, the driver refuses to page-lock memory and to ask for events, and spoils that capture. */
static int
enter_device(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int code = memory->runtime->get_device(&memory->device);
    if (code != CUDA_SUCCESS)
        return session_cuda_failed(session, error, code, -1, "asking for the current device");
    memory->current = memory->device;
    memory->capture_mode = CUDA_CAPTURE_MODE_RELAXED;
    code = memory->runtime->thread_exchange_stream_capture_mode(&memory->capture_mode);
    return code == CUDA_SUCCESS ? 0 : session_cuda_failed(session, error, code, -1, "leaving captures alone");
}

static int
restore_device(struct session *session, struct session_error *error)
{
    return session_set_device(session, session->memory->device, error);
}

static int
restore_capture_mode(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int code = memory->runtime->thread_exchange_stream_capture_mode(&memory->capture_mode);
    return code == CUDA_SUCCESS ? 0 : session_cuda_failed(session, error, code, -1, "leaving captures alone");
}

/* Gives the caller's thread its device and its capture mode back, each whatever happened to the other; the first error is the one
 * that is reported. */
static int
leave_device(struct session *session, int status, struct session_error *error)
{
    int (*const steps[])(struct session *, struct session_error *) = {restore_device, restore_capture_mode};
    struct session_error second;
    for (int i = 0; i < 2; i++)
        for (int attempt = 0; attempt < 2 && steps[i](session, status == 0 ? error : &second) != 0; attempt++)
            status = -1;
    return status;
}

int
session_stage(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    if (memory == NULL)
        return 0;
    if (memory_reserve_strides(session) != 0)
        return error_set(error, SESSION_NO_MEMORY, "out of memory");
    if (measure_views(session, error) != 0 || session_group(session, error) != 0)
        return -1;
    if (memory->n_groups == 0)
        return 0;
    memory->runtime = cuda_runtime(error);
    if (memory->runtime == NULL || check_stale(memory->runtime, error) != 0)
        return -1;
    if (enter_device(session, error) != 0)
        return -1;
    return leave_device(session, stage_on_device(session, error), error);
}

/* --- write back --------------------------------------------------------------------------------------------------- */

/* The packed form goes to where its elements are copied from (compact) or to the caller's own memory (in place). */
static void
unpack_views(struct session *session, enum route route)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < session->n_views && memory->n_packed > 0; i++) {
        struct staged_view *staged = &memory->views[i];
        struct device_view *view = &staged->view;
        if (!staged->packed || staged->up != route)
            continue;
        const struct group *group = &memory->groups[staged->group];
        bool compact = route == ROUTE_COMPACT;
        strided_copy(view->rank, view->shape, view->item_size,
                     compact ? staged_raw(memory, staged) : group->image + (view->pointer - group->low),
                     compact ? staged->raw_strides : view->strides, view->host, view->host_strides);
    }
}

/* Appends one quoted name where it fits; without the C library's formatting, which would be a fifth of a small call. */
static size_t
append_name(char *text, size_t used, size_t size, const char *name)
{
    size_t length = strlen(name);
    if (used + length + 4 > size)
        return used;
    if (used > 0)
        text[used++] = ' ';
    text[used++] = '\'';
    memcpy(text + used, name, length);
    used += length;
    text[used++] = '\'';
    text[used] = '\0';
    return used;
}

/* What a failure that shows later will be called. */
static void
name_flights(const struct session *session)
{
    const struct session_memory *memory = session->memory;
    for (struct flight *flight = memory->flights; flight != NULL; flight = flight->next) {
        size_t used = 0, length = session->kernel != NULL ? strlen(session->kernel) : 0;
        if (length >= sizeof(flight->kernel))
            length = sizeof(flight->kernel) - 1;
        memcpy(flight->kernel, length > 0 ? session->kernel : "", length);
        flight->kernel[length] = '\0';
        for (int i = 0; i < session->n_views; i++) {
            const struct staged_view *staged = &memory->views[i];
            if (staged->up != ROUTE_NONE && staged->view.device == flight->device && staged->view.argument != NULL)
                used = append_name(flight->arguments, used, sizeof(flight->arguments), staged->view.argument);
        }
    }
}

static int
upload(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_groups; i++) {
        struct group *group = &memory->groups[i];
        if (!group->written || group->on_host)
            continue;
        /* What has come to the host came after the work of all its producers already. */
        if (!group_arrives(memory, group) && lanes_order(session, group, error) != 0)
            return -1;
        if (transfer_up(session, group, error) != 0 || lanes_publish(session, group, error) != 0)
            return -1;
    }
    return lanes_wait(session, true, error) != 0 ? -1 : lanes_record(session, error);
}

int
session_write_back(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    if (memory == NULL || memory->runtime == NULL)
        return 0;
    if (cuda_runtime(error) == NULL) /* forked while the kernel ran */
        return -1;
    unpack_views(session, ROUTE_COMPACT);
    name_flights(session);
    if (enter_device(session, error) != 0)
        return -1;
    int status = upload(session, error);
    if (status != 0)
        lanes_settle(session);
    status = leave_device(session, status, error);
    if (status == 0)
        unpack_views(session, ROUTE_IN_PLACE);
    return status;
}

void
session_wait(struct session *session)
{
    struct session_memory *memory = session->memory;
    if (memory == NULL || memory->flights == NULL || cuda_runtime_in_use() == NULL)
        return;
    struct session_error ignored;
    if (enter_device(session, &ignored) != 0)
        return;
    for (struct flight *flight = memory->flights; flight != NULL; flight = flight->next)
        if (flight->events != NULL && session_set_device(session, flight->device, &ignored) == 0) {
            flight_wait(memory->runtime, flight);
            session->totals.waits++;
        }
    leave_device(session, 0, &ignored);
}

/* --- release ------------------------------------------------------------------------------------------------------ */

static void
release_blocks(struct session_memory *memory)
{
    for (struct staging_block *block = memory->blocks, *next; block != NULL; block = next) {
        next = block->next;
        struct flight *flight = memory->flights;
        while (flight != NULL && (flight->device != block->device || (flight->events == NULL && !flight->lost)))
            flight = flight->next;
        if (flight != NULL) {
            block->next = flight->blocks;
            flight->blocks = block;
        } else {
            block_let_go(block);
        }
    }
    memory->blocks = NULL;
}

void
session_release(struct session *session)
{
    struct session_memory *memory = session->memory;
    if (memory == NULL)
        return;
    if (memory->runtime != NULL && cuda_runtime_in_use() != NULL) {
        for (int i = 0; i < memory->n_lanes; i++)
            if (memory->lanes[i].event != NULL)
                event_return(memory->lanes[i].device, memory->lanes[i].event);
        release_blocks(memory);
        for (struct flight *flight = memory->flights, *next; flight != NULL; flight = next) {
            next = flight->next;
            flight->next = NULL;
            if (flight->events != NULL || flight->lost)
                flight_launch(flight);
            else
                flight_cancel(flight);
        }
    }
    memory_return(memory);
    session->memory = NULL;
    session->n_views = 0;
}

/* --- leases ------------------------------------------------------------------------------------------------------- */

struct staging_block *
session_lease(struct session *session, int index)
{
    struct session_memory *memory = session->memory;
    struct staged_view *staged = &memory->views[index];
    if (staged->group < 0 || staged->view.in_place)
        return NULL;
    int buffer = staged->packed ? staged->packed_buffer : memory->groups[staged->group].image_buffer;
    struct staging_block *block = memory->buffers[buffer].block;
    block_hold(block);
    return block;
}
