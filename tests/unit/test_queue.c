/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packed key and the order that it stands for. */
#include <kernel/queue.h>
#include <support/cmocka.h>
#include <support/dies.h>

struct popped {
    int64_t time_ns;
    uint32_t class, slot;
};

static struct popped pop(struct queue *queue) {
    struct popped popped;
    popped.slot = queue_pop(queue, &popped.time_ns, &popped.class);
    return popped;
}

static void assert_pops(struct queue *queue, int64_t time_ns, uint32_t class, uint32_t slot) {
    struct popped popped = pop(queue);
    assert_int_equal(popped.time_ns, time_ns);
    assert_int_equal(popped.class, class);
    assert_int_equal(popped.slot, slot);
}

static void a_key_keeps_its_parts(void **state) {
    (void)state;
    const int64_t times[] = {QUEUE_TIME_MIN, -1, 0, 1, QUEUE_TIME_END - 1};
    struct queue queue;
    queue_init(&queue);
    assert_true(queue_reserve(&queue, 1));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        queue_push(&queue, times[i], 15, QUEUE_SLOTS_MAX - 1);
        assert_int_equal(queue_next_time(&queue), times[i]);
        assert_pops(&queue, times[i], 15, QUEUE_SLOTS_MAX - 1);
    }
    assert_int_equal(queue_next_time(&queue), TIME_NEVER);
    queue_deinit(&queue);
}

static void time_then_class_then_insertion(void **state) {
    (void)state;
    struct queue queue;
    queue_init(&queue);
    assert_true(queue_reserve(&queue, 8));
    queue_push(&queue, 5, 0, 1);
    queue_push(&queue, -5, 3, 2);
    queue_push(&queue, 5, 2, 9);
    queue_push(&queue, 5, 2, 3); /* a lower slot number, but inserted later */
    queue_push(&queue, -5, 1, 4);
    queue_push(&queue, 0, 15, 5);
    assert_true(queue_is_heap(&queue));
    assert_pops(&queue, -5, 1, 4);
    assert_pops(&queue, -5, 3, 2);
    assert_pops(&queue, 0, 15, 5);
    assert_pops(&queue, 5, 0, 1);
    assert_pops(&queue, 5, 2, 9);
    assert_pops(&queue, 5, 2, 3);
    queue_deinit(&queue);
}

static void a_replaced_key_goes_where_it_belongs(void **state) {
    (void)state;
    struct queue queue;
    queue_init(&queue);
    assert_true(queue_reserve(&queue, 8));
    for (uint32_t i = 0; i < 7; i++)
        queue_push(&queue, i, 0, i);
    queue_replace(&queue, 3, 0, 77); /* in the place of time 0; after the other of time 3 */
    assert_int_equal(queue.count, 7);
    assert_true(queue_is_heap(&queue));
    assert_pops(&queue, 1, 0, 1);
    assert_pops(&queue, 2, 0, 2);
    assert_pops(&queue, 3, 0, 3);
    assert_pops(&queue, 3, 0, 77);
    queue_deinit(&queue);
}

static void a_broken_heap_is_noticed(void **state) {
    (void)state;
    struct queue queue;
    queue_init(&queue);
    assert_true(queue_reserve(&queue, 8));
    for (uint32_t i = 0; i < 8; i++)
        queue_push(&queue, i, 0, i);
    assert_true(queue_is_heap(&queue));
    queue.keys[6] = queue.keys[1];
    assert_false(queue_is_heap(&queue));
    queue_deinit(&queue);
}

static void there_are_as_many_slots_as_a_key_can_name(void **state) {
    (void)state;
    struct queue queue;
    queue_init(&queue);
    assert_false(queue_reserve(&queue, (size_t)QUEUE_SLOTS_MAX + 1));
    assert_false(queue_reserve(&queue, SIZE_MAX));
    assert_true(queue_reserve(&queue, 10));
    queue_deinit(&queue);
}

static void run_out_of_sequence(void) {
    struct queue queue;
    queue_init(&queue);
    if (!queue_reserve(&queue, 2)) return;
    queue.sequence = QUEUE_SEQUENCE_MAX - 1;
    queue_push(&queue, 0, 0, 0);
    queue_push(&queue, 0, 0, 1);
}

static void a_sequence_never_wraps(void **state) {
    (void)state;
    assert_dies(run_out_of_sequence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_keeps_its_parts),
        cmocka_unit_test(time_then_class_then_insertion),
        cmocka_unit_test(a_replaced_key_goes_where_it_belongs),
        cmocka_unit_test(a_broken_heap_is_noticed),
        cmocka_unit_test(there_are_as_many_slots_as_a_key_can_name),
        cmocka_unit_test(a_sequence_never_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
