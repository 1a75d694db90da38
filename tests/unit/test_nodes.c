/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storage nodes (M-38), alone and under shares of capacity, and grants to routers (M-37): what the partitions of
 * one node serve together is counted against its limit.
 */
#include <model/resource.h>
#include <support/prop.h>

static struct ddbsim_assumptions rules_with(int64_t admission, int64_t limit, int64_t partitions) {
    return (struct ddbsim_assumptions){
        .partition_read_limit = 30000,
        .partition_write_limit = 10000,
        .replica_read_limit = 30000,
        .partition_burst_ns = NS_PER_S,
        .partition_bytes = INT64_C(10) << 30,
        .admission = admission,
        .split_duration_ns = NS_PER_S,
        .rw_coupled = DDBSIM_OFF,
        .token_leak = DDBSIM_OFF,
        .node_limit = limit,
        .node_partitions = partitions,
        .routers = 1,
    };
}

static void create(struct resource *resource, const struct ddbsim_assumptions *rules,
                   uint32_t partitions, int64_t capacity, int64_t window_ns) {
    const struct resource_options options = {
        .table_name = "t",
        .is_new = true,
        .capacity = {capacity, capacity},
        .burst = {.window_ns = window_ns},
        .partitions = partitions,
        .model = rules,
    };
    assert_true(resource_init(resource, &options, 0));
}

/* Of `asks` units a second of each partition for so many seconds: what each is served in the second half. */
static void serve(struct resource *resource, enum direction d, uint32_t replica,
                  const int64_t asks[], int64_t seconds, int64_t served[]) {
    const int64_t step_ns = NS_PER_S / 10000;
    for (int64_t step = 1; step <= seconds * 10000; step++)
        for (uint32_t slot = 0; slot < resource->space.count; slot++) {
            if (step * asks[slot] / 10000 == (step - 1) * asks[slot] / 10000) continue;
            struct demand demand;
            resource_demand(resource, slot, d, replica, false, NANO, &demand);
            uint32_t whole = resource_short(resource, d, 1, step * step_ns);
            bool is_short = resource_partition_short(resource, &demand, step * step_ns);
            if (whole || is_short) continue;
            resource_take(resource, d, NANO);
            resource_partition_take(resource, &demand);
            if (step > seconds * 5000) served[slot]++;
        }
}

/* Four partitions, two a node, so three nodes of which each takes all writes; reads are their own node's. */
static void m38_reads_meet_one_node_writes_three(void **state) {
    (void)state;
    const struct ddbsim_assumptions rules = rules_with(DDBSIM_ADMISSION_GAC, 600, 2);
    const int64_t asks[] = {500, 500, 0, 0}, both[] = {500, 0, 500, 0};
    struct resource resource;
    create(&resource, &rules, 4, 100000, NS_PER_S);
    assert_int_equal(resource.nodes->count, 3);
    int64_t writes[4] = {0}, reads[4] = {0};
    serve(&resource, WRITE, 0, both, 10, writes);
    assert_in_range(writes[0] + writes[2], 5 * 600 - 5, 5 * 600 + 5);
    resource_deinit(&resource);
    create(&resource, &rules, 4, 100000, NS_PER_S);
    serve(&resource, READ, 0, asks, 10, reads); /* 1,000 on one node that has 1,800 for reads */
    assert_int_equal(reads[0] + reads[1], 5 * 1000);
    resource_deinit(&resource);
}

/* A neighbour on the same leader takes reads from it; on another node it does not. */
static void m38_a_noisy_neighbour(void **state) {
    (void)state;
    const struct ddbsim_assumptions rules = rules_with(DDBSIM_ADMISSION_GAC, 100, 1),
                                    shared = rules_with(DDBSIM_ADMISSION_GAC, 100, 2);
    const struct ddbsim_assumptions *of[] = {&rules, &shared};
    for (int i = 0; i < 2; i++) {
        const int64_t asks[] = {200, 1000, 0, 0};
        int64_t served[4] = {0};
        struct resource resource;
        create(&resource, of[i], 4, 100000, NS_PER_S);
        serve(&resource, READ, 0, asks, 10, served);
        if (i == 0)
            assert_int_equal(served[0], 5 * 200);
        else
            assert_true(served[0] < 5 * 190 && served[0] + served[1] <= 5 * 300 + 2);
        resource_deinit(&resource);
    }
}

/* With shares: who stays within its share is served whatever the node has; who bursts gets what that leaves. */
static void m38_only_burst_needs_the_node(void **state) {
    (void)state;
    const struct ddbsim_assumptions rules = rules_with(DDBSIM_ADMISSION_STATIC, 1000, 2);
    const int64_t asks[] = {400, 2000}; /* shares of 500 */
    int64_t served[2] = {0};
    struct resource resource;
    create(&resource, &rules, 2, 1000, 300 * NS_PER_S);
    for (int d = 0; d < DIRECTIONS; d++) /* all that the shares can keep */
        for (uint32_t slot = 0; slot < 2; slot++)
            resource.allocations->of[slot][d].bucket.level_nano = resource.rules[d].cap_nano;
    serve(&resource, WRITE, 0, asks, 20, served);
    assert_int_equal(served[0], 10 * 400);
    assert_in_range(served[1], 10 * 600 - 10, 10 * 600 + 10);
    resource_deinit(&resource);
}

