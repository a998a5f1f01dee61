/* random_views.h - random views of device memory through the session, against a model that knows only bytes.
 *
 * Each round: a few views (any rank, steps, reversals, transpositions, broadcasts, tangles, length-1 and empty axes, parts of one
 * another) of one allocation, each read, written or both, with any wish and any stream, sometimes with work queued that fills one
 * of them. What the session refuses, the model must find to be unshowable; what it stages must show the right elements in the
 * right layout, overlapping as on the device; and afterwards every byte of the allocation must be what the model says, gaps
 * included. For a unit test and for a fuzzer.
 */
#ifndef TESTS_RANDOM_VIEWS_H
#define TESTS_RANDOM_VIEWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "emulator.h"
#include "session.h"

enum { MEMORY = 6000, MAX_VIEWS = 4, RANK = 5 };

/* Ends the process; a test that forks sees that, and so does a fuzzer. */
#define REQUIRE(condition, ...)                                                                   \
    do                                                                                            \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: seed %lu: %s: ", __FILE__, __LINE__, choices.seed, #condition); \
            fprintf(stderr, __VA_ARGS__);                                                         \
            fputc('\n', stderr);                                                                  \
            abort();                                                                              \
        }                                                                                         \
    while (0)

struct random_view {
    struct device_view view;
    int64_t shape[RANK], strides[RANK];
};

/* Where the choices of a round come from: given bytes, then (or at once) a generator. */
static struct {
    const uint8_t *bytes;
    size_t left;
    uint64_t seed, state;
} choices;

static void
choose_from(const uint8_t *bytes, size_t size, uint64_t seed)
{
    choices.bytes = bytes;
    choices.left = size;
    choices.seed = seed;
    choices.state = seed * 0x9E3779B97F4A7C15u + 1;
}

static uint64_t
next_random(void)
{
    choices.state ^= choices.state << 13;
    choices.state ^= choices.state >> 7;
    choices.state ^= choices.state << 17;
    return choices.state * 0x2545F4914F6CDD1Du >> 16;
}

static int
below(int n)
{
    if (choices.left >= 2) {
        unsigned choice = choices.bytes[0] | (unsigned)choices.bytes[1] << 8;
        choices.bytes += 2;
        choices.left -= 2;
        return (int)(choice % (unsigned)n);
    }
    return (int)(next_random() % (uint64_t)n);
}

/* Strides that no slicing gives: elements may overlap each other, or interleave without doing so. */
static void
tangle(struct random_view *random)
{
    struct device_view *view = &random->view;
    int64_t reach = 0;
    for (int i = 0; i < view->rank; i++) {
        random->shape[i] = 1 + below(4);
        random->strides[i] = (int64_t)view->item_size / (below(3) == 0 ? 2 : 1) * below(12);
        reach += random->strides[i] * (random->shape[i] - 1);
    }
    REQUIRE(reach + (int64_t)view->item_size <= MEMORY, "a view of %ld bytes", (long)reach);
}

