#include "block.h"

/* A stack that anybody pushes to and that is taken as a whole, so no block can come back to it while it is read. */
static _Atomic(struct staging_block *) free_blocks;

void
block_let_go(struct staging_block *block)
{
    if (atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) != 1)
        return;
    block->next = atomic_load_explicit(&free_blocks, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&free_blocks, &block->next, block, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

struct staging_block *
block_take_free(void)
{
    if (atomic_load_explicit(&free_blocks, memory_order_relaxed) == NULL)
        return NULL;
    return atomic_exchange_explicit(&free_blocks, NULL, memory_order_acquire);
}
