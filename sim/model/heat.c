/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Deciding where a hot partition is cut. Sources: Elhemali et al., USENIX ATC 2022 (the cut is chosen from
 * the observed distribution of keys, not the middle of the range; no split for one item or sequential
 * access); AWS developer guide, best practices for partition keys (isolation of a hot item, local indexes
 * keep a collection whole). How AWS tells such patterns apart is not published: here a cut is worth what it
 * spreads *at every moment*. Traffic that walks through the keys lies on one side of any cut at any moment,
 * so no cut helps it, however even the window looks as a whole.
 *
 * Invariants: a half's positions stand in the order in which they were seen; cuts lie inside (low, high].
 */
#include <model/heat.h>

#include <base/hash.h>
#include <stdlib.h>

#define FIRST_STEP 256 /* weight: 43 writes of one unit; less where little is expected */
#define MOMENT 16      /* positions that count as of one moment: seconds, in a window of minutes */
#define LEAST 32       /* positions without which nothing is decided */
#define EXPECTED 64    /* positions of a half, where what is expected comes */
#define HIGH_QUANTILE 95
#define LOW_QUANTILE 5

/* ---- sampling ---- */

bool heat_sample_init(struct heat_sample *sample, uint32_t capacity) {
    CHECK(capacity >= 2 && capacity % 2 == 0);
    *sample = (struct heat_sample){.capacity = capacity};
    for (int h = 0; h < 2; h++) {
        sample->halves[h].positions = malloc(capacity * sizeof(uint128));
        sample->halves[h].directions = malloc(capacity);
        if (!sample->halves[h].positions || !sample->halves[h].directions) {
            heat_sample_deinit(sample);
            return false;
        }
    }
    return true;
}

void heat_sample_deinit(struct heat_sample *sample) {
    for (int h = 0; h < 2; h++) {
        free(sample->halves[h].positions);
        free(sample->halves[h].directions);
    }
    *sample = (struct heat_sample){0};
}

static uint64_t draw_in(const struct heat_sample *sample, uint64_t number, uint64_t step) {
    uint64_t draw = hash_mix(sample->stream, number, step);
    return (uint64_t)(((uint128)draw * step) >> 64);
}

static void stratum_begin(const struct heat_sample *sample, struct heat_half *half) {
    half->next = half->count * half->step + draw_in(sample, half->count, half->step);
}

static void half_clear(const struct heat_sample *sample, struct heat_half *half) {
    half->count = 0;
    half->seen = 0;
    half->step = sample->first;
    stratum_begin(sample, half);
}

void heat_sample_begin(struct heat_sample *sample, uint64_t stream, uint64_t expected) {
    uint64_t first = expected / EXPECTED;
    sample->first = first < 1 ? 1 : first < FIRST_STEP ? (uint32_t)first : FIRST_STEP;
    sample->stream = stream;
    sample->current = 0;
    for (int h = 0; h < 2; h++)
        half_clear(sample, &sample->halves[h]);
}

void heat_sample_turn(struct heat_sample *sample) {
    sample->current = 1 - sample->current;
    half_clear(sample, &sample->halves[sample->current]);
}

/* Two strata become one, of which either position may stand for both. */
static void half_thin(const struct heat_sample *sample, struct heat_half *half) {
    CHECK_DEBUG(half->count == sample->capacity);
    half->count /= 2;
    half->step *= 2;
    for (uint32_t i = 0; i < half->count; i++) {
        uint32_t kept = 2 * i + (uint32_t)draw_in(sample, i, half->step) % 2;
        half->positions[i] = half->positions[kept];
        half->directions[i] = half->directions[kept];
    }
}

void heat_sample_add(struct heat_sample *sample, uint128 position, enum direction direction,
                     uint64_t weight) {
    struct heat_half *half = &sample->halves[sample->current];
    half->seen += weight;
    while (half->seen > half->next) {
        CHECK_DEBUG(half->count < sample->capacity);
        half->positions[half->count] = position;
        half->directions[half->count++] = (uint8_t)direction;
        if (half->count == sample->capacity) half_thin(sample, half);
        stratum_begin(sample, half);
    }
}

