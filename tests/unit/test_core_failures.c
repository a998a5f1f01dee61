/* Any CUDA call may fail at any point: one error with its name, arrays as before or updated, the arena whole, the next
 * call works. */
#include "engine.h"

static struct session session;
static struct session_error error;
static const int64_t shape[] = {8}, strides[] = {8}, shape_2d[] = {4, 4}, strides_2d[] = {64, 16};

enum { N = 5 };
static void *arrays[N];
static const size_t sizes[N] = {64, 64, 256, 64, 64};
static cuda_stream own_stream;

static void
fill_arrays(void)
{
    emulator_settle();
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i] / 8; k++)
            ((double *)emulator_address(arrays[i]))[k] = 100 * i + (double)k;
}

/* All kinds: two devices, three streams (one unnamed), strided, managed. */
static void
make_arrays(void)
{
    for (int i = 0; i < N; i++) {
        cuda->set_device(i == 3 ? 1 : 0);
        if (i == 4)
            ck_assert_int_eq(cuda->malloc_managed(&arrays[i], sizes[i], CUDA_MANAGED_GLOBAL), 0);
        else
            arrays[i] = device_new(sizes[i]);
    }
    cuda->set_device(0);
    own_stream = stream_new();
}

static void
add_arrays(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    session_init(&session, "kernel");
    for (int i = 0; i < N; i++) {
        struct device_view view = i == 2 ? view_f64(arrays[i], 2, shape_2d, strides_2d, names[i])
                                         : view_f64(arrays[i], 1, shape, strides, names[i]);
        if (i == 0)
            view.stream = (uintptr_t)own_stream;
        if (i == 1)
            view.stream_kind = STREAM_UNKNOWN;
        if (i == 3)
            view.stream_kind = STREAM_NONE;
        ck_assert_int_eq(session_add(&session, &view), i);
    }
}

static bool somebody_waits; /* for each write-back, as for an array that the kernel has kept */

/* One whole call, that adds 1000 to everything. Where it failed: 0 nowhere, 1 while staging, 2 while writing back. */
static int
one_call(void)
{
    add_arrays();
    int where = 0;
    if (session_stage(&session, &error) != 0) {
        where = 1;
    } else {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < (i == 2 ? 16 : 8); k++)
                ((double *)session_view(&session, i)->host)[k] += 1000;
        if (session_write_back(&session, &error) != 0)
            where = 2;
    }
    if (somebody_waits)
        session_wait(&session);
    session_release(&session);
    return where;
}

static bool
is_gap(int array, int element)
{
    return array == 2 && element % 2 != 0;
}

/* An array whose elements are all as before plus `added`; gaps as before. */
static bool
array_holds(int array, double added)
{
    const double *values = emulator_address(arrays[array]);
    for (int k = 0; k < (int)(sizes[array] / 8); k++)
        if (values[k] != 100 * array + k + (is_gap(array, k) ? 0 : added))
            return false;
    return true;
}

static void
check_arrays(int where)
{
    emulator_settle();
    for (int i = 0; i < N; i++) {
        bool before = array_holds(i, 0), after = array_holds(i, 1000);
        if (i == 4) /* used in place: the kernel has changed it if it has run */
            ck_assert(where == 1 ? before : after);
        else
            ck_assert_msg(where == 0 ? after : where == 1 ? before : before || after, "array %d", i);
    }
}

static void
check_after_failure(long number)
{
    int device = -1;
    ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
    ck_assert_int_eq(cuda->get_device(&device), CUDA_SUCCESS);
    ck_assert_msg(device == 0, "call %ld: the current device is %d", number, device);
    cuda_capture_mode mode = CUDA_CAPTURE_MODE_GLOBAL;
    ck_assert_int_eq(cuda->thread_exchange_stream_capture_mode(&mode), CUDA_SUCCESS);
    ck_assert_int_eq(mode, CUDA_CAPTURE_MODE_GLOBAL);
    size_t in_use, idle;
    emulator_settle();
    fill_arrays();
    int where = one_call();
    /* What failed while nobody waited is told by the next call, which then has done nothing; the one after that works. */
    if (where != 0) {
        ck_assert_msg(error.kind == SESSION_EARLIER, "call %ld: %s", number, error.text);
        ck_assert_int_eq(where, 1);
        check_arrays(1);
        fill_arrays();
        where = one_call();
    }
    ck_assert_msg(where == 0, "call %ld: the call after the failure fails: %s", number, error.text);
    check_arrays(0);
    arena_trim();
    arena_usage(&in_use, &idle);
    ck_assert_msg(in_use == 0 && idle == 0, "call %ld: %zu bytes in use, %zu idle", number, in_use, idle);
    ck_assert_uint_eq(emulator_allocated(-1), 0);
}

