/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Age cohorts. Sources: AWS developer guide, "How DynamoDB TTL works" (each partition is scanned in the
 * background; deletes are late); M. Bahr's measurements (a thousand items went after 8 to 13 minutes, a hundred
 * thousand after 17 to 28).
 *
 * Expiry is even over the cohort's width and the delay even between its two ends, so the moment of a delete
 * has the trapezoid of their sum. What part of a cell is deleted in a step is the trapezoid's area of that step
 * by what is left of it, so items that come and go meanwhile disturb nothing; parts of an item are carried on.
 *
 * Invariants: cohort.items is the sum of its cells; a cell without items has no bytes; nothing is deleted
 * before it has expired by less than a cohort's width.
 */
#include <model/cohorts.h>

#include <stdlib.h>
#include <string.h>

#define WIDTH_LEAST_S 60  /* time in which deletes are one step (TTL_TICK_S) */
#define COHORTS_USUAL 256 /* in the time from a write to its expiry */
#define COHORTS_LEAST 8
#define CELLS_MOST (INT64_C(1) << 22) /* of one entity */
#define FIVE_YEARS_S (5 * INT64_C(31556952))
#define ONE (UINT64_C(1) << 32)

/* ---- memory ---- */

static bool cells_create(struct cohort *cohort, uint32_t slots) {
    cohort->cells = calloc(slots, sizeof *cohort->cells);
    return cohort->cells != NULL;
}

/* A cohort behind all others. */
static struct cohort *cohort_create(struct cohorts *c, int64_t from_s, int64_t to_s,
                                    int64_t age_s) {
    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity ? 2 * c->capacity : COHORTS_USUAL;
        struct cohort *grown = realloc(c->all, capacity * sizeof *grown);
        if (!grown) return NULL;
        c->all = grown;
        c->capacity = capacity;
    }
    struct cohort *cohort = &c->all[c->count];
    *cohort = (struct cohort){.from_s = from_s, .to_s = to_s, .age_s = age_s};
    if (!cells_create(cohort, c->slots)) return NULL;
    c->count++;
    return cohort;
}

static int64_t width_for(int64_t after_s, uint32_t slots) {
    int64_t cohorts = larger(smaller(CELLS_MOST / slots, COHORTS_USUAL), COHORTS_LEAST);
    int64_t width_s = (after_s + cohorts - 1) / cohorts;
    return larger((width_s + WIDTH_LEAST_S - 1) / WIDTH_LEAST_S * WIDTH_LEAST_S, WIDTH_LEAST_S);
}

/* Those of the items at start: what has expired already, then by age, the oldest first. */
static bool cohorts_create_start(struct cohorts *c) {
    int64_t oldest_s = smaller(c->age_s, c->after_s);
    if (c->age_s > c->after_s &&
        !cohort_create(c, 0, 1, smaller(c->age_s, c->after_s + FIVE_YEARS_S)))
        return false;
    if (oldest_s == 0) return cohort_create(c, c->after_s, c->after_s, 0) != NULL;
    for (int64_t age_s = oldest_s; age_s > 0; age_s -= c->width_s) {
        int64_t next_s = larger(age_s - c->width_s, 0);
        if (!cohort_create(c, c->after_s - age_s, c->after_s - next_s, age_s)) return false;
    }
    return true;
}

bool cohorts_init(struct cohorts *c, int64_t after_s, int64_t age_s, uint32_t slots) {
    CHECK(after_s > 0 && age_s >= 0 && slots > 0);
    *c = (struct cohorts){
        .after_s = after_s, .width_s = width_for(after_s, slots), .age_s = age_s, .slots = slots};
    if (cohorts_create_start(c) && cohort_create(c, after_s, after_s + c->width_s, -1)) return true;
    cohorts_deinit(c);
    return false;
}

void cohorts_deinit(struct cohorts *c) {
    for (uint32_t i = 0; i < c->count; i++)
        free(c->all[i].cells);
    free(c->all);
    *c = (struct cohorts){0};
}

bool cohorts_grow(struct cohorts *c, uint32_t slots) {
    if (slots <= c->slots) return true;
    for (uint32_t i = 0; i < c->count; i++) {
        struct cohort_cell *grown = realloc(c->all[i].cells, slots * sizeof *grown);
        if (!grown) return false;
        memset(&grown[c->slots], 0, (slots - c->slots) * sizeof *grown);
        c->all[i].cells = grown;
    }
    c->slots = slots;
    return true;
}

/* ---- items come and go ---- */

static void cell_add(struct cohort *cohort, uint32_t slot, int64_t items, int64_t bytes) {
    cohort->cells[slot].items += items;
    cohort->cells[slot].bytes += bytes;
    cohort->items += items;
    CHECK(cohort->cells[slot].items >= 0 && cohort->items >= 0);
}

