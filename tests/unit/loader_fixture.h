/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small scenario with one of most things, and loading it with something else in one place. */
#ifndef TESTS_LOADER_FIXTURE_H
#define TESTS_LOADER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ddbsim/scenario.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char fixture[] =
    "version: 1\n"
    "name: fixture\n"
    "start: 2026-09-25T12:00:00+02:00\n"
    "duration: 8h\n"
    "values:\n"
    "  user: {count: 1000, distribution: zipfian, theta: 0.6, scrambled: true}\n"
    "  state: {list: {open: 60%, paid: 30%, lost: 10%}}\n"
    "tables:\n"
    "  - name: carts\n"
    "    read_capacity: 60\n"
    "    write_capacity: 120\n"
    "    entities:\n"
    "      - {name: cart, partition_key: \"USER#{user}\", sort_key: \"CART#{n}\", count: 4000, "
    "size: 3 KB}\n"
    "      - {name: note, partition_key: \"USER#{user}\", sort_key: \"NOTE#{time}\", size: 1 KB}\n"
    "    indexes:\n"
    "      - name: by-state\n"
    "        partition_key: \"STATE#{state}\"\n"
    "        sort_key: \"{time}\"\n"
    "        read_capacity: 50\n"
    "        write_capacity: 100\n"
    "        backpressure: textbook\n"
    "        entries: {cart: {present: 90%}}\n"
    "  - name: plain.table\n"
    "    read_capacity: 10\n"
    "    write_capacity: 10\n"
    "    entities: [{name: row, partition_key: \"ROW#{uuid}\", size: 900 B}]\n"
    "workloads:\n"
    "  - name: shop\n"
    "    table: carts\n"
    "    start_rate: 2/s\n"
    "    stages:\n"
    "      - {name: up, duration: 1h, target: 4/s}\n"
    "      - {duration: 30m, target: 8/s}\n"
    "    mix:\n"
    "      - {name: save, operation: UpdateItem, entity: cart, weight: 60, size: 11 KB,\n"
    "         index_effect: {by-state: {move: 61%}}}\n"
    "      - {operation: GetItem, entity: cart, weight: 40, consistent_read: true}\n"
    "    client: {preset: boto3-standard, processes: 40}\n"
    "  - name: writer\n"
    "    rate: 5/s\n"
    "    arrivals: paced\n"
    "    start_time: \"13:00\"\n"
    "    sequence:\n"
    "      - {operation: PutItem, table: plain.table}\n"
    "      - {name: twice, operation: PutItem, table: carts, entity: note, times: 2, probability: "
    "50%}\n"
    "changes:\n"
    "  - {at: \"14:00\", name: grow, set: {workloads.shop.mix.save.size: 20 KB}}\n"
    "variants:\n"
    "  - name: big index\n"
    "    set: {tables.carts.indexes.by-state.write_capacity: 300}\n"
    "    expect: [{metric: throttled_ratio, is: 0%..0.1%}]\n"
    "  - name: calm\n"
    "    set: {changes: [], workloads.*.scale: 0.5}\n"
    "thresholds:\n"
    "  - \"throttled_ratio{workload: shop} < 0.1%\"\n"
    "expect:\n"
    "  - {cause: index_capacity}\n";

static inline enum ddbsim_status fixture_parse(const char *text, const char *variant,
                                               const char *const *sets, size_t count,
                                               struct ddbsim_scenario **out,
                                               struct ddbsim_error *error) {
    struct ddbsim_load_options options = {.variant = variant, .sets = sets, .set_count = count};
    memset(error, 0, sizeof *error);
    *out = NULL;
    return ddbsim_scenario_parse(text, strlen(text), "fixture.yaml", &options, out, error);
}

/* Loads or fails the test. */
static inline struct ddbsim_scenario *fixture_load(const char *text, const char *variant,
                                                   const char *const *sets, size_t count) {
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error;
    if (fixture_parse(text, variant, sets, count, &scenario, &error)) {
        char message[2048];
        ddbsim_error_format(&error, message, sizeof message);
        fail_msg("%s", message);
    }
    return scenario;
}

/* The same with one --set; NULL: none. */
static inline struct ddbsim_scenario *fixture_load_set(const char *text, const char *set) {
    return fixture_load(text, NULL, set ? &set : NULL, set ? 1 : 0);
}

static inline void fixture_expect_refusal(enum ddbsim_status status,
                                          const struct ddbsim_error *error, const char *what,
                                          const char *wanted) {
    char message[2048];
    ddbsim_error_format(error, message, sizeof message);
    if (status != DDBSIM_INPUT) fail_msg("%s: status %d, \"%s\"", what, (int)status, message);
    assert_int_equal(error->status, DDBSIM_INPUT);
    assert_true(error->message[0] != '\0');
    if (!strstr(message, wanted)) fail_msg("%s: \"%s\" lacks \"%s\"", what, message, wanted);
}

/* The text is refused with a message that holds `wanted`. */
static inline void fixture_refuse(const char *text, const char *wanted) {
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(text, NULL, NULL, 0, &scenario, &error), &error, text,
                           wanted);
}

/* The same for a text with one --set, */
static inline void fixture_refuse_text_set(const char *text, const char *set, const char *wanted) {
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(text, NULL, &set, 1, &scenario, &error), &error, set,
                           wanted);
}

/* and for the fixture with one. */
static inline void fixture_refuse_set(const char *set, const char *wanted) {
    fixture_refuse_text_set(fixture, set, wanted);
}

static inline const char *fixture_setting(const struct ddbsim_scenario *scenario,
                                          const char *path) {
    for (uint32_t i = 0; i < scenario->setting_count; i++)
        if (!strcmp(scenario->settings[i].path, path)) return scenario->settings[i].value;
    return NULL;
}

#endif