/* The loops below run in one process, so that each failure meets whatever the last one left behind. */
static void
fail_each_call(bool warm)
{
    make_arrays();
    if (warm)
        one_call();
    int failures[3] = {0};
    for (long number = 1; number < 1000; number++) {
        if (!warm)
            arena_trim();
        fill_arrays();
        long calls = counters_now().calls;
        emulator_fail_call(number, CUDA_MEMORY_ALLOCATION + 997); /* 999, unknown error */
        int where = one_call();
        bool reached = counters_now().calls - calls >= number;
        emulator_fail_call(0, 0);
        failures[where]++;
        if (where != 0) {
            ck_assert_msg(error.kind == SESSION_CUDA || error.kind == SESSION_EARLIER, "call %ld: %s", number, error.text);
            ck_assert_msg(strstr(error.text, "cudaErrorUnknown") != NULL, "call %ld: %s", number, error.text);
            ck_assert_str_eq(error.cuda_name, "cudaErrorUnknown");
        }
        check_arrays(where);
        check_after_failure(number);
        if (warm)
            one_call();
        if (!reached)
            break;
    }
    ck_assert_int_gt(failures[1], 10);
    ck_assert_int_gt(failures[2], 5);
}

START_TEST(test_any_call_may_fail_when_the_arena_is_empty)
{
    fail_each_call(false);
}
END_TEST

START_TEST(test_any_call_may_fail_when_the_arena_is_warm)
{
    fail_each_call(true);
}
END_TEST

START_TEST(test_any_call_may_fail_when_the_write_back_is_waited_for)
{
    somebody_waits = true;
    fail_each_call(true);
}
END_TEST

START_TEST(test_a_device_that_is_gone_fails_every_call_and_leaks_nothing)
{
    make_arrays();
    fill_arrays();
    ck_assert_int_eq(one_call(), 0);
    emulator_break(CUDA_LAUNCH_FAILURE);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(one_call(), 1);
        ck_assert_int_eq(error.cuda, CUDA_LAUNCH_FAILURE);
        ck_assert_str_eq(error.cuda_name, "cudaErrorLaunchFailure");
        /* Nobody can tell whether the copy back was over before: it is named, once. */
        ck_assert_msg((strstr(error.text, "perhaps the write-back of") != NULL) == (i == 0), "%d: %s", i, error.text);
    }
    emulator_break(0);
    check_after_failure(0);
}
END_TEST

START_TEST(test_a_failure_in_the_kernels_middle_leaves_the_blocks_until_the_device_is_idle)
{
    make_arrays();
    fill_arrays();
    add_arrays();
    ck_assert_int_eq(session_stage(&session, &error), 0);
    emulator_break(CUDA_LAUNCH_FAILURE); /* while the kernel runs */
    ck_assert_int_eq(session_write_back(&session, &error), -1);
    session_release(&session);
    emulator_break(0);
    emulator_settle();
    check_after_failure(0);
}
END_TEST

static int
cannot_wait(cuda_stream stream)
{
    (void)stream;
    return 999;
}

