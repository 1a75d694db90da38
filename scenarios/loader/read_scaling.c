/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Capacity that moves by itself: the policies of Application Auto Scaling with their scheduled actions, or
 * a scaler of the user's own. A schedule becomes one action for each time that it fires during the run.
 *
 * Invariant: actions come out by time, at equal times as written, and after each of them no policy has a
 * least above its most.
 */
#include <loader/read.h>

#include <loader/cron.h>
#include <base/check.h>
#include <base/types.h>
#include <stdlib.h>
#include <string.h>

#define FIRINGS_MAX 100000
#define AS_IT_WAS (-1)

/* ---- policies ---- */

static enum ddbsim_status check_bounds(struct reader *r, const struct yaml_node *node, int64_t low,
                                       int64_t high, const char *low_key, const char *high_key) {
    if (low <= high) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, high_key), "%s %lld is less than %s %lld", high_key,
                     (long long)high, low_key, (long long)low);
}

static enum ddbsim_status read_policy(struct reader *r, const struct yaml_node *node,
                                      struct ddbsim_target_tracking *out) {
    if (!node) return DDBSIM_OK;
    *out = (struct ddbsim_target_tracking){
        .enabled = true,
        .min_capacity = read_int(r, SECTION_POLICY, node, "min_capacity", 0),
        .max_capacity = read_int(r, SECTION_POLICY, node, "max_capacity", 0),
        .target = read_int(r, SECTION_POLICY, node, "target_value", 0),
        .scale_out_cooldown_ns = read_int(r, SECTION_POLICY, node, "scale_out_cooldown", 0),
        .scale_in_cooldown_ns = read_int(r, SECTION_POLICY, node, "scale_in_cooldown", 0),
        .disable_scale_in = read_int(r, SECTION_POLICY, node, "disable_scale_in", false),
        .says_min = read_is_said(r, node, "min_capacity"),
        .says_max = read_is_said(r, node, "max_capacity"),
    };
    return check_bounds(r, node, out->min_capacity, out->max_capacity, "min_capacity",
                        "max_capacity");
}

/* ---- scheduled actions ---- */

/* An action at one of its times. */
struct firing {
    struct ddbsim_scheduled_action action;
    const struct yaml_node *node;
    uint32_t number; /* as written, and of one schedule by time */
};

struct firings {
    struct firing *all;
    uint32_t count;
};

/* What a mapping of actions says, before it is known when. */
struct planned {
    struct ddbsim_scheduled_action action;
    struct cron cron;
    int32_t utc_offset_s;
    uint32_t count; /* how often it fires */
};

static enum ddbsim_status read_bounds(struct reader *r, const struct yaml_node *action,
                                      const char *direction,
                                      const struct ddbsim_target_tracking *policy, int64_t *low,
                                      int64_t *high) {
    const struct yaml_node *node = yaml_child(action, direction);
    *low = *high = AS_IT_WAS;
    if (!node) return DDBSIM_OK;
    if (!policy->enabled) {
        enum ddbsim_status status =
            yaml_fail_key(r->error, node, "there is no policy of the %s capacity", direction);
        error_hint(r->error, "scheduled actions move the bounds of auto_scaling.%s", direction);
        return status;
    }
    *low = read_int(r, SECTION_BOUNDS, node, "min_capacity", AS_IT_WAS);
    *high = read_int(r, SECTION_BOUNDS, node, "max_capacity", AS_IT_WAS);
    if (*low != AS_IT_WAS || *high != AS_IT_WAS) return DDBSIM_OK;
    return yaml_fail(r->error, node, "the action sets neither min_capacity nor max_capacity");
}

