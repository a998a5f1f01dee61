/* arena.h - staging memory: page-locked blocks of the host, kept for reuse, by device.
 *
 * Never more page-locked bytes than PKWRAP_PINNED_LIMIT (bytes, or a number with K, M or G; default a quarter of the
 * machine's memory). At the limit, blocks that have long been idle are given up, and the device's copies back that are under
 * way are waited for; where that makes no room, and where pinning fails, blocks are pageable and not kept.
 *
 * Such an array is one cudaMemcpyAsync like any other. The driver moves it in pieces through page-locked buffers of its own and
 * holds the call up meanwhile. The same could be done here, through two of our blocks in turn, but the host would have to wait
 * for each piece to come before it could copy it on, where the call has one wait for all its arrays now; and the copies back
 * would hold up the call piece by piece just the same. Only a host that copies faster than the driver's one thread could
 * gain: `make bench-gpu` measures both ways ("pageable", "in pieces").
 *
 * Thread-safe; no lock is held during a CUDA call.
 */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include "block.h"
#include "cuda.h"

/* A block of at least `size` bytes, aligned to 512, held once. NULL with *error filled. The device must be current. */
struct staging_block *arena_take(const struct cuda_runtime *runtime, int device, size_t size,
                                 struct session_error *error);

/* Releases all staging memory that no call uses. Returns the bytes given back. */
size_t arena_trim(void);
/* Bytes held now: in use and idle. */
void arena_usage(size_t *in_use, size_t *idle);

#endif
