/* session_test.h - one session at a time and the steps of a call, for the tests of the engine. */
#ifndef TESTS_SESSION_TEST_H
#define TESTS_SESSION_TEST_H

#include "engine.h"

static struct session session;
static struct session_error error;
static const int64_t shape_8[] = {8}, strides_8[] = {8};
static double eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__attribute__((unused)) static void
begin(void)
{
    session_init(&session, "kernel");
}

__attribute__((unused)) static int
add(struct device_view view)
{
    int index = session_add(&session, &view);
    ck_assert_int_ge(index, 0);
    return index;
}

__attribute__((unused)) static void
stage(void)
{
    ck_assert_msg(session_stage(&session, &error) == 0, "%s", error.text);
}

__attribute__((unused)) static void
write_back(void)
{
    ck_assert_msg(session_write_back(&session, &error) == 0, "%s", error.text);
}

__attribute__((unused)) static void
refused(enum session_error_kind kind, const char *part)
{
    ck_assert_int_eq(session_stage(&session, &error), -1);
    ck_assert_int_eq(error.kind, kind);
    ck_assert_msg(strstr(error.text, part) != NULL, "'%s' is not in '%s'", part, error.text);
    session_release(&session);
}

__attribute__((unused)) static double *
host_of(int index)
{
    return session_view(&session, index)->host;
}

__attribute__((unused)) static void
check_device(const void *pointer, int n, const double *expected, cuda_stream stream)
{
    double after[64];
    device_read(after, pointer, sizeof(double) * (size_t)n, stream);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq(after[i], expected[i]);
}

#endif
