/* test_resolve.c - what becomes of a declaration and a manifest: man/contract.md's last part, with models built here. What is
 * refused is in tests/reject. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "manifest/manifest.h"
#include "plan/resolve.h"

static struct arena arena;
static struct diag diag;
static struct model model;
static struct plan plan;
static struct model_function function;
static struct model_constant constants[] = {{.name = "RowMajor", .value = 101}, {.name = "DIM", .value = 3}};

static void
set_up(void)
{
    arena_init(&arena);
    diag_init(&diag, &arena);
    plan = (struct plan){.arena = &arena};
    function = (struct model_function){.name = "f", .doc = "", .returns = {.is_void = true, .kind = KIND_SCALAR}};
    model = (struct model){.arena = &arena, .functions = &function, .n_functions = 1, .constants = constants, .n_constants = 2};
}

static void
tear_down(void)
{
    arena_release(&arena);
}

static struct model_param *
add(const char *name, struct model_type type)
{
    struct model_param *param = ARENA_PUSH(&arena, function.params, function.n_params);
    type.spelling = type.element;
    *param = (struct model_param){.name = name, .position = function.n_params - 1, .type = type, .writes = WRITES_MAYBE};
    if (type.is_const || type.kind == KIND_SCALAR)
        param->writes = WRITES_NO;
    return param;
}

static void
add_int(const char *name)
{
    add(name, (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_I32, .element = "int"});
}

static void
add_double(const char *name)
{
    add(name, (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_F64, .element = "double"});
}

static struct model_param *
add_array(const char *name, bool is_const)
{
    return add(name, (struct model_type){.kind = KIND_ARRAY, .dtype = PKW_F64, .element = "double", .is_const = is_const, .is_pointer = true});
}

/* double name[..]: "" is a free extent, one digit a fixed one. */
static void
add_declared(const char *name, bool is_const, const char *const *extents, int n)
{
    struct model_type *type = &add_array(name, is_const)->type;
    type->dims = arena_take(&arena, (size_t)n, sizeof *type->dims);
    type->n_dims = n;
    for (int i = 0; i < n; i++) {
        bool fixed = extents[i][0] >= '0' && extents[i][0] <= '9' && extents[i][1] == '\0';
        type->dims[i].kind = extents[i][0] == '\0' ? DIM_FREE : fixed ? DIM_FIXED : DIM_EXPRESSION;
        type->dims[i].size = fixed ? extents[i][0] - '0' : 0;
        type->dims[i].text = extents[i];
    }
}

/* The plan of f() with this entry; every kernel key but "params" may be in `keys`. */
static const struct plan_kernel *
resolve(const char *keys, const char *params)
{
    struct json_document document;
    struct manifest manifest;
    const char *text = arena_printf(&arena, "{\"module\": \"m\", \"headers\": [\"f.h\"], \"kernels\": {\"f\": {%s%s\"params\": {%s}}}}",
                                    keys, keys[0] ? ", " : "", params);
    ck_assert_int_eq(json_parse(&document, &arena, &diag, "m.json", text, strlen(text)), EXIT_DONE);
    ck_assert_int_eq(manifest_check(&manifest, &arena, &diag, "m.json", &document), EXIT_DONE);
    ck_assert_int_eq(resolve_plan(&plan, &diag, &model, &manifest), EXIT_DONE);
    ck_assert_int_eq(diag.n_findings, 0);
    return &plan.kernels[0];
}

static const char *
signature(const char *keys, const char *params)
{
    return resolve(keys, params)->signature;
}

START_TEST(test_a_size_of_a_required_array_disappears)
{
    add_int("n");
    add_array("x", true);
    add_array("y", false);
    const struct plan_kernel *kernel = resolve("", "\"x\": {\"shape\": [\"n\"]}, \"y\": {\"shape\": [\"n\"]}");
    ck_assert_str_eq(kernel->signature, "f(x, y)");
    ck_assert_int_eq(kernel->params[0].kind, PLAN_SIZE);
    ck_assert_int_eq(kernel->params[0].from_param, 1);
    ck_assert_int_eq(kernel->params[0].from_dim, 0);
    ck_assert(!kernel->params[1].written && kernel->params[2].written);
    ck_assert_int_eq(kernel->n_required, 2);
    ck_assert_int_eq(kernel->n_results, 0);
}
END_TEST

START_TEST(test_a_size_inside_an_expression_stays)
{
    add_int("n");
    add_array("x", true);
    ck_assert_str_eq(signature("", "\"x\": {\"shape\": [\"2*n\"]}"), "f(n, x)");
    ck_assert_int_eq(plan.kernels[0].params[0].kind, PLAN_SCALAR);
}
END_TEST

