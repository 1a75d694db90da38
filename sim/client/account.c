/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting what callers felt. Every retry is a new attempt; a request is one call whatever its attempts
 * (M-61, M-78). Invariants: requests = succeeded + failed + outstanding; the first reasons of a slot sum
 * to its throttled attempts. A batch is one attempt; the events are its members' (M-63).
 */
#include <client/account.h>

#include <math.h>
#include <model/rows.h>
#include <stdlib.h>
#include <string.h>

#define PUT(account, table, ...) ROWS_PUT((account)->sink, table, __VA_ARGS__)

static uint32_t count_operations(const struct ddbsim_scenario *scenario) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++)
            count += 1 + scenario->workloads[w].operations[o].action_count;
    return count;
}

static void slot_add(struct account *account, uint32_t workload, uint32_t table,
                     enum ddbsim_operation_kind kind) {
    uint32_t *slot = &account->slot_of[account_slot_key(account, workload, table, (int)kind)];
    if (*slot != DDBSIM_NONE) return;
    CHECK(table < account->scenario->table_count);
    *slot = account->slot_count;
    uint32_t cells = REFUSALS * (1 + account->scenario->tables[table].index_count);
    account->slots[account->slot_count++] = (struct account_slot){
        .workload = workload,
        .table = table,
        .kind = kind,
        .first_cell = account->cell_count,
        .cell_count = cells,
    };
    account->cell_count += cells;
}

/* A transaction has a slot in each table of its actions. */
static void operation_add(struct account *account, uint32_t workload,
                          const struct ddbsim_operation *op) {
    slot_add(account, workload, op->table, op->kind);
    for (uint32_t i = 0; i < op->action_count; i++)
        slot_add(account, workload, op->actions[i].table, op->kind);
}

bool account_init(struct account *account, const struct ddbsim_scenario *scenario,
                  const struct model *model, const struct ddbsim_sink *sink) {
    *account = (struct account){.scenario = scenario, .model = model, .sink = sink};
    size_t keys = account_slot_key(account, scenario->workload_count, 0, 0);
    account->workloads = calloc(scenario->workload_count + 1, sizeof *account->workloads);
    account->slots = calloc(count_operations(scenario) + 1, sizeof *account->slots);
    account->slot_of = malloc((keys + 1) * sizeof *account->slot_of);
    if (!account->workloads || !account->slots || !account->slot_of) return false;
    for (size_t i = 0; i < keys; i++)
        account->slot_of[i] = DDBSIM_NONE;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++)
            operation_add(account, w, &scenario->workloads[w].operations[o]);
    account->cells = calloc(account->cell_count + 1, sizeof *account->cells);
    return account->cells != NULL;
}

void account_deinit(struct account *account) {
    free(account->workloads);
    free(account->slots);
    free(account->slot_of);
    free(account->cells);
    *account = (struct account){0};
}

/* ---- counting ----
 * Each thing is counted once, in its slot; sums over slots and times are made when a period closes. */

/* What of a refusal is counted: an attempt of one item is both. */
enum { COUNT_EVENTS = 1, COUNT_FIRST = 2 };

/* One cell: the first reason that applies, or one behind it. */
static void cell_refused(struct account_cell *cell, unsigned *what) {
    cell->events += (*what & COUNT_EVENTS) != 0;
    cell->first_events += (*what & COUNT_FIRST) != 0;
    *what &= ~(unsigned)COUNT_FIRST;
}

/* A slot's cells stand in the order of the reasons (names.h), so the first that applies is the first listed:
 * the table's, then for each reason those of the indexes. */
static uint32_t index_cell(const struct account_slot *slot, int why, uint32_t index) {
    return REFUSALS + (uint32_t)why * (slot->cell_count / REFUSALS - 1) + index;
}

