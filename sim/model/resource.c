/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits a table or index as a whole.
 *
 * Provisioned: a bucket for the whole resource, refilled at the provisioned rate, that keeps what is unused
 * for 300 s (AWS developer guide, burst and adaptive capacity; rule M-30): routers admit against a global
 * count (Elhemali et al., 2022). Before that each partition admitted by a share of its own (M-34).
 *
 * On-demand: what it has grown to, the maximum that its owner set, the account's quota, each a bucket of a
 * second (AWS developer guide, on-demand capacity mode; rules M-42 to M-45).
 */
#include <model/resource.h>

#include <stdlib.h>

struct space_limits resource_limits(const struct ddbsim_assumptions *model) {
    return (struct space_limits){
        .rates = {model->partition_read_limit, model->partition_write_limit},
        .replica_rate = model->replica_read_limit,
        .depth_ns = model->partition_burst_ns,
        .bytes = model->partition_bytes,
        .initial_rule = model->initial_rule,
        .coupled = model->rw_coupled == DDBSIM_ON,
    };
}

/* Without a window a bucket still holds one second of its rate: a second's unevenness is no excess. What no
 * int64_t holds, an hour of millions of units a second, stays at its largest. */
static struct bucket_rule rule_for(int64_t rate, int64_t window_ns) {
    int64_t depth_ns = window_ns > NS_PER_S ? window_ns : NS_PER_S, cap_nano;
    if (__builtin_mul_overflow(rate, depth_ns, &cap_nano)) cap_nano = INT64_MAX;
    return (struct bucket_rule){rate, cap_nano};
}

/* Its own bucket's, for a capacity; in a fault nothing is kept beyond a second. */
static struct bucket_rule rule_now(const struct resource *resource, int64_t capacity,
                                   int64_t window_ns) {
    struct serving serving = resource->serving;
    CHECK_DEBUG(serving.parts >= 1 && serving.parts <= serving.of);
    return rule_for(capacity * serving.parts, serving.of > 1 ? NS_PER_S : window_ns);
}

/* ---- how many partitions ---- */

static struct growth_start growth_start_of(const struct resource_options *options) {
    return (struct growth_start){
        .initial = {options->model->on_demand_read, options->model->on_demand_write},
        .warm = {options->warm.read, options->warm.write},
        .peak = {options->peak.read, options->peak.write},
    };
}

static int64_t count_for_warm(const struct resource_options *options,
                              const struct space_limits *limits) {
    struct space_limits rule = *limits;
    rule.initial_rule =
        options->model->warm_rule == DDBSIM_WARM_SUM ? DDBSIM_INITIAL_SUM : DDBSIM_INITIAL_MAX;
    return space_initial_count(&rule, options->warm.read, options->warm.write, 0);
}

/* What an on-demand table serves at its start needs partitions, and so does what is warm (M-21, M-44). */
static int64_t count_for_traffic(const struct resource_options *options,
                                 const struct space_limits *limits) {
    int64_t for_warm = count_for_warm(options, limits);
    if (!options->on_demand)
        return larger(
            space_initial_count(limits, options->capacity[READ], options->capacity[WRITE], 0),
            for_warm);
    struct growth growth;
    const struct growth_start start = growth_start_of(options);
    growth_init(&growth, options->model, &start);
    return larger(space_count_for(limits, growth.rule[READ], growth.rule[WRITE]), for_warm);
}

int64_t resource_partition_count(const struct resource_options *options) {
    if (options->partitions > 0) return options->partitions;
    struct space_limits limits = resource_limits(options->model);
    return larger(count_for_traffic(options, &limits),
                  space_initial_count(&limits, 0, 0, options->bytes));
}

/* ---- life ---- */

static void on_demand_begin(struct resource *resource, const struct growth_start *start,
                            int64_t now_ns) {
    const struct ddbsim_assumptions *model = resource->model;
    const int64_t quota[DIRECTIONS] = {model->quota_read, model->quota_write};
    growth_init(&resource->growth, model, start);
    resource->on_demand = true;
    resource->window_ns = model->on_demand_burst_ns;
    for (int d = 0; d < DIRECTIONS; d++) {
        resource->quota_rules[d] = rule_for(quota[d], resource->window_ns);
        bucket_fill(&resource->quota[d], now_ns, resource->quota_rules[d].cap_nano);
        bucket_fill(&resource->maximum[d], now_ns, resource->maximum_rules[d].cap_nano);
        resource->capacity[d] = resource_on_demand_limit(resource, (enum direction)d);
        resource->told_limit[d] = resource->capacity[d];
        resource->most[d] = larger(resource->most[d], resource->capacity[d]);
        resource->rules[d] = rule_now(resource, resource->capacity[d], resource->window_ns);
        bucket_fill(&resource->buckets[d], now_ns, resource->rules[d].cap_nano);
    }
}

