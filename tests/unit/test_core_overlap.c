/* Several arrays of a call that share memory. */
#include "session_test.h"

START_TEST(test_c25_overlapping_views_overlap_on_the_host)
{
    void *x = device_from(eight, sizeof(eight));
    static const int64_t seven[] = {7};
    struct device_view left = view_f64(x, 1, seven, strides_8, "left"); /* x[:-1] */
    struct device_view right = view_f64((char *)x + 8, 1, seven, strides_8, "right");
    right.written = false;
    begin();
    add(left);
    add(right);
    stage();
    ck_assert_ptr_eq(host_of(1), host_of(0) + 1);
    ck_assert_uint_eq(session.totals.bytes_to_host, 64); /* the union, once */
    ck_assert_int_eq(session.totals.copies_to_host, 1);
    host_of(0)[1] = 50;
    ck_assert_double_eq(host_of(1)[0], 50);
    write_back();
    ck_assert_uint_eq(session.totals.bytes_to_device, 56);
    session_release(&session);
    check_device(x, 8, (double[]){1, 50, 3, 4, 5, 6, 7, 8}, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_c25_an_overlap_that_the_kernel_could_not_see_names_both)
{
    double data[16] = {0};
    void *x = device_from(data, sizeof(data));
    static const int64_t step[] = {16};
    begin();
    add(view_f64(x, 1, shape_8, step, "even"));
    add(view_f64(x, 1, shape_8, strides_8, "head"));
    refused(SESSION_CONFLICT, "'even'");
    ck_assert(strstr(error.text, "'head'") != NULL);
    ck_assert_int_eq(error.first, 0);
    ck_assert_int_eq(error.second, 1);
    /* With real strides it can. */
    begin();
    struct device_view even = view_f64(x, 1, shape_8, step, "even");
    even.wish = LAYOUT_NATURAL;
    add(even);
    add(view_f64(x, 1, shape_8, strides_8, "head"));
    stage();
    ck_assert_int_eq(session_view(&session, 0)->host_strides[0], 16);
    ck_assert_ptr_eq(host_of(0), host_of(1));
    session_release(&session);
}
END_TEST

START_TEST(test_c25_each_byte_travels_once_and_all_that_are_written_do)
{
    double data[16];
    for (int i = 0; i < 16; i++)
        data[i] = i;
    void *x = device_from(data, sizeof(data));
    static const int64_t step[] = {16}, all[] = {16};
    struct device_view even = view_f64(x, 1, shape_8, step, "even");
    even.wish = LAYOUT_NATURAL;
    begin(); /* covered by another one */
    add(even);
    add(view_f64(x, 1, all, strides_8, "all"));
    stage();
    write_back();
    ck_assert_uint_eq(session.totals.bytes_to_host, 128);
    ck_assert_uint_eq(session.totals.bytes_to_device, 128);
    session_release(&session);
    begin(); /* covered in part */
    add(even);
    add(view_f64((double *)x + 8, 1, shape_8, strides_8, "tail"));
    stage();
    for (int i = 0; i < 8; i++)
        *(double *)((char *)session_view(&session, 0)->host + 16 * i) = data[2 * i] = 100 + i;
    host_of(1)[1] = data[9] = 50;
    write_back();
    session_release(&session);
    check_device(x, 16, data, CUDA_STREAM_LEGACY);
}
END_TEST

/* Columns of a matrix with 64 rows of 4096 bytes: too far apart for all bytes between them to travel. */
static struct device_view
columns(char *matrix, int first, const int64_t shape[2], const char *argument)
{
    static const int64_t strides[] = {4096, 8};
    struct device_view view = view_f64(matrix + 8 * first, 2, shape, strides, argument);
    view.wish = LAYOUT_NATURAL;
    return view;
}

START_TEST(test_c25_strided_views_that_hold_one_another_travel_once)
{
    static const int64_t shapes[][2] = {{64, 3}, {64, 3}, {62, 2}, {64, 1}};
    static const int firsts[] = {0, 0, 513, 2};
    char *matrix = device_new(64 * 4096);
    for (int order = 0; order < 2; order++) {
        begin();
        for (int i = 0; i < 4; i++) {
            int k = order == 0 ? i : 3 - i;
            add(columns(matrix, firsts[k], shapes[k], "x"));
        }
        stage();
        ck_assert_uint_eq(session.totals.bytes_to_host, 64 * 3 * 8);
        for (int i = 0; i < 4; i++)
            *host_of(i) = i + 1;
        write_back();
        ck_assert_uint_eq(session.totals.bytes_to_device, 64 * 3 * 8);
        ck_assert_int_eq(session.totals.copies_to_device, 1);
        session_release(&session);
        check_device(matrix + 8 * 513, 1, (double[]){order == 0 ? 3 : 2}, CUDA_STREAM_LEGACY);
        check_device(matrix + 8 * 2, 1, (double[]){order == 0 ? 4 : 1}, CUDA_STREAM_LEGACY);
    }
}
END_TEST

START_TEST(test_c25_windows_of_one_array_travel_as_its_bytes)
{
    /* 97 windows of 4 numbers, each one number behind the last. */
    static const int64_t shape[] = {97, 4}, strides[] = {8, 8};
    double hundred[100] = {0};
    void *x = device_from(hundred, sizeof(hundred));
    struct device_view view = view_f64(x, 2, shape, strides, "x");
    view.wish = LAYOUT_NATURAL;
    begin();
    add(view);
    stage();
    host_of(0)[99] = 7;
    write_back();
    ck_assert_uint_eq(session.totals.bytes_to_host, sizeof(hundred));
    ck_assert_uint_eq(session.totals.bytes_to_device, sizeof(hundred));
    ck_assert_int_eq(session.totals.copies_to_device, 1);
    session_release(&session);
    check_device((double *)x + 99, 1, (double[]){7}, CUDA_STREAM_LEGACY);
}
END_TEST

START_TEST(test_F16_windows_of_rows_with_gaps_are_packed)
{
    /* Three windows of three rows, of five rows of 16 elements that are 17 apart: no copy of slices of rows can step so. */
    double data[5 * 17];
    for (int i = 0; i < 5 * 17; i++)
        data[i] = i;
    void *x = device_from(data, sizeof(data));
    static const int64_t shape[] = {3, 3, 16}, strides[] = {136, 136, 8};
    struct device_view view = view_f64(x, 3, shape, strides, "windows");
    view.written = false;
    begin();
    add(view);
    stage();
    for (int i = 0; i < 3 * 3 * 16; i++)
        ck_assert_double_eq(host_of(0)[i], (i / 48 + i / 16 % 3) * 17 + i % 16);
    session_release(&session);
}
END_TEST

START_TEST(test_a_broadcast_column_travels_once)
{
    static const int64_t shape[] = {64, 50}, strides[] = {4096, 0};
    char *matrix = device_new(64 * 4096);
    for (int i = 0; i < 64; i++)
        *(double *)(emulator_address(matrix + 4096 * i)) = i;
    for (enum layout_wish wish = LAYOUT_C; wish <= LAYOUT_NATURAL; wish++) {
        struct device_view view = view_f64(matrix, 2, shape, strides, "x");
        view.wish = wish;
        view.written = wish == LAYOUT_NATURAL; /* as any argument of a Python kernel may be */
        begin();
        add(view);
        stage();
        ck_assert_uint_eq(session.totals.bytes_to_host, 64 * 8);
        ck_assert_int_eq(session.totals.copies_to_host, 1);
        const int64_t *host = session_view(&session, 0)->host_strides;
        for (int i = 0; i < 64; i++)
            ck_assert_double_eq(*(double *)((char *)host_of(0) + i * host[0] + 49 * host[1]), i);
        write_back();
        ck_assert_uint_eq(session.totals.bytes_to_device, wish == LAYOUT_NATURAL ? 64 * 8 : 0);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_c11_an_image_of_several_views_keeps_their_alignment)
{
    char *x = device_new(256);
    for (int offset = 8; offset < 64; offset += 8) {
        begin();
        add(view_f64(x + offset, 1, shape_8, strides_8, "x"));
        add(view_f64(x + offset + 16, 1, shape_8, strides_8, "y"));
        stage();
        for (int i = 0; i < 2; i++)
            ck_assert_uint_eq((uintptr_t)host_of(i) % 64, session_view(&session, i)->pointer % 64);
        session_release(&session);
    }
}
END_TEST

START_TEST(test_columns_that_interleave_without_a_common_byte_do_not_conflict)
{
    double data[6 * 7] = {0};
    void *x = device_from(data, sizeof(data));
    static const int64_t shape[] = {7, 3}, strides[] = {48, 8}; /* markers[:, 0:3] and markers[:, 3:6] */
    struct device_view velocity = view_f64((char *)x + 24, 2, shape, strides, "velocity");
    velocity.written = false;
    velocity.is_restrict = true;
    begin();
    add(view_f64(x, 2, shape, strides, "position"));
    add(velocity);
    stage();
    ck_assert_int_eq(session_view(&session, 0)->host_strides[0], 24);
    session_release(&session);
}
END_TEST

START_TEST(test_restrict_and_written_may_not_overlap)
{
    void *x = device_from(eight, sizeof(eight));
    struct device_view in = view_f64(x, 1, shape_8, strides_8, "in"), out = in;
    in.written = false;
    out.argument = "out";
    out.is_restrict = true;
    begin();
    add(in);
    add(out);
    refused(SESSION_RESTRICT, "arguments 'in' and 'out' overlap, and 'out' is written; the kernel declares 'out' as restrict");
    ck_assert_int_eq(error.first, 0);
    ck_assert_int_eq(error.second, 1);
    out.written = false; /* two readers may */
    begin();
    add(in);
    add(out);
    stage();
    ck_assert_uint_eq(session.totals.bytes_to_host, 64);
    session_release(&session);
}
END_TEST

START_TEST(test_a_written_broadcast_is_refused_where_it_would_be_packed)
{
    void *x = device_from(eight, sizeof(eight));
    static const int64_t shape[] = {3, 8}, strides[] = {0, 8};
    struct device_view view = view_f64(x, 2, shape, strides, "x");
    begin();
    add(view);
    refused(SESSION_CONFLICT, "several of its elements share memory");
    view.written = false; /* read, it is packed */
    begin();
    add(view);
    stage();
    for (int i = 0; i < 24; i++)
        ck_assert_double_eq(host_of(0)[i], eight[i % 8]);
    session_release(&session);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("overlap");
    TCase *group = tcase_create("overlap");
    tcase_set_timeout(group, 60);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c25_overlapping_views_overlap_on_the_host);
    tcase_add_test(group, test_c25_an_overlap_that_the_kernel_could_not_see_names_both);
    tcase_add_test(group, test_c25_each_byte_travels_once_and_all_that_are_written_do);
    tcase_add_test(group, test_c25_strided_views_that_hold_one_another_travel_once);
    tcase_add_test(group, test_c25_windows_of_one_array_travel_as_its_bytes);
    tcase_add_test(group, test_F16_windows_of_rows_with_gaps_are_packed);
    tcase_add_test(group, test_a_broadcast_column_travels_once);
    tcase_add_test(group, test_c11_an_image_of_several_views_keeps_their_alignment);
    tcase_add_test(group, test_columns_that_interleave_without_a_common_byte_do_not_conflict);
    tcase_add_test(group, test_restrict_and_written_may_not_overlap);
    tcase_add_test(group, test_a_written_broadcast_is_refused_where_it_would_be_packed);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
