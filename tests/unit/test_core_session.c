/* The session: what a converting call promises, on the emulator. Lines of man/contract.md and man/failures.md by name. */
#include "session_test.h"

/* --- one array ---------------------------------------------------------------------------------------------------- */

START_TEST(test_c35_written_array_comes_back_without_a_wait)
{
    void *x = device_from(eight, sizeof(eight));
    begin();
    add(view_f64(x, 1, shape_8, strides_8, "x"));
    stage();
    for (int i = 0; i < 8; i++)
        host_of(0)[i] *= 2;
    ck_assert_int_eq(session.totals.waits, 1);
    write_back();
    ck_assert_int_eq(session.totals.waits, 1);
    ck_assert_uint_eq(session.totals.bytes_to_host, 64);
    ck_assert_uint_eq(session.totals.bytes_to_device, 64);
    session_release(&session);
    ck_assert_int_eq(*(unsigned char *)emulator_address(x), EMULATOR_POISON); /* not yet: nobody has waited */
    check_device(x, 8, (double[]){2, 4, 6, 8, 10, 12, 14, 16}, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_c35_where_no_stream_is_named_the_call_waits)
{
    void *x = device_from(eight, sizeof(eight));
    enum stream_kind kinds[] = {STREAM_NONE, STREAM_UNKNOWN};
    for (int i = 0; i < 2; i++) {
        struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
        view.stream_kind = kinds[i];
        begin();
        add(view);
        stage();
        host_of(0)[0] = 10 + i;
        write_back();
        ck_assert_int_eq(session.totals.waits, 2);
        session_release(&session);
        ck_assert_double_eq(*(double *)emulator_address(x), 10 + i);
    }
}
END_TEST

START_TEST(test_c33_a_kernel_that_raises_changes_nothing)
{
    void *x = device_from(eight, sizeof(eight));
    begin();
    add(view_f64(x, 1, shape_8, strides_8, "x"));
    stage();
    host_of(0)[3] = -1;
    session_release(&session);
    check_device(x, 8, eight, CUDA_STREAM_LEGACY);
    size_t in_use, idle;
    arena_usage(&in_use, &idle);
    ck_assert_uint_eq(in_use, 0);
}
END_TEST

START_TEST(test_c27_what_is_not_written_does_not_travel_back)
{
    void *x = device_from(eight, sizeof(eight));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.written = false;
    begin();
    add(view);
    stage();
    host_of(0)[0] = 99;
    write_back();
    ck_assert_uint_eq(session.totals.bytes_to_device, 0);
    session_release(&session);
    check_device(x, 8, eight, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_F5_overwritten_is_not_downloaded_all_else_is)
{
    void *x = device_from(eight, sizeof(eight));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    begin();
    add(view);
    stage();
    host_of(0)[0] = 42; /* the others keep what they had */
    write_back();
    session_release(&session);
    check_device(x, 2, (double[]){42, 2}, CUDA_STREAM_LEGACY);

    view.download = false;
    begin();
    add(view);
    stage();
    ck_assert_uint_eq(session.totals.bytes_to_host, 0);
    ck_assert_int_eq(session.totals.waits, 0);
    memcpy(host_of(0), eight, sizeof(eight));
    write_back();
    session_release(&session);
    check_device(x, 8, eight, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_c13_F18_empty_and_0d_arrays)
{
    void *x = device_from(eight, sizeof(eight));
    long calls = emulator_calls("cudaPointerGetAttributes");
    static const int64_t empty[] = {3, 0}, strange[] = {-7, 1 << 20};
    struct device_view view = view_f64((void *)1, 2, empty, strange, "nothing");
    begin();
    add(view);
    stage();
    ck_assert_ptr_nonnull(host_of(0));
    ck_assert_int_eq(session_view(&session, 0)->host_strides[1], 8);
    write_back();
    session_release(&session);
    ck_assert_int_eq(emulator_calls("cudaPointerGetAttributes"), calls);

    begin();
    add(view_f64(x, 0, NULL, NULL, "alpha"));
    stage();
    ck_assert_double_eq(*host_of(0), 1);
    *host_of(0) = 5;
    write_back();
    session_release(&session);
    check_device(x, 2, (double[]){5, 2}, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_c14_F13_length_1_axes_have_the_strides_of_the_order_asked_for)
{
    void *x = device_from(eight, sizeof(eight));
    static const int64_t shape[] = {8, 1}, strides[] = {8, 12345};
    struct device_view view = view_f64(x, 2, shape, strides, "x");
    enum layout_wish wishes[] = {LAYOUT_C, LAYOUT_NATURAL, LAYOUT_F};
    int64_t last[] = {8, 8, 64};
    for (int i = 0; i < 3; i++) {
        view.wish = wishes[i];
        begin();
        add(view);
        stage();
        ck_assert_int_eq(session_view(&session, 0)->host_strides[0], 8);
        ck_assert_int_eq(session_view(&session, 0)->host_strides[1], last[i]);
        ck_assert_uint_eq(session.totals.bytes_to_host, 64);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_F21_shapes_that_no_memory_can_have)
{
    static const int64_t huge[] = {INT64_MAX / 4, 16}, strides[] = {128, 8}, negative[] = {2, -1}, steep[] = {INT64_MAX / 2, 8};
    static const int64_t three[] = {3, 1};
    void *x = device_from(eight, sizeof(eight));
    begin();
    add(view_f64(x, 2, huge, strides, "huge"));
    refused(SESSION_BAD_VIEW, "'huge'");
    begin();
    add(view_f64(x, 2, negative, strides, "negative"));
    refused(SESSION_BAD_VIEW, "'negative'");
    begin();
    add(view_f64(x, 2, three, steep, "steep"));
    refused(SESSION_BAD_VIEW, "'steep'");
}
END_TEST

START_TEST(test_c26_F6_gaps_of_a_strided_output_keep_their_values)
{
    double data[32], expected[32];
    for (int i = 0; i < 32; i++)
        data[i] = expected[i] = i;
    void *x = device_from(data, sizeof(data));
    static const int64_t shape[] = {4, 4}, strides[] = {64, 16}; /* base[:, ::2] of (4, 8) */
    begin();
    add(view_f64(x, 2, shape, strides, "x"));
    stage();
    for (int i = 0; i < 16; i++) {
        ck_assert_double_eq(host_of(0)[i], i / 4 * 8 + i % 4 * 2);
        host_of(0)[i] = expected[i / 4 * 8 + i % 4 * 2] = -i;
    }
    /* Somebody else changes a gap meanwhile: it is not put back to what was downloaded. */
    ((double *)emulator_address(x))[1] = expected[1] = 77;
    write_back();
    session_release(&session);
    check_device(x, 32, expected, CUDA_STREAM_LEGACY);
    ck_assert_uint_eq(session.totals.bytes_to_device, 16 * 8);
}
END_TEST

START_TEST(test_regular_strides_are_one_copy)
{
    /* (4, 8, 16) doubles of a (4, 10, 20) array: one 3-D copy up; (8, 16) of (10, 20): one 2-D copy. */
    char *x = device_new(4 * 10 * 20 * 8);
    static const int64_t shape[] = {4, 8, 16}, strides[] = {10 * 20 * 8, 20 * 8, 8};
    for (int rank = 2; rank <= 3; rank++) {
        begin();
        add(view_f64(x, rank, shape + 3 - rank, strides + 3 - rank, "x"));
        stage();
        ck_assert_int_eq(session.totals.copies_to_host, 1);
        write_back();
        ck_assert_int_eq(session.totals.copies_to_device, 1);
        ck_assert_uint_eq(session.totals.bytes_to_device, rank == 3 ? 4 * 8 * 16 * 8 : 8 * 16 * 8);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_a_transposed_block_is_one_copy_each_way)
{
    char *x = device_new(64 * 64 * 8);
    double *own = emulator_address(x);
    for (int i = 0; i < 64 * 64; i++)
        own[i] = i;
    static const int64_t shape[] = {8, 16, 4}, turned[] = {8, 64 * 8, 16 * 64 * 8}, reversed[] = {8, 64 * 8, -16 * 64 * 8};
    for (int i = 0; i < 2; i++) {
        begin();
        add(view_f64(i == 0 ? x : x + 3 * 16 * 64 * 8, 3, shape, i == 0 ? turned : reversed, "x"));
        stage();
        ck_assert_int_eq(session.totals.copies_to_host, 1);
        ck_assert_double_eq(host_of(0)[(2 * 16 + 3) * 4 + 1], ((i == 0 ? 1 : 2) * 16 + 3) * 64 + 2);
        write_back();
        ck_assert_int_eq(session.totals.copies_to_device, 1);
        ck_assert_uint_eq(session.totals.bytes_to_device, 8 * 16 * 4 * 8);
        session_release(&session);
    }
}
END_TEST

/* A runtime that notes pitches and copies nothing: for arrays larger than this machine. */
static size_t widest_pitch, rows_by_themselves;

static int
note_pitch(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cuda_copy_kind kind,
           cuda_stream stream)
{
    (void)to, (void)from, (void)width, (void)height, (void)kind, (void)stream;
    widest_pitch = to_pitch > from_pitch ? to_pitch : from_pitch;
    return CUDA_SUCCESS;
}

static int
note_row(void *to, const void *from, size_t size, cuda_copy_kind kind, cuda_stream stream)
{
    (void)to, (void)from, (void)size, (void)kind, (void)stream;
    rows_by_themselves++;
    return CUDA_SUCCESS;
}

static int
say_device(cuda_pointer_buffer *buffer, const void *pointer)
{
    (void)pointer;
    buffer->attributes.type = CUDA_MEMORY_DEVICE;
    buffer->attributes.device = 0;
    return CUDA_SUCCESS;
}

START_TEST(test_rows_farther_apart_than_a_pitch_can_be_travel_one_by_one)
{
    struct cuda_runtime noting = *cuda;
    noting.memcpy_2d_async = note_pitch;
    noting.memcpy_async = note_row;
    noting.pointer_get_attributes = say_device;
    cuda_replace(&noting);
    static const int64_t shape[] = {3, 2}, far[] = {(int64_t)1 << 31, 8}, near[] = {((int64_t)1 << 31) - 8, 8};
    for (int i = 0; i < 2; i++) {
        struct device_view view = view_f64((void *)(uintptr_t)1024, 2, shape, i == 0 ? far : near, "x");
        widest_pitch = rows_by_themselves = 0;
        view.download = false;
        begin();
        add(view);
        stage();
        write_back();
        session_release(&session);
        ck_assert_uint_eq(widest_pitch, i == 0 ? 0 : near[0]);
        ck_assert_uint_eq(rows_by_themselves, i == 0 ? 3 : 0);
    }
    cuda_replace(cuda);
}
END_TEST

/* --- blocks ------------------------------------------------------------------------------------------------------- */

START_TEST(test_F31_a_block_is_not_reused_before_its_upload_is_over)
{
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x[2] = {device_from(eight, sizeof(eight)), device_from(eight, sizeof(eight))};
    for (int round = 0; round < 20; round++) {
        int i = round % 2;
        struct device_view view = view_f64(x[i], 1, shape_8, strides_8, "x");
        view.stream = (uintptr_t)streams[i];
        view.download = false;
        begin();
        add(view);
        stage();
        for (int k = 0; k < 8; k++)
            host_of(0)[k] = round + k;
        write_back();
        session_release(&session);
    }
    check_device(x[0], 2, (double[]){18, 19}, streams[0]);
    check_device(x[1], 2, (double[]){19, 20}, streams[1]);
}
END_TEST

START_TEST(test_a_lease_keeps_its_block_from_being_reused)
{
    void *x = device_from(eight, sizeof(eight));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    view.written = false;
    begin();
    add(view);
    stage();
    double *kept = host_of(0);
    struct staging_block *block = session_lease(&session, 0);
    ck_assert_ptr_nonnull(block);
    session_release(&session);
    for (int i = 0; i < 5; i++) {
        begin();
        add(view);
        stage();
        ck_assert_ptr_ne(host_of(0), kept);
        memset(host_of(0), 0, sizeof(eight));
        session_release(&session);
    }
    ck_assert_double_eq(kept[7], 8);
    block_let_go(block);
    ck_assert_uint_gt(arena_trim(), 0);
    size_t in_use, idle;
    arena_usage(&in_use, &idle);
    ck_assert_uint_eq(in_use + idle, 0);
}
END_TEST

START_TEST(test_steady_state_allocates_nothing)
{
    void *x[5];
    for (int i = 0; i < 5; i++)
        x[i] = device_from(eight, sizeof(eight));
    long before = 0;
    for (int round = 0; round < 50; round++) {
        if (round == 10)
            before = counters_now().host_allocations;
        begin();
        for (int i = 0; i < 5; i++)
            add(view_f64(x[i], 1, shape_8, strides_8, "x"));
        stage();
        write_back();
        session_release(&session);
    }
    ck_assert_int_eq(counters_now().host_allocations, before);
    ck_assert_int_le(before, 3);
}
END_TEST

START_TEST(test_many_views_and_nested_sessions)
{
    enum { N = 300 };
    char *x = device_new(N * 64);
    begin();
    for (int i = 0; i < N; i++)
        add(view_f64(x + 64 * i, 1, shape_8, strides_8, "x"));
    stage();
    struct session outer = session;
    begin();
    add(view_f64(x, 1, shape_8, strides_8, "inner"));
    stage();
    write_back();
    session_release(&session);
    session = outer;
    for (int i = 0; i < N; i++)
        host_of(i)[7] = i;
    write_back();
    ck_assert_int_eq(session.totals.waits, 1);
    session_release(&session);
    cuda->stream_synchronize(CUDA_STREAM_LEGACY);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(((double *)emulator_address(x + 64 * i))[7], i);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("session");
    TCase *group = tcase_create("session");
    tcase_set_timeout(group, 60);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c35_written_array_comes_back_without_a_wait);
    tcase_add_test(group, test_c35_where_no_stream_is_named_the_call_waits);
    tcase_add_test(group, test_c33_a_kernel_that_raises_changes_nothing);
    tcase_add_test(group, test_c27_what_is_not_written_does_not_travel_back);
    tcase_add_test(group, test_F5_overwritten_is_not_downloaded_all_else_is);
    tcase_add_test(group, test_c13_F18_empty_and_0d_arrays);
    tcase_add_test(group, test_c14_F13_length_1_axes_have_the_strides_of_the_order_asked_for);
    tcase_add_test(group, test_F21_shapes_that_no_memory_can_have);
    tcase_add_test(group, test_c26_F6_gaps_of_a_strided_output_keep_their_values);
    tcase_add_test(group, test_regular_strides_are_one_copy);
    tcase_add_test(group, test_a_transposed_block_is_one_copy_each_way);
    tcase_add_test(group, test_rows_farther_apart_than_a_pitch_can_be_travel_one_by_one);
    tcase_add_test(group, test_F31_a_block_is_not_reused_before_its_upload_is_over);
    tcase_add_test(group, test_a_lease_keeps_its_block_from_being_reused);
    tcase_add_test(group, test_steady_state_allocates_nothing);
    tcase_add_test(group, test_many_views_and_nested_sessions);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