/* ---- deciding ---- */

const char *heat_verdict_name(enum heat_verdict verdict) {
    static const char *const names[HEAT_VERDICTS] = {
        "cut", "isolate", "single_item", "sequential", "collection", "no_benefit", "no_room"};
    return names[verdict];
}

/* One sampled position with the moment at which it was seen. */
struct sighting {
    uint128 position;
    uint64_t weight;
    uint32_t moment;
    uint8_t direction;
};

struct sightings {
    struct sighting *items; /* by position */
    uint64_t *left;         /* of each moment: weight left of the cut that is tried */
    uint64_t *right;        /* of each moment, where there are two cuts */
    uint64_t *whole;        /* of each moment */
    uint32_t count, moments;
    uint64_t weight;
};

size_t heat_scratch_bytes(uint32_t capacity) {
    size_t moments = 2 * ((size_t)capacity / MOMENT + 1);
    return 2 * (size_t)capacity * sizeof(struct sighting) + 3 * moments * sizeof(uint64_t);
}

static int by_position(const void *a, const void *b) {
    uint128 x = ((const struct sighting *)a)->position, y = ((const struct sighting *)b)->position;
    return x < y ? -1 : x > y;
}

static void sightings_add(struct sightings *all, const struct heat_half *half) {
    for (uint32_t i = 0; i < half->count; i++)
        all->items[all->count++] = (struct sighting){
            .position = half->positions[i],
            .weight = half->step,
            .moment = all->moments + i / MOMENT,
            .direction = half->directions[i],
        };
    all->moments += (half->count + MOMENT - 1) / MOMENT;
    all->weight += half->count * half->step;
}

static struct sightings sightings_of(const struct heat_sample *sample, void *scratch) {
    struct sightings all = {.items = scratch};
    sightings_add(&all, &sample->halves[1 - sample->current]);
    sightings_add(&all, &sample->halves[sample->current]);
    CHECK(all.count <= 2 * sample->capacity);
    all.left = (uint64_t *)(void *)(all.items + 2 * (size_t)sample->capacity);
    all.right = all.left + all.moments;
    all.whole = all.right + all.moments;
    for (uint32_t i = 0; i < all.moments; i++)
        all.left[i] = all.right[i] = all.whole[i] = 0;
    for (uint32_t i = 0; i < all.count; i++)
        all.whole[all.items[i].moment] += all.items[i].weight;
    qsort(all.items, all.count, sizeof *all.items, by_position);
    return all;
}

static bool is_share_of(uint64_t part, uint64_t whole, int64_t share) {
    return (uint128)part * (uint64_t)DDBSIM_SHARE_ONE >= (uint128)whole * (uint64_t)share;
}

/* A cut lies before a sighting. With whole collections it moves to the beginning of the key's. */
static uint128 cut_before(const struct sighting *sighting, bool whole_collections) {
    return whole_collections ? sighting->position >> 64 << 64 : sighting->position;
}

/* What no cut divides: an item, or with whole collections all items of one partition key. */
struct lump {
    uint32_t first; /* of its sightings */
    uint64_t weight;
    bool is_item; /* of one position */
};

static struct lump heaviest(const struct sightings *all, bool whole_collections) {
    struct lump most = {0};
    for (uint32_t i = 0; i < all->count;) {
        struct lump lump = {.first = i, .is_item = true};
        uint128 begin = cut_before(&all->items[i], whole_collections);
        for (; i < all->count && cut_before(&all->items[i], whole_collections) == begin; i++) {
            lump.weight += all->items[i].weight;
            lump.is_item &= all->items[i].position == all->items[lump.first].position;
        }
        if (lump.weight > most.weight) most = lump;
    }
    return most;
}

/* ---- sequential keys ---- */

static int by_value(const void *a, const void *b) {
    uint128 x = *(const uint128 *)a, y = *(const uint128 *)b;
    return x < y ? -1 : x > y;
}