START_TEST(test_blocks_of_copies_that_could_not_be_waited_for_are_not_reused)
{
    struct cuda_runtime deaf = *cuda;
    deaf.stream_synchronize = cannot_wait;
    void *x = device_from((double[]){1, 2, 3, 4, 5, 6, 7, 8}, 64), *y = device_from((double[]){8, 7, 6, 5, 4, 3, 2, 1}, 64);
    struct device_view first = view_f64(x, 1, shape, strides, "x"), second = view_f64(y, 1, shape, strides, "y");
    cuda_stream stream = stream_new();
    second.stream = (uintptr_t)stream;
    cuda_replace(&deaf);
    session_init(&session, "first");
    session_add(&session, &first);
    ck_assert_int_eq(session_stage(&session, &error), -1);
    session_release(&session);
    cuda_replace(cuda);
    session_init(&session, "second");
    session_add(&session, &second);
    ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
    ck_assert_double_eq(*(double *)session_view(&session, 0)->host, 8);
    session_release(&session);
    arena_trim();
    ck_assert_uint_eq(emulator_allocated(-1), 0);
}
END_TEST

static int
only_device_1(int device)
{
    return device == 1 ? cuda->set_device(1) : CUDA_MEMORY_ALLOCATION;
}

START_TEST(test_F32_a_callers_device_that_cannot_be_had_again_is_an_error_and_captures_stay_as_strict)
{
    struct cuda_runtime full = *cuda; /* the first use of a device makes its context, for which there may be no memory */
    full.set_device = only_device_1;
    cuda->set_device(1);
    void *x = device_new(64);
    cuda->set_device(0);
    struct device_view view = view_f64(x, 1, shape, strides, "x");
    cuda_replace(&full);
    session_init(&session, "kernel");
    session_add(&session, &view);
    ck_assert_int_eq(session_stage(&session, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "cudaErrorMemoryAllocation"));
    session_release(&session);
    cuda_replace(cuda);
    cuda_capture_mode mode = CUDA_CAPTURE_MODE_RELAXED;
    ck_assert_int_eq(cuda->thread_exchange_stream_capture_mode(&mode), CUDA_SUCCESS);
    ck_assert_int_eq(mode, CUDA_CAPTURE_MODE_GLOBAL);
    arena_trim();
    ck_assert_uint_eq(emulator_allocated(-1), 0);
}
END_TEST

START_TEST(test_captures_stay_as_strict_whatever_fails_in_a_trim)
{
    make_arrays();
    for (int number = 1; number <= 3; number++) {
        cuda_capture_mode mode = CUDA_CAPTURE_MODE_RELAXED;
        ck_assert_int_eq(one_call(), 0);
        emulator_settle();
        emulator_fail_symbol("cudaThreadExchangeStreamCaptureMode", number, 999);
        arena_trim();
        emulator_fail_call(0, 0);
        ck_assert_uint_eq(emulator_allocated(-1), 0);
        ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
        ck_assert_int_eq(cuda->thread_exchange_stream_capture_mode(&mode), CUDA_SUCCESS);
        ck_assert_int_eq(mode, CUDA_CAPTURE_MODE_GLOBAL);
        cuda->thread_exchange_stream_capture_mode(&mode);
    }
}
END_TEST

START_TEST(test_c40_an_error_left_over_is_reported_as_such_once)
{
    make_arrays();
    fill_arrays();
    ck_assert_int_eq(cuda->set_device(99), CUDA_INVALID_DEVICE); /* somebody's mistake */
    ck_assert_int_eq(one_call(), 1);
    ck_assert_int_eq(error.kind, SESSION_STALE_ERROR);
    ck_assert_ptr_nonnull(strstr(error.text, "cudaErrorInvalidDevice"));
    check_arrays(1);
    ck_assert_int_eq(one_call(), 0);
}
END_TEST

START_TEST(test_c40_that_something_was_not_ready_is_no_error)
{
    make_arrays();
    fill_arrays();
    ck_assert_int_eq(cuda->memset_async(device_new(8), 0, 8, own_stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuda->stream_query(own_stream), CUDA_NOT_READY);
    ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_NOT_READY);
    ck_assert_int_eq(one_call(), 0);
}
END_TEST

START_TEST(test_c40_an_error_of_work_queued_before_is_not_blamed_on_the_call)
{
    make_arrays();
    fill_arrays();
    emulator_fail_operation(1, CUDA_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuda->memset_async(arrays[0], 0, 8, own_stream), CUDA_SUCCESS);
    ck_assert_int_eq(one_call(), 1);
    ck_assert_int_eq(error.kind, SESSION_STALE_ERROR);
    ck_assert_ptr_nonnull(strstr(error.text, "before this call"));
    emulator_settle();
    fill_arrays();
    ck_assert_int_eq(one_call(), 0);
}
END_TEST