/* UTC, or the offset that is written. */
static enum ddbsim_status read_timezone(struct reader *r, const struct yaml_node *action,
                                        enum cron_kind kind, int32_t *out) {
    const struct yaml_node *node = yaml_child(action, "timezone");
    *out = 0;
    if (!node) return DDBSIM_OK;
    if (yaml_child(action, "at") || kind == CRON_RATE)
        return yaml_fail_key(r->error, node, "timezone goes only with cron(...) and at(...)");
    if (!strcmp(node->text, "UTC") || literal_offset(node->text, out)) return DDBSIM_OK;
    enum ddbsim_status status =
        yaml_fail(r->error, node, "\"%.60s\" is neither UTC nor an offset", node->text);
    error_hint(r->error, "write the offset of that time of the year, such as +02:00: clocks that "
                         "change are not simulated");
    return status;
}

static enum ddbsim_status read_schedule(struct reader *r, const struct yaml_node *node,
                                        struct planned *out) {
    const struct yaml_node *at = yaml_child(node, "at"), *schedule = yaml_child(node, "schedule");
    struct literal_problem problem = {0};
    if (!at && !schedule) {
        enum ddbsim_status status = yaml_fail(r->error, node, "the action does not say when");
        error_hint(r->error, "write `at` or `schedule`");
        return status;
    }
    if (at) {
        out->action.at_ns = read_int(r, SECTION_ACTION, node, "at", 0);
        if (out->action.at_ns >= r->scenario->duration_ns)
            return read_fail_late(r, at, "the action comes");
    } else if (!cron_parse(schedule->text, &out->cron, &problem)) {
        enum ddbsim_status status = yaml_fail(r->error, schedule, "%s", problem.message);
        error_hint(r->error, "%s", problem.hint);
        return status;
    }
    return read_timezone(r, node, out->cron.kind, &out->utc_offset_s);
}

static struct cron_run run_of(const struct reader *r, const struct planned *planned) {
    return (struct cron_run){.start_unix_s = r->clock.start_unix_s,
                             .duration_ns = r->scenario->duration_ns,
                             .utc_offset_s = planned->utc_offset_s};
}

static enum ddbsim_status plan_action(struct reader *r, const struct yaml_node *node,
                                      uint32_t number, const struct ddbsim_auto_scaling *scaling,
                                      struct planned *out) {
    const char *name = yaml_text(node, "name");
    struct ddbsim_scheduled_action *action = &out->action;
    action->name = name ? name : arena_printf(r->arena, "%u", number);
    if (!action->name) return error_memory(r->error);
    enum ddbsim_status status = read_schedule(r, node, out);
    if (!status)
        status = read_bounds(r, node, "read", &scaling->read, &action->read_min, &action->read_max);
    if (!status)
        status =
            read_bounds(r, node, "write", &scaling->write, &action->write_min, &action->write_max);
    if (!status && !yaml_child(node, "read") && !yaml_child(node, "write"))
        status = yaml_fail(r->error, node, "the action sets nothing: write `write` or `read`");
    const struct cron_run run = run_of(r, out);
    out->count = yaml_child(node, "at") ? 1 : cron_fire(&out->cron, &run, NULL, FIRINGS_MAX);
    return status;
}

/* One firing for each time. */
static bool add_firings(struct reader *r, const struct yaml_node *node,
                        const struct planned *planned, struct firings *firings) {
    int64_t *at_ns = arena_alloc(r->arena, planned->count + 1, sizeof *at_ns);
    if (!at_ns) return false;
    const struct cron_run run = run_of(r, planned);
    at_ns[0] = planned->action.at_ns;
    if (!yaml_child(node, "at")) (void)cron_fire(&planned->cron, &run, at_ns, planned->count);
    for (uint32_t i = 0; i < planned->count; i++) {
        struct firing *firing = &firings->all[firings->count];
        *firing = (struct firing){planned->action, node, firings->count};
        firing->action.at_ns = at_ns[i];
        firings->count++;
    }
    return true;
}

