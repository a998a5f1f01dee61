/* test_manifest.c - what a manifest says, and where. What is refused is in tests/reject; that the schema judges alike, in
 * tests/reject/test_schema.py. */
#include <check.h>
#include <string.h>

#include "manifest/manifest.h"
#include "model/dtype.h"

static struct arena arena;
static struct diag diag;
static struct manifest manifest;

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
check(const char *path, const char *text)
{
    struct json_document document;
    ck_assert_int_eq(json_parse(&document, &arena, &diag, path, text, strlen(text)), EXIT_DONE);
    return manifest_check(&manifest, &arena, &diag, path, &document);
}

START_TEST(test_every_key)
{
    static const char text[] =
        "{\"$schema\": \"s\", \"version\": 1.0, \"$comment\": \"c\", \"module\": \"m\", \"headers\": [\"a.h\", \"sub/b.h\"],\n"
        " \"sources\": [\"a.c\"],\n"
        " \"compile\": {\"include_dirs\": [\"inc\"], \"defines\": {\"A\": \"\", \"$comment\": \"c\", \"B\": \"2\"}, \"flags\": [\"-g\"],\n"
        "  \"pkg_config\": [\"p\"]},\n"
        " \"link\": {\"libraries\": [\"l\"], \"library_dirs\": [\"d\"], \"flags\": [\"-s\"]},\n"
        " \"kernels\": {\"$comment\": \"c\",\n"
        "  \"f\": {\"outputs\": [\"x\", -1, 2.0], \"name\": \"g\", \"doc\": \"d\", \"gil\": \"hold\", \"thread_safe\": true,\n"
        "   \"params\": {\"x\": {\"shape\": [\"n\", null], \"order\": \"F\", \"dtype\": \"float32\", \"name\": \"y\",\n"
        "     \"keyword_only\": true, \"overwritten\": true, \"empty\": \"refuse\", \"written\": \"w\"},\n"
        "    \"v\": {\"value\": \"2\"}, \"s\": {\"scratch\": true, \"create\": false}, \"r\": {\"read_only\": \"r\", \"nullable\": true}}},\n"
        "  \"h\": {}}}";
    ck_assert_int_eq(check("some/dir/m.json", text), EXIT_DONE);
    ck_assert_str_eq(manifest.directory, "some/dir");
    ck_assert_str_eq(manifest.module.text, "m");
    ck_assert_int_eq(manifest.headers.n, 2);
    ck_assert_str_eq(manifest.headers.items[1].text, "sub/b.h");
    ck_assert_str_eq(manifest.sources.items[0].text, "a.c");
    ck_assert_int_eq(manifest.sources.items[0].place.line, 2);
    ck_assert_int_eq(manifest.sources.items[0].place.column, 14);
    ck_assert_str_eq(manifest.include_dirs.items[0].text, "inc");
    ck_assert_int_eq(manifest.defines.n, 2);
    ck_assert_str_eq(manifest.defines.items[1].name, "B");
    ck_assert_str_eq(manifest.defines.items[1].value, "2");
    ck_assert_str_eq(manifest.compile_flags.items[0].text, "-g");
    ck_assert_str_eq(manifest.pkg_config.items[0].text, "p");
    ck_assert_str_eq(manifest.libraries.items[0].text, "l");
    ck_assert_str_eq(manifest.library_dirs.items[0].text, "d");
    ck_assert_str_eq(manifest.link_flags.items[0].text, "-s");

    ck_assert_int_eq(manifest.n_kernels, 2);
    const struct manifest_kernel *f = &manifest.kernels[0];
    ck_assert_str_eq(f->c_name, "f");
    ck_assert_int_eq(f->place.line, 7);
    ck_assert_int_eq(f->outputs_kind, OUTPUTS_LIST);
    ck_assert_int_eq(f->n_outputs, 3);
    ck_assert_str_eq(f->outputs[0].name, "x");
    ck_assert_int_eq(f->outputs[1].position, -1);
    ck_assert_int_eq(f->outputs[2].position, 2);
    ck_assert_str_eq(f->python_name.text, "g");
    ck_assert_str_eq(f->doc.text, "d");
    ck_assert_int_eq(f->gil, MANIFEST_GIL_HOLD);
    ck_assert(f->thread_safe);

    const struct manifest_param *x = manifest_param(f, "x");
    ck_assert_int_eq(x->n_shape, 2);
    ck_assert_str_eq(x->shape[0], "n");
    ck_assert_ptr_null(x->shape[1]);
    ck_assert_str_eq(x->order, "F");
    ck_assert_int_eq(x->dtype, PKW_F32);
    ck_assert_str_eq(x->python_name, "y");
    ck_assert_str_eq(x->written, "w");
    ck_assert(x->keyword_only && x->overwritten && x->refuse_empty && !x->create && !x->nullable);
    ck_assert_ptr_nonnull(x->given[PARAM_SHAPE]);
    ck_assert_ptr_null(x->given[PARAM_VALUE]);
    ck_assert_str_eq(manifest_param(f, "v")->value, "2");
    ck_assert_ptr_null(manifest_param(f, "s")->given[PARAM_CREATE]); /* false says nothing */
    ck_assert(manifest_param(f, "s")->scratch);
    ck_assert_str_eq(manifest_param(f, "r")->read_only, "r");
    ck_assert_ptr_null(manifest_param(f, "X"));

    ck_assert_int_eq(manifest.kernels[1].outputs_kind, OUTPUTS_AUTO);
    ck_assert_ptr_null(manifest.kernels[1].outputs_json);
}
END_TEST