/* Takes items out, with their part of the cell's bytes: all of them with the last. */
static int64_t cell_take(struct cohort *cohort, uint32_t slot, int64_t items) {
    struct cohort_cell *cell = &cohort->cells[slot];
    CHECK(items > 0 && items <= cell->items);
    int64_t bytes = (int64_t)((int128)cell->bytes * items / cell->items);
    cell_add(cohort, slot, -items, -bytes);
    return bytes;
}

int64_t cohorts_items(const struct cohorts *c, uint32_t slot) {
    int64_t items = 0;
    CHECK_DEBUG(slot < c->slots);
    for (uint32_t i = 0; i < c->count; i++)
        items += c->all[i].cells[slot].items;
    return items;
}

int64_t cohorts_bytes(const struct cohorts *c, uint32_t slot) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < c->count; i++)
        bytes += c->all[i].cells[slot].bytes;
    return bytes;
}

static int64_t part_of(int64_t whole, int64_t part, int64_t of) {
    return (int64_t)((int128)whole * part / of);
}

void cohorts_place(struct cohorts *c, uint32_t slot, int64_t items, int64_t bytes) {
    CHECK(slot < c->slots && items >= 0 && bytes >= 0);
    /* The last cohort is the one that is written to. */
    for (uint32_t i = 0; i + 1 < c->count && c->all[i].age_s >= 0; i++) {
        int64_t age_s = c->all[i].age_s;
        if (c->age_s == 0) {
            cell_add(&c->all[i], slot, items, bytes);
            continue;
        }
        int64_t next_s = larger(c->all[i + 1].age_s, 0);
        int64_t upto = part_of(items, age_s, c->age_s), below = part_of(items, next_s, c->age_s);
        if (upto > below)
            cell_add(&c->all[i], slot, upto - below,
                     part_of(bytes, upto, items) - part_of(bytes, below, items));
    }
}

void cohorts_add(struct cohorts *c, uint32_t slot, int64_t items, int64_t bytes) {
    CHECK_DEBUG(slot < c->slots && c->count > 0);
    cell_add(&c->all[c->count - 1], slot, items, bytes);
}

/* The cohort of any item of a partition; NULL where there is none. */
static struct cohort *pick(struct cohorts *c, uint32_t slot, uint64_t draw) {
    int64_t items = cohorts_items(c, slot);
    if (items == 0) return NULL;
    int64_t place = (int64_t)(((uint128)draw * (uint64_t)items) >> 64);
    struct cohort *cohort = c->all;
    for (; place >= cohort->cells[slot].items; cohort++)
        place -= cohort->cells[slot].items;
    CHECK_DEBUG(cohort < c->all + c->count);
    return cohort;
}

bool cohorts_take(struct cohorts *c, uint32_t slot, uint64_t draw, int64_t *bytes) {
    struct cohort *cohort = pick(c, slot, draw);
    if (cohort) *bytes = cell_take(cohort, slot, 1);
    return cohort != NULL;
}

bool cohorts_resize(struct cohorts *c, uint32_t slot, uint64_t draw, int64_t *bytes) {
    struct cohort *cohort = pick(c, slot, draw);
    if (!cohort) return false;
    *bytes = larger(*bytes, -cohort->cells[slot].bytes);
    cohort->cells[slot].bytes += *bytes;
    return true;
}

/* ---- deletes ---- */

static int64_t delay(int64_t plain_s, int64_t scan_s, int64_t items, int64_t longest_s) {
    int64_t most = (int64_t)1 << 40;
    int64_t passes_s = smaller(part_of(items, scan_s, COHORT_SCAN_ITEMS), most);
    return smaller(plain_s + passes_s, longest_s);
}

/* The first items of a cell expire: how long the scan of its partition takes is settled for it. */
static void delays_set(struct cohort_cell *cell, const struct cohort_delays *delays,
                       int64_t items) {
    cell->least_s =
        (uint32_t)delay(delays->least_s, delays->scan_least_s, items, delays->longest_s);
    int64_t most_s = delay(delays->most_s, delays->scan_most_s, items, delays->longest_s);
    cell->most_s = (uint32_t)larger(most_s, (int64_t)cell->least_s + 1);
}

static int64_t square(int64_t x) { return x > 0 ? x * x : 0; }

static int64_t width_of(const struct cohort *cohort) {
    return larger(cohort->to_s - cohort->from_s, 1);
}

/* Twice the trapezoid's area up to a moment, of twice width x span in all. */
static int64_t area(const struct cohort *cohort, const struct cohort_cell *cell, int64_t t_s) {
    int64_t x = t_s - cohort->from_s - cell->least_s, width = width_of(cohort);
    int64_t span = (int64_t)cell->most_s - cell->least_s;
    return square(x) - square(x - width) - square(x - span) + square(x - width - span);
}

static int64_t area_all(const struct cohort *cohort, const struct cohort_cell *cell) {
    return 2 * width_of(cohort) * ((int64_t)cell->most_s - cell->least_s);
}