static enum ddbsim_status plan_all(struct reader *r, const struct yaml_node *list,
                                   const struct ddbsim_auto_scaling *scaling, struct firings *out) {
    struct planned *planned = arena_alloc(r->arena, list->count, sizeof *planned);
    if (!planned) return error_memory(r->error);
    uint32_t number = 0;
    size_t count = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, number++) {
        enum ddbsim_status status = plan_action(r, node, number + 1, scaling, &planned[number]);
        if (status) return status;
        count += planned[number].count;
        if (count > FIRINGS_MAX)
            return yaml_fail(r->error, node, "the actions fire more than %d times during the run",
                             FIRINGS_MAX);
    }
    out->all = arena_alloc(r->arena, count + 1, sizeof *out->all);
    number = 0;
    for (const struct yaml_node *node = list->first; node && out->all; node = node->next)
        if (!add_firings(r, node, &planned[number++], out)) return error_memory(r->error);
    return out->all ? DDBSIM_OK : error_memory(r->error);
}

static int by_time(const void *a, const void *b) {
    const struct firing *x = a, *y = b;
    if (x->action.at_ns != y->action.at_ns) return x->action.at_ns < y->action.at_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* New bounds over old ones; fails where the least would lie above the most. */
static enum ddbsim_status apply(struct reader *r, const struct firing *firing,
                                const char *direction, int64_t low, int64_t high,
                                struct ddbsim_target_tracking *policy) {
    if (low != AS_IT_WAS) policy->min_capacity = low;
    if (high != AS_IT_WAS) policy->max_capacity = high;
    if (policy->min_capacity <= policy->max_capacity) return DDBSIM_OK;
    enum ddbsim_status status =
        yaml_fail(r->error, firing->node,
                  "the action leaves a min_capacity of %lld above a max_capacity of %lld",
                  (long long)policy->min_capacity, (long long)policy->max_capacity);
    error_hint(r->error, "the bounds before it count too: let its `%s` say both", direction);
    return status;
}

static enum ddbsim_status read_actions(struct reader *r, const struct yaml_node *list,
                                       struct ddbsim_auto_scaling *out) {
    struct firings firings = {0};
    struct ddbsim_target_tracking read = out->read, write = out->write;
    if (!list || !list->count) return DDBSIM_OK;
    enum ddbsim_status status = plan_all(r, list, out, &firings);
    if (status) return status;
    CHECK(firings.all != NULL);
    qsort(firings.all, firings.count, sizeof *firings.all, by_time);
    struct ddbsim_scheduled_action *actions =
        arena_alloc(r->arena, firings.count + 1, sizeof *actions);
    if (!actions) return error_memory(r->error);
    for (uint32_t i = 0; i < firings.count && !status; i++) {
        const struct ddbsim_scheduled_action *action = &firings.all[i].action;
        actions[i] = *action;
        status = apply(r, &firings.all[i], "read", action->read_min, action->read_max, &read);
        if (!status)
            status =
                apply(r, &firings.all[i], "write", action->write_min, action->write_max, &write);
    }
    out->actions = actions;
    out->action_count = firings.count;
    return status;
}

static enum ddbsim_status read_auto_scaling(struct reader *r, const struct yaml_node *node,
                                            struct ddbsim_auto_scaling *out) {
    enum ddbsim_status status = read_policy(r, yaml_child(node, "write"), &out->write);
    if (!status) status = read_policy(r, yaml_child(node, "read"), &out->read);
    if (!status && !out->write.enabled && !out->read.enabled) {
        status = yaml_fail(r->error, node, "auto_scaling has no policy");
        error_hint(r->error,
                   "write `write: {min_capacity: 5, max_capacity: 400}`, `read`, or both");
    }
    return status ? status : read_actions(r, yaml_child(node, "scheduled_actions"), out);
}

/* ---- a home-made scaler ---- */

/* by or to: how far one step goes. */
static enum ddbsim_status read_step(struct reader *r, enum grammar_section section,
                                    const struct yaml_node *node, struct ddbsim_scaler_rule *out) {
    struct grammar_value by;
    out->to = read_int(r, section, node, "to", 0);
    if (out->to) return DDBSIM_OK;
    if (!read_value(r, section, node, "by", &by)) {
        enum ddbsim_status status = yaml_fail(r->error, node, "the rule does not say how far");
        error_hint(r->error, "write `by: 50%%`, `by: 2000` or `to: 70%%`");
        return status;
    }
    *(by.is_share ? &out->by_share : &out->by_units) = by.integer;
    return DDBSIM_OK;
}

static enum ddbsim_status read_up(struct reader *r, const struct yaml_node *node,
                                  struct ddbsim_scaler_rule *out) {
    if (!node) return DDBSIM_OK;
    out->enabled = true;
    out->threshold = read_int(r, SECTION_SCALE_UP, node, "above", -1);
    out->throttles = read_int(r, SECTION_SCALE_UP, node, "throttles", 0);
    if (out->threshold >= 0 || out->throttles) return read_step(r, SECTION_SCALE_UP, node, out);
    enum ddbsim_status status = yaml_fail(r->error, node, "the rule does not say when");
    error_hint(r->error, "write `above: 80%%`, `throttles: 1`, or both");
    return status;
}

static enum ddbsim_status read_down(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_scaler_rule *out) {
    if (!node) return DDBSIM_OK;
    out->enabled = true;
    out->threshold = read_int(r, SECTION_SCALE_DOWN, node, "below", -1);
    return read_step(r, SECTION_SCALE_DOWN, node, out);
}

static enum ddbsim_status check_multiple(struct reader *r, const struct yaml_node *node,
                                         const char *key, int64_t value_ns, int64_t unit_ns,
                                         const char *units) {
    if (value_ns % unit_ns == 0) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, key), "%s is no whole number of %s", key, units);
}