/* More partitions have more nodes; none is moved. */
static void m38_nodes_follow_partitions(void **state) {
    (void)state;
    struct nodes nodes;
    assert_true(nodes_init(&nodes, 1, 100, 10, NS_PER_S));
    assert_int_equal(nodes.count, SPACE_REPLICAS);
    const struct node_demand demand = {.slot = 9, .direction = WRITE, .units_nano = 50 * NANO};
    assert_true(nodes_admit(&nodes, &demand, false, 0));
    nodes_take(&nodes, &demand);
    assert_true(nodes_grow(&nodes, 95));
    assert_int_equal(nodes.count, 10);
    assert_int_equal(nodes.of[0].level_nano, 150 * NANO);
    assert_int_equal(nodes.of[9].level_nano, 300 * NANO);
    /* Debts end at what a bucket holds, however much its shares ask. */
    for (int i = 0; i < 100; i++)
        nodes_take(&nodes, &demand);
    assert_int_equal(nodes.of[0].level_nano, -300 * NANO);
    assert_int_equal(nodes_ready_ns(&nodes, &demand, false, 0), NS_PER_S + 1);
    assert_int_equal(nodes_ready_ns(&nodes, &demand, true, 0), 3 * NS_PER_S / 2);
    nodes_deinit(&nodes);
}

/* ---- routers ---- */

/* Over random loads on random routers: what is taken never exceeds what the bucket was given, but for the one
 * request that each router may owe; grants are spent or go back. */
static bool grants_property(struct rng *rng) {
    uint32_t routers = (uint32_t)prop_between(rng, 1, GRANTS_ROUTERS_MAX);
    struct bucket_rule rule = {.rate = prop_between(rng, 1, 1000)};
    rule.cap_nano = rule.rate * prop_between(rng, 1, 300) * NS_PER_S;
    struct bucket bucket;
    struct grants grants;
    bucket_fill(&bucket, 0, rule.cap_nano / prop_between(rng, 1, 10));
    int64_t given = bucket.level_nano, taken = 0, now_ns = 0;
    grants_init(&grants, prop_between(rng, 1, 10) * NS_PER_S, routers, 0);
    for (int i = 0; i < 2000; i++) {
        int64_t cost = prop_between(rng, 1, 5) * NANO;
        uint32_t router = (uint32_t)draw_below(rng_next(rng), routers);
        now_ns += prop_between(rng, 1, 3 * NS_PER_S / rule.rate);
        if (!bucket_admits(&bucket, &rule, 1, now_ns)) continue;
        if (!grants_admit(&grants, &bucket, &rule, WRITE, router, 1, now_ns)) continue;
        bucket_take(&bucket, cost);
        grants_take(&grants, WRITE, router, cost);
        taken += cost;
        int64_t held = 0;
        for (uint32_t r = 0; r < routers; r++)
            held += grants.left_nano[WRITE][r] > 0 ? grants.left_nano[WRITE][r] : 0;
        PROP_CHECK(held <= bucket.level_nano + (int64_t)routers * 5 * NANO);
    }
    PROP_CHECK(taken <= given + rule.rate * now_ns + 5 * NANO);
    return true;
}

static void m37_grants_create_no_tokens(void **state) {
    (void)state;
    prop_run("grants", grants_property, 37, 200);
}

/* Each router has its part and not another's; the next ones come when those expire. */
static void m37_equal_parts_for_a_while(void **state) {
    (void)state;
    const struct bucket_rule rule = {.rate = 100, .cap_nano = 1000 * NANO};
    struct bucket bucket;
    struct grants grants;
    bucket_fill(&bucket, 0, 400 * NANO);
    grants_init(&grants, 2 * NS_PER_S, 4, 0);
    for (int i = 0; i < 100; i++) {
        assert_true(grants_admit(&grants, &bucket, &rule, READ, 1, 1, 0));
        bucket_take(&bucket, NANO);
        grants_take(&grants, READ, 1, NANO);
    }
    assert_false(grants_admit(&grants, &bucket, &rule, READ, 1, 1, 2 * NS_PER_S - 1));
    assert_true(grants_admit(&grants, &bucket, &rule, READ, 2, 100 * NANO, 2 * NS_PER_S - 1));
    assert_false(grants_admit(&grants, &bucket, &rule, READ, 2, 100 * NANO + 1, 2 * NS_PER_S - 1));
    /* 300 were left and 200 came: 125 each. */
    assert_true(grants_admit(&grants, &bucket, &rule, READ, 1, 125 * NANO, 2 * NS_PER_S));
    assert_false(grants_admit(&grants, &bucket, &rule, READ, 1, 125 * NANO + 1, 2 * NS_PER_S));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m37_equal_parts_for_a_while),
        cmocka_unit_test(m37_grants_create_no_tokens),
        cmocka_unit_test(m38_a_noisy_neighbour),
        cmocka_unit_test(m38_nodes_follow_partitions),
        cmocka_unit_test(m38_only_burst_needs_the_node),
        cmocka_unit_test(m38_reads_meet_one_node_writes_three),
    };
    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
