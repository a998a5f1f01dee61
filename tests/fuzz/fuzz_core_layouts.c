/* Any bytes are a call with views of device memory: see random_views.h. */
#include "../unit/random_views.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *memory;
    static cuda_stream streams[3] = {NULL, NULL, CUDA_STREAM_LEGACY};
    if (memory == NULL) {
        struct session_error error;
        cuda_select_emulator();
        const struct cuda_runtime *cuda = cuda_runtime(&error);
        if (cuda == NULL || cuda->malloc((void **)&memory, MEMORY) != CUDA_SUCCESS
            || cuda->stream_create_with_flags(&streams[0], CUDA_STREAM_NON_BLOCKING) != CUDA_SUCCESS
            || cuda->stream_create_with_flags(&streams[1], CUDA_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
            abort();
    }
    choose_from(data, size, size);
    one_round(memory, streams);
    return 0;
}
