/* The arena: bounded, reused, pageable where it must be; and the copies between strided host arrays. */
#include "engine.h"

#include "strided.h"

static struct session session;
static struct session_error error;

/* One call over an array of n bytes that comes and goes back. */
static void
one_call(void *pointer, int64_t n)
{
    static const int64_t stride = 1;
    struct device_view view = {.pointer = (uintptr_t)pointer, .rank = 1, .shape = &n, .strides = &stride, .item_size = 1,
                               .stream_kind = STREAM_HANDLE, .stream = 1, .download = true, .written = true,
                               .wish = LAYOUT_C, .argument = "x"};
    session_init(&session, "kernel");
    ck_assert_int_eq(session_add(&session, &view), 0);
    ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
    unsigned char *host = session_view(&session, 0)->host;
    ck_assert_int_eq(host[n - 1], (unsigned char)(n * 7));
    host[0] = 1;
    host[n - 1] = (unsigned char)(n * 7 + 1);
    ck_assert_msg(session_write_back(&session, &error) == 0, "%s", error.text);
    session_release(&session);
}

static void
call_with_size(int64_t n)
{
    unsigned char *pointer = device_new((size_t)n);
    ((unsigned char *)emulator_address(pointer))[n - 1] = (unsigned char)(n * 7);
    one_call(pointer, n);
    ck_assert_int_eq(cuda->stream_synchronize(CUDA_STREAM_LEGACY), 0);
    ck_assert_int_eq(((unsigned char *)emulator_address(pointer))[n - 1], (unsigned char)(n * 7 + 1));
    emulator_release(pointer);
}

static size_t
held(void)
{
    size_t in_use, idle;
    arena_usage(&in_use, &idle);
    return in_use + idle;
}

START_TEST(test_F35_many_calls_of_all_sizes_stay_below_the_limit_and_trim_gives_all_back)
{
    uint64_t state = 12345;
    size_t most = 0;
    for (int i = 0; i < 10000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t n = 1 + (int64_t)((state >> 33) % ((uint64_t)1 << (4 + i % 15)));
        call_with_size(n);
        if (held() > most)
            most = held();
    }
    ck_assert_msg(most <= (size_t)4 << 20, "%zu bytes held", most);
    ck_assert_int_lt(counters_now().host_allocations, 200);
    arena_trim();
    ck_assert_uint_eq(held(), 0);
    ck_assert_uint_eq(emulator_allocated(-1), 0);
}
END_TEST

START_TEST(test_F35_above_the_limit_arrays_travel_through_pageable_memory)
{
    /* The fixture has set a limit of 4 MiB. */
    for (int i = 0; i < 4; i++) {
        call_with_size((int64_t)3 << 20);
        call_with_size((int64_t)5 << 20);
        call_with_size((int64_t)2 << 20);
        ck_assert_uint_le(emulator_allocated(-1), (size_t)4 << 20);
    }
    arena_trim();
    ck_assert_uint_eq(held(), 0);
}
END_TEST

START_TEST(test_c35_an_array_above_the_limit_waits_for_no_copy_back_of_others)
{
    static const int64_t large = (int64_t)5 << 20, small = 8, stride = 1;
    void *pointers[] = {device_new(8), device_new((size_t)large)};
    for (int i = 0; i < 2; i++) {
        cuda_stream stream = stream_new();
        struct device_view view = {.pointer = (uintptr_t)pointers[i], .rank = 1, .shape = i == 0 ? &small : &large,
                                   .strides = &stride, .item_size = 1, .stream_kind = STREAM_HANDLE, .stream = (uintptr_t)stream,
                                   .download = true, .written = i == 0, .wish = LAYOUT_C, .argument = "x"};
        session_init(&session, "kernel");
        session_add(&session, &view);
        ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
        ck_assert_msg(session_write_back(&session, &error) == 0, "%s", error.text);
        session_release(&session);
    }
    ck_assert_int_eq(counters_now().waits, 2); /* for the downloads */
}
END_TEST

START_TEST(test_F35_at_the_limit_memory_is_not_pinned_call_by_call)
{
    /* 3 MiB and 1.25 MiB, which is no use of the other's block, do not fit below 4 MiB together. */
    for (int i = 0; i < 80; i++) {
        call_with_size(3 << 20);
        call_with_size(5 << 18);
    }
    ck_assert_int_eq(counters_now().host_allocations, 1);
    /* What is no longer used makes room for what is, once. */
    for (int i = 0; i < 160; i++)
        call_with_size(5 << 18);
    ck_assert_int_eq(counters_now().host_allocations, 2);
    ck_assert_uint_eq(held(), 5 << 18);
    /* The one that is given up is the one that was idle for longest. */
    call_with_size(9 << 18);
    for (int i = 0; i < 80; i++) {
        call_with_size(5 << 18);
        call_with_size(1 << 19);
    }
    call_with_size(3 << 16);
    ck_assert_int_eq(counters_now().host_allocations, 5);
    ck_assert_uint_eq(held(), (5 << 18) + (1 << 19) + (3 << 16));
}
END_TEST

