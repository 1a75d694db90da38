/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue of messages, step by step. */
#include <client/sqs.h>
#include <support/cmocka.h>

#define S NS_PER_S

static const struct ddbsim_queue spec = {
    .enabled = true, .batch_size = 10, .visibility_timeout_ns = 30 * S, .max_receive_count = 2};

static void send(struct sqs *queue, int count, int64_t now_ns) {
    for (int i = 0; i < count; i++) {
        while (sqs_is_tight(queue))
            assert_true(sqs_grow(queue));
        struct ddbsim_arrival arrival = {.number = queue->sent};
        sqs_send(queue, &arrival, now_ns);
    }
}

static uint64_t number_of(const struct sqs *queue, uint32_t message) {
    return queue->messages[message].arrival.number;
}

/* In their order, each to one receiver; deleted, they are gone. */
static void m115_messages_are_received_once(void **state) {
    (void)state;
    struct sqs queue;
    uint32_t a[10], b[10];
    assert_true(sqs_init(&queue, &spec));
    send(&queue, 15, S);
    assert_int_equal(sqs_receive(&queue, a, 10, 2 * S), 10);
    assert_int_equal(sqs_receive(&queue, b, 10, 3 * S), 5);
    assert_int_equal(sqs_receive(&queue, b, 10, 3 * S), 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(number_of(&queue, a[i]), i);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(number_of(&queue, b[i]), 10 + i);
    assert_int_equal(sqs_return_ns(&queue), 32 * S);
    assert_int_equal(sqs_oldest_ns(&queue, 5 * S), 4 * S);
    for (uint32_t i = 0; i < 10; i++)
        sqs_let_go(&queue, a[i], true);
    assert_int_equal(sqs_return_ns(&queue), 33 * S);
    for (uint32_t i = 0; i < 5; i++)
        sqs_let_go(&queue, b[i], true);
    assert_int_equal(sqs_return_ns(&queue), TIME_NEVER);
    assert_int_equal(queue.used, 0);
    assert_int_equal(queue.deleted, 15);
    assert_int_equal(sqs_oldest_ns(&queue, 5 * S), 0);
    sqs_deinit(&queue);
}

/* Not deleted in time it waits again, at the end; after so many receives it is a dead letter. */
static void m116_failures_come_back_and_die(void **state) {
    (void)state;
    struct sqs queue;
    uint32_t got[10];
    assert_true(sqs_init(&queue, &spec));
    send(&queue, 2, 0);
    assert_int_equal(sqs_receive(&queue, got, 1, 0), 1);
    sqs_let_go(&queue, got[0], false);
    sqs_return(&queue, 30 * S - 1);
    assert_int_equal(sqs_waiting(&queue), 1);
    sqs_return(&queue, 30 * S);
    assert_int_equal(sqs_waiting(&queue), 2);
    assert_int_equal(sqs_receive(&queue, got, 2, 40 * S), 2);
    assert_int_equal(number_of(&queue, got[0]), 1);
    assert_int_equal(number_of(&queue, got[1]), 0);
    sqs_let_go(&queue, got[0], false);
    sqs_let_go(&queue, got[1], false);
    sqs_return(&queue, 70 * S);
    assert_int_equal(queue.dead_letters, 1); /* received twice; the other once */
    assert_int_equal(sqs_waiting(&queue), 1);
    assert_int_equal(sqs_oldest_ns(&queue, 70 * S), 70 * S);
    sqs_deinit(&queue);
}

/* Work that outlasts the timeout is done twice; whoever ends first deletes it. */
static void m116_late_work_is_done_again(void **state) {
    (void)state;
    struct sqs queue;
    uint32_t first[1], second[1];
    assert_true(sqs_init(&queue, &spec));
    send(&queue, 1, 0);
    assert_int_equal(sqs_receive(&queue, first, 1, 0), 1);
    sqs_return(&queue, 30 * S);
    assert_int_equal(sqs_receive(&queue, second, 1, 31 * S), 1);
    assert_int_equal(first[0], second[0]);
    sqs_worked(&queue, first[0]);
    sqs_let_go(&queue, first[0], true);
    assert_int_equal(queue.used, 1); /* the second still works on it */
    sqs_worked(&queue, second[0]);
    sqs_let_go(&queue, second[0], true);
    assert_int_equal(queue.used, 0);
    assert_int_equal(queue.deleted, 1);
    assert_int_equal(queue.duplicates, 1);
    assert_int_equal(queue.received, 2);
    sqs_deinit(&queue);
}

/* It is deleted while it waits to be received again. */
static void m116_deleted_while_it_waits(void **state) {
    (void)state;
    struct sqs queue;
    uint32_t got[3];
    assert_true(sqs_init(&queue, &spec));
    send(&queue, 3, 0);
    assert_int_equal(sqs_receive(&queue, got, 3, 0), 3);
    sqs_return(&queue, 30 * S);
    assert_int_equal(sqs_waiting(&queue), 3);
    sqs_let_go(&queue, got[1], true);
    assert_int_equal(sqs_waiting(&queue), 2);
    uint32_t again[3];
    assert_int_equal(sqs_receive(&queue, again, 3, 31 * S), 2);
    assert_int_equal(number_of(&queue, again[0]), 0);
    assert_int_equal(number_of(&queue, again[1]), 2);
    sqs_deinit(&queue);
}

/* Whatever happens, each message is somewhere. */
static void m115_none_is_lost(void **state) {
    (void)state;
    struct sqs queue;
    uint32_t held[64], holds = 0;
    uint64_t draw = 12345;
    assert_true(sqs_init(&queue, &spec));
    for (int64_t step = 0; step < 20000; step++) {
        draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t now_ns = step * S / 3;
        sqs_return(&queue, now_ns);
        switch (draw >> 62) {
        case 0:
            send(&queue, 1, now_ns);
            break;
        case 1:
            if (holds < 54)
                holds += sqs_receive(&queue, &held[holds], 1 + (uint32_t)(draw % 7), now_ns);
            break;
        default:
            if (holds == 0) break;
            sqs_let_go(&queue, held[--holds], (draw >> 60 & 1) != 0);
        }
        uint64_t live = queue.sent - queue.deleted - queue.dead_letters;
        assert_int_equal(live, queue.ages.count);
        assert_int_equal(live, queue.lists[SQS_WAITING].count + queue.lists[SQS_IN_FLIGHT].count);
        assert_true(queue.used >= live && queue.used <= live + holds);
    }
    assert_true(queue.dead_letters > 100 && queue.deleted > 1000);
    sqs_deinit(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m115_messages_are_received_once),
        cmocka_unit_test(m116_failures_come_back_and_die),
        cmocka_unit_test(m116_late_work_is_done_again),
        cmocka_unit_test(m116_deleted_while_it_waits),
        cmocka_unit_test(m115_none_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
