/* test_check_fix.c - a manifest is changed where it has to be, and nowhere else. */
#include <check.h>
#include <string.h>

#include "report/check_fix.h"
#include "base/diag.h"

static struct arena arena;
static struct diag diag;
static struct manifest manifest;
static struct fixes fixes;

static void
set_up(void)
{
    arena_init(&arena);
    diag_init(&diag, &arena);
    fixes = (struct fixes){0};
}

static void
tear_down(void)
{
    arena_release(&arena);
}

#define AROUND(kernel) "{\"module\": \"m\", \"headers\": [\"f.h\"],\n \"kernels\": {\n  \"f\": " kernel "\n }}\n"

static void
parse(const char *text)
{
    struct json_document document;
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", text, strlen(text)), EXIT_DONE);
    ck_assert_int_eq(manifest_check(&manifest, &arena, &diag, "m.json", &document), EXIT_DONE);
}

static void
want_output(const char *name)
{
    *ARENA_PUSH(&arena, fixes.items, fixes.n) = (struct fix){.kind = FIX_ADD_OUTPUT, .kernel = &manifest.kernels[0], .name = name};
}

static void
want_no_output(int index)
{
    *ARENA_PUSH(&arena, fixes.items, fixes.n) =
        (struct fix){.kind = FIX_REMOVE_OUTPUT, .kernel = &manifest.kernels[0], .output = &manifest.kernels[0].outputs[index]};
}

static void
want_overwritten(const char *name)
{
    *ARENA_PUSH(&arena, fixes.items, fixes.n) = (struct fix){
        .kind = FIX_OVERWRITTEN, .kernel = &manifest.kernels[0], .name = name, .said = manifest_param(&manifest.kernels[0], name)};
}

static void
expect(const char *expected)
{
    struct text text = {0};
    fixes_text(&text, &arena, &manifest, &fixes);
    ck_assert_str_eq(text.data, expected);
    struct json_document document;
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", text.data, text.length), EXIT_DONE);
    ck_assert_int_eq(manifest_check(&manifest, &arena, &diag, "m.json", &document), EXIT_DONE);
    text_release(&text);
}

START_TEST(test_nothing_to_do)
{
    parse(AROUND("{ \"outputs\" : [ 1 ,\"x\"] }"));
    expect(AROUND("{ \"outputs\" : [ 1 ,\"x\"] }"));
}
END_TEST

START_TEST(test_outputs_are_added_as_the_others_stand)
{
    static const char *const rows[][2] = {
        {AROUND("{\"outputs\": []}"), AROUND("{\"outputs\": [\"x\", \"y.z\"]}")},
        {AROUND("{\"outputs\": [ ]}"), AROUND("{\"outputs\": [\"x\", \"y.z\"]}")},
        {AROUND("{\"outputs\": [\"a\"]}"), AROUND("{\"outputs\": [\"a\", \"x\", \"y.z\"]}")},
        {AROUND("{\"outputs\": [1,2]}"), AROUND("{\"outputs\": [1,2,\"x\",\"y.z\"]}")},
        {AROUND("{\"outputs\": [\n    \"a\"\n  ]}"), AROUND("{\"outputs\": [\n    \"a\",\n    \"x\",\n    \"y.z\"\n  ]}")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixes.n = 0;
        parse(rows[i][0]);
        want_output("x");
        want_output("y.z");
        expect(rows[i][1]);
    }
}
END_TEST

START_TEST(test_outputs_are_removed_with_their_commas)
{
    static const struct {
        const char *before, *removed, *after;
    } rows[] = {
        {AROUND("{\"outputs\": [ \"a\" ]}"), "0", AROUND("{\"outputs\": []}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "0", AROUND("{\"outputs\": [ \"b\", 2 ]}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "1", AROUND("{\"outputs\": [ \"a\", 2 ]}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "2", AROUND("{\"outputs\": [ \"a\",  \"b\" ]}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "01", AROUND("{\"outputs\": [ 2 ]}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "12", AROUND("{\"outputs\": [ \"a\" ]}")},
        {AROUND("{\"outputs\": [ \"a\",  \"b\", 2 ]}"), "012", AROUND("{\"outputs\": []}")},
        {AROUND("{\"outputs\": [\n  \"a\",\n  \"b\"\n]}"), "1", AROUND("{\"outputs\": [\n  \"a\"\n]}")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixes.n = 0;
        parse(rows[i].before);
        for (const char *at = rows[i].removed; *at != '\0'; at++)
            want_no_output(*at - '0');
        expect(rows[i].after);
    }
}
END_TEST

START_TEST(test_one_goes_and_another_comes)
{
    parse(AROUND("{\"outputs\": [\"a\", \"b\"]}"));
    want_no_output(1);
    want_output("x");
    expect(AROUND("{\"outputs\": [\"a\", \"x\"]}"));
    fixes.n = 0;
    parse(AROUND("{\"outputs\": [\n  \"a\"]}"));
    want_no_output(0);
    want_output("x");
    expect(AROUND("{\"outputs\": [\"x\"]}"));
}
END_TEST

START_TEST(test_overwritten)
{
    static const char *const rows[][2] = {
        {AROUND("{}"), AROUND("{ \"params\": { \"x\": { \"overwritten\": true }, \"y\": { \"overwritten\": true } } }")},
        {AROUND("{\"doc\": \"d\"}"), AROUND("{\"doc\": \"d\", \"params\": { \"x\": { \"overwritten\": true }, \"y\": { \"overwritten\": true } }}")},
        {AROUND("{\"params\": {\"x\": {}, \"$comment\": \"c\"}}"),
         AROUND("{\"params\": {\"x\": { \"overwritten\": true }, \"$comment\": \"c\", \"y\": { \"overwritten\": true }}}")},
        {AROUND("{\"params\": {\n    \"x\": {\"shape\": [\"n\"],\"create\": true},\n    \"y\": {\"overwritten\": false}}}"),
         AROUND("{\"params\": {\n    \"x\": {\"shape\": [\"n\"],\"create\": true,\"overwritten\": true},\n    \"y\": {\"overwritten\": true}}}")},
        {AROUND("{\"params\": {\"x\": {\n      \"shape\": [\"n\"]\n    }, \"y\": {\"shape\": [\"n\"]}}}"),
         AROUND("{\"params\": {\"x\": {\n      \"shape\": [\"n\"],\n      \"overwritten\": true\n    }, \"y\": {\"shape\": [\"n\"], \"overwritten\": true}}}")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixes.n = 0;
        parse(rows[i][0]);
        want_overwritten("x");
        want_overwritten("y");
        expect(rows[i][1]);
    }
}
END_TEST

static Suite *
check_fix_suite(void)
{
    Suite *suite = suite_create("check_fix");
    TCase *tests = tcase_create("check_fix");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_nothing_to_do);
    tcase_add_test(tests, test_outputs_are_added_as_the_others_stand);
    tcase_add_test(tests, test_outputs_are_removed_with_their_commas);
    tcase_add_test(tests, test_one_goes_and_another_comes);
    tcase_add_test(tests, test_overwritten);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(check_fix_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
