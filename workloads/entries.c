/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The index entries of items that exist, for an index that is filled in. Which key an entry has is not kept
 * (M-56): values that the item's own key has are the item's, the others are drawn as writes draw them, and its
 * time lies in the day before.
 */
#include <workloads/population.h>

#include <base/hash.h>

enum { DRAW_VALUE = 1, DRAW_AGE, DRAW_SHARD };

/* The value of a set in the item's own partition key; false where that has none. */
static bool own_value(const struct population_entity *entity, const uint64_t *digits, uint32_t set,
                      uint64_t *out) {
    for (uint32_t i = 0; i < entity->partition.digit_count; i++) {
        if (entity->partition.sets[i] != set) continue;
        *out = digits[i];
        return true;
    }
    return false;
}

struct drawn {
    const struct population *population;
    const struct population_entity *entity;
    const uint64_t *own; /* digits of the item's partition key */
    uint64_t number, draw;
    int64_t time_ns; /* when it was written */
};

static uint64_t drawn_value(const struct drawn *drawn, uint32_t number) {
    const struct value_set *set = &drawn->population->sets[number];
    uint64_t draw = hash_mix(drawn->draw, set->name_hash, DRAW_VALUE), value;
    if (own_value(drawn->entity, drawn->own, number, &value)) return value;
    return set->moving ? value_set_existing(set, draw, drawn->time_ns)
                       : value_set_pick(set, draw, drawn->number);
}

/* A suffix that the item's own key does not have (M-13). */
static uint64_t drawn_shard(const struct drawn *drawn) {
    const struct ddbsim_shards *shards = &drawn->entity->entity->shards;
    CHECK(shards->count > 0);
    if (shards->by == DDBSIM_SHARDS_RANDOM)
        return draw_below(hash_mix(drawn->draw, DRAW_SHARD, 0), shards->count);
    return key_value_shard(shards, &drawn->population->sets[shards->of],
                           drawn_value(drawn, shards->of));
}

static void entry_digits(const struct drawn *drawn, const struct key_template *template,
                         uint64_t *digits) {
    for (uint32_t i = 0; i < template->digit_count; i++) {
        uint32_t set = template->sets[i];
        if (set != DDBSIM_NONE)
            digits[i] = drawn_value(drawn, set);
        else if (!own_value(drawn->entity, drawn->own, set, &digits[i]))
            digits[i] = drawn_shard(drawn);
    }
}

void population_entry_key(const struct population *population, uint32_t table, uint32_t index,
                          uint32_t entity, uint64_t number, uint64_t draw, int64_t now_ns,
                          struct ddbsim_key *out) {
    const struct population_entity *of = &population->tables[table].entities[entity];
    const struct population_entry *entry = &of->entries[index];
    uint64_t own[KEY_DIGITS_MAX] = {0};
    key_digits_split(&of->partition, number % of->groups, own);
    struct key_values values = {.item = number, .n = number / of->groups + 1};
    values.time_ns =
        now_ns - 1 -
        (int64_t)draw_below(hash_mix(draw, number, DRAW_AGE), (uint64_t)KEY_DAY_NS - 1);
    const struct drawn drawn = {population, of, own, number, draw, values.time_ns};
    entry_digits(&drawn, &entry->partition, values.digits);
    *out = (struct ddbsim_key){.entity = entity};
    out->ordinal = key_ordinal(&entry->partition, key_digits_join(&entry->partition, values.digits),
                               values.time_ns, number);
    out->hash = key_hash(&entry->partition, out->ordinal, &values);
    if (entry->sort.part_count > 0) entry_digits(&drawn, &entry->sort, values.digits);
    out->sort = key_sort(&entry->sort, &values);
}
