/* mem.h - memory of one command: an arena that lives until the process ends its work, and text built in it.
 *
 * Models and plans are written once and never freed piece by piece, so their parts come from an arena. Running out of
 * memory ends the program with exit status 3 and one message; nothing here returns NULL.
 */
#ifndef MEM_H
#define MEM_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* newest first; private */
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);

/* Zeroed memory for `count` objects of `size` bytes, aligned for any type. */
void *arena_take(struct arena *arena, size_t count, size_t size);
/* A copy of `old` (`old_count` objects) with room for `new_count`; the rest is zeroed. `old` stays valid. */
void *arena_grow(struct arena *arena, const void *old, size_t old_count, size_t new_count, size_t size);
char *arena_copy(struct arena *arena, const char *text);
char *arena_copy_n(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends one zeroed element to a growing array in an arena and gives its address:
 *   struct thing *t = ARENA_PUSH(arena, list->things, list->n_things);
 * Room doubles, so `count` elements cost O(count). Of a structure that holds such an array there may be copies: the first that
 * grows behind their common end keeps the array, each other one gets its own. */
#define ARENA_PUSH(arena, array, count)                                                    \
    ((array) = arena_push((arena), (array), (size_t)(count), sizeof *(array)), &(array)[(count)++])

/* For ARENA_PUSH: `array`, or a copy of its `count` elements, with one more element behind them that nobody else has. `array` is NULL
 * or from an arena. */
void *arena_push(struct arena *arena, const void *array, size_t count, size_t size);

/* Text that grows at its end; malloc'd, NUL-terminated whenever `length` > 0. All zero is an empty one. */
struct text {
    char *data;
    size_t length, room;
};

void text_release(struct text *text);
void text_add(struct text *text, const char *piece);
void text_add_n(struct text *text, const char *piece, size_t length);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments);

#endif