static void count_reasons(struct account *account, const struct account_slot *slot,
                          const struct attempt *attempt, unsigned what) {
    struct account_cell *cells = &account->cells[slot->first_cell];
    for (uint32_t left = attempt->refusals; left; left &= left - 1) {
        int why = __builtin_ctz(left);
        uint32_t own =
            attempt->index == DDBSIM_NONE ? (uint32_t)why : index_cell(slot, why, attempt->index);
        cell_refused(&cells[own], &what);
    }
    for (int why = 0; why < REFUSALS; why++)
        for (uint32_t left = attempt->index_refusals[why]; left; left &= left - 1) {
            CHECK_DEBUG((uint32_t)__builtin_ctz(left) < slot->cell_count / REFUSALS - 1);
            cell_refused(&cells[index_cell(slot, why, (uint32_t)__builtin_ctz(left))], &what);
        }
    CHECK_DEBUG(!(what & COUNT_FIRST));
}

void account_member_refused(struct account *account, uint32_t number,
                            const struct attempt *member) {
    struct account_slot *slot = &account->slots[number];
    CHECK_DEBUG(!member->admitted);
    slot->second.throttled_members += member->verdict == VERDICT_NONE;
    slot->second.conflicts += member->verdict == VERDICT_CONFLICT;
    count_reasons(account, slot, member, COUNT_EVENTS);
}

void account_missed(struct account *account, uint32_t number, uint64_t items) {
    account->slots[number].second.missed_items += items;
}

void account_unsent_members(struct account *account, uint32_t number, uint32_t members) {
    account->slots[number].second.unsent_members += members;
}

void account_lost(struct account *account, uint32_t number, uint32_t members) {
    account->slots[number].second.lost_members += members;
}

void account_attempt_refused(struct account *account, uint32_t number,
                             const struct attempt *attempt) {
    struct account_slot *slot = &account->slots[number];
    CHECK_DEBUG(!attempt->admitted);
    slot->second.throttled++;
    hist_add(&slot->minute[ACCOUNT_THROTTLED][ACCOUNT_SERVICE],
             (uint64_t)(attempt->service_ns / NS_PER_US));
    count_reasons(account, slot, attempt,
                  attempt->members > 0 ? COUNT_FIRST : COUNT_FIRST | COUNT_EVENTS);
}

void account_error(struct account *account, uint32_t number, const struct attempt *attempt) {
    struct account_slot *slot = &account->slots[number];
    slot->second.user_errors += attempt->verdict == VERDICT_INVALID;
    slot->second.conditions_failed += attempt->verdict == VERDICT_CONDITION && attempt->admitted;
    slot->second.conflicts += attempt->verdict == VERDICT_CONFLICT;
    slot->second.system_errors += attempt->verdict == VERDICT_SYSTEM;
    int64_t half_units = attempt->cost_nano / HALF_UNIT_NANO * attempt->admitted;
    slot->half_units += half_units;
    slot->wasted_half_units += half_units;
    hist_add(&slot->minute[ACCOUNT_ERROR][ACCOUNT_SERVICE],
             (uint64_t)(attempt->service_ns / NS_PER_US));
}

/* Its units were consumed all the same. The throttle's reasons are those of its members; the first of the first
 * that was throttled counts for the call. */
void account_cancelled(struct account *account, uint32_t number, const struct attempt *attempt,
                       const struct ddbsim_request *members, const struct attempt *each,
                       uint32_t count, bool is_retry) {
    struct account_slot *slot = &account->slots[number];
    struct account_counts *counts = &slot->second;
    bool throttled = attempt->verdict == VERDICT_NONE;
    CHECK(!attempt->admitted && count > 0);
    counts->attempts++;
    counts->retries += is_retry;
    counts->throttled += throttled;
    counts->cancelled_throttled += throttled;
    counts->cancelled_conflict += attempt->verdict == VERDICT_CONFLICT;
    counts->cancelled_condition += attempt->verdict == VERDICT_CONDITION;
    slot->half_units += attempt->cost_nano / HALF_UNIT_NANO;
    slot->wasted_half_units += attempt->cost_nano / HALF_UNIT_NANO;
    hist_add(&slot->minute[throttled ? ACCOUNT_THROTTLED : ACCOUNT_ERROR][ACCOUNT_SERVICE],
             (uint64_t)(attempt->service_ns / NS_PER_US));
    unsigned what = COUNT_EVENTS | COUNT_FIRST;
    for (uint32_t i = 0; i < count && throttled; i++) {
        if (each[i].admitted) continue;
        size_t key = account_slot_key(account, slot->workload, members[i].table, (int)slot->kind);
        count_reasons(account, &account->slots[account->slot_of[key]], &each[i], what);
        what = COUNT_EVENTS;
    }
}