START_TEST(test_F35_where_pinning_fails_memory_is_pageable)
{
    emulator_fail_symbol("cudaHostAlloc", 1, CUDA_MEMORY_ALLOCATION);
    call_with_size(1000);
    ck_assert_int_eq(counters_now().host_allocations, 0);
    ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
    call_with_size(1000);
    ck_assert_int_eq(counters_now().host_allocations, 1);
    arena_trim();
    ck_assert_uint_eq(held(), 0);
}
END_TEST

START_TEST(test_large_blocks_are_not_rounded_to_powers_of_two)
{
    call_with_size((5 << 20) + 1);
    ck_assert_uint_le(held(), (5 << 20) + (64 << 10));
}
END_TEST

START_TEST(test_a_small_array_does_not_keep_a_large_block)
{
    struct staging_block *large = arena_take(cuda, 0, 8 << 20, &error);
    block_let_go(large);
    struct staging_block *small = arena_take(cuda, 0, 100, &error);
    ck_assert_ptr_ne(small, large);
    ck_assert_uint_eq(small->size, 4096);
    struct staging_block *again = arena_take(cuda, 0, 7 << 20, &error);
    ck_assert_ptr_eq(again, large);
    block_let_go(small);
    block_let_go(again);
}
END_TEST

START_TEST(test_blocks_belong_to_their_device)
{
    struct staging_block *first = arena_take(cuda, 0, 100, &error);
    block_let_go(first);
    struct staging_block *second = arena_take(cuda, 1, 100, &error);
    ck_assert_ptr_ne(first, second);
    block_let_go(second);
    ck_assert_uint_eq(arena_trim(), 8192);
}
END_TEST

static int
never_ready(cuda_event event)
{
    (void)event;
    return CUDA_NOT_READY;
}

START_TEST(test_calls_that_nobody_waits_for_do_not_pile_up)
{
    struct cuda_runtime slow = *cuda;
    slow.event_query = never_ready;
    cuda_replace(&slow);
    static const int64_t n = 1 << 16, stride = 1;
    void *x = device_new(1 << 16);
    for (int i = 0; i < 500; i++) {
        struct device_view view = {.pointer = (uintptr_t)x, .rank = 1, .shape = &n, .strides = &stride, .item_size = 1,
                                   .stream_kind = STREAM_HANDLE, .stream = 1, .written = true, .wish = LAYOUT_C,
                                   .argument = "x"};
        session_init(&session, "kernel");
        session_add(&session, &view);
        ck_assert_int_eq(session_stage(&session, &error), 0);
        memset(session_view(&session, 0)->host, i, (size_t)n);
        ck_assert_int_eq(session_write_back(&session, &error), 0);
        session_release(&session);
        ck_assert_uint_le(held(), 20 << 16);
    }
    cuda_replace(cuda);
    cuda->stream_synchronize(CUDA_STREAM_LEGACY);
    ck_assert_int_eq(*(unsigned char *)emulator_address(x), (unsigned char)499);
}
END_TEST

START_TEST(test_a_slow_stream_does_not_hold_up_the_blocks_of_others)
{
    static const int64_t n = 8, stride = 1;
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x[] = {device_new(8), device_new(8)};
    size_t before = 0;
    for (int round = 0; round < 30; round++) {
        int slow = round == 0;
        struct device_view view = {.pointer = (uintptr_t)x[slow], .rank = 1, .shape = &n, .strides = &stride, .item_size = 1,
                                   .stream_kind = STREAM_HANDLE, .stream = (uintptr_t)streams[slow], .download = !slow,
                                   .written = true, .wish = LAYOUT_C, .argument = "x"};
        session_init(&session, "kernel");
        session_add(&session, &view);
        ck_assert_int_eq(session_stage(&session, &error), 0);
        memset(session_view(&session, 0)->host, round, (size_t)n);
        ck_assert_int_eq(session_write_back(&session, &error), 0);
        session_release(&session);
        if (round == 10)
            before = held();
    }
    ck_assert_uint_eq(held(), before);
    emulator_settle();
    ck_assert_int_eq(*(char *)emulator_address(x[1]), 0);
}
END_TEST

