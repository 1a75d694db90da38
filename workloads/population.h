/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which items exist: the inside of struct population (source.h), for the generators alone.
 *
 * An item is known by its digits (the values in its partition key, joined: its group) and by its
 * place among the items of that group. Nothing is stored for an item; a group that grows has a
 * counter.
 */
#ifndef WORKLOADS_POPULATION_H
#define WORKLOADS_POPULATION_H

#include <base/check.h>
#include <base/rng.h>
#include <workloads/keys.h>
#include <workloads/source.h>

/* Groups beyond this share counters: their items' places then have gaps. */
#define POPULATION_COUNTERS_MAX (UINT64_C(1) << 24)

/* Values below this were made while there were so many suffixes. */
struct shard_era {
    uint64_t below;
    uint32_t count;
};

/* The keys of one entity in one index. */
struct population_entry {
    struct key_template partition, sort;
    uint32_t partition_bound, sort_bound; /* bit i: digit i is also drawn by the item's own key */
    bool has_time;
};

struct population_entity {
    const struct ddbsim_entity *entity;
    struct key_template partition, sort;
    bool grows;     /* a PutItem makes a new item */
    bool has_time;  /* an item's time matters */
    bool has_empty; /* the partition key may be an empty text: where its only value is `empty` */
    uint64_t empty;
    bool sharded;          /* the partition key has the suffix */
    bool is_fresh;         /* an insert makes a value of its keys, and so a new item */
    bool own_key;          /* each item has a partition key of its own */
    uint64_t groups;       /* values of the partition key; at least 1 */
    uint64_t start_groups; /* of these, the ones that there are at start */
    bool start_apart;      /* they are not simply the first of all */
    uint64_t share;        /* items of each start group, and one more in the first `more` of them */
    uint64_t more;
    uint32_t *added; /* items since, by group & added_mask; NULL where the entity does not grow */
    uint64_t added_mask;
    uint32_t *
        sizes; /* bytes of each item, by its number, where items grow: 0 of one that is not there; else NULL */
    uint64_t size_count;
    uint64_t sized_items, sized_bytes; /* of those that are there */
    struct population_entry *entries;  /* one for each index of the table */
    struct shard_era *eras; /* suffixes made of new values, before the count changed; in order */
    uint32_t era_count;
};

struct population_table {
    const struct ddbsim_table *table;
    struct population_entity *entities;
};

struct population {
    const struct ddbsim_scenario *scenario;
    struct arena *arena; /* owns what is not said to be freed by its module */
    struct value_set *sets;
    struct population_table *tables;
};

/* The marks of one item. */
struct population_item {
    uint64_t number; /* in its entity */
    uint64_t place;  /* in its group, from 0 */
    int64_t time_ns; /* when it was made; before the start for the first ones */
};

uint64_t population_start_items_apart(const struct population_entity *entity, uint64_t group);
/* Items of a group: at start, since then, and all. */
static inline uint64_t population_start_items(const struct population_entity *entity,
                                              uint64_t group) {
    if (entity->start_apart) return population_start_items_apart(entity, group);
    return entity->share + (group < entity->more);
}
static inline uint64_t population_added_items(const struct population_entity *entity,
                                              uint64_t group) {
    return entity->added ? entity->added[group & entity->added_mask] : 0;
}
static inline uint64_t population_group_items(const struct population_entity *entity,
                                              uint64_t group) {
    CHECK_DEBUG(group < entity->groups);
    return population_start_items(entity, group) + population_added_items(entity, group);
}
/* When an item of a group was made. */
int64_t population_item_time(const struct population_entity *entity, uint64_t group, uint64_t place,
                             int64_t now_ns);
/* An existing item of a group; where there is none yet, the one that would be first. */
static inline struct population_item population_choose(const struct population_entity *entity,
                                                       uint64_t group, uint64_t draw,
                                                       int64_t now_ns) {
    struct population_item item = {.place =
                                       draw_below(draw, population_group_items(entity, group))};
    item.number = item.place * entity->groups + group;
    if (entity->has_time) item.time_ns = population_item_time(entity, group, item.place, now_ns);
    return item;
}
/* Of an entity whose items grow. */
static inline int64_t population_item_bytes(const struct population_entity *entity,
                                            uint64_t number) {
    CHECK_DEBUG(entity->sizes != NULL && number < entity->size_count);
    return entity->sizes[number];
}
static inline void population_item_resize(struct population_entity *entity, uint64_t number,
                                          int64_t bytes) {
    CHECK_DEBUG(bytes >= 0 && bytes <= UINT32_MAX && number < entity->size_count);
    uint64_t before = entity->sizes[number];
    entity->sized_items = entity->sized_items - (before > 0) + (bytes > 0);
    entity->sized_bytes = entity->sized_bytes - before + (uint64_t)bytes;
    entity->sizes[number] = (uint32_t)bytes;
}
/* A new item of a group. */
struct population_item population_insert(struct population_entity *entity, uint64_t group,
                                         int64_t now_ns);

/* The scenario goes from `before` to `after`. Each workload says so; the first one counts. */
void population_change(struct population *population, const struct ddbsim_scenario *before,
                       const struct ddbsim_scenario *after);

#endif
