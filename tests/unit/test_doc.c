/* test_doc.c - which comment documents a declaration, and what is left of it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "front/c/doc_internal.h"
#include "front/c/doc_marks_internal.h"

static struct arena arena;

static void
set_up(void)
{
    arena_init(&arena);
}

static void
tear_down(void)
{
    arena_release(&arena);
}

/* The documentation of the declaration "void f(int n)" in the text. */
static const char *
doc(const char *text)
{
    static const char declaration[] = "void f(int n)";
    const char *at = strstr(text, declaration);
    ck_assert_ptr_nonnull(at);
    size_t start = (size_t)(at - text);
    return doc_of_declaration(&arena, text, strlen(text), start, start + sizeof declaration - 1);
}

START_TEST(test_block_comments)
{
    ck_assert_str_eq(doc("/* Adds. */\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/** Adds.\n */\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/*! Adds. */ void f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/* Adds.\n *\n *   n  how many\n */\nvoid f(int n);"), "Adds.\n\nn  how many");
    ck_assert_str_eq(doc("/*\n   Adds.\n     More.\n*/\nvoid f(int n);"), "Adds.\n  More.");
    ck_assert_str_eq(doc("/* a */ /* b */\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/**/\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/* a */\n/* b */\nvoid f(int n);"), "b");
    ck_assert_str_eq(doc("/*********\n * Title *\n *********/\nvoid f(int n);"), "Title");
    ck_assert_str_eq(doc("/* x = a * b */\nvoid f(int n);"), "x = a * b");
    ck_assert_str_eq(doc("/* Adds.\r\n * More.\r\n */\r\nvoid f(int n);"), "Adds.\nMore.");
}
END_TEST

START_TEST(test_line_comments)
{
    ck_assert_str_eq(doc("// Adds.\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/// Adds.\n///   more\nvoid f(int n);"), "Adds.\nmore");
    ck_assert_str_eq(doc("// a\n//  b\n//   c\nvoid f(int n);"), "a\nb\n c");
    ck_assert_str_eq(doc("int x; // of x\n// Adds.\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("// other\n\n// Adds.\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("//\nvoid f(int n);"), "");
}
END_TEST

START_TEST(test_comments_about_something_else)
{
    ck_assert_str_eq(doc("void f(int n);"), "");
    ck_assert_str_eq(doc("/* of the file */\n\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("int x; /* of x */\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("int x; // of x\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/* of x */\nint x;\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/* of N */\n#define N 3\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/* of the block */\n#endif\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/* begin */\n{\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("*/\nvoid f(int n);"), "");
    ck_assert_str_eq(doc("/ */\nvoid f(int n);"), "");
}
END_TEST

START_TEST(test_macros_between)
{
    ck_assert_str_eq(doc("/* Adds. */\nEXPORT void f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/* Adds. */\nEXPORT\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("// Adds.\nEXPORT API(1, (2))\nvoid f(int n);"), "Adds.");
    ck_assert_str_eq(doc("/* no */\nMACRO(1;2)\nvoid f(int n);"), "");
    ck_assert_str_eq(doc(") void f(int n);"), "");
}
END_TEST

START_TEST(test_comments_behind)
{
    ck_assert_str_eq(doc("void f(int n); ///< Adds.\nint x;"), "Adds.");
    ck_assert_str_eq(doc("void f(int n); /**< Adds. */"), "Adds.");
    ck_assert_str_eq(doc("void f(int n); /*!< Adds.\n more */"), "Adds.\nmore");
    ck_assert_str_eq(doc("void f(int n); // not Doxygen's"), "");
    ck_assert_str_eq(doc("void f(int n); /**< not closed"), "not closed");
    ck_assert_str_eq(doc("void f(int n); //!<"), "");
}
END_TEST

START_TEST(test_bytes)
{
    ck_assert_str_eq(doc("/* caf\xc3\xa9 \xe2\x82\xac */\nvoid f(int n);"), "caf\xc3\xa9 \xe2\x82\xac");
    ck_assert_str_eq(doc("/* caf\xe9 */\nvoid f(int n);"), "caf\xc3\xa9");       /* Latin-1 */
    ck_assert_str_eq(doc("/* \xed\xa0\x80 */\nvoid f(int n);"), "\xc3\xad\xc2\xa0\xc2\x80"); /* a surrogate */
    ck_assert_str_eq(doc("/* \xc0\xaf */\nvoid f(int n);"), "\xc3\x80\xc2\xaf"); /* overlong */
    ck_assert_str_eq(doc("/* a\x01z */\nvoid f(int n);"), "a z");
}
END_TEST

START_TEST(test_doxygen)
{
    ck_assert_str_eq(doc("/** \\brief Adds.\n *\n * @param[in] n  how many\n * \\param[in,out] x the field\n * @return the sum\n"
                         " * \\note slow, see \\p n\n */\nvoid f(int n);"),
                     "Adds.\n\nn: how many\nx (in,out): the field\nReturns: the sum\nNote: slow, see n");
    ck_assert_str_eq(doc_marks_readable(&arena, "mail a@param.org\n"), "mail a@param.org");
    ck_assert_str_eq(doc_marks_readable(&arena, "C:\\param\n"), "C:\\param");
    ck_assert_str_eq(doc_marks_readable(&arena, "@unknown word\n"), "@unknown word");
    ck_assert_str_eq(doc_marks_readable(&arena, "\\code\nx = 1\n\\endcode\n"), "x = 1");
    ck_assert_str_eq(doc_marks_readable(&arena, "@param\n"), "");
    ck_assert_str_eq(doc_marks_readable(&arena, "@param[in n\n"), "[in: n");
    ck_assert_str_eq(doc_marks_readable(&arena, "\n\na\n\n\nb\n\n"), "a\n\nb");
    ck_assert_str_eq(doc_marks_readable(&arena, "@\n\\\n"), "@\n\\");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("doc");
    TCase *tests = tcase_create("doc");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_block_comments);
    tcase_add_test(tests, test_line_comments);
    tcase_add_test(tests, test_comments_about_something_else);
    tcase_add_test(tests, test_macros_between);
    tcase_add_test(tests, test_comments_behind);
    tcase_add_test(tests, test_bytes);
    tcase_add_test(tests, test_doxygen);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
