/* block.h - one block of staging memory and who holds it. */
#ifndef CORE_BLOCK_H
#define CORE_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct staging_block {
    struct staging_block *next; /* in the one list that it is in */
    char *memory;
    size_t size;
    int device;
    bool pinned;
    unsigned long idle_since;   /* of the arena: how many blocks had been asked for when it became idle */
    atomic_int holders;         /* the session or the flight that has it, and each lease */
};

static inline void
block_hold(struct staging_block *block)
{
    atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed);
}

/* Gives up one hold. With the last, the block is one that nobody uses. From any thread, with or without the GIL: no
 * lock, no CUDA call. */
void block_let_go(struct staging_block *block);
/* The blocks that became free since the last call, linked by next; NULL: none. */
struct staging_block *block_take_free(void);

#endif
