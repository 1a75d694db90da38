/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time to Live of one table, and what the table stores through time. A table has a struct ttl where one of its
 * entities has a TTL; all its items are then counted by entity. Rules M-17 to M-19.
 */
#ifndef MODEL_TTL_H
#define MODEL_TTL_H

#include <model/cohorts.h>
#include <model/model.h>

#define TTL_TICK_S 60

/* One entity of the table. */
struct ttl_entity {
    const struct ddbsim_ttl *rule;
    bool is_active; /* it has a TTL that DynamoDB understands */
    struct cohorts cohorts;
    struct partition_holding held, at_start;
    int64_t deleted; /* by TTL, so far */
    int64_t due,
        arrived;       /* of its inflow, so far: as the rate has it; in whole items of partitions */
    uint64_t *carries; /* of the inflow, by slot: part of an item, in 2^-64 */
    int64_t told_arrived, told_deleted; /* what indexes know of */
    uint64_t stream, turn;
};

struct ttl {
    struct ttl_entity *entities;
    uint32_t count;
    struct cohort_delays delays;
    int64_t ticked_s, row_period_s;
    int64_t minute_deleted;         /* in the current minute */
    struct partition_holding *gone; /* in the current tick, by slot */
    uint32_t slots;                 /* that there is room for */
    struct partition_holding
        *pending; /* at start, by entity and slot, until the first second closes */
};

/* Of every table that needs one. False when memory is short. */
bool ttl_create(struct model *model);
void ttl_destroy(struct model *model);
/* Items at start. */
void ttl_place(struct ttl *ttl, uint32_t slot, uint32_t entity, int64_t items, int64_t bytes);
/* A write was executed: in place of what it does to the partition's holding. */
void ttl_write(struct table *table, uint32_t slot, const struct ddbsim_request *request);
/* Room for so many more partitions; these were split. */
bool ttl_grow(struct table *table, uint32_t more);
void ttl_split(struct table *table, const struct space_parting *partings, uint32_t count);
/* The second that ends at end_s is over: items come and go, rows are written when due. */
bool ttl_close_second(struct model *model, int64_t end_s, bool last);
/* How many were deleted in the minute that ends; the next one begins. */
int64_t ttl_close_minute(struct ttl *ttl);

#endif