/* One direction's positions of a half, in the order of keys. */
static uint32_t half_sorted(const struct heat_half *half, uint8_t direction, uint128 *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < half->count; i++)
        if (half->directions[i] == direction) out[count++] = half->positions[i];
    qsort(out, count, sizeof *out, by_value);
    return count;
}

static uint8_t main_direction(const struct heat_sample *sample) {
    uint64_t weights[DIRECTIONS] = {0, 0};
    for (int h = 0; h < 2; h++)
        for (uint32_t i = 0; i < sample->halves[h].count; i++)
            weights[sample->halves[h].directions[i]] += sample->halves[h].step;
    return weights[WRITE] >= weights[READ] ? WRITE : READ;
}

/* Does the later half lie beyond nearly all of the earlier one, above or below? */
static bool is_sequential(const struct heat_sample *sample, int64_t share, void *scratch) {
    uint8_t direction = main_direction(sample);
    uint128 *earlier = scratch, *later = earlier + sample->capacity;
    uint32_t count = half_sorted(&sample->halves[1 - sample->current], direction, earlier);
    uint32_t later_count = half_sorted(&sample->halves[sample->current], direction, later);
    if (count < LEAST / 2 || later_count < LEAST / 2) return false;
    uint128 high = earlier[(uint64_t)count * HIGH_QUANTILE / 100];
    uint128 low = earlier[(uint64_t)count * LOW_QUANTILE / 100];
    uint64_t above = 0, below = 0;
    for (uint32_t i = 0; i < later_count; i++) {
        above += later[i] > high;
        below += later[i] < low;
    }
    return is_share_of(above, later_count, share) || is_share_of(below, later_count, share);
}

/* ---- the best cut ---- */

struct cut {
    uint128 position;
    uint64_t kept; /* what stays together on the larger side of each moment, summed */
    uint64_t off;  /* how far it is from the middle */
    int64_t item_share;
};

static uint64_t larger_side(const struct sightings *all, uint32_t moment) {
    uint64_t left = all->left[moment], right = all->whole[moment] - left;
    return left > right ? left : right;
}

/* Tries a cut before every distinct position, from low to high, keeping the sums up to date. */
static bool best_cut(struct sightings *all, bool whole_collections, uint128 low, uint128 high,
                     struct cut *best) {
    uint64_t kept = all->weight, left = 0;
    uint32_t keys = 0, keys_left = 0;
    bool found = false;
    for (uint32_t i = 0; i < all->count; i++)
        keys += i == 0 || all->items[i].position != all->items[i - 1].position;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct sighting *item = &all->items[i];
        uint128 position = cut_before(item, whole_collections);
        bool is_new_key = i == 0 || item->position != item[-1].position;
        bool is_place = i == 0 || cut_before(item - 1, whole_collections) != position;
        uint64_t right = all->weight - left, off = left > right ? left - right : right - left;
        bool better = !found || kept < best->kept || (kept == best->kept && off < best->off);
        if (is_place && position > low && position <= high && better) {
            *best = (struct cut){position, kept, off, (int64_t)keys_left * DDBSIM_SHARE_ONE / keys};
            found = true;
        }
        kept -= larger_side(all, item->moment);
        all->left[item->moment] += item->weight;
        kept += larger_side(all, item->moment);
        left += item->weight;
        keys_left += is_new_key;
    }
    return found;
}

/* The share of the sampled keys that lies below a position. */
static int64_t keys_below(const struct sightings *all, uint128 position) {
    uint32_t keys = 0, below = 0;
    CHECK(all->count > 0);
    for (uint32_t i = 0; i < all->count; i++) {
        if (i > 0 && all->items[i].position == all->items[i - 1].position) continue;
        keys++;
        below += all->items[i].position < position;
    }
    return (int64_t)below * DDBSIM_SHARE_ONE / keys;
}

static void cut_add(const struct sightings *all, uint128 position, struct space_split *out) {
    out->cuts[out->count] = position;
    out->shares[out->count++] = keys_below(all, position);
}

