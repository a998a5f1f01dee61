/* mem.c - see mem.h. */
#include "mem.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t used, room;
    alignas(max_align_t) char data[];
};

/* Before every piece of an arena: what arena_push has given out of it. */
struct piece {
    alignas(max_align_t) size_t used; /* elements */
    size_t room;                      /* elements; 0: not from arena_push */
};

static _Noreturn void
out_of_memory(void)
{
    exit(environment_error("out of memory"));
}

void
arena_init(struct arena *arena)
{
    arena->blocks = NULL;
}

void
arena_release(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block != NULL) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
    arena->blocks = NULL;
}

static struct arena_block *
add_block(struct arena *arena, size_t size)
{
    size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct arena_block *block = room > SIZE_MAX - sizeof *block ? NULL : malloc(sizeof *block + room);
    if (block == NULL)
        out_of_memory();
    block->older = arena->blocks;
    block->used = 0;
    block->room = room;
    arena->blocks = block;
    return block;
}

void *
arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - alignof(max_align_t))
        out_of_memory();
    bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (bytes > SIZE_MAX - sizeof(struct piece))
        out_of_memory();
    bytes += sizeof(struct piece);
    struct arena_block *block = arena->blocks;
    if (block == NULL || block->room - block->used < bytes)
        block = add_block(arena, bytes);
    void *taken = block->data + block->used;
    block->used += bytes;
    return (struct piece *)memset(taken, 0, bytes) + 1;
}

void *
arena_grow(struct arena *arena, const void *old, size_t old_count, size_t new_count, size_t size)
{
    void *grown = arena_take(arena, new_count, size);
    if (old_count > 0)
        memcpy(grown, old, old_count * size);
    return grown;
}

void *
arena_push(struct arena *arena, const void *array, size_t count, size_t size)
{
    struct piece *piece = array != NULL ? (struct piece *)array - 1 : NULL;
    if (piece == NULL || piece->used != count || count == piece->room) {
        size_t room = count > 0 ? 2 * count : 1;
        piece = (struct piece *)arena_grow(arena, array, count, room, size) - 1;
        piece->room = room;
    }
    piece->used = count + 1;
    return piece + 1;
}

char *
arena_copy_n(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1, 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *
arena_copy(struct arena *arena, const char *text)
{
    return arena_copy_n(arena, text, strlen(text));
}

char *
arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    struct text text = {0};
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *copy = arena_copy_n(arena, text.data, text.length);
    text_release(&text);
    return copy;
}

void
text_release(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

/* Room for `more` bytes and the NUL behind them. */
static void
text_reserve(struct text *text, size_t more)
{
    if (more >= SIZE_MAX / 2 - text->length)
        out_of_memory();
    size_t needed = text->length + more + 1;
    if (needed <= text->room)
        return;
    size_t room = text->room < 64 ? 64 : text->room;
    while (room < needed)
        room *= 2;
    char *data = realloc(text->data, room);
    if (data == NULL)
        out_of_memory();
    text->data = data;
    text->room = room;
}

void
text_add_n(struct text *text, const char *piece, size_t length)
{
    text_reserve(text, length);
    if (length > 0)
        memcpy(text->data + text->length, piece, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void
text_add(struct text *text, const char *piece)
{
    text_add_n(text, piece, strlen(piece));
}

void
text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void
text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0)
        out_of_memory();
    text_reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
    va_end(again);
}
