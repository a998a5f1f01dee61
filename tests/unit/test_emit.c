/* test_emit.c - literals, names and places of generated C. Whole files are tests/golden's. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit/emit_internal.h"

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

#define assert_text(text, expected)                                                   \
    do {                                                                              \
        ck_assert_str_eq((text).data ? (text).data : "", expected);                   \
        text_release(&(text));                                                        \
    } while (0)

START_TEST(test_strings_are_escaped)
{
    struct text text = {0};
    emit_string(&text, "a\"b\\c\td", 0);
    assert_text(text, "\"a\\\"b\\\\c\\011d\"");
    emit_string(&text, "one\ntwo\n", 4);
    assert_text(text, "\"one\\n\"\n    \"two\\n\"");
    emit_string(&text, "what?\?/", 0);
    assert_text(text, "\"what?\\?/\"");
    emit_string(&text, "\xc3\xa9", 0);
    assert_text(text, "\"\xc3\xa9\"");
}
END_TEST

START_TEST(test_comments_cannot_end_early)
{
    struct text text = {0};
    emit_comment(&text, "a */ b /* c\n\\");
    ck_assert_ptr_null(strstr(text.data, "*/"));
    ck_assert_ptr_null(strstr(text.data, "/*"));
    ck_assert_ptr_null(strchr(text.data, '\n'));
    text_release(&text);
}
END_TEST

