/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of calls at once. Invariants: over <= begun <= branches; a fan that nobody waits for is free;
 * at most one event that begins a branch is on its way.
 */
#include <client/fan.h>

#include <base/check.h>
#include <base/types.h>
#include <model/rows.h>
#include <stdlib.h>

#define FANS_START 64
#define ROOM 8

void fans_deinit(struct fans *fans) {
    free(fans->all);
    *fans = (struct fans){0};
}

bool fans_are_tight(const struct fans *fans) { return fans->capacity - fans->used < ROOM; }

bool fans_grow(struct fans *fans) {
    uint32_t capacity = fans->capacity ? 2 * fans->capacity : FANS_START;
    if (capacity < fans->capacity) return false;
    struct fan *all = realloc(fans->all, capacity * sizeof *all);
    if (!all) return false;
    fans->all = all;
    if (fans->capacity == 0) fans->free_fan = FAN_NONE;
    for (uint32_t i = capacity; i-- > fans->capacity;) {
        all[i].next = fans->free_fan;
        fans->free_fan = i;
    }
    fans->capacity = capacity;
    return true;
}

uint32_t fans_take(struct fans *fans) {
    uint32_t number = fans->free_fan;
    CHECK(fans->used < fans->capacity && number != FAN_NONE);
    fans->free_fan = fans->all[number].next;
    fans->used++;
    return number;
}

void fans_release(struct fans *fans, uint32_t number) {
    CHECK(fans->used > 0 && number < fans->capacity);
    fans->all[number].next = fans->free_fan;
    fans->free_fan = number;
    fans->used--;
}

bool fan_has_next(const struct fan *fan) {
    CHECK_DEBUG(fan->over <= fan->begun && fan->begun <= fan->branches);
    return !fan->failed && !fan->launching && fan->begun < fan->branches &&
           fan_live(fan) < fan->parallel;
}

bool fan_is_over(const struct fan *fan) {
    CHECK(fan->over <= fan->begun);
    if (fan->launching || fan_live(fan) > 0) return false;
    return fan->failed || fan->begun == fan->branches;
}

static void put(const struct ddbsim_sink *sink, enum ddbsim_outcome outcome, const char *scope,
                const struct hist *hist, double q) {
    ROWS_PUT(sink, DDBSIM_LOG_OUTCOME, ddbsim_text(ddbsim_outcome_name((int)outcome)),
             ddbsim_text(scope), ddbsim_real(hist_quantile(hist, q) / 1000),
             ddbsim_text(ddbsim_outcome_unit((int)outcome)));
}

void fan_outcomes(const struct fan_times *times, const char *scope,
                  const struct ddbsim_sink *sink) {
    if (times->arrival.count > 0) {
        put(sink, DDBSIM_OUTCOME_ARRIVAL_P50, scope, &times->arrival, 0.5);
        put(sink, DDBSIM_OUTCOME_ARRIVAL_P99, scope, &times->arrival, 0.99);
    }
    if (times->first_page.count == 0) return;
    put(sink, DDBSIM_OUTCOME_FIRST_PAGE_P50, scope, &times->first_page, 0.5);
    put(sink, DDBSIM_OUTCOME_FIRST_PAGE_P99, scope, &times->first_page, 0.99);
}
