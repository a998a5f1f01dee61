#include "state.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The addresses, in one reservation: a slice for each device, one for managed and one for pinned memory. The devices'
 * slices belong to nobody (PROT_NONE) at the addresses that the program knows; their bytes are in the emulator's own mapping at a
 * fixed distance. Managed and pinned memory is where the program sees it. */
enum { MARGIN = 256, ALIGNMENT = 512, CANARY = 0xCE };
enum { MAX_ALLOCATIONS = 1 << 20 };

static size_t slice_size = (size_t)16 << 30; /* less where so many addresses are not to be had */
static char *base, *own_base;
static int n_slices; /* devices, managed, pinned */
static size_t allocated[MAX_DEVICES + 2];
static long n_made;

/* Sorted by address. The table is reserved as a whole, so that the handler of SIGSEGV can read it at any time. */
static struct allocation *table;
static _Atomic(int) n_table;

static void *
reserve(size_t size, int protection)
{
    void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

int
memory_open(int n_devices)
{
    n_slices = n_devices + 2;
    table = reserve(sizeof(*table) * MAX_ALLOCATIONS, PROT_READ | PROT_WRITE);
    for (; base == NULL && slice_size >= (size_t)1 << 28; slice_size /= 2) {
        base = reserve(slice_size * n_slices, PROT_NONE);
        own_base = reserve(slice_size * n_devices, PROT_READ | PROT_WRITE);
        if (base != NULL && own_base != NULL)
            break;
        if (base != NULL)
            munmap(base, slice_size * n_slices);
        if (own_base != NULL)
            munmap(own_base, slice_size * n_devices);
        base = own_base = NULL;
    }
    if (table == NULL || base == NULL
        || mprotect(base + slice_size * n_devices, 2 * slice_size, PROT_READ | PROT_WRITE) != 0)
        return -1;
    /* Not inherited: in a forked child a stale device pointer faults instead of showing a copy. Pinned memory is, as with CUDA
     * it must not crash a child that merely looks at its own arrays. */
    madvise(base, slice_size * (n_slices - 1), MADV_DONTFORK);
    madvise(own_base, slice_size * n_devices, MADV_DONTFORK);
    return 0;
}

static int
slice_of(const void *pointer)
{
    if (base == NULL || (const char *)pointer < base || (const char *)pointer >= base + slice_size * n_slices)
        return -1;
    return (int)(((const char *)pointer - base) / slice_size);
}

char *
memory_own(const void *pointer)
{
    int slice = slice_of(pointer);
    return slice < 0 || slice >= n_slices - 2 ? (char *)pointer : own_base + ((const char *)pointer - base);
}

/* Index of the first allocation above an address. */
static int
upper_bound(const void *pointer)
{
    int low = 0, high = n_table;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle].address <= (const char *)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *
memory_find(const void *pointer)
{
    int above = upper_bound(pointer);
    if (above == 0)
        return NULL;
    struct allocation *allocation = &table[above - 1];
    return (const char *)pointer < allocation->address + allocation->size ? allocation : NULL;
}

struct allocation *
memory_at(const void *pointer)
{
    struct allocation *allocation = memory_find(pointer);
    return allocation != NULL && allocation->address == pointer ? allocation : NULL;
}

bool
memory_describe(const void *pointer, const struct allocation **found)
{
    int slice = slice_of(pointer);
    *found = NULL;
    if (slice < 0)
        return false;
    int above = upper_bound(pointer);
    if (above > 0 && slice_of(table[above - 1].address) == slice)
        *found = &table[above - 1];
    return true;
}

const char *
memory_text(const struct allocation *allocation, char *buffer, size_t size)
{
    static const char *const types[] = {"", "pinned", "device", "managed"};
    snprintf(buffer, size, "allocation %ld %s%s%s(%zu bytes, %s, device %d)", allocation->number,
             allocation->name[0] ? "'" : "", allocation->name, allocation->name[0] ? "' " : "", allocation->size,
             types[allocation->type], allocation->device);
    return buffer;
}

/* Bytes that an allocation takes from its address on, the margin behind it included. */
static size_t
room(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
}

/* The lowest gap of a slice that takes `size` bytes, as an address; *index is where the table's row goes. NULL: none. */
static char *
find_gap(int slice, size_t size, int *index)
{
    char *at = base + slice_size * slice + ALIGNMENT, *end = base + slice_size * (slice + 1);
    int i = upper_bound(base + slice_size * slice);
    for (; i < n_table && table[i].address < end; i++) {
        if ((size_t)(table[i].address - at) >= room(size))
            break;
        at = table[i].address + room(table[i].size);
    }
    *index = i;
    return (size_t)(end - at) >= room(size) ? at : NULL;
}

static char *
margin_start(const struct allocation *allocation)
{
    return memory_own(allocation->address) - MARGIN;
}

int
memory_allocate(int type, int device, size_t size, void **pointer)
{
    *pointer = NULL;
    if (size == 0)
        return CUDA_SUCCESS;
    int slice = type == CUDA_MEMORY_DEVICE ? device : type == CUDA_MEMORY_MANAGED ? n_slices - 2 : n_slices - 1;
    int index;
    bool fits = size < slice_size - 2 * ALIGNMENT && n_table < MAX_ALLOCATIONS
                && (type == CUDA_MEMORY_HOST || allocated[slice] + size <= emulator.device_memory);
    char *address = fits ? find_gap(slice, size, &index) : NULL;
    if (address == NULL)
        return CUDA_MEMORY_ALLOCATION;
    memmove(&table[index + 1], &table[index], sizeof(*table) * (n_table - index));
    table[index] = (struct allocation){address, size, type, device, n_made++, ""};
    n_table++;
    allocated[slice] += size;
    memset(margin_start(&table[index]), CANARY, MARGIN);
    memset(memory_own(address), EMULATOR_FRESH, size);
    memset(memory_own(address) + size, CANARY, MARGIN);
    *pointer = address;
    return CUDA_SUCCESS;
}

static int
check_margins(const struct allocation *allocation)
{
    int n = 0;
    for (int side = 0; side < 2; side++) {
        const char *margin = side == 0 ? margin_start(allocation) : memory_own(allocation->address) + allocation->size;
        for (int i = 0; i < MARGIN; i++)
            if (margin[i] != (char)CANARY) {
                char text[160];
                report_violation("bytes %s %s were written", side == 0 ? "before" : "behind",
                                 memory_text(allocation, text, sizeof(text)));
                memset((char *)margin, CANARY, MARGIN); /* reported once */
                n++;
                break;
            }
    }
    return n;
}

void
memory_free(struct allocation *allocation)
{
    check_margins(allocation);
    int index = (int)(allocation - table);
    allocated[slice_of(allocation->address)] -= allocation->size;
    /* Large ones give their pages back, whole ones only. */
    uintptr_t page = 4096, start = ((uintptr_t)memory_own(allocation->address) + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory_own(allocation->address) + allocation->size) / page * page;
    if (allocation->size >= (size_t)1 << 20)
        madvise((void *)start, end - start, MADV_DONTNEED);
    memmove(&table[index], &table[index + 1], sizeof(*table) * (n_table - index - 1));
    n_table--;
}

int
emulator_check(void)
{
    pthread_mutex_lock(&emulator.lock);
    int n = 0;
    for (int i = 0; i < n_table; i++)
        n += check_margins(&table[i]);
    pthread_mutex_unlock(&emulator.lock);
    return n;
}

size_t
emulator_allocated(int device)
{
    pthread_mutex_lock(&emulator.lock);
    int slice = device < 0 ? n_slices - 1 : device;
    size_t bytes = slice >= 0 && slice < n_slices ? allocated[slice] : 0;
    pthread_mutex_unlock(&emulator.lock);
    return bytes;
}

void
emulator_set_name(const void *pointer, const char *name)
{
    pthread_mutex_lock(&emulator.lock);
    struct allocation *allocation = memory_at(pointer);
    if (allocation != NULL)
        snprintf(allocation->name, sizeof(allocation->name), "%s", name);
    pthread_mutex_unlock(&emulator.lock);
}

void *
emulator_address(const void *pointer)
{
    return slice_of(pointer) < 0 ? NULL : memory_own(pointer);
}