static enum ddbsim_status read_scaler(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_assumptions *model,
                                      struct ddbsim_scaler *out) {
    int64_t quota = model->quota_read < model->quota_write ? model->quota_read : model->quota_write;
    static const bool reads[] = {true, true, false}, writes[] = {true, false, true};
    int64_t direction = read_int(r, SECTION_SCALER, node, "direction", 0);
    out->enabled = true;
    out->reads = reads[direction];
    out->writes = writes[direction];
    out->every_ns = read_int(r, SECTION_SCALER, node, "every", 0);
    out->look_back_ns = read_int(r, SECTION_SCALER, node, "look_back", 0);
    out->throttle_veto = read_int(r, SECTION_SCALER, node, "throttle_veto", false);
    out->min_capacity = read_int(r, SECTION_SCALER, node, "min", 0);
    out->max_capacity = read_int(r, SECTION_SCALER, node, "max", quota);
    enum ddbsim_status status =
        check_bounds(r, node, out->min_capacity, out->max_capacity, "min", "max");
    if (!status) status = check_multiple(r, node, "every", out->every_ns, NS_PER_S, "seconds");
    if (!status)
        status = check_multiple(r, node, "look_back", out->look_back_ns, 60 * NS_PER_S, "minutes");
    if (!status) status = read_up(r, yaml_child(node, "up"), &out->up);
    if (!status) status = read_down(r, yaml_child(node, "down"), &out->down);
    if (!status && !out->up.enabled && !out->down.enabled)
        status = yaml_fail(r->error, node, "the scaler does nothing: write `up`, `down`, or both");
    return status;
}

/* ---- both ---- */

enum ddbsim_status read_scaling(struct reader *r, const struct yaml_node *owner,
                                enum ddbsim_billing billing, const struct ddbsim_assumptions *model,
                                struct ddbsim_auto_scaling *out) {
    const struct yaml_node *policies = yaml_child(owner, "auto_scaling");
    const struct yaml_node *scaler = yaml_child(owner, "scaler");
    const struct yaml_node *node = policies ? policies : scaler;
    if (!node) return DDBSIM_OK;
    if (billing == DDBSIM_PAY_PER_REQUEST) {
        enum ddbsim_status status =
            yaml_fail_key(r->error, node, "requests of a PAY_PER_REQUEST table buy no capacity");
        error_hint(r->error, "remove %s, or write billing_mode: PROVISIONED", node->key);
        return status;
    }
    return policies ? read_auto_scaling(r, policies, out)
                    : read_scaler(r, scaler, model, &out->scaler);
}
