/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Top keys. Source: AWS developer guide, Contributor Insights for DynamoDB (accessed: 3 x W + R;
 * throttled: count). Open addressing by the key's hash, at most half full, so a free slot ends a probe.
 * Invariants: a key stands in one of the two arrays; the sum of uses is kept, also when keys are replaced.
 */
#include <model/topkeys.h>

#include <stdlib.h>
#include <string.h>

static bool slot_is_free(const struct topkey *slot) {
    return slot->throttles == 0 && slot->used_nano[READ] == 0 && slot->used_nano[WRITE] == 0;
}

/* In half units, of which every cost is a whole number: three times billionths would overflow. */
static int64_t access_weight(const struct topkey *slot) {
    const int64_t half = NANO / 2;
    return 3 * (slot->used_nano[WRITE] / half) + slot->used_nano[READ] / half;
}

bool topkeys_init(struct topkeys *keys, uint32_t exact_max) {
    CHECK(exact_max >= 128 && exact_max <= TOPKEYS_EXACT_MAX);
    *keys = (struct topkeys){.capacity = 256, .exact_max = exact_max};
    keys->slots = calloc(keys->capacity, sizeof *keys->slots);
    return keys->slots != NULL;
}

bool topkeys_init_numbered(struct topkeys *keys, const struct topkeys_numbers *numbers) {
    CHECK(numbers->keys > 0 && numbers->keys <= TOPKEYS_EXACT_MAX && numbers->hash);
    *keys = (struct topkeys){.numbers = *numbers};
    if (numbers->open) keys->summary = calloc(TOPKEYS_SUMMARY, sizeof *keys->summary);
    return keycounts_init(&keys->counts, numbers->keys) && (!numbers->open || keys->summary);
}

void topkeys_deinit(struct topkeys *keys) {
    keycounts_deinit(&keys->counts);
    free(keys->slots);
    free(keys->summary);
    keys->slots = keys->summary = NULL;
}

static bool is_exact(const struct topkeys *keys) { return keys->count < keys->exact_max; }

bool topkeys_is_tight_hashed(const struct topkeys *keys) {
    CHECK_DEBUG(keys->numbers.keys == 0);
    /* Half full, less what one dispatch may add. */
    if (is_exact(keys)) return keys->count + DDBSIM_BATCH_MAX > keys->capacity / 2;
    return !keys->summary;
}

bool topkeys_is_empty(struct topkeys *keys) {
    if (keys->numbers.keys > 0) keycounts_settle(&keys->counts);
    return keys->count == 0 && keys->counts.seen_count == 0 && !keys->others;
}

void topkeys_clear(struct topkeys *keys) {
    if (keys->numbers.keys > 0) {
        keycounts_settle(&keys->counts);
        keycounts_clear(&keys->counts);
        if (keys->others) memset(keys->summary, 0, TOPKEYS_SUMMARY * sizeof *keys->summary);
        keys->others = false;
        return;
    }
    memset(keys->slots, 0, keys->capacity * sizeof *keys->slots);
    if (keys->summary) memset(keys->summary, 0, TOPKEYS_SUMMARY * sizeof *keys->summary);
    keys->count = 0;
}

/* The least of a full set makes room: its count stays as the newcomer's error. */
static struct topkey *summary_for(struct topkeys *keys, const struct ddbsim_key *key) {
    struct topkey *set =
        &keys->summary[(key->hash >> 20) % (TOPKEYS_SUMMARY / TOPKEYS_SET) * TOPKEYS_SET];
    struct topkey *least = set;
    for (uint32_t i = 0; i < TOPKEYS_SET; i++) {
        if (set[i].hash == key->hash && !slot_is_free(&set[i])) return &set[i];
        if (access_weight(&set[i]) < access_weight(least)) least = &set[i];
    }
    least->error_nano = least->used_nano[READ] + least->used_nano[WRITE];
    return least;
}

static struct topkey *exact_or_summary(struct topkeys *keys, const struct ddbsim_key *key) {
    uint32_t i = (uint32_t)(key->hash >> 20) & (keys->capacity - 1);
    while (!slot_is_free(&keys->slots[i]) && keys->slots[i].hash != key->hash)
        i = (i + 1) & (keys->capacity - 1);
    struct topkey *slot = &keys->slots[i];
    if (!slot_is_free(slot)) return slot;
    if (!is_exact(keys) && keys->summary) return summary_for(keys, key);
    CHECK_DEBUG(keys->count < keys->capacity - 1);
    *slot = (struct topkey){0};
    keys->count++;
    return slot;
}

static struct topkey *slot_for(struct topkeys *keys, const struct ddbsim_key *key) {
    bool numbered = keys->numbers.keys > 0;
    CHECK_DEBUG(!numbered || keys->numbers.open);
    struct topkey *slot = numbered ? summary_for(keys, key) : exact_or_summary(keys, key);
    keys->others |= numbered;
    slot->hash = key->hash;
    slot->ordinal = key->ordinal;
    slot->entity = key->entity;
    return slot;
}

void topkeys_used_hashed(struct topkeys *keys, const struct ddbsim_key *key,
                         enum direction direction, int64_t nano) {
    slot_for(keys, key)->used_nano[direction] += nano;
}

void topkeys_throttled_hashed(struct topkeys *keys, const struct ddbsim_key *key) {
    slot_for(keys, key)->throttles++;
}