void account_read_back(struct account *account, uint32_t number, int64_t half_units) {
    CHECK(half_units >= 0);
    account->slots[number].read_back += half_units;
}

void account_unheard(struct account *account, uint32_t number, int64_t cost_nano) {
    account->slots[number].second.unheard++;
    account->slots[number].second.unheard_halves += (uint64_t)(cost_nano / HALF_UNIT_NANO);
    account->slots[number].wasted_half_units += cost_nano / HALF_UNIT_NANO;
}

void account_unsent(struct account *account, uint32_t number, uint32_t members, bool is_retry) {
    account_unsent_members(account, number, members);
    account->slots[number].second.attempts++;
    account->slots[number].second.retries += is_retry;
    account->slots[number].second.unheard++;
}

void account_expired(struct account *account, uint32_t number) {
    account->slots[number].second.expired++;
}

void account_retry_refused(struct account *account, uint32_t number) {
    account->slots[number].second.retries_refused++;
}

void account_breaker_refused(struct account *account, uint32_t number) {
    account->slots[number].second.breaker_refused++;
}

/* ---- rows ---- */

static struct ddbsim_value count_value(uint64_t count) { return ddbsim_integer((int64_t)count); }

static void counts_add(struct account_counts *to, const struct account_counts *counts) {
    to->requests += counts->requests;
    to->again += counts->again;
    to->attempts += counts->attempts;
    to->succeeded += counts->succeeded;
    to->failed += counts->failed;
    to->retries += counts->retries;
    to->throttled += counts->throttled;
    to->retries_refused += counts->retries_refused;
    to->members += counts->members;
    to->throttled_members += counts->throttled_members;
    to->user_errors += counts->user_errors;
    to->conditions_failed += counts->conditions_failed;
    to->conflicts += counts->conflicts;
    to->system_errors += counts->system_errors;
    to->cancelled_throttled += counts->cancelled_throttled;
    to->cancelled_conflict += counts->cancelled_conflict;
    to->cancelled_condition += counts->cancelled_condition;
    to->lost_members += counts->lost_members;
    to->unsent_members += counts->unsent_members;
    to->unheard += counts->unheard;
    to->unheard_halves += counts->unheard_halves;
    to->expired += counts->expired;
    to->breaker_refused += counts->breaker_refused;
    to->missed_items += counts->missed_items;
}

static void put_batch(struct account *account, const struct account_slot *slot, int64_t end_s) {
    const struct account_counts *second = &slot->second;
    if (second->members == 0 && second->lost_members == 0) return;
    CHECK(second->throttled_members <= second->members);
    PUT(account, DDBSIM_LOG_BATCH_SECOND,
        ddbsim_text(account->scenario->workloads[slot->workload].name),
        ddbsim_text(account->scenario->tables[slot->table].name),
        ddbsim_text(ddbsim_operation_name((int)slot->kind)), ddbsim_integer(end_s - 1),
        ddbsim_integer(1), count_value(second->members), count_value(second->throttled_members),
        count_value(second->lost_members));
}

/* What a workload's slots counted in the second, which becomes part of their totals. */
static struct account_counts second_take(struct account *account, uint32_t workload,
                                         int64_t end_s) {
    struct account_counts second = {0};
    for (uint32_t s = 0; s < account->slot_count; s++) {
        struct account_slot *slot = &account->slots[s];
        if (slot->workload != workload) continue;
        put_batch(account, slot, end_s);
        counts_add(&second, &slot->second);
        counts_add(&slot->total, &slot->second);
        slot->second = (struct account_counts){0};
    }
    return second;
}