/* Calls on another stream, or on the same one, until the failure of the first call's write-back is told. */
static void
fail_write_back(bool same_stream)
{
    void *x = device_from((double[]){1, 2, 3, 4, 5, 6, 7, 8}, 64);
    struct device_view view = view_f64(x, 1, shape, strides, "field");
    session_init(&session, "smooth");
    session_add(&session, &view);
    ck_assert_int_eq(session_stage(&session, &error), 0);
    emulator_fail_operation(1, CUDA_ILLEGAL_ADDRESS);
    ck_assert_int_eq(session_write_back(&session, &error), 0);
    session_release(&session);
    int told = 0;
    for (int i = 0; i < 6; i++) {
        void *y = device_new(64);
        struct device_view other = view_f64(y, 1, shape, strides, "other");
        if (!same_stream)
            other.stream = (uintptr_t)stream_new();
        session_init(&session, "next");
        session_add(&session, &other);
        if (session_stage(&session, &error) != 0) {
            told++;
            ck_assert_msg(error.kind == SESSION_EARLIER, "%d: %s", i, error.text);
            ck_assert_ptr_nonnull(strstr(error.text, "smooth(): argument 'field'"));
            ck_assert_str_eq(error.cuda_name, "cudaErrorIllegalAddress");
        }
        session_release(&session);
    }
    ck_assert_int_eq(told, 1);
}

START_TEST(test_c40_an_error_of_other_work_is_told_once_and_not_as_that_of_a_write_back)
{
    make_arrays();
    fill_arrays();
    ck_assert_int_eq(one_call(), 0);
    emulator_settle();
    ck_assert_int_eq(one_call(), 0); /* finds that the first one's copies are over, and has its own */
    emulator_settle();
    emulator_fail_operation(1, CUDA_ILLEGAL_ADDRESS); /* a kernel of somebody else's */
    ck_assert_int_eq(cuda->memset_async(arrays[0], 0, 8, own_stream), CUDA_SUCCESS);
    int n_told = 0;
    for (int i = 0; i < 5; i++)
        if (one_call() != 0) {
            n_told++;
            ck_assert_msg(strstr(error.text, "before this call") != NULL, "%s", error.text);
            ck_assert_msg(strstr(error.text, "write-back failed") == NULL, "%s", error.text);
        }
    ck_assert_int_eq(n_told, 1);
}
END_TEST

START_TEST(test_c40_a_failed_write_back_is_told_later_with_kernel_and_argument)
{
    fail_write_back(false);
    fail_write_back(true);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("failures");
    TCase *group = tcase_create("failures");
    tcase_set_timeout(group, 120);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_any_call_may_fail_when_the_arena_is_empty);
    tcase_add_test(group, test_any_call_may_fail_when_the_arena_is_warm);
    tcase_add_test(group, test_any_call_may_fail_when_the_write_back_is_waited_for);
    tcase_add_test(group, test_a_device_that_is_gone_fails_every_call_and_leaks_nothing);
    tcase_add_test(group, test_a_failure_in_the_kernels_middle_leaves_the_blocks_until_the_device_is_idle);
    tcase_add_test(group, test_blocks_of_copies_that_could_not_be_waited_for_are_not_reused);
    tcase_add_test(group, test_F32_a_callers_device_that_cannot_be_had_again_is_an_error_and_captures_stay_as_strict);
    tcase_add_test(group, test_captures_stay_as_strict_whatever_fails_in_a_trim);
    tcase_add_test(group, test_c40_an_error_left_over_is_reported_as_such_once);
    tcase_add_test(group, test_c40_that_something_was_not_ready_is_no_error);
    tcase_add_test(group, test_c40_an_error_of_work_queued_before_is_not_blamed_on_the_call);
    tcase_add_test(group, test_c40_an_error_of_other_work_is_told_once_and_not_as_that_of_a_write_back);
    tcase_add_test(group, test_c40_a_failed_write_back_is_told_later_with_kernel_and_argument);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
