/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Auto scaling. Sources: AWS developer guide, "Managing throughput capacity automatically with DynamoDB auto
 * scaling", metrics and dimensions (2 minutes above, 15 below); Application Auto Scaling user guide, target
 * tracking (cooldowns) and scheduled scaling; public alarms that auto scaling made (thresholds). Loops of the
 * user's own after dynamic-dynamodb and Cortex's table manager. M-93 to M-96.
 *
 * Target tracking sees what was consumed, not what was asked: once burst is gone a step can raise capacity by
 * no more than 1 / target.
 *
 * Invariant: what is asked for lies within the policy's bounds and is another capacity than there is.
 */
#include <model/scaling.h>

#include <model/control.h>
#include <stdio.h>
#include <stdlib.h>

#define MINUTE_S 60
#define MINUTE_NS (MINUTE_S * NS_PER_S)

/* Capacity of which `nano` consumed in so many seconds are a share: rounded up, at least 1. */
static int64_t capacity_for(int128 nano, int64_t seconds, int64_t share) {
    CHECK(seconds > 0 && share > 0);
    int128 whole = (int128)seconds * share;
    return larger((int64_t)((nano + whole - 1) / whole), 1);
}

static int64_t within(int64_t capacity, int64_t low, int64_t high) {
    CHECK(low >= 1 && low <= high);
    return larger(low, smaller(capacity, high));
}

static int64_t capacity_of(const struct scaling *scaling) {
    return scaling->resource->capacity[scaling->direction];
}

static void ask(struct model *model, struct scaling *scaling, int64_t capacity, const char *by,
                int64_t now_ns) {
    CHECK(capacity != capacity_of(scaling));
    scaling->sought = capacity;
    scaling->sought_more = capacity > capacity_of(scaling);
    scaling->asked_ns = now_ns;
    control_scale(model, scaling->resource, scaling->direction, capacity, by, now_ns);
}

/* ---- target tracking ---- */

/* A cooldown runs from the moment when the capacity acted. A larger step out does not wait for one, nor does
 * any step for the cooldown of the other kind (M-94). */
static bool cools_down(const struct scaling *scaling, bool out, int64_t wanted, int64_t now_ns) {
    const struct ddbsim_target_tracking *policy = &scaling->policy;
    if (scaling->sought == 0 || scaling->sought_more != out) return false;
    int64_t since_ns = larger(scaling->resource->since_ns[scaling->direction], scaling->asked_ns);
    if (out) return now_ns < since_ns + policy->scale_out_cooldown_ns && wanted <= scaling->sought;
    return now_ns < since_ns + policy->scale_in_cooldown_ns;
}

void scaling_act(struct model *model, struct scaling *scaling, bool out, double consumed,
                 int64_t now_ns) {
    const struct ddbsim_target_tracking *policy = &scaling->policy;
    CHECK(scaling->tracks && consumed >= 0);
    if (!resource_exists(scaling->resource) ||
        control_is_busy(model, scaling->resource, scaling->direction))
        return;
    int64_t nano = (int64_t)(consumed * (double)NANO + 0.5);
    int64_t wanted = within(capacity_for(nano, MINUTE_S, policy->target), policy->min_capacity,
                            policy->max_capacity);
    bool helps = out ? wanted > capacity_of(scaling) : wanted < capacity_of(scaling);
    if (helps && !cools_down(scaling, out, wanted, now_ns))
        ask(model, scaling, wanted, "target_tracking", now_ns);
}

double scaling_threshold(const struct scaling *scaling, bool out) {
    int64_t share = scaling->policy.target;
    if (!out) share = larger(0, share - scaling->resource->model->scale_in_margin);
    return (double)share / (double)DDBSIM_SHARE_ONE;
}

bool scaling_sees_idle(const struct scaling *scaling) {
    return scaling->resource->model->idle_metric == DDBSIM_IDLE_ZERO;
}

/* ---- bounds ---- */

