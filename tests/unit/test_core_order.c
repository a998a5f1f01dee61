/* Random calls between random work: producers are queued on the arrays' streams, or, of arrays of no named stream, on any that CUDA
 * itself orders with them; consumers follow. The emulator counts what is not ordered; the bytes must be those of a plain model.
 * PKWRAP_TEST_ROUNDS=N makes more of them. */
#include "engine.h"

enum { SIZE = 256, N_MEMORIES = 4, N_VIEWS = 5, N_STREAMS = 4, NON_BLOCKING = 0, BLOCKING = 3 };

/* Two devices; of the last two memories one is managed, one page-locked. */
static char *memories[N_MEMORIES];
static cuda_stream streams[2][N_STREAMS];
static unsigned char model[N_MEMORIES][SIZE];
static struct session session;
static struct session_error error;
static uint64_t state = 12345;

static int
below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static int
device_of(int memory)
{
    return memory % 2;
}

static void
make_memories(void)
{
    for (int device = 0; device < 2; device++) {
        cuda->set_device(device);
        streams[device][NON_BLOCKING] = stream_new();
        streams[device][1] = CUDA_STREAM_LEGACY;
        streams[device][2] = CUDA_STREAM_PER_THREAD;
        ck_assert_int_eq(cuda->stream_create_with_flags(&streams[device][BLOCKING], 0), CUDA_SUCCESS);
        memories[device] = device_new(SIZE);
    }
    cuda->set_device(0);
    ck_assert_int_eq(cuda->malloc_managed((void **)&memories[2], SIZE, CUDA_MANAGED_GLOBAL), CUDA_SUCCESS);
    cuda->set_device(1);
    ck_assert_int_eq(cuda->host_alloc((void **)&memories[3], SIZE, CUDA_HOST_ALLOC_PORTABLE), CUDA_SUCCESS);
}

/* An array somewhere in a memory, and whose work is before and after the call's. */
struct array {
    int memory, offset, stream;
    int64_t length;
    struct device_view view;
};

static void
make_array(struct array *array)
{
    static const int64_t stride = 1;
    array->memory = below(N_MEMORIES);
    array->offset = below(SIZE / 2);
    array->length = 1 + below(SIZE / 2);
    array->stream = below(N_STREAMS);
    array->view = (struct device_view){
        .pointer = (uintptr_t)memories[array->memory] + (uintptr_t)array->offset,
        .rank = 1,
        .shape = &array->length,
        .strides = &stride,
        .item_size = 1,
        .stream_kind = below(4) == 0 ? STREAM_UNKNOWN : below(6) == 0 ? STREAM_NONE : STREAM_HANDLE,
        .stream = (uintptr_t)streams[device_of(array->memory)][array->stream],
        .written = below(2) == 0,
        .wish = LAYOUT_C,
        .argument = "x"};
    array->view.download = !array->view.written || below(3) > 0;
}

struct filling {
    unsigned char *to, value;
    size_t length;
};

static void
fill(void *data)
{
    struct filling *filling = data;
    memset(filling->to, filling->value, filling->length);
}

static void
look(void *data)
{
    (void)data;
}

static void
launch(const struct array *array, int stream, cuda_host_function function, void *data, bool writes)
{
    int device = device_of(array->memory);
    struct emulator_range range = {(void *)array->view.pointer, (size_t)array->length, writes};
    cuda->set_device(device);
    ck_assert_int_eq(emulator_launch(streams[device][stream], function, data, &range, 1), CUDA_SUCCESS);
}

/* At most one in each memory, so that producers need no order among themselves; none where somebody wants no order with it. */
static void
launch_producers(const struct array *arrays, int n)
{
    static struct filling fillings[N_MEMORIES];
    for (int memory = 0; memory < N_MEMORIES; memory++) {
        const struct array *chosen = NULL;
        bool possible = below(4) > 0;
        for (int i = 0; i < n; i++)
            if (arrays[i].memory == memory) {
                possible = possible && arrays[i].view.stream_kind != STREAM_NONE;
                chosen = chosen == NULL || below(2) == 0 ? &arrays[i] : chosen;
            }
        if (chosen == NULL || !possible)
            continue;
        bool unknown = chosen->view.stream_kind == STREAM_UNKNOWN;
        struct filling *filling = &fillings[memory];
        *filling = (struct filling){.to = emulator_address((void *)chosen->view.pointer),
                                    .value = (unsigned char)below(256),
                                    .length = (size_t)chosen->length};
        memset(&model[memory][chosen->offset], filling->value, filling->length);
        launch(chosen, unknown && chosen->stream == NON_BLOCKING ? BLOCKING : chosen->stream, fill, filling, true);
    }
}

static void
run_kernel(const struct array *arrays, int n)
{
    for (int i = 0; i < n; i++)
        if (arrays[i].view.download)
            ck_assert_mem_eq(session_view(&session, i)->host, &model[arrays[i].memory][arrays[i].offset], (size_t)arrays[i].length);
    for (int i = 0; i < n; i++) {
        int value = below(256);
        if (!arrays[i].view.written)
            continue;
        memset(session_view(&session, i)->host, value, (size_t)arrays[i].length);
        memset(&model[arrays[i].memory][arrays[i].offset], value, (size_t)arrays[i].length);
    }
}

/* As somebody who has kept the arrays that the kernel got. */
static void
write_to_host(int n)
{
    session_wait(&session);
    for (int i = 0; i < n; i++)
        if (!session_view(&session, i)->in_place)
            memset(session_view(&session, i)->host, 9, (size_t)session_view(&session, i)->shape[0]);
}

static void
one_round(void)
{
    struct array arrays[N_VIEWS];
    int n = 1 + below(N_VIEWS), current = below(2), now = -1;
    emulator_settle();
    for (int i = 0; i < N_MEMORIES; i++) {
        for (int k = 0; k < SIZE; k++)
            model[i][k] = (unsigned char)below(256);
        memcpy(emulator_address(memories[i]), model[i], SIZE);
    }
    session_init(&session, "kernel");
    for (int i = 0; i < n; i++) {
        make_array(&arrays[i]);
        ck_assert_int_eq(session_add(&session, &arrays[i].view), i);
    }
    launch_producers(arrays, n);
    cuda->set_device(current);
    ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
    run_kernel(arrays, n);
    ck_assert_msg(session_write_back(&session, &error) == 0, "%s", error.text);
    if (below(4) == 0)
        write_to_host(n);
    session_release(&session);
    cuda->get_device(&now);
    ck_assert_int_eq(now, current);
    for (int i = 0; i < n; i++) /* of an array of no named stream, on one that waits for nobody: the call has waited */
        launch(&arrays[i], arrays[i].view.stream_kind == STREAM_HANDLE ? arrays[i].stream : NON_BLOCKING, look, NULL, false);
    emulator_settle();
    for (int i = 0; i < N_MEMORIES; i++)
        ck_assert_mem_eq(emulator_address(memories[i]), model[i], SIZE);
    ck_assert_int_eq(counters_now().violations, 0);
}

START_TEST(test_c35_c36_c38_F28_F30_calls_are_ordered_with_the_work_before_and_after_them)
{
    const char *wanted = getenv("PKWRAP_TEST_ROUNDS");
    make_memories();
    for (uint64_t left = wanted != NULL ? strtoull(wanted, NULL, 10) : 6000; left > 0; left--)
        one_round();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("order");
    TCase *group = tcase_create("order");
    emulator_set_device_count(2);
    tcase_set_timeout(group, 0);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c35_c36_c38_F28_F30_calls_are_ordered_with_the_work_before_and_after_them);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
