/* The session: what a converting call promises, on the emulator. */
#include "engine.h"

static struct session session;
static struct session_error error;
static const int64_t shape_8[] = {8}, strides_8[] = {8};

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

static double *
host_of(int index)
{
    return session_view(&session, index)->host;
}

START_TEST(test_c35_written_array_comes_back_without_a_wait)
{
    double data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    void *x = device_from(data, sizeof(data));
    struct device_view view = view_f64(x, 1, shape_8, strides_8, "x");
    session_init(&session, "twice");
    ck_assert_int_eq(session_add(&session, &view), 0);
    stage();
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq(host_of(0)[i], i + 1);
        host_of(0)[i] *= 2;
    }
    ck_assert_int_eq(session.totals.waits, 1);
    write_back();
    ck_assert_int_eq(session.totals.waits, 1);
    ck_assert_uint_eq(session.totals.bytes_to_host, 64);
    ck_assert_uint_eq(session.totals.bytes_to_device, 64);
    session_release(&session);
    double after[8];
    device_read(after, x, sizeof(after), CUDA_STREAM_LEGACY);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq(after[i], 2 * (i + 1));
    emulator_release(x);
}
END_TEST

Suite *
session_suite(void)
{
    Suite *suite = suite_create("session");
    TCase *group = tcase_create("session");
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c35_written_array_comes_back_without_a_wait);
    suite_add_tcase(suite, group);
    return suite;
}

int
main(void)
{
    return run_suite(session_suite());
}
