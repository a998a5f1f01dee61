/* Several threads at once through one engine and one device, each with arrays and a stream of its own; run under
 * ThreadSanitizer too. */
#include "engine.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N_THREADS = 4, ROUNDS = 300, N = 64 };
static const int64_t shape[] = {N}, strides[] = {8};
static atomic_int mistakes, done;

static void
one_call(double *x, double *y, cuda_stream stream, int round)
{
    struct session session;
    struct session_error error;
    struct device_view in = view_f64(x, 1, shape, strides, "x"), out = view_f64(y, 1, shape, strides, "y");
    in.stream = out.stream = (uintptr_t)stream;
    in.written = false;
    out.download = round % 3 != 0;
    if (round % 5 == 0) { /* nobody names the stream: then nothing may be under way on it */
        cuda->stream_synchronize(stream);
        out.stream_kind = STREAM_UNKNOWN;
    }
    session_init(&session, "kernel");
    bool good = session_add(&session, &in) == 0 && session_add(&session, &out) == 1 && session_stage(&session, &error) == 0;
    if (good) {
        const double *host_x = session_view(&session, 0)->host;
        double *host_y = session_view(&session, 1)->host;
        struct staging_block *lease = round % 7 == 0 ? session_lease(&session, 0) : NULL;
        for (int i = 0; i < N; i++)
            host_y[i] = host_x[i] + round;
        good = session_write_back(&session, &error) == 0;
        session_release(&session);
        if (lease != NULL)
            block_let_go(lease);
    }
    if (!good)
        atomic_fetch_add(&mistakes, 1);
}

static void *
work(void *data)
{
    int me = (int)(intptr_t)data;
    double values[N], back[N];
    for (int i = 0; i < N; i++)
        values[i] = 1000 * me + i;
    cuda->set_device(me % 2);
    cuda_stream stream = stream_new();
    void *x = device_from(values, sizeof(values)), *y = device_new(sizeof(values));
    for (int round = 0; round < ROUNDS; round++) {
        one_call(x, y, stream, round);
        if (round % 10 != 0)
            continue;
        /* Read in stream order, as a program would; pageable, so it is there when the call returns. */
        if (cuda->memcpy_async(back, y, sizeof(back), CUDA_DEVICE_TO_HOST, stream) != CUDA_SUCCESS)
            atomic_fetch_add(&mistakes, 1);
        for (int i = 0; i < N; i++)
            if (back[i] != values[i] + round)
                atomic_fetch_add(&mistakes, 1);
    }
    int device = -1;
    if (cuda->get_device(&device) != CUDA_SUCCESS || device != me % 2)
        atomic_fetch_add(&mistakes, 1);
    cuda->stream_synchronize(stream);
    emulator_release(x);
    emulator_release(y);
    atomic_fetch_add(&done, 1);
    return NULL;
}

/* Takes idle memory away all the while. */
static void *
trim(void *unused)
{
    while (atomic_load(&done) < N_THREADS) {
        size_t in_use, idle;
        arena_trim();
        arena_usage(&in_use, &idle);
    }
    return unused;
}

START_TEST(test_threads_share_the_engine)
{
    pthread_t threads[N_THREADS + 1];
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    ck_assert_int_eq(pthread_create(&threads[N_THREADS], NULL, trim, NULL), 0);
    for (int i = 0; i <= N_THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(mistakes, 0);
    arena_trim();
    ck_assert_uint_eq(emulator_allocated(-1), 0);
}
END_TEST

static const struct cuda_runtime *first_seen[N_THREADS];

static void *
load(void *data)
{
    struct session_error error;
    first_seen[(intptr_t)data] = cuda_runtime(&error);
    return NULL;
}

START_TEST(test_the_runtime_is_found_once_whoever_comes_first)
{
    pthread_t threads[N_THREADS];
    cuda_select_emulator();
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, load, (void *)(intptr_t)i);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_ptr_nonnull(first_seen[i]);
        ck_assert_ptr_eq(first_seen[i], first_seen[0]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("threads");
    TCase *engine = tcase_create("engine");
    tcase_set_timeout(engine, 120);
    tcase_add_checked_fixture(engine, start_emulator, stop_emulator);
    tcase_add_test(engine, test_threads_share_the_engine);
    suite_add_tcase(suite, engine);
    TCase *loader = tcase_create("loader");
    tcase_add_test(loader, test_the_runtime_is_found_once_whoever_comes_first);
    suite_add_tcase(suite, loader);
    return run_suite(suite);
}
