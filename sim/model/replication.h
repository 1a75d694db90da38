/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Global tables: what is written to one replica is written to all others a moment later. A replica is a table of
 * its own; between two of them runs a link, which carries writes in order. Rule M-87.
 */
#ifndef MODEL_REPLICATION_H
#define MODEL_REPLICATION_H

#include <model/model.h>

/* A write on its way, or so many alike. */
struct replicated {
    struct ddbsim_key key;
    int64_t written_ns, ready_ns;
    int64_t units, old_bytes, new_bytes; /* of each: what it costs, and its item's two sides */
    int64_t count;
    bool renews; /* a TTL begins anew */
};

struct replication {
    uint32_t number; /* of the link, in the model */
    uint32_t from, to;
    const char *region; /* that receives */
    int64_t least_ns, most_ns;
    uint64_t lag_stream;
    struct replicated *ring;
    uint32_t first, count, capacity; /* a power of two */
    int64_t last_ready_ns;
    bool scheduled;
    struct sample latency;     /* in the current minute; ns */
    struct replication *other; /* from the same table; NULL: the last */
};

/* Links between all replicas of each global table. False when memory is short. */
bool replication_create(struct model *model);
void replication_destroy(struct model *model);
/* The link between two tables; NULL: there is none. */
const struct replication *replication_find(const struct model *model, uint32_t from, uint32_t to);
/* A table has executed a write that came from a caller. */
void replication_write(struct model *model, struct table *table,
                       const struct ddbsim_request *request, int64_t now_ns);
/* So many items of a partition were deleted by TTL, between events: the others pay for it. */
bool replication_deletes(struct model *model, struct table *table, uint32_t slot, uint32_t entity,
                         struct partition_holding gone, int64_t now_ns);
/* What is ready is written, as far as the receiver has the capacity. */
void replication_deliver(struct model *model, struct replication *link, int64_t now_ns);
bool replication_make_room(struct model *model);

#endif