/* What routers were handed must last them as long, so a bucket holds that much. */
static int64_t retention_ns(const struct resource *resource) {
    return larger(resource->window_ns, resource->grants ? resource->model->gac_refill_ns : 0);
}

static void provisioned_begin(struct resource *resource, const struct resource_options *options,
                              int64_t now_ns) {
    int64_t share = options->is_new ? options->model->burst_at_creation : options->burst.initial;
    for (int d = 0; d < DIRECTIONS; d++) {
        CHECK(options->capacity[d] >= 1);
        resource->capacity[d] = resource->most[d] = options->capacity[d];
        resource->rules[d] = rule_now(resource, options->capacity[d], retention_ns(resource));
        int128 level = (int128)resource->rules[d].cap_nano * share / DDBSIM_SHARE_ONE;
        bucket_fill(&resource->buckets[d], now_ns, (int64_t)level);
    }
    if (resource->allocations)
        allocations_share(resource->allocations, resource->space.count, resource->rules, share,
                          now_ns);
}

static void allocations_destroy(struct resource *resource) {
    if (resource->shares) allocations_deinit(resource->shares);
    free(resource->shares);
    resource->shares = resource->allocations = NULL;
}

static bool allocations_create(struct resource *resource) {
    const struct ddbsim_assumptions *model = resource->model;
    if (model->admission == DDBSIM_ADMISSION_GAC) return true;
    resource->shares = calloc(1, sizeof *resource->shares);
    if (!resource->on_demand) resource->allocations = resource->shares;
    return resource->shares && allocations_init(resource->shares, resource->space.count,
                                                model->admission == DDBSIM_ADMISSION_ADAPTIVE,
                                                model->adaptive_delay_ns);
}

static bool nodes_create(struct resource *resource) {
    const struct ddbsim_assumptions *model = resource->model;
    if (model->node_limit == 0) return true;
    resource->nodes = calloc(1, sizeof *resource->nodes);
    return resource->nodes && nodes_init(resource->nodes, resource->space.count, model->node_limit,
                                         model->node_partitions, model->partition_burst_ns);
}

/* Routers are as old as global admission control; what is paid for by request is not theirs to ration. */
static bool grants_create(struct resource *resource, int64_t now_ns) {
    const struct ddbsim_assumptions *model = resource->model;
    if (model->gac_refill_ns == 0 || model->admission != DDBSIM_ADMISSION_GAC) return true;
    resource->grants = calloc(1, sizeof *resource->grants);
    if (!resource->grants) return false;
    grants_init(resource->grants, model->gac_refill_ns, (uint32_t)model->routers, now_ns);
    return true;
}

/* Provisioned, and nothing but two buckets refuses: the hot path asks this once. */
static void usual_update(struct resource *resource) {
    resource->is_usual = !resource->unlimited && !resource->on_demand && !resource->is_special &&
                         !resource->is_divided && !resource->grants && !resource->is_faulty &&
                         !resource->leaks;
    CHECK(!resource->is_usual || (!resource->is_strict && !resource->allocations));
}

