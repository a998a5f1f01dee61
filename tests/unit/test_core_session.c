/* The session: what a converting call promises, on the emulator. Lines of semantics.md and failures.md by name. */
#include "engine.h"

#include <stdio.h>
#include <unistd.h>

static struct session session;
static struct session_error error;
static const int64_t shape_8[] = {8}, strides_8[] = {8};
static double eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void
begin(void)
{
    session_init(&session, "kernel");
}

static int
add(struct device_view view)
{
    int index = session_add(&session, &view);
    ck_assert_int_ge(index, 0);
    return index;
}

static void
stage(void)
{
    ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
}

static void
write_back(void)
{
    ck_assert_msg(session_write_back(&session, &error) == 0, "%s", error.text);
}

static void
refused(enum session_error_kind kind, const char *part)
{
    ck_assert_int_eq(session_stage(&session, &error), -1);
    ck_assert_int_eq(error.kind, kind);
    ck_assert_msg(strstr(error.text, part) != NULL, "'%s' is not in '%s'", part, error.text);
    session_release(&session);
}

static double *
host_of(int index)
{
    return session_view(&session, index)->host;
}

static void
check_device(const void *pointer, int n, const double *expected, cuda_stream stream)
{
    double after[64];
    device_read(after, pointer, sizeof(double) * (size_t)n, stream);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq(after[i], expected[i]);
}

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
    staging_usage(&in_use, &idle);
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
    view.poison = true;
    begin();
    add(view);
    stage();
    ck_assert_uint_eq(session.totals.bytes_to_host, 0);
    ck_assert_int_eq(session.totals.waits, 0);
    for (size_t i = 0; i < sizeof(eight); i++)
        ck_assert_int_eq(((unsigned char *)host_of(0))[i], VIEW_POISON);
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

/* --- several arrays: overlaps ------------------------------------------------------------------------------------- */

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
    refused(SESSION_RESTRICT, "'in'");
    ck_assert_int_eq(error.first, 1);
    ck_assert_int_eq(error.second, 0);
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
    refused(SESSION_CONFLICT, "overlap each other");
    view.written = false; /* read, it is packed */
    begin();
    add(view);
    stage();
    for (int i = 0; i < 24; i++)
        ck_assert_double_eq(host_of(0)[i], eight[i % 8]);
    session_release(&session);
}
END_TEST

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

START_TEST(test_c35_overlapping_views_of_two_streams_are_ordered_for_both)
{
    cuda_stream streams[] = {stream_new(), stream_new()};
    void *x = device_from(eight, sizeof(eight));
    struct producer producer = {x, 8};
    launch_producer(&producer, streams[1]);
    begin();
    for (int i = 0; i < 2; i++) {
        struct device_view view = view_f64(x, 1, shape_8, strides_8, i == 0 ? "x" : "same");
        view.stream = (uintptr_t)streams[i];
        add(view);
    }
    stage();
    ck_assert_double_eq(host_of(0)[0], 100);
    host_of(1)[0] = 1;
    write_back();
    session_release(&session);
    /* The reader on the second stream sees it, although the copy is on the first. */
    check_device(x, 1, (double[]){1}, streams[1]);
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
        emulator_capture(captured[i], true);
        begin();
        add(view);
        refused(SESSION_CAPTURE, "captured");
        emulator_capture(captured[i], false);
        ck_assert_int_eq(counters_now().copies_to_host, 0);
        ck_assert_int_eq(cuda->peek_at_last_error(), CUDA_SUCCESS);
    }
    begin();
    add(view);
    stage();
    session_release(&session);
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
    staging_block_return(block);
    ck_assert_uint_gt(staging_trim(), 0);
    size_t in_use, idle;
    staging_usage(&in_use, &idle);
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
    tcase_add_test(group, test_c25_overlapping_views_overlap_on_the_host);
    tcase_add_test(group, test_c25_an_overlap_that_the_kernel_could_not_see_names_both);
    tcase_add_test(group, test_c25_each_byte_travels_once_and_all_that_are_written_do);
    tcase_add_test(group, test_c11_an_image_of_several_views_keeps_their_alignment);
    tcase_add_test(group, test_columns_that_interleave_without_a_common_byte_do_not_conflict);
    tcase_add_test(group, test_restrict_and_written_may_not_overlap);
    tcase_add_test(group, test_a_written_broadcast_is_refused_where_it_would_be_packed);
    tcase_add_test(group, test_c36_F28_F30_downloads_come_after_a_slow_producer);
    tcase_add_test(group, test_F28_stream_none_waits_for_nobody);
    tcase_add_test(group, test_one_wait_for_arrays_of_several_streams);
    tcase_add_test(group, test_c35_overlapping_views_of_two_streams_are_ordered_for_both);
    tcase_add_test(group, test_c35_the_copy_back_is_on_the_stream_of_the_array_that_is_written);
    tcase_add_test(group, test_c39_capture_is_one_error_and_nothing_is_queued);
    tcase_add_test(group, test_c37_F32_F33_arrays_of_two_devices_and_the_callers_current_one);
    tcase_add_test(group, test_c37_a_stream_of_another_device_than_the_array_takes_its_copies);
    tcase_add_test(group, test_c38_F34_managed_and_pinned_memory_is_used_in_place_after_a_wait);
    tcase_add_test(group, test_c38_strided_managed_memory_is_packed_and_put_back_on_the_host);
    tcase_add_test(group, test_a_pointer_of_nobody_is_named);
    tcase_add_test(group, test_F31_a_block_is_not_reused_before_its_upload_is_over);
    tcase_add_test(group, test_a_lease_keeps_its_block_from_being_reused);
    tcase_add_test(group, test_steady_state_allocates_nothing);
    tcase_add_test(group, test_many_views_and_nested_sessions);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