static bool second_is_empty(const struct account_counts *second) {
    return second->requests == 0 && second->attempts == 0 && second->succeeded == 0 &&
           second->failed == 0;
}

static struct ddbsim_value of_queue(const struct account_workload *workload, uint64_t count) {
    return workload->has_queue ? count_value(count) : ddbsim_null();
}

void account_close_second(struct account *account, uint32_t number, int64_t end_s,
                          double quota_tokens, double limiter_rate) {
    struct account_workload *workload = &account->workloads[number];
    const struct account_counts taken = second_take(account, number, end_s), *second = &taken;
    uint32_t *ended = &workload->ends[(end_s - 1) % ACCOUNT_IN_FLIGHT_S];
    if (second_is_empty(second) && workload->outstanding == 0 && workload->waiting == 0 &&
        workload->dead == 0)
        return;
    CHECK_DEBUG(workload->outstanding >= *ended);
    workload->outstanding -= *ended;
    *ended = 0;
    PUT(account, DDBSIM_LOG_WORKLOAD_SECOND, ddbsim_text(account->scenario->workloads[number].name),
        ddbsim_integer(end_s - 1), ddbsim_integer(1), count_value(second->requests),
        count_value(second->attempts), count_value(second->succeeded), count_value(second->failed),
        count_value(second->retries), count_value(second->throttled),
        count_value(workload->outstanding), count_value(second->retries_refused),
        of_queue(workload, workload->waiting), of_queue(workload, workload->dead),
        isnan(quota_tokens) ? ddbsim_null() : ddbsim_real(quota_tokens),
        isnan(limiter_rate) ? ddbsim_null() : ddbsim_real(limiter_rate),
        count_value(second->again));
}

/* Which resource and reason a cell of a slot stands for. */
static void cell_meaning(const struct account *account, const struct account_slot *slot,
                         uint32_t cell, const struct resource **resource,
                         enum ddbsim_reason *reason) {
    const struct table *table = &account->model->tables[slot->table];
    enum direction direction = ddbsim_operation_is_write((int)slot->kind) ? WRITE : READ;
    *resource = &table->resource;
    *reason = model_reason(false, direction, (enum refusal)cell);
    if (cell < REFUSALS) return;
    uint32_t why = (cell - REFUSALS) / table->index_count;
    uint32_t index = (cell - REFUSALS) % table->index_count;
    *resource = &account->model->indexes[table->first_index + index].resource;
    *reason = model_reason(true, direction, (enum refusal)why);
}

void account_close_cells(struct account *account, int64_t end_s) {
    for (uint32_t s = 0; s < account->slot_count; s++) {
        const struct account_slot *slot = &account->slots[s];
        CHECK(slot->first_cell + slot->cell_count <= account->cell_count);
        for (uint32_t c = 0; c < slot->cell_count; c++) {
            struct account_cell *cell = &account->cells[slot->first_cell + c];
            if (cell->events == 0) continue;
            CHECK(cell->first_events <= cell->events);
            const struct resource *resource;
            enum ddbsim_reason reason;
            cell_meaning(account, slot, c, &resource, &reason);
            PUT(account, DDBSIM_LOG_THROTTLE, ddbsim_integer(resource->number + 1),
                ddbsim_text(ddbsim_reason_name((int)reason)),
                ddbsim_text(account->scenario->workloads[slot->workload].name),
                ddbsim_text(ddbsim_operation_name((int)slot->kind)), ddbsim_integer(end_s - 1),
                ddbsim_integer(1), ddbsim_integer(cell->events),
                ddbsim_integer(cell->first_events));
            *cell = (struct account_cell){0};
        }
    }
}

