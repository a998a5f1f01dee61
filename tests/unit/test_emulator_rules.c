/* The emulator's own rules: late, but never unfair; what a GPU would get wrong now and then goes wrong every time. */
#include "engine.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static double eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static double *
pinned_new(size_t size)
{
    void *memory;
    ck_assert_int_eq(cuda->host_alloc(&memory, size, 0), CUDA_SUCCESS);
    return memory;
}

static void
down(void *to, const void *from, size_t size, cuda_stream stream)
{
    ck_assert_int_eq(cuda->memcpy_async(to, from, size, CUDA_DEVICE_TO_HOST, stream), CUDA_SUCCESS);
}

static void
up(void *to, const void *from, size_t size, cuda_stream stream)
{
    ck_assert_int_eq(cuda->memcpy_async(to, from, size, CUDA_HOST_TO_DEVICE, stream), CUDA_SUCCESS);
}

static bool
is_filled(const void *memory, size_t size, int value)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)memory)[i] != value)
            return false;
    return true;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* What a child that touches an address says on stderr, and that it dies of SIGSEGV. */
static void
check_fault(volatile char *address, const char *part)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct session_error error;
        dup2(ends[1], STDERR_FILENO);
        if (address == NULL) { /* in a process of its own, with memory of its own */
            cuda_select_emulator();
            cuda = cuda_runtime(&error);
            address = device_new(100);
            device_new(50);
            emulator_set_name((void *)address, "field");
            address += 16;
        }
        *address = 1;
        _exit(0);
    }
    close(ends[1]);
    char text[400];
    ssize_t n, used = 0;
    while ((n = read(ends[0], text + used, sizeof(text) - 1 - (size_t)used)) > 0)
        used += n;
    text[used] = '\0';
    close(ends[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "device memory could be written");
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in '%s'", part, text);
}

START_TEST(test_device_memory_faults_on_the_host_and_a_line_says_which)
{
    check_fault(NULL, ": byte 16 of allocation 0 'field' (100 bytes, device 0)");
}
END_TEST

START_TEST(test_F37_device_memory_in_a_forked_child_faults)
{
    check_fault(device_new(8), "in a forked child, which has no device");
}
END_TEST

START_TEST(test_new_memory_holds_no_zeros_and_pointers_say_what_they_are)
{
    void *device = device_new(64), *managed;
    double *pinned = pinned_new(64), local;
    ck_assert_int_eq(cuda->malloc_managed(&managed, 64, CUDA_MANAGED_GLOBAL), 0);
    ck_assert(is_filled(emulator_address(device), 64, EMULATOR_FRESH));
    const void *pointers[] = {device, managed, pinned, &local};
    int types[] = {CUDA_MEMORY_DEVICE, CUDA_MEMORY_MANAGED, CUDA_MEMORY_HOST, CUDA_MEMORY_UNREGISTERED};
    for (int i = 0; i < 4; i++) {
        cuda_pointer_buffer buffer;
        ck_assert_int_eq(cuda->pointer_get_attributes(&buffer, (const char *)pointers[i] + 1), 0);
        ck_assert_int_eq(buffer.attributes.type, types[i]);
    }
    ck_assert_uint_eq(emulator_allocated(0), 64);
    ck_assert_uint_eq(emulator_allocated(-1), 64);
    ck_assert_int_eq(cuda->free(device), 0);
    ck_assert_int_eq(cuda->free(device), CUDA_INVALID_VALUE);
    ck_assert_int_eq(cuda->free(pinned), CUDA_INVALID_VALUE);
    ck_assert_int_eq(cuda->free_host(pinned), 0);
    ck_assert_uint_eq(emulator_allocated(0) + emulator_allocated(-1), 0);
    emulator_set_memory(1000);
    ck_assert_int_eq(cuda->malloc(&device, 1001), CUDA_MEMORY_ALLOCATION);
    ck_assert_int_eq(cuda->malloc(&device, 1000), 0);
    ck_assert_int_eq(cuda->get_last_error(), CUDA_MEMORY_ALLOCATION);
    ck_assert_int_eq(cuda->get_last_error(), CUDA_SUCCESS);
}
END_TEST

