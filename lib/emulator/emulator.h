/* emulator.h - a strict stand-in for the CUDA Runtime, on the host: what goes beyond the runtime's own entry points.
 *
 * The entry points themselves (memory, streams, copies, events) are those of struct cuda_runtime, from cuda_runtime()
 * once the emulator is selected. Everything here may be called from any thread and needs no GIL; what can wait
 * for a queued host function must not be called with the GIL held: emulator_release, and the entry points that wait.
 *
 * The rules that it keeps (as CUDA's, but always as late as they allow):
 * - Device memory cannot be touched by the host: a load or store there is a SIGSEGV, after one line on stderr that says
 *   which allocation it hit.
 * - A copy or memset that is queued on a stream is carried out when something waits for it, at a second query in a row that
 *   finds it unfinished, or when the queue is full. Until then its destination holds EMULATOR_POISON. Copies from and to
 *   pageable host memory take or deliver their bytes before they return.
 * - New memory holds EMULATOR_FRESH.
 * - What is not ordered on the device or by waiting, and conflicts, is a violation: two queued operations of different
 *   streams on the same bytes, one of them writing; a source that the host changes while it is queued; memory that
 *   is freed while a queued operation needs it; a copy that leaves its allocation; bytes written between allocations.
 *   The gaps of a strided array count as read where it is copied with them, which pkwrap does when that is faster.
 *   Each is counted and printed on stderr.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cuda.h"

enum { EMULATOR_POISON = 0xCB, EMULATOR_FRESH = 0xAB };

/* --- set-up: before the first device use -------------------------------------------------------------------------- */

/* Number of devices, 1 to 16; the default is PKWRAP_EMULATOR_DEVICES or 2. 0, or -1 when it is in use already. */
int emulator_set_device_count(int count);
/* Bytes that each device has; the default is 16 GiB of reserved addresses. May be changed at any time, for tests of
 * allocation failure: what is allocated stays. */
void emulator_set_memory(size_t bytes);
size_t emulator_memory(void);

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Names an allocation (of cudaMalloc, cudaMallocManaged or cudaHostAlloc) for messages; the first 31 bytes are kept. */
void emulator_set_name(const void *pointer, const char *name);
/* Frees an allocation the way a stream-ordered pool does: queued operations that need it are carried out first, and
 * that is no violation. What array objects use when they are dropped, whatever their streams have queued. NULL is nothing. */
void emulator_release(void *pointer);
/* The emulator's own address of device memory, for queued functions that act as kernels; NULL when it is not the
 * emulator's. For managed and pinned memory the address itself. */
void *emulator_address(const void *pointer);
/* Bytes allocated now on a device (device >= 0) or pinned on the host (-1). */
size_t emulator_allocated(int device);

/* --- queued work -------------------------------------------------------------------------------------------------- */

/* Memory that a queued function reads or writes, in device (or pinned, or managed) addresses. */
struct emulator_range {
    const void *pointer;
    size_t size;
    bool writes;
};
/* Queues a function that acts as a kernel: it runs in stream order, in the thread that waits for it, without any lock of the
 * emulator, and uses emulator_address(). ranges are copied. A CUDA error code. (cudaLaunchHostFunc is the same
 * without ranges: such a function must not touch device memory.) */
int emulator_launch(cuda_stream stream, cuda_host_function function, void *data, const struct emulator_range *ranges,
                    int n_ranges);
/* Makes `stream` look as if it were being captured, or ends that. `global`: in the strictest mode, in which threads that have not
 * exchanged theirs for the relaxed one may not allocate, free, or ask or wait for events and devices: such a call returns
 * cudaErrorStreamCaptureUnsupported and spoils the capture. */
int emulator_capture(cuda_stream stream, bool begin, bool global);

/* --- failure ------------------------------------------------------------------------------------------------------ */

/* The `number`th call of an entry point from now (1: the next) returns `error` and does nothing. 0 cancels. Calls that
 * cannot fail in CUDA (cudaGetLastError, cudaPeekAtLastError, names) are not counted. */
void emulator_fail_call(long number, int error);
/* The same, counting only calls of one entry point, by its symbol ("cudaMemcpyAsync"). 0, or -1: no such symbol. */
int emulator_fail_symbol(const char *symbol, long number, int error);
/* The `number`th queued copy or memset from now is not carried out when its turn comes; the next call that waits for it or
 * queries it returns `error`, once. */
void emulator_fail_operation(long number, int error);
/* Every call returns `error` until it is 0 again: a device that is gone. */
void emulator_break(int error);

/* --- counting ----------------------------------------------------------------------------------------------------- */

struct emulator_counters {
    long calls;       /* of entry points that can fail */
    long copies_to_host, copies_to_device, copies_on_device;
    size_t bytes_to_host, bytes_to_device, bytes_on_device;
    long waits;       /* stream, event and device synchronisations */
    long host_allocations, device_allocations;
    long violations;
};
void emulator_counters(struct emulator_counters *counters);
/* Calls of one entry point by its symbol; -1: no such symbol. */
long emulator_calls(const char *symbol);
void emulator_reset_counters(void);
/* Text of the last violation; "" where there was none. Copied into buffer. */
void emulator_last_violation(char *buffer, size_t size);
/* Checks the bytes between all allocations now. Returns the number of overruns found, each reported as a violation. */
int emulator_check(void);

/* Keeps a line for each call and each carried-out operation, from now on; or stops. The text starts empty. */
void emulator_log(bool on);
/* Copies the log into buffer, as much as fits with a NUL. Returns the length that the whole text needs, without it. */
size_t emulator_log_text(char *buffer, size_t size);

/* With bare = true copies, waits, queries and events return success at once and do nothing at all, not even counting, and
 * looking up a pointer takes no lock: what is left is the cost of the caller's own bookkeeping. For one thread. */
void emulator_set_bare(bool bare);

/* Carries out all queued work, frees nothing. For the end of tests: afterwards, counters and violations are final. */
void emulator_settle(void);

#endif