static void keep_within(struct model *model, struct scaling *scaling, const char *by,
                        int64_t now_ns) {
    if (!scaling->policy.enabled || scaling->resource->on_demand) return;
    if (!resource_exists(scaling->resource)) return;
    int64_t wanted =
        within(capacity_of(scaling), scaling->policy.min_capacity, scaling->policy.max_capacity);
    if (wanted != capacity_of(scaling)) ask(model, scaling, wanted, by, now_ns);
}

void scaling_begin(struct model *model) {
    for (uint32_t i = 0; i < model->scaling_count; i++)
        keep_within(model, &model->scalings[i], "policy", loop_now(model->loop));
}

/* Of two bounds that contradict each other. */
static void give_way(struct ddbsim_target_tracking *policy, bool most_holds) {
    if (policy->min_capacity <= policy->max_capacity) return;
    if (most_holds)
        policy->min_capacity = policy->max_capacity;
    else
        policy->max_capacity = policy->min_capacity;
}

static struct scaling *scaling_of(struct model *model, const struct resource *resource,
                                  enum direction direction) {
    for (uint32_t i = 0; i < model->scaling_count; i++)
        if (model->scalings[i].resource == resource && model->scalings[i].direction == direction)
            return &model->scalings[i];
    return NULL;
}

/* A bound that no change names holds on as a scheduled action may have left it; one that is new and
 * contradicts it drives it away. */
static void follow_policy(struct ddbsim_target_tracking *policy,
                          const struct ddbsim_target_tracking *is) {
    struct ddbsim_target_tracking was = *policy;
    *policy = *is;
    if (!was.enabled || !is->enabled) return;
    if (!is->says_min) policy->min_capacity = was.min_capacity;
    if (!is->says_max) policy->max_capacity = was.max_capacity;
    give_way(policy, is->says_max);
}

static void follow(struct model *model, struct resource *resource,
                   const struct ddbsim_auto_scaling *after, int64_t now_ns) {
    const struct ddbsim_target_tracking *is[DIRECTIONS] = {&after->read, &after->write};
    for (int d = 0; d < DIRECTIONS; d++) {
        struct scaling *scaling = scaling_of(model, resource, (enum direction)d);
        if (!scaling) continue;
        follow_policy(&scaling->policy, is[d]);
        scaling->scaler = after->scaler;
        keep_within(model, scaling, "policy", now_ns);
    }
}

void scaling_follow(struct model *model, struct table *table, const struct ddbsim_table *spec,
                    int64_t now_ns) {
    CHECK(spec->index_count == table->index_count);
    follow(model, &table->resource, &spec->scaling, now_ns);
    for (uint32_t i = 0; i < spec->index_count; i++)
        follow(model, &model->indexes[table->first_index + i].resource, &spec->indexes[i].scaling,
               now_ns);
    table->followed = spec;
}

/* ---- scheduled actions ---- */

static const struct ddbsim_auto_scaling *spec_of(const struct model *model, uint32_t number,
                                                 struct resource **resource) {
    *resource = model->resources[number];
    const struct table *table = &model->tables[(*resource)->table];
    uint32_t index = number - table->resource.number;
    return index == 0 ? &table->followed->scaling : &table->followed->indexes[index - 1].scaling;
}

static void tell_bounds(struct model *model, const struct scaling *scaling, int64_t now_ns) {
    struct note note = {
        .kind = DDBSIM_EVENT_SCALE_BOUNDS, .t_ns = now_ns, .resource = scaling->resource->number};
    snprintf(note.detail, sizeof note.detail, "{\"direction\":\"%s\",\"min\":%lld,\"max\":%lld}",
             scaling->direction == WRITE ? "write" : "read",
             (long long)scaling->policy.min_capacity, (long long)scaling->policy.max_capacity);
    model_note(model, &note);
}

