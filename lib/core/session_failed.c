#include "session_internal.h"

int
session_cuda_failed(struct session *session, struct session_error *error, int code, int view, const char *doing)
{
    const struct cuda_runtime *runtime = session->memory->runtime;
    runtime->get_last_error(); /* reported here, so not again by whoever comes next */
    const char *name = runtime->get_error_name(code), *text = runtime->get_error_string(code);
    const char *argument = view >= 0 ? staged_view(session, view)->view.argument : NULL;
    enum session_error_kind kind = SESSION_CUDA;
    const char *blame = "";
    if (is_of_earlier_work(code) && flights_suspected(runtime, session->memory->current, code, error))
        return -1;
    if (code == CUDA_STREAM_CAPTURE_UNSUPPORTED || code == CUDA_STREAM_CAPTURE_IMPLICIT) {
        kind = SESSION_CAPTURE;
    } else if (is_of_earlier_work(code)) {
        kind = SESSION_STALE_ERROR;
        blame = ", an error of work that was queued on the device before this call";
    }
    error_set(error, kind, "%s (%s) while %s%s%s%s%s", name, text, doing, argument != NULL ? " argument '" : "",
              argument != NULL ? argument : "", argument != NULL ? "'" : "", blame);
    error->cuda = code;
    error->cuda_name = name;
    error->first = view;
    return -1;
}

int
session_change_device(struct session *session, int device, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    int code = memory->runtime->set_device(device);
    if (code != CUDA_SUCCESS)
        return session_cuda_failed(session, error, code, -1, "selecting the device of an array");
    memory->current = device;
    return 0;
}