static void put_histogram(struct account *account, const struct account_slot *slot,
                          struct hist *histogram, const char *outcome, const char *kind,
                          int64_t t_s) {
    if (histogram->count == 0) return;
    for (uint32_t b = 0; b < HIST_BUCKETS; b++) {
        if (histogram->counts[b] == 0) continue;
        PUT(account, DDBSIM_LOG_LATENCY,
            ddbsim_text(account->scenario->workloads[slot->workload].name),
            ddbsim_text(account->scenario->tables[slot->table].name),
            ddbsim_text(ddbsim_operation_name((int)slot->kind)), ddbsim_text(outcome),
            ddbsim_text(kind), ddbsim_integer(t_s), ddbsim_integer(60),
            ddbsim_integer((int64_t)hist_low(b)), ddbsim_integer((int64_t)hist_high(b)),
            ddbsim_integer(histogram->counts[b]));
    }
    hist_clear(histogram);
}

void account_close_minute(struct account *account, int64_t t_s) {
    static const char *const outcomes[ACCOUNT_OUTCOMES] = {"success", "throttled", "failed",
                                                           "error"};
    static const char *const kinds[ACCOUNT_LATENCIES] = {"service", "caller"};
    for (uint32_t s = 0; s < account->slot_count; s++)
        for (int k = 0; k < ACCOUNT_LATENCIES; k++)
            hist_merge(&account->run[k], &account->slots[s].minute[ACCOUNT_SUCCESS][k]);
    for (uint32_t s = 0; s < account->slot_count; s++)
        for (int o = 0; o < ACCOUNT_OUTCOMES; o++)
            for (int k = 0; k < ACCOUNT_LATENCIES; k++)
                put_histogram(account, &account->slots[s], &account->slots[s].minute[o][k],
                              outcomes[o], kinds[k], t_s);
}

static void put_total(struct account *account, const struct account_slot *slot) {
    const struct account_counts *total = &slot->total;
    /* A first attempt may still wait when the run ends, or was never sent. */
    CHECK(total->attempts <= total->requests + total->retries);
    CHECK(total->succeeded + total->failed <= total->requests);
    CHECK(slot->wasted_half_units <= slot->half_units && total->unheard <= total->attempts);
    /* An HTTP 500 loses members that were not throttled. */
    CHECK(total->lost_members <= total->members + total->unsent_members);
    CHECK(total->throttled_members <= total->members);
    PUT(account, DDBSIM_LOG_WORKLOAD_TOTAL,
        ddbsim_text(account->scenario->workloads[slot->workload].name),
        ddbsim_text(account->scenario->tables[slot->table].name),
        ddbsim_text(ddbsim_operation_name((int)slot->kind)), count_value(total->requests),
        count_value(total->attempts), count_value(total->succeeded), count_value(total->failed),
        count_value(total->retries), count_value(total->throttled),
        ddbsim_real((double)(slot->half_units + slot->read_back) / 2),
        ddbsim_real((double)slot->wasted_half_units / 2));
}

static struct account_counts counts_of_all(const struct account *account) {
    struct account_counts all = {0};
    for (uint32_t s = 0; s < account->slot_count; s++) {
        counts_add(&all, &account->slots[s].total);
        counts_add(&all, &account->slots[s].second);
    }
    return all;
}

