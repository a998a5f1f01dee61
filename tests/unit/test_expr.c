/* test_expr.c - integer expressions: what their code computes, what is known of them before the call. What is refused is in
 * tests/reject. */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "plan/expr.h"
#include "plan/product.h"

static struct arena arena;
static struct model_param params[] = {{.name = "n"}, {.name = "m", .position = 1}, {.name = "", .position = 2}, {.name = "x", .position = 3}};
static struct model_function function = {.name = "f", .params = params, .n_params = 4};
static struct model_constant constants[] = {{.name = "DIM", .value = 3}, {.name = "HUGE", .value = INT64_MAX}, {.name = "m", .value = 100}};

static const char *
usable(void *context, int position)
{
    (void)context;
    return position == 3 ? "is not an integer" : NULL;
}
static const struct expr_scope scope = {&function, constants, 3, usable, NULL};

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

static struct plan_expr
parsed(const char *text)
{
    struct plan_expr expr;
    struct expr_error error = {0};
    ck_assert_msg(expr_parse(&expr, &arena, text, &scope, &error), "%s: %s", text, error.text);
    return expr;
}

static const char *
code(const char *text)
{
    struct plan_expr expr;
    struct expr_error error = {0};
    ck_assert_msg(!expr_parse(&expr, &arena, text, &scope, &error), "accepted: %s", text);
    return error.code;
}

/* The code as text: "n 2 * DIM +". */
static const char *
postfix(const struct plan_expr *expr)
{
    static const char *const signs[] = {[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%", [OP_NEG] = "~"};
    const char *text = "";
    for (int i = 0; i < expr->n_ops; i++) {
        const struct plan_op *op = &expr->ops[i];
        const char *piece = op->name                 ? op->name
                            : op->code == OP_CONST   ? arena_printf(&arena, "%" PRId64, op->value)
                                                     : signs[op->code];
        text = arena_printf(&arena, "%s%s%s", text, i ? " " : "", piece);
    }
    return text;
}

START_TEST(test_precedence_and_grouping)
{
    static const char *const rows[][2] = {
        {"n", "n"},
        {" 2 * n+1", "2 n * 1 +"},
        {"1+2*n", "1 2 n * +"},
        {"n-m-1", "n m - 1 -"},
        {"n-(m-1)", "n m 1 - -"},
        {"n/2%3*4", "n 2 / 3 % 4 *"},
        {"-n*m", "n ~ m *"},
        {"n*-m", "n m ~ *"},
        {"--n", "n ~ ~"},
        {"-(n+DIM)", "n DIM + ~"},
        {"((n))", "n"},
        {"arg2 + DIM", "arg2 DIM +"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_expr expr = parsed(rows[i][0]);
        ck_assert_str_eq(postfix(&expr), rows[i][1]);
        ck_assert_str_eq(expr.text, rows[i][0]);
    }
}
END_TEST

START_TEST(test_parameters_hide_constants)
{
    struct plan_expr expr = parsed("m");
    ck_assert_int_eq(expr.ops[0].code, OP_PARAM);
    ck_assert_int_eq(expr.ops[0].value, 1);
    ck_assert_int_eq(parsed("DIM").ops[0].code, OP_CONST);
    ck_assert_int_eq(parsed("DIM").ops[0].value, 3);
}
END_TEST

START_TEST(test_constants_are_computed_as_in_c)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"7/2", 3},    {"-7/2", -3},  {"7%3", 1},       {"-7%3", -1},        {"2+3*4", 14},
        {"DIM*DIM", 9}, {"(1-2)*3", -3}, {"HUGE", INT64_MAX}, {"-HUGE-1", INT64_MIN}, {"0/5", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_expr expr = parsed(rows[i].text);
        int64_t value = 1234;
        ck_assert_msg(expr_constant(&expr, &value) && value == rows[i].value, "%s = %" PRId64, rows[i].text, value);
    }
    struct plan_expr open = parsed("n*0"), none = {0};
    int64_t value;
    ck_assert(!expr_constant(&open, &value));
    ck_assert(!expr_constant(&none, &value));
}
END_TEST

START_TEST(test_overflow_and_division_are_found_where_they_are_known)
{
    static const char *const overflows[] = {"HUGE+1", "-HUGE-2", "HUGE*2", "n+(HUGE+1)", "(-HUGE-1)/-1", "(-HUGE-1)%-1", "-(-HUGE-1)"};
    static const char *const divisions[] = {"1/0", "n/0", "n%(DIM-3)", "n/(m*0*0/1-0)/0"};
    for (size_t i = 0; i < sizeof overflows / sizeof *overflows; i++)
        ck_assert_str_eq(code(overflows[i]), "expression-overflow");
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++)
        ck_assert_str_eq(code(divisions[i]), "expression-division");
    parsed("n/m");
    parsed("HUGE+n");
}
END_TEST

