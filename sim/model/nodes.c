/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storage nodes. Source: Elhemali et al., USENIX ATC 2022 (a node holds an allocated and a burst bucket for
 * each partition and one of its own; a burst needs the node's tokens, and a write's those of the other
 * replicas' nodes). Placement is not published: here as many partitions as stated, in the order of their
 * slots, have their leader on one node and their followers on the next two, in a ring.
 * Invariants: three nodes at least, so that no two replicas of a partition share one; -cap <= level <= cap.
 */
#include <model/nodes.h>

#include <stdlib.h>

#define WRITE_WEIGHT 3 /* a node, as a partition, serves three times as many reads as writes */

static int64_t weight(enum direction direction) { return direction == WRITE ? WRITE_WEIGHT : 1; }

bool nodes_grow(struct nodes *nodes, uint32_t partitions) {
    uint32_t needed = (partitions + nodes->partitions - 1) / nodes->partitions;
    if (needed < SPACE_REPLICAS) needed = SPACE_REPLICAS;
    if (needed > nodes->capacity) {
        uint32_t capacity = needed + needed / 2;
        struct bucket *grown = realloc(nodes->of, capacity * sizeof *grown);
        if (!grown) return false;
        nodes->of = grown;
        nodes->capacity = capacity;
    }
    for (; nodes->count < needed; nodes->count++)
        bucket_fill(&nodes->of[nodes->count], 0, nodes->rule.cap_nano);
    return true;
}

bool nodes_init(struct nodes *nodes, uint32_t partitions, int64_t limit, int64_t partitions_a_node,
                int64_t depth_ns) {
    CHECK(limit >= 1 && partitions_a_node >= 1 && depth_ns > 0);
    int64_t rate = WRITE_WEIGHT * limit, cap_nano;
    if (__builtin_mul_overflow(rate, depth_ns, &cap_nano)) cap_nano = INT64_MAX / 2;
    *nodes = (struct nodes){.partitions = (uint32_t)partitions_a_node, .rule = {rate, cap_nano}};
    return nodes_grow(nodes, partitions);
}

void nodes_deinit(struct nodes *nodes) {
    free(nodes->of);
    *nodes = (struct nodes){0};
}

static struct bucket *node_of(struct nodes *nodes, const struct node_demand *demand,
                              uint32_t replica) {
    uint32_t leader = demand->slot / nodes->partitions;
    CHECK(leader < nodes->count && replica < SPACE_REPLICAS);
    return &nodes->of[(leader + replica) % nodes->count];
}

/* The replicas that take part in it: one reads, all write. */
static uint32_t first_replica(const struct node_demand *demand) {
    return demand->direction == WRITE ? 0 : demand->replica;
}
static uint32_t last_replica(const struct node_demand *demand) {
    return demand->direction == WRITE ? SPACE_REPLICAS - 1 : demand->replica;
}

static int64_t need_of(const struct node_demand *demand, bool whole) {
    int64_t cost = demand->units_nano * weight(demand->direction);
    return whole && cost > 1 ? cost : 1;
}

bool nodes_admit(struct nodes *nodes, const struct node_demand *demand, bool whole,
                 int64_t now_ns) {
    int64_t need = need_of(demand, whole);
    for (uint32_t r = first_replica(demand); r <= last_replica(demand); r++)
        if (!bucket_admits(node_of(nodes, demand, r), &nodes->rule, need, now_ns)) return false;
    return true;
}

int64_t nodes_ready_ns(struct nodes *nodes, const struct node_demand *demand, bool whole,
                       int64_t now_ns) {
    int64_t need = need_of(demand, whole), latest_ns = now_ns;
    for (uint32_t r = first_replica(demand); r <= last_replica(demand); r++) {
        struct bucket *node = node_of(nodes, demand, r);
        int64_t ready_ns = bucket_ready_ns(node, &nodes->rule, need, now_ns);
        if (ready_ns > latest_ns) latest_ns = ready_ns;
    }
    return latest_ns;
}

void nodes_take(struct nodes *nodes, const struct node_demand *demand) {
    int64_t cost = demand->units_nano * weight(demand->direction);
    CHECK(cost >= 0);
    for (uint32_t r = first_replica(demand); r <= last_replica(demand); r++) {
        struct bucket *node = node_of(nodes, demand, r);
        int64_t room = node->level_nano + nodes->rule.cap_nano;
        node->level_nano -= cost < room ? cost : room;
        CHECK(node->level_nano >= -nodes->rule.cap_nano);
    }
}

int64_t nodes_most(const struct nodes *nodes, enum direction direction) {
    return nodes->rule.cap_nano / weight(direction);
}
