/* Counts the calls of malloc, calloc and realloc of a program, once it is preloaded: bench_kernel.py reads the counter. */
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *old, size_t size);

atomic_long allocations_counted;

void *
malloc(size_t size)
{
    allocations_counted++;
    return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    allocations_counted++;
    return __libc_calloc(n, size);
}

void *
realloc(void *old, size_t size)
{
    allocations_counted++;
    return __libc_realloc(old, size);
}
