/* Broken engines, which the emulator must catch: the real one, with one entry point of the runtime changed so that the
 * engine, seen from the device, leaves out what it must do. Each is also run unchanged, and then nothing is found. */
#include "engine.h"

static struct session session;
static struct session_error error;
static struct cuda_runtime broken;
static cuda_stream stream, side_stream;
static const int64_t shape[] = {8}, strides[] = {8}, shape_2d[] = {4, 4}, strides_2d[] = {64, 16};

/* What one call over all cases got wrong: a wrong value, or a violation. */
static bool wrong;

static void
check(bool right)
{
    wrong = wrong || !right;
}

struct producer {
    double *target;
};

static void
produce(void *data)
{
    for (int i = 0; i < 8; i++)
        ((double *)emulator_address(((struct producer *)data)->target))[i] = 100 + i;
}

/* Two calls in a row on one array that a slow producer makes, on two streams in turn, and one on a strided one. */
static void
run_calls(void)
{
    wrong = false;
    emulator_settle();
    emulator_reset_counters();
    void *x[2] = {device_new(64), device_new(64)}, *gaps = device_new(256);
    for (int i = 0; i < 32; i++)
        ((double *)emulator_address(gaps))[i] = i;
    struct producer producers[2] = {{x[0]}, {x[1]}};
    cuda_stream streams[2] = {stream, side_stream};
    for (int i = 0; i < 2; i++) {
        struct emulator_range range = {x[i], 64, true};
        ck_assert_int_eq(emulator_launch(streams[i], produce, &producers[i], &range, 1), 0);
    }
    for (int round = 0; round < 4; round++) {
        struct device_view view = view_f64(x[round % 2], 1, shape, strides, "x");
        view.stream = (uintptr_t)streams[round % 2];
        session_init(&session, "kernel");
        session_add(&session, &view);
        check(session_stage(&session, &error) == 0);
        double *host = session_view(&session, 0)->host;
        for (int i = 0; i < 8; i++) {
            check(host[i] == (round < 2 ? 100 + i : 10 * (round - 2) + i));
            host[i] = 10 * round + i;
        }
        check(session_write_back(&session, &error) == 0);
        session_release(&session);
    }
    struct device_view view = view_f64(gaps, 2, shape_2d, strides_2d, "gaps");
    view.stream = (uintptr_t)stream;
    session_init(&session, "kernel");
    session_add(&session, &view);
    check(session_stage(&session, &error) == 0);
    for (int i = 0; i < 16; i++)
        ((double *)session_view(&session, 0)->host)[i] = -i;
    for (int i = 1; i < 32; i += 2)
        ((double *)emulator_address(gaps))[i] = 500 + i; /* the gaps belong to somebody else */
    check(session_write_back(&session, &error) == 0);
    session_release(&session);
    emulator_settle();
    for (int i = 0; i < 32; i++)
        check(((double *)emulator_address(gaps))[i] == (i % 2 == 1 ? 500 + i : -(i / 8 * 4 + i % 8 / 2)));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 8; k++)
            check(((double *)emulator_address(x[i]))[k] == 10 * (i + 2) + k);
    emulator_check();
    wrong = wrong || counters_now().violations > 0;
    for (int i = 0; i < 2; i++)
        emulator_release(x[i]);
    emulator_release(gaps);
    arena_trim();
}

static void
start(void)
{
    start_emulator();
    stream = stream_new();
    side_stream = stream_new();
    broken = *cuda;
}

/* Sound without the change, caught with it. */
static void
must_be_caught(void)
{
    run_calls();
    ck_assert_msg(!wrong, "the sound engine is caught: %s", error.text);
    cuda_replace(&broken);
    run_calls();
    cuda_replace(cuda);
    ck_assert_msg(wrong, "the broken engine is not caught");
}

static int
do_not_wait(cuda_stream which)
{
    (void)which;
    return CUDA_SUCCESS;
}

START_TEST(test_an_engine_without_the_wait)
{
    broken.stream_synchronize = do_not_wait;
    must_be_caught();
}
END_TEST

static int
say_done(cuda_event event)
{
    (void)event;
    return CUDA_SUCCESS;
}

START_TEST(test_an_engine_that_reuses_a_block_too_early)
{
    broken.event_query = say_done;
    must_be_caught();
}
END_TEST

/* Pieces with gaps become one with all between. */
static int
copy_the_gaps(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
              cuda_copy_kind kind, cuda_stream which)
{
    (void)from_pitch;
    return kind == CUDA_HOST_TO_DEVICE ? cuda->memcpy_async(to, from, width * height, kind, which)
                                       : cuda->memcpy_2d_async(to, to_pitch, from, from_pitch, width, height, kind, which);
}

START_TEST(test_an_engine_that_writes_the_gaps)
{
    broken.memcpy_2d_async = copy_the_gaps;
    must_be_caught();
}
END_TEST

static int
use_another_stream(void *to, const void *from, size_t size, cuda_copy_kind kind, cuda_stream which)
{
    static cuda_stream another;
    if (another == NULL)
        another = stream_new();
    if (kind != CUDA_DEVICE_TO_HOST)
        return cuda->memcpy_async(to, from, size, kind, which);
    int code = cuda->memcpy_async(to, from, size, kind, another);
    return code == CUDA_SUCCESS ? cuda->stream_synchronize(another) : code; /* waits, but for the wrong one */
}

START_TEST(test_an_engine_that_ignores_the_producers_stream)
{
    broken.memcpy_async = use_another_stream;
    must_be_caught();
}
END_TEST

static int
upload_elsewhere(void *to, const void *from, size_t size, cuda_copy_kind kind, cuda_stream which)
{
    static cuda_stream another;
    if (another == NULL)
        another = stream_new();
    return cuda->memcpy_async(to, from, size, kind, kind == CUDA_HOST_TO_DEVICE ? another : which);
}

START_TEST(test_an_engine_that_writes_back_on_a_stream_of_its_own)
{
    broken.memcpy_async = upload_elsewhere;
    must_be_caught();
}
END_TEST

static int
copy_one_byte_more(void *to, const void *from, size_t size, cuda_copy_kind kind, cuda_stream which)
{
    return cuda->memcpy_async(to, from, kind == CUDA_HOST_TO_DEVICE ? size + 1 : size, kind, which);
}

START_TEST(test_an_engine_that_copies_too_much)
{
    broken.memcpy_async = copy_one_byte_more;
    must_be_caught();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("broken engines");
    TCase *group = tcase_create("caught");
    tcase_add_checked_fixture(group, start, NULL);
    tcase_add_test(group, test_an_engine_without_the_wait);
    tcase_add_test(group, test_an_engine_that_reuses_a_block_too_early);
    tcase_add_test(group, test_an_engine_that_writes_the_gaps);
    tcase_add_test(group, test_an_engine_that_ignores_the_producers_stream);
    tcase_add_test(group, test_an_engine_that_writes_back_on_a_stream_of_its_own);
    tcase_add_test(group, test_an_engine_that_copies_too_much);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