struct ddbsim_totals account_totals(const struct account *account) {
    const struct account_counts all = counts_of_all(account);
    int64_t half_units[DIRECTIONS] = {0, 0};
    for (uint32_t s = 0; s < account->slot_count; s++) {
        const struct account_slot *slot = &account->slots[s];
        half_units[ddbsim_operation_is_write((int)slot->kind) ? WRITE : READ] += slot->half_units;
        half_units[READ] += slot->read_back;
    }
    struct ddbsim_totals totals = {
        .requests = all.requests,
        .attempts = all.attempts,
        .succeeded = all.succeeded,
        .failed = all.failed,
        .retries = all.retries,
        .retries_refused = all.retries_refused,
        .throttled_attempts = all.throttled,
        .members = all.members,
        .throttled_members = all.throttled_members,
        .lost_members = all.lost_members,
        .missed_items = all.missed_items,
        .read_half_units = half_units[READ],
        .write_half_units = half_units[WRITE],
    };
    return totals;
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

static double milliseconds(const struct hist *hist, double q) {
    return hist->count ? hist_quantile(hist, q) / 1000 : NAN;
}

static void put_outcome(struct account *account, enum ddbsim_outcome outcome, double value) {
    PUT(account, DDBSIM_LOG_OUTCOME, ddbsim_text(ddbsim_outcome_name((int)outcome)),
        ddbsim_text(""), isnan(value) ? ddbsim_null() : ddbsim_real(value),
        ddbsim_text(ddbsim_outcome_unit((int)outcome)));
}

static void put_outcomes(struct account *account) {
    struct ddbsim_totals totals = account_totals(account);
    const double values[DDBSIM_OUTCOME_KINDS] = {
        [DDBSIM_OUTCOME_REQUESTS] = (double)totals.requests,
        [DDBSIM_OUTCOME_ATTEMPTS] = (double)totals.attempts,
        [DDBSIM_OUTCOME_SUCCEEDED] = (double)totals.succeeded,
        [DDBSIM_OUTCOME_FAILED] = (double)totals.failed,
        [DDBSIM_OUTCOME_RETRIES] = (double)totals.retries,
        [DDBSIM_OUTCOME_RETRIES_REFUSED] = (double)totals.retries_refused,
        [DDBSIM_OUTCOME_THROTTLED_ATTEMPTS] = (double)totals.throttled_attempts,
        [DDBSIM_OUTCOME_THROTTLED_RATIO] = ratio(totals.throttled_attempts, totals.attempts),
        [DDBSIM_OUTCOME_FAILED_RATIO] = ratio(totals.failed, totals.requests),
        [DDBSIM_OUTCOME_AMPLIFICATION] = ratio(totals.attempts, totals.requests),
        [DDBSIM_OUTCOME_READ_UNITS] = (double)totals.read_half_units / 2,
        [DDBSIM_OUTCOME_WRITE_UNITS] = (double)totals.write_half_units / 2,
        [DDBSIM_OUTCOME_LATENCY_P50] = milliseconds(&account->run[ACCOUNT_SERVICE], 0.5),
        [DDBSIM_OUTCOME_LATENCY_P99] = milliseconds(&account->run[ACCOUNT_SERVICE], 0.99),
        [DDBSIM_OUTCOME_CALLER_P50] = milliseconds(&account->run[ACCOUNT_CALLER], 0.5),
        [DDBSIM_OUTCOME_CALLER_P99] = milliseconds(&account->run[ACCOUNT_CALLER], 0.99),
        [DDBSIM_OUTCOME_MEMBERS] = (double)totals.members,
        [DDBSIM_OUTCOME_THROTTLED_MEMBERS] = (double)totals.throttled_members,
        [DDBSIM_OUTCOME_THROTTLED_MEMBERS_RATIO] = ratio(totals.throttled_members, totals.members),
        [DDBSIM_OUTCOME_LOST_MEMBERS] = (double)totals.lost_members,
        [DDBSIM_OUTCOME_PARTITIONS] = model_partition_count(account->model),
    };
    /* The others are the crews' (crew.h), the fans' (fan.h) and the errors', below. */
    for (int i = 0; i <= DDBSIM_OUTCOME_PARTITIONS; i++)
        put_outcome(account, (enum ddbsim_outcome)i, values[i]);
}

/* The operation whose name follows `name` in byte order; -1 after the last. */
static int operation_after(const char *name) {
    int next = -1;
    for (int kind = 0; kind < DDBSIM_OPERATION_KINDS; kind++) {
        const char *candidate = ddbsim_operation_name(kind);
        if (strcmp(candidate, name) <= 0) continue;
        if (next < 0 || strcmp(candidate, ddbsim_operation_name(next)) < 0) next = kind;
    }
    return next;
}

/* In key order inside a workload and table, as the log wants it. */
static void put_totals(struct account *account) {
    const struct ddbsim_scenario *scenario = account->scenario;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t t = 0; t < scenario->table_count; t++)
            for (int kind = operation_after(""); kind >= 0;
                 kind = operation_after(ddbsim_operation_name(kind))) {
                uint32_t slot = account->slot_of[account_slot_key(account, w, t, kind)];
                if (slot != DDBSIM_NONE) put_total(account, &account->slots[slot]);
            }
}