bool resource_init(struct resource *resource, const struct resource_options *options,
                   int64_t now_ns) {
    *resource = (struct resource){
        .table_name = options->table_name,
        .index_name = options->index_name,
        .number = options->number,
        .presence = options->presence,
        .unlimited = options->unlimited,
        .on_demand = options->on_demand,
        .is_strict = options->model->token_debt == DDBSIM_TOKENS_STRICT,
        .is_divided =
            options->model->admission != DDBSIM_ADMISSION_GAC || options->model->node_limit > 0,
        .leaks = options->model->token_leak == DDBSIM_ON,
        .window_ns = options->burst.window_ns,
        .burst_window_ns = options->burst.window_ns,
        .warm = options->warm,
        .model = options->model,
        .decreases = {.last_ns = TIME_NEVER},
        .serving = {1, 1},
    };
    const struct space_limits limits = resource_limits(options->model);
    const int64_t maximum[DIRECTIONS] = {options->maximum.read, options->maximum.write};
    for (int d = 0; d < DIRECTIONS; d++) {
        resource->maximum_rules[d] = rule_for(maximum[d], options->model->on_demand_burst_ns);
        resource->last_refusal_ns[d] = resource->burst_noted_ns[d] = TIME_NEVER;
        resource->written_level_nano[d] = INT64_MIN;
    }
    if (!space_init(&resource->space, (uint32_t)resource_partition_count(options), &limits,
                    now_ns) ||
        !splitting_init(&resource->splitting, resource->space.count, options->model,
                        options->split_stream, options->whole_collections) ||
        !allocations_create(resource) || !nodes_create(resource) ||
        !grants_create(resource, now_ns))
        return false;
    resource->is_special = resource->is_strict || space_is_coupled(&resource->space) ||
                           resource->space.leader_is_bound;
    resource->splitting.keeps_size =
        options->partitions > 0 && options->bytes / options->partitions >= limits.bytes;
    if (options->on_demand) {
        const struct growth_start start = growth_start_of(options);
        on_demand_begin(resource, &start, now_ns);
    } else {
        provisioned_begin(resource, options, now_ns);
    }
    usual_update(resource);
    return true;
}

void resource_deinit(struct resource *resource) {
    space_deinit(&resource->space);
    splitting_deinit(&resource->splitting);
    allocations_destroy(resource);
    if (resource->nodes) nodes_deinit(resource->nodes);
    free(resource->nodes);
    free(resource->grants);
}

/* ---- changes ---- */

void resource_set_capacity(struct resource *resource, enum direction direction, int64_t capacity,
                           int64_t now_ns) {
    CHECK(capacity >= 1);
    bool reset = !resource->on_demand && resource->model->capacity_tokens == DDBSIM_TOKENS_RESET;
    int64_t depth_ns = resource->on_demand ? resource->window_ns : retention_ns(resource);
    bucket_change(&resource->buckets[direction], &resource->rules[direction], reset, now_ns,
                  rule_now(resource, capacity, depth_ns));
    resource->capacity[direction] = capacity;
    resource->since_ns[direction] = now_ns;
    resource->most[direction] = larger(resource->most[direction], capacity);
    if (resource->allocations)
        allocations_change(resource->allocations, resource->space.count, resource->rules, reset,
                           now_ns);
}

void resource_set_faulty(struct resource *resource, bool is_faulty) {
    resource->is_faulty = is_faulty;
    usual_update(resource);
}

/* The level is counted anew; what does not fit is lost, and debts stay. */
void resource_serve(struct resource *resource, struct serving serving, int64_t now_ns) {
    CHECK(serving.parts >= 1 && serving.parts <= serving.of && !resource->allocations);
    int64_t before = resource->serving.of;
    resource->serving = serving;
    for (int d = 0; d < DIRECTIONS; d++) {
        struct bucket *bucket = &resource->buckets[d];
        bucket_refill(bucket, &resource->rules[d], now_ns);
        int128 level = (int128)bucket->level_nano / before * serving.of;
        int64_t depth_ns = resource->on_demand ? resource->window_ns : retention_ns(resource);
        resource->rules[d] = rule_now(resource, resource->capacity[d], depth_ns);
        bucket_fill(bucket, now_ns,
                    level < resource->rules[d].cap_nano ? (int64_t)level
                                                        : resource->rules[d].cap_nano);
        if (resource->grants) resource->grants->expire_ns[d] = now_ns;
    }
}

double resource_limit(const struct resource *resource, enum direction direction) {
    double capacity = (double)resource->capacity[direction];
    return capacity * (double)resource->serving.parts / (double)resource->serving.of;
}

int64_t resource_level_nano(const struct resource *resource, enum direction direction) {
    return resource->buckets[direction].level_nano / resource->serving.of;
}

void resource_steal(struct resource *resource, int64_t now_ns) {
    int64_t share = resource->model->burst_steal_rate;
    CHECK(share >= 0 && share <= DDBSIM_SHARE_ONE);
    if (share == 0 || resource->on_demand) return;
    for (int d = 0; d < DIRECTIONS; d++)
        bucket_steal(&resource->buckets[d], &resource->rules[d], resource->rules[d].rate * share,
                     now_ns);
    if (resource->allocations)
        allocations_steal(resource->allocations, resource->space.count, share, now_ns);
}