/* Cuts on both sides of one position, where there is anything on that side. */
static bool isolate(const struct sightings *all, uint32_t first, bool whole_collections,
                    uint128 low, uint128 high, struct space_split *out) {
    uint128 position = cut_before(&all->items[first], whole_collections);
    uint128 next = position + (whole_collections ? (uint128)1 << 64 : 1);
    *out = (struct space_split){0};
    if (position > low) cut_add(all, position, out);
    if (next > position && next <= high) cut_add(all, next, out);
    return out->count > 0;
}

/* What stays together when one position is cut out: the largest of the three at each moment. */
static uint64_t kept_by_isolation(struct sightings *all, uint32_t first, bool whole_collections) {
    uint128 item = cut_before(&all->items[first], whole_collections);
    uint64_t kept = 0;
    CHECK(first < all->count);
    for (uint32_t m = 0; m < all->moments; m++)
        all->left[m] = all->right[m] = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct sighting *sighting = &all->items[i];
        uint128 position = cut_before(sighting, whole_collections);
        if (position < item) all->left[sighting->moment] += sighting->weight;
        if (position > item) all->right[sighting->moment] += sighting->weight;
    }
    for (uint32_t m = 0; m < all->moments; m++) {
        uint64_t beside = all->left[m] + all->right[m], most = all->whole[m] - beside;
        if (all->left[m] > most) most = all->left[m];
        if (all->right[m] > most) most = all->right[m];
        kept += most;
    }
    return kept;
}

enum heat_verdict heat_decide(const struct heat_sample *sample, const struct heat_rules *rules,
                              uint128 low, uint128 high, void *scratch, struct space_split *out) {
    if (sample->halves[0].count + sample->halves[1].count < LEAST) return HEAT_NO_BENEFIT;
    if (is_sequential(sample, rules->sequential, scratch)) return HEAT_SEQUENTIAL;
    struct sightings all = sightings_of(sample, scratch);
    CHECK(all.count >= LEAST && all.weight > 0);
    const struct lump most = heaviest(&all, rules->whole_collections);
    if (most.weight == all.weight ||
        !is_share_of(all.weight - most.weight, all.weight, rules->isolation))
        return most.is_item ? HEAT_SINGLE_ITEM : HEAT_COLLECTION;
    struct cut best = {0};
    bool cut_helps = best_cut(&all, rules->whole_collections, low, high, &best) &&
                     !is_share_of(best.kept, all.weight, rules->benefit);
    /* One item may be what keeps every cut from helping as much as its isolation would. */
    if (is_share_of(most.weight, all.weight, DDBSIM_SHARE_ONE / 2) &&
        (!cut_helps || kept_by_isolation(&all, most.first, rules->whole_collections) < best.kept) &&
        isolate(&all, most.first, rules->whole_collections, low, high, out))
        return HEAT_ISOLATE;
    if (!cut_helps) return HEAT_NO_BENEFIT;
    *out = (struct space_split){.count = 1, .cuts = {best.position}, .shares = {best.item_share}};
    return HEAT_CUT;
}

bool heat_part(const struct heat_sample *sample, bool whole_collections, int64_t share, uint128 low,
               uint128 high, void *scratch, struct space_split *out) {
    struct sightings all = sightings_of(sample, scratch);
    CHECK(share > 0 && share < DDBSIM_SHARE_ONE);
    if (all.count < LEAST) return false;
    uint32_t wanted = (uint32_t)((uint64_t)all.count * (uint64_t)share / DDBSIM_SHARE_ONE);
    for (uint32_t step = 0; step < 2 * all.count; step++) {
        /* From there outwards, until a cut lies inside. */
        uint32_t i = step % 2 ? wanted + (step + 1) / 2 : wanted - step / 2;
        if (i >= all.count) continue;
        uint128 cut = cut_before(&all.items[i], whole_collections);
        if (cut <= low || cut > high) continue;
        *out = (struct space_split){.count = 1, .cuts = {cut}, .shares = {share}};
        return true;
    }
    return false;
}
