/* cuda.h - the CUDA Runtime as a table of entry points, found at run time; or the emulator in its place.
 *
 * One row an entry point; types are our own (a test compiles them against the toolkit's headers where there are some).
 * PKWRAP_DEVICE=emulator, or cuda_select_emulator() before first use, puts the emulator's table here.
 */
#ifndef CORE_CUDA_H
#define CORE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef void (*cuda_host_function)(void *data);
typedef int cuda_copy_kind;      /* cudaMemcpyKind */
typedef int cuda_capture_status; /* cudaStreamCaptureStatus */
typedef int cuda_capture_mode;   /* cudaStreamCaptureMode */

enum { /* of cudaError_t */
    CUDA_SUCCESS = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_MEMORY_ALLOCATION = 2,
    CUDA_INITIALIZATION_ERROR = 3,
    CUDA_INSUFFICIENT_DRIVER = 35,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_RESOURCE_HANDLE = 400,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_FAILURE = 719,
    CUDA_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_STREAM_CAPTURE_IMPLICIT = 906
};
enum { CUDA_HOST_TO_HOST, CUDA_HOST_TO_DEVICE, CUDA_DEVICE_TO_HOST, CUDA_DEVICE_TO_DEVICE, CUDA_DEFAULT_KIND };
enum { CUDA_MEMORY_UNREGISTERED, CUDA_MEMORY_HOST, CUDA_MEMORY_DEVICE, CUDA_MEMORY_MANAGED };
enum { CUDA_STREAM_NON_BLOCKING = 1 };
enum { CUDA_EVENT_DISABLE_TIMING = 2 };
enum { CUDA_HOST_ALLOC_PORTABLE = 1 };
enum { CUDA_MANAGED_GLOBAL = 1 };
enum { CUDA_CAPTURE_NONE, CUDA_CAPTURE_ACTIVE, CUDA_CAPTURE_INVALIDATED };
enum { CUDA_CAPTURE_MODE_GLOBAL, CUDA_CAPTURE_MODE_THREAD_LOCAL, CUDA_CAPTURE_MODE_RELAXED };
#define CUDA_STREAM_LEGACY ((cuda_stream)1)
#define CUDA_STREAM_PER_THREAD ((cuda_stream)2)

/* Leading fields of cudaPointerAttributes, the same in CUDA 11 to 13; the whole is 24 to 88 bytes: pass a
 * cuda_pointer_buffer whose attributes are set, since some failures leave it as it was. */
struct cuda_pointer_attributes {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
};
typedef union cuda_pointer_buffer {
    struct cuda_pointer_attributes attributes;
    char room[256];
} cuda_pointer_buffer;

/* cudaMemcpy3DParms: positions in bytes (x) and rows, extent in bytes, rows and slices. */
struct cuda_pitched {
    void *pointer;
    size_t pitch, x_size, y_size;
};
typedef struct {
    void *from_array;
    size_t from_position[3];
    struct cuda_pitched from;
    void *to_array;
    size_t to_position[3];
    struct cuda_pitched to;
    size_t extent[3];
    cuda_copy_kind kind;
} cuda_memcpy_3d;