START_TEST(test_a_size_of_optional_arrays_only_stays)
{
    add_int("n");
    add_int("m");
    add_array("out", false);
    add_array("work", false);
    const struct plan_kernel *kernel =
        resolve("\"outputs\": [\"out\"]", "\"out\": {\"shape\": [\"n\"], \"create\": true}, \"work\": {\"shape\": [\"m\"], \"scratch\": true}");
    ck_assert_str_eq(kernel->signature, "f(n, m, out=None, *, work=None)");
    ck_assert_int_eq(kernel->params[0].kind, PLAN_SIZE);
    ck_assert_int_eq(kernel->params[0].from_param, -1);
    ck_assert_int_eq(kernel->params[1].kind, PLAN_SIZE);
    ck_assert(kernel->params[3].written);
    ck_assert_int_eq(kernel->n_results, 1);
    ck_assert_int_eq(kernel->results[0], 2);
}
END_TEST

START_TEST(test_a_size_of_a_nullable_array_stays)
{
    add_int("n");
    add_array("x", true);
    ck_assert_str_eq(signature("", "\"x\": {\"shape\": [\"n\"], \"nullable\": true}"), "f(n, x)");
}
END_TEST

START_TEST(test_a_nullable_array_may_default_to_none)
{
    add_int("n");
    add_array("x", true);
    add_array("w", true);
    ck_assert_str_eq(signature("", "\"x\": {\"shape\": [\"n\"]}, \"w\": {\"shape\": [\"n\"], \"nullable\": true, \"default\": null}"),
                     "f(x, w=None)");
}
END_TEST

START_TEST(test_the_order_of_dgemm)
{
    add("layout", (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_U32, .element = "enum L", .is_enum = true});
    add_int("m");
    add_int("n");
    add_int("k");
    add_double("alpha");
    add_array("A", true);
    add_int("lda");
    add_array("B", true);
    add_int("ldb");
    add_double("beta");
    add_array("C", false);
    add_int("ldc");
    const struct plan_kernel *kernel = resolve(
        "\"name\": \"dgemm\", \"outputs\": [-2]",
        "\"layout\": {\"value\": \"RowMajor\"}, \"alpha\": {\"default\": 1}, \"A\": {\"name\": \"a\", \"shape\": [\"m\", \"k\"]},"
        "\"lda\": {\"value\": \"k\"}, \"B\": {\"name\": \"b\", \"shape\": [\"k\", \"n\"]}, \"ldb\": {\"value\": \"n\"},"
        "\"beta\": {\"default\": 0.0}, \"C\": {\"name\": \"c\", \"shape\": [\"m\", \"n\"], \"create\": true}, \"ldc\": {\"value\": \"n\"}");
    ck_assert_str_eq(kernel->signature, "dgemm(a, b, c=None, alpha=1.0, beta=0.0)");
    ck_assert_int_eq(kernel->n_required, 2);
    ck_assert_int_eq(kernel->n_positional, 5);
    ck_assert_int_eq(kernel->visible[2], 10);
    const struct plan_param *layout = &kernel->params[0], *k = &kernel->params[3], *lda = &kernel->params[6];
    ck_assert_int_eq(layout->kind, PLAN_VALUE);
    ck_assert_int_eq(layout->value.ops[0].value, 101);
    ck_assert_str_eq(layout->value.ops[0].name, "RowMajor");
    ck_assert_int_eq(k->from_param, 5);
    ck_assert_int_eq(k->from_dim, 1);
    ck_assert_int_eq(lda->value.ops[0].code, OP_PARAM);
    ck_assert_int_eq(lda->value.ops[0].value, 3);
}
END_TEST

START_TEST(test_keyword_only)
{
    add_double("a");
    add_double("b");
    add_double("c");
    const struct plan_kernel *kernel = resolve("", "\"a\": {\"keyword_only\": true}, \"c\": {\"keyword_only\": true, \"default\": 2.5}");
    ck_assert_str_eq(kernel->signature, "f(b, *, a, c=2.5)");
    ck_assert_int_eq(kernel->n_required, 1);
    ck_assert_int_eq(kernel->n_positional, 1);
    ck_assert_int_eq(kernel->n_visible, 3);
}
END_TEST

