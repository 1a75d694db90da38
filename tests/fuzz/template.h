/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small scenario with one of most things, to put fuzzed parts into. */
#ifndef TESTS_FUZZ_TEMPLATE_H
#define TESTS_FUZZ_TEMPLATE_H

static const char fuzz_template[] =
    "version: 1\n"
    "name: template\n"
    "start: 2026-09-25T12:00:00+02:00\n"
    "duration: 2h\n"
    "values:\n"
    "  user: {count: 1000, distribution: zipfian, theta: 0.6}\n"
    "  state: {list: {open: 70%, paid: 30%}}\n"
    "tables:\n"
    "  - name: carts\n"
    "    read_capacity: 60\n"
    "    write_capacity: 120\n"
    "    auto_scaling:\n"
    "      write: {min_capacity: 5, max_capacity: 400}\n"
    "      scheduled_actions:\n"
    "        - {name: up, schedule: \"cron(0/15 13 ? * FRI *)\", timezone: +02:00,\n"
    "           write: {min_capacity: 300}}\n"
    "    entities:\n"
    "      - {name: cart, partition_key: \"U#{user}\", sort_key: \"{n}\", count: 4000, size: 3 "
    "KB}\n"
    "    indexes:\n"
    "      - name: by-state\n"
    "        partition_key: \"S#{state}\"\n"
    "        read_capacity: 50\n"
    "        write_capacity: 100\n"
    "        scaler: {up: {above: 145%, by: 200}, down: {below: 40%, to: 70%}, max: 3000}\n"
    "        entries: {cart: {present: 90%}}\n"
    "workloads:\n"
    "  - name: shop\n"
    "    table: carts\n"
    "    start_rate: 2/s\n"
    "    stages: [{name: up, duration: 1h, target: 4/s}]\n"
    "    mix:\n"
    "      - {name: save, operation: UpdateItem, entity: cart, weight: 60,\n"
    "         index_effect: {by-state: {move: 61%}}}\n"
    "      - {name: look, operation: GetItem, entity: cart, weight: 40, consistent_read: true}\n"
    "    client: {preset: boto3-standard, processes: 40}\n"
    "alarms:\n"
    "  - {name: index-80, table: carts, index: by-state, metric: ConsumedWriteCapacityUnits,\n"
    "     statistic: Sum, evaluation_periods: 5, comparison: \">\", threshold: 80%}\n"
    "changes:\n"
    "  - {at: \"12:30\", name: grow, set: {workloads.shop.mix.save.size: 20 KB}}\n";

#endif
