/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The storage nodes that hold a table's partitions, as far as they bound them: a bucket each, shared by the
 * partitions whose replicas lie there. Rule M-38.
 */
#ifndef MODEL_NODES_H
#define MODEL_NODES_H

#include <model/space.h>

struct nodes {
    struct bucket *of; /* by node, in thirds of a write unit */
    uint32_t count, capacity;
    uint32_t partitions; /* that one node leads */
    struct bucket_rule rule;
};

/* Who asks a node, and for what. */
struct node_demand {
    uint32_t slot;
    enum direction direction;
    uint32_t replica; /* that serves a read: 0 is the leader */
    int64_t units_nano;
};

bool nodes_init(struct nodes *nodes, uint32_t partitions, int64_t limit, int64_t partitions_a_node,
                int64_t depth_ns);
void nodes_deinit(struct nodes *nodes);
/* Nodes for that many partitions: new ones are idle. False when memory is short. */
bool nodes_grow(struct nodes *nodes, uint32_t partitions);
/* Have the nodes tokens: a read's of the replica that serves it, a write's of all three? `whole`: for all of
 * the cost, where otherwise anything is enough. */
bool nodes_admit(struct nodes *nodes, const struct node_demand *demand, bool whole, int64_t now_ns);
int64_t nodes_ready_ns(struct nodes *nodes, const struct node_demand *demand, bool whole,
                       int64_t now_ns);
/* Traffic within a partition's allocation is not refused for its node and may put it into debt, by as much as
 * its bucket holds. */
void nodes_take(struct nodes *nodes, const struct node_demand *demand);
/* The most that a node ever has for one direction, in billionths of a unit. */
int64_t nodes_most(const struct nodes *nodes, enum direction direction);

#endif