START_TEST(test_declared_extents)
{
    static const char *const fixed[] = {"2", "3"}, *const vla[] = {"n", "2*n+1"}, *const open[] = {"", "3"};
    add_int("n");
    add_declared("a", true, fixed, 2);
    add_declared("b", true, vla, 2);
    add_declared("c", true, open, 2);
    const struct plan_kernel *kernel = resolve("", "\"c\": {\"shape\": [null, \"DIM\"]}, \"a\": {\"shape\": [null, \"3\"]}");
    ck_assert_str_eq(kernel->signature, "f(a, b, c)");
    ck_assert_int_eq(kernel->params[1].rank, 2);
    ck_assert_int_eq(kernel->params[1].shape[0].ops[0].value, 2);
    ck_assert(kernel->params[1].array_of_arrays);
    ck_assert_int_eq(kernel->params[2].shape[1].n_ops, 5);
    ck_assert_int_eq(kernel->params[3].shape[0].n_ops, 0);
    ck_assert_str_eq(kernel->params[3].shape[1].ops[0].name, "DIM");
}
END_TEST

START_TEST(test_scalars_behind_pointers)
{
    add_array("in", true);
    add_array("inout", false);
    add_array("out", false);
    add_array("untouched", false);
    const struct plan_kernel *kernel =
        resolve("\"outputs\": [\"inout\", \"out\"]", "\"in\": {\"shape\": [], \"name\": \"value\"}, \"inout\": {\"shape\": []},"
                                                     "\"out\": {\"shape\": [], \"overwritten\": true}, \"untouched\": {\"shape\": []}");
    ck_assert_str_eq(kernel->signature, "f(value, inout, untouched)");
    ck_assert_int_eq(kernel->n_results, 2);
    ck_assert_int_eq(kernel->results[0], 1);
    ck_assert_int_eq(kernel->results[1], 2);
    ck_assert(kernel->params[0].read && !kernel->params[0].written);
    ck_assert(kernel->params[1].read && kernel->params[1].written);
    ck_assert(!kernel->params[2].read && kernel->params[2].written);
    ck_assert(kernel->params[3].read && !kernel->params[3].written);
}
END_TEST

START_TEST(test_analysis_decides_whether_a_scalar_is_only_written)
{
    struct model_param *info = add_array("info", false);
    info->writes = WRITES_YES;
    info->overwritten = info->single = true;
    ck_assert_str_eq(signature("", "\"info\": {\"shape\": []}"), "f()");
    ck_assert_int_eq(plan.kernels[0].n_results, 1);
}
END_TEST

START_TEST(test_outputs_auto_is_what_the_analysis_found)
{
    add_int("n");
    add_array("a", false)->writes = WRITES_NO;
    add_array("b", false)->writes = WRITES_YES;
    add_array("c", false)->writes = WRITES_MAYBE;
    add_array("d", false)->writes = WRITES_YES;
    add_array("e", false)->writes = WRITES_NO;
    const struct plan_kernel *kernel = resolve(
        "\"outputs\": \"auto\"", "\"a\": {\"shape\": [\"n\"]}, \"b\": {\"shape\": [\"n\"]}, \"c\": {\"shape\": [\"n\"]},"
        "\"d\": {\"shape\": [\"n\"], \"read_only\": \"restored\"}, \"e\": {\"shape\": [\"n\"], \"written\": \"by assembly\"}");
    static const bool written[] = {false, false, true, true, false, true};
    for (int i = 0; i < 6; i++)
        ck_assert_msg(kernel->params[i].written == written[i], "%s", kernel->params[i].c_name);
}
END_TEST

START_TEST(test_outputs_by_position)
{
    add_int("n");
    add_array("a", false);
    add_array("b", false);
    const struct plan_kernel *kernel = resolve("\"outputs\": [1]", "\"a\": {\"shape\": [\"n\"]}, \"b\": {\"shape\": [\"n\"]}");
    ck_assert(kernel->params[1].written && !kernel->params[2].written);
}
END_TEST