/* Axes of a packed array, then sliced, reversed, permuted and stretched. */
static void
make_view(struct random_view *random, char *memory, cuda_stream const *streams)
{
    static const int sizes[] = {1, 2, 4, 8, 16, 12};
    struct device_view *view = &random->view;
    int item = sizes[below(6)];
    int rank = below(RANK + 1);
    int64_t extents[RANK], offset = 0, stride = item;
    int order[RANK];
    for (int i = 0; i < rank; i++) {
        extents[i] = below(12) == 0 ? below(2) : 1 + below(6);
        order[i] = i;
    }
    for (int i = rank - 1; i > 0 && below(3) == 0; i--) {
        int k = below(i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int i = 0; i < rank; i++) {
        int64_t step = below(3) == 0 ? 1 + below(3) : 1;
        int64_t n = extents[i];
        random->shape[order[i]] = n;
        random->strides[order[i]] = stride * step;
        if (n > 0 && below(4) == 0) {
            offset += stride * step * (n - 1);
            random->strides[order[i]] = -stride * step;
        }
        if (below(25) == 0)
            random->strides[order[i]] = 0;
        int64_t whole = (n > 0 ? n : 1) * step + (below(4) == 0 ? below(3) : 0);
        if (stride * whole > MEMORY / 3) { /* keeps within the memory */
            random->shape[order[i]] = n < 1 ? n : 1;
            if (random->strides[order[i]] < 0)
                offset -= stride * step * (n - 1);
            continue;
        }
        stride *= whole;
    }
    int64_t room = MEMORY - stride - item * 8;
    int64_t base = below((int)(room / 8)) * 8;
    if (below(4) == 0)
        base = 800;
    /* What was broadcast needs no offset of its own; keep it in range whatever happened above. */
    int64_t low = 0, high = item;
    for (int i = 0; i < rank; i++) {
        int64_t reach = random->shape[i] > 0 ? random->strides[i] * (random->shape[i] - 1) : 0;
        if (reach < 0)
            low += reach;
        else
            high += reach;
    }
    offset = -low;
    if (base + offset + high > MEMORY)
        base = 0;
    REQUIRE(base + offset + high <= MEMORY, "a view ends at %ld", (long)(base + offset + high));
    *view = (struct device_view){.pointer = (uintptr_t)memory + (uintptr_t)(base + offset),
                                 .rank = rank,
                                 .shape = random->shape,
                                 .strides = random->strides,
                                 .item_size = (size_t)item,
                                 .stream_kind = (enum stream_kind)below(3),
                                 .download = below(4) > 0,
                                 .written = below(2) == 0,
                                 .is_restrict = below(8) == 0,
                                 .wish = (enum layout_wish)below(3),
                                 .argument = "view"};
    if (!view->written)
        view->download = true;
    if (below(10) == 0) {
        view->pointer = (uintptr_t)memory;
        tangle(random);
    }
    view->stream = view->stream_kind == STREAM_HANDLE ? (uintptr_t)streams[below(3)] : 0;
}

/* Another part of the same array: what each axis has from somewhere on, with a step or backwards. */
static void
take_part(struct random_view *part, const struct random_view *whole)
{
    struct device_view *view = &part->view;
    memcpy(part->shape, whole->shape, sizeof(part->shape));
    memcpy(part->strides, whole->strides, sizeof(part->strides));
    view->pointer = whole->view.pointer;
    view->rank = whole->view.rank;
    view->item_size = whole->view.item_size;
    for (int i = 0; i < view->rank; i++) {
        if (part->shape[i] < 2 || below(2) == 0)
            continue;
        int from = below((int)part->shape[i]), step = 1 + below(2);
        view->pointer += (uintptr_t)(from * part->strides[i]);
        part->shape[i] = (below((int)part->shape[i] - from) + step) / step;
        part->strides[i] *= step;
        if (below(3) == 0) {
            view->pointer += (uintptr_t)((part->shape[i] - 1) * part->strides[i]);
            part->strides[i] = -part->strides[i];
        }
    }
}

static int64_t
n_elements(const struct device_view *view)
{
    int64_t n = 1;
    for (int i = 0; i < view->rank; i++)
        n *= view->shape[i];
    return n;
}

/* Bytes from the first element to element number i in C order. */
static int64_t
element_offset(const struct device_view *view, const int64_t *strides, int64_t number)
{
    int64_t offset = 0;
    for (int i = view->rank - 1; i >= 0; i--) {
        offset += number % view->shape[i] * strides[i];
        number /= view->shape[i];
    }
    return offset;
}

/* Counts, up to 2, how many elements each byte belongs to. */
static void
count_bytes(const struct device_view *view, uintptr_t memory, unsigned char *counts)
{
    for (int64_t i = 0; i < n_elements(view); i++)
        for (size_t k = 0; k < view->item_size; k++) {
            unsigned char *count = &counts[view->pointer - memory + (uintptr_t)element_offset(view, view->strides, i) + k];
            if (*count < 2)
                (*count)++;
        }
}

static bool
is_packed(const struct device_view *view, const int64_t *strides, bool fortran)
{
    int64_t expected = (int64_t)view->item_size;
    for (int i = 0; i < view->rank; i++) {
        int axis = fortran ? i : view->rank - 1 - i;
        if (view->shape[axis] == 0)
            return true;
        if (view->shape[axis] > 1 && strides[axis] != expected)
            return false;
        expected *= view->shape[axis];
    }
    return true;
}

static bool
shows_real_strides(const struct device_view *view)
{
    return view->wish == LAYOUT_NATURAL || is_packed(view, view->strides, view->wish == LAYOUT_F);
}

/* Do two views share a byte, one of them written? a == b: do elements of a written view? */
static bool
is_tied(const struct device_view *a, const struct device_view *b, uintptr_t memory)
{
    static unsigned char bytes_a[MEMORY], bytes_b[MEMORY];
    if (!a->written && !b->written)
        return false;
    memset(bytes_a, 0, sizeof(bytes_a));
    memset(bytes_b, 0, sizeof(bytes_b));
    count_bytes(a, memory, bytes_a);
    count_bytes(b, memory, bytes_b);
    for (int i = 0; i < MEMORY; i++)
        if (a == b ? bytes_a[i] > 1 : bytes_a[i] > 0 && bytes_b[i] > 0)
            return true;
    return false;
}

/* The model's judgement of all views together. */
static enum session_error_kind
model_verdict(const struct random_view *views, int n, uintptr_t memory, bool *tied)
{
    bool is_restrict = false, conflict = false;
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++) {
            const struct device_view *a = &views[i].view, *b = &views[k].view;
            if (!is_tied(a, b, memory))
                continue;
            tied[i] = tied[k] = true;
            if (i != k && (a->is_restrict || b->is_restrict))
                is_restrict = true;
            else if (!shows_real_strides(a) || !shows_real_strides(b))
                conflict = true;
        }
    return is_restrict ? SESSION_RESTRICT : conflict ? SESSION_CONFLICT : SESSION_OK;
}