/* X(field, symbol, parameters) */
#define CUDA_ENTRY_POINTS(X)                                                                                        \
    X(get_device, cudaGetDevice, (int *device))                                                                     \
    X(set_device, cudaSetDevice, (int device))                                                                      \
    X(get_device_count, cudaGetDeviceCount, (int *count))                                                           \
    X(pointer_get_attributes, cudaPointerGetAttributes, (cuda_pointer_buffer *attributes, const void *pointer))     \
    X(malloc, cudaMalloc, (void **pointer, size_t size))                                                            \
    X(free, cudaFree, (void *pointer))                                                                              \
    X(host_alloc, cudaHostAlloc, (void **pointer, size_t size, unsigned flags))                                     \
    X(free_host, cudaFreeHost, (void *pointer))                                                                     \
    X(malloc_managed, cudaMallocManaged, (void **pointer, size_t size, unsigned flags))                             \
    X(memcpy_async, cudaMemcpyAsync, (void *to, const void *from, size_t size, cuda_copy_kind kind,                \
                                     cuda_stream stream))                                                           \
    X(memcpy_2d_async, cudaMemcpy2DAsync, (void *to, size_t to_pitch, const void *from, size_t from_pitch,          \
                                           size_t width, size_t height, cuda_copy_kind kind, cuda_stream stream))   \
    X(memcpy_3d_async, cudaMemcpy3DAsync, (const cuda_memcpy_3d *parameters, cuda_stream stream))                   \
    X(memset_async, cudaMemsetAsync, (void *to, int value, size_t size, cuda_stream stream))                        \
    X(stream_create_with_flags, cudaStreamCreateWithFlags, (cuda_stream *stream, unsigned flags))                   \
    X(stream_destroy, cudaStreamDestroy, (cuda_stream stream))                                                      \
    X(stream_synchronize, cudaStreamSynchronize, (cuda_stream stream))                                              \
    X(stream_query, cudaStreamQuery, (cuda_stream stream))                                                          \
    X(stream_wait_event, cudaStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))               \
    X(stream_is_capturing, cudaStreamIsCapturing, (cuda_stream stream, cuda_capture_status *status))                \
    X(thread_exchange_stream_capture_mode, cudaThreadExchangeStreamCaptureMode, (cuda_capture_mode *mode))          \
    X(event_create_with_flags, cudaEventCreateWithFlags, (cuda_event *event, unsigned flags))                       \
    X(event_destroy, cudaEventDestroy, (cuda_event event))                                                          \
    X(event_record, cudaEventRecord, (cuda_event event, cuda_stream stream))                                        \
    X(event_query, cudaEventQuery, (cuda_event event))                                                              \
    X(event_synchronize, cudaEventSynchronize, (cuda_event event))                                                  \
    X(launch_host_func, cudaLaunchHostFunc, (cuda_stream stream, cuda_host_function function, void *data))          \
    X(device_synchronize, cudaDeviceSynchronize, (void))                                                            \
    X(get_last_error, cudaGetLastError, (void))                                                                     \
    X(peek_at_last_error, cudaPeekAtLastError, (void))                                                              \
    X(runtime_get_version, cudaRuntimeGetVersion, (int *version))

/* Those that return text: X(field, symbol) */
#define CUDA_TEXT_ENTRY_POINTS(X)          \
    X(get_error_name, cudaGetErrorName)    \
    X(get_error_string, cudaGetErrorString)

struct cuda_runtime {
#define X(field, symbol, parameters) int(*field) parameters;
    CUDA_ENTRY_POINTS(X)
#undef X
#define X(field, symbol) const char *(*field)(int error);
    CUDA_TEXT_ENTRY_POINTS(X)
#undef X
    const char *origin; /* path of the library, or "emulator" */
    int is_emulator;
};

/* The runtime in use, found on the first call; NULL with *error filled (SESSION_NO_RUNTIME naming every place tried, or
 * SESSION_FORKED in a child of a process that used a device). Thread-safe, needs no GIL. */
const struct cuda_runtime *cuda_runtime(struct session_error *error);
/* Chooses the emulator for this process. 0, or -1 when another runtime is in use already. */
int cuda_select_emulator(void);
/* The runtime if one is in use already, else NULL: asks nothing, loads nothing. NULL in a forked child. */
const struct cuda_runtime *cuda_runtime_in_use(void);

/* Folders, separated by ':', that may hold "nvidia/PACKAGE/lib" with a CUDA Runtime: the Python environment's
 * site-packages. The text is copied. To be called before the first device use; later calls have no effect. */
void cuda_set_python_folders(const char *folders);

/* For tests and measurements: puts a table of the caller's in the place of the one in use, which it returns. */
const struct cuda_runtime *cuda_replace(const struct cuda_runtime *runtime);

/* Defined by lib/emulator: its table, made ready for use. NULL with *error filled. Called once. */
const struct cuda_runtime *emulator_runtime(struct session_error *error);

#endif
