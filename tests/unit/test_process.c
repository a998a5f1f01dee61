/* test_process.c - running programs and splitting command text. */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/diag.h"
#include "base/process.h"

/* In place of the C library's: fails with this errno, once, where it is not 0. */
static int poll_error, wait_error;

int
poll(struct pollfd *fds, nfds_t n, int timeout)
{
    (void)timeout; /* the tool waits as long as it takes */
    if (poll_error != 0) {
        errno = poll_error;
        poll_error = 0;
        return -1;
    }
    return ppoll(fds, n, NULL, NULL);
}

pid_t
waitpid(pid_t pid, int *status, int options)
{
    if (wait_error != 0) {
        errno = wait_error;
        wait_error = 0;
        return -1;
    }
    return wait4(pid, status, options, NULL);
}

START_TEST(test_output_and_status_are_kept)
{
    struct process process = {.argv = (const char *[]){"sh", "-c", "printf out; printf err >&2; exit 7", NULL}};
    ck_assert(!process_run(&process));
    ck_assert_int_eq(process.status, 7);
    ck_assert_str_eq(process.out.data, "out");
    ck_assert_str_eq(process.err.data, "err");
    process_release(&process);
}
END_TEST

START_TEST(test_arguments_reach_the_program_as_they_are)
{
    struct process process = {.argv = (const char *[]){"printf", "%s|", "a b", "$HOME", "*", "'", "", ";true", NULL}};
    ck_assert(process_run(&process));
    ck_assert_str_eq(process.out.data, "a b|$HOME|*|'||;true|");
    process_release(&process);
}
END_TEST

START_TEST(test_input_and_merged_output)
{
    struct process process = {
        .argv = (const char *[]){"sh", "-c", "cat; echo b >&2; echo c", NULL}, .input = "a\n", .merge = true};
    ck_assert(process_run(&process));
    ck_assert_str_eq(process.out.data, "a\nb\nc\n");
    ck_assert_ptr_null(process.err.data);
    process_release(&process);
}
END_TEST

/* More than a pipe holds, on both at once. */
START_TEST(test_much_output_does_not_block)
{
    struct process process = {
        .argv = (const char *[]){"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero", NULL}};
    ck_assert(process_run(&process));
    ck_assert_uint_eq(process.out.length, 300000);
    ck_assert_uint_eq(process.err.length, 300000);
    process_release(&process);
}
END_TEST

START_TEST(test_programs_that_cannot_run_or_are_killed)
{
    struct process missing = {.argv = (const char *[]){"no-such-program-here", NULL}};
    ck_assert(!process_run(&missing));
    ck_assert_int_eq(missing.status, PROCESS_NOT_STARTED);
    ck_assert_int_eq(missing.error, ENOENT);
    process_release(&missing);
    struct process killed = {.argv = (const char *[]){"sh", "-c", "kill -9 $$", NULL}};
    ck_assert(!process_run(&killed));
    ck_assert_int_eq(killed.status, PROCESS_SIGNALLED);
    ck_assert_int_eq(killed.error, 9);
    process_release(&killed);
}
END_TEST

static void
assert_account(const char *script, const char *expected)
{
    struct arena arena;
    struct process process = {.argv = (const char *[]){"sh", "-c", script, NULL}};
    arena_init(&arena);
    process_run(&process);
    ck_assert_str_eq(process_account(&arena, &process), expected);
    process_release(&process);
    arena_release(&arena);
}

START_TEST(test_an_account_says_how_it_ended_and_what_it_printed)
{
    assert_account("exit 0", "ended with exit status 0 and printed nothing");
    assert_account("exit 200", "ended with exit status 200 and printed nothing");
    assert_account("kill -9 $$", "was ended by signal 9 (Killed) and printed nothing");
    assert_account("echo a; echo b; exit 2", "ended with exit status 2 and printed:\n    a\n    b");
    assert_account("echo a; printf '\nb' >&2; exit 2", "ended with exit status 2 and printed:\n    \n    b");
    assert_account("echo a; kill -15 $$", "was ended by signal 15 (Terminated) and printed:\n    a");
}
END_TEST