/* Where only one bound is given, the other gives way. */
static void set_bounds(struct model *model, struct scaling *scaling, int64_t low, int64_t high,
                       int64_t now_ns) {
    struct ddbsim_target_tracking *policy = &scaling->policy;
    if (!policy->enabled || (low < 0 && high < 0)) return;
    if (low >= 0) policy->min_capacity = low;
    if (high >= 0) policy->max_capacity = high;
    give_way(policy, high >= 0);
    tell_bounds(model, scaling, now_ns);
    keep_within(model, scaling, "scheduled_action", now_ns);
}

static void on_scheduled(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    struct resource *resource;
    const struct ddbsim_auto_scaling *spec = spec_of(model, event->b, &resource);
    if (event->a >= spec->action_count) return; /* the table went without its scaling meanwhile */
    const struct ddbsim_scheduled_action *action = &spec->actions[event->a];
    struct scaling *read = scaling_of(model, resource, READ);
    struct scaling *write = scaling_of(model, resource, WRITE);
    if (read) set_bounds(model, read, action->read_min, action->read_max, now_ns);
    if (write) set_bounds(model, write, action->write_min, action->write_max, now_ns);
}

void scaling_handle(struct model *model) {
    uint32_t kind = model->options.first_event_kind + MODEL_SCHEDULED;
    loop_handle(model->loop, kind, on_scheduled);
    for (uint32_t r = 0; r < model->resource_count; r++) {
        struct resource *resource;
        const struct ddbsim_auto_scaling *spec = spec_of(model, r, &resource);
        for (uint32_t a = 0; a < spec->action_count; a++)
            loop_schedule(model->loop, spec->actions[a].at_ns, LOOP_CONTROL, kind, a, r);
    }
}

/* ---- loops of the user's own ---- */

void scaling_close_minute(struct model *model, int64_t end_s) {
    for (uint32_t i = 0; i < model->scaling_count; i++) {
        struct scaling *scaling = &model->scalings[i];
        if (scaling->tracks || !resource_exists(scaling->resource)) continue;
        const struct resource_minute *minute = &scaling->resource->minute;
        scaling->minutes[scaling->minute_count++ % scaling->minute_size] =
            (struct scaling_minute){.nano = minute->consumed[scaling->direction].sum_nano,
                                    .throttles = minute->throttled[scaling->direction]};
        scaling->last_end_s = end_s;
    }
}

/* What was consumed and refused in so many seconds. A day of a large table is more than 64 bits hold. */
struct looked {
    int128 nano;
    uint64_t throttles;
    int64_t seconds;
};

/* What CloudWatch has of the look-back by now; false where that is nothing. */
static bool look_back(const struct scaling *scaling, int64_t now_s, struct looked *sum) {
    int64_t delay_ns = scaling->resource->model->metric_delay_ns;
    int64_t known_s = now_s - (delay_ns + NS_PER_S - 1) / NS_PER_S, end_s = scaling->last_end_s;
    int64_t most = scaling->scaler.look_back_ns / MINUTE_NS;
    uint64_t number = scaling->minute_count;
    *sum = (struct looked){0};
    for (; number > 0 && end_s > known_s; number--)
        end_s -= MINUTE_S;
    for (; number > 0 && sum->seconds < most * MINUTE_S; number--, sum->seconds += MINUTE_S) {
        const struct scaling_minute *minute =
            &scaling->minutes[(number - 1) % scaling->minute_size];
        sum->nano += minute->nano;
        sum->throttles += minute->throttles;
    }
    CHECK(sum->seconds <= (int64_t)scaling->minute_size * MINUTE_S && sum->nano >= 0);
    return sum->seconds > 0;
}

/* Is the consumption beyond a share of the capacity? */
static int compare_use(const struct scaling *scaling, const struct looked *sum, int64_t share) {
    int128 bound = (int128)capacity_of(scaling) * sum->seconds * share;
    return (sum->nano > bound) - (sum->nano < bound);
}

static int64_t step(const struct scaling *scaling, const struct ddbsim_scaler_rule *rule, bool up,
                    const struct looked *sum) {
    int64_t capacity = capacity_of(scaling);
    if (rule->to > 0) return capacity_for(sum->nano, sum->seconds, rule->to);
    int64_t by = rule->by_units;
    if (by == 0) {
        int128 whole = (int128)capacity * rule->by_share + DDBSIM_SHARE_ONE - 1;
        by = (int64_t)(whole / DDBSIM_SHARE_ONE);
    }
    return up ? capacity + by : capacity - by;
}