int64_t resource_on_demand_limit(const struct resource *resource, enum direction direction) {
    int64_t rule = resource->growth.rule[direction];
    int64_t partitions = resource->space.count * resource->space.rules[direction].rate;
    switch ((enum ddbsim_on_demand_growth)resource->model->on_demand_growth) {
    case DDBSIM_GROWTH_RULE:
        return rule;
    case DDBSIM_GROWTH_SPLITS:
        return partitions;
    case DDBSIM_GROWTH_BOTH:
        break;
    }
    CHECK(rule >= 1 && partitions >= 1);
    return smaller(rule, partitions);
}

void resource_set_mode(struct resource *resource, bool on_demand,
                       const int64_t capacity[DIRECTIONS], int64_t now_ns) {
    CHECK(on_demand != resource->on_demand);
    if (on_demand) {
        const struct ddbsim_assumptions *model = resource->model;
        const struct growth_start start = {
            .initial = {larger(model->on_demand_read, resource->most[READ]),
                        larger(model->on_demand_write, resource->most[WRITE])},
            .warm = {resource->warm.read, resource->warm.write},
        };
        resource->allocations = NULL;
        on_demand_begin(resource, &start, now_ns);
        usual_update(resource);
        return;
    }
    resource->on_demand = false;
    resource->window_ns = resource->burst_window_ns;
    for (int d = 0; d < DIRECTIONS; d++)
        resource_set_capacity(resource, (enum direction)d, capacity[d], now_ns);
    resource->allocations = resource->shares;
    if (resource->allocations)
        allocations_share(resource->allocations, resource->space.count, resource->rules, 0, now_ns);
    usual_update(resource);
}

/* ---- admission ---- */

static bool is_empty(struct bucket *bucket, const struct bucket_rule *rule, int64_t need_nano,
                     int64_t now_ns) {
    return rule->rate > 0 && !bucket_admits(bucket, rule, need_nano, now_ns);
}

uint32_t resource_on_demand_short(struct resource *resource, enum direction d, int64_t need_nano,
                                  int64_t now_ns) {
    bool outgrown = is_empty(&resource->buckets[d], &resource->rules[d],
                             need_nano * resource->serving.of, now_ns);
    bool maximum = is_empty(&resource->maximum[d], &resource->maximum_rules[d], need_nano, now_ns);
    bool quota = is_empty(&resource->quota[d], &resource->quota_rules[d], need_nano, now_ns);
    if (resource->unlimited) return 0;
    return (outgrown ? REFUSAL_BIT(REFUSAL_KEY_RANGE) : 0) |
           (maximum ? REFUSAL_BIT(REFUSAL_MAX_ON_DEMAND) : 0) |
           (quota ? REFUSAL_BIT(REFUSAL_ACCOUNT) : 0);
}

void resource_on_demand_take(struct resource *resource, enum direction d, int64_t cost_nano) {
    bucket_take(&resource->quota[d], cost_nano);
    if (resource->maximum_rules[d].rate > 0) bucket_take(&resource->maximum[d], cost_nano);
}

static bool leak(struct bucket *bucket, const struct bucket_rule *rule, int64_t need_nano,
                 int64_t cost_nano, int64_t now_ns) {
    if (rule->rate == 0) return true;
    if (!bucket_admits(bucket, rule, need_nano, now_ns)) return false;
    bucket_take(bucket, cost_nano);
    return true;
}

bool resource_leak(struct resource *resource, enum direction d, int64_t cost_nano, int64_t now_ns) {
    int64_t need = resource_need(resource, cost_nano);
    CHECK(!resource->unlimited);
    if (resource->allocations) return true;
    if (resource->on_demand &&
        (!leak(&resource->quota[d], &resource->quota_rules[d], need, cost_nano, now_ns) ||
         !leak(&resource->maximum[d], &resource->maximum_rules[d], need, cost_nano, now_ns)))
        return false;
    int64_t of = resource->serving.of;
    return leak(&resource->buckets[d], &resource->rules[d], need * of, cost_nano * of, now_ns);
}

void resource_specialize(const struct resource *resource, struct demand *demand, bool is_eventual) {
    const struct space *space = &resource->space;
    enum direction d = (enum direction)demand->direction;
    if (demand->replica == 0) {
        demand->lane = space->lanes[d];
        demand->is_bound = is_eventual && space->leader_is_bound;
        demand->cost_nano = space_lane_cost(space, d, demand->cost_nano);
    }
    demand->need_nano = resource_need(resource, demand->cost_nano);
    CHECK(demand->need_nano >= 1);
}