START_TEST(test_overruns_are_found)
{
    char *own = emulator_address(device_new(100));
    own[100] = 1;
    ck_assert_int_eq(emulator_check(), 1);
    expect_violation("behind allocation 0");
    own[-1] = 1;
    ck_assert_int_eq(emulator_check(), 1);
    expect_violation("before allocation 0");
    ck_assert_int_eq(emulator_check(), 0);
}
END_TEST

START_TEST(test_copies_that_leave_their_allocation_are_refused)
{
    char *x = device_new(64), *host = (char *)pinned_new(128);
    ck_assert_int_eq(cuda->memcpy_async(host, x + 8, 57, CUDA_DEVICE_TO_HOST, NULL), CUDA_INVALID_VALUE);
    expect_violation("leaves allocation 0");
    ck_assert_int_eq(cuda->memcpy_async(host, x + 8, 56, CUDA_DEVICE_TO_HOST, NULL), 0);
    ck_assert_int_eq(cuda->memcpy_async(host, x, 8, CUDA_HOST_TO_DEVICE, NULL), CUDA_INVALID_VALUE);
    ck_assert_int_eq(cuda->memcpy_2d_async(host, 4, x, 8, 8, 2, CUDA_DEVICE_TO_HOST, NULL), CUDA_INVALID_VALUE);
    ck_assert_int_eq(cuda->memcpy_async(host, x, 8, CUDA_DEVICE_TO_HOST, (cuda_stream)host), CUDA_INVALID_RESOURCE_HANDLE);
}
END_TEST

START_TEST(test_freeing_what_a_queued_copy_needs_is_reported_and_a_release_is_not)
{
    void *x = device_new(64);
    double *host = pinned_new(64);
    down(host, x, 64, NULL);
    ck_assert_int_eq(cuda->free(x), 0);
    expect_violation("freed while a queued operation needs it");
    x = device_new(64);
    down(host, x, 64, NULL);
    emulator_release(x);
    ck_assert(is_filled(host, 64, EMULATOR_FRESH)); /* carried out first */
    x = device_new(64);
    up(x, host, 64, NULL);
    ck_assert_int_eq(cuda->free_host(host), 0);
    expect_violation("freed while a queued operation needs it");
}
END_TEST

/* --- late copies -------------------------------------------------------------------------------------------------- */

START_TEST(test_a_copy_is_not_there_before_somebody_waits)
{
    void *x = device_from(eight, sizeof(eight));
    double *host = pinned_new(sizeof(eight));
    cuda_stream stream = stream_new(), other = stream_new();
    down(host, x, sizeof(eight), stream);
    ck_assert(is_filled(host, sizeof(eight), EMULATOR_POISON));
    cuda->stream_synchronize(other); /* another stream's wait is no wait */
    ck_assert(is_filled(host, sizeof(eight), EMULATOR_POISON));
    cuda->stream_synchronize(stream);
    ck_assert_int_eq(memcmp(host, eight, sizeof(eight)), 0);
}
END_TEST

START_TEST(test_pageable_copies_are_over_when_the_call_returns)
{
    void *x = device_from(eight, sizeof(eight));
    double host[8];
    cuda_stream stream = stream_new();
    down(host, x, sizeof(eight), stream);
    ck_assert_int_eq(memcmp(host, eight, sizeof(eight)), 0);
    up(x, host, sizeof(host), stream);
    host[0] = 77; /* the source has been taken; the target is late all the same */
    ck_assert(is_filled(emulator_address(x), sizeof(eight), EMULATOR_POISON));
    cuda->stream_synchronize(stream);
    ck_assert_int_eq(memcmp(emulator_address(x), eight, sizeof(eight)), 0);
}
END_TEST

START_TEST(test_fair_b_from_a_then_a_from_host_on_one_stream)
{
    void *a = device_from(eight, sizeof(eight)), *b = device_new(sizeof(eight));
    double *host = pinned_new(sizeof(eight)), *back = pinned_new(sizeof(eight));
    for (int i = 0; i < 8; i++)
        host[i] = -i;
    cuda_stream stream = stream_new();
    ck_assert_int_eq(cuda->memcpy_async(b, a, sizeof(eight), CUDA_DEVICE_TO_DEVICE, stream), 0);
    up(a, host, sizeof(eight), stream);
    down(back, b, sizeof(eight), stream);
    cuda->stream_synchronize(stream);
    ck_assert_int_eq(memcmp(back, eight, sizeof(eight)), 0);
    down(back, a, sizeof(eight), stream);
    down(host, b, sizeof(eight), stream);
    cuda->stream_synchronize(stream);
    ck_assert_double_eq(back[7], -7);
}
END_TEST

