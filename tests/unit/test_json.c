/* test_json.c - JSON is read strictly, and every key and value knows its place. What is refused, with places and texts, is in
 * tests/reject; here are the values. */
#include <check.h>
#include <string.h>

#include "base/json.h"

static struct arena arena;
static struct diag diag;
static struct json_document document;

static void
set_up(void)
{
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = true;
}

static void
tear_down(void)
{
    arena_release(&arena);
}

static int
parse(const char *text)
{
    return json_parse(&document, &arena, &diag, "m.json", text, strlen(text));
}

static const struct json_value *
parsed(const char *text)
{
    ck_assert_int_eq(parse(text), EXIT_DONE);
    ck_assert_int_eq(diag.n_findings, 0);
    return document.root;
}

START_TEST(test_kinds)
{
    const struct json_value *root = parsed("{\"a\": null, \"b\": [true, false], \"c\": {\"d\": \"e\"}, \"f\": -1.5e2}");
    ck_assert_int_eq(root->kind, JSON_OBJECT);
    ck_assert_int_eq(root->n_children, 4);
    ck_assert_int_eq(json_member(root, "a")->kind, JSON_NULL);
    const struct json_value *list = json_member(root, "b");
    ck_assert_int_eq(list->n_children, 2);
    ck_assert(list->child->boolean && !list->child->next->boolean);
    ck_assert_ptr_eq(list->child->parent, list);
    ck_assert_str_eq(json_member(json_member(root, "c"), "d")->string, "e");
    ck_assert_double_eq(json_member(root, "f")->number, -150.0);
    ck_assert(!json_member(root, "f")->is_integer);
    ck_assert_ptr_null(json_member(root, "A")); /* case matters */
    ck_assert_ptr_null(json_member(list, "a"));
}
END_TEST