START_TEST(test_a_limit_that_is_no_number_is_an_error)
{
    ck_assert_ptr_null(arena_take(cuda, 0, 100, &error));
    ck_assert_int_eq(error.kind, SESSION_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(error.text, "PKWRAP_PINNED_LIMIT is '12Q'"));
}
END_TEST

/* --- strided.h ---------------------------------------------------------------------------------------------------- */

START_TEST(test_F16_F17_strided_copies_of_any_stride_and_item_size)
{
    static const size_t items[] = {1, 2, 3, 4, 8, 12, 16};
    for (int which = 0; which < 7; which++) {
        size_t item = items[which];
        int64_t step = (int64_t)item;
        const int64_t shape[] = {3, 40, 5};
        int64_t packed[] = {200 * step, 5 * step, step};
        /* Odd distances, one reversed, transposed against the packed one. */
        int64_t odd[] = {step + 1, 3 * (step + 1), -(40 * 3 * (step + 1) + 5)};
        size_t room = 5 * (40 * 3 * (item + 1) + 5);
        unsigned char *to = malloc(room), *from = malloc(600 * item), *back = malloc(600 * item);
        memset(to, 0xEE, room);
        for (size_t i = 0; i < 600 * item; i++)
            from[i] = (unsigned char)(i * 31 % 200);
        unsigned char *first = to + 4 * -odd[2];
        strided_copy(3, shape, item, first, odd, from, packed);
        size_t touched = 0;
        for (size_t i = 0; i < room; i++)
            touched += to[i] != 0xEE;
        ck_assert_uint_eq(touched, 600 * item);
        ck_assert_int_eq(memcmp(first + 2 * odd[0] + 39 * odd[1] + 4 * odd[2], from + 599 * item, item), 0);
        strided_copy(3, shape, item, back, packed, first, odd);
        ck_assert_int_eq(memcmp(back, from, 600 * item), 0);
        free(to);
        free(from);
        free(back);
    }
}
END_TEST

START_TEST(test_F18_strided_copies_of_nothing_and_of_one)
{
    static const int64_t nothing[] = {4, 0, 3}, strides[] = {-8, 99, 7};
    char to = 1, from = 2;
    strided_copy(3, nothing, 8, &to, strides, &from, strides);
    ck_assert_int_eq(to, 1);
    strided_copy(0, NULL, 1, &to, NULL, &from, NULL);
    ck_assert_int_eq(to, 2);
}
END_TEST

static void
start_with_limit(void)
{
    setenv("PKWRAP_PINNED_LIMIT", "4M", 1);
    start_emulator();
}

static void
start_with_bad_limit(void)
{
    setenv("PKWRAP_PINNED_LIMIT", "12Q", 1);
    start_emulator();
}

int
main(void)
{
    Suite *suite = suite_create("arena");
    TCase *arena = tcase_create("arena");
    tcase_set_timeout(arena, 60);
    tcase_add_checked_fixture(arena, start_emulator, stop_emulator);
    tcase_add_test(arena, test_F35_many_calls_of_all_sizes_stay_below_the_limit_and_trim_gives_all_back);
    tcase_add_test(arena, test_F35_where_pinning_fails_memory_is_pageable);
    tcase_add_test(arena, test_large_blocks_are_not_rounded_to_powers_of_two);
    tcase_add_test(arena, test_a_small_array_does_not_keep_a_large_block);
    tcase_add_test(arena, test_blocks_belong_to_their_device);
    tcase_add_test(arena, test_calls_that_nobody_waits_for_do_not_pile_up);
    tcase_add_test(arena, test_a_slow_stream_does_not_hold_up_the_blocks_of_others);
    tcase_add_test(arena, test_F16_F17_strided_copies_of_any_stride_and_item_size);
    tcase_add_test(arena, test_F18_strided_copies_of_nothing_and_of_one);
    suite_add_tcase(suite, arena);
    TCase *limited = tcase_create("limit");
    tcase_set_timeout(limited, 60);
    tcase_add_checked_fixture(limited, start_with_limit, stop_emulator);
    tcase_add_test(limited, test_c35_an_array_above_the_limit_waits_for_no_copy_back_of_others);
    tcase_add_test(limited, test_F35_at_the_limit_memory_is_not_pinned_call_by_call);
    tcase_add_test(limited, test_F35_above_the_limit_arrays_travel_through_pageable_memory);
    suite_add_tcase(suite, limited);
    TCase *bad = tcase_create("bad limit");
    tcase_add_checked_fixture(bad, start_with_bad_limit, stop_emulator);
    tcase_add_test(bad, test_a_limit_that_is_no_number_is_an_error);
    suite_add_tcase(suite, bad);
    return run_suite(suite);
}