START_TEST(test_fair_events_polled_until_done)
{
    void *x = device_from(eight, sizeof(eight));
    double *host = pinned_new(sizeof(eight));
    cuda_stream stream = stream_new(), second = stream_new();
    cuda_event event, after;
    cuda->event_create_with_flags(&event, CUDA_EVENT_DISABLE_TIMING);
    cuda->event_create_with_flags(&after, CUDA_EVENT_DISABLE_TIMING);
    ck_assert_int_eq(cuda->event_query(event), CUDA_SUCCESS); /* never recorded */
    down(host, x, sizeof(eight), stream);
    cuda->event_record(event, stream);
    cuda->stream_wait_event(second, event, 0);
    cuda->event_record(after, second);
    ck_assert_int_eq(cuda->event_query(after), CUDA_NOT_READY);
    int questions = 1;
    while (cuda->event_query(after) == CUDA_NOT_READY)
        ck_assert_int_lt(++questions, 10);
    ck_assert_int_eq(memcmp(host, eight, sizeof(eight)), 0);
    down(host, x, sizeof(eight), stream);
    questions = 0;
    while (cuda->stream_query(stream) == CUDA_NOT_READY)
        ck_assert_int_lt(++questions, 10);
    ck_assert_int_ge(questions, 1);
    cuda->event_destroy(event);
    cuda->event_destroy(after);
    ck_assert_int_eq(cuda->event_query(after), CUDA_INVALID_RESOURCE_HANDLE);
}
END_TEST

START_TEST(test_fair_blocks_recycled_for_hours)
{
    enum { BLOCKS = 4, ROUNDS = 20000 };
    cuda_stream stream = stream_new();
    cuda_event events[BLOCKS];
    double *blocks[BLOCKS];
    void *x = device_new(64);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = pinned_new(64);
        cuda->event_create_with_flags(&events[i], CUDA_EVENT_DISABLE_TIMING);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int i = round % BLOCKS;
        ck_assert_int_eq(cuda->event_synchronize(events[i]), CUDA_SUCCESS);
        for (int k = 0; k < 8; k++)
            blocks[i][k] = round;
        up(x, blocks[i], 64, stream);
        cuda->event_record(events[i], stream);
    }
    cuda->stream_synchronize(stream);
    ck_assert_double_eq(*(double *)emulator_address(x), ROUNDS - 1);
}
END_TEST

START_TEST(test_fair_a_long_queue_does_not_grow_for_ever)
{
    cuda_stream stream = stream_new();
    double *host = pinned_new(64);
    void *x[3] = {device_new(64), device_new(64), device_new(64)};
    memset(host, 0, 64);
    for (int i = 0; i < 5000; i++)
        up(x[i % 3], host, 64, stream);
    cuda->stream_synchronize(stream);
}
END_TEST

static void
set_flag(void *data)
{
    *(int *)data += 1;
}

START_TEST(test_host_functions_run_in_stream_order_and_may_not_call_cuda)
{
    int flag = 0;
    cuda_stream stream = stream_new();
    ck_assert_int_eq(cuda->launch_host_func(stream, set_flag, &flag), 0);
    ck_assert_int_eq(flag, 0);
    double *host = pinned_new(64); /* a function may use it: it must have run before the block is poisoned */
    ck_assert_int_eq(cuda->launch_host_func(stream, set_flag, host), 0);
    *(int *)host = 5;
    down(host, device_from(eight, sizeof(eight)), sizeof(eight), stream);
    ck_assert_int_eq(flag, 1);
    cuda->stream_synchronize(stream);
    ck_assert_double_eq(host[0], 1);
}
END_TEST

static void
call_cuda(void *data)
{
    *(int *)data = cuda->stream_synchronize(NULL);
}

