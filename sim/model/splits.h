/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partitions split: for heat, for size, for capacity. Every ten seconds each table and index looks at its
 * partitions; a split that is decided takes its time, during which the parent serves on, and then its
 * children take over at once. Rules M-24 to M-28, and the growth of on-demand tables (M-43).
 *
 * Everything here runs between events, so it may take memory and write rows.
 */
#ifndef MODEL_SPLITS_H
#define MODEL_SPLITS_H

#include <model/model.h>

#define SPLITS_TICK_S GROWTH_TICK_S

/* The samples of partitions' traffic, and every partition that ever was. False when memory is short. */
bool splits_create(struct model *model);
void splits_destroy(struct model *model);
/* A resource comes with the partitions that it has, or goes with all of them (M-58, M-59). */
bool splits_resource_comes(struct model *model, struct resource *resource, int64_t now_ns);
void splits_resource_goes(struct model *model, struct resource *resource, int64_t now_ns);
/* Ten seconds are over at end_s: what is hot, what is large, what on-demand has grown to. */
bool splits_tick(struct model *model, int64_t end_s);
/* Splits that are due by end_s happen. False when memory is short. */
bool splits_apply(struct model *model, int64_t end_s);
/* Provisioned capacity, or a change of mode, needs `needed` partitions: all are split in two until there are
 * as many, at once. The time that takes has passed. */
bool splits_for_capacity(struct model *model, struct resource *resource, int64_t needed);
/* How long that takes: one generation after the other. */
int64_t splits_capacity_ns(struct resource *resource, int64_t needed);

/* How much a request counts as traffic: a partition serves three times as many reads as writes. */
static inline uint64_t splits_weight(enum direction direction, int64_t units_nano) {
    uint64_t half_units = (uint64_t)(units_nano / HALF_UNIT_NANO);
    return direction == WRITE ? 3 * half_units : half_units;
}
/* One request's traffic reaches a partition: if that is watched, it is sampled. */
static inline void splits_see(struct model *model, struct resource *resource, uint32_t slot,
                              uint128 position, enum direction direction, int64_t units_nano) {
    if (resource->splitting.watched == 0) return;
    uint32_t watch = resource->space.partitions[slot].watch;
    if (watch != 0)
        heat_sample_add(&model->samples[watch - 1], position, direction,
                        splits_weight(direction, units_nano));
}

#endif