START_TEST(test_nothing_but_the_grammar_is_accepted)
{
    static const char *const texts[] = {"", "n;", "n,m", "n==m", "n<m", "n?m:1", "n&m", "n<<1", "n[0]", "&n", "*n", "!n", "~n", "+n", "f(n)",
                                        "\"n\"", "'n'", "n\n", "n\\", "n//", "/*n*/", "n#", "1u", "1L", "1e3", ".5", "$n", "n.m", "n->m",
                                        "(", ")", "()", "n)", "x", "n x", "unknown", "\xC3\xA4", "sizeof n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        code(texts[i]);
}
END_TEST

START_TEST(test_names_the_headers_are_asked_for)
{
    const char **names = NULL;
    int n = 0;
    expr_unknown_names("2*LIMIT + n - LIMIT/DIM * x1 + 0x10", &arena, &scope, &names, &n);
    ck_assert_int_eq(n, 2);
    ck_assert_str_eq(names[0], "LIMIT");
    ck_assert_str_eq(names[1], "x1");
}
END_TEST

START_TEST(test_comparison)
{
    struct plan_expr a = parsed("2*n + 1"), b = parsed("2 * n+1"), c = parsed("n*2+1"), three = parsed("DIM"), also = parsed("1+2");
    ck_assert(expr_equal(&a, &b));
    ck_assert(!expr_equal(&a, &c)); /* the same number, but nobody proved it */
    ck_assert(expr_equal(&three, &also));
    struct plan_expr n = parsed("(n)");
    ck_assert_int_eq(expr_parameter(&n), 0);
    ck_assert_int_eq(expr_parameter(&a), -1);
}
END_TEST

/* Shapes are lists such as "n, 2". */
static bool
same_bytes(int64_t size_a, const char *shape_a, int64_t size_b, const char *shape_b)
{
    const char *const shapes[] = {shape_a, shape_b};
    struct plan_expr extents[2][4];
    int n[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (const char *at = shapes[i]; *at != '\0'; at += strspn(at, ", ")) {
            size_t length = strcspn(at, ",");
            extents[i][n[i]++] = parsed(arena_copy_n(&arena, at, length));
            at += length;
        }
    return product_equal(&arena, &(struct product){size_a, extents[0], n[0]}, &(struct product){size_b, extents[1], n[1]});
}

START_TEST(test_shapes_are_compared_in_bytes)
{
    ck_assert(same_bytes(16, "n", 8, "2*n"));
    ck_assert(same_bytes(16, "n", 8, "n, 2"));
    ck_assert(same_bytes(8, "m, n", 8, "n*m"));
    ck_assert(same_bytes(8, "n+1, DIM", 8, "3, n + 1"));
    ck_assert(same_bytes(8, "", 8, "1"));
    ck_assert(!same_bytes(16, "n", 8, "n"));
    ck_assert(!same_bytes(8, "n, n", 8, "n, m"));
    ck_assert(!same_bytes(8, "n, n", 8, "n"));
    ck_assert(!same_bytes(8, "n+1", 8, "n"));
    ck_assert(!same_bytes(16, "n/2", 8, "n")); /* of an odd n less */
    struct plan_expr unknown = {.text = ""};
    ck_assert(!product_equal(&arena, &(struct product){8, &unknown, 1}, &(struct product){8, &unknown, 1}));
}
END_TEST

static Suite *
expr_suite(void)
{
    Suite *suite = suite_create("expr");
    TCase *tests = tcase_create("expr");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_precedence_and_grouping);
    tcase_add_test(tests, test_parameters_hide_constants);
    tcase_add_test(tests, test_constants_are_computed_as_in_c);
    tcase_add_test(tests, test_overflow_and_division_are_found_where_they_are_known);
    tcase_add_test(tests, test_nothing_but_the_grammar_is_accepted);
    tcase_add_test(tests, test_names_the_headers_are_asked_for);
    tcase_add_test(tests, test_comparison);
    tcase_add_test(tests, test_shapes_are_compared_in_bytes);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(expr_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