START_TEST(test_functions_that_call_cuda_get_an_error_and_no_deadlock)
{
    int code = 0;
    cuda->launch_host_func(NULL, call_cuda, &code);
    cuda->stream_synchronize(NULL);
    ck_assert_int_eq(code, 800);
    cuda->get_last_error();
}
END_TEST

START_TEST(test_legacy_stream_orders_blocking_streams_and_no_others)
{
    cuda_stream blocking, free_stream = stream_new();
    ck_assert_int_eq(cuda->stream_create_with_flags(&blocking, 0), 0);
    int in_blocking = 0, in_free = 0, in_thread = 0, in_legacy = 0;
    cuda->launch_host_func(blocking, set_flag, &in_blocking);
    cuda->launch_host_func(free_stream, set_flag, &in_free);
    cuda->launch_host_func(CUDA_STREAM_PER_THREAD, set_flag, &in_thread);
    cuda->launch_host_func(NULL, set_flag, &in_legacy);
    cuda->stream_synchronize(CUDA_STREAM_LEGACY);
    ck_assert_int_eq(in_blocking + in_thread + in_legacy, 3);
    ck_assert_int_eq(in_free, 0);
    cuda->launch_host_func(NULL, set_flag, &in_legacy);
    cuda->stream_synchronize(free_stream);
    ck_assert_int_eq(in_legacy, 1);
    cuda->launch_host_func(CUDA_STREAM_PER_THREAD, set_flag, &in_thread);
    cuda->stream_synchronize(CUDA_STREAM_PER_THREAD);
    ck_assert_int_eq(in_legacy, 2);
    /* The other device has streams of its own. */
    cuda->launch_host_func(NULL, set_flag, &in_legacy);
    cuda->set_device(1);
    cuda->device_synchronize();
    ck_assert_int_eq(in_legacy, 2);
    cuda->set_device(0);
    cuda->device_synchronize();
    ck_assert_int_eq(in_legacy, 3);
}
END_TEST

START_TEST(test_a_destroyed_stream_finishes_its_work)
{
    void *x = device_from(eight, sizeof(eight));
    double *host = pinned_new(sizeof(eight));
    cuda_stream stream = stream_new();
    cuda_event event;
    cuda->event_create_with_flags(&event, 0);
    down(host, x, sizeof(eight), stream);
    cuda->event_record(event, stream);
    ck_assert_int_eq(cuda->stream_destroy(stream), 0);
    ck_assert_int_eq(cuda->stream_synchronize(stream), CUDA_INVALID_RESOURCE_HANDLE);
    ck_assert_int_eq(cuda->event_synchronize(event), 0);
    ck_assert_int_eq(memcmp(host, eight, sizeof(eight)), 0);
    cuda->get_last_error();
}
END_TEST

START_TEST(test_memset_and_2d_and_3d_copies_touch_their_bytes_only)
{
    char *x = device_new(6 * 5 * 8), *host = (char *)pinned_new(6 * 5 * 8);
    cuda->memset_async(x, 0, 6 * 5 * 8, NULL);
    memset(host, 7, 6 * 5 * 8);
    ck_assert_int_eq(cuda->memcpy_2d_async(x + 8, 40, host, 16, 16, 6, CUDA_HOST_TO_DEVICE, NULL), 0);
    cuda->stream_synchronize(NULL);
    const char *own = emulator_address(x);
    for (int i = 0; i < 240; i++)
        ck_assert_int_eq(own[i], i % 40 >= 8 && i % 40 < 24 ? 7 : 0);
    cuda_memcpy_3d copy = {.from = {host, 8, 8, 3}, .to = {x, 16, 16, 6}, .extent = {8, 3, 2}, .kind = CUDA_DEFAULT_KIND};
    memset(host, 9, 48);
    ck_assert_int_eq(cuda->memcpy_3d_async(&copy, NULL), 0);
    cuda->stream_synchronize(NULL);
    for (int i = 0; i < 240; i++) {
        int in_slice = i / 96 < 2 ? i % 96 : 95;
        bool copied = in_slice / 16 < 3 && in_slice % 16 < 8;
        ck_assert_int_eq(own[i], copied ? 9 : i % 40 >= 8 && i % 40 < 24 ? 7 : 0);
    }
}
END_TEST

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