static struct node_demand of_node(const struct demand *demand) {
    return (struct node_demand){demand->slot, (enum direction)demand->direction, demand->replica,
                                demand->units_nano};
}

/* Only burst needs the node; who has no share of the capacity lives by burst. */
static bool node_short(struct resource *resource, const struct demand *demand, int64_t now_ns) {
    const struct node_demand of = of_node(demand);
    bool admits = nodes_admit(resource->nodes, &of, resource->is_strict, now_ns);
    bool has_share = resource->allocations &&
                     allocations_without_burst(resource->allocations, of.slot, of.direction,
                                               resource_need(resource, of.units_nano), now_ns);
    return !admits && !has_share;
}

bool resource_divided_short(struct resource *resource, const struct demand *demand,
                            int64_t now_ns) {
    bool is_short =
        resource->allocations &&
        !allocations_admit(resource->allocations, demand->slot, (enum direction)demand->direction,
                           resource_need(resource, demand->units_nano), now_ns);
    return (resource->nodes && node_short(resource, demand, now_ns)) || is_short;
}

void resource_divided_take(struct resource *resource, const struct demand *demand) {
    if (resource->allocations)
        allocations_take(resource->allocations, demand->slot, (enum direction)demand->direction,
                         demand->units_nano);
    if (!resource->nodes) return;
    const struct node_demand of = of_node(demand);
    nodes_take(resource->nodes, &of);
}

/* ---- when it may go on ---- */

int64_t resource_ready_ns(struct resource *resource, enum direction d, int64_t need_nano,
                          int64_t now_ns) {
    if (resource->allocations) return now_ns;
    int64_t ready_ns = bucket_ready_ns(&resource->buckets[d], &resource->rules[d],
                                       need_nano * resource->serving.of, now_ns);
    if (!resource->on_demand) return ready_ns;
    ready_ns = larger(ready_ns, bucket_ready_ns(&resource->quota[d], &resource->quota_rules[d],
                                                need_nano, now_ns));
    if (resource->maximum_rules[d].rate == 0) return ready_ns;
    return larger(ready_ns, bucket_ready_ns(&resource->maximum[d], &resource->maximum_rules[d],
                                            need_nano, now_ns));
}

int64_t resource_partition_ready_ns(struct resource *resource, const struct demand *demand,
                                    int64_t now_ns) {
    const struct bucket_rule *rule;
    struct bucket *bucket = resource_bucket(resource, demand, &rule);
    enum direction d = (enum direction)demand->direction;
    int64_t ready_ns = bucket_ready_ns(bucket, rule, demand->need_nano, now_ns);
    CHECK(!demand->is_bound); /* no read waits */
    if (resource->allocations)
        ready_ns = larger(
            ready_ns, allocations_ready_ns(resource->allocations, demand->slot, d,
                                           resource_need(resource, demand->units_nano), now_ns));
    if (resource->nodes) {
        const struct node_demand of = of_node(demand);
        int64_t node_ns = nodes_ready_ns(resource->nodes, &of, resource->is_strict, now_ns);
        if (resource->allocations)
            node_ns = smaller(node_ns, allocations_second_ready_ns(
                                           resource->allocations, demand->slot, d,
                                           resource_need(resource, demand->units_nano), now_ns));
        ready_ns = larger(ready_ns, node_ns);
    }
    return ready_ns;
}

int64_t resource_most(const struct resource *resource, uint32_t slot) {
    const struct space *space = &resource->space;
    int64_t most = space->rules[WRITE].cap_nano;
    CHECK(slot < space->count);
    if (space_is_coupled(space))
        most = smaller(most, (int64_t)((int128)space->rules[READ].cap_nano *
                                       space->rules[WRITE].rate / space->rules[READ].rate));
    if (resource->allocations)
        most = smaller(most, allocations_most(resource->allocations, slot, WRITE));
    else
        most = smaller(most, resource->rules[WRITE].cap_nano / resource->serving.of);
    if (resource->nodes) most = smaller(most, nodes_most(resource->nodes, WRITE));
    if (!resource->on_demand) return most;
    most = smaller(most, resource->quota_rules[WRITE].cap_nano);
    int64_t maximum = resource->maximum_rules[WRITE].cap_nano;
    return maximum > 0 ? smaller(most, maximum) : most;
}