START_TEST(test_void_pointers_and_narrower_readings)
{
    add_int("n");
    add("alpha", (struct model_type){.kind = KIND_ARRAY, .element = "void", .is_void = true, .is_const = true});
    add("x", (struct model_type){.kind = KIND_ARRAY, .element = "void", .is_void = true});
    add_array("z", true);
    add("mask", (struct model_type){.kind = KIND_ARRAY, .dtype = PKW_U8, .element = "uint8_t", .is_const = true});
    const struct plan_kernel *kernel =
        resolve("", "\"alpha\": {\"dtype\": \"complex128\", \"shape\": [], \"default\": [1, -2]}, \"x\": {\"dtype\": \"float32\", \"shape\": [\"n\"]},"
                    "\"z\": {\"dtype\": \"complex128\", \"shape\": [\"n\"]}, \"mask\": {\"dtype\": \"bool\", \"shape\": [\"n\"]}");
    ck_assert_str_eq(kernel->signature, "f(x, z, mask, alpha=(1.0-2.0j))");
    ck_assert_int_eq(kernel->params[1].kind, PLAN_CELL);
    ck_assert_int_eq(kernel->params[1].dtype, PKW_C128);
    ck_assert_int_eq(kernel->params[2].dtype, PKW_F32);
    ck_assert_int_eq(kernel->params[3].dtype, PKW_C128);
    ck_assert_int_eq(kernel->params[4].dtype, PKW_BOOL);
    for (int i = 1; i <= 4; i++)
        ck_assert(kernel->params[i].is_void);
}
END_TEST

START_TEST(test_characters_and_strings)
{
    static const struct model_type character = {.kind = KIND_SCALAR, .dtype = PKW_I8, .element = "char", .is_char = true},
                                   string = {.kind = KIND_STRING, .element = "char", .dtype = PKW_I8, .is_const = true};
    add("uplo", character);
    add("job", character);
    add("name", string);
    add("path", string);
    add("text", string);
    add_int("n");
    const struct plan_kernel *kernel =
        resolve("", "\"uplo\": {\"default\": \"U\"}, \"job\": {\"value\": \"n\"}, \"path\": {\"default\": \"it's\\n\"}, \"text\": {\"shape\": [\"n\"]}");
    ck_assert_str_eq(kernel->signature, "f(name, text, uplo='U', path='it\\'s\\x0a')");
    ck_assert_int_eq(kernel->params[0].kind, PLAN_CHAR);
    ck_assert_str_eq(kernel->params[1].literal.string, "n");
    ck_assert_int_eq(kernel->params[2].kind, PLAN_STRING);
    ck_assert_int_eq(kernel->params[4].kind, PLAN_ARRAY);
    ck_assert_int_eq(kernel->params[4].dtype, PKW_I8);
    ck_assert(kernel->params[4].is_const && !kernel->params[4].written);
}
END_TEST

START_TEST(test_defaults_as_python_shows_them)
{
    add("b", (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_BOOL, .element = "_Bool"});
    add("u", (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_U64, .element = "size_t"});
    add_int("i");
    add_int("layout");
    add_double("d");
    add_double("e");
    add("h", (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_F32, .element = "float"});
    ck_assert_str_eq(signature("", "\"b\": {\"default\": true}, \"u\": {\"default\": 18446744073709551615}, \"i\": {\"default\": -2147483648},"
                                   "\"layout\": {\"default\": \"RowMajor+1\"}, \"d\": {\"default\": 3}, \"e\": {\"default\": 1e-300},"
                                   "\"h\": {\"default\": 0.1}"),
                     "f(b=True, u=18446744073709551615, i=-2147483648, layout=102, d=3.0, e=1e-300, h=0.1)");
    ck_assert(plan.kernels[0].params[1].literal.is_unsigned);
}
END_TEST

START_TEST(test_filled_in_values)
{
    add("b", (struct model_type){.kind = KIND_SCALAR, .dtype = PKW_BOOL, .element = "_Bool"});
    add_double("d");
    add_double("e");
    add_array("p", false);
    add("s", (struct model_type){.kind = KIND_STRING, .element = "char", .dtype = PKW_I8, .is_const = true});
    add_int("i");
    add_int("n");
    const struct plan_kernel *kernel =
        resolve("", "\"b\": {\"value\": \"true\"}, \"d\": {\"value\": \"-1.5e3\"}, \"e\": {\"value\": \"DIM*2\"}, \"p\": {\"value\": \"NULL\"},"
                    "\"s\": {\"value\": \"text\"}, \"i\": {\"value\": \"2*n\"}");
    ck_assert_str_eq(kernel->signature, "f(n)");
    ck_assert_int_eq(kernel->params[0].literal.integer, 1);
    ck_assert_double_eq(kernel->params[1].literal.real, -1500.0);
    ck_assert_double_eq(kernel->params[2].literal.real, 6.0);
    ck_assert_int_eq(kernel->params[3].literal.kind, LITERAL_NULL);
    ck_assert_int_eq(kernel->params[3].dtype, PKW_NO_DTYPE);
    ck_assert_str_eq(kernel->params[4].literal.string, "text");
    ck_assert_int_eq(kernel->params[5].value.n_ops, 3);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(kernel->params[i].kind, PLAN_VALUE);
}
END_TEST