/* What a producer's kernel does: other bytes in memory of the device. */
static struct produced {
    unsigned char *device;
    unsigned char values[MEMORY];
    size_t size;
} produced;

static void
produce(void *data)
{
    const struct produced *work = data;
    memcpy(work->device, work->values, work->size);
}

/* Queues a kernel on the stream of a view that it fills as a whole. Not where a view wants no order with what is queued, or has
 * gaps that may come to the host with it, from whatever stream. */
static void
launch_producer(const struct random_view *views, int n, uintptr_t memory, unsigned char *model)
{
    const struct device_view *view = &views[below(n)].view;
    size_t size = view->item_size * (size_t)n_elements(view);
    bool possible = view->stream_kind == STREAM_HANDLE && is_packed(view, view->strides, false) && size > 0;
    for (int i = 0; i < n; i++)
        possible = possible && views[i].view.stream_kind != STREAM_NONE && is_packed(&views[i].view, views[i].strides, false);
    if (!possible || below(2) == 0)
        return;
    for (size_t i = 0; i < size; i++)
        model[view->pointer - memory + i] = produced.values[i] = (unsigned char)next_random();
    produced.device = emulator_address((void *)view->pointer);
    produced.size = size;
    struct emulator_range range = {(void *)view->pointer, size, true};
    REQUIRE(emulator_launch((cuda_stream)view->stream, produce, &produced, &range, 1) == CUDA_SUCCESS, "no launch");
}

static void
check_layout(const struct device_view *view, bool tied)
{
    const int64_t *strides = view->host_strides;
    if (n_elements(view) == 0)
        return;
    bool c = is_packed(view, strides, false), fortran = is_packed(view, strides, true);
    if (view->wish == LAYOUT_C)
        REQUIRE(c, "not in C order");
    else if (view->wish == LAYOUT_F)
        REQUIRE(fortran, "not in F order");
    else if (!tied)
        REQUIRE(!is_packed(view, view->strides, false) && is_packed(view, view->strides, true) ? fortran : c, "order is lost");
    if (view->pointer % view->item_size == 0 && view->item_size != 12)
        REQUIRE((uintptr_t)view->host % view->item_size == 0, "not aligned: %p", view->host);
}

