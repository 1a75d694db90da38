/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small scenario in code for the tests of the generators: one table of carts and orders with two
 * indexes, two workloads. Each test changes what it is about before it makes sources.
 */
#ifndef TESTS_WORKLOADS_FIXTURE_H
#define TESTS_WORKLOADS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <base/types.h>
#include <workloads/source.h>

enum { SET_CUSTOMER, SET_STATE, SET_DAY, SET_COUNT };
enum { CART, ORDER, PROFILE, ENTITIES };
enum { BY_STATE, BY_DAY, INDEXES };

struct fixture {
    struct ddbsim_values values[SET_COUNT];
    const char *states[3];
    int64_t state_shares[3];
    struct ddbsim_template_part cart_pk[2], cart_sk[2], order_pk[2], profile_pk[2], profile_sk[1];
    struct ddbsim_template_part state_pk[2], time_sk[1], day_pk[2];
    struct ddbsim_entity entities[ENTITIES];
    struct ddbsim_entry entries[INDEXES][ENTITIES];
    struct ddbsim_index indexes[INDEXES];
    struct ddbsim_table tables[1];
    struct ddbsim_index_effect effects[4][INDEXES];
    struct ddbsim_operation operations[4]; /* update cart, get cart, put order, delete profile */
    struct ddbsim_stage stages[3];
    struct ddbsim_workload workloads[2];
    struct ddbsim_change changes[1];
    struct ddbsim_scenario scenario, after;
    struct ddbsim_workload after_workloads[2];
};

static inline struct ddbsim_template_part part(enum ddbsim_part_kind kind, const char *text,
                                               uint32_t values) {
    return (struct ddbsim_template_part){.kind = kind, .text = text, .values = values};
}

static inline struct ddbsim_template
template_of(const char *text, const struct ddbsim_template_part *parts, uint32_t count) {
    return (struct ddbsim_template){.text = text, .parts = parts, .part_count = count};
}

static inline void fixture_keys(struct fixture *f) {
    f->states[0] = "open";
    f->states[1] = "paid";
    f->states[2] = "left";
    f->state_shares[0] = 600000000;
    f->state_shares[1] = 300000000;
    f->state_shares[2] = 100000000;
    f->values[SET_CUSTOMER] = (struct ddbsim_values){.name = "customer",
                                                     .distribution = DDBSIM_ZIPFIAN,
                                                     .count = 4000,
                                                     .theta = 600000000,
                                                     .scrambled = true};
    f->values[SET_STATE] = (struct ddbsim_values){.name = "state",
                                                  .distribution = DDBSIM_LIST,
                                                  .count = 3,
                                                  .words = f->states,
                                                  .shares = f->state_shares};
    f->values[SET_DAY] =
        (struct ddbsim_values){.name = "day", .distribution = DDBSIM_UNIFORM, .count = 7};
    f->cart_pk[0] = part(DDBSIM_PART_TEXT, "CUSTOMER#", 0);
    f->cart_pk[1] = part(DDBSIM_PART_VALUES, NULL, SET_CUSTOMER);
    f->cart_sk[0] = part(DDBSIM_PART_TEXT, "CART#", 0);
    f->cart_sk[1] = part(DDBSIM_PART_N, NULL, 0);
    f->order_pk[0] = part(DDBSIM_PART_TEXT, "ORDER#", 0);
    f->order_pk[1] = part(DDBSIM_PART_UUID, NULL, 0);
    f->profile_pk[0] = part(DDBSIM_PART_TEXT, "CUSTOMER#", 0);
    f->profile_pk[1] = part(DDBSIM_PART_VALUES, NULL, SET_CUSTOMER);
    f->profile_sk[0] = part(DDBSIM_PART_TEXT, "PROFILE", 0);
    f->state_pk[0] = part(DDBSIM_PART_TEXT, "STATE#", 0);
    f->state_pk[1] = part(DDBSIM_PART_VALUES, NULL, SET_STATE);
    f->time_sk[0] = part(DDBSIM_PART_TIME, NULL, 0);
    f->day_pk[0] = part(DDBSIM_PART_TEXT, "DAY#", 0);
    f->day_pk[1] = part(DDBSIM_PART_VALUES, NULL, SET_DAY);
}

static inline void fixture_table(struct fixture *f) {
    f->entities[CART] =
        (struct ddbsim_entity){.name = "cart",
                               .partition_key = template_of("CUSTOMER#{customer}", f->cart_pk, 2),
                               .sort_key = template_of("CART#{n}", f->cart_sk, 2),
                               .count = 10000,
                               .item_bytes = 3000};
    f->entities[ORDER] =
        (struct ddbsim_entity){.name = "order",
                               .partition_key = template_of("ORDER#{uuid}", f->order_pk, 2),
                               .count = 500,
                               .item_bytes = 900};
    f->entities[PROFILE] = (struct ddbsim_entity){
        .name = "profile",
        .partition_key = template_of("CUSTOMER#{customer}", f->profile_pk, 2),
        .sort_key = template_of("PROFILE", f->profile_sk, 1),
        .count = 4000,
        .item_bytes = 700};
    struct ddbsim_template state = template_of("STATE#{state}", f->state_pk, 2);
    struct ddbsim_template time = template_of("{time}", f->time_sk, 1);
    struct ddbsim_template day = template_of("DAY#{day}", f->day_pk, 2);
    for (int e = 0; e < ENTITIES; e++) {
        f->entries[BY_STATE][e] = (struct ddbsim_entry){.in_index = e == CART,
                                                        .partition_key = state,
                                                        .sort_key = time,
                                                        .present = DDBSIM_SHARE_ONE,
                                                        .entry_bytes = -1};
        f->entries[BY_DAY][e] = (struct ddbsim_entry){.in_index = true,
                                                      .partition_key = day,
                                                      .present = DDBSIM_SHARE_ONE,
                                                      .entry_bytes = 200};
    }
    f->indexes[BY_STATE] = (struct ddbsim_index){.name = "by-state",
                                                 .partition_key = state,
                                                 .sort_key = time,
                                                 .projection = DDBSIM_ALL,
                                                 .entries = f->entries[BY_STATE]};
    f->indexes[BY_DAY] = (struct ddbsim_index){.name = "by-day",
                                               .partition_key = day,
                                               .projection = DDBSIM_KEYS_ONLY,
                                               .entries = f->entries[BY_DAY]};
    f->tables[0] = (struct ddbsim_table){.name = "shop",
                                         .entities = f->entities,
                                         .entity_count = ENTITIES,
                                         .indexes = f->indexes,
                                         .index_count = INDEXES};
}

