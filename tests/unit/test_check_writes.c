/* test_check_writes.c - declarations held against what an analysis found, with models built here. */
#include <check.h>
#include <string.h>

#include "report/check_writes.h"

static struct arena arena;
static struct diag diag;
static struct manifest manifest;
static struct model model;
static struct fixes fixes;
static struct model_param params[2];
static struct model_evidence store = {{"f.c", 4, 9}, "x[i] = 0"}, call = {{"f.c", 9, 5}, "clear(n, x)"};

/* void f(int n, double *x) */
static void
set_up(void)
{
    static struct model_function function;
    static const struct model_type integer = {.kind = KIND_SCALAR, .dtype = PKW_I32, .spelling = "int"},
                                   array = {.kind = KIND_ARRAY, .dtype = PKW_F64, .spelling = "double *", .is_pointer = true};
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = true;
    params[0] = (struct model_param){.name = "n", .type = integer};
    params[1] = (struct model_param){.name = "x", .position = 1, .type = array, .writes = WRITES_MAYBE};
    function = (struct model_function){.name = "f", .params = params, .n_params = 2};
    model = (struct model){.arena = &arena, .functions = &function, .n_functions = 1};
}

static void
tear_down(void)
{
    arena_release(&arena);
}

/* The findings for f with these keys, as "severity code; ..." */
static const char *
findings(const char *keys)
{
    static const char *const severities[] = {"note", "warning", "error"};
    struct json_document document;
    const char *text = arena_printf(&arena, "{\"module\": \"m\", \"headers\": [\"f.h\"], \"kernels\": {\"f\": {%s}}}", keys), *found = "";
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", text, strlen(text)), EXIT_DONE);
    ck_assert_int_eq(manifest_check(&manifest, &arena, &diag, "m.json", &document), EXIT_DONE);
    diag.n_findings = 0;
    fixes = (struct fixes){0};
    check_writes(&diag, &manifest, &model, &fixes);
    for (int i = 0; i < diag.n_findings; i++) {
        const struct finding *finding = &diag.findings[i];
        found = arena_printf(&arena, "%s%s%s %s", found, i ? "; " : "", severities[finding->severity], finding->code);
        ck_assert_str_eq(finding->kernel, "f");
    }
    return found;
}

static const char X[] = "\"params\": {\"x\": {\"shape\": [\"n\"]}}";
#define WITH_X(outputs) arena_printf(&arena, "\"outputs\": %s, %s", (outputs), X)

START_TEST(test_F9_a_proven_write_that_the_list_lacks)
{
    struct model_evidence evidence[] = {store, call};
    params[1].writes = WRITES_YES;
    params[1].evidence = evidence;
    params[1].n_evidence = 2;
    ck_assert_str_eq(findings(WITH_X("[]")), "error missing-output; note evidence");
    ck_assert_ptr_nonnull(strstr(diag.findings[0].text, "\"x\" (f.c:4: x[i] = 0)"));
    ck_assert_int_eq(diag.findings[0].place.column, 66);
    ck_assert_int_eq(diag.findings[1].place.line, 9);
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), "");
    ck_assert_str_eq(findings(WITH_X("[-1]")), "");
    ck_assert_str_eq(findings(WITH_X("[1]")), "");
    ck_assert_str_eq(findings(WITH_X("\"auto\"")), "");
}
END_TEST

START_TEST(test_reasons_overrule_the_analysis)
{
    params[1].writes = WRITES_YES;
    ck_assert_str_eq(findings("\"outputs\": [], \"params\": {\"x\": {\"shape\": [\"n\"], \"scratch\": true}}"), "");
    ck_assert_str_eq(findings("\"outputs\": [], \"params\": {\"x\": {\"shape\": [\"n\"], \"read_only\": \"put back\"}}"), "");
    ck_assert_str_eq(findings("\"outputs\": [], \"params\": {\"x\": {\"value\": \"NULL\"}}"), "");
    params[1].writes = WRITES_NO;
    ck_assert_str_eq(findings("\"outputs\": [\"x\"], \"params\": {\"x\": {\"shape\": [\"n\"], \"written\": \"asm\"}}"), "");
}
END_TEST

START_TEST(test_what_cannot_be_told)
{
    ck_assert_str_eq(findings(WITH_X("[]")), "warning cannot-tell");
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), "");
    ck_assert_str_eq(findings(WITH_X("\"auto\"")), "");
}
END_TEST

START_TEST(test_an_output_that_is_never_written)
{
    params[1].writes = WRITES_NO;
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), "warning unneeded-output");
    ck_assert_ptr_nonnull(strstr(diag.findings[0].text, "8 * n bytes"));
    ck_assert_str_eq(findings(WITH_X("[]")), "");
    params[1].type.is_const = true; /* resolve refuses that */
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), "");
}
END_TEST

START_TEST(test_a_manifest_that_could_be_narrower)
{
    static const char *proven[] = {"n"};
    params[1].writes = WRITES_YES;
    params[1].overwritten = true;
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), ""); /* nothing says that n is the shape that was shown */
    params[1].proven_shape = proven;
    params[1].n_proven_shape = 1;
    ck_assert_str_eq(findings("\"outputs\": [\"x\"], \"params\": {\"x\": {\"shape\": [\"2*n\"]}}"), "");
    ck_assert_str_eq(findings(WITH_X("[\"x\"]")), "warning narrower");
    ck_assert_str_eq(findings(X), "warning narrower");
    ck_assert_str_eq(findings("\"params\": {\"x\": {\"shape\": [\"n\"], \"nullable\": true, \"default\": null}}"), "");
    ck_assert_str_eq(findings("\"outputs\": [\"x\"], \"params\": {\"x\": {\"shape\": [\"n\"], \"overwritten\": true}}"), "");
}
END_TEST

static Suite *
check_writes_suite(void)
{
    Suite *suite = suite_create("check_writes");
    TCase *tests = tcase_create("check_writes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_F9_a_proven_write_that_the_list_lacks);
    tcase_add_test(tests, test_reasons_overrule_the_analysis);
    tcase_add_test(tests, test_what_cannot_be_told);
    tcase_add_test(tests, test_an_output_that_is_never_written);
    tcase_add_test(tests, test_a_manifest_that_could_be_narrower);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(check_writes_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