/* What part of the items that are left is deleted from then until now, in 2^-32. */
static uint64_t part_due(const struct cohort *cohort, const struct cohort_cell *cell,
                         int64_t then_s, int64_t now_s) {
    int64_t before = area(cohort, cell, then_s), after = area(cohort, cell, now_s);
    int64_t all = area_all(cohort, cell);
    CHECK_DEBUG(before <= after && after <= all);
    if (after == all) return ONE;
    return (uint64_t)(((uint128)(uint64_t)(after - before) << 32) / (uint64_t)(all - before));
}

static int64_t cell_expire(struct cohort *cohort, uint32_t slot, int64_t then_s, int64_t now_s,
                           struct partition_holding *gone) {
    struct cohort_cell *cell = &cohort->cells[slot];
    uint128 due = (uint128)(uint64_t)cell->items * part_due(cohort, cell, then_s, now_s);
    due += cell->carry;
    int64_t items = smaller((int64_t)(due >> 32), cell->items);
    cell->carry = (uint32_t)due;
    if (items == 0) return 0;
    gone->items += items;
    gone->bytes += cell_take(cohort, slot, items);
    return items;
}

int64_t cohorts_expire(struct cohorts *c, const struct cohort_delays *delays,
                       const struct partition_holding *held, uint32_t slots, int64_t now_s,
                       struct partition_holding *gone) {
    int64_t items = 0;
    CHECK(slots <= c->slots && now_s >= c->ended_s);
    for (uint32_t i = 0; i < c->count && c->all[i].from_s < now_s; i++) {
        struct cohort *cohort = &c->all[i];
        for (uint32_t slot = 0; slot < slots && cohort->items > 0; slot++) {
            struct cohort_cell *cell = &cohort->cells[slot];
            if (cell->items == 0) continue;
            if (cell->most_s == 0) delays_set(cell, delays, held[slot].items);
            items += cell_expire(cohort, slot, c->ended_s, now_s, &gone[slot]);
        }
    }
    c->ended_s = now_s;
    return items;
}

static void free_empty(struct cohorts *c) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        bool is_over = i + 1 < c->count && c->all[i].items == 0;
        if (is_over)
            free(c->all[i].cells);
        else
            c->all[kept++] = c->all[i];
    }
    c->count = kept;
    CHECK(kept > 0);
}

bool cohorts_follow(struct cohorts *c, int64_t now_s) {
    int64_t from_s = now_s / c->width_s * c->width_s + c->after_s;
    if (c->all[c->count - 1].from_s >= from_s) return true;
    free_empty(c);
    return cohort_create(c, from_s, from_s + c->width_s, -1) != NULL;
}

/* ---- what is there ---- */

/* Of the items that are left, those whose moment has passed. */
static int64_t cell_waiting(const struct cohort *cohort, const struct cohort_cell *cell,
                            int64_t now_s) {
    int64_t passed_s = smaller(now_s - cohort->from_s, width_of(cohort));
    if (cell->items == 0 || passed_s <= 0) return 0;
    if (cell->most_s == 0) return part_of(cell->items, passed_s, width_of(cohort));
    int64_t all = area_all(cohort, cell), deleted = area(cohort, cell, now_s);
    int64_t expired = 2 * passed_s * ((int64_t)cell->most_s - cell->least_s);
    return deleted < all ? part_of(cell->items, expired - deleted, all - deleted) : cell->items;
}

int64_t cohorts_waiting(const struct cohorts *c, int64_t now_s) {
    int64_t items = 0;
    for (uint32_t i = 0; i < c->count && c->all[i].from_s < now_s; i++)
        for (uint32_t slot = 0; slot < c->slots && c->all[i].items > 0; slot++)
            items += cell_waiting(&c->all[i], &c->all[i].cells[slot], now_s);
    return items;
}

/* ---- splits ---- */

static void cell_split(struct cohort *cohort, const struct space_parting *parting) {
    struct cohort_cell whole = cohort->cells[parting->slot];
    int64_t items = 0, bytes = 0;
    for (uint32_t i = 0; i <= parting->split.count; i++) {
        bool is_last = i == parting->split.count;
        int64_t share = is_last ? NANO : parting->split.shares[i];
        struct cohort_cell *child =
            &cohort->cells[i == 0 ? parting->slot : parting->first_child + i - 1];
        *child = whole;
        child->items = part_of(whole.items, share, NANO) - items;
        child->bytes =
            child->items == 0 && !is_last ? 0 : part_of(whole.bytes, share, NANO) - bytes;
        items += child->items;
        bytes += child->bytes;
    }
    CHECK(items == whole.items && bytes == whole.bytes);
}

void cohorts_split(struct cohorts *c, const struct space_parting *parting) {
    CHECK(parting->first_child + parting->split.count <= c->slots);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->all[i].cells[parting->slot].items > 0) cell_split(&c->all[i], parting);
}