/* Of these only what the scenario may bring about. */
static void put_errors(struct account *account) {
    const struct account_counts all = counts_of_all(account);
    bool transacts = account->model->locks.capacity > 0;
    if (account->model->counts_errors)
        put_outcome(account, DDBSIM_OUTCOME_USER_ERRORS, (double)all.user_errors);
    if (all.conditions_failed > 0)
        put_outcome(account, DDBSIM_OUTCOME_CONDITIONS_FAILED, (double)all.conditions_failed);
    if (!transacts) return;
    put_outcome(account, DDBSIM_OUTCOME_CONFLICTS, (double)all.conflicts);
    put_outcome(account, DDBSIM_OUTCOME_CANCELLED_THROTTLED, (double)all.cancelled_throttled);
    put_outcome(account, DDBSIM_OUTCOME_CANCELLED_CONFLICT, (double)all.cancelled_conflict);
    put_outcome(account, DDBSIM_OUTCOME_CANCELLED_CONDITION, (double)all.cancelled_condition);
}

static uint64_t count_at(const struct account_counts *counts, size_t offset) {
    uint64_t count;
    memcpy(&count, (const char *)counts + offset, sizeof count);
    return count;
}

/* Units are counted by halves. */
static double scoped_value(enum ddbsim_outcome outcome, uint64_t count) {
    return outcome == DDBSIM_OUTCOME_UNHEARD_UNITS ? (double)count / 2 : (double)count;
}

/* Of each workload, where there are any; `offset` of the count. */
static void put_each(struct account *account, enum ddbsim_outcome outcome, size_t offset) {
    for (uint32_t w = 0; w < account->scenario->workload_count; w++) {
        uint64_t count = 0;
        for (uint32_t s = 0; s < account->slot_count; s++)
            if (account->slots[s].workload == w)
                count += count_at(&account->slots[s].total, offset);
        if (count > 0)
            PUT(account, DDBSIM_LOG_OUTCOME, ddbsim_text(ddbsim_outcome_name((int)outcome)),
                ddbsim_text(account->scenario->workloads[w].name),
                ddbsim_real(scoped_value(outcome, count)),
                ddbsim_text(ddbsim_outcome_unit((int)outcome)));
    }
}

/* Of the run too, where there are any. */
static void put_scoped(struct account *account, enum ddbsim_outcome outcome, size_t offset) {
    const struct account_counts all = counts_of_all(account);
    if (count_at(&all, offset) == 0) return;
    put_outcome(account, outcome, scoped_value(outcome, count_at(&all, offset)));
    put_each(account, outcome, offset);
}

static void put_wasted(struct account *account) {
    int64_t half_units = 0;
    for (uint32_t s = 0; s < account->slot_count; s++)
        half_units += account->slots[s].wasted_half_units;
    CHECK(half_units >= 0);
    if (half_units > 0) put_outcome(account, DDBSIM_OUTCOME_UNITS_WASTED, (double)half_units / 2);
}

void account_finish(struct account *account) {
    put_totals(account);
    put_outcomes(account);
    put_errors(account);
    put_each(account, DDBSIM_OUTCOME_USER_ERRORS, offsetof(struct account_counts, user_errors));
    put_scoped(account, DDBSIM_OUTCOME_MISSED_ITEMS, offsetof(struct account_counts, missed_items));
    put_scoped(account, DDBSIM_OUTCOME_SYSTEM_ERRORS,
               offsetof(struct account_counts, system_errors));
    put_scoped(account, DDBSIM_OUTCOME_BREAKER_REFUSED,
               offsetof(struct account_counts, breaker_refused));
    put_scoped(account, DDBSIM_OUTCOME_UNHEARD, offsetof(struct account_counts, unheard));
    put_scoped(account, DDBSIM_OUTCOME_UNHEARD_UNITS,
               offsetof(struct account_counts, unheard_halves));
    put_scoped(account, DDBSIM_OUTCOME_EXPIRED, offsetof(struct account_counts, expired));
    put_wasted(account);
}
