/* Views of every kind through the session: see random_views.h. PKWRAP_TEST_ROUNDS=N runs more of them. */
#include "engine.h"
#include "random_views.h"

START_TEST(test_c15_c25_c26_F6_F13_F16_random_views_move_exactly_their_bytes)
{
    const char *wanted = getenv("PKWRAP_TEST_ROUNDS");
    uint64_t rounds = wanted != NULL ? strtoull(wanted, NULL, 10) : 20000;
    char *memory = device_new(MEMORY);
    cuda_stream streams[3] = {stream_new(), stream_new(), CUDA_STREAM_LEGACY};
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        choose_from(NULL, 0, seed);
        one_round(memory, streams);
    }
    emulator_release(memory);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("layouts");
    TCase *group = tcase_create("random views");
    tcase_set_timeout(group, 0);
    tcase_add_checked_fixture(group, start_emulator, stop_emulator);
    tcase_add_test(group, test_c15_c25_c26_F6_F13_F16_random_views_move_exactly_their_bytes);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