START_TEST(test_unnamed_parameters)
{
    add_int("");
    add_array("", true);
    ck_assert_str_eq(signature("", "\"arg1\": {\"shape\": [\"arg0\"], \"name\": \"x\"}"), "f(x)");
    ck_assert_str_eq(plan.kernels[0].params[0].c_name, "arg0");
}
END_TEST

START_TEST(test_keys_of_a_kernel)
{
    add_int("n");
    function.doc = "From the header.";
    const struct plan_kernel *kernel = resolve("\"name\": \"g\", \"gil\": \"release\", \"thread_safe\": true, \"doc\": \"Mine.\"", "");
    ck_assert_str_eq(kernel->name, "g");
    ck_assert_str_eq(kernel->c_name, "f");
    ck_assert_str_eq(kernel->doc, "Mine.");
    ck_assert_int_eq(kernel->gil, GIL_RELEASE);
    ck_assert(kernel->thread_safe);
    ck_assert_int_eq(plan.n_others, 0);
}
END_TEST

START_TEST(test_default_plan_takes_what_is_known)
{
    static const char *proven[] = {"n"}, *const open[] = {"", "3"};
    struct plan_kernel kernel;
    add_int("n");
    add_array("x", true);
    struct model_param *y = add_array("y", false);
    y->proven_shape = proven;
    y->n_proven_shape = 1;
    add_declared("q", true, open, 2);
    struct model_param *info = add_array("info", false);
    info->single = info->overwritten = true;
    info->writes = WRITES_YES;
    add("data", (struct model_type){.kind = KIND_ARRAY, .element = "void", .is_void = true});
    ck_assert_int_eq(plan_default(&kernel, &arena, &model, &function), EXIT_DONE);
    ck_assert_str_eq(kernel.signature, "f(x, y, q, data)");
    ck_assert_int_eq(kernel.params[1].shape[0].n_ops, 0);
    ck_assert_int_eq(kernel.params[0].from_param, 2);
    ck_assert_int_eq(kernel.params[3].rank, 2);
}
END_TEST

START_TEST(test_default_plan_avoids_reserved_words)
{
    struct plan_kernel kernel;
    function.name = "lambda";
    add_double("from");
    ck_assert_int_eq(plan_default(&kernel, &arena, &model, &function), EXIT_DONE);
    ck_assert_str_eq(kernel.signature, "lambda_(from_)");
}
END_TEST

START_TEST(test_no_default_plan_of_what_cannot_be_wrapped)
{
    struct plan_kernel kernel;
    function.reason = "it takes a variable number of arguments";
    ck_assert_int_eq(plan_default(&kernel, &arena, &model, &function), EXIT_INPUT);
    ck_assert_ptr_null(kernel.signature);
}
END_TEST

static Suite *
resolve_suite(void)
{
    Suite *suite = suite_create("resolve");
    TCase *tests = tcase_create("resolve");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_a_size_of_a_required_array_disappears);
    tcase_add_test(tests, test_a_size_inside_an_expression_stays);
    tcase_add_test(tests, test_a_size_of_optional_arrays_only_stays);
    tcase_add_test(tests, test_a_size_of_a_nullable_array_stays);
    tcase_add_test(tests, test_a_nullable_array_may_default_to_none);
    tcase_add_test(tests, test_the_order_of_dgemm);
    tcase_add_test(tests, test_keyword_only);
    tcase_add_test(tests, test_declared_extents);
    tcase_add_test(tests, test_scalars_behind_pointers);
    tcase_add_test(tests, test_analysis_decides_whether_a_scalar_is_only_written);
    tcase_add_test(tests, test_outputs_auto_is_what_the_analysis_found);
    tcase_add_test(tests, test_outputs_by_position);
    tcase_add_test(tests, test_void_pointers_and_narrower_readings);
    tcase_add_test(tests, test_characters_and_strings);
    tcase_add_test(tests, test_defaults_as_python_shows_them);
    tcase_add_test(tests, test_filled_in_values);
    tcase_add_test(tests, test_unnamed_parameters);
    tcase_add_test(tests, test_keys_of_a_kernel);
    tcase_add_test(tests, test_default_plan_takes_what_is_known);
    tcase_add_test(tests, test_default_plan_avoids_reserved_words);
    tcase_add_test(tests, test_no_default_plan_of_what_cannot_be_wrapped);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(resolve_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
