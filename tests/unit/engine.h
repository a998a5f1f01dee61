/* engine.h - what the tests of the engine and of the emulator share: device arrays on the emulator. */
#ifndef TESTS_ENGINE_H
#define TESTS_ENGINE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cuda.h"
#include "emulator.h"
#include "session.h"

static const struct cuda_runtime *cuda; /* the emulator's table */

/* A checked fixture: Check forks for each test, and the emulator does not survive that. */
__attribute__((unused)) static void
start_emulator(void)
{
    struct session_error error;
    ck_assert_int_eq(cuda_select_emulator(), 0);
    cuda = cuda_runtime(&error);
    ck_assert_ptr_nonnull(cuda);
}

/* Violations are for tests that make them; all others end without. */
__attribute__((unused)) static void
stop_emulator(void)
{
    emulator_settle();
    emulator_check();
    struct emulator_counters counters;
    emulator_counters(&counters);
    char text[256];
    emulator_last_violation(text, sizeof(text));
    ck_assert_msg(counters.violations == 0, "violation: %s", text);
}

__attribute__((unused)) static struct emulator_counters
counters_now(void)
{
    struct emulator_counters counters;
    emulator_counters(&counters);
    return counters;
}

/* Forgets the violations so far, of which there must be some; *text is the last. */
__attribute__((unused)) static void
expect_violation(const char *part)
{
    char text[256];
    emulator_last_violation(text, sizeof(text));
    ck_assert_int_gt(counters_now().violations, 0);
    ck_assert_msg(strstr(text, part) != NULL, "violation is '%s'", text);
    emulator_reset_counters();
}

__attribute__((unused)) static void *
device_new(size_t size)
{
    void *pointer;
    ck_assert_int_eq(cuda->malloc(&pointer, size), CUDA_SUCCESS);
    return pointer;
}

__attribute__((unused)) static void *
device_from(const void *data, size_t size)
{
    void *pointer = device_new(size);
    memcpy(emulator_address(pointer), data, size);
    return pointer;
}

/* What the device holds once all work on a stream is done; what is queued elsewhere stays queued. */
__attribute__((unused)) static void
device_read(void *to, const void *pointer, size_t size, cuda_stream stream)
{
    ck_assert_int_eq(cuda->stream_synchronize(stream), CUDA_SUCCESS);
    memcpy(to, emulator_address(pointer), size);
}

__attribute__((unused)) static cuda_stream
stream_new(void)
{
    cuda_stream stream;
    ck_assert_int_eq(cuda->stream_create_with_flags(&stream, CUDA_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return stream;
}

/* A view of float64, on the legacy stream, read and written. Shape and strides are the caller's. */
__attribute__((unused)) static struct device_view
view_f64(void *pointer, int rank, const int64_t *shape, const int64_t *strides, const char *argument)
{
    return (struct device_view){.pointer = (uintptr_t)pointer,
                                .rank = rank,
                                .shape = shape,
                                .strides = strides,
                                .item_size = 8,
                                .stream_kind = STREAM_HANDLE,
                                .stream = 1,
                                .download = true,
                                .written = true,
                                .wish = LAYOUT_C,
                                .argument = argument};
}

/* One Suite, run in one process group; the exit status of main. */
__attribute__((unused)) static int
run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
