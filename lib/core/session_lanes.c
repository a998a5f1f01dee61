#include "session_internal.h"

/* Records an event on a lane. A stream that belongs to another device than the array does (the caller's current one,
 * say) takes copies, but no event of this device: then the host waits for it at once. *recorded says which. A CUDA error
 * code. */
static int
record(struct session *session, struct event_link *link, const struct lane *lane, bool *recorded)
{
    const struct cuda_runtime *runtime = session->memory->runtime;
    int code = runtime->event_record(link->event, lane->stream);
    *recorded = code == CUDA_SUCCESS;
    if (code != CUDA_INVALID_RESOURCE_HANDLE)
        return code;
    runtime->get_last_error();
    session->totals.waits++;
    return runtime->stream_synchronize(lane->stream);
}

/* Makes the lane `later` (-1: none) wait for what is queued on the lane `earlier` now. The wait keeps the event's present
 * meaning, so the event can be recorded anew by somebody else at once. */
static int
join(struct session *session, int earlier, int later, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    const struct cuda_runtime *runtime = memory->runtime;
    int device = memory->lanes[earlier].device, code;
    if (session_set_device(session, device, error) != 0)
        return -1;
    struct event_link *link = event_take(runtime, device, &code);
    if (link != NULL) {
        bool recorded;
        code = record(session, link, &memory->lanes[earlier], &recorded);
        if (recorded && later >= 0)
            code = runtime->stream_wait_event(memory->lanes[later].stream, link->event, 0);
        event_return(device, link);
    }
    return code == CUDA_SUCCESS ? 0 : session_cuda_failed(session, error, code, -1, "ordering two streams");
}

/* Nothing will be queued for a view of host memory: the host waits for the producer itself. The legacy default stream comes
 * after the blocking ones with what is queued on it, and need not when it is merely waited for: so an event is. */
static int
expect_producer(struct session *session, const struct staged_view *staged, struct session_error *error)
{
    struct lane *lane = &session->memory->lanes[staged->lane];
    if (staged->view.stream_kind == STREAM_NONE)
        return 0;
    lane->working = true;
    return lane->stream == CUDA_STREAM_LEGACY ? join(session, staged->lane, -1, error) : 0;
}

int
lanes_order(struct session *session, struct group *group, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = group->first; i >= 0; i = memory->views[i].next) {
        struct staged_view *staged = &memory->views[i];
        int code = 0;
        if (group->on_host)
            code = expect_producer(session, staged, error);
        else if (group->mixed && staged->lane != group->lane && staged->view.stream_kind != STREAM_NONE)
            code = join(session, staged->lane, group->lane, error);
        if (code != 0)
            return -1;
    }
    return 0;
}

int
lanes_publish(struct session *session, struct group *group, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = group->first; i >= 0; i = memory->views[i].next) {
        struct staged_view *staged = &memory->views[i];
        if (staged->view.stream_kind != STREAM_HANDLE)
            memory->lanes[group->lane].host_waits = true;
        else if (staged->lane != group->lane && join(session, group->lane, staged->lane, error) != 0)
            return -1;
    }
    return 0;
}

int
lanes_wait(struct session *session, bool uploads, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_lanes; i++) {
        struct lane *lane = &memory->lanes[i];
        if (!lane->working || (uploads && !lane->host_waits))
            continue;
        for (int k = i + 1; k < memory->n_lanes; k++) {
            struct lane *other = &memory->lanes[k];
            if (other->device != lane->device || !other->working || (uploads && !other->host_waits))
                continue;
            if (join(session, k, i, error) != 0)
                return -1;
            other->working = false;
        }
        if (session_set_device(session, lane->device, error) != 0)
            return -1;
        session->totals.waits++;
        int code = memory->runtime->stream_synchronize(lane->stream);
        if (code != CUDA_SUCCESS)
            return session_cuda_failed(session, error, code, -1,
                                       uploads ? "waiting for the write-back" : "waiting for the copies to the host");
        lane->working = false;
    }
    return 0;
}

/* --- uploads that nobody waits for -------------------------------------------------------------------------------- */

static struct flight *
flight_of(struct session_memory *memory, int device)
{
    struct flight *flight = memory->flights;
    while (flight != NULL && flight->device != device)
        flight = flight->next;
    if (flight == NULL && (flight = flight_new(device)) != NULL) {
        flight->next = memory->flights;
        memory->flights = flight;
    }
    return flight;
}

/* Is some view of the lane written back without the host waiting for it? */
static bool
leaves_uploads(const struct session_memory *memory, int lane)
{
    for (int i = 0; i < memory->n_groups; i++) {
        const struct group *group = &memory->groups[i];
        if (!group->written || group->on_host || group->lane != lane)
            continue;
        bool waits = false;
        for (int k = group->first; k >= 0; k = memory->views[k].next)
            waits = waits || memory->views[k].view.stream_kind != STREAM_HANDLE;
        if (!waits)
            return true;
    }
    return false;
}

int
lanes_reserve(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_lanes; i++) {
        struct lane *lane = &memory->lanes[i];
        if (!leaves_uploads(memory, i))
            continue;
        if (session_set_device(session, lane->device, error) != 0)
            return -1;
        int code = CUDA_MEMORY_ALLOCATION;
        if (flight_of(memory, lane->device) != NULL)
            lane->event = event_take(memory->runtime, lane->device, &code);
        if (lane->event == NULL)
            return session_cuda_failed(session, error, code, -1, "making an event");
    }
    return 0;
}

int
lanes_record(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_lanes; i++) {
        struct lane *lane = &memory->lanes[i];
        if (!lane->working)
            continue;
        if (session_set_device(session, lane->device, error) != 0)
            return -1;
        bool recorded;
        int code = record(session, lane->event, lane, &recorded);
        if (code != CUDA_SUCCESS)
            return session_cuda_failed(session, error, code, -1, "recording the end of the write-back");
        lane->working = false;
        if (!recorded)
            continue;
        struct flight *flight = flight_of(memory, lane->device);
        lane->event->next = flight->events;
        flight->events = lane->event;
        lane->event = NULL;
    }
    return 0;
}

void
lanes_settle(struct session *session)
{
    struct session_memory *memory = session->memory;
    struct session_error ignored;
    for (int i = 0; i < memory->n_lanes; i++) {
        struct lane *lane = &memory->lanes[i];
        if (!lane->working)
            continue;
        int code = session_set_device(session, lane->device, &ignored);
        if (code == 0)
            code = memory->runtime->stream_synchronize(lane->stream);
        if (code != 0) {
            memory->runtime->get_last_error();
            struct flight *flight = flight_of(memory, lane->device);
            if (flight != NULL)
                flight->lost = true;
            else
                memory->blocks = NULL; /* never reused rather than overwritten by the device */
        }
        lane->working = false;
    }
}
