/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How DynamoDB behaved in other years, as defaults of assumptions. `rules`: Elhemali et al., USENIX ATC
 * 2022 (capacity divided by the number of partitions at first; adaptive capacity, which moved it after some
 * minutes; then one account of it for the whole table), and the daily decreases that UpdateTable then
 * allowed. `model.alarms`: the alarms of auto scaling as they were measured when it was new. What the
 * scenario's `model` states stands, and a table's own stands before the scenario's.
 *
 * Invariant: the years are words of their key, without today.
 */
#include <loader/loader.h>
#include <loader/read.h>

#include <base/check.h>
#include <string.h>

#define RULES "rules"
#define ALARMS "alarms"

static const struct loader_rule rules[] = {
    {RULES, "2018", "admission", "adaptive_reactive"},
    {RULES, "2018", "heat_split", "off"},
    {RULES, "2017", "admission", "static"},
    {RULES, "2017", "heat_split", "off"},
    {RULES, "2017", "decrease_interval", "4h"},
    {RULES, "2012", "admission", "static"},
    {RULES, "2012", "heat_split", "off"},
    {RULES, "2012", "decrease_interval", "4h"},
    {ALARMS, "2017", "scale_out_minutes", "5"},
    {ALARMS, "2017", "metric_delay", "0s"},
    {ALARMS, "2017", "alarm_delay", "0s"},
    {ALARMS, "2017", "update_delay", "90s"},
};

/* The values of a year; today's are the defaults, which count where a table goes back to them. */
static enum ddbsim_status fill(struct reader *r, struct yaml_node *model, const char *key,
                               const char *year) {
    char standard[80];
    enum ddbsim_status status = DDBSIM_OK;
    bool today = year && !strcmp(year, "today");
    for (size_t i = 0; i < sizeof rules / sizeof *rules && year && !status; i++) {
        if (strcmp(rules[i].key, key) != 0 || (!today && strcmp(rules[i].year, year) != 0))
            continue;
        const struct grammar_key *assumption = grammar_find(SECTION_MODEL, rules[i].assumption);
        CHECK(assumption && grammar_default(assumption, standard, sizeof standard));
        status = read_fill_text(r, model, rules[i].assumption, today ? standard : rules[i].value);
    }
    return status;
}

enum ddbsim_status read_rules(struct reader *r, const struct yaml_node *root,
                              struct yaml_node *model) {
    const char *year = yaml_text(root, RULES);
    bool today = !year || !strcmp(year, "today");
    enum ddbsim_status status = today ? DDBSIM_OK : fill(r, model, RULES, year);
    return status ? status : read_alarm_rules(r, model);
}

enum ddbsim_status read_alarm_rules(struct reader *r, struct yaml_node *model) {
    return fill(r, model, ALARMS, yaml_text(model, ALARMS));
}

bool loader_rule(int number, struct loader_rule *out) {
    if (number < 0 || (size_t)number >= sizeof rules / sizeof *rules) return false;
    *out = rules[number];
    CHECK(grammar_find(SECTION_MODEL, out->assumption) != NULL);
    return true;
}
