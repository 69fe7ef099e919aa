/* The memory account, arenas, arrays that grow. */
#include "../test.h"
#include "base/arena.h"
#include "base/growing.h"

#include <stdlib.h>
#include <string.h>

TEST(blocks_are_zeroed_and_aligned)
{
    struct hf_memory *memory = hf_memory_create();
    double *block = hf_memory_allocate(memory, "test", 1000, sizeof *block);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (int i = 0; i < 1000; i++) assert_true(block[i] == 0.0);
    hf_memory_release(memory, block);
    hf_memory_destroy(&memory);
    assert_null(memory);
}

TEST(a_block_that_is_not_zeroed_counts_like_others)
{
    struct hf_memory *memory = hf_memory_create();
    unsigned char *block = hf_memory_allocate_unset(memory, HF_MEMORY_STORED, "test", 1000);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (int i = 0; i < 1000; i++) block[i] = (unsigned char)i;
    assert_int_equal(hf_memory_current_bytes(memory), 1000);
    assert_int_equal(hf_memory_class_bytes(memory, HF_MEMORY_STORED), 1000);
    assert_null(hf_memory_allocate_unset(memory, HF_MEMORY_STORED, "test", SIZE_MAX));
    hf_memory_release(memory, block);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(the_balance_follows_what_is_held_and_the_peak_stays)
{
    struct hf_memory *memory = hf_memory_create();
    void *small = hf_memory_allocate(memory, "small", 10, 8);
    void *large = hf_memory_allocate(memory, "large", 100, 8);
    assert_int_equal(hf_memory_current_bytes(memory), 880);
    hf_memory_release(memory, large);
    assert_int_equal(hf_memory_current_bytes(memory), 80);
    assert_int_equal(hf_memory_peak_bytes(memory), 880);
    assert_int_equal(hf_memory_largest_bytes(memory), 800);
    assert_string_equal(hf_memory_largest_label(memory), "large");
    hf_memory_release(memory, small);
    hf_memory_release(memory, NULL);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(a_kept_block_is_taken_again_by_its_size)
{
    struct hf_memory *memory = hf_memory_create();
    unsigned char *block = hf_memory_allocate_unset(memory, HF_MEMORY_STORED, "test", 1000);
    assert_non_null(block);
    block[999] = 7;
    hf_memory_keep(memory, NULL);
    hf_memory_keep(memory, block);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    assert_int_equal(hf_memory_kept_bytes(memory), 1000);
    assert_null(hf_memory_take_kept(memory, "test", 999));
    assert_ptr_equal(hf_memory_take_kept(memory, "test", 1000), block);
    assert_int_equal(block[999], 7);
    assert_int_equal(hf_memory_kept_bytes(memory), 0);
    assert_int_equal(hf_memory_class_bytes(memory, HF_MEMORY_STORED), 1000);
    assert_null(hf_memory_take_kept(memory, "test", 1000));
    hf_memory_keep(memory, block);
    hf_memory_drop_kept(memory);
    assert_int_equal(hf_memory_kept_bytes(memory), 0);
    hf_memory_keep(memory, hf_memory_allocate_unset(memory, HF_MEMORY_STORED, "test", 10));
    hf_memory_destroy(&memory); /* frees the last one, as the sanitizers check */
}

TEST(matrices_have_an_account_of_their_own)
{
    struct hf_memory *memory = hf_memory_create();
    void *table = hf_memory_allocate(memory, "table", 10, 8);
    void *matrix = hf_memory_allocate_matrix(memory, "matrix", 100, 8);
    hf_memory_count(memory, HF_MEMORY_MATRIX, "window", 1000);
    assert_int_equal(hf_memory_current_bytes(memory), 1880);
    assert_int_equal(hf_memory_class_peak_bytes(memory, HF_MEMORY_MATRIX), 1800);
    assert_int_equal(hf_memory_largest_bytes(memory), 1000);
    assert_string_equal(hf_memory_largest_label(memory), "window");
    hf_memory_discount(memory, HF_MEMORY_MATRIX, 1000);
    hf_memory_release(memory, matrix);
    hf_memory_release(memory, table);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    assert_int_equal(hf_memory_class_peak_bytes(memory, HF_MEMORY_MATRIX), 1800);
    hf_memory_destroy(&memory);
}

TEST(every_class_has_its_own_peak)
{
    struct hf_memory *memory = hf_memory_create();
    void *block[HF_N_MEMORY_CLASS];
    for (int k = 0; k < HF_N_MEMORY_CLASS; k++)
        block[k] =
            hf_memory_allocate_class(memory, (enum hf_memory_class)k, "block", 1, 100u * (k + 1u));
    for (int k = 0; k < HF_N_MEMORY_CLASS; k++) {
        const enum hf_memory_class kind = (enum hf_memory_class)k;
        assert_int_equal(hf_memory_class_bytes(memory, kind), 100 * (k + 1));
        hf_memory_release(memory, block[k]);
        assert_int_equal(hf_memory_class_bytes(memory, kind), 0);
        assert_int_equal(hf_memory_class_peak_bytes(memory, kind), 100 * (k + 1));
    }
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(large_blocks_begin_at_huge_pages_zeroed_and_counted_as_they_are)
{
    enum { MEGA = 1 << 20 };
    static const size_t sizes[] = {2 * MEGA, 2 * MEGA + 1, 4 * MEGA - 65, 9 * MEGA / 2};
    struct hf_memory *memory = hf_memory_create();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int turn = 0; turn < 2; turn++) { /* the second time in memory that was used */
            unsigned char *block = hf_memory_allocate(memory, "large", sizes[k], 1);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % (2 * MEGA), 64);
            assert_int_equal(hf_memory_current_bytes(memory), sizes[k]);
            for (size_t i = 0; i < sizes[k]; i++)
                if (block[i] != 0) fail_msg("byte %zu of %zu is not zero", i, sizes[k]);
            memset(block, 1, sizes[k]);
            hf_memory_release(memory, block);
        }
    }
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(impossible_sizes_give_null_and_leave_the_account_alone)
{
    struct hf_memory *memory = hf_memory_create();
    assert_null(hf_memory_allocate(memory, "overflow", SIZE_MAX / 4, 8));
    assert_null(hf_memory_allocate(memory, "overflow", SIZE_MAX, 1));
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    void *nothing = hf_memory_allocate(memory, "nothing", 0, 8);
    assert_non_null(nothing);
    hf_memory_release(memory, nothing);
    hf_memory_destroy(&memory);
}

TEST(an_arena_releases_what_it_gave)
{
    struct hf_memory *memory = hf_memory_create();
    struct hf_arena arena = {.memory = memory, .kind = HF_MEMORY_MATRIX, .label = "test"};
    struct hf_scratch scratch = {.arena = &arena};
    double *array[5];
    for (int k = 0; k < 5; k++) {
        array[k] = hf_arena_take(&arena, 100, sizeof(double));
        assert_non_null(array[k]);
        assert_int_equal((uintptr_t)array[k] % 64, 0);
        for (int i = 0; i < 100; i++) assert_true(array[k][i] == 0.0);
    }
    const size_t all = hf_memory_class_bytes(memory, HF_MEMORY_MATRIX);
    assert_true(all >= 5 * 100 * sizeof(double));
    hf_arena_release(&arena, array[4]); /* the newest one, the oldest one, one between */
    hf_arena_release(&arena, array[0]);
    hf_arena_release(&arena, array[2]);
    hf_arena_release(&arena, NULL);
    assert_int_equal(5 * hf_memory_current_bytes(memory), 2 * all);
    assert_non_null(hf_scratch_reserve(&scratch, 10));
    for (int i = 0; i < 10; i++) scratch.value[i] = i;
    assert_true(hf_scratch_extend(&scratch, 10, 10000));
    for (int i = 0; i < 10; i++) assert_true(scratch.value[i] == i);
    assert_ok(hf_arena_check(&arena, NULL));
    hf_arena_done(&arena);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(an_arena_remembers_that_memory_is_missing)
{
    struct hf_memory *memory = hf_memory_create();
    struct hf_arena arena = {.memory = memory, .label = "a test"};
    int *list = NULL;
    int64_t room = 0;
    assert_null(hf_arena_take(&arena, SIZE_MAX / 4, 8));
    assert_non_null(hf_arena_take(&arena, 1, 8));
    assert_failure(hf_arena_check(&arena, &error), HF_NO_RESOURCE, &error,
                   "out of memory for a test (3.69e+13 MB)");
    assert_false(hf_arena_grow(&arena, &list, INT64_MAX / 4, &room, sizeof *list));
    assert_null(list);
    assert_int_equal(room, 0);
    hf_arena_done(&arena);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(an_object_lies_in_its_arena)
{
    struct hf_memory *memory = hf_memory_create();
    struct object {
        struct hf_arena arena;
        double *value;
    } * object, *none = NULL;
    assert_non_null(HF_NEW(object, memory, "an object"));
    assert_non_null(HF_TAKE(&object->arena, object->value, 1000));
    assert_ok(hf_arena_check_new(object, NULL));
    assert_null(hf_arena_take(&object->arena, SIZE_MAX / 4, 8));
    assert_int_equal(hf_arena_check_new(object, NULL), HF_NO_RESOURCE);
    assert_int_equal(hf_arena_check_new(none, NULL), HF_NO_RESOURCE);
    hf_arena_free(&object);
    assert_null(object);
    hf_arena_free(&none);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(an_arena_need_not_count)
{
    struct hf_arena arena = {.label = "a test"};
    double *many = HF_TAKE(&arena, many, 1000);
    int *none = hf_arena_take_class(&arena, HF_MEMORY_MATRIX, "none", 0, sizeof *none);
    assert_true(many != NULL && none != NULL && many[999] == 0.0);
    assert_ok(hf_arena_check(&arena, NULL));
    hf_arena_done(&arena);
    hf_arena_done(&arena);
}

TEST(arrays_grow_and_keep_their_elements)
{
    struct hf_memory *memory = hf_memory_create();
    struct hf_arena arena = {.memory = memory, .kind = HF_MEMORY_PAIRS, .label = "test"};
    int *plain = NULL, *of_arena = NULL;
    int64_t room[2] = {0};
    for (int i = 0; i < 1000; i++) {
        assert_true(hf_grow(&plain, i + 1, &room[0], sizeof *plain));
        assert_true(hf_arena_grow(&arena, &of_arena, i + 1, &room[1], sizeof *of_arena));
        plain[i] = of_arena[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_true(plain[i] == i && of_arena[i] == i);
    assert_true(hf_memory_class_bytes(memory, HF_MEMORY_PAIRS) >= (size_t)room[1] * sizeof(int));
    free(plain);
    hf_arena_done(&arena);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(arenas_are_joined)
{
    struct hf_memory *memory = hf_memory_create();
    struct hf_arena to = {.memory = memory, .label = "one"}, from = to, none = to;
    int *array[4];
    for (int i = 0; i < 4; i++) {
        HF_TAKE(i < 2 ? &to : &from, array[i], 10);
        array[i][9] = i;
    }
    hf_arena_join(&to, &from);
    hf_arena_join(&to, &none);
    hf_arena_done(&from); /* has nothing any more */
    for (int i = 0; i < 4; i++) assert_int_equal(array[i][9], i);
    hf_arena_release(&to, array[2]);
    hf_arena_release(&to, array[1]);
    hf_arena_done(&to);
    assert_int_equal(hf_memory_current_bytes(memory), 0);
    hf_memory_destroy(&memory);
}

TEST(values_fall_and_numbers_of_equal_ones_rise)
{
    struct hf_ranked list[] = {{1.0, 5}, {3.0, 2}, {1.0, 4}, {2.0, 9}, {3.0, 1}};
    static const int64_t expected[] = {1, 2, 9, 4, 5};
    hf_sort_falling(5, list);
    for (int i = 0; i < 5; i++) assert_int_equal(list[i].number, expected[i]);
}

TEST_MAIN
