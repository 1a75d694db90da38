/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scaling of a table or an index in code: what a file may say of it, and nothing else.
 *
 * Invariant: actions stand by time, inside the run, and leave no policy with a least above its most.
 */
#include <loader/build.h>

#include <base/types.h>
#include <string.h>

#define AS_IT_WAS (-1)

static enum ddbsim_status check_order(const struct build *b, const char *key, int64_t low,
                                      int64_t high) {
    return low <= high ? DDBSIM_OK : build_fail(b, key, "the most is less than the least");
}

static enum ddbsim_status check_policy(const struct build *b, const char *direction,
                                       const struct ddbsim_target_tracking *policy) {
    const struct build_number numbers[] = {
        {SECTION_POLICY, "min_capacity", policy->min_capacity},
        {SECTION_POLICY, "max_capacity", policy->max_capacity},
        {SECTION_POLICY, "target_value", policy->target},
        {SECTION_POLICY, "scale_out_cooldown", policy->scale_out_cooldown_ns},
        {SECTION_POLICY, "scale_in_cooldown", policy->scale_in_cooldown_ns},
    };
    if (!policy->enabled) return DDBSIM_OK;
    struct build at = build_at(b, direction, NULL);
    enum ddbsim_status status = build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
    return status ? status
                  : check_order(&at, "max_capacity", policy->min_capacity, policy->max_capacity);
}

/* ---- scheduled actions ---- */

/* -1 leaves a bound as it was, so a value that is known to pass stands in for it. */
static enum ddbsim_status apply_bounds(const struct build *b, const char *direction, int64_t low,
                                       int64_t high, struct ddbsim_target_tracking *policy) {
    const struct build_number numbers[] = {
        {SECTION_BOUNDS, "min_capacity", low == AS_IT_WAS ? 1 : low},
        {SECTION_BOUNDS, "max_capacity", high == AS_IT_WAS ? 1 : high},
    };
    if (low == AS_IT_WAS && high == AS_IT_WAS) return DDBSIM_OK;
    if (!policy->enabled) return build_fail(b, direction, "there is no such policy");
    struct build at = build_at(b, direction, NULL);
    enum ddbsim_status status = build_check_numbers(&at, numbers, 2);
    if (low != AS_IT_WAS) policy->min_capacity = low;
    if (high != AS_IT_WAS) policy->max_capacity = high;
    return status ? status
                  : check_order(&at, "max_capacity", policy->min_capacity, policy->max_capacity);
}

static enum ddbsim_status copy_actions(const struct build *b, struct ddbsim_auto_scaling *scaling) {
    struct ddbsim_target_tracking read = scaling->read, write = scaling->write;
    if (scaling->action_count > 0 && !scaling->actions)
        return build_fail(b, "scheduled_actions", "the list is missing");
    struct ddbsim_scheduled_action *actions =
        build_copy_array(b, scaling->actions, scaling->action_count, sizeof *actions);
    if (!actions) return error_memory(b->error);
    for (uint32_t i = 0; i < scaling->action_count; i++) {
        struct ddbsim_scheduled_action *action = &actions[i];
        struct build at = build_at(b, "scheduled_actions", action->name);
        enum ddbsim_status status = build_check_text(&at, SECTION_ACTION, "name", action->name);
        if (!status) status = build_copy_text(&at, &action->name);
        if (!status && (action->at_ns < 0 || action->at_ns >= b->scenario->duration_ns))
            status = build_fail(&at, "at", "the action lies outside the run");
        if (!status && i > 0 && action->at_ns < actions[i - 1].at_ns)
            status = build_fail(&at, "at", "the actions do not stand by time");
        if (!status) status = apply_bounds(&at, "read", action->read_min, action->read_max, &read);
        if (!status)
            status = apply_bounds(&at, "write", action->write_min, action->write_max, &write);
        if (status) return status;
    }
    scaling->actions = actions;
    return DDBSIM_OK;
}

/* ---- a home-made scaler ---- */

static enum ddbsim_status check_rule(const struct build *b, enum grammar_section section,
                                     const char *name, const char *when,
                                     const struct ddbsim_scaler_rule *rule) {
    const struct build_number numbers[] = {
        {section, when, rule->threshold < 0 ? 1 : rule->threshold},
        {section, "by", rule->by_units == 0 ? 1 : rule->by_units},
        {section, "to", rule->to == 0 ? DDBSIM_SHARE_ONE : rule->to},
    };
    if (!rule->enabled) return DDBSIM_OK;
    struct build at = build_at(b, name, NULL);
    if (rule->threshold < 0 && rule->throttles <= 0)
        return build_fail(&at, when, "the rule does not say when");
    if ((rule->by_share != 0) + (rule->by_units != 0) + (rule->to != 0) != 1)
        return build_fail(&at, "by", "a rule has one of by_share, by_units and to");
    if (rule->by_share < 0 || rule->by_share > grammar_find(section, "by")->high_share)
        return build_fail(&at, "by", "there is no such share");
    return build_check_numbers(&at, numbers, 3);
}

static enum ddbsim_status check_scaler(const struct build *b, const struct ddbsim_scaler *scaler) {
    const struct build_number numbers[] = {
        {SECTION_SCALER, "every", scaler->every_ns},
        {SECTION_SCALER, "look_back", scaler->look_back_ns},
        {SECTION_SCALER, "min", scaler->min_capacity},
        {SECTION_SCALER, "max", scaler->max_capacity},
    };
    if (!scaler->enabled) return DDBSIM_OK;
    struct build at = build_at(b, "scaler", NULL);
    enum ddbsim_status status = build_check_numbers(&at, numbers, 4);
    if (!status) status = check_order(&at, "max", scaler->min_capacity, scaler->max_capacity);
    if (!status && scaler->every_ns % NS_PER_S != 0)
        status = build_fail(&at, "every", "this is no whole number of seconds");
    if (!status && scaler->look_back_ns % (60 * NS_PER_S) != 0)
        status = build_fail(&at, "look_back", "this is no whole number of minutes");
    if (!status && !scaler->reads && !scaler->writes)
        status = build_fail(&at, "direction", "the scaler moves no capacity");
    if (!status && !scaler->up.enabled && !scaler->down.enabled)
        status = build_fail(&at, NULL, "the scaler does nothing");
    if (!status) status = check_rule(&at, SECTION_SCALE_UP, "up", "above", &scaler->up);
    if (!status && scaler->down.enabled && scaler->down.threshold < 0)
        status = build_fail(&at, "down", "the rule does not say when");
    return status ? status : check_rule(&at, SECTION_SCALE_DOWN, "down", "below", &scaler->down);
}

/* ---- all of it ---- */

enum ddbsim_status build_scaling(const struct build *b, enum ddbsim_billing billing,
                                 struct ddbsim_auto_scaling *scaling) {
    bool tracks = scaling->read.enabled || scaling->write.enabled;
    struct build at = build_at(b, "auto_scaling", NULL);
    if (!tracks && !scaling->scaler.enabled && scaling->action_count == 0) return DDBSIM_OK;
    if (billing != DDBSIM_PROVISIONED)
        return build_fail(b, tracks ? "auto_scaling" : "scaler",
                          "requests of a PAY_PER_REQUEST table buy no capacity");
    if (tracks && scaling->scaler.enabled)
        return build_fail(b, "scaler", "auto_scaling and scaler exclude each other");
    enum ddbsim_status status = check_policy(&at, "read", &scaling->read);
    if (!status) status = check_policy(&at, "write", &scaling->write);
    if (!status) status = copy_actions(&at, scaling);
    return status ? status : check_scaler(b, &scaling->scaler);
}
