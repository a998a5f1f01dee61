/* test_files.c - files written whole, paths, stamps and dependency files. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build.h"
#include "base/diag.h"
#include "base/files.h"
#include "base/stamp.h"

static struct arena arena;
static char folder[] = "/tmp/pkwrap-test-XXXXXX";

static void
set_up(void)
{
    arena_init(&arena);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
tear_down(void)
{
    folder_remove(folder);
    arena_release(&arena);
}

static const char *
inside(const char *name)
{
    return path_join(&arena, folder, name);
}

static void
write_text(const char *path, const char *text)
{
    ck_assert_int_eq(file_write(path, text, strlen(text), NULL), EXIT_DONE);
}

static void
assert_holds(const char *path, const char *expected)
{
    struct text text = {0};
    ck_assert_int_eq(file_read(path, &text), 0);
    ck_assert_uint_eq(text.length, strlen(expected));
    ck_assert(text.length == 0 || memcmp(text.data, expected, text.length) == 0);
    text_release(&text);
}

/* Files of the test's folder, temporary ones included. */
static int
count_files(void)
{
    char command[256], count[16] = "";
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(count, sizeof count, pipe));
    pclose(pipe);
    return atoi(count);
}

START_TEST(test_a_file_is_written_only_when_it_changes)
{
    const char *path = inside("a");
    struct stat before, after;
    bool changed = false;
    ck_assert_int_eq(file_write(path, "x", 1, &changed), EXIT_DONE);
    ck_assert(changed);
    ck_assert_int_eq(stat(path, &before), 0);
    changed = false;
    ck_assert_int_eq(file_write(path, "x", 1, &changed), EXIT_DONE);
    ck_assert(!changed);
    ck_assert_int_eq(stat(path, &after), 0);
    ck_assert_int_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(file_write(path, "y", 1, &changed), EXIT_DONE);
    ck_assert(changed);
    assert_holds(path, "y");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* As on a full disk: the old file stays, no half of the new one, and it is the environment's fault. */
START_TEST(test_a_failed_write_leaves_the_old_file)
{
    const char *path = inside("a");
    char large[4096];
    struct rlimit limit = {1024, 1024};
    memset(large, 'z', sizeof large);
    write_text(path, "old");
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(file_write(path, large, sizeof large, NULL), EXIT_ENVIRONMENT);
    ck_assert_int_eq(file_write(inside("no/folder"), "x", 1, NULL), EXIT_ENVIRONMENT);
    assert_holds(path, "old");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_installing_moves_or_copies)
{
    struct stat status;
    write_text(inside("from"), "data");
    ck_assert_int_eq(file_install(inside("from"), inside("copy"), false), EXIT_DONE);
    assert_holds(inside("copy"), "data");
    ck_assert_int_eq(stat(inside("copy"), &status), 0);
    ck_assert(status.st_mode & S_IXUSR);
    ck_assert_int_eq(file_install(inside("from"), inside("moved"), true), EXIT_DONE);
    ck_assert(!file_exists(inside("from")));
    ck_assert_int_eq(file_install(inside("from"), inside("moved"), true), EXIT_ENVIRONMENT);
    assert_holds(inside("moved"), "data");
}
END_TEST

START_TEST(test_folders)
{
    ck_assert_int_eq(folder_make(inside("a")), EXIT_DONE);
    ck_assert_int_eq(folder_make(inside("a")), EXIT_DONE);
    write_text(inside("work-1"), "");
    ck_assert_int_eq(folder_make(inside("work-1/below")), EXIT_ENVIRONMENT);
    ck_assert_int_eq(folder_make(inside("work-2")), EXIT_DONE);
    write_text(inside("work-2/file"), "x");
    folders_remove(folder, "work-");
    ck_assert(!file_exists(inside("work-2")));
    ck_assert(file_exists(inside("work-1")) && file_exists(inside("a")));
    folder_remove(inside("a"));
}
END_TEST

START_TEST(test_paths)
{
    ck_assert_str_eq(path_join(&arena, ".", "a"), "a");
    ck_assert_str_eq(path_join(&arena, "b/", "a"), "b/a");
    ck_assert_str_eq(path_join(&arena, "b", "/a"), "/a");
    ck_assert_str_eq(path_folder(&arena, "a"), ".");
    ck_assert_str_eq(path_folder(&arena, "/a"), "/");
    ck_assert_str_eq(path_folder(&arena, "x/y/a"), "x/y");
    ck_assert_str_eq(path_name("x/y/a.h"), "a.h");
    ck_assert_str_eq(path_name("a.h"), "a.h");
    ck_assert_str_eq(path_relative(&arena, "/a/b/c", "/a/b"), "c");
    ck_assert_str_eq(path_relative(&arena, "/a/b", "/a/b"), ".");
    ck_assert_str_eq(path_relative(&arena, "/a", "/a/b/c"), "../..");
    ck_assert_str_eq(path_relative(&arena, "/a/bc", "/a/b"), "../bc");
    ck_assert_str_eq(path_relative(&arena, "/x", "/"), "x");
    const char *real = path_real(&arena, folder);
    ck_assert_int_eq(symlink(".", inside("link")), 0);
    ck_assert_str_eq(path_real(&arena, inside("link/./new/file")), path_join(&arena, real, "new/file"));
}
END_TEST

/* --- stamps --- */

static void
make_stamp(const char *key)
{
    struct stamp stamp;
    usleep(20000); /* so that the files are older than the stamp */
    stamp_init(&stamp, &arena, key);
    stamp_input(&stamp, inside("input"));
    stamp_input(&stamp, inside("absent"));
    stamp_output(&stamp, inside("output"));
    ck_assert_int_eq(stamp_write(&stamp, inside("stamp")), EXIT_DONE);
}

static bool
is_current(const char *key)
{
    const char *why = "";
    return stamp_is_current(&arena, inside("stamp"), key, &why);
}

static void
make_stamped_files(void)
{
    write_text(inside("input"), "input");
    write_text(inside("output"), "output");
    make_stamp("key");
}

START_TEST(test_a_stamp_notices_every_change)
{
    const char *why = NULL;
    make_stamped_files();
    ck_assert(is_current("key"));
    ck_assert(!is_current("other key"));
    write_text(inside("input"), "inpux");
    ck_assert(!stamp_is_current(&arena, inside("stamp"), "key", &why));
    ck_assert_ptr_nonnull(strstr(why, "input changed"));
    make_stamped_files();
    write_text(inside("absent"), "");
    ck_assert(!is_current("key"));
    unlink(inside("absent"));
    ck_assert(is_current("key"));
    unlink(inside("output"));
    ck_assert(!is_current("key"));
    unlink(inside("stamp"));
    ck_assert(!is_current("key"));
}
END_TEST

START_TEST(test_contents_decide_when_only_the_time_changed)
{
    make_stamped_files();
    ck_assert_int_eq(file_touch(inside("input")), EXIT_DONE);
    ck_assert(is_current("key"));
    /* A change that keeps size, time and inode. */
    struct stat status;
    ck_assert_int_eq(stat(inside("input"), &status), 0);
    FILE *file = fopen(inside("input"), "r+");
    fputs("INPUT", file);
    fclose(file);
    const struct timespec times[2] = {status.st_mtim, status.st_mtim};
    ck_assert_int_eq(utimensat(AT_FDCWD, inside("input"), times, 0), 0);
    usleep(20000);
    make_stamp("key");
    ck_assert(is_current("key"));
}
END_TEST

START_TEST(test_an_input_changed_while_it_was_used_is_never_current)
{
    struct stamp stamp;
    write_text(inside("input"), "input");
    stamp_init(&stamp, &arena, "key");
    usleep(20000);
    write_text(inside("input"), "later");
    stamp_input(&stamp, inside("input"));
    ck_assert_int_eq(stamp_write(&stamp, inside("stamp")), EXIT_DONE);
    ck_assert(!is_current("key"));
}
END_TEST

START_TEST(test_a_damaged_stamp_is_no_stamp)
{
    static const char *const texts[] = {"", "x", "pkwrap stamp 1\n", "pkwrap stamp 0\nkey 0\n"};
    make_stamped_files();
    struct text text = {0};
    ck_assert_int_eq(file_read(inside("stamp"), &text), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(inside("stamp"), texts[i]);
        ck_assert(!is_current("key"));
    }
    text_add(&text, "file 1 2 3\n");
    ck_assert_int_eq(file_write(inside("stamp"), text.data, text.length, NULL), EXIT_DONE);
    ck_assert(!is_current("key"));
    text_release(&text);
}
END_TEST

/* --- dependency files --- */

START_TEST(test_dependency_files_as_compilers_write_them)
{
    const char **paths = NULL;
    int n = 0;
    write_text(inside("d"), "folder\\ x/a.o: a.c \\\n  /usr/include/stdio.h with\\ blank.h \\\n a$$b.h c\\#d.h\n");
    depends_read(&arena, inside("d"), &paths, &n);
    const char *const expected[] = {"a.c", "/usr/include/stdio.h", "with blank.h", "a$b.h", "c#d.h"};
    ck_assert_int_eq(n, 5);
    for (int i = 0; i < n; i++)
        ck_assert_str_eq(paths[i], expected[i]);
}
END_TEST

START_TEST(test_dependency_files_as_make_reads_them)
{
    const char *const paths[] = {"a b.h", "c#d$e.h"};
    ck_assert_int_eq(depends_write(inside("d"), "out put", paths, 2), EXIT_DONE);
    assert_holds(inside("d"), "out\\ put: \\\n  a\\ b.h \\\n  c\\#d$$e.h\n\na\\ b.h:\n\nc\\#d$$e.h:\n");
}
END_TEST

Suite *files_suite(void);

Suite *
files_suite(void)
{
    Suite *suite = suite_create("files");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_a_file_is_written_only_when_it_changes);
    tcase_add_test(tests, test_a_failed_write_leaves_the_old_file);
    tcase_add_test(tests, test_installing_moves_or_copies);
    tcase_add_test(tests, test_folders);
    tcase_add_test(tests, test_paths);
    tcase_add_test(tests, test_a_stamp_notices_every_change);
    tcase_add_test(tests, test_contents_decide_when_only_the_time_changed);
    tcase_add_test(tests, test_an_input_changed_while_it_was_used_is_never_current);
    tcase_add_test(tests, test_a_damaged_stamp_is_no_stamp);
    tcase_add_test(tests, test_dependency_files_as_compilers_write_them);
    tcase_add_test(tests, test_dependency_files_as_make_reads_them);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(files_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
