#include "session_internal.h"

/* The lane of a stream, found or opened. */
static int
lane_of(struct session_memory *memory, int device, cuda_stream stream)
{
    for (int i = 0; i < memory->n_lanes; i++)
        if (memory->lanes[i].stream == stream && memory->lanes[i].device == device)
            return i;
    memory->lanes[memory->n_lanes] = (struct lane){.device = device, .stream = stream};
    return memory->n_lanes++;
}

/* Where no stream can be named, the legacy default stream does: by CUDA's own rule it comes after the work of all blocking
 * streams, the per-thread ones included. Where no synchronisation is wanted, a stream that knows of no other. */
static int
find_lane(struct session *session, int index, int device, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    struct staged_view *staged = &memory->views[index];
    cuda_stream stream = CUDA_STREAM_LEGACY;
    if (staged->view.stream_kind == STREAM_HANDLE) {
        if (staged->view.stream != 0)
            stream = (cuda_stream)staged->view.stream;
    } else if (staged->view.stream_kind == STREAM_NONE) {
        int code = session_set_device(session, device, error) == 0 ? own_stream(memory->runtime, device, &stream) : -1;
        if (code != CUDA_SUCCESS)
            return code < 0 ? -1 : session_cuda_failed(session, error, code, index, "making a stream for");
    }
    staged->lane = lane_of(memory, device, stream);
    return 0;
}

static int
locate_group(struct session *session, struct group *group, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    cuda_pointer_buffer buffer; /* what a call that fails leaves in it is not looked at */
    buffer.attributes = (struct cuda_pointer_attributes){.type = CUDA_MEMORY_UNREGISTERED};
    int code = memory->runtime->pointer_get_attributes(&buffer, (const void *)group->low);
    if (code != CUDA_SUCCESS && code != CUDA_INVALID_VALUE)
        return session_cuda_failed(session, error, code, group->first, "looking up the memory of");
    if (code != CUDA_SUCCESS || buffer.attributes.type == CUDA_MEMORY_UNREGISTERED) {
        if (code != CUDA_SUCCESS)
            memory->runtime->get_last_error();
        error_set(error, SESSION_BAD_POINTER, "argument '%s' is at address %p, which is not memory of the CUDA Runtime in "
                                              "use (%s)",
                  view_name(&memory->views[group->first]), (void *)group->low, memory->runtime->origin);
        error->first = group->first;
        return -1;
    }
    const struct cuda_pointer_attributes *found = &buffer.attributes;
    if (found->device < 0 || found->device >= MAX_DEVICES_HERE) {
        error_set(error, SESSION_BAD_POINTER, "argument '%s' is on device %d: only devices 0 to %d are supported",
                  view_name(&memory->views[group->first]), found->device, MAX_DEVICES_HERE - 1);
        error->first = group->first;
        return -1;
    }
    group->device = found->device;
    group->on_host = found->type == CUDA_MEMORY_HOST || found->type == CUDA_MEMORY_MANAGED;
    if (group->on_host)
        group->image = found->host_pointer != NULL ? found->host_pointer : (void *)group->low;
    for (int i = group->first; i >= 0; i = memory->views[i].next) {
        struct staged_view *staged = &memory->views[i];
        staged->view.device = group->device;
        if (find_lane(session, i, group->device, error) != 0)
            return -1;
        group->mixed = group->mixed || staged->lane != memory->views[group->first].lane;
        if (group->lane < 0 || (staged->view.written && !memory->views[group->first].view.written))
            group->lane = staged->lane;
    }
    return 0;
}

/* A stream that is being captured takes no copies. The legacy stream cannot be asked while a blocking one is captured:
 * the error that says so is the answer. */
static int
check_capture(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    for (int i = 0; i < memory->n_lanes; i++) {
        int status = CUDA_CAPTURE_NONE;
        if (session_set_device(session, memory->lanes[i].device, error) != 0)
            return -1;
        int code = memory->runtime->stream_is_capturing(memory->lanes[i].stream, &status);
        if (code == CUDA_SUCCESS && status == CUDA_CAPTURE_NONE)
            continue;
        if (code != CUDA_SUCCESS && code != CUDA_STREAM_CAPTURE_IMPLICIT && code != CUDA_STREAM_CAPTURE_UNSUPPORTED)
            return session_cuda_failed(session, error, code, -1, "asking whether a stream is being captured");
        if (code != CUDA_SUCCESS)
            memory->runtime->get_last_error();
        return error_set(error, SESSION_CAPTURE, "a stream of its arrays is being captured into a graph, and the call "
                                                 "copies between device and host: make it outside of the capture");
    }
    return 0;
}

int
session_locate(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    memory->n_lanes = 0;
    for (int i = 0; i < memory->n_groups; i++)
        if (locate_group(session, &memory->groups[i], error) != 0)
            return -1;
    return check_capture(session, error);
}