START_TEST(test_a_pool_runs_all_or_stops_starting)
{
    const char *const good[] = {"true", NULL}, *const bad[] = {"false", NULL};
    struct process processes[5] = {0};
    for (int i = 0; i < 5; i++)
        processes[i].argv = good;
    ck_assert(process_run_all(processes, 5, 2));
    processes[1].argv = bad;
    ck_assert(!process_run_all(processes, 5, 1));
    ck_assert_int_eq(processes[0].status, 0);
    ck_assert_int_eq(processes[1].status, 1);
    ck_assert_int_eq(processes[2].status, PROCESS_NOT_RUN);
    ck_assert_int_eq(processes[4].status, PROCESS_NOT_RUN);
    ck_assert(process_run_all(processes, 0, 1));
}
END_TEST

/* A parent that ignores SIGCHLD leaves that to us. */
START_TEST(test_how_a_program_ended_is_known_whatever_was_inherited)
{
    signal(SIGCHLD, SIG_IGN);
    struct process process = {.argv = (const char *[]){"sh", "-c", "(exit 5) & wait $!; exit $(($? + 2))", NULL}};
    ck_assert(!process_run(&process));
    ck_assert_int_eq(process.status, 7);
    process_release(&process);
}
END_TEST

START_TEST(test_a_program_that_cannot_be_waited_for_is_no_success)
{
    struct arena arena;
    struct process process = {.argv = (const char *[]){"true", NULL}};
    arena_init(&arena);
    wait_error = ECHILD;
    ck_assert(!process_run(&process));
    ck_assert_int_eq(process.status, PROCESS_LOST);
    ck_assert_int_eq(process.error, ECHILD);
    ck_assert_ptr_nonnull(strstr(process_outcome(&arena, &process), "No child processes"));
    arena_release(&arena);
    process_release(&process);
}
END_TEST

START_TEST(test_a_signal_does_not_end_the_wait)
{
    struct process process = {.argv = (const char *[]){"true", NULL}};
    poll_error = wait_error = EINTR;
    ck_assert(process_run(&process));
    process_release(&process);
}
END_TEST

START_TEST(test_a_wait_that_fails_ends_the_program)
{
    struct process process = {.argv = (const char *[]){"true", NULL}};
    poll_error = ENOMEM;
    process_run(&process); /* exits */
}
END_TEST

static void
assert_words(const char *text, int n, const char *const *expected)
{
    struct arena arena;
    const char **words = NULL;
    int found = 0;
    arena_init(&arena);
    ck_assert_int_eq(process_split(&arena, text, &words, &found), 0);
    ck_assert_int_eq(found, n);
    for (int i = 0; i < n; i++)
        ck_assert_str_eq(words[i], expected[i]);
    arena_release(&arena);
}

START_TEST(test_words_of_variables)
{
    struct arena arena;
    const char **words = NULL;
    int n = 0;
    assert_words("", 0, NULL);
    assert_words(" \t ", 0, NULL);
    assert_words("gcc -pthread", 2, (const char *[]){"gcc", "-pthread"});
    assert_words(" -DA='b c'  \"-I/x y\" ", 2, (const char *[]){"-DA=b c", "-I/x y"});
    assert_words("a\\ b '\\' \"\\\"\"", 3, (const char *[]){"a b", "\\", "\""});
    assert_words("''", 1, (const char *[]){""});
    arena_init(&arena);
    ck_assert_int_eq(process_split(&arena, "a 'b", &words, &n), -1);
    arena_release(&arena);
}
END_TEST

Suite *process_suite(void);

Suite *
process_suite(void)
{
    Suite *suite = suite_create("process");
    TCase *tests = tcase_create("process");
    tcase_add_test(tests, test_output_and_status_are_kept);
    tcase_add_test(tests, test_arguments_reach_the_program_as_they_are);
    tcase_add_test(tests, test_input_and_merged_output);
    tcase_add_test(tests, test_much_output_does_not_block);
    tcase_add_test(tests, test_programs_that_cannot_run_or_are_killed);
    tcase_add_test(tests, test_an_account_says_how_it_ended_and_what_it_printed);
    tcase_add_test(tests, test_a_pool_runs_all_or_stops_starting);
    tcase_add_test(tests, test_how_a_program_ended_is_known_whatever_was_inherited);
    tcase_add_test(tests, test_a_program_that_cannot_be_waited_for_is_no_success);
    tcase_add_test(tests, test_a_signal_does_not_end_the_wait);
    tcase_add_exit_test(tests, test_a_wait_that_fails_ends_the_program, EXIT_ENVIRONMENT);
    tcase_add_test(tests, test_words_of_variables);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(process_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