START_TEST(test_integers_have_a_type_that_holds_them)
{
    static const struct {
        int64_t value;
        const char *expected;
    } rows[] = {{0, "0"},
                {-1, "-1"},
                {INT32_MAX, "2147483647"},
                {(int64_t)INT32_MAX + 1, "INT64_C(2147483648)"},
                {-(int64_t)INT32_MAX - 1, "INT64_C(-2147483648)"},
                {INT64_MAX, "INT64_C(9223372036854775807)"},
                {INT64_MIN, "INT64_MIN"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        emit_integer(&text, rows[i].value);
        assert_text(text, rows[i].expected);
    }
}
END_TEST

static void
assert_number(pkw_dtype dtype, struct plan_literal literal, const char *expected)
{
    struct text text = {0};
    emit_number(&text, dtype, &literal);
    assert_text(text, expected);
}

START_TEST(test_numbers_by_dtype)
{
    struct plan_literal one = {.kind = LITERAL_INTEGER, .integer = 1};
    struct plan_literal tenth = {.kind = LITERAL_REAL, .real = 0.1};
    struct plan_literal complex = {.kind = LITERAL_COMPLEX, .real = 1.5, .imaginary = -2.0};
    struct plan_literal large = {.kind = LITERAL_INTEGER, .integer = -1, .is_unsigned = true};
    assert_number(PKW_F64, one, "1.0");
    assert_number(PKW_F64, tenth, "0.1");
    assert_number(PKW_F32, tenth, "0.1F");
    assert_number(PKW_LD, tenth, "0.1L");
    assert_number(PKW_F64, large, "1.8446744073709552e+19");
    assert_number(PKW_U64, large, "UINT64_C(18446744073709551615)");
    assert_number(PKW_C128, complex, "__builtin_complex(1.5, -2.0)");
    assert_number(PKW_C64, one, "__builtin_complex(1.0F, 0.0F)");
    assert_number(PKW_BOOL, one, "true");
    assert_number(PKW_I8, one, "1");
}
END_TEST

START_TEST(test_reals_read_back_as_the_same_value)
{
    static const double values[] = {0.0,     -0.0,    1.0 / 3.0, 1e22,   1e-300, DBL_MAX,
                                    DBL_MIN, 5e-324,  123456789, 1e16,   0.1 + 0.2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct text text = {0};
        struct plan_literal literal = {.kind = LITERAL_REAL, .real = values[i]};
        emit_number(&text, PKW_F64, &literal);
        double back = strtod(text.data, NULL);
        ck_assert_msg(back == values[i] && !signbit(back) == !signbit(values[i]), "%s", text.data);
        ck_assert_ptr_nonnull(strpbrk(text.data, ".e"));
        text_release(&text);
    }
}
END_TEST

/* Known patterns of IEEE 754's binary16 and of bfloat16: ties go to even, subnormals, overflow. */
START_TEST(test_narrow_floats_are_bits)
{
    static const struct {
        pkw_dtype dtype;
        double value;
        const char *expected;
    } rows[] = {
        {PKW_F16, 1.0, "0x3c00"},          {PKW_F16, -2.0, "0xc000"},
        {PKW_F16, 65504.0, "0x7bff"},      {PKW_F16, 65520.0, "0x7c00"},
        {PKW_F16, 1e9, "0x7c00"},          {PKW_F16, 0x1p-14, "0x0400"},
        {PKW_F16, 0x1p-24, "0x0001"},      {PKW_F16, 0x1p-25, "0x0000"},
        {PKW_F16, 0x1.8p-24, "0x0002"},    {PKW_F16, 1.0 + 0x1p-11, "0x3c00"},
        {PKW_F16, 1.0 + 0x3p-11, "0x3c02"}, {PKW_F16, 2.0 - 0x1p-12, "0x4000"},
        {PKW_F16, -0.0, "0x8000"},         {PKW_BF16, 1.0, "0x3f80"},
        {PKW_BF16, -3.0, "0xc040"},        {PKW_BF16, 1e39, "0x7f80"},
        {PKW_BF16, 0x1p-133, "0x0001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_number(rows[i].dtype, (struct plan_literal){.kind = LITERAL_REAL, .real = rows[i].value}, rows[i].expected);
}
END_TEST

static void
assert_locals(const char *c_name, const char *const *given, const char *const *expected, int n)
{
    struct plan plan = {.arena = &arena};
    struct plan_param *params = arena_take(&arena, (size_t)n, sizeof *params);
    struct plan_kernel kernel = {.c_name = c_name, .params = params, .n_params = n};
    struct emission e = {.plan = &plan, .kernel = &kernel};
    for (int i = 0; i < n; i++)
        params[i].c_name = given[i];
    name_locals(&e);
    for (int i = 0; i < n; i++)
        ck_assert_str_eq(e.locals[i], expected[i]);
}

START_TEST(test_names_of_variables)
{
    assert_locals("f", (const char *[]){"x", "incX", "A", "N"}, (const char *[]){"x", "incX", "a", "n"}, 4);
    assert_locals("f", (const char *[]){"N", "n", "n_"}, (const char *[]){"n", "n_", "n__"}, 3);
    assert_locals("f", (const char *[]){"args", "result", "pkwrap", "f"},
                  (const char *[]){"args_", "result_", "pkwrap_", "f_"}, 4);
    assert_locals("f", (const char *[]){"INT", "PyObject", "pkw_slot"},
                  (const char *[]){"int_", "c_PyObject", "c_pkw_slot"}, 3);
    assert_locals("f", (const char *[]){"x", "x_cell"}, (const char *[]){"x", "x_cell_"}, 2);
}
END_TEST

START_TEST(test_places_are_the_manifests_and_never_absolute)
{
    const char *headers[] = {"inc/heat.h", "/usr/include/zlib.h"};
    struct plan plan = {.arena = &arena, .headers = headers, .n_headers = 2};
    ck_assert_str_eq(shown_place(&plan, (struct place){"deep/folder/inc/heat.h", 12, 1}), "inc/heat.h:12");
    ck_assert_str_eq(shown_place(&plan, (struct place){"<cblas.h>", 3, 1}), "<cblas.h>:3");
    ck_assert_str_eq(shown_place(&plan, (struct place){"/usr/include/zlib.h", 4, 1}), "zlib.h:4");
    ck_assert_str_eq(shown_place(&plan, (struct place){"/elsewhere/other.h", 5, 1}), "other.h:5");
}
END_TEST

Suite *emit_suite(void);

Suite *
emit_suite(void)
{
    Suite *suite = suite_create("emit");
    TCase *tests = tcase_create("emit");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_strings_are_escaped);
    tcase_add_test(tests, test_comments_cannot_end_early);
    tcase_add_test(tests, test_integers_have_a_type_that_holds_them);
    tcase_add_test(tests, test_numbers_by_dtype);
    tcase_add_test(tests, test_reals_read_back_as_the_same_value);
    tcase_add_test(tests, test_narrow_floats_are_bits);
    tcase_add_test(tests, test_names_of_variables);
    tcase_add_test(tests, test_places_are_the_manifests_and_never_absolute);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(emit_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