static void slot_add(struct topkeys *keys, const struct topkey *from) {
    struct ddbsim_key key = {.hash = from->hash, .ordinal = from->ordinal, .entity = from->entity};
    struct topkey *slot = slot_for(keys, &key);
    for (int d = 0; d < DIRECTIONS; d++)
        slot->used_nano[d] += from->used_nano[d];
    slot->throttles += from->throttles;
    slot->error_nano += from->error_nano;
}

static bool grow_exact(struct topkeys *keys) {
    struct topkeys bigger = {.capacity = 2 * keys->capacity, .exact_max = keys->exact_max};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (uint32_t i = 0; i < keys->capacity; i++)
        if (!slot_is_free(&keys->slots[i])) slot_add(&bigger, &keys->slots[i]);
    free(keys->slots);
    *keys = bigger;
    return true;
}

bool topkeys_grow(struct topkeys *keys) {
    if (keys->numbers.keys > 0) return keycounts_grow(&keys->counts);
    if (is_exact(keys)) return grow_exact(keys);
    keys->summary = calloc(TOPKEYS_SUMMARY, sizeof *keys->summary);
    return keys->summary != NULL;
}

static bool merge_array(struct topkeys *into, const struct topkey *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (slot_is_free(&from[i])) continue;
        if (topkeys_is_tight(into) && !topkeys_grow(into)) return false;
        slot_add(into, &from[i]);
    }
    return true;
}

bool topkeys_merge(struct topkeys *into, struct topkeys *from) {
    CHECK(into->numbers.keys == from->numbers.keys);
    if (from->numbers.keys > 0) keycounts_settle(&from->counts);
    if (into->numbers.keys > 0)
        return keycounts_merge(&into->counts, &from->counts) &&
               (!from->others || merge_array(into, from->summary, TOPKEYS_SUMMARY));
    return merge_array(into, from->slots, from->capacity) &&
           (!from->summary || merge_array(into, from->summary, TOPKEYS_SUMMARY));
}

static int64_t order_weight(const struct topkey *key, enum topkeys_order order) {
    return order == TOPKEYS_ACCESSED ? access_weight(key) : (int64_t)key->throttles;
}

static bool ranks_before(const struct topkey *a, const struct topkey *b, enum topkeys_order order) {
    int64_t wa = order_weight(a, order), wb = order_weight(b, order);
    return wa != wb ? wa > wb : a->hash < b->hash;
}

struct ranking {
    enum topkeys_order order;
    struct topkey *out;
    uint32_t count, limit;
};

static void rank_key(struct ranking *r, const struct topkey *key) {
    if (r->count == r->limit && !ranks_before(key, &r->out[r->count - 1], r->order)) return;
    uint32_t at = r->count < r->limit ? r->count++ : r->count - 1;
    for (; at > 0 && ranks_before(key, &r->out[at - 1], r->order); at--)
        r->out[at] = r->out[at - 1];
    r->out[at] = *key;
}

static void rank_array(struct ranking *r, const struct topkey *keys, uint32_t count) {
    for (const struct topkey *key = keys; key < keys + count; key++)
        if (order_weight(key, r->order) > 0) rank_key(r, key);
}

/* The same weight as that of the key that numbered_key makes of them. */
static inline int64_t numbered_weight(const uint64_t counts[KEYCOUNTS], enum topkeys_order order) {
    return order == TOPKEYS_ACCESSED
               ? (int64_t)(3 * counts[KEYCOUNTS_WRITE] + counts[KEYCOUNTS_READ])
               : (int64_t)(uint32_t)counts[KEYCOUNTS_THROTTLES];
}

static struct topkey numbered_key(const struct topkeys *keys, uint32_t number,
                                  const uint64_t counts[KEYCOUNTS]) {
    return (struct topkey){
        .ordinal = number,
        .entity = keys->numbers.entity,
        .throttles = (uint32_t)counts[KEYCOUNTS_THROTTLES],
        .used_nano = {[READ] = (int64_t)counts[KEYCOUNTS_READ] * (NANO / 2),
                      [WRITE] = (int64_t)counts[KEYCOUNTS_WRITE] * (NANO / 2)},
    };
}

/* A hash is asked for only where the weight alone does not keep the key out. */
static void rank_numbered(struct ranking *r, const struct topkeys *keys) {
    const struct topkeys_numbers *numbers = &keys->numbers;
    uint32_t steps = keycounts_steps(&keys->counts);
    int64_t least = 1; /* the weight from which on a key may have a place */
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t number = keycounts_at(&keys->counts, step);
        uint64_t counts[KEYCOUNTS];
        keycounts_get(&keys->counts, number, counts);
        if (numbered_weight(counts, r->order) < least) continue;
        struct topkey key = numbered_key(keys, number, counts);
        CHECK_DEBUG(order_weight(&key, r->order) == numbered_weight(counts, r->order));
        key.hash = numbers->hash(numbers->context, numbers->table, numbers->index, key.entity,
                                 key.ordinal);
        rank_key(r, &key);
        if (r->count == r->limit) least = order_weight(&r->out[r->count - 1], r->order);
    }
}

uint32_t topkeys_rank(struct topkeys *keys, enum topkeys_order order, struct topkey *out,
                      uint32_t limit) {
    struct ranking ranking = {.order = order, .out = out, .limit = limit};
    if (keys->numbers.keys > 0) keycounts_settle(&keys->counts);
    if (keys->numbers.keys > 0)
        rank_numbered(&ranking, keys);
    else
        rank_array(&ranking, keys->slots, keys->capacity);
    if (keys->summary) rank_array(&ranking, keys->summary, TOPKEYS_SUMMARY);
    return ranking.count;
}