START_TEST(test_a_source_changed_too_early_is_reported_and_wrong)
{
    void *x = device_new(64);
    double *host = pinned_new(64);
    memcpy(host, eight, 64);
    up(x, host, 64, NULL);
    host[3] = 99;
    cuda->stream_synchronize(NULL);
    expect_violation("changed by the host while a copy from them was queued");
    ck_assert_double_eq(((double *)emulator_address(x))[3], 99);
}
END_TEST

START_TEST(test_a_destination_written_too_early_is_reported)
{
    double *host = pinned_new(64);
    down(host, device_from(eight, 64), 64, NULL);
    host[3] = 99;
    cuda->stream_synchronize(NULL);
    expect_violation("changed by the host while a copy to them was queued");
}
END_TEST

START_TEST(test_races_between_streams_are_reported)
{
    void *x = device_from(eight, 64);
    double *a = pinned_new(64), *b = pinned_new(64);
    memset(a, 0, 64);
    cuda_stream one = stream_new(), two = stream_new();
    up(x, a, 64, one);
    down(b, x, 64, two); /* write and read */
    expect_violation("not ordered");
    emulator_settle();
    down(b, x, 64, one);
    down(a, x, 64, two); /* two readers */
    ck_assert_int_eq(counters_now().violations, 0);
    emulator_settle();
    cuda_event event;
    cuda->event_create_with_flags(&event, 0);
    up(x, a, 64, one);
    cuda->event_record(event, one);
    cuda->stream_wait_event(two, event, 0);
    down(b, x, 64, two); /* ordered */
    ck_assert_int_eq(counters_now().violations, 0);
    emulator_settle();
    down(b, x, 64, one);
    up(device_new(64), b, 64, two); /* one block for two */
    expect_violation("not ordered");
}
END_TEST

START_TEST(test_interleaved_columns_of_two_streams_are_no_race)
{
    char *x = device_new(8 * 16);
    double *host = pinned_new(128);
    memset(host, 0, 128);
    cuda_stream one = stream_new(), two = stream_new();
    ck_assert_int_eq(cuda->memcpy_2d_async(x, 16, host, 8, 8, 8, CUDA_HOST_TO_DEVICE, one), 0);
    ck_assert_int_eq(cuda->memcpy_2d_async(x + 8, 16, host + 8, 8, 8, 8, CUDA_HOST_TO_DEVICE, two), 0);
    ck_assert_int_eq(counters_now().violations, 0);
    ck_assert_int_eq(cuda->memcpy_2d_async(x + 4, 16, host, 8, 8, 8, CUDA_HOST_TO_DEVICE, two), 0);
    expect_violation("not ordered");
}
END_TEST

/* --- failures, counters, log -------------------------------------------------------------------------------------- */

START_TEST(test_calls_fail_by_number_and_by_name)
{
    void *x;
    emulator_fail_call(2, 999);
    ck_assert_int_eq(cuda->malloc(&x, 8), 0);
    ck_assert_int_eq(cuda->malloc(&x, 8), 999);
    ck_assert_int_eq(cuda->peek_at_last_error(), 999);
    ck_assert_int_eq(cuda->get_last_error(), 999);
    ck_assert_int_eq(cuda->malloc(&x, 8), 0);
    ck_assert_int_eq(emulator_fail_symbol("cudaStreamSynchronize", 1, 719), 0);
    ck_assert_int_eq(emulator_fail_symbol("cudaNothing", 1, 719), -1);
    ck_assert_int_eq(cuda->malloc(&x, 8), 0);
    ck_assert_int_eq(cuda->stream_synchronize(NULL), 719);
    ck_assert_int_eq(cuda->stream_synchronize(NULL), 0);
    ck_assert_str_eq(cuda->get_error_name(719), "cudaErrorLaunchFailure");
    ck_assert_str_eq(cuda->get_error_string(2), "out of memory");
}
END_TEST

