/* test_stub_type.c - the grammar of Pyccel's annotations. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/stub_type.h"

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

static struct stub_type
parse(const char *text)
{
    struct stub_type type;
    int column;
    const char *error = stub_type_parse(&type, &arena, text, &column);
    ck_assert_msg(!error, "%s: %s", text, error);
    return type;
}

START_TEST(test_scalars)
{
#define X(id, name, kind_character, size, ctype, slot)      \
    {                                                       \
        struct stub_type type = parse(name);                \
        ck_assert_int_eq(type.kind, STUB_SCALAR);           \
        ck_assert_int_eq(type.dtype, PKW_##id);             \
    }
    PKW_DTYPES(X)
#undef X
    ck_assert_int_eq(parse("int").dtype, PKW_I64);
    ck_assert_int_eq(parse("float").dtype, PKW_F64);
    ck_assert_int_eq(parse("complex").dtype, PKW_C128);
    ck_assert_int_eq(parse("str").kind, STUB_STRING);
    ck_assert_int_eq(parse("None").kind, STUB_NONE);
    ck_assert_int_eq(parse(" numpy . float32 ").dtype, PKW_F32);
}
END_TEST

START_TEST(test_arrays)
{
    struct stub_type type = parse("float64[:,:](order=F)");
    ck_assert_int_eq(type.kind, STUB_ARRAY);
    ck_assert_int_eq(type.dtype, PKW_F64);
    ck_assert_int_eq(type.rank, 2);
    ck_assert_str_eq(type.order, "F");
    type = parse("int[ : , : ,:] ( order = C )");
    ck_assert_int_eq(type.rank, 3);
    ck_assert_str_eq(type.order, "C");
    ck_assert_ptr_null(parse("bool[:]").order);
    type = parse("T[:]");
    ck_assert_int_eq(type.dtype, PKW_NO_DTYPE);
    ck_assert_str_eq(type.name, "T");
}
END_TEST

START_TEST(test_wrappers)
{
    struct stub_type type = parse("Final[float64[:]]");
    ck_assert(type.is_final);
    ck_assert_int_eq(type.kind, STUB_ARRAY);
    type = parse("Annotated[float64[:,:](order=C), \"alias\"]");
    ck_assert(type.is_alias && !type.is_stack && !type.is_final);
    ck_assert_int_eq(type.rank, 2);
    type = parse("Annotated[Final[int[:]], 'stack']");
    ck_assert(type.is_stack && type.is_final && !type.is_alias);
    ck_assert(parse("const float[:]").is_final);
    type = parse("Optional[float]");
    ck_assert_int_eq(type.kind, STUB_UNION);
    ck_assert_int_eq(type.n_parts, 2);
}
END_TEST

START_TEST(test_containers_and_functions)
{
    struct stub_type type = parse("tuple[int, ...]");
    ck_assert_int_eq(type.kind, STUB_TUPLE);
    ck_assert(type.repeated);
    ck_assert_int_eq(type.n_parts, 1);
    type = parse("tuple[float64[:], 'int32']");
    ck_assert_int_eq(type.n_parts, 2);
    ck_assert(!type.repeated);
    ck_assert_int_eq(type.parts[1].dtype, PKW_I32);
    ck_assert_int_eq(parse("tuple[()]").n_parts, 0);
    type = parse("dict[str, list[float]]");
    ck_assert_int_eq(type.kind, STUB_DICT);
    ck_assert_int_eq(type.parts[1].kind, STUB_LIST);
    ck_assert_int_eq(type.parts[1].parts[0].dtype, PKW_F64);
    ck_assert_int_eq(parse("set[int]").kind, STUB_SET);
    type = parse("(float)(float, int)");
    ck_assert_int_eq(type.kind, STUB_FUNCTION);
    ck_assert_int_eq(type.n_parts, 2);
    ck_assert_int_eq(parse("()()").kind, STUB_FUNCTION);
    type = parse("int | float64[:] | Grid");
    ck_assert_int_eq(type.kind, STUB_UNION);
    ck_assert_int_eq(type.n_parts, 3);
    ck_assert_str_eq(type.parts[2].name, "Grid");
}
END_TEST

/* Every prefix of good text, and every character replaced, is read or refused with a place inside the text. */
START_TEST(test_broken_text)
{
    static const char *const good[] = {"Annotated[float64[:,:](order=C), \"alias\"]", "(float)(float, int)",
                                       "tuple[int, ...] | dict[str, list[float]]", "Final[tuple[()]]"};
    static const char replacements[] = "[](),:|'\". \x80x0";
    char text[80];
    for (size_t g = 0; g < sizeof good / sizeof *good; g++)
        for (size_t i = 0; good[g][i]; i++)
            for (size_t r = 0; r < sizeof replacements; r++) {
                struct stub_type type;
                int column = -1;
                strcpy(text, good[g]);
                text[i] = replacements[r];
                const char *error = stub_type_parse(&type, &arena, text, &column);
                ck_assert_int_ge(column, 0);
                ck_assert_int_le(column, (int)strlen(text));
                ck_assert(!error || *error);
            }
}
END_TEST

static Suite *
stub_type_suite(void)
{
    Suite *suite = suite_create("stub_type");
    TCase *tcase = tcase_create("stub_type");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_scalars);
    tcase_add_test(tcase, test_arrays);
    tcase_add_test(tcase, test_wrappers);
    tcase_add_test(tcase, test_containers_and_functions);
    tcase_add_test(tcase, test_broken_text);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(stub_type_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
