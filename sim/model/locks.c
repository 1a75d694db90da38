/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Items in running transactions. Source: AWS developer guide, transactions (conflicts between them, and with
 * single writes). Open addressing with linear probing; nothing is removed but by making the table anew, so an
 * item is found between its place and the first free one. Invariants: used < capacity; an item stands once.
 */
#include <model/locks.h>

#include <base/check.h>
#include <base/hash.h>
#include <stdlib.h>

#define LOCKS_START 1024
#define LOCKS_MAX (1u << 22)

bool locks_init(struct locks *locks) {
    *locks = (struct locks){.latest_ns = INT64_MIN};
    locks->all = calloc(LOCKS_START, sizeof *locks->all);
    if (!locks->all) return false;
    locks->capacity = LOCKS_START;
    return true;
}

void locks_deinit(struct locks *locks) {
    free(locks->all);
    *locks = (struct locks){.latest_ns = INT64_MIN};
}

bool locks_are_tight(const struct locks *locks) {
    return locks->capacity > 0 && locks->used + DDBSIM_TRANSACT_MAX > locks->capacity / 2;
}

/* Where an item would stand in an empty table. */
static uint32_t home_of(uint32_t capacity, uint64_t hash, uint64_t sort, uint32_t table) {
    return (uint32_t)hash_mix(hash, sort, table) & (capacity - 1);
}

/* The entry of an item, or the free one where it would stand. */
static uint32_t place_from(const struct lock *all, uint32_t capacity, uint32_t home, uint64_t hash,
                           uint64_t sort, uint32_t table) {
    uint32_t at = home;
    while (all[at].owner != 0 &&
           (all[at].hash != hash || all[at].sort != sort || all[at].table != table))
        at = (at + 1) & (capacity - 1);
    return at;
}

static uint32_t place_of(const struct lock *all, uint32_t capacity, uint64_t hash, uint64_t sort,
                         uint32_t table) {
    return place_from(all, capacity, home_of(capacity, hash, sort, table), hash, sort, table);
}

static uint32_t count_live(const struct locks *locks, int64_t now_ns) {
    uint32_t live = 0;
    for (uint32_t i = 0; i < locks->capacity; i++)
        live += locks->all[i].owner != 0 && locks->all[i].until_ns > now_ns;
    return live;
}

bool locks_are_full(const struct locks *locks) { return locks->capacity >= LOCKS_MAX; }

bool locks_grow(struct locks *locks, int64_t now_ns) {
    if (!locks_are_tight(locks)) return true;
    uint32_t live = count_live(locks, now_ns), capacity = locks->capacity;
    while (live + DDBSIM_TRANSACT_MAX > capacity / 4 && capacity < LOCKS_MAX)
        capacity *= 2;
    if (live + DDBSIM_TRANSACT_MAX > capacity / 2) return false;
    struct lock *all = calloc(capacity, sizeof *all);
    if (!all) return false;
    for (uint32_t i = 0; i < locks->capacity; i++) {
        const struct lock *lock = &locks->all[i];
        if (lock->owner == 0 || lock->until_ns <= now_ns) continue;
        all[place_of(all, capacity, lock->hash, lock->sort, lock->table)] = *lock;
    }
    CHECK(live < capacity && (capacity & (capacity - 1)) == 0);
    free(locks->all);
    locks->all = all;
    locks->capacity = capacity;
    locks->used = live;
    return true;
}

void locks_begin(struct locks *locks) {
    CHECK(locks->capacity > 0 && locks->taken_count == 0);
    locks->owner++;
}

uint32_t locks_home(const struct locks *locks, const struct ddbsim_request *request) {
    const struct ddbsim_key *key = &request->key;
    uint32_t home = home_of(locks->capacity, key->hash, key->sort, request->table);
    __builtin_prefetch(&locks->all[home], 1);
    return home;
}

enum locks_answer locks_take(struct locks *locks, const struct ddbsim_request *request,
                             uint32_t home, int64_t now_ns) {
    const struct ddbsim_key *key = &request->key;
    CHECK_DEBUG(home == home_of(locks->capacity, key->hash, key->sort, request->table));
    uint32_t at =
        place_from(locks->all, locks->capacity, home, key->hash, key->sort, request->table);
    struct lock *lock = &locks->all[at];
    if (lock->owner == locks->owner) return LOCKS_OWN;
    if (lock->owner != 0 && lock->until_ns > now_ns) return LOCKS_OTHER;
    locks->used += lock->owner == 0;
    CHECK(locks->used < locks->capacity && locks->taken_count < DDBSIM_TRANSACT_MAX);
    *lock = (struct lock){.hash = key->hash,
                          .sort = key->sort,
                          .until_ns = now_ns,
                          .owner = locks->owner,
                          .table = request->table};
    locks->taken[locks->taken_count++] = at;
    return LOCKS_FREE;
}

void locks_end(struct locks *locks, int64_t until_ns) {
    for (uint32_t i = 0; i < locks->taken_count; i++) {
        CHECK_DEBUG(locks->all[locks->taken[i]].owner == locks->owner);
        locks->all[locks->taken[i]].until_ns = until_ns;
    }
    if (locks->taken_count > 0 && until_ns > locks->latest_ns) locks->latest_ns = until_ns;
    locks->taken_count = 0;
}

bool locks_find(const struct locks *locks, const struct ddbsim_request *request, int64_t now_ns) {
    CHECK_DEBUG(locks->capacity > 0);
    const struct ddbsim_key *key = &request->key;
    const struct lock *lock =
        &locks->all[place_of(locks->all, locks->capacity, key->hash, key->sort, request->table)];
    return lock->owner != 0 && lock->until_ns > now_ns;
}