START_TEST(test_integers_beyond_2_to_53_are_exact)
{
    static const struct {
        const char *text;
        bool is_integer, is_unsigned;
        int64_t value;
    } rows[] = {
        {"0", true, false, 0},
        {"-0", true, false, 0},
        {"9007199254740993", true, false, 9007199254740993},
        {"9223372036854775807", true, false, INT64_MAX},
        {"-9223372036854775808", true, false, INT64_MIN},
        {"9223372036854775808", true, true, INT64_MIN},
        {"18446744073709551615", true, true, -1},
        {"18446744073709551616", false, false, 0},
        {"-9223372036854775809", false, false, 0},
        {"1.0", false, false, 0},
        {"1e2", false, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct json_value *value = parsed(rows[i].text);
        ck_assert_msg(value->is_integer == rows[i].is_integer, "%s", rows[i].text);
        ck_assert_msg(value->is_unsigned == rows[i].is_unsigned, "%s", rows[i].text);
        if (rows[i].is_integer)
            ck_assert_msg(value->integer == rows[i].value, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(test_strings_are_decoded)
{
    ck_assert_str_eq(parsed("\"a\\n\\t\\\"\\\\\\/\\u00e4\\ud83d\\ude00\"")->string, "a\n\t\"\\/\xC3\xA4\xF0\x9F\x98\x80");
    ck_assert_str_eq(parsed("\"\xF4\x8F\xBF\xBF \x7F\"")->string, "\xF4\x8F\xBF\xBF \x7F");
}
END_TEST

START_TEST(test_places_count_lines_and_characters)
{
    const struct json_value *root = parsed("{\n  \"\xC3\xA4\": [1,\r\n 22],\t\"k\": \"v\" }\n");
    const struct json_value *list = root->child, *last = list->next;
    ck_assert_int_eq(root->place.line, 1);
    ck_assert_int_eq(list->key_place.line, 2);
    ck_assert_int_eq(list->key_place.column, 3);
    ck_assert_int_eq(list->place.column, 8);
    ck_assert_int_eq(list->child->next->place.line, 3);
    ck_assert_int_eq(list->child->next->place.column, 2);
    ck_assert_int_eq(last->key_place.column, 7);
    ck_assert_str_eq(last->place.file, "m.json");
    struct place place = json_place(&document, last->start);
    ck_assert_int_eq(place.line, last->place.line);
    ck_assert_int_eq(place.column, last->place.column);
}
END_TEST

START_TEST(test_spans_hold_the_text)
{
    const struct json_value *root = parsed(" {\"a\" : \"b\\n\", \"c\": [ 1 ] } ");
    const struct json_value *a = root->child, *c = a->next;
    ck_assert_int_eq(memcmp(document.text + a->key_start, "\"a\"", 3), 0);
    ck_assert_int_eq(memcmp(document.text + a->start, "\"b\\n\"", 5), 0);
    ck_assert_uint_eq(a->end - a->start, 5);
    ck_assert_int_eq(memcmp(document.text + c->start, "[ 1 ]", 5), 0);
    ck_assert_uint_eq(c->end - c->start, 5);
    ck_assert_uint_eq(root->end, strlen(document.text) - 1);
}
END_TEST

START_TEST(test_a_place_inside_a_string)
{
    const struct json_value *plain = parsed("[\"n+m\"]")->child, *escaped = parsed("[\"n\\u002bm\"]")->child;
    ck_assert_int_eq(json_place_in(plain, 2).column, 5);
    ck_assert_int_eq(json_place_in(escaped, 2).column, escaped->place.column);
}
END_TEST

START_TEST(test_every_duplicate_key_is_found)
{
    ck_assert_int_eq(parse("{\"a\": 1, \"\\u0061\": 2, \"b\": {\"c\": 1, \"d\": 0, \"c\": 2}, \"A\": 1}"), EXIT_INPUT);
    ck_assert_int_eq(diag.n_errors, 2);
    ck_assert_int_eq(diag.findings[0].place.column, 10);
    ck_assert_str_eq(diag.findings[0].code, "json-duplicate-key");
}
END_TEST

/* Texts that cJSON itself accepts or reads otherwise. */
START_TEST(test_traps_of_cjson)
{
    static const char *const texts[] = {
        "[01]", "[-01]", "[1.]", "[.5]", "[+1]", "[1e999]", "[-1e999]", "[0x10]", "[1e]", "[\"\t\"]", "[\"\x01\"]", "[\"\\u0000\"]",
        "[\"\\ud800\"]", "[\"\\udc00\\ud800\"]", "[\"\xFF\"]", "[\"\xC0\xAF\"]", "[\"\xED\xA0\x80\"]", "[\"\xF5\x80\x80\x80\"]",
        "\xEF\xBB\xBF[]", "[] []", "[]x", "[,]", "[1,]", "{,}", "{\"a\":1,}", "[nan]", "[NaN]", "[Infinity]", "[True]", "[truex]",
        "'a'", "[1 2]", "{\"a\" 1}", "{1: 2}", "", " ", "[", "{", "[\"", "[\"\\", "[\"\\u12", "[tru", "//\n[]", "[\"\\x41\"]",
        "\v[]", "\xC2\xA0[]", "[-]", "[--1]", "[1]]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int errors = diag.n_errors;
        ck_assert_msg(parse(texts[i]) == EXIT_INPUT, "accepted: %s", texts[i]);
        ck_assert_msg(diag.n_errors == errors + 1, "%d findings for %s", diag.n_errors - errors, texts[i]);
    }
}
END_TEST

START_TEST(test_a_nul_byte_ends_nothing)
{
    static const char text[] = "[1]\0]", inside[] = "[\"a\0b\"]";
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", text, sizeof text - 1), EXIT_INPUT);
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", inside, sizeof inside - 1), EXIT_INPUT);
}
END_TEST

START_TEST(test_nesting_is_limited)
{
    char text[2 * JSON_DEPTH + 3];
    memset(text, '[', JSON_DEPTH);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    text[2 * JSON_DEPTH] = '\0';
    parsed(text);
    memset(text, '[', JSON_DEPTH + 1);
    memset(text + JSON_DEPTH + 1, ']', JSON_DEPTH + 1);
    text[2 * JSON_DEPTH + 2] = '\0';
    ck_assert_int_eq(parse(text), EXIT_INPUT);
}
END_TEST

START_TEST(test_excerpts_are_short_and_whole_characters)
{
    ck_assert_str_eq(json_excerpt(&arena, parsed("[1,\n   2]")), "[1, 2]");
    ck_assert_str_eq(json_excerpt(&arena, parsed("\"012345678901234567890123456789012345678\xC3\xA4\"")),
                     "\"012345678901234567890123456789012345678...");
    ck_assert_str_eq(json_excerpt(&arena, parsed("\"01234567890123456789012345678901234567\xC3\xA4\"")),
                     "\"01234567890123456789012345678901234567...");
}
END_TEST

static Suite *
json_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_kinds);
    tcase_add_test(tests, test_integers_beyond_2_to_53_are_exact);
    tcase_add_test(tests, test_strings_are_decoded);
    tcase_add_test(tests, test_places_count_lines_and_characters);
    tcase_add_test(tests, test_spans_hold_the_text);
    tcase_add_test(tests, test_a_place_inside_a_string);
    tcase_add_test(tests, test_every_duplicate_key_is_found);
    tcase_add_test(tests, test_traps_of_cjson);
    tcase_add_test(tests, test_a_nul_byte_ends_nothing);
    tcase_add_test(tests, test_nesting_is_limited);
    tcase_add_test(tests, test_excerpts_are_short_and_whole_characters);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(json_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
