/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The most accessed and most throttled keys of a resource, as Contributor Insights shows them. The first
 * 2^20 keys are counted exactly; later ones share a summary in which a new key takes the place of the
 * least of its set and inherits its count as its error (Space-Saving, Metwally et al., 2005). Rule M-62.
 * Where the resource's keys are numbered (struct topkeys_numbers) they are counted by number instead; keys beyond the
 * numbers, if there may be such, share the summary.
 */
#ifndef MODEL_TOPKEYS_H
#define MODEL_TOPKEYS_H

#include <model/keycounts.h>
#include <model/space.h>

#define TOPKEYS_EXACT_MAX (1u << 20)
#define TOPKEYS_SET 16u            /* keys of the summary that compete for a place */
#define TOPKEYS_SUMMARY (1u << 16) /* keys of the summary */

struct topkey {
    uint64_t hash, ordinal;
    uint32_t entity, throttles;
    int64_t used_nano[DIRECTIONS];
    int64_t error_nano; /* how much of used_nano may be another key's */
};

/* Keys whose ordinals are all below `keys`, and equal only where the keys are. */
struct topkeys_numbers {
    uint32_t keys; /* 0: they have no such numbers; at most TOPKEYS_EXACT_MAX */
    bool open;     /* there may be others, whose ordinals are not below `keys` */
    uint32_t table, index, entity;
    uint64_t (*hash)(void *context, uint32_t table, uint32_t index, uint32_t entity,
                     uint64_t ordinal);
    void *context;
};

struct topkeys {
    struct topkeys_numbers numbers;
    struct keycounts counts;  /* of numbered keys; the rest of this struct is of the others */
    struct topkey *slots;     /* a slot with nothing used and no throttles is free */
    struct topkey *summary;   /* of keys beyond exact_max; NULL until there are such */
    uint32_t capacity, count; /* capacity is a power of two */
    bool others;              /* open numbers: the summary holds some */
    uint32_t exact_max;       /* keys to keep exactly; tests lower it */
};

bool topkeys_init(struct topkeys *keys, uint32_t exact_max);
bool topkeys_init_numbered(struct topkeys *keys, const struct topkeys_numbers *numbers);
void topkeys_deinit(struct topkeys *keys);
/* Time to grow, between events. */
bool topkeys_is_tight_hashed(const struct topkeys *keys);
static inline bool topkeys_is_tight(const struct topkeys *keys) {
    return keys->numbers.keys > 0 ? keys->counts.tight : topkeys_is_tight_hashed(keys);
}
bool topkeys_grow(struct topkeys *keys);
void topkeys_clear(struct topkeys *keys);
bool topkeys_is_empty(struct topkeys *keys);
void topkeys_used_hashed(struct topkeys *keys, const struct ddbsim_key *key,
                         enum direction direction, int64_t nano);
void topkeys_throttled_hashed(struct topkeys *keys, const struct ddbsim_key *key);
/* Counts a use or a throttle of a key; never allocates. A use is a multiple of half a unit. */
static inline void topkeys_used(struct topkeys *keys, const struct ddbsim_key *key,
                                enum direction direction, int64_t nano) {
    CHECK_DEBUG(nano > 0 && nano % (NANO / 2) == 0);
    if (key->ordinal < keys->numbers.keys)
        keycounts_add(&keys->counts, key->ordinal,
                      direction == WRITE ? KEYCOUNTS_WRITE : KEYCOUNTS_READ,
                      (uint64_t)nano / (uint64_t)(NANO / 2));
    else
        topkeys_used_hashed(keys, key, direction, nano);
}
static inline void topkeys_throttled(struct topkeys *keys, const struct ddbsim_key *key) {
    if (key->ordinal < keys->numbers.keys)
        keycounts_add(&keys->counts, key->ordinal, KEYCOUNTS_THROTTLES, 1);
    else
        topkeys_throttled_hashed(keys, key);
}
/* Adds all of `from`; grows as needed. False when memory is short. */
bool topkeys_merge(struct topkeys *into, struct topkeys *from);

enum topkeys_order { TOPKEYS_ACCESSED, TOPKEYS_THROTTLED };
/* The first `limit` keys by AWS's weight (3 x write units + read units) or by throttles, ties by hash;
 * returns how many there are. */
uint32_t topkeys_rank(struct topkeys *keys, enum topkeys_order order, struct topkey *out,
                      uint32_t limit);

#endif
