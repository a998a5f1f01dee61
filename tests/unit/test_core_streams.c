/* Streams, devices and kinds of memory. */
#include "session_test.h"

#include <stdio.h>
#include <unistd.h>

/* --- streams ------------------------------------------------------------------------------------------------------ */

struct producer {
    double *target;
    int n;
};

static void
produce(void *data)
{
    struct producer *producer = data;
    usleep(20000);
    for (int i = 0; i < producer->n; i++)
        ((double *)emulator_address(producer->target))[i] = 100 + i;
}

static void
launch_producer(struct producer *producer, cuda_stream stream)
{
    struct emulator_range range = {producer->target, sizeof(double) * (size_t)producer->n, true};
    ck_assert_int_eq(emulator_launch(stream, produce, producer, &range, 1), CUDA_SUCCESS);
}

START_TEST(test_c36_F28_F30_downloads_come_after_a_slow_producer)
{
    cuda_stream blocking;
    ck_assert_int_eq(cuda->stream_create_with_flags(&blocking, 0), 0);
    struct {
        enum stream_kind kind;
        cuda_stream producer;
    } cases[] = {{STREAM_HANDLE, stream_new()},
                 {STREAM_HANDLE, blocking},
                 {STREAM_HANDLE, NULL},
                 {STREAM_HANDLE, CUDA_STREAM_LEGACY},
                 {STREAM_HANDLE, CUDA_STREAM_PER_THREAD},
                 {STREAM_UNKNOWN, blocking},
                 {STREAM_UNKNOWN, CUDA_STREAM_LEGACY},
                 {STREAM_UNKNOWN, CUDA_STREAM_PER_THREAD}};
    for (int i = 0; i < 8; i++) {
        void *x = device_from(eight, sizeof(eight));
        struct producer producer = {x, 8};
        launch_producer(&producer, cases[i].producer);
        struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
        view.stream_kind = cases[i].kind;
        view.stream = (uintptr_t)cases[i].producer;
        begin();
        add(view);
        stage();
        for (int k = 0; k < 8; k++)
            ck_assert_double_eq(host_of(0)[k], 100 + k);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_F28_stream_none_waits_for_nobody)
{
    void *x = device_from(eight, sizeof(eight)), *y = device_from(eight, sizeof(eight));
    static struct producer producer; /* it runs when the test is over */
    producer = (struct producer){y, 8};
    launch_producer(&producer, CUDA_STREAM_LEGACY); /* to other memory: the caller knows that x is ready */
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.stream_kind = STREAM_NONE;
    view.written = false;
    begin();
    add(view);
    stage();
    ck_assert_double_eq(host_of(0)[7], 8);
    ck_assert_double_eq(*(double *)emulator_address(y), 1); /* still not produced */
    session_release(&session);
}
END_TEST

START_TEST(test_one_wait_for_arrays_of_several_streams)
{
    cuda_stream streams[] = {stream_new(), stream_new(), CUDA_STREAM_LEGACY};
    struct producer producers[3];
    begin();
    for (int i = 0; i < 3; i++) {
        producers[i] = (struct producer){device_from(eight, sizeof(eight)), 8};
        launch_producer(&producers[i], streams[i]);
        struct device_view view = view_f64(producers[i].target, 1, shape_8, strides_8, "x");
        view.stream = (uintptr_t)streams[i];
        add(view);
    }
    stage();
    ck_assert_int_eq(session.totals.waits, 1);
    ck_assert_int_eq(counters_now().waits, 1);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(host_of(i)[7], 107);
    write_back();
    ck_assert_int_eq(session.totals.waits, 1);
    session_release(&session);
    for (int i = 0; i < 3; i++) /* each on its own stream */
        check_device(producers[i].target, 1, (double[]){100}, streams[i]);
}
END_TEST

/* The same array twice, as its users on two streams give it. */
static void
add_on_both(struct device_view view, cuda_stream const streams[2])
{
    for (int i = 0; i < 2; i++) {
        view.stream = (uintptr_t)streams[i];
        add(view);
    }
}

START_TEST(test_c35_overlapping_views_of_two_streams_are_ordered_for_both)
{
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x = device_from(eight, sizeof(eight));
    struct producer producer = {x, 8};
    launch_producer(&producer, streams[1]);
    begin();
    add_on_both(view_f64(x, 1, shape_8, strides_8, "x"), streams);
    stage();
    ck_assert_double_eq(host_of(0)[0], 100);
    host_of(1)[0] = 1;
    write_back();
    session_release(&session);
    /* The reader on the second stream sees it, although the copy is on the first. */
    check_device(x, 1, (double[]){1}, streams[1]);
}
END_TEST

START_TEST(test_c35_overwritten_views_of_two_streams_wait_for_the_work_of_both)
{
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x = device_from(eight, sizeof(eight));
    struct producer producer = {x, 8};
    launch_producer(&producer, streams[1]);
    begin();
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.download = false;
    add_on_both(view, streams);
    stage();
    ck_assert_int_eq(session.totals.waits, 0); /* the host needs nothing of them */
    memcpy(host_of(0), eight, sizeof(eight));
    write_back();
    session_release(&session);
    check_device(x, 8, eight, streams[0]);
    check_device(x, 8, eight, streams[1]);
}
END_TEST

START_TEST(test_c35_the_copy_back_is_on_the_stream_of_the_array_that_is_written)
{
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x = device_from(eight, sizeof(eight));
    begin();
    for (int i = 0; i < 2; i++) {
        struct device_view view = view_f64(x, 1, shape_8, strides_8, i == 0 ? "read" : "written");
        view.stream = (uintptr_t)streams[i];
        view.written = i == 1;
        add(view);
    }
    stage();
    emulator_log(true);
    write_back();
    emulator_log(false);
    session_release(&session);
    char log[2000], wanted[60];
    emulator_log_text(log, sizeof(log));
    snprintf(wanted, sizeof(wanted), "64, kind 1, stream %p", (void *)streams[1]);
    ck_assert_msg(strstr(log, wanted) != NULL, "%s", log);
}
END_TEST

START_TEST(test_c39_capture_is_one_error_and_nothing_is_queued)
{
    cuda_stream stream = stream_new(), blocking;
    ck_assert_int_eq(cuda->stream_create_with_flags(&blocking, 0), 0);
    void *x = device_from(eight, sizeof(eight));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    cuda_stream captured[] = {stream, blocking};
    for (int i = 0; i < 2; i++) { /* the stream itself; and the legacy one while a blocking one is captured */
        view.stream = i == 0 ? (uintptr_t)stream : 1;
        emulator_capture(captured[i], true, false);
        begin();
        add(view);
        refused(SESSION_CAPTURE, "captured");
        emulator_capture(captured[i], false, false);
        ck_assert_int_eq(counters_now().copies_to_host, 0);
        ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
    }
    begin();
    add(view);
    stage();
    session_release(&session);
}
END_TEST

START_TEST(test_c39_a_call_on_other_streams_leaves_a_capture_alone)
{
    cuda_stream captured = stream_new(), stream = stream_new();
    void *x = device_from(eight, sizeof(eight));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.stream = (uintptr_t)stream;
    emulator_capture(captured, true, true);
    for (int i = 0; i < 3; i++) { /* page-locks memory; later asks whether the last copy is over */
        begin();
        add(view);
        stage();
        host_of(0)[0] = 10 + i;
        write_back();
        session_wait(&session);
        session_release(&session);
        begin();
        add(view);
        stage();
        write_back();
        session_release(&session);
    }
    arena_trim();
    int status;
    ck_assert_int_eq(cuda->stream_is_capturing(captured, &status), CUDA_SUCCESS);
    ck_assert_int_eq(status, CUDA_CAPTURE_ACTIVE);
    /* The thread is as it was: what is forbidden is so again. */
    ck_assert_int_eq(cuda->device_synchronize(), CUDA_STREAM_CAPTURE_UNSUPPORTED);
    ck_assert_int_eq(cuda->stream_is_capturing(captured, &status), CUDA_SUCCESS);
    ck_assert_int_eq(status, CUDA_CAPTURE_INVALIDATED);
    emulator_capture(captured, false, false);
    check_device(x, 1, (double[]){12}, stream);
}
END_TEST

/* --- devices and kinds of memory ---------------------------------------------------------------------------------- */

START_TEST(test_c37_F32_F33_arrays_of_two_devices_and_the_callers_current_one)
{
    void *x[2];
    for (int device = 0; device < 2; device++) {
        cuda->set_device(device);
        x[device] = device_from(eight, sizeof(eight));
    }
    for (int current = 0; current < 2; current++) {
        cuda->set_device(current);
        begin();
        for (int device = 0; device < 2; device++)
            add(view_f64(x[device], 1, shape_8, strides_8, "x"));
        stage();
        int now;
        cuda->get_device(&now);
        ck_assert_int_eq(now, current);
        ck_assert_int_eq(session.totals.waits, 2); /* one a device */
        for (int device = 0; device < 2; device++) {
            ck_assert_int_eq(session_view(&session, device)->device, device);
            host_of(device)[0] = 10 * current + device;
        }
        write_back();
        cuda->get_device(&now);
        ck_assert_int_eq(now, current);
        session_release(&session);
        for (int device = 0; device < 2; device++) {
            cuda->set_device(device);
            check_device(x[device], 1, (double[]){10 * current + device}, CUDA_STREAM_LEGACY);
        }
    }
}
END_TEST

START_TEST(test_c37_a_stream_of_another_device_than_the_array_takes_its_copies)
{
    cuda_stream stream = stream_new(); /* of device 0 */
    cuda->set_device(1);
    void *x = device_from(eight, sizeof(eight)), *y = device_from(eight, sizeof(eight));
    cuda->set_device(0);
    struct producer producer = {x, 8};
    launch_producer(&producer, stream);
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.stream = (uintptr_t)stream;
    begin();
    add(view);
    add(view_f64(y, 1, shape_8, strides_8, "y")); /* on the legacy stream of device 1 */
    stage();
    ck_assert_double_eq(host_of(0)[7], 107);
    host_of(0)[0] = 5;
    write_back();
    session_release(&session);
    ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
    check_device(x, 1, (double[]){5}, stream);
}
END_TEST

START_TEST(test_c38_F34_managed_and_pinned_memory_is_used_in_place_after_a_wait)
{
    void *memory[2];
    ck_assert_int_eq(cuda->malloc_managed(&memory[0], sizeof(eight), CUDA_MANAGED_GLOBAL), 0);
    ck_assert_int_eq(cuda->host_alloc(&memory[1], sizeof(eight), 0), 0);
    for (int i = 0; i < 2; i++) {
        cuda_stream stream = stream_new();
        struct producer producer = {memory[i], 8};
        launch_producer(&producer, stream);
        struct device_view view = view_f64(memory[i], 1, shape_8, strides_8, "x");
        view.stream = (uintptr_t)stream;
        begin();
        add(view);
        stage();
        ck_assert_ptr_eq(host_of(0), memory[i]);
        ck_assert(session_view(&session, 0)->in_place);
        ck_assert_double_eq(host_of(0)[7], 107);
        ck_assert_int_eq(session.totals.waits, 1);
        host_of(0)[0] = 3;
        write_back();
        ck_assert_uint_eq(session.totals.bytes_to_host + session.totals.bytes_to_device, 0);
        ck_assert_ptr_null(session_lease(&session, 0));
        session_release(&session);
        ck_assert_double_eq(*(double *)memory[i], 3);
    }
}
END_TEST

START_TEST(test_c38_F28_in_place_of_no_named_stream_after_all_blocking_streams)
{
    cuda_stream blocking;
    ck_assert_int_eq(cuda->stream_create_with_flags(&blocking, 0), 0);
    for (int device_too = 0; device_too < 2; device_too++) {
        void *managed;
        ck_assert_int_eq(cuda->malloc_managed(&managed, sizeof(eight), CUDA_MANAGED_GLOBAL), 0);
        struct producer producer = {managed, 8};
        launch_producer(&producer, blocking);
        begin();
        struct device_view view = view_f64(managed, 1, shape_8, strides_8, "x");
        view.stream_kind = STREAM_UNKNOWN;
        add(view);
        if (device_too)
            add(view_f64(device_from(eight, sizeof(eight)), 1, shape_8, strides_8, "y"));
        stage();
        ck_assert_double_eq(host_of(0)[7], 107);
        ck_assert_int_eq(session.totals.waits, 1);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_c38_strided_managed_memory_is_packed_and_put_back_on_the_host)
{
    double *memory;
    ck_assert_int_eq(cuda->malloc_managed((void **)&memory, 16 * sizeof(double), CUDA_MANAGED_GLOBAL), 0);
    for (int i = 0; i < 16; i++)
        memory[i] = i;
    static const int64_t step[] = {-16};
    begin();
    add(view_f64(memory + 14, 1, shape_8, step, "x")); /* memory[14::-2] */
    stage();
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq(host_of(0)[i], 14 - 2 * i);
        host_of(0)[i] = -i;
    }
    ck_assert(!session_view(&session, 0)->in_place);
    write_back();
    session_release(&session);
    for (int i = 0; i < 16; i++)
        ck_assert_double_eq(memory[i], i % 2 == 1 ? i : i / 2 - 7);
}
END_TEST

START_TEST(test_a_pointer_of_nobody_is_named)
{
    static double mine[8];
    begin();
    add(view_f64(mine, 1, shape_8, strides_8, "x"));
    refused(SESSION_BAD_POINTER, "'x'");
    ck_assert(strstr(error.text, "emulator") != NULL);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("streams");
    TCase *group = tcase_create("streams");
    tcase_set_timeout(group, 60);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c36_F28_F30_downloads_come_after_a_slow_producer);
    tcase_add_test(group, test_F28_stream_none_waits_for_nobody);
    tcase_add_test(group, test_one_wait_for_arrays_of_several_streams);
    tcase_add_test(group, test_c35_overlapping_views_of_two_streams_are_ordered_for_both);
    tcase_add_test(group, test_c35_overwritten_views_of_two_streams_wait_for_the_work_of_both);
    tcase_add_test(group, test_c35_the_copy_back_is_on_the_stream_of_the_array_that_is_written);
    tcase_add_test(group, test_c39_capture_is_one_error_and_nothing_is_queued);
    tcase_add_test(group, test_c39_a_call_on_other_streams_leaves_a_capture_alone);
    tcase_add_test(group, test_c37_F32_F33_arrays_of_two_devices_and_the_callers_current_one);
    tcase_add_test(group, test_c37_a_stream_of_another_device_than_the_array_takes_its_copies);
    tcase_add_test(group, test_c38_F34_managed_and_pinned_memory_is_used_in_place_after_a_wait);
    tcase_add_test(group, test_c38_F28_in_place_of_no_named_stream_after_all_blocking_streams);
    tcase_add_test(group, test_c38_strided_managed_memory_is_packed_and_put_back_on_the_host);
    tcase_add_test(group, test_a_pointer_of_nobody_is_named);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
