/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How DynamoDB behaved in other years, as defaults of assumptions (Elhemali et al., USENIX ATC 2022:
 * capacity divided by the number of partitions at first; adaptive capacity, which moved it after some
 * minutes; then one account of it for the whole table). What the scenario's `model` states stands.
 *
 * Invariant: the years are the words of `rules`, without today.
 */
#include <loader/loader.h>
#include <loader/read.h>

#include <base/check.h>
#include <string.h>

static const struct {
    const char *year, *assumption, *value;
} rules[] = {
    {"2018", "admission", "adaptive_reactive"},
    {"2018", "heat_split", "off"},
    {"2017", "admission", "static"},
    {"2017", "heat_split", "off"},
    {"2012", "admission", "static"},
    {"2012", "heat_split", "off"},
};

enum ddbsim_status read_rules(struct reader *r, const struct yaml_node *root,
                              struct yaml_node *model) {
    const char *year = yaml_text(root, "rules");
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && year && !status; i++)
        if (!strcmp(rules[i].year, year))
            status = read_fill_text(r, model, rules[i].assumption, rules[i].value);
    return status;
}

bool loader_rule(int number, struct loader_rule *out) {
    if (number < 0 || (size_t)number >= sizeof rules / sizeof *rules) return false;
    out->year = rules[number].year;
    out->assumption = rules[number].assumption;
    out->value = rules[number].value;
    CHECK(grammar_find(SECTION_MODEL, out->assumption) != NULL);
    return true;
}
