/* test_mem.c - arrays that grow in an arena. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct list {
    int *items;
    int n;
};

static void
push(struct arena *arena, struct list *list, int item)
{
    *ARENA_PUSH(arena, list->items, list->n) = item;
}

START_TEST(test_what_is_pushed_is_there_and_zeroed_before)
{
    struct arena arena;
    struct list list = {0};
    arena_init(&arena);
    for (int i = 0; i < 1000; i++) {
        int *item = ARENA_PUSH(&arena, list.items, list.n);
        ck_assert_int_eq(*item, 0);
        *item = i;
    }
    ck_assert_int_eq(list.n, 1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(list.items[i], i);
    arena_release(&arena);
}
END_TEST

/* Whatever their length and however often they were copied, lists that were one are several from the first push on. */
START_TEST(test_copies_do_not_share_what_comes_behind_their_end)
{
    struct arena arena;
    arena_init(&arena);
    for (int length = 0; length < 20; length++) {
        struct list first = {0};
        for (int i = 0; i < length; i++)
            push(&arena, &first, i);
        struct list second = first, third = first;
        push(&arena, &first, 100);
        push(&arena, &second, 200);
        push(&arena, &first, 101);
        push(&arena, &third, 300);
        push(&arena, &second, 201);
        for (int i = 0; i < length; i++) {
            ck_assert_int_eq(first.items[i], i);
            ck_assert_int_eq(second.items[i], i);
            ck_assert_int_eq(third.items[i], i);
        }
        ck_assert_int_eq(first.items[length], 100);
        ck_assert_int_eq(first.items[length + 1], 101);
        ck_assert_int_eq(second.items[length], 200);
        ck_assert_int_eq(second.items[length + 1], 201);
        ck_assert_int_eq(third.items[length], 300);
    }
    arena_release(&arena);
}
END_TEST

START_TEST(test_a_list_that_was_cut_does_not_write_over_what_it_was)
{
    struct arena arena;
    struct list list = {0};
    arena_init(&arena);
    for (int i = 0; i < 7; i++)
        push(&arena, &list, i);
    struct list whole = list;
    list.n = 5;
    push(&arena, &list, 50);
    ck_assert_int_eq(list.items[5], 50);
    ck_assert_int_eq(whole.items[5], 5);
    arena_release(&arena);
}
END_TEST

START_TEST(test_an_array_of_fixed_size_can_grow)
{
    struct arena arena;
    arena_init(&arena);
    for (int n = 1; n < 10; n++) {
        struct list list = {arena_take(&arena, (size_t)n, sizeof *list.items), n};
        int *next = arena_take(&arena, 4, sizeof *next);
        for (int i = 0; i < 9; i++)
            push(&arena, &list, 7);
        ck_assert_int_eq(list.n, n + 9);
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(next[i], 0);
    }
    arena_release(&arena);
}
END_TEST

Suite *mem_suite(void);

Suite *
mem_suite(void)
{
    Suite *suite = suite_create("mem");
    TCase *tests = tcase_create("arrays");
    tcase_add_test(tests, test_what_is_pushed_is_there_and_zeroed_before);
    tcase_add_test(tests, test_copies_do_not_share_what_comes_behind_their_end);
    tcase_add_test(tests, test_a_list_that_was_cut_does_not_write_over_what_it_was);
    tcase_add_test(tests, test_an_array_of_fixed_size_can_grow);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(mem_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
