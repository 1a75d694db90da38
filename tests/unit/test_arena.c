/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arena and growing arrays: zeroed, aligned, disjoint, capped. */
#include <base/arena.h>
#include <base/vector.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

static bool all_bytes(const unsigned char *bytes, size_t count, unsigned char value) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value) return false;
    return true;
}

static void allocations_are_zeroed_aligned_and_disjoint(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static unsigned char *pieces[COUNT];
    struct arena *arena = arena_create(0);
    assert_non_null(arena);
    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = arena_alloc(arena, i % 97 + 1, 3);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        assert_true(all_bytes(pieces[i], (i % 97 + 1) * 3, 0));
        memset(pieces[i], (int)(i % 251) + 1, (i % 97 + 1) * 3);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(all_bytes(pieces[i], (i % 97 + 1) * 3, (unsigned char)(i % 251 + 1)));
    arena_destroy(arena);
}

static void large_allocations_fit(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    unsigned char *large = arena_alloc(arena, 5, 1 << 20);
    assert_non_null(large);
    large[(5 << 20) - 1] = 1;
    assert_non_null(arena_alloc(arena, 1, 1));
    arena_destroy(arena);
}

static void the_cap_bounds_the_sum(void **state) {
    (void)state;
    struct arena *arena = arena_create(1024);
    assert_null(arena_alloc(arena, 1, 1025));
    size_t taken = 0;
    while (arena_alloc(arena, 4, 16))
        taken += 64;
    assert_int_equal(taken, 1024);
    assert_null(arena_alloc(arena, 1, 1));
    arena_destroy(arena);
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    assert_null(arena_alloc(arena, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(arena, SIZE_MAX, 1));
    assert_null(arena_alloc(arena, SIZE_MAX - 64, 1));
    assert_null(arena_copy(arena, "x", SIZE_MAX));
    assert_non_null(arena_alloc(arena, 0, 8));
    arena_destroy(arena);
    arena_destroy(NULL);
}

static void texts_end_with_nul(void **state) {
    (void)state;
    struct arena *arena = arena_create(4096);
    char *copy = arena_copy(arena, "partition", 4);
    assert_string_equal(copy, "part");
    assert_string_equal(arena_copy(arena, NULL, 0), "");
    assert_string_equal(arena_printf(arena, "%s.%d", copy, 17), "part.17");
    assert_null(arena_printf(arena, "%5000d", 1)); /* more than the cap */
    arena_destroy(arena);
}

static void a_vector_grows_and_keeps_its_items(void **state) {
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 5000; i++) {
        assert_true(vector_reserve((void **)&items, &capacity, i + 1, sizeof *items));
        assert_true(capacity > i);
        assert_int_equal(items[i], 0);
        items[i] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(items[i], i + 1);
    assert_int_equal(capacity, 8192);
    free(items);
}

static void a_vector_that_cannot_grow_is_untouched(void **state) {
    (void)state;
    uint64_t *items = NULL;
    size_t capacity = 0;
    assert_true(vector_reserve((void **)&items, &capacity, 3, sizeof *items));
    uint64_t *before = items;
    size_t capacity_before = capacity;
    assert_false(vector_reserve((void **)&items, &capacity, SIZE_MAX / 4, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, capacity_before);
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed_aligned_and_disjoint),
        cmocka_unit_test(large_allocations_fit),
        cmocka_unit_test(the_cap_bounds_the_sum),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(texts_end_with_nul),
        cmocka_unit_test(a_vector_grows_and_keeps_its_items),
        cmocka_unit_test(a_vector_that_cannot_grow_is_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