static int64_t sought_by_loop(const struct scaling *scaling, const struct looked *sum) {
    const struct ddbsim_scaler *scaler = &scaling->scaler;
    const struct ddbsim_scaler_rule *up = &scaler->up, *down = &scaler->down;
    int64_t capacity = capacity_of(scaling), sought = capacity;
    bool rises =
        up->enabled && ((up->threshold >= 0 && compare_use(scaling, sum, up->threshold) > 0) ||
                        (up->throttles > 0 && sum->throttles >= (uint64_t)up->throttles));
    bool falls = down->enabled && compare_use(scaling, sum, down->threshold) < 0 &&
                 !(scaler->throttle_veto && sum->throttles > 0);
    if (rises) sought = step(scaling, up, true, sum);
    if (!rises && falls) sought = step(scaling, down, false, sum);
    /* It does not bring inside its bounds what it found outside: no rule goes the other way. */
    sought = within(sought, scaler->min_capacity, scaler->max_capacity);
    if (rises) return larger(capacity, sought);
    return falls ? smaller(capacity, sought) : capacity;
}

void scaling_tick(struct model *model, int64_t end_s) {
    for (uint32_t i = 0; i < model->scaling_count; i++) {
        struct scaling *scaling = &model->scalings[i];
        struct looked sum;
        if (!resource_exists(scaling->resource)) continue;
        if (!scaling->scaler.enabled || end_s % (scaling->scaler.every_ns / NS_PER_S) != 0)
            continue;
        if (scaling->resource->on_demand || !look_back(scaling, end_s, &sum) ||
            control_is_busy(model, scaling->resource, scaling->direction))
            continue;
        int64_t sought = sought_by_loop(scaling, &sum);
        if (sought != capacity_of(scaling)) ask(model, scaling, sought, "scaler", end_s * NS_PER_S);
    }
}

/* ---- life ---- */

static bool scaling_init(struct model *model, struct resource *resource,
                         const struct ddbsim_auto_scaling *spec, enum direction direction) {
    const struct ddbsim_target_tracking *policy = direction == WRITE ? &spec->write : &spec->read;
    bool looped =
        spec->scaler.enabled && (direction == WRITE ? spec->scaler.writes : spec->scaler.reads);
    if (!policy->enabled && !looped) return true;
    CHECK(!policy->enabled || !looped);
    struct scaling *scaling = &model->scalings[model->scaling_count++];
    int64_t delay_s = resource->model->metric_delay_ns / NS_PER_S;
    *scaling = (struct scaling){
        .resource = resource,
        .direction = direction,
        .tracks = policy->enabled,
        .policy = *policy,
        .scaler = spec->scaler,
    };
    if (scaling->tracks) return true;
    scaling->minute_size =
        (uint32_t)(spec->scaler.look_back_ns / MINUTE_NS + delay_s / MINUTE_S + 2);
    scaling->minutes = calloc(scaling->minute_size, sizeof *scaling->minutes);
    return scaling->minutes != NULL;
}

bool scaling_create(struct model *model) {
    CHECK(model->scaling_count == 0);
    model->scalings =
        calloc(DIRECTIONS * (size_t)model->resource_count + 1, sizeof *model->scalings);
    if (!model->scalings) return false;
    for (uint32_t r = 0; r < model->resource_count; r++) {
        struct resource *resource;
        const struct ddbsim_auto_scaling *spec = spec_of(model, r, &resource);
        if (!scaling_init(model, resource, spec, READ) ||
            !scaling_init(model, resource, spec, WRITE))
            return false;
    }
    return true;
}

void scaling_destroy(struct model *model) {
    for (uint32_t i = 0; i < model->scaling_count; i++)
        free(model->scalings[i].minutes);
    free(model->scalings);
}
