/* test_json_write.c - JSON as text: escapes, layout, numbers; and the set of names. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/names.h"

static void
assert_quoted(const char *value, const char *expected)
{
    struct text text = {0};
    json_write_string(&text, value);
    ck_assert_str_eq(text.data, expected);
    text_release(&text);
}

START_TEST(test_strings)
{
    assert_quoted(NULL, "null");
    assert_quoted("", "\"\"");
    assert_quoted("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    assert_quoted("\b\t\n\f\r\x01\x1f\x7f", "\"\\b\\t\\n\\f\\r\\u0001\\u001f\\u007f\"");
    assert_quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    assert_quoted("a\xff", "\"a\\ufffd\"");
    assert_quoted("\xe9z", "\"\\ufffdz\"");
    assert_quoted("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
    assert_quoted("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* beyond U+10FFFF */
    assert_quoted("\xe2\x82", "\"\\ufffd\\ufffd\""); /* cut */
}
END_TEST

START_TEST(test_layout)
{
    struct text text = {0};
    struct json_writer writer = {.out = &text, .flat_from = 3};
    json_begin(&writer, NULL, '{');
    json_begin(&writer, "list", '[');
    json_begin(&writer, NULL, '{');
    json_integer(&writer, "a", 1);
    json_text(&writer, "b", "x");
    json_end(&writer, '}');
    json_begin(&writer, NULL, '{');
    json_end(&writer, '}');
    json_end(&writer, ']');
    json_begin(&writer, "empty", '[');
    json_end(&writer, ']');
    json_boolean(&writer, "yes", true);
    json_null(&writer, "nothing");
    json_end(&writer, '}');
    ck_assert_str_eq(text.data, "{\n  \"list\": [\n    {\"a\": 1, \"b\": \"x\"},\n    {}\n  ],\n  \"empty\": [],\n  \"yes\": true,\n"
                                "  \"nothing\": null\n}");
    text_release(&text);
}
END_TEST

START_TEST(test_integers)
{
    static const int64_t values[] = {0, -1, 42, INT64_MAX, INT64_MIN};
    static const char *const expected[] = {"0", "-1", "42", "9223372036854775807", "-9223372036854775808"};
    for (int i = 0; i < 5; i++) {
        struct text text = {0};
        struct json_writer writer = {.out = &text, .flat_from = -1};
        json_integer(&writer, NULL, values[i]);
        ck_assert_str_eq(text.data, expected[i]);
        text_release(&text);
    }
}
END_TEST

START_TEST(test_names)
{
    struct arena arena;
    arena_init(&arena);
    struct names names = {0};
    ck_assert_int_eq(names_find(&names, "a"), -1);
    enum { MANY = 10000 };
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(names_add(&arena, &names, arena_printf(&arena, "name%d", i), i), -1);
    for (int i = 0; i < MANY; i++) {
        const char *name = arena_printf(&arena, "name%d", i);
        ck_assert_int_eq(names_find(&names, name), i);
        ck_assert_int_eq(names_add(&arena, &names, name, 7), i);
    }
    ck_assert_int_eq(names_find(&names, "name"), -1);
    arena_release(&arena);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_write");
    TCase *tests = tcase_create("json_write");
    tcase_add_test(tests, test_strings);
    tcase_add_test(tests, test_layout);
    tcase_add_test(tests, test_integers);
    tcase_add_test(tests, test_names);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
