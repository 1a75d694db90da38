/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of numbered things against a plain search: the first is the same after every change. */
#include <model/order.h>
#include <support/prop.h>

#define NUMBERS_MAX 200

static uint32_t first_by_search(const bool *there, const uint64_t *ranks, uint32_t numbers) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < numbers; i++)
        if (there[i] && (first == UINT32_MAX || ranks[i] < ranks[first])) first = i;
    return first;
}

static bool change_and_compare(struct order *order, struct rng *rng) {
    bool there[NUMBERS_MAX] = {false};
    uint64_t ranks[NUMBERS_MAX] = {0};
    for (int i = 0; i < 2000; i++) {
        uint32_t number = (uint32_t)draw_below(rng_next(rng), order->numbers);
        if (draw_below(rng_next(rng), 3) > 0) {
            ranks[number] = prop_magnitude(rng, 6);
            order_put(order, number, ranks[number]);
            there[number] = true;
        } else {
            order_remove(order, number);
            there[number] = false;
        }
        PROP_CHECK(order_has(order, number) == there[number]);
        uint32_t first = first_by_search(there, ranks, order->numbers);
        PROP_CHECK((first == UINT32_MAX) == (order->count == 0));
        if (first == UINT32_MAX) continue;
        PROP_CHECK(order->heap[0].number == first && order->heap[0].rank == ranks[first]);
    }
    return true;
}

static bool the_first_is_the_first(struct rng *rng) {
    struct order order;
    PROP_CHECK(order_init(&order, (uint32_t)prop_between(rng, 1, NUMBERS_MAX)));
    bool held = change_and_compare(&order, rng);
    order_deinit(&order);
    return held;
}

static void test_first(void **state) {
    (void)state;
    prop_run("the first is the first", the_first_is_the_first, 5055, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