static inline struct ddbsim_operation operation_of(enum ddbsim_operation_kind kind, uint32_t entity,
                                                   int64_t weight, int64_t bytes,
                                                   const struct ddbsim_index_effect *effects) {
    return (struct ddbsim_operation){.name = ddbsim_operation_name((int)kind),
                                     .kind = kind,
                                     .entity = entity,
                                     .weight = weight,
                                     .item_bytes = bytes,
                                     .times = 1,
                                     .probability = DDBSIM_SHARE_ONE,
                                     .effects = effects};
}

static inline void fixture_init(struct fixture *f) {
    memset(f, 0, sizeof *f);
    fixture_keys(f);
    fixture_table(f);
    f->effects[0][BY_STATE] = (struct ddbsim_index_effect){.move = 610000000, .rewrite = 390000000};
    f->effects[0][BY_DAY] = (struct ddbsim_index_effect){.move = 250000000, .untouched = 750000000};
    f->effects[2][BY_STATE] = (struct ddbsim_index_effect){.add = DDBSIM_SHARE_ONE};
    f->effects[2][BY_DAY] = (struct ddbsim_index_effect){.add = DDBSIM_SHARE_ONE};
    f->effects[3][BY_STATE] = (struct ddbsim_index_effect){.remove = DDBSIM_SHARE_ONE};
    f->effects[3][BY_DAY] = (struct ddbsim_index_effect){.remove = DDBSIM_SHARE_ONE};
    f->operations[0] = operation_of(DDBSIM_UPDATE_ITEM, CART, 60, 11264, f->effects[0]);
    f->operations[1] = operation_of(DDBSIM_GET_ITEM, CART, 25, 3000, NULL);
    f->operations[2] = operation_of(DDBSIM_PUT_ITEM, ORDER, 10, 900, f->effects[2]);
    f->operations[3] = operation_of(DDBSIM_DELETE_ITEM, PROFILE, 5, 700, f->effects[3]);
    for (int i = 0; i < 2; i++)
        f->workloads[i] = (struct ddbsim_workload){.name = i == 0 ? "shop" : "other",
                                                   .end_ns = 3600 * NS_PER_S,
                                                   .scale = 1,
                                                   .arrivals = DDBSIM_POISSON,
                                                   .start_rate_per_s = 100,
                                                   .operations = f->operations,
                                                   .operation_count = 4,
                                                   .client = {.processes = 400}};
    f->scenario = (struct ddbsim_scenario){.name = "test",
                                           .start_unix_s = 1790330400,
                                           .duration_ns = 3600 * NS_PER_S,
                                           .values = f->values,
                                           .value_count = SET_COUNT,
                                           .tables = f->tables,
                                           .table_count = 1,
                                           .workloads = f->workloads,
                                           .workload_count = 1};
}

/* The scenario after a change, as yet the same: tests then move f->after_workloads. */
static inline void fixture_change(struct fixture *f, int64_t at_ns) {
    memcpy(f->after_workloads, f->workloads, sizeof f->workloads);
    f->after = f->scenario;
    f->after.workloads = f->after_workloads;
    f->changes[0] = (struct ddbsim_change){.name = "change", .at_ns = at_ns, .after = &f->after};
    f->scenario.changes = f->changes;
    f->scenario.change_count = 1;
}

/* A population and a source for each workload. */
struct generators {
    struct population *population;
    struct ddbsim_source sources[2];
    uint32_t count;
};

static inline void generators_open(struct generators *g, const struct fixture *f, uint64_t seed,
                                   uint32_t replication) {
    struct ddbsim_error error = {0};
    g->population = population_create(&f->scenario, seed, replication);
    assert_non_null(g->population);
    g->count = f->scenario.workload_count;
    for (uint32_t i = 0; i < g->count; i++)
        assert_int_equal(source_create(&f->scenario, i, g->population, seed, replication,
                                       &g->sources[i], &error),
                         DDBSIM_OK);
}

static inline void generators_close(struct generators *g) {
    for (uint32_t i = 0; i < g->count; i++)
        g->sources[i].destroy(g->sources[i].self);
    population_destroy(g->population);
}

/* The next arrival of a source and its first call. */
static inline struct ddbsim_arrival next_request(struct ddbsim_source *source,
                                                 struct ddbsim_request *request) {
    struct ddbsim_arrival arrival;
    int64_t t_ns = source->peek(source->self);
    source->take(source->self, &arrival);
    assert_int_equal(arrival.t_ns, t_ns);
    assert_true(source->request(source->self, &arrival, 0, t_ns, request));
    return arrival;
}

#endif
