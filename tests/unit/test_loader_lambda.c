/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues and the Lambdas of streams: what is usual, and what cannot be. */
#include "loader_fixture.h"

static void queue(void **state) {
    (void)state;
    const char *sets[] = {"workloads.writer.queue={}"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 1);
    const struct ddbsim_queue *q = &s->workloads[1].queue;
    assert_false(s->workloads[0].queue.enabled);
    assert_true(q->enabled);
    assert_int_equal(q->batch_size, 10);
    assert_int_equal(q->visibility_timeout_ns, INT64_C(30000000000));
    assert_int_equal(q->max_receive_count, UINT32_MAX);
    assert_int_equal(q->concurrency.minimum, 5);
    assert_int_equal(q->concurrency.maximum, 1250);
    assert_int_equal(q->concurrency.per_minute, 300);
    assert_string_equal(fixture_setting(s, "workloads.writer.queue.concurrency.maximum"), "1250");
    ddbsim_scenario_destroy(s);
}

static void stream(void **state) {
    (void)state;
    const char *sets[] = {"tables.\"plain.table\".stream=KEYS_ONLY",
                          "workloads.shop.stream_of=plain.table",
                          "workloads.shop.maximum_retry_attempts=0"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 3);
    const struct ddbsim_stream_lambda *l = &s->workloads[0].lambda;
    assert_true(l->enabled);
    assert_int_equal(l->batch_size, 100);
    assert_int_equal(l->parallelization_factor, 1);
    assert_int_equal(l->maximum_retry_attempts, 0);
    assert_int_equal(l->maximum_record_age_ns, DDBSIM_STREAM_RETENTION_NS);
    assert_false(l->bisects);
    ddbsim_scenario_destroy(s);
    s = fixture_load(fixture, NULL, sets, 2);
    assert_false(s->workloads[0].lambda.enabled);
    ddbsim_scenario_destroy(s);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *set, *wanted;
    } wrong[] = {
        {"workloads.writer.queue={concurrency: {minimum: 9, maximum: 4}}", "below the minimum"},
        {"workloads.writer.queue={concurrency: {maximum: 2}}", "below the minimum of 5"},
        {"workloads.writer.queue={batch_size: 0}", "0 lies outside"},
        {"workloads.writer.queue={batch_size: 10000, concurrency: {maximum: 2000}}",
         "more than 10000000 messages"},
        {"workloads.writer.queue={visibility_timeout: 13h}", "lies outside"},
        {"workloads.writer.queue={max_receives: 3}", "max_receives"},
        {"workloads.writer={vus: 3, queue: {}}", "at a rate"},
        {"workloads.writer={rate: 1/s, max_vus: 3, queue: {}}", "at a rate"},
        {"workloads.writer={rate: 1/s, table: plain.table, mix: [{operation: PutItem}], client: "
         "{function_timeout: "
         "31s}, queue: {}}",
         "less than the function timeout"},
        {"workloads.writer={rate: 1/s, table: plain.table, mix: [{operation: PutItem}], client: "
         "{function_timeout: "
         "5s}, queue: {visibility_timeout: "
         "4s}}",
         "less than the function timeout"},
        {"workloads.writer.batch_size=3", "only with stream_of"},
        {"workloads.writer.parallelization_factor=11", "11 lies outside"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++)
        fixture_refuse_set(wrong[i].set, wrong[i].wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue),
        cmocka_unit_test(stream),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