static void
one_round(char *memory, cuda_stream const *streams)
{
    static unsigned char model[MEMORY];
    for (int i = 0; i < MEMORY; i++)
        model[i] = (unsigned char)next_random();
    emulator_settle();
    memcpy(emulator_address(memory), model, MEMORY);

    struct random_view views[MAX_VIEWS];
    bool tied[MAX_VIEWS] = {false};
    int n = 1 + below(MAX_VIEWS);
    struct session session;
    struct session_error error = {.kind = SESSION_OK};
    session_init(&session, "random");
    for (int i = 0; i < n; i++) {
        make_view(&views[i], memory, streams);
        if (i > 0 && below(3) == 0)
            take_part(&views[i], &views[below(i)]);
        REQUIRE(session_add(&session, &views[i].view) == i, "view %d", i);
    }
    launch_producer(views, n, (uintptr_t)memory, model);
    enum session_error_kind verdict = model_verdict(views, n, (uintptr_t)memory, tied);
    int status = session_stage(&session, &error);
    if (status != 0) {
        /* Whichever pair is met first is told: a call may deserve both refusals. */
        REQUIRE(verdict != SESSION_OK && (error.kind == SESSION_CONFLICT || error.kind == SESSION_RESTRICT),
                      "refused: %s", error.text);
        REQUIRE(error.first >= 0 && error.second >= 0, "no views named: %s", error.text);
        session_release(&session);
        return;
    }
    REQUIRE(verdict == SESSION_OK, "not refused: %d", verdict);
    for (int i = 0; i < n; i++) {
        const struct device_view *view = session_view(&session, i);
        check_layout(view, tied[i]);
        for (int64_t k = 0; k < n_elements(view) && view->download; k++)
            REQUIRE(memcmp((char *)view->host + element_offset(view, view->host_strides, k),
                                 model + (view->pointer - (uintptr_t)memory) + element_offset(view, view->strides, k),
                                 view->item_size) == 0,
                          "view %d of %d, element %ld", i, n, (long)k);
    }
    /* The kernel: every element of each written view, in the order of the views. */
    for (int i = 0; i < n; i++) {
        const struct device_view *view = session_view(&session, i);
        for (int64_t k = 0; k < n_elements(view) && view->written; k++)
            for (size_t byte = 0; byte < view->item_size; byte++) {
                unsigned char value = (unsigned char)next_random();
                ((unsigned char *)view->host)[element_offset(view, view->host_strides, k) + (int64_t)byte] = value;
                model[view->pointer - (uintptr_t)memory + (uintptr_t)element_offset(view, view->strides, k) + byte] = value;
            }
    }
    for (int i = 0; i < n; i++) { /* what overlaps has seen it */
        const struct device_view *view = session_view(&session, i);
        for (int64_t k = 0; k < n_elements(view) && tied[i] && view->download; k++)
            REQUIRE(memcmp((char *)view->host + element_offset(view, view->host_strides, k),
                                 model + (view->pointer - (uintptr_t)memory) + element_offset(view, view->strides, k),
                                 view->item_size) == 0,
                          "overlapping view %d, element %ld", i, (long)k);
    }
    REQUIRE(session_write_back(&session, &error) == 0, "%s", error.text);
    session_release(&session);
    emulator_settle();
    const unsigned char *after = emulator_address(memory);
    for (int i = 0; i < MEMORY; i++)
        REQUIRE(after[i] == model[i], "byte %d is %d, not %d", i, after[i], model[i]);
    struct emulator_counters counters;
    emulator_counters(&counters);
    REQUIRE(counters.violations == 0, "%ld violations", counters.violations);
}

#endif
