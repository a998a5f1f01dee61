/* test_options.c - reading a command line by the rows. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Parses for a command; what it printed to stderr is in `message`. */
static int
parse(struct options *options, enum command_bit bit, int argc, const char *const *argv, char *message, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    *options = (struct options){0};
    int used = options_parse(options, bit, "command", argc, (char **)argv);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    message[fread(message, 1, size - 1, file)] = '\0';
    fclose(file);
    return used;
}

static void
assert_refused(enum command_bit bit, int argc, const char *const *argv, const char *text)
{
    struct options options;
    char message[512];
    ck_assert_int_eq(parse(&options, bit, argc, argv, message, sizeof message), -1);
    ck_assert_msg(strstr(message, text) != NULL, "%s lacks: %s", message, text);
    ck_assert_msg(strstr(message, "see pkwrap command -h\n") != NULL, "%s", message);
    options_release(&options);
}

START_TEST(test_values_in_every_spelling)
{
    static const char *const argv[] = {"one", "-o", "dir", "-j4", "--python=py thon", "--depfile", "d", "-qvv",
                                       "--", "-two", "-"};
    struct options options;
    char message[64];
    ck_assert_int_eq(parse(&options, FOR_BUILD, COUNT(argv), argv, message, sizeof message), COUNT(argv));
    ck_assert_str_eq(message, "");
    ck_assert_str_eq(options.output, "dir");
    ck_assert_int_eq(options.jobs, 4);
    ck_assert_str_eq(options.python, "py thon");
    ck_assert_str_eq(options.depfile, "d");
    ck_assert(options.quiet);
    ck_assert_int_eq(options.verbose, 2);
    ck_assert_int_eq(options.n_files, 3);
    ck_assert_str_eq(options.files[0], "one");
    ck_assert_str_eq(options.files[1], "-two");
    ck_assert_str_eq(options.files[2], "-");
    options_release(&options);
}
END_TEST

START_TEST(test_repeated_options_keep_their_order)
{
    static const char *const argv[] = {"-Ia", "x.h", "-I", "b", "-DN=1", "-D", "M"};
    struct options options;
    char message[64];
    ck_assert_int_eq(parse(&options, FOR_INSPECT, COUNT(argv), argv, message, sizeof message), COUNT(argv));
    ck_assert_int_eq(options.include_dirs.n, 2);
    ck_assert_str_eq(options.include_dirs.values[1], "b");
    ck_assert_str_eq(options.defines.values[0], "N=1");
    ck_assert_str_eq(options.defines.values[1], "M");
    options_release(&options);
}
END_TEST

START_TEST(test_what_is_refused_and_why)
{
    assert_refused(FOR_BUILD, 1, (const char *[]){"--bundel"}, "no option '--bundel'; did you mean '--bundle'?");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--nothing-like-it=1"}, "no option '--nothing-like-it'");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--werror"}, "(it is one of pkwrap check)");
    assert_refused(FOR_BUILD, 1, (const char *[]){"-I."}, "(it is one of pkwrap inspect, pkwrap init)");
    assert_refused(FOR_CHECK, 1, (const char *[]){"--version"}, "(it goes before the command's name)");
    assert_refused(FOR_BUILD, 1, (const char *[]){"-qZ"}, "no option '-Z'");
    assert_refused(FOR_BUILD, 1, (const char *[]){"-o"}, "--output needs a value: DIR");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--python"}, "--python needs a value: PROGRAM");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--bundle=yes"}, "--bundle takes no value");
    assert_refused(FOR_BUILD, 1, (const char *[]){"-j0"}, "--jobs needs a positive number, not '0'");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--jobs=3x"}, "not '3x'");
    assert_refused(FOR_BUILD, 1, (const char *[]){"--jobs=99999999999999999999"}, "needs a positive number");
}
END_TEST

START_TEST(test_the_program_stops_at_the_commands_name)
{
    static const char *const argv[] = {"-h", "build", "--werror"};
    struct options options;
    char message[64];
    ck_assert_int_eq(parse(&options, FOR_PROGRAM, COUNT(argv), argv, message, sizeof message), 1);
    ck_assert(options.help);
    options_release(&options);
}
END_TEST

/* A letter or a name means one thing within a command. */
START_TEST(test_rows_do_not_collide)
{
    for (int i = 0; i < n_option_rows; i++)
        for (int k = i + 1; k < n_option_rows; k++) {
            const struct option_row *a = &option_rows[i], *b = &option_rows[k];
            if (!(a->commands & b->commands))
                continue;
            ck_assert(a->letter == 0 || a->letter != b->letter);
            ck_assert(a->name == NULL || b->name == NULL || strcmp(a->name, b->name) != 0);
        }
    for (int i = 0; i < n_commands; i++) {
        ck_assert_ptr_nonnull((const void *)commands[i].summary);
        for (int k = i + 1; k < n_commands; k++)
            ck_assert(commands[i].bit != commands[k].bit && strcmp(commands[i].name, commands[k].name) != 0);
    }
}
END_TEST

Suite *options_suite(void);

Suite *
options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, test_values_in_every_spelling);
    tcase_add_test(tests, test_repeated_options_keep_their_order);
    tcase_add_test(tests, test_what_is_refused_and_why);
    tcase_add_test(tests, test_the_program_stops_at_the_commands_name);
    tcase_add_test(tests, test_rows_do_not_collide);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(options_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