START_TEST(test_an_operation_fails_when_its_turn_comes)
{
    void *x = device_from(eight, 64);
    double *host = pinned_new(64);
    cuda_event event;
    cuda->event_create_with_flags(&event, 0);
    emulator_fail_operation(2, 700);
    down(host, x, 8, NULL);
    down(host + 1, x, 8, NULL);
    cuda->event_record(event, NULL);
    ck_assert_int_eq(cuda->event_synchronize(event), 700);
    ck_assert_int_eq(cuda->event_synchronize(event), 0);
    ck_assert_double_eq(host[0], 1);
    ck_assert(is_filled(host + 1, 8, EMULATOR_POISON));
}
END_TEST

START_TEST(test_everything_is_counted_and_logged)
{
    void *x = device_from(eight, 64);
    double *host = pinned_new(64);
    emulator_reset_counters();
    emulator_log(true);
    down(host, x, 64, NULL);
    up(x, host, 32, NULL);
    cuda->stream_synchronize(NULL);
    emulator_log(false);
    cuda->stream_synchronize(NULL);
    struct emulator_counters counters = counters_now();
    ck_assert_int_eq(counters.calls, 4);
    ck_assert_int_eq(counters.copies_to_host, 1);
    ck_assert_uint_eq(counters.bytes_to_host, 64);
    ck_assert_uint_eq(counters.bytes_to_device, 32);
    ck_assert_int_eq(counters.waits, 2);
    ck_assert_int_eq(emulator_calls("cudaMemcpyAsync"), 2);
    ck_assert_int_eq(emulator_calls("cudaNothing"), -1);
    char text[4000];
    size_t length = emulator_log_text(text, sizeof(text));
    ck_assert_uint_eq(length, strlen(text));
    int lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    ck_assert_int_eq(lines, 5); /* three calls, two copies carried out */
    ck_assert_ptr_nonnull(strstr(text, "cudaStreamSynchronize("));
    ck_assert_uint_eq(emulator_log_text(NULL, 0), length);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("emulator");
    TCase *group = tcase_create("rules");
    tcase_set_timeout(group, 60);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_F37_device_memory_in_a_forked_child_faults);
    tcase_add_test(group, test_new_memory_holds_no_zeros_and_pointers_say_what_they_are);
    tcase_add_test(group, test_overruns_are_found);
    tcase_add_test(group, test_copies_that_leave_their_allocation_are_refused);
    tcase_add_test(group, test_freeing_what_a_queued_copy_needs_is_reported_and_a_release_is_not);
    tcase_add_test(group, test_a_copy_is_not_there_before_somebody_waits);
    tcase_add_test(group, test_pageable_copies_are_over_when_the_call_returns);
    tcase_add_test(group, test_fair_b_from_a_then_a_from_host_on_one_stream);
    tcase_add_test(group, test_fair_events_polled_until_done);
    tcase_add_test(group, test_fair_blocks_recycled_for_hours);
    tcase_add_test(group, test_fair_a_long_queue_does_not_grow_for_ever);
    tcase_add_test(group, test_host_functions_run_in_stream_order_and_may_not_call_cuda);
    tcase_add_test(group, test_functions_that_call_cuda_get_an_error_and_no_deadlock);
    tcase_add_test(group, test_legacy_stream_orders_blocking_streams_and_no_others);
    tcase_add_test(group, test_a_destroyed_stream_finishes_its_work);
    tcase_add_test(group, test_memset_and_2d_and_3d_copies_touch_their_bytes_only);
    tcase_add_test(group, test_a_source_changed_too_early_is_reported_and_wrong);
    tcase_add_test(group, test_a_destination_written_too_early_is_reported);
    tcase_add_test(group, test_races_between_streams_are_reported);
    tcase_add_test(group, test_interleaved_columns_of_two_streams_are_no_race);
    tcase_add_test(group, test_calls_fail_by_number_and_by_name);
    tcase_add_test(group, test_an_operation_fails_when_its_turn_comes);
    tcase_add_test(group, test_everything_is_counted_and_logged);
    suite_add_tcase(suite, group);
    TCase *bare = tcase_create("in a process of its own");
    tcase_add_test(bare, test_device_memory_faults_on_the_host_and_a_line_says_which);
    suite_add_tcase(suite, bare);
    return run_suite(suite);
}