START_TEST(test_keys_for_pyccel)
{
    ck_assert_int_eq(check("m.json", "{\"module\": \"m\", \"stubs\": [\"k.pyi\"], \"extension\": \"pkg.k\", \"kernel_sources\": [\"k.py\"],"
                                     "\"object_modules\": [\"a.b\"], \"constant\": [\"C.args\"], \"kernels\": {\"C.method\": {\"outputs\": [\"args.markers\"]}}}"),
                     EXIT_DONE);
    ck_assert_str_eq(manifest.directory, ".");
    ck_assert_str_eq(manifest.stubs.items[0].text, "k.pyi");
    ck_assert_str_eq(manifest.extension.text, "pkg.k");
    ck_assert_str_eq(manifest.kernel_sources.items[0].text, "k.py");
    ck_assert_str_eq(manifest.object_modules.items[0].text, "a.b");
    ck_assert_str_eq(manifest.constant.items[0].text, "C.args");
    ck_assert_str_eq(manifest.kernels[0].outputs[0].name, "args.markers");
}
END_TEST

START_TEST(test_all_mistakes_are_found_at_once)
{
    ck_assert_int_eq(check("m.json", "{\"module\": \"1\", \"header\": [], \"kernels\": {\"f\": {\"gil\": 1, \"params\": {\"x\": {\"shape\": 3}}}}}"),
                     EXIT_INPUT);
    static const char *const codes[] = {"wrong-value", "unknown-key", "wrong-value", "wrong-value", "no-headers"};
    ck_assert_int_eq(diag.n_findings, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(diag.findings[i].code, codes[i]);
}
END_TEST

START_TEST(test_dtype_names_go_both_ways)
{
    for (int i = PKW_NO_DTYPE + 1; i < PKW_N_DTYPES; i++)
        ck_assert_int_eq(dtype_from_name(dtype_name((pkw_dtype)i)), i);
    ck_assert_int_eq(dtype_from_name("double"), PKW_NO_DTYPE);
}
END_TEST

START_TEST(test_names)
{
    ck_assert(is_identifier("_a1") && is_identifier("A"));
    ck_assert(!is_identifier("") && !is_identifier("1a") && !is_identifier("a-b") && !is_identifier("a b") && !is_identifier("\xC3\xA4"));
    ck_assert(is_python_keyword("lambda") && is_python_keyword("None") && !is_python_keyword("match") && !is_python_keyword("print"));
}
END_TEST

static Suite *
manifest_suite(void)
{
    Suite *suite = suite_create("manifest");
    TCase *tests = tcase_create("manifest");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_every_key);
    tcase_add_test(tests, test_keys_for_pyccel);
    tcase_add_test(tests, test_all_mistakes_are_found_at_once);
    tcase_add_test(tests, test_dtype_names_go_both_ways);
    tcase_add_test(tests, test_names);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(manifest_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
