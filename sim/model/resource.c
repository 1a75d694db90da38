/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Provisioned capacity with burst: one bucket a direction for the whole resource, refilled at the
 * provisioned rate, that keeps what is unused for 300 s (AWS developer guide, burst and adaptive
 * capacity; rule M-30). The bucket is of the resource, not of its partitions: routers admit against a
 * global count (Elhemali et al., 2022).
 */
#include <model/resource.h>

/* Without a window a bucket still holds one second of its rate: a second's unevenness is no excess. */
static struct bucket_rule rule_for(int64_t capacity, int64_t window_ns) {
    int64_t depth_ns = window_ns > NS_PER_S ? window_ns : NS_PER_S;
    return (struct bucket_rule){capacity, capacity * depth_ns};
}

int64_t resource_partition_count(const struct resource_options *options) {
    if (options->partitions > 0) return options->partitions;
    return space_initial_count(&options->limits, options->capacity[READ], options->capacity[WRITE],
                               options->bytes);
}

bool resource_init(struct resource *resource, const struct resource_options *options,
                   int64_t now_ns) {
    *resource = (struct resource){
        .table_name = options->table_name,
        .index_name = options->index_name,
        .number = options->number,
        .unlimited = options->unlimited,
        .window_ns = options->burst.window_ns,
    };
    for (int d = 0; d < DIRECTIONS; d++) {
        CHECK(options->capacity[d] >= 1);
        resource->capacity[d] = options->capacity[d];
        resource->rules[d] = rule_for(options->capacity[d], options->burst.window_ns);
        int64_t share = options->is_new ? 0 : options->burst.initial;
        int128 level = (int128)resource->rules[d].cap_nano * share / DDBSIM_SHARE_ONE;
        bucket_fill(&resource->buckets[d], now_ns, (int64_t)level);
        resource->last_refusal_ns[d] = resource->burst_noted_ns[d] = TIME_NEVER;
        resource->written_level_nano[d] = INT64_MIN;
    }
    return space_init(&resource->space, (uint32_t)resource_partition_count(options),
                      &options->limits, now_ns);
}

void resource_deinit(struct resource *resource) { space_deinit(&resource->space); }

void resource_set_capacity(struct resource *resource, enum direction direction, int64_t capacity,
                           int64_t now_ns) {
    CHECK(capacity >= 1);
    bucket_change(&resource->buckets[direction], &resource->rules[direction], now_ns,
                  rule_for(capacity, resource->window_ns));
    resource->capacity[direction] = capacity;
}
