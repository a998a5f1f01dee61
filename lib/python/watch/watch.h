/* watch.h - what verify and learn mode look at: memory before and after a kernel (C50 to C53). Shared by the calls of
 * generated modules and by PyccelKernel.
 */
#ifndef PYTHON_WATCH_H
#define PYTHON_WATCH_H

#include "base/python.h"

enum { WATCH_VERIFY = 1, WATCH_LEARN = 2 }; /* bits of watching_active (runtime.h) */

struct byte_range {
    const char *low, *high; /* high is the first byte after it */
};

/* Host memory of an array while the kernel runs; nothing owned. */
struct watched_memory {
    char *data; /* first element */
    int rank;
    const int64_t *shape;
    const int64_t *strides; /* bytes */
    size_t item_size;
    const struct byte_range *exempt; /* memory that the kernel may change as another argument: such elements are not compared */
    int n_exempt;
};

/* The elements, packed in C order, to be freed with PyMem_Free; NULL with MemoryError set. */
void *watch_copy(const struct watched_memory *memory);
/* Whether an element differs from its copy, bit by bit; the first one in C order, as an index of `rank` numbers. */
bool watch_find_change(const struct watched_memory *memory, const void *copy, int64_t *index);

/* What differs becomes as it was: for a change that was not to be. */
void watch_restore(const struct watched_memory *memory, const void *copy);

/* Every element becomes a pattern that no kernel writes by intent: for floating-point types a NaN. */
void watch_poison(const struct watched_memory *memory);
/* Whether an element is still the pattern; the first one. Elements of one byte can have any value: only an array that is the
 * pattern throughout counts. */
bool watch_find_poison(const struct watched_memory *memory, int64_t *index);

/* Whether a number of `size` bytes (4, 8: float, double) in an element is a NaN that was computed from the pattern; the first element
 * (of more than none dimensions). */
bool watch_find_derived(const struct watched_memory *memory, size_t size, int64_t *index);

/* pkwrap.UndeclaredWriteError: kernel, argument, index, value before and after. Returns -1. */
int raise_undeclared_write(const char *function, const char *argument, const struct watched_memory *memory,
                           const void *copy, const int64_t *index, PyArray_Descr *descr);
/* The same for an array that was declared constant and has changed between two calls. */
int raise_changed_constant(const char *function, const char *argument, const struct watched_memory *memory, const void *copy,
                           const int64_t *index, PyArray_Descr *descr);
/* The same for an array inside an argument: `path` is the way to it, "state['x']". */
int raise_undeclared_write_inside(const char *function, const char *argument, const char *path,
                                  const struct watched_memory *memory, const void *copy, const int64_t *index,
                                  PyArray_Descr *descr);
/* pkwrap.UndeclaredWriteError for an element that is declared overwritten but was not written. Returns -1. */
int raise_left_unwritten(const char *function, const char *argument, int rank, const int64_t *index);
/* The same for one that was read first: the pattern has come out at an index of `where` (NULL: it has none). `arguments`: "'x' or 'y'". */
int raise_read_too_early(const char *function, PyObject *arguments, const char *where, int rank, const int64_t *index);

/* The elements of a NumPy array, without exemptions. */
struct watched_memory watched_array(PyArrayObject *array);

/* Switches the modes, for the package. `learned` is None, or a callable that gets (module, kernel, argument, changed, nbytes).
 * 0, or -1 with an exception set. */
int watch_set(bool verify, PyObject *learned);
/* Learn mode: tells what an argument of n_bytes did in one call. 0, or -1 with an exception set. */
int watch_tell(const char *module, const char *kernel, const char *argument, bool changed, size_t n_bytes);
/* The bytes from the first to the last element. */
struct byte_range watch_range(const struct watched_memory *memory);
/* Bytes of the elements. */
size_t watch_n_bytes(const struct watched_memory *memory);

#endif
